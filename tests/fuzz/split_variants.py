"""
Changes that keep the meaning of a program, and give the splitter another one to split.

A barrier more in uniform control, or a loop of one trip around a stretch of code, changes
nothing; nor do the optional passes.
"""

from collections.abc import Callable, Iterator
from random import Random

from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

import vyre
from vyre.analysis.phases import COLLECTIVES
from vyre.analysis.uniformity import Level, uniformity
from vyre.diagnostics import InvalidProgram
from vyre.dialects.vyre import (
    BarrierOp,
    BufferOp,
    ParamOp,
    ProgramOp,
    ReturnOp,
    TrapOp,
    YieldOp,
)
from vyre.dialects.vyre.attributes import Ordering
from vyre.passes import get_all_passes
from vyre.passes.verify_program import verify_programs

ENDS = (scf.YieldOp, scf.ConditionOp, YieldOp, ReturnOp, TrapOp)
"""What only stands at the end of a block."""


def more_barriers(module: ModuleOp, rng: Random) -> bool:
    """Grid barriers where all invocations come."""
    places = [op for program in _programs(module) for op in _uniform_ops(program)]
    for op in rng.sample(places, min(3, len(places))):
        Builder(InsertPoint.before(op)).insert(BarrierOp(Ordering.GRID_SYNC))
    return True


def _programs(module: ModuleOp) -> list[ProgramOp]:
    return [op for op in module.ops if isinstance(op, ProgramOp)]


def _uniform_ops(program: ProgramOp) -> Iterator[Operation]:
    facts = uniformity(program)
    for op in program.body.walk():
        is_late = isinstance(op.prev_op, ReturnOp | TrapOp)
        is_table = isinstance(op, BufferOp | ParamOp)
        if facts.control(op) is Level.GRID and not is_late and not is_table:
            yield op


def one_trip_loop(module: ModuleOp, rng: Random) -> bool:
    """A loop of one trip around a stretch of code, if the rules allow one."""
    (program,) = _programs(module)
    text = str(module)
    for _ in range(6):
        candidate = vyre.parse(text)
        (copy,) = _programs(candidate)
        if not _wrap_somewhere(copy, rng):
            continue
        try:
            verify_programs(candidate)
        except InvalidProgram:
            # Ways around the loop can join phases, so that a flag is no longer uniform.
            continue
        program.detach()
        copy.detach()
        module.body.block.add_op(copy)
        return True
    return False


def _wrap_somewhere(program: ProgramOp, rng: Random) -> bool:
    blocks = [
        b for op in (program, *program.body.walk()) for r in op.regions for b in r.blocks
    ]
    block = rng.choice(blocks)
    ops = list(block.ops)
    first = rng.randrange(len(ops) + 1)
    stretch = ops[first : first + rng.randint(1, 8)]
    while stretch and not _may_loop(stretch[-1]):
        stretch.pop()
    if not stretch or not all(map(_may_loop, stretch)):
        return False
    return _wrap(block, stretch)


def _may_loop(op: Operation) -> bool:
    return not isinstance(op, (*ENDS, *COLLECTIVES, BufferOp, ParamOp))


def _wrap(block: Block, stretch: list[Operation]) -> bool:
    inside = {op for top in stretch for op in top.walk()}
    leaving = [
        result
        for op in stretch
        for result in op.results
        if any(use.operation not in inside for use in result.uses)
    ]
    zeros = [_zero(value.type) for value in leaving]
    if None in zeros:
        return False
    numbers = [arith.ConstantOp(IntegerAttr.from_index_int_value(n)) for n in (0, 1)]
    starts = [arith.ConstantOp(zero) for zero in zeros if zero is not None]
    body = Block(arg_types=[IndexType(), *(value.type for value in leaving)])
    bounds = (numbers[0], numbers[1], numbers[1])
    block.insert_ops_before([*numbers, *starts], stretch[0])
    loop = scf.ForOp(*bounds, [start.result for start in starts], Region(body))
    block.insert_op_after(loop, stretch[-1])
    for op in stretch:
        op.detach()
        body.add_op(op)
    for value, result in zip(leaving, loop.res):
        _replace_outside(value, result, inside)
    body.add_op(scf.YieldOp(*leaving))
    return True


def _replace_outside(value: SSAValue, other: SSAValue, inside: set[Operation]) -> None:
    for use in list(value.uses):
        if use.operation not in inside:
            use.operation.operands[use.index] = other


def _zero(type: Attribute) -> IntegerAttr | FloatAttr | None:
    """A value to start with; a variable or a copy has none."""
    match type:
        case IntegerType() | IndexType():
            return IntegerAttr(0, type)
        case Float16Type() | Float32Type() | Float64Type():
            return FloatAttr(0.0, type)
        case _:
            return None


def _pass(name: str) -> Callable[[ModuleOp, Random], bool]:
    def apply(module: ModuleOp, rng: Random) -> bool:
        get_all_passes()[name]()().apply(vyre.context(), module)
        return True

    return apply


VARIANTS: dict[str, Callable[[ModuleOp, Random], bool]] = {
    "more barriers": more_barriers,
    "one-trip loop": one_trip_loop,
    "vyre-remove-barriers": _pass("vyre-remove-barriers"),
    "vyre-prove-inbounds": _pass("vyre-prove-inbounds"),
}
"""Each changes a module in place and says whether it did."""
