"""The text of Vyre's own device functions; see `vyre.lowering.cuda.device_function`."""

from vyre.lowering.cuda.device_function import DeviceFunction
from vyre.lowering.cuda.half_functions import HALF_FUNCTIONS
from vyre.lowering.cuda.subgroup_functions import SUBGROUP_FUNCTIONS


def _to_signed(bits: int) -> DeviceFunction:
    """The limits are powers of two, and so they are floats."""
    type, wide = ("long long", "ll") if bits == 64 else ("int", "")
    largest = f"{2 ** (bits - 1) - 1}{wide}"
    return DeviceFunction(
        f"""
        // A float towards zero, at most as far as {bits} signed bits go; a NaN is 0.
        static __device__ __forceinline__ {type} NAME(TYPE x) {{
          if (!(x > (TYPE)-0x1p{bits - 1})) return x != x ? 0 : -{largest} - 1;
          return x >= (TYPE)0x1p{bits - 1} ? {largest} : ({type})x;
        }}
        """
    )


def _to_unsigned(bits: int) -> DeviceFunction:
    type, wide = ("unsigned long long", "ll") if bits == 64 else ("unsigned int", "")
    return DeviceFunction(
        f"""
        // A float towards zero, at most as far as {bits} bits go; a NaN is 0.
        static __device__ __forceinline__ {type} NAME(TYPE x) {{
          if (!(x > 0)) return 0;
          return x >= (TYPE)0x1p{bits} ? {2**bits - 1:#x}u{wide} : ({type})x;
        }}
        """
    )


