// Each inner cell of a plate becomes the mean of its four neighbours.

extern "C" __global__ void __launch_bounds__(256)
jacobi_step(int rows, int columns, const float *__restrict__ old, float *__restrict__ next) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  if (x >= 1 && x < columns - 1 && y >= 1 && y < rows - 1) {
    const int at = y * columns + x;
    const float along_y = old[at - columns] + old[at + columns];
    const float along_x = old[at - 1] + old[at + 1];
    next[at] = (along_y + along_x) * 0.25f;
  }
}
