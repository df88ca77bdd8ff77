"""Accesses that are inside their buffers for a part of a row only."""

import itertools

import numpy as np
import pytest
from cpu_runs import Everywhere

import vyre
from vyre.dialects.vyre import ProgramOp, StoreOp
from vyre.lowering.llvm.aligned_blocks import low_bits
from vyre.lowering.llvm.masks import answer
from vyre.lowering.llvm.row_bounds import Growing, Growth
from vyre.runtime.cpu import machine


def shifted(x: str, index: str) -> str:
    """Every invocation reads what is somewhere else."""
    return f"""
vyre.program @p [8, 1, 1] {{
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %shift = vyre.param "shift" : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %i = vyre.invocation_id x
  %x = vyre.{x} x
  {index}
  %v = vyre.load %a[%at] : memref<?xi32>
  %old = vyre.load %b[%i] : memref<?xi32>
  %sum = arith.addi %v, %old : i32
  vyre.store %sum, %b[%i] : memref<?xi32>
}}"""


INDICES = {
    "shifted": "%at = arith.addi %x, %shift : index",
    "back": "%at = arith.subi %x, %shift : index",
    "twice": """%double = arith.shli %x, %one : index
                %at = arith.addi %shift, %double : index""",
    "thrice": """%triple = arith.muli %three, %x : index
                 %at = arith.subi %triple, %shift : index""",
    "mirrored": "%at = arith.subi %shift, %x : index",
    "standing": "%at = arith.addi %shift, %zero : index",
}

SHIFTS = (0, 1, 5, 16, 23, 24, 25, 63, -1, -3, -24, -40, 2**62, 2**63 - 1, -(2**63))


@pytest.mark.covering(1)
@pytest.mark.parametrize("x", ["invocation_id", "local_id"])
@pytest.mark.parametrize("index", INDICES)
def test_reads_at_the_edges(x: str, index: str):
    """Outside they are zero, wherever the edges of the buffer lie in the row."""
    everywhere = Everywhere(shifted(x, INDICES[index]), modes=("native",))
    for shift, length, grid in itertools.product(SHIFTS, (1, 24, 37), (1, 4)):
        a = np.arange(1, length + 1, dtype=np.int32)
        b = np.full(8 * grid - 1, 100, np.int32)
        everywhere.check({"a": a, "b": b, "shift": shift}, grid)


WRITING = """
vyre.program @p [8, 1, 1] {
  %b = vyre.buffer "b" read_write binding 0 : memref<?xi32>
  %shift = vyre.param "shift" : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %x = vyre.invocation_id x
  %n = arith.index_cast %x : index to i32
  INDEX
  vyre.store %n, %b[%at] : memref<?xi32>
}"""


@pytest.mark.parametrize("index", ["shifted", "back", "twice", "thrice", "mirrored"])
def test_writes_at_the_edges(index: str):
    """Outside they do nothing."""
    everywhere = Everywhere(WRITING.replace("INDEX", INDICES[index]), modes=("native",))
    for shift, length, grid in itertools.product(SHIFTS, (1, 24, 37), (1, 4)):
        everywhere.check({"b": np.full(length, -1, np.int32), "shift": shift}, grid)


def test_rows_of_a_buffer_that_are_outside():
    """Above the first row, below the last one, left and right of all."""
    text = """
vyre.program @p [8, 4, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?x?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?x?xi32>
  %one = arith.constant 1 : index
  %x = vyre.invocation_id x
  %y = vyre.invocation_id y
  %left = arith.subi %x, %one : index
  %right = arith.addi %x, %one : index
  %up = arith.subi %y, %one : index
  %down = arith.addi %y, %one : index
  %l = vyre.load %a[%y, %left] : memref<?x?xi32>
  %r = vyre.load %a[%y, %right] : memref<?x?xi32>
  %u = vyre.load %a[%up, %x] : memref<?x?xi32>
  %d = vyre.load %a[%down, %x] : memref<?x?xi32>
  %lr = arith.addi %l, %r : i32
  %ud = arith.subi %u, %d : i32
  %sum = arith.addi %lr, %ud : i32
  vyre.store %sum, %b[%y, %x] : memref<?x?xi32>
}"""
    everywhere = Everywhere(text, modes=("native",))
    rng = np.random.default_rng(4)
    for height, width in itertools.product((1, 4, 9), (1, 7, 8, 19)):
        a = rng.integers(0, 1000, (height, width), np.int32)
        everywhere.check({"a": a, "b": np.zeros_like(a)}, grid=(2, 2, 1))


