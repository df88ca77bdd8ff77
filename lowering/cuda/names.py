"""Names of the IR as names of C++: legal, and each used once where it can be seen."""

import re
from collections.abc import Generator
from contextlib import contextmanager

_KEYWORDS = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t
char32_t class compl concept const const_cast consteval constexpr constinit continue
co_await co_return co_yield decltype default delete do double dynamic_cast else enum
explicit export extern false float for friend goto if inline int long mutable namespace new
noexcept not not_eq nullptr operator or or_eq private protected public register
reinterpret_cast requires restrict return short signed sizeof static static_assert
static_cast struct switch template this thread_local throw true try typedef typeid typename
typeof union unsigned using virtual void volatile wchar_t while xor xor_eq
"""

_BUILT_IN = """
abs acos acosh asin asinh assert atan atan2 atanh blockDim blockIdx cbrt ceil copysign cos
cosh dim3 erf exp exp2 expm1 fabs floor fma fmax fmin gridDim log log10 log1p log2 main max
memcpy memset min NULL pow printf rint round rsqrt sin sinh size_t sqrt std tan tanh
threadIdx trunc uint3 warpSize
"""

RESERVED = frozenset(_KEYWORDS.split()) | frozenset(
    part for word in _BUILT_IN.split() for part in (word, f"{word}f")
)
"""Words that C++ or CUDA has a meaning for in a function."""


def sanitised(text: str) -> str:
    """
    A legal name that is as close to a text as can be.

    Example: of `row sum.0` it is `row_sum_0`.
    """
    found = re.sub(r"[^0-9A-Za-z_]", "_", text)
    # Names with two underscores, or one and a capital in front, belong to the compiler.
    found = re.sub(r"__+", "_", found).strip("_")
    if not found or found[0].isdigit():
        found = f"v{found}"
    is_taken = found in RESERVED or found.startswith("vyre_") or found.startswith("atomic")
    return f"{found}_" if is_taken else found


def kernel_name(symbol: str) -> str:
    """
    The name of a program's function. C has functions of its own, so it says what it is.

    Example: of `p.0` it is `p_0_kernel`.
    """
    return f"{sanitised(symbol).rstrip('_')}_kernel"


class Names:
    """
    The names that can be seen at a point of a function.

    Example: `Names().new("sum")` is `sum`, and then `sum_1`.
    """

    def __init__(self) -> None:
        self._scopes: list[set[str]] = [set()]

    def new(self, hint: str | None, otherwise: str = "v") -> str:
        """A name of its own for something that was called this."""
        wanted = sanitised(hint or otherwise)
        found, number = wanted, 0
        while any(found in scope for scope in self._scopes):
            number += 1
            found = f"{wanted.rstrip('_')}_{number}"
        self._scopes[-1].add(found)
        return found

    @contextmanager
    def scope(self) -> Generator[None]:
        """A block; names in it are free again after it."""
        self._scopes.append(set())
        yield
        self._scopes.pop()
