// A kernel for each phase. Kernels have the work-groups and tiles of the Vyre programs.

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void saxpy(float a, global const float *restrict x, global float *restrict y) {
  const size_t i = get_global_id(0);
  y[i] = fma(a, x[i], y[i]);
}

kernel void relax(global const float *restrict from, global float *restrict to, int columns) {
  const size_t at = (get_global_id(1) + 1) * columns + get_global_id(0) + 1;
  to[at] = 0.25f * ((from[at - columns] + from[at + columns]) + (from[at - 1] + from[at + 1]));
}

#define RULE(NAME, COMBINE)                                                          \
  kernel void NAME(global const int *restrict facts, global int *restrict results,   \
                   int rule, int number) {                                           \
    const size_t i = get_global_id(0), width = get_global_size(0);                   \
    const int before = results[rule * width + width - 1 - i], fact = facts[i];       \
    results[(rule + 1) * width + i] = (COMBINE) + number;                            \
  }

RULE(add_rule, before + fact)
RULE(xor_rule, before ^ fact)
RULE(triple_rule, 3 * before + fact)
RULE(min_rule, min(before, fact))

kernel void find_fresh(global const int *restrict reached, global int *restrict seen,
                       global int *restrict fresh) {
  const size_t v = get_global_id(0);
  fresh[v] = reached[v] - seen[v];
  seen[v] = reached[v];
}

kernel void mark(global const int *restrict offsets, global const int *restrict targets,
                 global int *restrict reached, global const int *restrict fresh,
                 global int *restrict last_round, int next_round) {
  const size_t v = get_global_id(0);
  if (!fresh[v]) return;
  last_round[0] = next_round;
  for (int e = offsets[v]; e < offsets[v + 1]; e++) reached[targets[e]] = 1;
}

kernel void add_up_blocks(global const int *restrict numbers, global int *restrict block_sums,
                          int count, int length) {
  const int b = get_global_id(0), end = min((b + 1) * length, count);
  int sum = 0;
  for (int k = b * length; k < end; k++) sum += numbers[k];
  block_sums[b] = sum;
}

kernel void scan_sums(global int *restrict block_sums, int blocks) {
  int before = 0;
  for (int b = 0; b < blocks; b++) {
    const int total = block_sums[b];
    block_sums[b] = before;
    before += total;
  }
}

kernel void scan_blocks(global int *restrict numbers, global const int *restrict block_sums,
                        int count, int length) {
  const int b = get_global_id(0), end = min((b + 1) * length, count);
  int sum = block_sums[b];
  for (int k = b * length; k < end; k++) {
    sum += numbers[k];
    numbers[k] = sum;
  }
}

kernel void count_digits(global const uint *restrict keys, global uint *restrict places,
                         int count, int length, int shift) {
  const int chunk = get_global_id(0), end = min((chunk + 1) * length, count);
  uint counts[16] = {0};
  for (int at = chunk * length; at < end; at++) counts[keys[at] >> shift & 15]++;
  for (int digit = 0; digit < 16; digit++) places[chunk * 16 + digit] = counts[digit];
}

kernel void find_places(global uint *restrict places, int chunks) {
  uint place = 0;
  for (int digit = 0; digit < 16; digit++)
    for (int chunk = 0; chunk < chunks; chunk++) {
      const uint occurs = places[chunk * 16 + digit];
      places[chunk * 16 + digit] = place;
      place += occurs;
    }
}

kernel void move(global const uint *restrict keys, global const uint *restrict values,
                 global uint *restrict to_keys, global uint *restrict to_values,
                 global const uint *restrict places, int count, int length, int shift) {
  const int chunk = get_global_id(0), end = min((chunk + 1) * length, count);
  uint next[16];
  for (int digit = 0; digit < 16; digit++) next[digit] = places[chunk * 16 + digit];
  for (int at = chunk * length; at < end; at++) {
    const uint key = keys[at], place = next[key >> shift & 15]++;
    to_keys[place] = key;
    to_values[place] = values[at];
  }
}

// The sum over a work-group of 256, in the first work-item.
double group_sum(double mine, local double *products, local double *sums) {
  const int lane = get_local_id(0);
  products[lane] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane < 16) {
    double sum = 0;
    for (int k = 0; k < 16; k++) sum += products[k * 16 + lane];
    sums[lane] = sum;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  double sum = 0;
  if (lane == 0)
    for (int k = 0; k < 16; k++) sum += sums[k];
  return sum;
}

kernel void start_from_zero(global const double *restrict b, global double *restrict x,
                            global double *restrict residual,
                            global double *restrict direction, global double *restrict parts) {
  local double products[256], sums[16];
  const size_t i = get_global_id(0);
  x[i] = 0;
  residual[i] = b[i];
  direction[i] = 0;
  const double part = group_sum(b[i] * b[i], products, sums);
  if (get_local_id(0) == 0) parts[get_group_id(0)] = part;
}

kernel void turn(global const double *restrict residual, global double *restrict direction,
                 double keep) {
  const size_t i = get_global_id(0);
  direction[i] = fma(keep, direction[i], residual[i]);
}

kernel void energy_of(global const int *restrict offsets, global const int *restrict columns,
                      global const double *restrict values,
                      global const double *restrict direction, global double *restrict image,
                      global double *restrict parts) {
  local double products[256], sums[16];
  const size_t i = get_global_id(0);
  double total = 0;
  for (int e = offsets[i]; e < offsets[i + 1]; e++)
    total = fma(values[e], direction[columns[e]], total);
  image[i] = total;
  const double part = group_sum(direction[i] * total, products, sums);
  if (get_local_id(0) == 0) parts[get_group_id(0)] = part;
}

kernel void go_along(global double *restrict x, global double *restrict residual,
                     global const double *restrict direction,
                     global const double *restrict image, double far,
                     global double *restrict parts) {
  local double products[256], sums[16];
  const size_t i = get_global_id(0);
  x[i] = fma(far, direction[i], x[i]);
  const double r = fma(-far, image[i], residual[i]);
  residual[i] = r;
  const double part = group_sum(r * r, products, sums);
  if (get_local_id(0) == 0) parts[get_group_id(0)] = part;
}

kernel void multiply(global const float *restrict a, global const float *restrict b,
                     global float *restrict c, int side) {
  local float a_tile[16][16], b_tile[16][16];
  const int x = get_local_id(0), y = get_local_id(1);
  const int column = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (int first = 0; first < side; first += 16) {
    a_tile[y][x] = a[row * side + first + x];
    b_tile[y][x] = b[(first + y) * side + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; k++) sum = fma(a_tile[y][k], b_tile[k][x], sum);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * side + column] = sum;
}

kernel void through(global int *distances, int nodes, int k) {
  const int j = get_global_id(0), i = get_global_id(1);
  if (i == k || j == k) return;
  const int way = distances[i * nodes + k] + distances[k * nodes + j];
  distances[i * nodes + j] = min(distances[i * nodes + j], way);
}

kernel void order_pairs(global int *keys, int run, int distance) {
  const int pair = get_global_id(0);
  int lower = 2 * pair - (pair & (distance - 1));
  if (distance >= 64) {
    const int first = get_group_id(0) * 64;
    lower = 2 * first - (first & (distance - 1)) + get_local_id(0);
  }
  const int a = keys[lower], b = keys[lower + distance];
  const int down = (lower & run) != 0;
  keys[lower] = down ? max(a, b) : min(a, b);
  keys[lower + distance] = down ? min(a, b) : max(a, b);
}
