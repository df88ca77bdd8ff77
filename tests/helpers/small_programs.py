"""Small programs over one i32 buffer, for tests of the reference engine."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

import vyre

Array = NDArray[Any]
OUT = '%out = vyre.buffer "out" read_write binding 0 : memref<?xi32>'
CONSTANTS = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %x = vyre.invocation_id x
  %x32 = arith.index_cast %x : index to i32
"""


def run(
    body: str,
    size: int | tuple[int, ...] = 8,
    *,
    workgroup: str = "[4, 1, 1]",
    grid: object = 2,
    **options: Any,
) -> Array:
    """Run a program with an i32 buffer `out` of zeros, and give it back."""
    shape = size if isinstance(size, tuple) else (size,)
    declaration = OUT.replace("?", "x".join("?" * len(shape)))
    exe = vyre.compile(
        f"vyre.program @p {workgroup} {{\n{declaration}\n{CONSTANTS}\n{body}\n}}",
        engine="reference",
    )
    return exe(out=np.zeros(shape, np.int32), grid=grid, **options)["out"]


STORE = "vyre.store %v, %out[%x] : memref<?xi32>"
