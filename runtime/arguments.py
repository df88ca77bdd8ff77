"""
What callers pass: arrays and numbers, checked before anything runs.

Every refusal names the argument.
"""

import operator
from collections.abc import Iterable
from ctypes import addressof, c_char
from itertools import combinations
from math import isfinite, prod
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Attribute

from vyre.diagnostics import kind_of
from vyre.runtime.device_array import AnyArray, DeviceArray, Importer, none_is_there
from vyre.runtime.errors import InvalidArgument, OutOfMemory
from vyre.runtime.scalars import dtype_of

Array = NDArray[Any]

ALIGNMENT = 16
"""Addresses of new arrays are multiples of it."""

_NUMPY = (np.ndarray, np.generic)
_LARGEST = {
    np.dtype(type).itemsize: float(np.finfo(type).max)
    for type in (np.float16, np.float32, np.float64)
}
"""Of floats of so many bytes."""


def as_array(
    name: str,
    value: object,
    element: Attribute,
    shape: tuple[int, ...] | None,
    imported: Importer = none_is_there,
) -> AnyArray:
    """
    The argument as an array of the right dtype and shape, without a copy: NumPy's, or one
    that is `imported` because it is in the engine's memory. Sizes that are `DYNAMIC_INDEX`
    may be anything, and so may the shape if it is None.

    Example: `as_array("x", values, f32, (4, DYNAMIC_INDEX))`
    """
    array = _on_device(name, value, imported)
    if array is None:
        array = host_array(name, value)
    _check_dtype(name, array, element)
    if shape is not None:
        _check_shape(name, array, shape)
    if not _is_contiguous(array):
        raise InvalidArgument(
            f"argument '{name}' is strided, not contiguous in row-major order",
            "pass `np.ascontiguousarray(...)` of it",
        )
    return array


def _on_device(name: str, value: object, imported: Importer) -> DeviceArray | None:
    if isinstance(value, np.ndarray):
        return None
    try:
        return imported(value)
    except InvalidArgument as error:
        raise InvalidArgument(f"argument '{name}': {error.cause}", error.fix) from error


def _is_contiguous(array: AnyArray) -> bool:
    if isinstance(array, DeviceArray):
        return array.is_contiguous
    return array.flags.c_contiguous and array.flags.aligned


def host_array(name: str, value: object) -> Array:
    """
    Returns the argument as an array of NumPy, without a copy.

    Example: `host_array("x", values).dtype`
    """
    if hasattr(value, "__cuda_array_interface__") and not isinstance(value, np.ndarray):
        raise InvalidArgument(
            f"argument '{name}' is in a GPU's memory, this engine works on the host",
            "copy it to the host, for example with `.get()`",
        )
    if isinstance(value, np.ma.MaskedArray):
        raise InvalidArgument(
            f"argument '{name}' is a masked array", "pass its `.filled()` data"
        )
    if isinstance(value, np.ndarray):
        return np.asarray(cast(Array, value))
    if hasattr(value, "__dlpack__"):
        return _from_dlpack(name, value)
    raise InvalidArgument(
        f"argument '{name}' is {kind_of(value)}, not an array",
        "pass an array, such as `np.array(values)`",
    )


def zeros(
    name: str, shape: tuple[int, ...], dtype: np.dtype[Any], alignment: int = 1
) -> Array:
    """
    A new array for a result, at a multiple of `alignment`.

    Example: `zeros("out", (4, 4), np.dtype(np.float32))`
    """
    try:
        if alignment <= ALIGNMENT:
            return np.zeros(shape, dtype)
        size = prod(shape) * dtype.itemsize
        room = np.zeros(size + alignment, np.uint8)
        begin = -address_of(room) % alignment
        return room[begin : begin + size].view(dtype).reshape(shape)
    except (MemoryError, ValueError):
        raise OutOfMemory(
            f"there is not enough memory for '{name}' of shape {shape}",
            "use a smaller buffer, with a loop in the program",
        ) from None


def copied(name: str, array: Array) -> Array:
    """
    A copy of an array, to be kept.

    Example: `copied("x", values)`
    """
    copy = zeros(name, array.shape, array.dtype)
    copy[...] = array
    return copy


def _from_dlpack(name: str, value: object) -> Array:
    try:
        return np.from_dlpack(cast(Any, value))
    except Exception as error:
        raise InvalidArgument(
            f"argument '{name}' cannot be imported by DLPack: {error}",
            "pass a NumPy array",
        ) from None


def accepted_dtypes(type: Attribute) -> list[np.dtype[Any]]:
    """
    The dtypes that an element type stands for: integers may be signed or unsigned, and the
    byte of an `i1` may be seen as a number.
    """
    dtype = dtype_of(type)
    if dtype.kind in "bi":
        return [dtype, np.dtype(f"u{dtype.itemsize}")]
    return [dtype]


def _check_dtype(name: str, array: AnyArray, type: Attribute) -> None:
    accepted = accepted_dtypes(type)
    if array.dtype not in accepted:
        names = " or ".join(str(dtype) for dtype in accepted)
        raise InvalidArgument(
            f"argument '{name}' has dtype {array.dtype}, expected {names} for {type}",
            f"convert it with `.astype(np.{accepted[0].name})`"
            if array.dtype.kind in "biuf"
            else f"pass an array of np.{accepted[0].name}",
        )


