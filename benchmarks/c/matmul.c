// arrays: a, b, c. integers: side, products.
#include "team.h"

#define TILE 16

typedef float tile_t[TILE][TILE];

// A row of sums stays in a register while it is added to.
static void multiply_tiles(const float (*restrict a)[TILE], const float (*restrict b)[TILE],
                           float (*restrict sums)[TILE]) {
  for (int y = 0; y < TILE; y++)
    for (int k = 0; k < TILE; k++) {
      const float left = a[y][k];
#pragma omp simd simdlen(TILE)
      for (int x = 0; x < TILE; x++) sums[y][x] += left * b[k][x];
    }
}

static void one_tile(const float *restrict a, const float *restrict b, float *restrict c,
                     int64_t side, int64_t row, int64_t column) {
  _Alignas(LINE) tile_t a_tile, b_tile, sums = {{0}};
  for (int64_t first = 0; first < side; first += TILE) {
    for (int y = 0; y < TILE; y++)
      for (int x = 0; x < TILE; x++) {
        a_tile[y][x] = a[(row + y) * side + first + x];
        b_tile[y][x] = b[(first + y) * side + column + x];
      }
    multiply_tiles(a_tile, b_tile, sums);
  }
  for (int y = 0; y < TILE; y++)
    for (int x = 0; x < TILE; x++) c[(row + y) * side + column + x] = sums[y][x];
}

static void work(const job_t *job) {
  float *from = job->arrays[0], *to = job->arrays[2];
  const float *b = job->arrays[1];
  const int64_t side = job->integers[0], tiles = side / TILE;
  const range_t mine = share(job, tiles * tiles, 1);
  for (int64_t product = 0; product < job->integers[1]; product++) {
    for (int64_t t = mine.begin; t < mine.end; t++)
      one_tile(from, b, to, side, t / tiles * TILE, t % tiles * TILE);
    meet(job);
    float *old = from;
    from = to;
    to = old;
  }
}
