"""
Every example gives the right answer, on any grid and in any order, and is valid; and the
checker finds the faults that we put into it.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from worked_examples import EXAMPLES, Example, case_of, example_of, fault_size
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, MemRefType, ModuleOp, i32
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter

import vyre
from vyre.diagnostics import InvalidProgram
from vyre.dialects.vyre import (
    AtomicOp,
    BarrierOp,
    BufferOp,
    InvocationIdOp,
    LoadOp,
    ProgramOp,
    StoreOp,
)
from vyre.dialects.vyre.attributes import Access, AtomicKind, Axis
from vyre.runtime.config import Order

GROUPS = (1, 2, 3, 7)


def sized() -> Iterator[Any]:
    for path in EXAMPLES:
        for size in case_of(path).SIZES:
            yield pytest.param(path, size, id=f"{path.stem}-{size}")


@pytest.mark.covering(1)
@pytest.mark.parametrize("groups", GROUPS)
@pytest.mark.parametrize(("path", "size"), list(sized()))
def test_right_on_every_grid(path: Path, size: int, groups: int):
    example = example_of(path, size)
    untouched = {name: np.copy(value) for name, value in example.inputs.items()}
    example.verify(
        vyre.compile(path, engine="reference")(example.inputs, grid=example.grid(groups))
    )
    for name, value in untouched.items():
        np.testing.assert_array_equal(example.inputs[name], value)


@pytest.mark.covering(1)
@pytest.mark.parametrize("order", get_args(Order))
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_right_in_every_order(path: Path, order: Order):
    example = example_of(path, fault_size(path))
    example.verify(
        vyre.compile(path, engine="reference")(
            example.inputs, grid=example.grid(3), order=order
        )
    )


def findings(module: ModuleOp, example: Example) -> set[str]:
    """Kinds of faults that are found, before or while the program runs."""
    try:
        exe = vyre.compile(module, engine="reference")
    except InvalidProgram:
        return {"refused"}
    found = exe.check(example.inputs, grid=example.grid(3), timeout=60)
    for finding in found:
        assert "Fix: " in str(finding)
    return {finding.kind for finding in found}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_clean_examples_have_no_findings(path: Path):
    example = example_of(path, fault_size(path))
    assert findings(vyre.parse(path), example) == set()


def program_of(module: ModuleOp) -> ProgramOp:
    return next(op for op in module.walk() if isinstance(op, ProgramOp))


def barriers(path: Path) -> int:
    """Counts without parsing, as tests are collected with it."""
    return len(re.findall(r"(?m)^ *vyre\.barrier", path.read_text()))


def every_barrier() -> Iterator[Any]:
    for path in EXAMPLES:
        for number in range(barriers(path)):
            yield pytest.param(path, number, id=f"{path.stem}-{number}")


@pytest.mark.parametrize(("path", "number"), list(every_barrier()))
def test_a_missing_barrier_is_found(path: Path, number: int):
    module = vyre.parse(path)
    found = [op for op in module.walk() if isinstance(op, BarrierOp)]
    assert len(found) == barriers(path)
    Rewriter.erase_op(found[number])
    found = findings(module, example_of(path, fault_size(path)))
    assert found & {"refused", "race"}


@pytest.mark.covering(1)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("kind", [LoadOp, StoreOp])
def test_an_access_outside_is_found(path: Path, kind: type[LoadOp | StoreOp]):
    module = vyre.parse(path)
    access = next(op for op in module.walk() if isinstance(op, kind))
    far = arith.ConstantOp.from_int_and_width(1 << 40, IndexType())
    moved = arith.AddiOp(access.indices[-1], far)
    Rewriter.insert_op([far, moved], InsertPoint.before(access))
    access.operands[len(access.operands) - 1] = moved.result
    found = findings(module, example_of(path, fault_size(path)))
    assert found & {"outside", "refused"}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_a_read_of_what_was_never_written_is_found(path: Path):
    module = vyre.parse(path)
    program = program_of(module)
    tile = BufferOp("unwritten", Access.WORKGROUP, MemRefType(i32, [4]))
    sink = BufferOp(
        "sink", Access.WRITE_ONLY, MemRefType(i32, [4]), binding=99, output=True
    )
    zero = arith.ConstantOp.from_int_and_width(0, IndexType())
    load = LoadOp(tile.memref, [zero])
    insert_first(program, [tile, sink, zero, load, StoreOp(load, sink.memref, [zero])])
    assert "never written" in findings(module, example_of(path, fault_size(path)))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_a_divergent_barrier_is_found(path: Path):
    module = vyre.parse(path)
    barrier = next(op for op in module.walk() if isinstance(op, BarrierOp))
    x = InvocationIdOp(Axis.X)
    zero = arith.ConstantOp.from_int_and_width(0, IndexType())
    first = arith.CmpiOp(x, zero, "eq")
    Rewriter.insert_op([x, zero, first], InsertPoint.before(barrier))
    barrier.detach()
    branch = scf.IfOp(first, [], [barrier, scf.YieldOp()])
    Rewriter.insert_op(branch, InsertPoint.after(first))
    found = findings(module, example_of(path, fault_size(path)))
    assert found & {"refused", "divergent barrier"}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_dependence_on_the_order_of_atomics_is_found(path: Path):
    module = vyre.parse(path)
    program = program_of(module)
    count = BufferOp("tickets", Access.READ_WRITE, MemRefType(i32, [1]), binding=98)
    mine = BufferOp(
        "mine", Access.WRITE_ONLY, MemRefType(i32, [4]), binding=99, output=True
    )
    zero = arith.ConstantOp.from_int_and_width(0, IndexType())
    one = arith.ConstantOp.from_int_and_width(1, i32)
    four = arith.ConstantOp.from_int_and_width(4, IndexType())
    ticket = AtomicOp(AtomicKind.ADD, one, count.memref, [zero])
    x, y, z = (InvocationIdOp(axis) for axis in Axis)
    sum_ = arith.AddiOp(y, z)
    inside = arith.CmpiOp(x, four, "ult")
    row = arith.CmpiOp(sum_, zero, "eq")
    both = arith.AndIOp(inside, row)
    store = StoreOp(ticket, mine.memref, [x])
    branch = scf.IfOp(both, [], [store, scf.YieldOp()])
    ops: list[Operation] = [count, mine, zero, one, four, ticket]
    insert_first(program, [*ops, x, y, z, sum_, inside, row, both, branch])
    example = example_of(path, fault_size(path))
    example.inputs["tickets"] = np.zeros(1, np.int32)
    assert "order" in findings(module, example)


def insert_first(program: ProgramOp, ops: list[Operation]) -> None:
    first = program.body.block.first_op
    assert first is not None
    Rewriter.insert_op(ops, InsertPoint.before(first))
