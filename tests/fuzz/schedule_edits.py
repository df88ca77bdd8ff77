"""
Changes of finished schedules: what a splitter with one mistake might have made.

An edit changes one place of a module with a schedule and its segments. Most edits change
what programs mean, some do not, and some give what no verifier accepts.
"""

from collections.abc import Callable, Iterator
from random import Random

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, SymbolRefAttr, i1
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from vyre.analysis.purity import is_pure
from vyre.dialects.terminators import is_terminator
from vyre.dialects.vyre import (
    AsyncWaitOp,
    AtomicCasOp,
    AtomicOp,
    BarrierOp,
    BufferOp,
    LaunchOp,
    LoadOp,
    ParamOp,
    ProgramOp,
    ReadBackOp,
    ScheduleOp,
    ScratchOp,
    StoreOp,
)

Edit = Callable[[], None]
_TABLE = (BufferOp, ParamOp, ScratchOp)


def random_edit(module: ModuleOp, rng: Random) -> str | None:
    """Change one place of a schedule or of its segments; what was changed."""
    kinds = list(_KINDS.items())
    rng.shuffle(kinds)
    for name, kind in kinds:
        edits = list(kind(module))
        if edits:
            rng.choice(edits)()
            return name
    return None


def _schedules(module: ModuleOp) -> list[ScheduleOp]:
    return [op for op in module.ops if isinstance(op, ScheduleOp)]


def _host(module: ModuleOp) -> Iterator[Operation]:
    for schedule in _schedules(module):
        yield from schedule.body.walk()


def _segments(module: ModuleOp) -> Iterator[Operation]:
    for op in module.ops:
        if isinstance(op, ProgramOp):
            yield from op.body.walk()


def _following(op: Operation) -> Operation | None:
    """The operation after it, which is no terminator."""
    other = op.next_op
    return None if other is None or is_terminator(other) else other


def _later(op: Operation) -> Edit:
    def edit() -> None:
        other = op.next_op
        assert other is not None
        op.detach()
        Rewriter.insert_op(op, InsertPoint.after(other))

    return edit


def _erased(op: Operation) -> Edit:
    return lambda: Rewriter.erase_op(op)


def _again(op: Operation) -> Edit:
    return lambda: Rewriter.insert_op(op.clone(), InsertPoint.after(op))


def _operand(op: Operation, index: int, value: SSAValue) -> Edit:
    def edit() -> None:
        op.operands[index] = value

    return edit


def launches_sunk(module: ModuleOp) -> Iterator[Edit]:
    """A launch after what comes next: another launch, control flow, a read-back."""
    for op in _host(module):
        if isinstance(op, LaunchOp) and _following(op) is not None:
            yield _later(op)


def launches_removed(module: ModuleOp) -> Iterator[Edit]:
    """A launch that is not there."""
    yield from (_erased(op) for op in _host(module) if isinstance(op, LaunchOp))


def launches_repeated(module: ModuleOp) -> Iterator[Edit]:
    """A launch twice."""
    yield from (_again(op) for op in _host(module) if isinstance(op, LaunchOp))


def other_segments(module: ModuleOp) -> Iterator[Edit]:
    """A launch of another segment."""
    names = [op.sym_name.data for op in module.ops if isinstance(op, ProgramOp)]
    for op in _host(module):
        if isinstance(op, LaunchOp):
            for name in names:
                if name != op.segment.string_value():
                    yield _renamed(op, name)


def _renamed(op: LaunchOp, name: str) -> Edit:
    def edit() -> None:
        op.segment = SymbolRefAttr(name)

    return edit


def early_reads(module: ModuleOp) -> Iterator[Edit]:
    """A read-back before the launch that it comes after."""
    for op in _host(module):
        if isinstance(op, LaunchOp) and isinstance(op.next_op, ReadBackOp):
            yield _later(op)


def _in_scope(op: Operation) -> Iterator[SSAValue]:
    """The values that dominate an operation."""
    place: Operation | None = op
    while place is not None and not isinstance(place, ProgramOp | ScheduleOp):
        before = place.prev_op
        while before is not None:
            yield from before.results
            before = before.prev_op
        block = place.parent
        assert block is not None
        yield from block.args
        place = place.parent_op()


def _replaced(op: Operation) -> Iterator[Edit]:
    for index, operand in enumerate(op.operands):
        for value in _in_scope(op):
            if value.type == operand.type and value is not operand:
                yield _operand(op, index, value)


def host_operands(module: ModuleOp) -> Iterator[Edit]:
    """Another value of the type in the host's code: arguments, bounds, conditions."""
    for op in _host(module):
        yield from _replaced(op)


def segment_operands(module: ModuleOp) -> Iterator[Edit]:
    """Another value of the type in a segment."""
    for op in _segments(module):
        yield from _replaced(op)


def exchanged(module: ModuleOp) -> Iterator[Edit]:
    """Two operands exchanged: arguments, what a loop carries."""
    for op in (*_host(module), *_segments(module)):
        operands = list(op.operands)
        for index in range(len(operands) - 1):
            one, other = operands[index : index + 2]
            if one.type == other.type and one is not other:
                yield _swapped(op, index)


