// arrays: x, y. integers: count, steps. reals: a.
#include "team.h"

static void work(const job_t *job) {
  const float *restrict x = job->arrays[0];
  float *restrict y = job->arrays[1];
  const int64_t count = job->integers[0], steps = job->integers[1];
  const float a = (float)job->reals[0];
  const range_t mine = share(job, count, 16);
  for (int64_t step = 0; step < steps; step++) {
    for (int64_t i = mine.begin; i < mine.end; i++) y[i] = a * x[i] + y[i];
    meet(job);
  }
}
