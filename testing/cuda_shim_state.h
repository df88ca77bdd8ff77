// What the runtime that plays the device knows: launches, blocks, threads, and whose turn it
// is.

#pragma once

#include "cuda_shim_abi.h"
#include "cuda_shim_fibers.h"

#include <cstdio>
#include <ctime>
#include <utility>
#include <vector>

typedef unsigned long long u64;

enum Order { FORWARD, REVERSED, RANDOM };

// One launch. The arguments are pointers to values.
struct Job {
    const vyre_shim_unit *unit;
    void **arguments;
    dim3 grid;
    dim3 block;
    int cooperative;
    int waits;  // Whether threads wait for each other.
};

struct Settings {
    int block_order;
    int thread_order;
    u64 seed;
    u64 patience;  // Nanoseconds.
};

static const size_t CANARY_BYTES = 64;
static const unsigned char CANARY = 0x6b;
static const unsigned char DIRT = 0xa5;

enum State { READY, PAUSED, AT_BARRIER, AT_WARP, ENDED };

struct Thread {
    Context context;
    char *stack;
    uint3 id;
    State state;
    int line, kind;     // Where it waits.
    unsigned int mask;  // For whom, in its warp.
    u64 value;          // What it shows them.
    u64 counts;         // What a barrier gives it.
    vyre_shim_exchange shown;
};

struct Block {
    Job *job;
    uint3 id;
    std::vector<Thread> threads;
    std::vector<char> shared;
    unsigned int alive, arrived, yes;
    bool released;  // Whether somebody who waited may go on, since the turns began.
};

struct Runner {
    Settings settings;
    u64 random;
    u64 started;
    char error[512];
    Context scheduler;
    Block *block;    // Whose turn it is.
    Thread *thread;  // The one that runs.
    std::vector<char *> stacks;
};

// Only one thread of the host runs kernels at a time; the caller sees to that.
static Runner runner;

static u64 now()
{
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ull + time.tv_nsec;
}

static u64 next_random()
{
    // SplitMix64.
    u64 value = runner.random += 0x9e3779b97f4a7c15ull;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9ull;
    value = (value ^ value >> 27) * 0x94d049bb133111ebull;
    return value ^ value >> 31;
}

static u64 volume(dim3 size)
{
    return static_cast<u64>(size.x) * size.y * size.z;
}

static uint3 position(u64 number, dim3 size)
{
    const u64 row = number / size.x;
    return {static_cast<unsigned int>(number % size.x),
            static_cast<unsigned int>(row % size.y),
            static_cast<unsigned int>(row / size.y)};
}

static void set_error(const char *cause)
{
    if (!runner.error[0])
        snprintf(runner.error, sizeof runner.error, "%s", cause);
}

static void check_patience()
{
    if (now() - runner.started > runner.settings.patience)
        set_error("the kernel did not end in time");
}

// The numbers below `count` in the order in which they have their turns.
static std::vector<u64> turns(u64 count, int order)
{
    std::vector<u64> found(count);
    for (u64 k = 0; k < count; ++k)
        found[k] = order == REVERSED ? count - 1 - k : k;
    if (order == RANDOM)
        for (u64 k = count; k > 1; --k)
            std::swap(found[k - 1], found[next_random() % k]);
    return found;
}
