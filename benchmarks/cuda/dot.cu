// The parts of a scalar product, one for each block, as conjugate gradients need it.

extern "C" __global__ void __launch_bounds__(256)
dot(int n, const double *__restrict__ x, const double *__restrict__ y,
    double *__restrict__ parts) {
  __shared__ double sums[256];
  const int lane = threadIdx.x;
  double own = 0.0;
  for (int i = blockIdx.x * 256 + lane; i < n; i += gridDim.x * 256) {
    own = fma(x[i], y[i], own);
  }
  sums[lane] = own;
  __syncthreads();
#pragma unroll
  for (int reach = 128; reach > 0; reach /= 2) {
    if (lane < reach) sums[lane] += sums[lane + reach];
    __syncthreads();
  }
  if (lane == 0) parts[blockIdx.x] = sums[0];
}
