// arrays: keys, values, spare_keys, spare_values, places. integers: count, chunks,
// chunk_length, passes.
#include "team.h"

#define DIGITS 16

typedef struct { uint32_t *keys, *values; } records_t;

static inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static void count_digits(const uint32_t *restrict keys, int64_t begin, int64_t end, int shift,
                         uint32_t *restrict places) {
  uint32_t counts[DIGITS] = {0};
  for (int64_t at = begin; at < end; at++) counts[keys[at] >> shift & (DIGITS - 1)]++;
  for (int digit = 0; digit < DIGITS; digit++) places[digit] = counts[digit];
}

static void find_places(uint32_t (*restrict places)[DIGITS], int64_t chunks) {
  uint32_t place = 0;
  for (int digit = 0; digit < DIGITS; digit++)
    for (int64_t chunk = 0; chunk < chunks; chunk++) {
      const uint32_t occurs = places[chunk][digit];
      places[chunk][digit] = place;
      place += occurs;
    }
}

static void move(const uint32_t *restrict keys, const uint32_t *restrict values,
                 uint32_t *restrict to_keys, uint32_t *restrict to_values, int64_t begin,
                 int64_t end, int shift, const uint32_t *restrict places) {
  uint32_t next[DIGITS];
  for (int digit = 0; digit < DIGITS; digit++) next[digit] = places[digit];
  for (int64_t at = begin; at < end; at++) {
    const uint32_t key = keys[at], place = next[key >> shift & (DIGITS - 1)]++;
    to_keys[place] = key;
    to_values[place] = values[at];
  }
}

static void work(const job_t *job) {
  records_t from = {job->arrays[0], job->arrays[1]}, to = {job->arrays[2], job->arrays[3]};
  uint32_t(*places)[DIGITS] = job->arrays[4];
  const int64_t count = job->integers[0], chunks = job->integers[1];
  const int64_t length = job->integers[2], passes = job->integers[3];
  const range_t mine = share(job, chunks, 1);
  for (int pass = 0; pass < passes; pass++) {
    const int shift = 4 * pass;
    for (int64_t c = mine.begin; c < mine.end; c++)
      count_digits(from.keys, c * length, smaller((c + 1) * length, count), shift, places[c]);
    meet(job);
    if (job->me == 0) find_places(places, chunks);
    meet(job);
    for (int64_t c = mine.begin; c < mine.end; c++)
      move(from.keys, from.values, to.keys, to.values, c * length,
           smaller((c + 1) * length, count), shift, places[c]);
    meet(job);
    const records_t old = from;
    from = to;
    to = old;
  }
}
