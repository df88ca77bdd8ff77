"""
Operations that Vyre does not know, put into generated programs, and a meaning for them.

Each changes a number that its invocation alone owns, by what it is given. So two of them in
another order, one more or one less, or an access that passes one, give other bytes. The
number is an element of a buffer that is passed, or a hidden one that nobody else can reach.
Some have a region, which they run once or twice, and some give results.

One kind is registered, with traits that promise too much, and one is not.
"""

from collections.abc import Generator, Iterator
from dataclasses import replace
from math import prod
from random import Random
from typing import Any

import numpy as np
from grid_programs import GridProgram
from numpy.typing import NDArray
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    UnitAttr,
    f32,
    i1,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

import vyre
from vyre.analysis.buffer_sources import is_memref
from vyre.analysis.spine import TABLE_OPS
from vyre.diagnostics import InvalidProgram
from vyre.dialects.terminators import is_terminator
from vyre.dialects.vyre import (
    AssignOp,
    AtomicCasOp,
    AtomicOp,
    BufferOp,
    LinearIdOp,
    LoadOp,
    ProgramOp,
    ReturnOp,
    StoreOp,
    TrapOp,
)
from vyre.dialects.vyre.attributes import Access, LinearScope, is_scalar
from vyre.interpreter.device import FOREIGN, Gang
from vyre.interpreter.frames import Frame, widened
from vyre.interpreter.memory import Memory
from vyre.passes.verify_program import verify_programs

CONTEXT = vyre.context()
CONTEXT.allow_unregistered = True

ENDS = {"fuzz.op": "fuzz.end", "test.pureop": "test.termop"}
"""Operations, and what ends the block in their region."""

NAME = "foreign"
"""The buffer of which each invocation owns an element."""

TYPES: tuple[Attribute, ...] = (i64, i1, f32, IndexType())
MOST_INVOCATIONS = 2**16

hidden = np.zeros(MOST_INVOCATIONS, np.int64)
"""The number of each invocation that no buffer has; who runs a program clears it."""


# What they do


def _execute(gang: Gang, op: Operation, frame: Frame) -> Generator[Operation, None, None]:
    tag = op.attributes["tag"]
    assert isinstance(tag, IntegerAttr)
    numbers, lanes = hidden, frame.lanes
    if "owns" in op.attributes:
        memory: Memory = frame[op.operands[0]]
        numbers, lanes = memory.data, widened(frame[op.operands[1]], len(lanes))
    _change(numbers, lanes, [tag.value.data, *(frame[value] for value in op.operands)])
    for region in list(op.regions) * (1 + tag.value.data % 2):
        passed = yield from gang.block(region.block, frame)
        _change(numbers, lanes, passed)
    for position, result in enumerate(op.results):
        frame[result] = _of_type(numbers[lanes] >> position, result.type)


def _end(gang: Gang, op: Operation, frame: Frame) -> Generator[Operation, None, None]:
    yield from ()


def _change(numbers: NDArray[Any], lanes: NDArray[Any], values: list[Any]) -> None:
    for value in values:
        numbers[lanes] = numbers[lanes] * 31 + _number(value)


def _number(value: Any) -> Any:
    if isinstance(value, Memory):
        return prod(value.shape)
    value = np.asarray(value)
    if value.dtype.kind == "f":
        value = np.where(np.isnan(value), 7, value.astype(np.float64)).view(np.int64)
    return value.astype(np.int64)


def _of_type(numbers: NDArray[np.int64], type: Attribute) -> NDArray[Any]:
    if type == i1:
        return numbers % 3 == 0
    return (numbers % 1000).astype(np.float32) if type == f32 else numbers


FOREIGN.update(dict.fromkeys(ENDS, _execute) | dict.fromkeys(ENDS.values(), _end))


# Where they stand


def with_foreign(program: GridProgram) -> GridProgram:
    """
    The program with some of these operations; as it is, if it has none that may have them.

    Example: `with_foreign(generate(0, 7)).foreign`
    """
    rng = Random(f"foreign {program.seed}")
    for _ in range(4):
        module = vyre.parse(program.text, ctx=CONTEXT)
        (target,) = (op for op in module.ops if isinstance(op, ProgramOp))
        if any(isinstance(op, ReturnOp) for op in target.walk()):
            return program  # Nobody knows what they would do after a return.
        _Writer(target, rng).write()
        try:
            verify_programs(module)
        except InvalidProgram:
            continue  # What one of them may write is not uniform any more.
        return _passing(program, module, target)
    return program


def _passing(program: GridProgram, module: ModuleOp, target: ProgramOp) -> GridProgram:
    size = prod(target.workgroup)
    launches = tuple(
        replace(
            launch,
            is_inferred=False,
            shapes={**launch.shapes, NAME: (size * prod(launch.grid),)},
        )
        for launch in program.launches
    )
    return replace(
        program,
        text=str(module),
        launches=launches,
        elements={**program.elements, NAME: "i64"},
        foreign=True,
    )


