"""
A program always knows which buffers an access may touch.

Every memref has sources (see `vyre.analysis.buffer_sources`). Choosing a buffer with
`arith.select` or `scf.if`, or making a new view of one, would hide them and is refused.
What an operation asks of a buffer must hold for each source: that it is or is not workgroup
memory, that two arguments of which one is written are different buffers, and that scratch
of an invocation or workgroup is accessed by its owner. That it may be read or written must
hold for each declaration the memref is named after: an alias may allow more, or less.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import MemoryEffectKind

from vyre.analysis.buffer_sources import (
    Declaration,
    is_memref,
    named_buffers,
    never_the_same,
    shared_storage,
    with_aliases,
)
from vyre.analysis.purity import effects_of
from vyre.analysis.walking import operations_in
from vyre.dialects.refusal import Note, Refusal
from vyre.dialects.vyre import (
    AllGatherOp,
    AllReduceOp,
    AsyncLoadOp,
    AsyncStoreOp,
    AtomicCasOp,
    AtomicOp,
    BroadcastOp,
    BufferOp,
    LaunchOp,
    LinearIdOp,
    LoadOp,
    ProgramOp,
    ReduceScatterOp,
    ScheduleOp,
    ScratchOp,
    StoreOp,
)
from vyre.dialects.vyre.attributes import Access
from vyre.dialects.vyre.host import programs_in

Sources = Mapping[SSAValue, tuple[Declaration, ...]]


def verify_memrefs(program: ProgramOp | ScheduleOp) -> None:
    """Refuse memrefs without sources, and uses that a source does not allow."""
    names = named_buffers(program)
    sources = with_aliases(names)
    segments = {} if program.parent is None else programs_in(program.parent)
    for op in operations_in(program.body):
        for value in _defined_values(op):
            if is_memref(value) and value not in sources:
                _refuse_origin(op, value)
        if isinstance(op, LaunchOp):
            segment = segments[op.segment.string_value()]
            _verify_launch(op, segment, names)
            _require_different(op, _passed_to(segment, op), sources)
        elif not op.regions:
            _verify_access(op, names)
            _verify_memory(op, sources)
            _verify_scratch(op, sources)


def _defined_values(op: Operation) -> Iterator[SSAValue]:
    yield from op.results
    for region in op.regions:
        for block in region.blocks:
            yield from block.args


def _refuse_origin(op: Operation, value: SSAValue) -> None:
    if isinstance(op, arith.SelectOp):
        raise Refusal(
            "chooses between buffers",
            fix="load from both and select the value, or branch around the accesses",
            at=op,
        )
    at = value if isinstance(value.owner, Block) else op
    raise Refusal(
        f"makes a {value.type} that is not a declared buffer",
        fix="access the 'vyre.buffer' itself, or carry it through a loop",
        at=op,
        notes=[Note(at, "this value")] if at is not op else [],
    )


def _verify_access(op: Operation, names: Sources) -> None:
    for effect in effects_of(op) or ():
        if isinstance(effect.value, SSAValue):
            reads = effect.kind is MemoryEffectKind.READ
            writes = effect.kind is MemoryEffectKind.WRITE
            _require_access(op, names.get(effect.value, ()), reads, writes)


def _require_access(
    op: Operation, declarations: tuple[Declaration, ...], reads: bool, writes: bool
) -> None:
    for declaration in declarations:
        if not isinstance(declaration, BufferOp):
            continue
        access = declaration.access.data
        if (reads and not access.readable) or (writes and not access.writable):
            verb = "read" if reads and not access.readable else "write"
            raise Refusal(
                f"may {verb} the {access} buffer "
                f'"{declaration.entry_name.data}" through a carried memref',
                fix="declare the buffer read_write",
                at=op,
                notes=[Note(declaration, "declared here")],
            )


def _verify_memory(op: Operation, sources: Sources) -> None:
    """Which operations work on workgroup memory, and which on two different buffers."""
    match op:
        case AsyncLoadOp():
            text = "an asynchronous load takes from workgroup memory"
            fix = "use 'vyre.async_store' to copy out of workgroup memory"
            _require_global(op, sources.get(op.source, ()), text, fix)
        case AsyncStoreOp():
            text = "an asynchronous store writes to workgroup memory"
            fix = "use 'vyre.async_load' to copy into workgroup memory"
            _require_global(op, sources.get(op.destination, ()), text, fix)
        case AllReduceOp() | BroadcastOp() | AllGatherOp() | ReduceScatterOp():
            for operand in op.operands:
                text = "ranks cannot exchange workgroup memory"
                fix = "copy it to a buffer of the grid first"
                _require_global(op, sources.get(operand, ()), text, fix)
            passed = [_Passed(operand, True) for operand in op.operands]
            _require_different(op, passed, sources)
        case _:
            pass


def _require_global(
    op: Operation, declarations: tuple[Declaration, ...], text: str, fix: str
) -> None:
    for declaration in declarations:
        if (
            isinstance(declaration, BufferOp)
            and declaration.access.data is Access.WORKGROUP
        ):
            raise Refusal(text, fix=fix, at=op, notes=[Note(declaration, "declared here")])


def _verify_launch(op: LaunchOp, segment: ProgramOp, names: Sources) -> None:
    """A launch accesses its arguments as the segment's table says."""
    for argument, entry in zip(op.arguments, segment.launch_table):
        if isinstance(entry, BufferOp):
            access = entry.access.data
            found = names.get(argument, ())
            _require_access(op, found, access.readable, access.writable)


class _Passed(NamedTuple):
    """A buffer that an operation is given."""

    buffer: SSAValue
    written: bool
    storage: frozenset[int] = frozenset()
    """Numbers of what it may have in common with others."""


def _passed_to(segment: ProgramOp, op: LaunchOp) -> list[_Passed]:
    """The buffers that a launch is given."""
    return [
        _Passed(argument, entry.access.data.writable, shared_storage(entry))
        for argument, entry in zip(op.arguments, segment.launch_table)
        if isinstance(entry, BufferOp)
    ]


def _require_different(op: Operation, passed: list[_Passed], sources: Sources) -> None:
    """No buffer is passed twice if one of the two is written, unless both may alias."""
    by_source: defaultdict[Declaration, list[_Passed]] = defaultdict(list)
    for argument in passed:
        for source in sources.get(argument.buffer, ()):
            by_source[source].append(argument)
    for same in by_source.values():
        for one, other in combinations(same, 2):
            may_alias = one.storage & other.storage
            if may_alias or not (one.written or other.written):
                continue
            if not never_the_same(one.buffer, other.buffer):
                raise Refusal(
                    "may be given one buffer twice, and writes it",
                    fix="pass two different buffers; a loop keeps carried buffers apart if "
                    "it only permutes them",
                    at=op,
                    notes=[Note(other.buffer, "this one")],
                )


_ACCESSES = (LoadOp, StoreOp, AtomicOp, AtomicCasOp)


def _verify_scratch(op: Operation, sources: Sources) -> None:
    """In a program everyone accesses their own scratch, if it is not a single one."""
    if not isinstance(op, _ACCESSES):
        return
    for declaration in sources.get(op.buffer, ()):
        if not isinstance(declaration, ScratchOp):
            continue
        scope = declaration.scope.data.owner
        owner = op.indices[0].owner if op.indices else None
        if scope is None or (isinstance(owner, LinearIdOp) and owner.scope.data is scope):
            continue
        raise Refusal(
            f"accesses {declaration.scope.data} scratch that may not be its own",
            fix=f"use `vyre.linear_id {scope}` as the first index",
            at=op,
            notes=[Note(declaration, "declared here")],
        )
