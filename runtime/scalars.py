"""Vyre's scalar types as NumPy knows them."""

from functools import cache
from typing import Any

import numpy as np
from xdsl.dialects.builtin import (
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
)
from xdsl.ir import Attribute

_INTEGERS = {1: np.bool_, 8: np.int8, 16: np.int16, 32: np.int32, 64: np.int64}


@cache
def dtype_of(type: Attribute) -> np.dtype[np.generic]:
    """
    How elements of a scalar type are stored. Integers are signless in Vyre and signed
    here; `index` has 64 bits and an `i1` takes a byte.

    Example: `dtype_of(i32)` is `dtype('int32')`.
    """
    match type:
        case IntegerType():
            return np.dtype(_INTEGERS[type.width.data])
        case IndexType():
            return np.dtype(np.int64)
        case Float16Type():
            return np.dtype(np.float16)
        case Float32Type():
            return np.dtype(np.float32)
        case Float64Type():
            return np.dtype(np.float64)
        case _:
            raise TypeError(f"{type} is not a scalar type")


def loaded(elements: Any) -> Any:
    """
    Elements as they are computed with. Any byte of an `i1` but 0 is true, which NumPy takes
    for granted to be 1.

    Example: `loaded(np.array([0, 2], np.uint8).view(np.bool_))` has the bytes 0 and 1.
    """
    if elements.dtype == np.bool_:
        return elements.view(np.uint8) != 0
    return elements
