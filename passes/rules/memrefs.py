"""
A program always knows which buffers an access may touch.

Every memref has sources (see `vyre.analysis.buffer_sources`). Choosing a buffer with
`arith.select` or `scf.if`, or making a new view of one, would hide them and is refused.
An access through a carried memref must be allowed on each of its sources.
"""

from collections.abc import Iterator, Mapping

from xdsl.dialects import arith
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import MemoryEffectKind, get_effects

from vyre.analysis.buffer_sources import Declaration, buffer_sources, is_memref
from vyre.dialects.refusal import Note, Refusal
from vyre.dialects.vyre import BufferOp, LaunchOp, ProgramOp, ScheduleOp
from vyre.dialects.vyre.host import programs_in

Sources = Mapping[SSAValue, tuple[Declaration, ...]]


def verify_memrefs(program: ProgramOp | ScheduleOp) -> None:
    """Refuse memrefs without sources, and accesses that a source does not allow."""
    sources = buffer_sources(program)
    segments = {} if program.parent is None else programs_in(program.parent)
    for op in program.body.walk():
        for value in _defined_values(op):
            if is_memref(value) and value not in sources:
                _refuse_origin(op, value)
        if isinstance(op, LaunchOp):
            _verify_launch(op, segments[op.segment.string_value()], sources)
        else:
            _verify_access(op, sources)


def _defined_values(op: Operation) -> Iterator[SSAValue]:
    yield from op.results
    for region in op.regions:
        for block in region.blocks:
            yield from block.args


def _refuse_origin(op: Operation, value: SSAValue) -> None:
    if isinstance(op, arith.SelectOp):
        raise Refusal(
            "chooses between buffers for each invocation",
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


def _verify_access(op: Operation, sources: Sources) -> None:
    for effect in get_effects(op) or ():
        value = effect.value
        if not isinstance(value, SSAValue) or not isinstance(value.type, MemRefType):
            continue
        reads = effect.kind is MemoryEffectKind.READ
        writes = effect.kind is MemoryEffectKind.WRITE
        _require(op, sources.get(value, ()), reads, writes)


def _verify_launch(op: LaunchOp, segment: ProgramOp, sources: Sources) -> None:
    """A launch accesses its arguments as the segment's table says."""
    for argument, entry in zip(op.arguments, segment.launch_table):
        if isinstance(entry, BufferOp):
            access = entry.access.data
            found = sources.get(argument, ())
            _require(op, found, access.readable, access.writable)


def _require(
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
