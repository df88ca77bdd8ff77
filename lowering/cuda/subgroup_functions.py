"""Device functions by which the lanes of a warp exchange values."""

from vyre.lowering.cuda.device_function import DeviceFunction

_COMBINATIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "add": ("value + other", ()),
    "mul": ("value * other", ()),
    "and": ("value & other", ()),
    "or": ("value | other", ()),
    "xor": ("value ^ other", ()),
    "min": ("min(value, other)", ()),
    "max": ("max(value, other)", ()),
    "fmin": ("vyre_minnum_SUFFIX(value, other)", ("vyre_minnum",)),
    "fmax": ("vyre_maxnum_SUFFIX(value, other)", ("vyre_maxnum",)),
    "half_add": ("vyre_half(value + other)", ("vyre_half",)),
    "half_mul": ("vyre_half(value * other)", ("vyre_half",)),
}
"""How two values become one, and what that calls."""


def _reduction(combined: str, calls: tuple[str, ...]) -> DeviceFunction:
    return DeviceFunction(
        f"""
        // The values of all lanes as one, along a tree of distances 16, 8, 4, 2 and 1.
        static __device__ __forceinline__ TYPE NAME(TYPE value) {{
          for (int distance = 16; distance > 0; distance /= 2) {{
            const TYPE other = __shfl_xor_sync(0xffffffffu, value, distance);
            value = {combined};
          }}
          return value;
        }}
        """,
        calls=calls,
    )


def _reduction_of_present(combined: str, calls: tuple[str, ...]) -> DeviceFunction:
    """Every lane with the same number modulo twice the distance has the same value."""
    return DeviceFunction(
        f"""
        // The same of the lanes that are there; any of those that know a value shows it.
        static __device__ __forceinline__ TYPE NAME(TYPE value, unsigned int lane) {{
          const unsigned int here = __ballot_sync(0xffffffffu, true);
          for (int distance = 16; distance > 0; distance /= 2) {{
            const unsigned int every = 0xffffffffu / (0xffffffffu >> (32 - 2 * distance));
            const unsigned int other_lane = lane % (2 * distance) ^ distance;
            const unsigned int knowing = here & every << other_lane;
            const int source = knowing != 0 ? __ffs((int)knowing) - 1 : (int)lane;
            const TYPE other = __shfl_sync(here, value, source);
            if (knowing != 0) value = {combined};
          }}
          return value;
        }}
        """,
        calls=calls,
    )


SUBGROUP_FUNCTIONS: dict[str, DeviceFunction] = {
    "vyre_shuffle": DeviceFunction(
        """
        // The value of another lane; 0 if there is no lane of that number.
        static __device__ __forceinline__ TYPE NAME(TYPE value, unsigned long long lane) {
          const TYPE found = __shfl_sync(0xffffffffu, value, (int)(lane % 32));
          return lane < 32 ? found : (TYPE)0;
        }
        """
    ),
    "vyre_shuffle_present": DeviceFunction(
        """
        // The value of another lane; 0 if there is no lane of that number, or not any more.
        static __device__ __forceinline__ TYPE NAME(TYPE value, unsigned long long lane) {
          const unsigned int here = __ballot_sync(0xffffffffu, true);
          const TYPE found = __shfl_sync(here, value, (int)(lane % 32));
          return lane < 32 && (here >> lane & 1) != 0 ? found : (TYPE)0;
        }
        """
    ),
    **{f"vyre_reduce_{kind}": _reduction(*how) for kind, how in _COMBINATIONS.items()},
    **{
        f"vyre_reduce_present_{kind}": _reduction_of_present(*how)
        for kind, how in _COMBINATIONS.items()
    },
}
"""The functions, by name."""
