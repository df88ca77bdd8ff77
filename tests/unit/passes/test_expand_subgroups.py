"""Subgroups that exchange values through memory give the bytes of the operations."""

from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest
from awkward_values import columns
from numpy.typing import NDArray
from returning_programs import Writer
from xdsl.dialects.builtin import ModuleOp

import vyre
from vyre.analysis.meetings import SUBGROUP_OPS
from vyre.dialects.vyre import BarrierOp, BufferOp
from vyre.dialects.vyre.attributes import FLOAT_REDUCE_KINDS, Access, ReduceKind
from vyre.locations import is_unknown
from vyre.passes.expand_subgroups import ExpandSubgroupsPass
from vyre.passes.promote_lets import PromoteLetsPass
from vyre.passes.verify_ops import verify_ops
from vyre.passes.verify_program import verify_programs
from vyre.runtime.backend import same_elements
from vyre.runtime.config import Order
from vyre.runtime.errors import Trapped

ORDERS: tuple[Order, ...] = ("lockstep", "mirrored", "reversed")
INTEGERS = ("i1", "i8", "i16", "i32", "i64", "index")
FLOATS = ("f16", "f32", "f64")
SIZES = ((1, 1, 1), (5, 1, 1), (32, 1, 1), (33, 1, 1), (64, 1, 1), (7, 3, 4))


def expanded(text: str) -> ModuleOp:
    module = vyre.parse(text)
    PromoteLetsPass().apply(vyre.context(), module)
    ExpandSubgroupsPass().apply(vyre.context(), module)
    verify_ops(module)
    verify_programs(module)
    assert not [op for op in module.walk() if isinstance(op, SUBGROUP_OPS)]
    assert not [op.name for op in module.walk() if is_unknown(op.location)]
    return module


def assert_same(text: str, arguments: dict[str, Any], grid: object) -> None:
    wanted = vyre.compile(text, engine="reference")(arguments, grid=grid)
    exe = vyre.compile(expanded(text), engine="reference")
    for order in ORDERS:
        found = exe(arguments, grid=grid, order=order, timeout=60)
        for name, array in wanted.items():
            assert same_elements(found[name], array), (name, order)
    kinds = {finding.kind for finding in exe.check(arguments, grid=grid)}
    # A shuffle from a lane that is absent loads outside the buffer, which gives zero.
    assert kinds <= {"outside"}


def values(type: str, count: int) -> NDArray[Any]:
    """Edge values of a type in a random order, the same for each type."""
    (column,) = columns(type)
    return np.random.default_rng(3).choice(column, count)


def written(type: str, size: tuple[int, int, int], code: str) -> tuple[str, int]:
    """A program with a value `%v` of each invocation, and how many there are of two."""
    return (
        f"""
vyre.program @p {list(size)} {{
  %a = vyre.buffer "a" read_only binding 0 : memref<?x{type}>
  %out = vyre.buffer "out" read_write binding 1 : memref<?x{type}>
  %lanes = vyre.buffer "lanes" read_only binding 2 : memref<?xindex>
  %me = vyre.linear_id invocation
  %v = vyre.load %a[%me] : memref<?x{type}>
  {code}
  vyre.store %r, %out[%me] : memref<?x{type}>
}}
""",
        2 * prod(size),
    )


def arguments(type: str, count: int) -> dict[str, Any]:
    a = values(type, count)
    lanes = np.random.default_rng(4).integers(-3, 36, count)
    return {"a": a, "out": np.zeros_like(a), "lanes": lanes}


def reductions(type: str) -> str:
    """All kinds that a type has, each with an array of its own; the last is `%r`."""
    kinds = list(ReduceKind) if type in INTEGERS else FLOAT_REDUCE_KINDS
    code = ""
    for number, kind in enumerate(kinds):
        code += f"""
  %b{number} = vyre.buffer "b{number}" read_write binding {number + 3} : memref<?x{type}>
  %r{number} = vyre.subgroup_reduce {kind} %v : {type}
  vyre.store %r{number}, %b{number}[%me] : memref<?x{type}>"""
    return f"{code}\n%r = vyre.subgroup_reduce {kinds[0]} %r0 : {type}"


@pytest.mark.covering(1)
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("type", [*INTEGERS, *FLOATS])
def test_reductions(type: str, size: tuple[int, int, int]):
    text, count = written(type, size, reductions(type))
    given = arguments(type, count)
    given |= {f"b{number}": np.zeros_like(given["a"]) for number in range(9)}
    given = {name: array for name, array in given.items() if f'"{name}"' in text}
    assert_same(text, given, 2)