LEAVING_ONE_OUT = """
vyre.program @p [8, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_only binding 1 : memref<?xi32>
  %k = vyre.param "k" : index
  %one = arith.constant 1 : index
  %i = vyre.invocation_id x
  %x = vyre.PLACE x
  %others = arith.cmpi ne, %x, %k : index
  scf.if %others {
    %next = arith.addi %i, %one : index
    %v = vyre.load %b[%next] : memref<?xi32>
    vyre.store %v, %a[%i] : memref<?xi32>
  }
}"""


@pytest.mark.parametrize(
    ("name", "features"), [("masked", "+avx512vl"), ("unmasked", "-avx512vl")]
)
@pytest.mark.parametrize("place", ["invocation_id", "local_id"])
def test_one_is_left_out(
    monkeypatch: pytest.MonkeyPatch, place: str, name: str, features: str
):
    """Near the ends of rows, in the middle, where there is nobody, and far away."""

    def pretend(_: str) -> str:
        return answer(features)

    monkeypatch.setattr(machine, "answer", pretend)
    text = LEAVING_ONE_OUT.replace("PLACE", place).replace("@p", f"@{name}")
    everywhere = Everywhere(text, modes=("native",))
    places = (*range(41), 2**32, 2**32 + 3, 2**62, 2**63, 2**64 - 1)
    for k, length in itertools.product(places, (40, 33)):
        a, b = np.full(length, -1, np.int32), np.arange(length, dtype=np.int32)
        k = k - 2**64 if k >= 2**63 else k
        everywhere.check({"a": a, "b": b, "k": k}, grid=5)


def growth(code: str) -> Growth | None:
    table = """%a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
      %n = vyre.param "n" : index
      %m = vyre.param "m" : index
      %c3 = arith.constant 3 : index
      %far = arith.constant 131072 : index
      %x = vyre.invocation_id x
      %low = arith.andi %x, %m : index"""
    store = "vyre.store %n, %a[%at] : memref<?xindex>"
    text = f"vyre.program @p [8, 1, 1] {{ {table} {code} {store} }}"
    (program,) = (op for op in vyre.parse(text).walk() if isinstance(op, ProgramOp))
    (found,) = (op for op in program.walk() if isinstance(op, StoreOp))
    bits = low_bits(program)
    assert bits is not None
    return Growing((), bits.ops).upwards(found.indices[0])


def test_how_indices_grow():
    assert growth("%at = arith.addi %x, %n : index") == Growth(1)
    assert growth("%at = arith.muli %x, %c3 : index") == Growth(3)
    assert growth("%at = arith.muli %n, %c3 : index") == Growth(0)
    lower = "%twice = arith.addi %x, %x : index %at = arith.subi %twice, %low : index"
    assert growth(lower) == Growth(2, -1)
    high = "%at = arith.subi %x, %low : index"
    assert growth(high) == Growth(1, -1)


def test_sums_of_sums():
    """Each is looked at once, however often it is used."""
    doubled = "%s0 = arith.addi %x, %n : index" + "".join(
        f" %s{n + 1} = arith.addi %s{n}, %s{n} : index" for n in range(200)
    )
    assert growth(f"{doubled} %at = arith.subi %s199, %s199 : index") == Growth(0)
    assert growth(f"{doubled} %at = arith.addi %s200, %n : index") is None


@pytest.mark.parametrize(
    "code",
    [
        "%at = arith.subi %n, %x : index",
        "%at = arith.addi %x, %low : index",
        "%thrice = arith.muli %low, %c3 : index %at = arith.subi %x, %thrice : index",
        "%at = arith.muli %x, %far : index",
        "%at = arith.muli %x, %n : index",
        "%at = arith.remui %x, %c3 : index",
    ],
)
def test_what_may_fall_or_leap(code: str):
    """Then nothing is known between the first and the last invocation of a row."""
    assert growth(code) is None
