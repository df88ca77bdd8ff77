// arrays: distances. integers: nodes.
#include "team.h"

static void through(int32_t *restrict row, const int32_t *restrict row_k, int64_t k,
                    int64_t nodes) {
  const int32_t to_k = row[k];
  for (int64_t j = 0; j < nodes; j++) {
    const int32_t sum = to_k + row_k[j];
    row[j] = sum < row[j] ? sum : row[j];
  }
}

static void work(const job_t *job) {
  int32_t *distances = job->arrays[0];
  const int64_t nodes = job->integers[0];
  const range_t mine = share(job, nodes, 1);
  for (int64_t k = 0; k < nodes; k++) {
    for (int64_t i = mine.begin; i < mine.end; i++)
      if (i != k) through(distances + i * nodes, distances + k * nodes, k, nodes);
    meet(job);
  }
}