def _check_shape(name: str, array: AnyArray, shape: tuple[int, ...]) -> None:
    fits = len(array.shape) == len(shape) and all(
        wanted in (DYNAMIC_INDEX, found) for wanted, found in zip(shape, array.shape)
    )
    if not fits:
        raise InvalidArgument(
            f"argument '{name}' has shape {array.shape}, expected {_form(shape)}",
            "pass `.reshape(-1)` of it, if elements are to follow each other"
            if shape == (DYNAMIC_INDEX,)
            else "pass an array of that shape",
        )


def _form(shape: tuple[int, ...]) -> str:
    """A shape with letters for the sizes that may be anything."""
    letters = iter("nmklpqrs")
    sizes = [next(letters, "n") if s == DYNAMIC_INDEX else str(s) for s in shape]
    any_of = [size for size in sizes if not size.isdigit()]
    form = f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"
    return f"{form} for any {' and '.join(any_of)}" if any_of else form


def element_range(
    name: str, start: Any, stop: Any, total: int, size: int | None = None
) -> tuple[int, int]:
    """
    Returns the elements from `start` to `stop`, or so many, which must be there.

    Example: `element_range("x", 4, None, 16)` is `(4, 16)`.
    """
    begin = 0 if start is None else start
    end = total if stop is None else stop
    if all(hasattr(bound, "__index__") for bound in (begin, end)):
        begin = operator.index(begin)
        end = operator.index(end) if size is None else begin + size
        if 0 <= begin <= end <= total:
            return begin, end
    raise InvalidArgument(
        f"'{name}' has {total} elements, and {begin!r} to {end!r} is no range of them",
        f"pass whole numbers with 0 <= start <= stop <= {total}",
    )


def check_overlaps(arrays: Iterable[tuple[str, AnyArray, bool]]) -> None:
    """
    Refuse two arrays that share memory if one is written. Each array comes with its name
    and whether it is written.
    """
    for (name, array, is_written), (other, another, too) in combinations(arrays, 2):
        if (is_written or too) and _may_overlap(array, another):
            raise InvalidArgument(
                f"arguments '{name}' and '{other}' overlap, and one is written",
                "pass a copy of one of them",
            )


def _may_overlap(array: AnyArray, other: AnyArray) -> bool:
    if isinstance(array, np.ndarray) and isinstance(other, np.ndarray):
        return np.may_share_memory(array, other)
    (begin, end), (its_begin, its_end) = span_of(array), span_of(other)
    return begin < its_end and its_begin < end


def span_of(array: AnyArray) -> tuple[int, int]:
    """
    The address of a contiguous array, and the one behind it. Hosts and devices have
    addresses of their own, unless they share memory.

    Example: `begin, end = span_of(array)`
    """
    is_device = isinstance(array, DeviceArray)
    begin = array.address if is_device else address_of(array)
    return begin, begin + array.nbytes


def check_writable(name: str, array: AnyArray) -> None:
    """Refuse an array that the runtime is to write and may not."""
    is_device = isinstance(array, DeviceArray)
    if not (array.is_writable if is_device else array.flags.writeable):
        raise InvalidArgument(
            f"argument '{name}' is read-only, and it is to be written in place",
            "pass a copy of it",
        )


def address_of(array: Array) -> int:
    """
    Where the first element is.

    Example: `address_of(array) % 64`
    """
    try:
        return addressof(
            c_char.from_buffer(cast(Any, array))
        )  # Much faster than `ctypes.data`.
    except (TypeError, ValueError):  # Read-only, or empty.
        return array.ctypes.data


def as_scalar(name: str, value: object, type: Attribute) -> Any:
    """
    A number of the parameter's type, if it can be represented.

    Example: `as_scalar("n", 5, IndexType())`
    """
    if isinstance(value, _NUMPY) and np.ndim(cast(Any, value)) == 0:
        value = cast(object, cast(Any, value).item())
    number = _number(cast(object, value), dtype_of(type))
    if number is None:
        raise InvalidArgument(
            f"argument '{name}' is {value!r}, expected a number for {type}",
            _holds(dtype_of(type)),
        )
    return number


def _holds(dtype: np.dtype[Any]) -> str:
    """Says which numbers a type takes."""
    match dtype.kind:
        case "b":
            return "pass True or False"
        case "f":
            return f"pass one number, no larger than {_LARGEST[dtype.itemsize]:.4g}"
        case _:
            bits = 8 * dtype.itemsize
            return f"pass one whole number, from -2**{bits - 1} to 2**{bits} - 1"


def _number(value: object, dtype: np.dtype[Any]) -> np.generic | None:
    match dtype.kind:
        case "f" if isinstance(value, (int, float)):
            return _float(value, dtype)
        case "b" if isinstance(value, int) and value in (0, 1):
            return dtype.type(value)
        case "i" if isinstance(value, int):
            half = 1 << (8 * dtype.itemsize - 1)
            if -half <= value < 2 * half:
                return dtype.type(value - 2 * half if value >= half else value)
            return None
        case _:
            return None


def _float(value: float, dtype: np.dtype[Any]) -> np.generic | None:
    """The nearest number of the type, which is infinite only if the value is."""
    try:
        wide = float(value)
    except OverflowError:
        return None
    if not isfinite(wide) or abs(wide) <= _LARGEST[dtype.itemsize]:
        return dtype.type(wide)
    with np.errstate(over="ignore"):
        number = dtype.type(wide)
    return None if np.isinf(number) else number
