// The sums of all beginnings of each block's part of a list, and the sum of each part.

extern "C" __global__ void __launch_bounds__(256)
scan_block(int n, const int *__restrict__ numbers, int *__restrict__ sums,
           int *__restrict__ block_sums) {
  __shared__ int tile[256];
  const int lane = threadIdx.x;
  const int i = blockIdx.x * 256 + lane;
  int sum = i < n ? numbers[i] : 0;
#pragma unroll
  for (int reach = 1; reach < 256; reach *= 2) {
    tile[lane] = sum;
    __syncthreads();
    const int left = lane >= reach ? tile[lane - reach] : 0;
    __syncthreads();
    sum += left;
  }
  if (i < n) sums[i] = sum;
  if (lane == 255) block_sums[blockIdx.x] = sum;
}