def test_sums_of_floats_keep_the_sign_of_zero():
    for kind, size in product(("add", "mul"), SIZES):
        text, count = written("f32", size, f"%r = vyre.subgroup_reduce {kind} %v : f32")
        given = arguments("f32", count)
        given["a"][:] = -0.0
        assert_same(text, given, 2)


@pytest.mark.covering(1)
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("type", [*INTEGERS, *FLOATS])
def test_shuffles(type: str, size: tuple[int, int, int]):
    text, count = written(
        type,
        size,
        f"""%lane = vyre.load %lanes[%me] : memref<?xindex>
  %s = vyre.subgroup_shuffle %v, %lane : {type}
  %r = vyre.subgroup_shuffle %s, %lane : {type}""",
    )
    assert_same(text, arguments(type, count), 2)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_ballots(size: tuple[int, int, int]):
    text, count = written(
        "i32",
        size,
        """%p = arith.trunci %v : i32 to i1
  %r = vyre.subgroup_ballot %p""",
    )
    assert_same(text, arguments("i32", count), 2)


LOOP = """
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 4 : index
  %group = vyre.workgroup_id x
  %lane = vyre.load %lanes[%me] : memref<?xindex>
  %start = arith.addi %group, %one : index
  %r = scf.for %k = %zero to %start step %one iter_args(%part = %v) -> (i32) {
    CODE
    scf.yield %t : i32
  }
"""


@pytest.mark.parametrize(
    "code",
    [
        "%t = vyre.subgroup_shuffle %part, %lane : i32",
        "%t = vyre.subgroup_reduce add %part : i32",
        """%s = vyre.subgroup_shuffle %part, %lane : i32
    %u = vyre.subgroup_shuffle %s, %k : i32
    %t = vyre.subgroup_shuffle %u, %lane : i32""",
        """%s = vyre.subgroup_shuffle %part, %lane : i32
    %u = vyre.subgroup_reduce add %s : i32
    %t = arith.addi %s, %u : i32""",
        """%first = arith.cmpi eq, %k, %zero : index
    %s = scf.if %first -> (i32) {
      %u = vyre.subgroup_shuffle %part, %lane : i32
      scf.yield %u : i32
    } else {
      scf.yield %part : i32
    }
    %t = vyre.subgroup_shuffle %s, %lane : i32""",
        """%t = vyre.region "r" -> (i32) {
      %s = vyre.subgroup_shuffle %part, %k : i32
      vyre.yield %s : i32
    }""",
    ],
)
@pytest.mark.parametrize("size", [(20, 1, 1), (64, 1, 1)], ids=str)
def test_loops(size: tuple[int, int, int], code: str):
    """Nobody gives a value before all have taken the one before; the checker looks."""
    text, count = written("i32", size, LOOP.replace("CODE", code))
    assert_same(text, arguments("i32", count), 2)


@pytest.mark.few(4)
@pytest.mark.parametrize("seed", range(30))
def test_random_programs_with_returns(seed: int):
    text = Writer(seed, traps=seed % 4 == 3).program()
    size = 40 if "[40, 1, 1]" in text else 4
    rng = np.random.default_rng(seed)
    given = {
        "out": rng.integers(0, 9, (2 * size, 4)).astype(np.int32),
        "end": np.zeros((2 * size, 3), np.int32),
        "mail": np.zeros(2 * size, np.int32),
        "total": np.zeros(2, np.int32),
        "numbers": rng.integers(0, 9, 2 * size).astype(np.int32),
        "n": seed % 5,
    }

    def run(program: str | ModuleOp) -> dict[str, bytes] | None:
        try:
            exe = vyre.compile(program, engine="reference")
            found = exe(given, grid=2, timeout=60)
        except Trapped:
            return None
        return {name: array.tobytes() for name, array in found.items()}

    assert run(expanded(text)) == run(text)


def test_few_buffers_and_barriers():
    """Operations of one type share two buffers for values and one for totals."""
    many = "\n".join(
        f"%s{k} = vyre.subgroup_shuffle %v, %me : i32\n"
        f"%t{k} = vyre.subgroup_reduce add %s{k} : i32"
        for k in range(10)
    )
    text, _ = written("i32", (64, 1, 1), f"{many}\n%r = arith.addi %t0, %t9 : i32")
    module = expanded(text)
    buffers = [op for op in module.walk() if isinstance(op, BufferOp)]
    assert sum(buffer.access.data is Access.WORKGROUP for buffer in buffers) == 3
    assert sum(isinstance(op, BarrierOp) for op in module.walk()) == 30
