"""Programs that apply one operation to arrays of awkward values."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

import vyre

Array = NDArray[Any]

WIDTHS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}
DTYPES: dict[str, Any] = {
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "index": np.int64,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
}
FLOATS = ("f16", "f32", "f64")


def run(body: str, inputs: dict[str, tuple[str, Array]], result: str) -> Array:
    """Compute `%r` by these operations, for each element of the inputs."""
    count = len(next(iter(inputs.values()))[1])
    declarations, loads = "", ""
    for binding, (name, (type, _)) in enumerate(inputs.items()):
        memref = f"memref<?x{type}>"
        access = f"read_only binding {binding} : {memref}"
        declarations += f'  %{name}_buffer = vyre.buffer "{name}" {access}\n'
        loads += f"  %{name} = vyre.load %{name}_buffer[%i] : {memref}\n"
    exe = vyre.compile(
        f"""
vyre.program @p [64, 1, 1] {{
{declarations}
  %r_buffer = vyre.buffer "r" write_only binding 9 output : memref<?x{result}>
  %i = vyre.invocation_id x
{loads}
  {body}
  vyre.store %r, %r_buffer[%i] : memref<?x{result}>
}}
""",
        engine="reference",
    )
    arrays: dict[str, object] = {name: array for name, (_, array) in inputs.items()}
    return exe({**arrays, "r": np.zeros(count, DTYPES[result])})["r"]


def edge_integers(bits: int) -> list[int]:
    """Awkward values, as signed numbers."""
    low, high = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    values = {0, 1, -1, 2, -2, 3, -3, 7, 10, low, low + 1, high, high - 1, 31, 32, 33, 64}
    return sorted(value for value in values if low <= value <= high)


def as_signed(value: int, bits: int) -> int:
    value &= 2**bits - 1
    return value - 2**bits if value >= 2 ** (bits - 1) else value


def pairs(type: str) -> tuple[list[int], list[int]]:
    values = edge_integers(WIDTHS[type])
    return [a for a in values for _ in values], [b for _ in values for b in values]


def stored(values: list[int], type: str) -> Array:
    if type == "i1":
        return np.array([value & 1 for value in values], np.bool_)
    return np.array(values, DTYPES[type])


def numbers(array: Array, type: str) -> list[int]:
    """Elements as signed Python numbers."""
    return [as_signed(int(value), WIDTHS[type]) for value in array]


def edge_floats(type: str) -> Array:
    dtype = DTYPES[type]
    info = np.finfo(dtype)
    values = [0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 0.1, 3, 1e3, np.inf, -np.inf]
    limits = [info.max, -info.max, info.tiny, info.smallest_subnormal, info.eps]
    return np.array([*values, *limits, np.nan], dtype)


def float_pairs(type: str) -> tuple[Array, Array]:
    values = edge_floats(type)
    return np.repeat(values, len(values)), np.tile(values, len(values))


def same_floats(found: Array, wanted: Array) -> None:
    """Equal bits; any NaN equals any NaN."""
    bits = f"i{found.dtype.itemsize}"
    same = (found.view(bits) == wanted.view(bits)) | (np.isnan(found) & np.isnan(wanted))
    assert same.all(), (found[~same], wanted[~same])


def rounded(exact: Fraction, type: str) -> Any:
    """The nearest float of a type to an exact number, ties to even."""
    if type == "f64":
        try:
            return np.float64(float(exact))
        except OverflowError:
            return np.float64(np.inf if exact > 0 else -np.inf)
    return round_to(exact, DTYPES[type])


def round_to(exact: Fraction, dtype: Any) -> Any:
    """Rounding by hand: scale so that one unit in the last place is 1."""
    info = np.finfo(dtype)
    if exact == 0:
        return dtype(0)
    exponent = math.floor(math.log2(abs(exact)))
    while Fraction(2) ** exponent > abs(exact):
        exponent -= 1
    while Fraction(2) ** (exponent + 1) <= abs(exact):
        exponent += 1
    unit = Fraction(2) ** (max(exponent, int(info.minexp)) - int(info.nmant))
    value = round(exact / unit) * unit  # Python rounds fractions half to even.
    if abs(value) > Fraction(float(info.max)):
        return dtype(np.inf if value > 0 else -np.inf)
    return dtype(float(value))
