"""Inputs written on a command line: files, numbers, lists and simple arrays."""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import DYNAMIC_INDEX

from vyre.dialects.vyre import BufferOp, ParamOp
from vyre.runtime.errors import InvalidArgument
from vyre.runtime.scalars import dtype_of


def input_value(entry: BufferOp | ParamOp, text: str) -> object:
    """
    The value for a buffer or parameter.

    Example: for `--in x=zeros(8)`, `input_value(x, "zeros(8)")` is an array of eight zeros.
    """
    name = entry.entry_name.data
    if text.endswith(".npy"):
        return _load(name, text)
    try:
        if isinstance(entry, ParamOp):
            return _number(text, dtype_of(entry.value.type))
        return _array(entry, text)
    except Exception:
        raise InvalidArgument(
            f"cannot read '{text}' for '{name}'",
            "write a number, numbers with commas, zeros(SHAPE), ones(SHAPE), arange(N), "
            "or the name of an .npy file",
        ) from None


def zeros_for(entry: BufferOp | ParamOp) -> object:
    """Zeros of the declared type."""
    if isinstance(entry, ParamOp):
        return dtype_of(entry.value.type).type(0)
    shape = entry.type.get_shape()
    if DYNAMIC_INDEX in shape:
        name = entry.entry_name.data
        raise InvalidArgument(
            f"the size of '{name}' is not known",
            f"pass it, for example with `--in '{name}=zeros(1000)'`",
        )
    return np.zeros(shape, dtype_of(entry.type.element_type))


def _load(name: str, file: str) -> NDArray[Any]:
    try:
        return np.load(file, allow_pickle=False)
    except OSError:
        raise
    except Exception as error:
        # NumPy raises whatever reading a broken file leads to.
        raise InvalidArgument(
            f"'{file}' for '{name}' is not an array file: {error}",
            "save the array with `np.save`",
        ) from None


def _number(text: str, dtype: np.dtype[Any]) -> object:
    if dtype.kind == "b" and text in ("true", "false"):
        return text == "true"
    return float(text) if dtype.kind == "f" else int(text, 0)


def _array(buffer: BufferOp, text: str) -> NDArray[Any]:
    dtype = dtype_of(buffer.type.element_type)
    shape = buffer.type.get_shape()
    made = re.fullmatch(r"(zeros|ones|arange)\(([\d,\s]+)\)", text)
    if made is not None:
        sizes = [int(size) for size in made[2].split(",") if size.strip()]
        match made[1]:
            case "arange":
                return np.arange(*sizes).astype(dtype)
            case "ones":
                return np.ones(sizes, dtype)
            case _:
                return np.zeros(sizes, dtype)
    numbers = [_number(part.strip(), dtype) for part in text.split(",")]
    if len(numbers) == 1 and DYNAMIC_INDEX not in shape:
        return np.broadcast_to(_wrapped(numbers, dtype), shape).copy()
    return _wrapped(numbers, dtype)


def _wrapped(numbers: list[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """As elements; unsigned numbers are accepted for signless integers."""
    if dtype.kind == "i" and any(number > np.iinfo(dtype).max for number in numbers):
        return np.array(numbers, f"u{dtype.itemsize}")
    return np.array(numbers, dtype)
