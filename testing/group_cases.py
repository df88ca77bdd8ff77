"""Invocations that work together: atomics, workgroup memory, subgroups, copies."""

from functools import partial
from typing import Any

import numpy as np

from vyre.runtime.backend import Backend
from vyre.testing.case import Cases, check_program, compiled, dispatched, expect_same
from vyre.testing.programs import OUT, program
from vyre.testing.scalar_cases import DTYPES

GROUPS = Cases("groups")

SUMS = {"add": 0, "xor": 0, "or": 0, "max": -(2**31), "umax": 0}
KINDS = {**SUMS, "min": 2**31 - 1, "umin": -1, "and": -1}
"""Atomics whose result does not depend on the order, with what they start from."""


def atomics(type: str, place: str, backend: Backend) -> None:
    """Every atomic is indivisible, among workgroups and inside one."""
    table, code, after = "", "", ""
    given: dict[str, Any] = {"a": _numbers(type)}
    for number, (kind, start) in enumerate(KINDS.items()):
        memref = f"memref<2x{type}>"
        declared = f'"{kind}" read_write binding {number + 1} : {memref}'
        table += f"%{kind} = vyre.buffer {declared}\n"
        given[kind] = np.full(2, start, DTYPES[type])
        target = kind
        if place == "workgroup":
            target = f"in_{kind}"
            table += f'%{target} = vyre.buffer "{target}" workgroup : {memref}\n'
            after += f"%all_{kind} = vyre.load %{target}[%c1] : {memref}\n"
            handed_on = f"%all_{kind}, %{kind}[%c1] : {memref}"
            after += f"%o_{kind} = vyre.atomic {kind} {handed_on}\n"
        code += f"%old_{kind} = vyre.atomic {kind} %v, %{target}[%c1] : {memref}\n"
    if after:
        # Only the first invocation hands on what its workgroup found.
        first = "%is_first = arith.cmpi eq, %l, %c0 : index"
        after = f"{first}\nscf.if %is_first {{\n{after}}}"
    text = program(
        f'%a = vyre.buffer "a" read_only binding 0 : memref<?x{type}>',
        table,
        f"%v = vyre.load %a[%x] : memref<?x{type}>",
        code,
        "vyre.barrier acq_rel",
        after,
        workgroup="[16, 1, 1]",
    )
    check_program(backend, text, given, grid=4)


def _numbers(type: str) -> Any:
    values = np.random.default_rng(5).integers(-(2**31), 2**31, 64)
    return values.astype(DTYPES[type])


for _type in ("i32", "i64", "index"):
    for _place in ("grid", "workgroup"):
        GROUPS.add(f"atomics[{_type}, {_place}]", partial(atomics, _type, _place))


def float_atomics(type: str, backend: Backend) -> None:
    """Sums of floats that are exact do not depend on the order."""
    text = program(
        f"""
  %a = vyre.buffer "a" read_only binding 0 : memref<?x{type}>
  %sum = vyre.buffer "sum" read_write binding 1 : memref<1x{type}>
  %v = vyre.load %a[%x] : memref<?x{type}>
  %old = vyre.atomic add %v, %sum[%c0] : memref<1x{type}>
"""
    )
    a = (np.arange(40) / 4).astype(DTYPES[type])
    given = {"a": a, "sum": np.array([0.5], DTYPES[type])}
    check_program(backend, text, given, {"sum": np.array([195.5], DTYPES[type])})


for _type in ("f32", "f64"):
    GROUPS.add(f"float_atomics[{_type}]", partial(float_atomics, _type))


@GROUPS.case
def old_values(backend: Backend) -> None:
    """Every atomic gives the value that it replaced: each number is given once."""
    text = program(
        OUT,
        """
  %next = vyre.buffer "next" read_write binding 1 : memref<1xi32>
  %old = vyre.atomic add %i1, %next[%c0] : memref<1xi32>
  vyre.store %old, %out[%x] : memref<?xi32>
""",
    )
    given = {"out": np.zeros(64, np.int32), "next": np.zeros(1, np.int32)}
    found = dispatched(compiled(backend, text), given)
    numbers = np.arange(64, dtype=np.int32)
    expect_same("the sorted numbers", np.sort(found["out"]), numbers)
    expect_same("the last number", found["next"], np.array([64], np.int32))


