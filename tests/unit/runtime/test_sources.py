"""`exe.sources`: what an engine generates for a program, by names of files."""

import numpy as np
import pytest
from typing_extensions import override

import vyre
from vyre.dialects.vyre import ProgramOp
from vyre.interpreter.backend import ReferenceBackend
from vyre.runtime.config import Mode
from vyre.runtime.errors import DispatchFailed

PROGRAM = """
vyre.program @rotate [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %i = vyre.invocation_id x
  %one = arith.constant 1 : index
  %next = arith.addi %i, %one : index
  %mine = vyre.load %a[%next] : memref<?xf32>
  vyre.barrier grid_sync
  vyre.store %mine, %a[%i] : memref<?xf32>
}
"""


class Printing(ReferenceBackend):
    """Generates a text for each program that it compiles."""

    @override
    def sources(self, kernel: ProgramOp) -> dict[str, str]:
        return {f"{kernel.sym_name.data}.txt": str(kernel.sym_name)}


class Speechless(ReferenceBackend):
    @override
    def sources(self, kernel: ProgramOp) -> dict[str, str]:
        raise RuntimeError("no words")


@pytest.mark.parametrize("mode", ["auto", "native", "split"])
def test_the_cpu_engine_shows_one_file_of_llvm_ir(mode: Mode):
    sources = vyre.compile(PROGRAM, engine="cpu", mode=mode).sources
    assert list(sources) == ["rotate.ll"]
    text = sources["rotate.ll"]
    assert text.startswith('; ModuleID = "rotate"\n')
    assert text.count("define void @") == 1
    assert '@"phase.rotate.0"(' in text
    assert '@"phase.rotate.1"(' in text


def test_they_do_not_depend_on_dispatches():
    exe = vyre.compile(PROGRAM, engine="cpu")
    before = exe.sources
    for size in (64, 100, 64):
        exe(a=np.arange(size, dtype=np.float32))
    assert exe.sources == before
    assert vyre.compile(PROGRAM, engine="cpu").sources == before


def test_a_dispatch_after_them_is_right():
    exe = vyre.compile(PROGRAM, engine="cpu")
    array = np.arange(100, dtype=np.float32)
    expected = np.append(array[1:], np.float32(0))
    np.testing.assert_array_equal(exe(a=array)["a"], expected)
    assert exe.sources
    np.testing.assert_array_equal(exe(a=array)["a"], expected)
    np.testing.assert_array_equal(exe(a=array[:64])["a"], [*expected[:63].tolist(), 0])


def test_an_engine_without_sources_has_none():
    assert vyre.compile(PROGRAM, engine="reference").sources == {}


def test_an_engine_that_launches_segments_shows_each():
    exe = vyre.compile(PROGRAM, engine=Printing(), mode="split")
    assert exe.sources == {"rotate.0.txt": '"rotate.0"', "rotate.1.txt": '"rotate.1"'}
    whole = vyre.compile(PROGRAM, engine=Printing(), mode="native")
    assert whole.sources == {"rotate.txt": '"rotate"'}


def test_what_an_engine_raises_is_a_typed_error():
    exe = vyre.compile(PROGRAM, engine=Speechless())
    with pytest.raises(DispatchFailed, match="show the source of @rotate"):
        _ = exe.sources
