"""How kernels are compiled."""

NVRTC_OPTIONS: tuple[str, ...] = (
    "--std=c++17",
    "--fmad=false",
    "--prec-div=true",
    "--prec-sqrt=true",
    "--ftz=false",
    "--diag-suppress=222",
)
"""
Options for NVRTC. Without them it contracts `a * b + c` to a single rounding; division and
square root are IEEE and subnormal numbers are kept by default, which is said here for
whoever changes the defaults. Literals whose quotient or product is infinite are no mistake,
which is what warning 222 is about.
"""