@GROUPS.case
def exchange(backend: Backend) -> None:
    """`exchange` and `atomic_cas` change what they should, and give the old value."""
    text = program(
        OUT,
        """
  %olds = vyre.buffer "olds" write_only binding 1 output : memref<?xi32>
  %a = vyre.atomic exchange %x32, %out[%x] : memref<?xi32>
  %b = vyre.atomic_cas %i2, %i99, %out[%x] : memref<?xi32>
  %c = arith.muli %a, %i100 : i32
  %d = arith.addi %c, %b : i32
  vyre.store %d, %olds[%x] : memref<?xi32>
""",
    )
    given = {"out": np.array([7, 8, 9, 10], np.int32), "olds": np.zeros(4, np.int32)}
    expected = {
        "out": np.array([0, 1, 99, 3], np.int32),
        "olds": np.array([700, 801, 902, 1003], np.int32),
    }
    check_program(backend, text, given, expected)


@GROUPS.case
def workgroup_memory(backend: Backend) -> None:
    """It exists once per workgroup, and starts as zeros in every launch."""
    text = """
vyre.schedule @p {
  %out = vyre.buffer "out" read_write binding 0 : memref<?xi32>
  vyre.launch @part(%out)
  vyre.launch @part(%out)
}
vyre.program @part [4, 1, 1] {
  %out = vyre.buffer "out" read_write binding 0 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<4xi32>
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  %one = arith.constant 1 : index
  %five = arith.constant 5 : i32
  %i32 = arith.index_cast %i : index to i32
  %first = vyre.load %tile[%l] : memref<4xi32>
  vyre.barrier acq_rel
  %mine = arith.addi %i32, %five : i32
  vyre.store %mine, %tile[%l] : memref<4xi32>
  vyre.barrier acq_rel
  %next = arith.addi %l, %one : index
  %theirs = vyre.load %tile[%next] : memref<4xi32>
  %old = vyre.load %out[%i] : memref<?xi32>
  %sum = arith.addi %old, %first : i32
  %all = arith.addi %sum, %theirs : i32
  vyre.store %all, %out[%i] : memref<?xi32>
}
"""
    i = np.arange(40, dtype=np.int32)
    theirs = np.where(i % 4 == 3, 0, i + 6)
    expected = {"out": (i + 2 * theirs).astype(np.int32)}
    check_program(backend, text, {"out": i}, expected)


@GROUPS.case
def barriers(backend: Backend) -> None:
    """Before a barrier everyone has written, after it everyone sees it; also in loops."""
    text = program(
        OUT,
        """
  %tile = vyre.buffer "tile" workgroup : memref<64xi32>
  %v = vyre.load %out[%x] : memref<?xi32>
  vyre.store %v, %tile[%l] : memref<64xi32>
  scf.for %k = %c0 to %c6 step %c1 {
    vyre.barrier acq_rel
    %reach = arith.shrui %c32, %k : index
    %works = arith.cmpi ult, %l, %reach : index
    scf.if %works {
      %partner = arith.addi %l, %reach : index
      %mine = vyre.load %tile[%l] : memref<64xi32>
      %theirs = vyre.load %tile[%partner] : memref<64xi32>
      %sum = arith.addi %mine, %theirs : i32
      vyre.store %sum, %tile[%l] : memref<64xi32>
    }
  }
  vyre.barrier seq_cst
  %total = vyre.load %tile[%c0] : memref<64xi32>
  vyre.store %total, %out[%x] : memref<?xi32>
""",
        workgroup="[64, 1, 1]",
    )
    out = np.arange(256, dtype=np.int32)
    expected = {"out": np.repeat(out.reshape(4, 64).sum(axis=1), 64).astype(np.int32)}
    check_program(backend, text, {"out": out}, expected)


