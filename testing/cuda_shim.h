// The part of CUDA that Vyre's kernels use, for a host compiler.
//
// It goes before the text of a kernel, which stays as it is. One thread of the host runs all
// threads of the grid, by turns (see cuda_shim.cpp), so atomics are plain loads and stores.
// Where CUDA leaves something open, this is as unfriendly as CUDA allows.

#pragma once
#include "cuda_shim_abi.h"
#include "cuda_shim_math.h"

#define __global__
#define __device__
#define __host__
#define __constant__ static const
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
// One place for all shared memory, so that it can be exchanged when another block runs.
#define __shared__ static __attribute__((used, section("vyre_shared")))

static uint3 threadIdx, blockIdx;
static dim3 blockDim, gridDim;
static const int warpSize = 32;

static const vyre_shim_hooks *vyre_shim_hook;

// ---- Barriers ---------------------------------------------------------------------------

enum { VYRE_SYNC, VYRE_SYNC_OR, VYRE_SYNC_AND, VYRE_SYNC_COUNT };
enum { VYRE_WARP, VYRE_BALLOT, VYRE_ANY, VYRE_ALL, VYRE_SHUFFLE };

static inline unsigned int vyre_shim_yes(unsigned long long counts)
{
    return static_cast<unsigned int>(counts >> 32);
}

static inline unsigned int vyre_shim_here(unsigned long long counts)
{
    return static_cast<unsigned int>(counts);
}

static inline int vyre_shim_sync_and(int line, int yes)
{
    const unsigned long long counts = vyre_shim_hook->barrier(line, VYRE_SYNC_AND, yes);
    return vyre_shim_yes(counts) == vyre_shim_here(counts);
}

#define __syncthreads() ((void)vyre_shim_hook->barrier(__LINE__, VYRE_SYNC, 0))
#define __syncthreads_or(yes)                                                               \
    static_cast<int>(                                                                       \
        vyre_shim_yes(vyre_shim_hook->barrier(__LINE__, VYRE_SYNC_OR, (yes) != 0)) != 0)
#define __syncthreads_and(yes) vyre_shim_sync_and(__LINE__, (yes) != 0)
#define __syncthreads_count(yes)                                                            \
    static_cast<int>(                                                                       \
        vyre_shim_yes(vyre_shim_hook->barrier(__LINE__, VYRE_SYNC_COUNT, (yes) != 0)))

static inline void vyre_shim_fence()
{
    vyre_shim_hook->moment();
}

#define __threadfence() vyre_shim_fence()
#define __threadfence_block() vyre_shim_fence()
#define __threadfence_system() vyre_shim_fence()
#define __nanosleep(nanoseconds) ((void)(nanoseconds), vyre_shim_hook->pause())
#define __trap() vyre_shim_hook->fail("__trap() was called")

// ---- Warps ------------------------------------------------------------------------------

static const unsigned int VYRE_FULL_WARP = 0xffffffffu;

static inline unsigned int vyre_shim_lane()
{
    return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}

static inline unsigned int vyre_shim_ballot(int line, int kind, unsigned int mask, int yes)
{
    const vyre_shim_exchange *shown =
        vyre_shim_hook->exchange(line, kind, mask, yes != 0);
    unsigned int votes = 0;
    for (unsigned int lane = 0; lane < 32; ++lane)
        if (shown->present >> lane & 1 && shown->values[lane])
            votes |= 1u << lane;
    return votes;
}

static inline int vyre_shim_all(int line, unsigned int mask, int yes)
{
    // "Not all" is "some not", and those that have ended say nothing.
    return vyre_shim_ballot(line, VYRE_ALL, mask, !yes) == 0;
}

static inline void vyre_shim_syncwarp(int line, unsigned int mask = VYRE_FULL_WARP)
{
    (void)vyre_shim_hook->exchange(line, VYRE_WARP, mask, 0);
}

// What a lane gets that looks at one that shows nothing.
template <class T> static inline T vyre_shim_rubbish(T own)
{
    const unsigned long long pattern = 0xa5a5a5a5a5a5a5a5ull;
    __builtin_memcpy(&own, &pattern, sizeof(T));
    return own;
}

