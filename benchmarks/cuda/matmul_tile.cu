// c = a b in tiles of 16 x 16 elements; all sizes are multiples of 16.

extern "C" __global__ void __launch_bounds__(256)
matmul_tile(int depth, int columns, const float *__restrict__ a,
            const float *__restrict__ b, float *__restrict__ c) {
  __shared__ float a_tile[16][16];
  __shared__ float b_tile[16][16];
  const int x = threadIdx.x, y = threadIdx.y;
  const int column = blockIdx.x * 16 + x;
  const int row = blockIdx.y * 16 + y;
  float sum = 0.0f;
  for (int first = 0; first < depth; first += 16) {
    a_tile[y][x] = a[row * depth + first + x];
    b_tile[y][x] = b[(first + y) * columns + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) sum = fmaf(a_tile[y][k], b_tile[k][x], sum);
    __syncthreads();
  }
  c[row * columns + column] = sum;
}
