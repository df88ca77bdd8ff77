// arrays: offsets, targets, reached, seen, fresh, last_round. integers: nodes.
#include "team.h"

static void work(const job_t *job) {
  const int32_t *restrict offsets = job->arrays[0];
  const int32_t *restrict targets = job->arrays[1];
  int32_t *restrict reached = job->arrays[2];
  int32_t *restrict seen = job->arrays[3];
  int32_t *restrict fresh = job->arrays[4];
  _Atomic int32_t *last_round = job->arrays[5];
  const range_t mine = share(job, job->integers[0], 16);
  for (int32_t round = 0;
       atomic_load_explicit(last_round, memory_order_relaxed) == round; round++) {
    for (int64_t v = mine.begin; v < mine.end; v++) {
      fresh[v] = reached[v] - seen[v];
      seen[v] = reached[v];
    }
    meet(job);
    int found = 0;
    for (int64_t v = mine.begin; v < mine.end; v++) {
      if (!fresh[v]) continue;
      found = 1;
      // Others may store the same; a relaxed store costs no more than a plain one.
      for (int32_t e = offsets[v]; e < offsets[v + 1]; e++)
        __atomic_store_n(&reached[targets[e]], 1, __ATOMIC_RELAXED);
    }
    if (found) atomic_store_explicit(last_round, round + 1, memory_order_relaxed);
    meet(job);
  }
}