template <class T>
static inline T vyre_shim_shuffle(int line, unsigned int mask, T value, unsigned int source)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "shuffles are of 4 or 8 bytes");
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    const vyre_shim_exchange *shown =
        vyre_shim_hook->exchange(line, VYRE_SHUFFLE, mask, bits);
    if (source >= 32 || !(shown->present >> source & 1))
        return vyre_shim_rubbish(value);
    __builtin_memcpy(&value, &shown->values[source], sizeof(T));
    return value;
}

template <class T>
static inline T vyre_shim_shuffle_to(int line, unsigned int mask, T value, int source,
                                     int width = 32)
{
    const unsigned int first = vyre_shim_lane() & ~(width - 1u);
    return vyre_shim_shuffle(line, mask, value, first + (source & (width - 1u)));
}

template <class T>
static inline T vyre_shim_shuffle_up(int line, unsigned int mask, T value,
                                     unsigned int delta, int width = 32)
{
    const unsigned int lane = vyre_shim_lane(), in_part = lane & (width - 1u);
    return vyre_shim_shuffle(line, mask, value, in_part < delta ? lane : lane - delta);
}

template <class T>
static inline T vyre_shim_shuffle_down(int line, unsigned int mask, T value,
                                       unsigned int delta, int width = 32)
{
    const unsigned int lane = vyre_shim_lane(), in_part = lane & (width - 1u);
    const bool leaves = delta >= static_cast<unsigned int>(width) - in_part;
    return vyre_shim_shuffle(line, mask, value, leaves ? lane : lane + delta);
}

template <class T>
static inline T vyre_shim_shuffle_xor(int line, unsigned int mask, T value, int bits,
                                      int width = 32)
{
    const unsigned int lane = vyre_shim_lane(), other = lane ^ bits;
    const unsigned int after = (lane & ~(width - 1u)) + width;
    return vyre_shim_shuffle(line, mask, value, other < after ? other : lane);
}

#define __activemask() vyre_shim_hook->active()
#define __syncwarp(...) vyre_shim_syncwarp(__LINE__, ##__VA_ARGS__)
#define __ballot_sync(mask, yes) vyre_shim_ballot(__LINE__, VYRE_BALLOT, mask, (yes) != 0)
#define __any_sync(mask, yes) (vyre_shim_ballot(__LINE__, VYRE_ANY, mask, (yes) != 0) != 0)
#define __all_sync(mask, yes) vyre_shim_all(__LINE__, mask, (yes) != 0)
#define __shfl_sync(mask, ...) vyre_shim_shuffle_to(__LINE__, mask, __VA_ARGS__)
#define __shfl_up_sync(mask, ...) vyre_shim_shuffle_up(__LINE__, mask, __VA_ARGS__)
#define __shfl_down_sync(mask, ...) vyre_shim_shuffle_down(__LINE__, mask, __VA_ARGS__)
#define __shfl_xor_sync(mask, ...) vyre_shim_shuffle_xor(__LINE__, mask, __VA_ARGS__)

// ---- Atomics ----------------------------------------------------------------------------

template <class T> static inline T vyre_shim_old(T *place)
{
    if (reinterpret_cast<unsigned long long>(place) % sizeof(T) != 0)
        vyre_shim_hook->fail("an atomic operation at an address that is not aligned");
    vyre_shim_hook->moment();
    return *static_cast<volatile T *>(place);
}

#define VYRE_ATOMIC(NAME, TYPE, RESULT)                                                     \
    static inline TYPE NAME(TYPE *place, TYPE value)                                        \
    {                                                                                       \
        const TYPE old = vyre_shim_old(place);                                              \
        *static_cast<volatile TYPE *>(place) = RESULT;                                      \
        return old;                                                                         \
    }
