"""
Half precision: 16 bits in memory, single precision in registers.

The device converts with an instruction each way. Elsewhere, where the same text runs for
tests, the bits are put together by hand.
"""

from vyre.lowering.cuda.device_function import DeviceFunction

HALF_FUNCTIONS: dict[str, DeviceFunction] = {
    "vyre_from_half": DeviceFunction(
        """
        // The float of the same value as a half with these bits.
        static __device__ __forceinline__ float vyre_from_half(unsigned short bits) {
        #ifdef __CUDA_ARCH__
          float value;
          asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
          return value;
        #else
          const int sign = (bits & 0x8000) << 16, shifted = (bits & 0x7fff) << 13;
          if (shifted >= 31 << 23) return __int_as_float(sign | 0x7f800000 | shifted);
          if (shifted >= 1 << 23) return __int_as_float(sign | (shifted + (112 << 23)));
          const float counted = __int_as_float(shifted + (113 << 23)) - 0x1p-14f;
          return __int_as_float(sign | __float_as_int(counted));
        #endif
        }
        """,
        is_generic=False,
    ),
    "vyre_to_half": DeviceFunction(
        """
        // The bits of the half that is nearest to a float, ties to even.
        static __device__ __forceinline__ unsigned short vyre_to_half(float value) {
        #ifdef __CUDA_ARCH__
          unsigned short bits;
          asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
          return bits;
        #else
          const unsigned int all = __float_as_int(value), sign = all >> 16 & 0x8000u;
          const unsigned int magnitude = all & 0x7fffffffu;
          if (magnitude > 0x7f800000u) return sign | 0x7e00u;
          if (magnitude >= 0x477ff000u) return sign | 0x7c00u;
          if (magnitude < 0x38800000u) {
            return sign | (__float_as_int(__int_as_float(magnitude) + 0.5f) & 0x7ffu);
          }
          const unsigned int even = magnitude >> 13 & 1;
          return sign | (magnitude - (112u << 23) + 0xfffu + even) >> 13;
        #endif
        }
        """,
        is_generic=False,
    ),
    "vyre_half_bits": DeviceFunction(
        """
        // The bits of a half; every NaN has the same.
        static __device__ __forceinline__ unsigned short vyre_half_bits(float x) {
          return x != x ? 0x7e00 : vyre_to_half(x);
        }
        """,
        calls=("vyre_to_half",),
        is_generic=False,
    ),
    "vyre_half": DeviceFunction(
        """
        // The half that is nearest to a float, as a float.
        static __device__ __forceinline__ float vyre_half(float value) {
          return vyre_from_half(vyre_to_half(value));
        }
        """,
        calls=("vyre_from_half", "vyre_to_half"),
        is_generic=False,
    ),
    "vyre_odd": DeviceFunction(
        """
        // Of the floats on both sides of a number, the odd one, from the nearest to it.
        static __device__ __forceinline__ float vyre_odd(
            float nearest, bool is_further_from_zero) {
          return __int_as_float((__float_as_int(nearest) - is_further_from_zero) | 1);
        }
        """,
        is_generic=False,
    ),
    "vyre_half_from_double": DeviceFunction(
        """
        // The half that is nearest to a double, rounded once, as a float.
        static __device__ __forceinline__ float vyre_half_from_double(double value) {
          const float nearest = (float)value;
          const bool is_exact = !(nearest < value || nearest > value);
          const bool is_further = fabs((double)nearest) > fabs(value);
          return vyre_half(is_exact ? nearest : vyre_odd(nearest, is_further));
        }
        """,
        calls=("vyre_half", "vyre_odd"),
        is_generic=False,
    ),
    "vyre_half_fma": DeviceFunction(
        """
        // a * b + c of halves, rounded once: the product is exact, and the sum's error too.
        static __device__ __forceinline__ float vyre_half_fma(float a, float b, float c) {
          const float product = a * b, total = product + c, added = total - product;
          const float error = (product - (total - added)) + (c - added);
          const bool is_exact = !(error < 0 || error > 0);
          const bool is_further = (__float_as_int(error) ^ __float_as_int(total)) < 0;
          return vyre_half(is_exact ? total : vyre_odd(total, is_further));
        }
        """,
        calls=("vyre_half", "vyre_odd"),
        is_generic=False,
    ),
}
"""The functions, each after those that it calls."""
