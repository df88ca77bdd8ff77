// How many values have each of 256 lowest bytes; each block counts for itself first.

extern "C" __global__ void __launch_bounds__(256)
histogram(int n, const unsigned *__restrict__ values, unsigned *__restrict__ counts) {
  __shared__ unsigned own_counts[256];
  own_counts[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    atomicAdd(&own_counts[values[i] & 255], 1);
  }
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], own_counts[threadIdx.x]);
}