class _Writer:
    """Puts operations into a program."""

    def __init__(self, program: ProgramOp, rng: Random):
        self._rng = rng
        self._tag = 0
        first = next(op for op in program.body.block.ops if not isinstance(op, TABLE_OPS))
        bindings = [getattr(op, "binding", None) for op in program.table]
        binding = 1 + max((each.value.data for each in bindings if each), default=-1)
        type = MemRefType(i64, [DYNAMIC_INDEX])
        declaration = BufferOp(NAME, Access.READ_WRITE, type, binding=binding)
        place = LinearIdOp(LinearScope.INVOCATION)
        Rewriter.insert_op([declaration, place], InsertPoint.before(first))
        self._buffer, self._place = declaration.memref, place.id
        self._places = list(_places(program, place))
        self._carried = {
            operand
            for op in program.walk()
            if isinstance(op, scf.ForOp | scf.WhileOp)
            for operand in op.operands
        }
        self._uncertain = _uncertain(program)

    def write(self) -> None:
        for place in self._rng.sample(self._places, min(len(self._places), 6)):
            for op in self._some(place):
                Rewriter.insert_op(op, InsertPoint.before(place))

    def _some(self, place: Operation) -> Iterator[Operation]:
        """An operation of ours, or one that everybody knows."""
        if self._rng.random() < 0.3:
            yield from self._update()
        values = [value for value in _visible(place) if self._may_take(value)]
        op = self._operation(values, self._rng.random() < 0.3)
        yield op
        if op.results and op.results[0].type == i64 and self._rng.random() < 0.5:
            yield StoreOp(op.results[0], self._buffer, [self._place])

    def _may_take(self, value: SSAValue) -> bool:
        if is_memref(value):
            return isinstance(value.owner, TABLE_OPS) and value not in self._carried
        return is_scalar(value.type) and value not in self._uncertain

    def _update(self) -> list[Operation]:
        load = LoadOp(self._buffer, [self._place])
        three = arith.ConstantOp.from_int_and_width(3, 64)
        total = arith.MuliOp(load, three)
        return [load, three, total, StoreOp(total.result, self._buffer, [self._place])]

    def _operation(self, values: list[SSAValue], has_region: bool) -> Operation:
        rng = self._rng
        name = rng.choice(list(ENDS))
        self._tag += 1
        attributes: dict[str, Attribute] = {"tag": IntegerAttr(self._tag, i64)}
        operands = rng.sample(values, min(len(values), rng.randrange(4)))
        if rng.random() < 0.7:
            operands = [self._buffer, self._place, *operands]
            attributes["owns"] = UnitAttr()
        regions = [Region(self._block(name, values))] if has_region else []
        return CONTEXT.get_op(name).create(
            operands=operands,
            result_types=rng.sample(TYPES, rng.choice((0, 0, 1, 2))),
            attributes=attributes,
            regions=regions,
        )

    def _block(self, name: str, values: list[SSAValue]) -> Block:
        ops = self._update() if self._rng.random() < 0.5 else []
        inside = [*values, *(result for op in ops for result in op.results)]
        ops.append(self._operation(inside, False))
        passed = [*inside, *ops[-1].results][-2:]
        return Block([*ops, CONTEXT.get_op(ENDS[name]).create(operands=passed)])


def _places(program: ProgramOp, after: Operation) -> Iterator[Operation]:
    """Operations before which others may stand."""
    for op in program.body.walk():
        is_late = isinstance(op.prev_op, ReturnOp | TrapOp) or isinstance(op, TABLE_OPS)
        if not is_late and (op.parent is not after.parent or after.is_before_in_block(op)):
            yield op


def _uncertain(program: ProgramOp) -> set[SSAValue]:
    """
    Collects values that may depend on the order of atomics: results of atomics, which
    programs drop or use in ways that hide the order, and what is computed from these.
    """
    atomics = (op for op in program.walk() if isinstance(op, AtomicOp | AtomicCasOp))
    found = set[SSAValue]()
    work: list[SSAValue] = [op.old for op in atomics]
    while work:
        value = work.pop()
        if value in found:
            continue
        found.add(value)
        for use in value.uses:
            parent = use.operation.parent_op() if is_terminator(use.operation) else None
            for op in filter(None, (use.operation, parent)):
                blocks = (block for region in op.regions for block in region.blocks)
                work += (*op.results, *(arg for block in blocks for arg in block.args))
            if isinstance(use.operation, AssignOp):
                work.append(use.operation.cell)
    return found


def _visible(place: Operation) -> Iterator[SSAValue]:
    """The values that dominate a place."""
    op: Operation | None = place
    while op is not None and op.parent is not None:
        yield from op.parent.args
        before = op.prev_op
        while before is not None:
            yield from before.results
            before = before.prev_op
        op = op.parent_op()