@GROUPS.case
def ended_invocations(backend: Backend) -> None:
    """A barrier does not wait for invocations that have ended."""
    text = program(
        OUT,
        """
  %tile = vyre.buffer "tile" workgroup : memref<8xi32>
  %ends = arith.cmpi uge, %l, %c5 : index
  scf.if %ends {
    vyre.return
  }
  vyre.store %x32, %tile[%l] : memref<8xi32>
  vyre.barrier acq_rel
  %other = arith.subi %c4, %l : index
  %v = vyre.load %tile[%other] : memref<8xi32>
  vyre.store %v, %out[%x] : memref<?xi32>
""",
        workgroup="[8, 1, 1]",
    )
    out = np.full(16, -1, np.int32)
    expected = out.copy()
    expected[:5], expected[8:13] = [4, 3, 2, 1, 0], [12, 11, 10, 9, 8]
    check_program(backend, text, {"out": out}, {"out": expected})


SUBGROUP = """
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %f = vyre.buffer "f" read_only binding 1 : memref<?xf32>
  %out = vyre.buffer "out" write_only binding 2 output : memref<?x9xi32>
  %sums = vyre.buffer "sums" write_only binding 3 output : memref<?xf32>
  %me = vyre.linear_id invocation
  %v = vyre.load %a[%me] : memref<?xi32>
  %w = vyre.load %f[%me] : memref<?xf32>
  %is_odd = arith.trunci %v : i32 to i1
  %lane = vyre.subgroup_local_id
  %size = vyre.subgroup_size
  %lane32 = arith.index_cast %lane : index to i32
  %size32 = arith.index_cast %size : index to i32
  %back = arith.subi %c20, %lane : index
  %0 = vyre.subgroup_ballot %is_odd
  %1 = vyre.subgroup_shuffle %v, %back : i32
  %2 = vyre.subgroup_reduce add %v : i32
  %3 = vyre.subgroup_reduce min %v : i32
  %4 = vyre.subgroup_reduce umax %v : i32
  %5 = vyre.subgroup_reduce xor %v : i32
  %sum = vyre.subgroup_reduce add %w : f32
  vyre.store %sum, %sums[%me] : memref<?xf32>
"""


def subgroups(size: tuple[int, int, int], backend: Backend) -> None:
    """32 invocations in a row, x fastest; sums of floats by a fixed tree."""
    stored = [*(f"%{k}" for k in range(6)), "%lane32", "%size32"]
    code = "".join(
        f"vyre.store {value}, %out[%me, %c{number}] : memref<?x9xi32>\n"
        for number, value in enumerate(stored)
    )
    text = program(SUBGROUP, code, workgroup=str(list(size)))
    count = 2 * size[0] * size[1] * size[2]
    numbers = np.random.default_rng(7)
    given = {
        "a": numbers.integers(-1000, 1000, count).astype(np.int32),
        "f": numbers.normal(size=count).astype(np.float32),
        "out": np.zeros((count, 9), np.int32),
        "sums": np.zeros(count, np.float32),
    }
    check_program(backend, text, given, grid=(2, 1, 1))


for _size in ((32, 1, 1), (64, 1, 1), (5, 1, 1), (40, 1, 1), (8, 3, 2)):
    _shown = "x".join(map(str, _size))
    GROUPS.add(f"subgroups[{_shown}]", partial(subgroups, _size))


@GROUPS.case
def asynchronous_copies(backend: Backend) -> None:
    """A copy has happened when it was waited for."""
    text = program(
        OUT,
        """
  %a = vyre.buffer "a" read_only binding 1 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<8xi32>
  %from = arith.muli %x, %c2 : index
  %to = arith.muli %l, %c2 : index
  %t = vyre.async_load %a[%from], %tile[%to], %c2 : memref<?xi32>, memref<8xi32>
  vyre.async_wait %t
  vyre.barrier acq_rel
  %back = arith.subi %c3, %l : index
  %begin = arith.muli %back, %c2 : index
  %u = vyre.async_store %tile[%begin], %out[%from], %c2 : memref<8xi32>, memref<?xi32>
  vyre.async_wait %u
""",
    )
    a = np.arange(13, dtype=np.int32) + 1
    check_program(backend, text, {"out": np.full(15, -1, np.int32), "a": a}, grid=2)
