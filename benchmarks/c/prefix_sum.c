// arrays: numbers, block_sums. integers: count, blocks, block_length, scans.
#include "team.h"

static inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static void work(const job_t *job) {
  uint32_t *restrict numbers = job->arrays[0];
  uint32_t *restrict block_sums = job->arrays[1];
  const int64_t count = job->integers[0], blocks = job->integers[1];
  const int64_t length = job->integers[2], scans = job->integers[3];
  const range_t mine = share(job, blocks, 1);
  for (int64_t scan = 0; scan < scans; scan++) {
    for (int64_t b = mine.begin; b < mine.end; b++) {
      const int64_t end = smaller((b + 1) * length, count);
      uint32_t sum = 0;
      for (int64_t k = b * length; k < end; k++) sum += numbers[k];
      block_sums[b] = sum;
    }
    meet(job);
    if (job->me == 0) {
      uint32_t before = 0;
      for (int64_t b = 0; b < blocks; b++) {
        const uint32_t total = block_sums[b];
        block_sums[b] = before;
        before += total;
      }
    }
    meet(job);
    for (int64_t b = mine.begin; b < mine.end; b++) {
      const int64_t end = smaller((b + 1) * length, count);
      uint32_t sum = block_sums[b];
      for (int64_t k = b * length; k < end; k++) {
        sum += numbers[k];
        numbers[k] = sum;
      }
    }
    meet(job);
  }
}
