"""Modules that say, or are called, what could be mistaken for something else."""

from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32

import vyre
from vyre.runtime.cpu.backend import CpuBackend
from vyre.runtime.errors import Trapped

PROGRAM = """
vyre.program @"NAME" [4, 1, 1] {
  %x = vyre.buffer "BUFFER" read_write binding 0 : memref<?xi32>
  %c = arith.constant 7 : i32
  %me = vyre.linear_id invocation
  vyre.store %c, %x[%me] : memref<?xi32>
}
"""

CODE = (
    r"a\22\0Adefine void @\22vyre.entry\22(ptr %j, i64 %w, i64 %n) {\0A ret void\0A}\0A\00"
)
"""What would be a function of its own, if it stood in LLVM IR."""

NAMES = {
    "code": CODE,
    "new line": r"a\0Ab",
    "NUL": r"a\00b",
    "quote": r"a\22b",
    "backslash": r"a\5Cb",
    "letters": "größe",
}


@pytest.mark.parametrize("engine", ["reference", "cpu"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("place", ["NAME", "BUFFER"])
def test_names_are_no_code(place: str, name: str, engine: str):
    text = PROGRAM.replace(place, NAMES[name])
    for other in ("NAME", "BUFFER"):
        text = text.replace(other, "p")
    exe = vyre.compile(text, engine=engine)
    (buffer,) = exe.bindings.names
    assert exe({buffer: np.zeros(6, np.int32)})[buffer].tolist() == [7] * 6


def test_parameters_whose_names_no_value_can_have():
    text = """
vyre.program @p [4, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi32>
  %s = vyre.param "my k" : i32
  %me = vyre.linear_id invocation
  vyre.store %s, %x[%me] : memref<?xi32>
}
vyre.megakernel @m {
  vyre.wave "a" @p with {"my k" = 3 : i32}
}"""
    for engine in ("reference", "cpu"):
        exe = vyre.compile(text, engine=engine)
        assert exe(x=np.zeros(4, np.int32), grid=1)["x"].tolist() == [3] * 4


def test_programs_that_only_wait():
    text = """
vyre.program @p [4, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi32>
  vyre.barrier acq_rel
}"""
    for engine in ("reference", "cpu"):
        exe = vyre.compile(text, engine=engine)
        assert exe(x=np.arange(4, dtype=np.int32))["x"].tolist() == [0, 1, 2, 3]


def test_changes_after_compiling_do_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Otherwise they would come into the cache under the digest of what was there."""
    monkeypatch.setenv("VYRE_CACHE_DIR", str(tmp_path))
    text = PROGRAM.replace("NAME", "p").replace("BUFFER", "x")

    def called(module: ModuleOp | str, size: int) -> list[int]:
        exe = vyre.compile(module, engine=CpuBackend())
        return exe(x=np.zeros(size, np.int32))["x"].tolist()

    assert called(text, 4) == [7] * 4
    module = vyre.parse(text)
    exe = vyre.compile(module, engine=CpuBackend())
    (constant,) = (op for op in module.walk() if isinstance(op, arith.ConstantOp))
    constant.value = IntegerAttr(9, i32)
    assert exe(x=np.zeros(8, np.int32))["x"].tolist() == [7] * 8
    assert called(text, 8) == [7] * 8
    assert called(module, 8) == [9] * 8


TRAPS = """
vyre.program @p [1, 1, 1] {
  %n = vyre.param "n" : i32
  %zero = arith.constant 0 : i32
  %is_zero = arith.cmpi eq, %n, %zero : i32
  scf.if %is_zero {
    vyre.trap "boom"
  } else {
    vyre.trap "boom"
  }
}
"""


def test_traps_stand_where_they_stand_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Also if code is in the cache from when the text had fewer lines."""
    monkeypatch.setenv("VYRE_CACHE_DIR", str(tmp_path))
    for lines in (0, 1, 2):
        text = "\n" * lines + TRAPS
        exe = vyre.compile(text, engine=CpuBackend())
        for n, line in ((0, 7), (1, 9)):
            with pytest.raises(Trapped) as caught:
                exe(n=np.int32(n), grid=1)
            assert f":{line + lines}:5" in str(caught.value)
