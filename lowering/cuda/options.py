"""How kernels are compiled."""

NVRTC_OPTIONS: tuple[str, ...] = (
    "--std=c++17",
    "--fmad=false",
    "--prec-div=true",
    "--prec-sqrt=true",
    "--ftz=false",
    "--diag-suppress=39,222",
    "--diag-suppress=186,550",
)
"""
Options for NVRTC. Without them it contracts `a * b + c` to a single rounding; division and
square root are IEEE and subnormal numbers are kept by default, which is said here for
whoever changes the defaults. Floats may be divided by a literal zero, and quotients and
products of literals may be infinite, which is what warnings 39 and 222 are about. NVRTC
also knows more than the text about some values: that a bound is zero (186), or that a
variable of a loop is of no use in the end (550).
"""
