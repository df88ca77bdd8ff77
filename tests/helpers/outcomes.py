"""
What becomes of right and wrong programs on every engine: results, or what is said.

As a script it prints that as JSON, so that another Python can be asked, such as
`python -O`.
"""

import json
import sys
from typing import Any
from unittest.mock import patch

import numpy as np

import vyre
from vyre.dialects.refusal import Refusal
from vyre.lowering.llvm.sources import Translation, Unit
from vyre.runtime.backend import Backend
from vyre.runtime.cuda.backend import CudaBackend
from vyre.runtime.kernel_cache import build_stamp
from vyre.testing.host_cuda import HostCudaDevice
from vyre.testing.host_cuda_compiler import find_compiler

ROTATED = """vyre.program @p [4, 1, 1] {
  %out = vyre.buffer "out" read_write binding 0 : memref<?xi32>
  %x = vyre.invocation_id x
  %v = vyre.load %out[%x] : memref<?xi32>
  vyre.barrier grid_sync
  %one = arith.constant 1 : index
  %y = arith.addi %x, %one : index
  vyre.store %v, %out[%y] : memref<?xi32>
}"""
"""Accepted by every engine."""

REFUSED_LATE = "vyre.program @refused [4, 1, 1] {}"
"""The CPU engine is made to refuse this when it plans the program."""

WRONG = {
    "divergent barrier": """
      %c = arith.cmpi ult, %x, %one : index
      scf.if %c {
        vyre.barrier grid_sync
      }
    """,
    "returned": """
      %c = arith.cmpi ult, %x, %one : index
      scf.if %c {
        vyre.return
      }
      scf.for %k = %one to %x step %one {
        vyre.barrier acq_rel
      }
    """,
    "unknown": '"test.op"(%x) : (index) -> ()',
    "no terminator": '"vyre.region"() ({ "test.op"() : () -> () }) : () -> ()',
    "literal outside": "%w = vyre.load %fixed[%nine] : memref<4xi32>",
    "instances": """
      vyre.region attributes {vyre.instances = {n = [1 : index, 2 : index]}} {
      }
      vyre.store %v, %out[%x] : memref<?xi32>
    """,
    "layout": '%m = vyre.buffer "m" read_only binding 3 : memref<4xi32, strided<[2]>>',
    "type": "%m = arith.constant 1 : i7",
    "trap": 'vyre.trap "nothing left"',
}


def wrong(body: str) -> str:
    return f"""vyre.program @p [4, 1, 1] {{
      %out = vyre.buffer "out" read_write binding 0 : memref<?xi32>
      %fixed = vyre.buffer "fixed" read_write binding 1 : memref<4xi32>
      %x = vyre.invocation_id x
      %one = arith.constant 1 : index
      %nine = arith.constant 9 : index
      %v = arith.constant 3 : i32
      {body}
    }}"""


TEXTS = {
    "rotated": ROTATED,
    "refused late": REFUSED_LATE,
    **{name: wrong(body) for name, body in WRONG.items()},
}


class RefusingPlan(Translation):
    """A plan that is refused for one program."""

    def __init__(self, unit: Unit):
        super().__init__(unit)
        if unit.sym_name.data == "refused":
            raise Refusal("the engine refuses it", fix="do not ask", at=unit)


def engines() -> dict[str, str | Backend]:
    found: dict[str, str | Backend] = {"reference": "reference", "cpu": "cpu"}
    if find_compiler() is not None:
        found["cuda"] = CudaBackend(HostCudaDevice())
    return found


def outcome(text: str, engine: str | Backend) -> list[Any]:
    """Whether it compiled, and the results or the error of a call."""
    compiled = False
    try:
        exe = vyre.compile(text, engine=engine)
        compiled = True
        given = {"out": np.arange(8, dtype=np.int32), "fixed": np.zeros(4, np.int32)}
        arguments = {name: given[name] for name in exe.bindings.names}
        results = exe(arguments, grid=2, timeout=60)
    except Exception as error:
        return [compiled, type(error).__name__, str(error)]
    return [compiled, {name: array.tolist() for name, array in results.items()}]


def outcomes() -> dict[str, list[Any]]:
    """By program and engine. The engines' cache of code is the one of the environment."""
    with patch("vyre.runtime.cpu.kernel.Translation", RefusingPlan):
        return {
            f"{name}, {engine_name}": outcome(text, engine)
            for engine_name, engine in engines().items()
            for name, text in TEXTS.items()
        }


if __name__ == "__main__":
    json.dump([build_stamp(), outcomes()], sys.stdout)
