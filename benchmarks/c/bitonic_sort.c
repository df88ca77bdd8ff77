// arrays: keys. integers: count.
#include "team.h"

#define TILE 64

static inline int32_t smaller(int32_t a, int32_t b) { return a < b ? a : b; }
static inline int32_t larger(int32_t a, int32_t b) { return a < b ? b : a; }

// Pairs that stand side by side.
static void order_up(int32_t *restrict lower, int32_t *restrict upper) {
  for (int k = 0; k < TILE; k++) {
    const int32_t a = lower[k], b = upper[k];
    lower[k] = smaller(a, b);
    upper[k] = larger(a, b);
  }
}

static void order_tile(int32_t *keys, int64_t first_pair, int64_t run, int64_t distance) {
  if (distance >= TILE) {
    const int64_t first = 2 * first_pair - (first_pair & (distance - 1));
    int32_t *lower = keys + first, *upper = lower + distance;
    if (first & run) order_up(upper, lower);
    else order_up(lower, upper);
    return;
  }
  for (int64_t pair = first_pair; pair < first_pair + TILE; pair++) {
    const int64_t lower = 2 * pair - (pair & (distance - 1)), upper = lower + distance;
    const int32_t a = keys[lower], b = keys[upper];
    const int goes_down = (lower & run) != 0;
    keys[lower] = goes_down ? larger(a, b) : smaller(a, b);
    keys[upper] = goes_down ? smaller(a, b) : larger(a, b);
  }
}

static void work(const job_t *job) {
  int32_t *keys = job->arrays[0];
  const int64_t count = job->integers[0];
  const range_t mine = share(job, count / 2, TILE);
  for (int64_t run = 2; run <= count; run *= 2)
    for (int64_t distance = run / 2; distance > 0; distance /= 2) {
      for (int64_t pair = mine.begin; pair < mine.end; pair += TILE)
        order_tile(keys, pair, run, distance);
      meet(job);
    }
}
