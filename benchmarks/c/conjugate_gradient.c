// arrays: offsets, columns, values, b, x, residual, direction, image. integers: rows,
// max_rounds. reals: tolerance.
#include "team.h"

static padded_t square_parts[MAX_TEAM], energy_parts[MAX_TEAM];

static double times_itself(const double *restrict v, range_t rows) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = rows.begin; i < rows.end; i++) sum += v[i] * v[i];
  return sum;
}

static void work(const job_t *job) {
  const int32_t *restrict offsets = job->arrays[0];
  const int32_t *restrict columns = job->arrays[1];
  const double *restrict values = job->arrays[2];
  const double *restrict b = job->arrays[3];
  double *restrict x = job->arrays[4];
  double *restrict residual = job->arrays[5];
  double *restrict direction = job->arrays[6];
  double *restrict image = job->arrays[7];
  const range_t mine = share(job, job->integers[0], 8);
  const double limit = job->reals[0] * job->reals[0];

  for (int64_t i = mine.begin; i < mine.end; i++) {
    x[i] = 0;
    residual[i] = b[i];
    direction[i] = 0;
  }
  square_parts[job->me].value = times_itself(residual, mine);
  meet(job);
  double before = 1, square = sum_of(square_parts, job->team);
  for (int64_t round = 0; square > limit && round < job->integers[1]; round++) {
    const double keep = square / before;
    for (int64_t i = mine.begin; i < mine.end; i++)
      direction[i] = residual[i] + keep * direction[i];
    meet(job);
    double energy = 0;
    for (int64_t i = mine.begin; i < mine.end; i++) {
      double sum = 0;
      for (int32_t e = offsets[i]; e < offsets[i + 1]; e++)
        sum += values[e] * direction[columns[e]];
      image[i] = sum;
      energy += direction[i] * sum;
    }
    energy_parts[job->me].value = energy;
    meet(job);
    const double far = square / sum_of(energy_parts, job->team);
    double next_square = 0;
#pragma omp simd reduction(+ : next_square)
    for (int64_t i = mine.begin; i < mine.end; i++) {
      x[i] += far * direction[i];
      residual[i] -= far * image[i];
      next_square += residual[i] * residual[i];
    }
    square_parts[job->me].value = next_square;
    meet(job);
    before = square;
    square = sum_of(square_parts, job->team);
  }
}
