// A team of threads that run one function and meet at barriers: one source, two builds.
//
// With -DTEAM_OPENMP it is a parallel region of OpenMP, and threads meet at its barriers.
// Otherwise threads are started once, spin at barriers, and sleep between runs.
//
// A workload includes this file and defines `work`. Work is divided by hand, in blocks of
// equal size in order, as OpenMP's static schedule does.

#define _GNU_SOURCE
#include <immintrin.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MAX_TEAM 64
#define LINE 64

typedef struct {
  void *const *arrays;     // in the order of the workload's arrays
  const int64_t *integers; // lengths and whole numbers, in an order each workload names
  const double *reals;
  int me, team;
} job_t;

typedef struct { int64_t begin, end; } range_t;

// A thread's share of so many things, in whole units.
static inline range_t share(const job_t *job, int64_t count, int64_t unit) {
  int64_t units = (count + unit - 1) / unit;
  int64_t begin = units * job->me / job->team * unit;
  int64_t end = units * (job->me + 1) / job->team * unit;
  return (range_t){begin < count ? begin : count, end < count ? end : count};
}

// A number for each thread, each in a cache line of its own.
typedef struct { _Alignas(LINE) double value; } padded_t;

static inline double sum_of(const padded_t *parts, int team) {
  double sum = 0;
  for (int k = 0; k < team; k++) sum += parts[k].value;
  return sum;
}

static void work(const job_t *job);
static inline void meet(const job_t *job);

static inline uint64_t nanoseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#ifdef TEAM_OPENMP

#include <omp.h>

static inline void meet(const job_t *job) {
  (void)job;
#pragma omp barrier
}

// Run once with so many threads; how many nanoseconds it took.
uint64_t run(void *const *arrays, const int64_t *integers, const double *reals, int team) {
  uint64_t start = nanoseconds();
#pragma omp parallel num_threads(team)
  {
    job_t job = {arrays, integers, reals, omp_get_thread_num(), team};
    work(&job);
  }
  return nanoseconds() - start;
}

#else

#define SPINS_AT_BARRIER 20000
#define SPINS_WHEN_IDLE 20000

static struct {
  _Alignas(LINE) _Atomic uint32_t arrived;
  _Alignas(LINE) _Atomic uint32_t generation;
  _Alignas(LINE) _Atomic uint32_t runs; // grows by one for each run; threads sleep on it
  _Alignas(LINE) job_t job;
  int started;
} pool;

// The last to arrive lets all others go.
static inline void meet(const job_t *job) {
  if (job->team == 1) return;
  uint32_t now = atomic_load_explicit(&pool.generation, memory_order_acquire);
  uint32_t before = atomic_fetch_add_explicit(&pool.arrived, 1, memory_order_acq_rel);
  if (before + 1 == (uint32_t)job->team) {
    atomic_store_explicit(&pool.arrived, 0, memory_order_relaxed);
    atomic_store_explicit(&pool.generation, now + 1, memory_order_release);
    return;
  }
  for (int spins = 0;
       atomic_load_explicit(&pool.generation, memory_order_acquire) == now;) {
    if (++spins < SPINS_AT_BARRIER) _mm_pause();
    else sched_yield();
  }
}

static uint32_t next_run(uint32_t seen) {
  uint32_t runs;
  for (int spins = 0; (runs = atomic_load(&pool.runs)) == seen;) {
    if (++spins < SPINS_WHEN_IDLE) _mm_pause();
    else syscall(SYS_futex, &pool.runs, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
  }
  return runs;
}

static void *member(void *number) {
  for (uint32_t seen = 0;;) {
    seen = next_run(seen);
    job_t job = pool.job;
    job.me = (int)(intptr_t)number;
    work(&job);
    meet(&job);
  }
  return NULL;
}

// Run once with so many threads, the same number each time; how many nanoseconds it took.
uint64_t run(void *const *arrays, const int64_t *integers, const double *reals, int team) {
  for (; pool.started < team - 1; pool.started++) {
    pthread_t thread;
    pthread_create(&thread, NULL, member, (void *)(intptr_t)(pool.started + 1));
    pthread_detach(thread);
  }
  uint64_t start = nanoseconds();
  job_t job = {arrays, integers, reals, 0, team};
  if (team > 1) {
    pool.job = job;
    atomic_fetch_add(&pool.runs, 1);
    syscall(SYS_futex, &pool.runs, FUTEX_WAKE_PRIVATE, team, NULL, NULL, 0);
  }
  work(&job);
  meet(&job);
  return nanoseconds() - start;
}

#endif