#define VYRE_ATOMIC_SET(NAME, TYPE, RESULT)                                                 \
    VYRE_ATOMIC(NAME, TYPE, RESULT)                                                         \
    VYRE_ATOMIC(NAME##_block, TYPE, RESULT)                                                 \
    VYRE_ATOMIC(NAME##_system, TYPE, RESULT)
#define VYRE_ATOMIC_BITS(TYPE)                                                              \
    VYRE_ATOMIC_SET(atomicAnd, TYPE, old & value)                                           \
    VYRE_ATOMIC_SET(atomicOr, TYPE, old | value)                                            \
    VYRE_ATOMIC_SET(atomicXor, TYPE, old ^ value)
#define VYRE_ATOMIC_ORDER(TYPE)                                                             \
    VYRE_ATOMIC_SET(atomicMin, TYPE, old < value ? old : value)                             \
    VYRE_ATOMIC_SET(atomicMax, TYPE, old > value ? old : value)
#define VYRE_ATOMIC_CAS(NAME, TYPE)                                                         \
    static inline TYPE NAME(TYPE *place, TYPE expected, TYPE value)                         \
    {                                                                                       \
        const TYPE old = vyre_shim_old(place);                                              \
        if (old == expected)                                                                \
            *static_cast<volatile TYPE *>(place) = value;                                   \
        return old;                                                                         \
    }
#define VYRE_ATOMIC_CAS_SET(TYPE)                                                           \
    VYRE_ATOMIC_CAS(atomicCAS, TYPE)                                                        \
    VYRE_ATOMIC_CAS(atomicCAS_block, TYPE)                                                  \
    VYRE_ATOMIC_CAS(atomicCAS_system, TYPE)

VYRE_ATOMIC_SET(atomicAdd, int, old + value)
VYRE_ATOMIC_SET(atomicAdd, unsigned int, old + value)
VYRE_ATOMIC_SET(atomicAdd, unsigned long long, old + value)
VYRE_ATOMIC_SET(atomicAdd, float, old + value)
VYRE_ATOMIC_SET(atomicAdd, double, old + value)
VYRE_ATOMIC_SET(atomicSub, int, old - value)
VYRE_ATOMIC_SET(atomicSub, unsigned int, old - value)
VYRE_ATOMIC_SET(atomicExch, int, value)
VYRE_ATOMIC_SET(atomicExch, unsigned int, value)
VYRE_ATOMIC_SET(atomicExch, unsigned long long, value)
VYRE_ATOMIC_SET(atomicExch, float, value)
VYRE_ATOMIC_BITS(int)
VYRE_ATOMIC_BITS(unsigned int)
VYRE_ATOMIC_BITS(unsigned long long)
VYRE_ATOMIC_ORDER(int)
VYRE_ATOMIC_ORDER(unsigned int)
VYRE_ATOMIC_ORDER(long long)
VYRE_ATOMIC_ORDER(unsigned long long)
VYRE_ATOMIC_CAS_SET(int)
VYRE_ATOMIC_CAS_SET(unsigned int)
VYRE_ATOMIC_CAS_SET(unsigned long long)
VYRE_ATOMIC_CAS_SET(unsigned short)

template <class T> static inline T __ldg(const T *place)
{
    return *place;
}

// ---- The kernel as the runtime sees it --------------------------------------------------

extern char __start_vyre_shared[] __attribute__((weak, visibility("hidden")));
extern char __stop_vyre_shared[] __attribute__((weak, visibility("hidden")));

template <class... Parameters> struct vyre_shim_call {
    // In braces, arguments are evaluated from left to right.
    vyre_shim_call(void (*kernel)(Parameters...), Parameters... arguments)
    {
        kernel(arguments...);
    }
};

template <class... Parameters> struct vyre_shim_kernel {
    typedef void Function(Parameters...);
    static constexpr unsigned long long count = sizeof...(Parameters);
    static constexpr unsigned long long sizes[count + 1] = {sizeof(Parameters)..., 0};

    template <Function *kernel> static void call(void **next)
    {
        vyre_shim_call<Parameters...>{kernel, *static_cast<Parameters *>(*next++)...};
    }
};

template <class... Parameters>
static vyre_shim_kernel<Parameters...> vyre_shim_of(void (*)(Parameters...));

#define VYRE_SHIM_UNIT(NAME)                                                                \
    extern "C" __attribute__((visibility("default"))) vyre_shim_unit vyre_shim_this_unit;   \
    vyre_shim_unit vyre_shim_this_unit = {                                                  \
        decltype(vyre_shim_of(NAME))::template call<NAME>,                                  \
        decltype(vyre_shim_of(NAME))::sizes,                                                \
        decltype(vyre_shim_of(NAME))::count,                                                \
        &threadIdx,                                                                         \
        &blockIdx,                                                                          \
        &blockDim,                                                                          \
        &gridDim,                                                                           \
        __start_vyre_shared,                                                                \
        static_cast<unsigned long long>(__stop_vyre_shared - __start_vyre_shared),          \
        &vyre_shim_hook,                                                                    \
    };