def _swapped(op: Operation, index: int) -> Edit:
    def edit() -> None:
        operands = list(op.operands)
        operands[index : index + 2] = operands[index + 1], operands[index]
        op.operands = operands

    return edit


def dropped(module: ModuleOp) -> Iterator[Edit]:
    """A store, a barrier, a wait, or a copy of workgroup memory that is not there."""
    for op in _segments(module):
        if isinstance(op, StoreOp | BarrierOp | AsyncWaitOp) or _is_plain_loop(op):
            yield _erased(op)


def _is_plain_loop(op: Operation) -> bool:
    return isinstance(op, scf.ForOp) and not op.results


def moved(module: ModuleOp) -> Iterator[Edit]:
    """An access after what comes next."""
    for op in _segments(module):
        other = _following(op)
        if isinstance(op, LoadOp | StoreOp | BarrierOp) and other is not None:
            used = {value for inner in other.walk() for value in inner.operands}
            if used.isdisjoint(op.results):
                yield _later(op)


def late_loads(module: ModuleOp) -> Iterator[Edit]:
    """A load at the end of its block, after whatever overwrites what it reads."""
    for op in _segments(module):
        if isinstance(op, LoadOp):
            users = [use.operation for use in op.value.uses]
            if users and all(user.parent is op.parent for user in users):
                yield _before_first(op, users)


def _before_first(op: Operation, users: list[Operation]) -> Edit:
    def edit() -> None:
        first = op.next_op
        while first is not None and first not in users:
            first = first.next_op
        assert first is not None
        op.detach()
        Rewriter.insert_op(op, InsertPoint.before(first))

    return edit


def repeated_atomics(module: ModuleOp) -> Iterator[Edit]:
    """An atomic twice."""
    for op in _segments(module):
        if isinstance(op, AtomicOp | AtomicCasOp):
            yield _again(op)


def negated(module: ModuleOp) -> Iterator[Edit]:
    """A condition that is the opposite."""
    for op in (*_host(module), *_segments(module)):
        if isinstance(op, scf.IfOp | scf.ConditionOp):
            yield _opposite(op)


def _opposite(op: Operation) -> Edit:
    def edit() -> None:
        yes = arith.ConstantOp(IntegerAttr(1, i1))
        no = arith.XOrIOp(op.operands[0], yes.result)
        Rewriter.insert_op([yes, no], InsertPoint.before(op))
        op.operands[0] = no.result

    return edit


def constants(module: ModuleOp) -> Iterator[Edit]:
    """A constant one off."""
    for op in (*_host(module), *_segments(module)):
        if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
            yield _one_off(op)


def _one_off(op: arith.ConstantOp) -> Edit:
    def edit() -> None:
        value = op.value
        assert isinstance(value, IntegerAttr)
        width = 1 if value.type == i1 else 64
        number = ~value.value.data & 1 if width == 1 else value.value.data + 1
        op.properties["value"] = IntegerAttr(number, value.type)

    return edit


def unmarked(module: ModuleOp) -> Iterator[Edit]:
    """A mark that is gone: of the grid, or of buffers that may be one."""
    for schedule in _schedules(module):
        if schedule.grid_from is not None:
            yield _without(schedule, "grid_from")
    for op in _segments(module):
        if isinstance(op, BufferOp) and op.may_alias is not None:
            yield _without(op, "may_alias")


def _without(op: Operation, name: str) -> Edit:
    return lambda: op.properties.__delitem__(name)


def run_once(module: ModuleOp) -> Iterator[Edit]:
    """A loop of the host that runs once."""
    for op in _host(module):
        if isinstance(op, scf.ForOp):
            yield _once(op)


def _once(op: scf.ForOp) -> Edit:
    def edit() -> None:
        end = arith.AddiOp(op.lb, op.step)
        Rewriter.insert_op(end, InsertPoint.before(op))
        op.operands[1] = end.result

    return edit


def hoisted(module: ModuleOp) -> Iterator[Edit]:
    """What the host computes or reads before a loop instead of in it."""
    for op in _host(module):
        block = op.parent
        around = op.parent_op()
        is_inside = isinstance(around, scf.ForOp | scf.WhileOp | scf.IfOp)
        if is_inside and isinstance(block, Block) and not is_terminator(op):
            free = all(_is_outside(operand, block) for operand in op.operands)
            if free and (is_pure(op) or isinstance(op, ReadBackOp | LaunchOp)):
                yield _hoisted(op, around)


def _is_outside(value: SSAValue, block: Block) -> bool:
    owner = value.owner
    return owner is not block and (isinstance(owner, Block) or owner.parent is not block)


def _hoisted(op: Operation, around: Operation) -> Edit:
    def edit() -> None:
        op.detach()
        Rewriter.insert_op(op, InsertPoint.before(around))

    return edit


_KINDS: dict[str, Callable[[ModuleOp], Iterator[Edit]]] = {
    kind.__name__: kind
    for kind in (
        launches_sunk,
        launches_removed,
        launches_repeated,
        other_segments,
        early_reads,
        host_operands,
        segment_operands,
        exchanged,
        dropped,
        moved,
        late_loads,
        repeated_atomics,
        negated,
        constants,
        unmarked,
        run_once,
        hoisted,
    )
}
