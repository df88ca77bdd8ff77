"""Loops that look elements up, two trips at a time: the same sums, and nothing outside."""

from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects import scf

import vyre
from vyre.lowering.llvm.loop_bounds import loop_accesses
from vyre.lowering.llvm.paired_trips import is_paired
from vyre.lowering.loops import FEW_TRIPS
from vyre.runtime.cpu.backend import CpuBackend
from vyre.runtime.executable import Executable
from vyre.runtime.program_choice import find_program

ROWS = """
vyre.program @rows [4, 1, 1] {
  %first = vyre.buffer "first" read_only binding 0 : memref<?xi64>
  %end = vyre.buffer "end" read_only binding 1 : memref<?xi64>
  %columns = vyre.buffer "columns" read_only binding 2 : memref<?xi32>
  %values = vyre.buffer "values" read_only binding 3 : memref<?xf64>
  %x = vyre.buffer "x" read_only binding 4 : memref<?xf64>
  %sums = vyre.buffer "sums" read_write binding 5 : memref<?xf64>
  %shift = vyre.param "shift" : index
  %one = arith.constant 1 : index
  %zero = arith.constant 0.5 : f64
  %row = vyre.invocation_id x
  %first_i64 = vyre.load %first[%row] : memref<?xi64>
  %end_i64 = vyre.load %end[%row] : memref<?xi64>
  %lower = arith.index_cast %first_i64 : i64 to index
  %upper = arith.index_cast %end_i64 : i64 to index
  %sum = scf.for %entry = %lower to %upper step %one iter_args(%so_far = %zero) -> (f64) {
    INDEX
    %column_i32 = vyre.load %columns[%at] : memref<?xi32>
    %column = arith.index_cast %column_i32 : i32 to index
    %value = vyre.load %values[%at] : memref<?xf64>
    %there = vyre.load %x[%column] : memref<?xf64>
    %more = math.fma %value, %there, %so_far : f64
    scf.yield %more : f64
  }
  vyre.store %sum, %sums[%row] : memref<?xf64>
}
"""

INDICES = {
    "by the loop's number": "",
    "beside it": "%at = arith.addi %entry, %shift : index",
}

ENTRIES, WIDTH = 90, 7
CPU = CpuBackend(1)


def text_of(name: str) -> str:
    text = ROWS.replace("INDEX", INDICES[name])
    return text if INDICES[name] else text.replace("[%at]", "[%entry]")


def surrounded(values: NDArray[np.generic], outside: float) -> NDArray[np.generic]:
    """The same as a part of a larger array, in which elements beside it are conspicuous."""
    whole = np.full(values.size + 2 * FEW_TRIPS, outside, values.dtype)
    whole[FEW_TRIPS : FEW_TRIPS + values.size] = values
    return whole[FEW_TRIPS : FEW_TRIPS + values.size]


def ranges() -> Iterator[tuple[int, int]]:
    """Rows of all lengths that make a difference, in all places that do."""
    for length in (0, 1, 2, 3, 4, 5, FEW_TRIPS - 1, FEW_TRIPS, FEW_TRIPS + 1, ENTRIES):
        for first in (0, 1, 11, ENTRIES - FEW_TRIPS, ENTRIES - FEW_TRIPS + 1, ENTRIES - 2):
            yield first, first + length
    yield from ((-2, 3), (-40, -2), (5, 2), (ENTRIES, ENTRIES + 3), (ENTRIES - 1, ENTRIES))
    far = 2**63 - 1
    yield from ((far - 3, far), (far, -far - 1), (far, -far), (-far - 1, -far + 1))


@cache
def compiled(text: str, engine: CpuBackend | str) -> Executable:
    return vyre.compile(text, engine=engine)


def outcome(
    text: str, engine: CpuBackend | str, shift: int, columns: NDArray[np.int32]
) -> NDArray[np.generic]:
    rows = list(ranges())
    generator = np.random.default_rng(5)
    given: dict[str, NDArray[np.generic] | int] = {
        "first": np.array([first for first, _ in rows]),
        "end": np.array([end for _, end in rows]),
        "columns": surrounded(columns, 1),
        "values": surrounded(generator.random(ENTRIES), np.nan),
        "x": surrounded(generator.random(WIDTH), np.nan),
        "sums": np.zeros(len(rows)),
    }
    exe = compiled(text, engine)
    if "shift" in exe.bindings.names:
        given["shift"] = shift
    return exe(given, grid=-(-len(rows) // 4), timeout=60)["sums"]


@pytest.mark.parametrize("name", INDICES)
@pytest.mark.parametrize("shift", [0, 3, -5, -(2**63), -(2**63) + 1, 2**63 - 1])
def test_sums_are_those_of_the_reference(name: str, shift: int):
    """Rows that are inside, outside, empty, backwards, and as far away as can be."""
    columns = np.arange(ENTRIES, dtype=np.int32) % WIDTH
    text = text_of(name)
    found = outcome(text, CPU, shift, columns)
    wanted = outcome(text, "reference", shift, columns)
    assert found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("outside", [WIDTH, -1, 2**31 - 1, -(2**31)])
@pytest.mark.parametrize("entry", [11, 12, 13, 14, 15])
def test_an_element_outside_counts_as_zero(outside: int, entry: int):
    """In each trip of a pair, and in the last one, which is alone."""
    columns = np.arange(ENTRIES, dtype=np.int32) % WIDTH
    columns[entry] = outside
    text = text_of("by the loop's number")
    found = outcome(text, CPU, 0, columns)
    wanted = outcome(text, "reference", 0, columns)
    assert found.tobytes() == wanted.tobytes()


def test_all_elements_outside():
    columns = np.full(ENTRIES, WIDTH, np.int32)
    text = text_of("by the loop's number")
    assert set(outcome(text, CPU, 0, columns).tolist()) == {0.5}


def paired(text: str) -> bool:
    program = find_program(vyre.parse(text), None)
    loop = next(op for op in program.walk() if isinstance(op, scf.ForOp))
    return is_paired(loop, loop_accesses(loop))


def test_which_loops_are_paired():
    text = text_of("by the loop's number")
    assert paired(text)
    # Nothing is looked up.
    assert not paired(text.replace("%x[%column]", "%x[%entry]"))
    assert not paired(text.replace("%x[%column]", "%x[%column] inbounds"))
    # A trip cannot begin anew.
    store = "vyre.store %there, %sums[%column] : memref<?xf64>\n    scf.yield"
    assert not paired(text.replace("scf.yield", store))
    # It does not go by one.
    assert not paired(text.replace("arith.constant 1 :", "arith.constant 2 :"))


def test_integers_may_be_vectorised():
    text = text_of("by the loop's number").replace("f64", "i32")
    text = text.replace("0.5 : i32", "0 : i32")
    text = text.replace(
        "math.fma %value, %there, %so_far : i32", "arith.addi %there, %so_far : i32"
    )
    assert not paired(text)


def test_large_loops_are_not_paired():
    text = text_of("by the loop's number")
    many = "".join(f"%v{n} = arith.addf %there, %so_far : f64\n" for n in range(24))
    assert not paired(text.replace("scf.yield", many + "scf.yield"))
