"""
Which buffers a memref may stand for.

A memref comes from a declaration (`vyre.buffer` or `vyre.scratch`) or is carried: by
`scf.for` and `scf.while`, as ping-pong buffers are, or out of a `vyre.region`. It is named
after the declarations that reach it along these ways; what they allow decides what may be
done with it. Its sources are all storage that an access may touch: these declarations, and
if one of them `may_alias`, all others that share a number with it. Memrefs that come from
anywhere else have neither; `vyre-verify-program` refuses them.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from typing_extensions import TypeIs
from xdsl.dialects import scf
from xdsl.dialects.builtin import MemRefType, UnrankedMemRefType
from xdsl.ir import Operation, SSAValue

from vyre.analysis.walking import operations_in
from vyre.dialects.vyre import (
    BufferOp,
    ProgramOp,
    RegionOp,
    ScheduleOp,
    ScratchOp,
    YieldOp,
)
from vyre.dialects.vyre.attributes import Access

Declaration: TypeAlias = BufferOp | ScratchOp
_MEMREFS = (MemRefType, UnrankedMemRefType)
Flow: TypeAlias = tuple[SSAValue, SSAValue]


def is_memref(value: SSAValue) -> bool:
    """Whether the value stands for a buffer."""
    return isinstance(value.type, _MEMREFS)


def is_workgroup_memory(declaration: Declaration) -> TypeIs[BufferOp]:
    """Whether each workgroup has a buffer of its own."""
    return isinstance(declaration, BufferOp) and declaration.access.data is Access.WORKGROUP


def buffer_sources(
    program: ProgramOp | ScheduleOp,
) -> dict[SSAValue, tuple[Declaration, ...]]:
    """
    The declarations whose storage every memref of a program may be, in declaration order.

    Example: if `%x` is declared `may_alias [0]` and `%y` `may_alias [0, 1]`, both have the
    sources `(x, y)`.
    """
    return with_aliases(named_buffers(program))


def with_aliases(
    named: dict[SSAValue, tuple[Declaration, ...]],
) -> dict[SSAValue, tuple[Declaration, ...]]:
    """
    The declarations whose storage memrefs may be, from those that they are named after.

    Example: `with_aliases(named_buffers(program))` is `buffer_sources(program)`.
    """
    declarations = [v.owner for v in named if isinstance(v.owner, BufferOp | ScratchOp)]
    storage = {declaration: shared_storage(declaration) for declaration in declarations}
    if not any(storage.values()):
        return named
    found: dict[SSAValue, tuple[Declaration, ...]] = {}
    for value, names in named.items():
        shared = frozenset[int]().union(*(storage[name] for name in names))
        found[value] = names
        if shared:
            others = (d for d in declarations if d in names or storage[d] & shared)
            found[value] = tuple(others)
    return found


def shared_storage(declaration: Declaration) -> frozenset[int]:
    """The numbers of storage that a buffer may have in common with others."""
    if not isinstance(declaration, BufferOp) or declaration.may_alias is None:
        return frozenset()
    return frozenset(declaration.may_alias.get_values())


def named_buffers(
    program: ProgramOp | ScheduleOp,
) -> dict[SSAValue, tuple[Declaration, ...]]:
    """
    The declarations that reach every memref of a program, in declaration order.

    Example: for `scf.for ... iter_args(%a = %x, %b = %y)` that swaps its two arguments,
    both `%a` and `%b` are named after `(x, y)`.
    """
    flows: defaultdict[SSAValue, list[SSAValue]] = defaultdict(list)
    declarations: list[Declaration] = []
    for op in operations_in(program.body):
        if op.regions:
            for origin, target in _flows(op):
                if is_memref(origin):
                    flows[origin].append(target)
        elif type(op) is BufferOp or type(op) is ScratchOp:
            declarations.append(op)

    names: defaultdict[SSAValue, list[Declaration]] = defaultdict(list)
    for declaration in declarations:
        for value in _reachable(declaration.memref, flows):
            names[value].append(declaration)
    return {value: tuple(found) for value, found in names.items()}


def never_the_same(one: SSAValue, other: SSAValue) -> bool:
    """
    Whether two memrefs with common sources always stand for different buffers.

    They do if one loop carries both, starts with different declarations and only permutes
    what it carries: then they are different in the first trip and stay so.
    """
    loop = _carrier(one)
    if one is other or loop is None or loop is not _carrier(other):
        return False
    match loop:
        case scf.ForOp():
            again = _terminator_operands(loop.body.block.last_op)
            return _permutes(loop.iter_args, loop.body.block.args[1:], again)
        case scf.WhileOp():
            before, after = loop.before_region.block, loop.after_region.block
            condition = before.last_op
            if not isinstance(condition, scf.ConditionOp):
                return False
            again = _terminator_operands(after.last_op)
            return _permutes(loop.arguments, before.args, condition.args) and _permutes(
                loop.arguments, after.args, again
            )
        case _:
            return False


def _carrier(value: SSAValue) -> Operation | None:
    """The loop that carries a value, inside or as its result."""
    owner = value.owner
    return owner if isinstance(owner, Operation) else owner.parent_op()


def _permutes(
    start: Iterable[SSAValue], carried: Iterable[SSAValue], passed: Iterable[SSAValue]
) -> bool:
    """Whether memrefs start as different declarations and are passed on as they are."""
    starts = [value for value in start if is_memref(value)]
    taken = [value for value in carried if is_memref(value)]
    given = [value for value in passed if is_memref(value)]
    return (
        all(isinstance(value.owner, BufferOp | ScratchOp) for value in starts)
        and len(set(starts)) == len(starts)
        and set(given) == set(taken)
    )


def _reachable(
    start: SSAValue, flows: defaultdict[SSAValue, list[SSAValue]]
) -> Iterable[SSAValue]:
    # A dict instead of a set keeps the order of discovery, and so all output, the same.
    seen: dict[SSAValue, None] = {start: None}
    pending = [start]
    while pending:
        for target in flows.get(pending.pop(), ()):
            if target not in seen:
                seen[target] = None
                pending.append(target)
    return seen


def _flows(op: Operation) -> Iterator[Flow]:
    """The ways on which values pass through a loop or region unchanged."""
    match op:
        case scf.ForOp():
            again = _terminator_operands(op.body.block.last_op)
            for values in (op.iter_args, again):
                yield from zip(values, op.body.block.args[1:])
                yield from zip(values, op.res)
        case scf.WhileOp():
            before, after = op.before_region.block, op.after_region.block
            yield from zip(op.arguments, before.args)
            yield from zip(_terminator_operands(after.last_op), before.args)
            condition = before.last_op
            if isinstance(condition, scf.ConditionOp):
                yield from zip(condition.args, after.args)
                yield from zip(condition.args, op.res)
        case RegionOp():
            yield from zip(_terminator_operands(op.body.block.last_op), op.outputs)
        case _:
            return


def _terminator_operands(last: Operation | None) -> Iterable[SSAValue]:
    return last.operands if isinstance(last, scf.YieldOp | YieldOp) else ()
