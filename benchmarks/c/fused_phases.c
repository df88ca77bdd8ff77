// arrays: facts, results. integers: rows of results, width.
#include "team.h"

// Additions wrap, so they are done without signs.
#define RULE(COMBINE)                                          \
  for (int64_t i = mine.begin; i < mine.end; i++) {            \
    const uint32_t before = from[width - 1 - i], fact = facts[i]; \
    to[i] = (COMBINE) + number;                                \
  }                                                            \
  break

static void apply(int64_t rule, const uint32_t *restrict facts, const uint32_t *restrict from,
                  uint32_t *restrict to, int64_t width, range_t mine) {
  const uint32_t number = (uint32_t)(rule * 7919) & 0xFFFF;
  switch (rule % 4) {
  case 0: RULE(before + fact);
  case 1: RULE(before ^ fact);
  case 2: RULE(3 * before + fact);
  case 3: RULE((int32_t)before < (int32_t)fact ? before : fact);
  }
}

static void work(const job_t *job) {
  const uint32_t *facts = job->arrays[0];
  uint32_t *results = job->arrays[1];
  const int64_t rules = job->integers[0] - 1, width = job->integers[1];
  const range_t mine = share(job, width, 16);
  for (int64_t rule = 0; rule < rules; rule++) {
    apply(rule, facts, results + rule * width, results + (rule + 1) * width, width, mine);
    meet(job);
  }
}
