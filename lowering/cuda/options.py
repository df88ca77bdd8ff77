"""How kernels are compiled."""

NVRTC_OPTIONS: tuple[str, ...] = (
    "--std=c++17",
    "--fmad=false",
    "--prec-div=true",
    "--prec-sqrt=true",
    "--ftz=false",
    "--diag-suppress=39",
    "--diag-suppress=222",
)
"""
Options for NVRTC. Without them it contracts `a * b + c` to a single rounding; division and
square root are IEEE and subnormal numbers are kept by default, which is said here for
whoever changes the defaults. Floats may be divided by a literal zero, and quotients and
products of literals may be infinite, which is what warnings 39 and 222 are about.
"""