FUNCTIONS: dict[str, DeviceFunction] = {
    "vyre_div": DeviceFunction(
        """
        // a / b towards zero; by 0 it is -1, and the smallest number by -1 stays.
        static __device__ __forceinline__ TYPE NAME(TYPE a, TYPE b) {
          if (b == 0) return -1;
          return b == -1 ? (TYPE)(0 - (UNSIGNED)a) : a / b;
        }
        """,
        """
        // a / b; by 0 it is all ones.
        static __device__ __forceinline__ TYPE NAME(TYPE a, TYPE b) {
          return b == 0 ? ~(TYPE)0 : a / b;
        }
        """,
    ),
    "vyre_rem": DeviceFunction(
        """
        // What a / b leaves, with the sign of a; by 0 and by -1 that is nothing.
        static __device__ __forceinline__ TYPE NAME(TYPE a, TYPE b) {
          return b == 0 || b == -1 ? 0 : a % b;
        }
        """,
        """
        // What a / b leaves; by 0 that is nothing.
        static __device__ __forceinline__ TYPE NAME(TYPE a, TYPE b) {
          return b == 0 ? 0 : a % b;
        }
        """,
    ),
    "vyre_floordiv": DeviceFunction(
        """
        // a / b towards minus infinity; by 0 it is -1, and the smallest number by -1 stays.
        static __device__ __forceinline__ TYPE NAME(TYPE a, TYPE b) {
          if (b == 0) return -1;
          if (b == -1) return (TYPE)(0 - (UNSIGNED)a);
          const TYPE rest = a % b;
          return a / b - (rest != 0 && (rest ^ b) < 0);
        }
        """
    ),
    "vyre_ceildiv": DeviceFunction(
        """
        // a / b towards infinity; by 0 it is -1, and the smallest number by -1 stays.
        static __device__ __forceinline__ TYPE NAME(TYPE a, TYPE b) {
          if (b == 0) return -1;
          if (b == -1) return (TYPE)(0 - (UNSIGNED)a);
          const TYPE rest = a % b;
          return a / b + (rest != 0 && (rest ^ b) >= 0);
        }
        """,
        """
        // a / b rounded up; by 0 it is all ones.
        static __device__ __forceinline__ TYPE NAME(TYPE a, TYPE b) {
          return b == 0 ? ~(TYPE)0 : a / b + (a % b != 0);
        }
        """,
    ),
    "vyre_abs": DeviceFunction(
        """
        // The magnitude; that of the smallest number is itself.
        static __device__ __forceinline__ TYPE NAME(TYPE x) {
          return x < 0 ? (TYPE)(0 - (UNSIGNED)x) : x;
        }
        """
    ),
    "vyre_ipow": DeviceFunction(
        """
        // base to a power; to a negative one it is 1 divided by the power.
        static __device__ TYPE NAME(TYPE base, TYPE exponent) {
          if (exponent < 0 && base == 0) return -1;
          if (exponent < 0 && base != 1 && base != -1) return 0;
          UNSIGNED result = 1, factor = base;
          UNSIGNED left = exponent < 0 ? 0 - (UNSIGNED)exponent : exponent;
          for (; left != 0; left >>= 1, factor *= factor) {
            if (left & 1) result *= factor;
          }
          return result;
        }
        """
    ),
    "vyre_next": DeviceFunction(
        """
        // k + step, or the end if that comes first; k is below the end, and step positive.
        static __device__ __forceinline__ TYPE NAME(
            TYPE k, TYPE step, TYPE end) {
          const UNSIGNED left = (UNSIGNED)end - (UNSIGNED)k;
          return left > (UNSIGNED)step ? k + step : end;
        }
        """
    ),
    "vyre_invocation": DeviceFunction(
        """
        // The number of the invocation in the grid, x fastest.
        static __device__ __forceinline__ unsigned long long vyre_invocation() {
          unsigned long long number = blockIdx.z * blockDim.z + threadIdx.z;
          number = number * gridDim.y * blockDim.y + blockIdx.y * blockDim.y + threadIdx.y;
          const unsigned long long x = (unsigned long long)blockIdx.x * blockDim.x;
          return number * gridDim.x * blockDim.x + x + threadIdx.x;
        }
        """,
        is_generic=False,
    ),
    "vyre_invocations": DeviceFunction(
        """
        // How many invocations the grid has.
        static __device__ __forceinline__ unsigned long long vyre_invocations() {
          const unsigned long long in_x = (unsigned long long)gridDim.x * blockDim.x;
          return in_x * gridDim.y * blockDim.y * gridDim.z * blockDim.z;
        }
        """,
        is_generic=False,
    ),
    "vyre_record_trap": DeviceFunction(
        """
        // Records a trap, unless an invocation with a smaller number has trapped.
        static __device__ void vyre_record_trap(
            unsigned long long *record, unsigned long long invocation,
            unsigned int number, long long value) {
          const unsigned long long key = invocation << 16 | number;
          volatile unsigned long long *const found = record;
          while (atomicCAS(record, 0ull, 1ull) != 0) __nanosleep(32);
          __threadfence();
          if (key < found[1]) {
            found[1] = key;
            found[2] = value;
          }
          __threadfence();
          atomicExch(record, 0ull);
        }
        """,
        is_generic=False,
    ),
    "vyre_atomic_add": DeviceFunction(
        """
        // Adds to a float and gives the old one; atomicAdd flushes subnormal numbers.
        static __device__ __forceinline__ float vyre_atomic_add(float *place, float value) {
          int *const bits = (int *)place;
          int old = *(volatile int *)bits, seen;
          do {
            seen = old;
            old = atomicCAS(bits, seen, __float_as_int(__int_as_float(seen) + value));
          } while (old != seen);
          return __int_as_float(old);
        }
        """,
        is_generic=False,
    ),
    "vyre_minimum": DeviceFunction(
        """
        // The smaller; a NaN wins over a number, and -0 is smaller than +0.
        static __device__ __forceinline__ TYPE NAME(TYPE a, TYPE b) {
          if (a == b) return signbit(a) ? a : b;
          return a != a || a < b ? a : b;
        }
        """
    ),
    "vyre_maximum": DeviceFunction(
        """
        // The larger; a NaN wins over a number, and +0 is larger than -0.
        static __device__ __forceinline__ TYPE NAME(TYPE a, TYPE b) {
          if (a == b) return signbit(a) ? b : a;
          return a != a || a > b ? a : b;
        }
        """
    ),
    "vyre_minnum": DeviceFunction(
        """
        // The smaller; a number wins over a NaN, and -0 is smaller than +0.
        static __device__ __forceinline__ TYPE NAME(TYPE a, TYPE b) {
          if (a == b) return signbit(a) ? a : b;
          return b != b || a < b ? a : b;
        }
        """
    ),
    "vyre_maxnum": DeviceFunction(
        """
        // The larger; a number wins over a NaN, and +0 is larger than -0.
        static __device__ __forceinline__ TYPE NAME(TYPE a, TYPE b) {
          if (a == b) return signbit(a) ? b : a;
          return b != b || a > b ? a : b;
        }
        """
    ),
    "vyre_copysign": DeviceFunction(
        """
        // a with the sign of b; a NaN counts as positive.
        static __device__ __forceinline__ TYPE NAME(TYPE a, TYPE b) {
          return copysign(a, b != b ? (TYPE)0 : b);
        }
        """
    ),
    "vyre_unlike": DeviceFunction(
        """
        // Whether two numbers differ; a NaN is no number.
        static __device__ __forceinline__ bool NAME(TYPE a, TYPE b) {
          return a < b || a > b;
        }
        """
    ),
    "vyre_bits_f32": DeviceFunction(
        """
        // The bits of a float; every NaN has the same.
        static __device__ __forceinline__ int vyre_bits_f32(float x) {
          return x != x ? 0x7fc00000 : __float_as_int(x);
        }
        """,
        is_generic=False,
    ),
    "vyre_bits_f64": DeviceFunction(
        """
        // The bits of a double; every NaN has the same.
        static __device__ __forceinline__ long long vyre_bits_f64(double x) {
          return x != x ? 0x7ff8000000000000ll : __double_as_longlong(x);
        }
        """,
        is_generic=False,
    ),
    "vyre_copy_begin": DeviceFunction(
        """
        // The first element of a copy that lies inside a row, which may begin later.
        static __device__ __forceinline__ unsigned long long vyre_copy_begin(
            long long start) {
          return start < 0 ? 0 - (unsigned long long)start : 0;
        }
        """,
        is_generic=False,
    ),
    "vyre_copy_end": DeviceFunction(
        """
        // The end of the elements of a copy that lie inside a row.
        static __device__ __forceinline__ unsigned long long vyre_copy_end(
            long long start, long long count, long long size) {
          if (start >= size) return 0;
          const unsigned long long most = count < 0 ? 0x7fffffffffffffffll : count;
          return min(most, (unsigned long long)size - (unsigned long long)start);
        }
        """,
        is_generic=False,
    ),
    **HALF_FUNCTIONS,
    **{f"vyre_to_i{bits}": _to_signed(bits) for bits in (8, 16, 32, 64)},
    **{f"vyre_to_u{bits}": _to_unsigned(bits) for bits in (8, 16, 32, 64)},
    **SUBGROUP_FUNCTIONS,
}
"""All functions, each after those that it calls."""
