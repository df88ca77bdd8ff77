"""
`vyre-rewrite-access`: launched programs declare what they touch, and no more.

Before:

```mlir
vyre.program @p.0 [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 output : memref<?xf32>
  %c = vyre.buffer "c" read_write binding 2 : memref<?xf32>
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %v = vyre.load %a[%i] : memref<?xf32>
  vyre.store %v, %b[%i] : memref<?xf32>
}
vyre.schedule @p {
  ...
  vyre.launch @p.0(%a, %b, %c, %n)
}
```

After:

```mlir
vyre.program @p.0 [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %b = vyre.buffer "b" write_only binding 1 : memref<?xf32>
  %i = vyre.invocation_id x
  %v = vyre.load %a[%i] : memref<?xf32>
  vyre.store %v, %b[%i] : memref<?xf32>
}
vyre.schedule @p {
  ...
  vyre.launch @p.0(%a, %b)
}
```

Entries without a use go, with the argument that every launch passes for them. A buffer
that is only read becomes `read_only` (a `uniform` one stays so), one that is only written
`write_only`, one of which only the size is asked `read_only`; atomics, collectives and
copies count by their effects, and a memref that a loop carries stands for all its sources.
What only concerns the caller goes too, because the schedule declares it: `output`,
`live_out`, `range` and the kind `persistent`. Programs that no schedule launches belong to
callers and stay as they are, and so does a program with an operation that Vyre does not
know, which might touch everything.

Why the meaning stays. A launch works in place on the schedule's storage: what a program
does not name, or does not write, keeps its contents, and a `write_only` buffer keeps the
elements that are not written. So a table says only what a program may do. Every operation
in the program is still allowed by what is left, and an access never allows more than
before, which keeps it within what the schedule grants.
"""

from collections import defaultdict
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.traits import MemoryEffectKind

from vyre.analysis.buffer_sources import Declaration, buffer_sources
from vyre.analysis.purity import effects_of, is_known
from vyre.analysis.walking import operations_in, units_in
from vyre.dialects.vyre import BufferOp, LaunchOp, ParamOp, ProgramOp, ScheduleOp
from vyre.dialects.vyre.attributes import Access, AccessAttr, MemoryKind
from vyre.dialects.vyre.host import programs_in


@dataclass(frozen=True)
class RewriteAccessPass(ModulePass):
    """Narrows the tables of the programs that schedules launch."""

    name = "vyre-rewrite-access"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        launches: defaultdict[ProgramOp, list[LaunchOp]] = defaultdict(list)
        for schedule in units_in(op, ScheduleOp):
            for program, found in _launches(schedule).items():
                launches[program] += found
        for program, found in launches.items():
            if all(map(is_known, operations_in(program.body))):
                _narrow(program, found)


def _launches(schedule: ScheduleOp) -> dict[ProgramOp, list[LaunchOp]]:
    """The programs that a schedule launches, and where it does."""
    assert schedule.parent is not None
    programs = programs_in(schedule.parent)
    launches: defaultdict[ProgramOp, list[LaunchOp]] = defaultdict(list)
    for op in operations_in(schedule.body):
        if isinstance(op, LaunchOp):
            launches[programs[op.segment.string_value()]].append(op)
    return launches


@dataclass
class _Touched:
    """The buffers that a program may read and write."""

    read: set[Declaration] = field(default_factory=set[Declaration])
    written: set[Declaration] = field(default_factory=set[Declaration])


def _touched(program: ProgramOp) -> _Touched:
    sources = buffer_sources(program)
    touched = _Touched()
    for op in operations_in(program.body):
        if op.regions:
            continue
        for effect in effects_of(op) or ():
            if isinstance(effect.value, SSAValue):
                is_read = effect.kind is MemoryEffectKind.READ
                found = touched.read if is_read else touched.written
                found.update(sources.get(effect.value, ()))
    return touched


def _narrow(program: ProgramOp, launches: list[LaunchOp]) -> None:
    _drop_arguments(program, launches)
    touched = _touched(program)
    for entry in list(program.table):
        if not _is_used(entry):
            Rewriter.erase_op(entry)
        elif isinstance(entry, BufferOp) and entry.access.data is not Access.WORKGROUP:
            reads, writes = entry in touched.read, entry in touched.written
            entry.access = AccessAttr(_least(entry.access.data, reads, writes))
            _leave_to_the_schedule(entry)


def _drop_arguments(program: ProgramOp, launches: list[LaunchOp]) -> None:
    """Launches no longer pass anything for entries without a use."""
    is_used = [_is_used(entry) for entry in program.launch_table]
    if all(is_used):
        return
    for launch in launches:
        pairs = zip(launch.arguments, is_used, strict=True)
        launch.operands = [argument for argument, used in pairs if used]


def _is_used(entry: BufferOp | ParamOp) -> bool:
    return entry.results[0].first_use is not None


def _least(declared: Access, reads: bool, writes: bool) -> Access:
    """
    The access for these uses, within what is declared. Uses count through others that may
    alias, also through those that in fact are never the same buffer.
    """
    reads, writes = reads and declared.readable, writes and declared.writable
    if reads and writes:
        return Access.READ_WRITE
    if writes or (not reads and not declared.readable):
        return Access.WRITE_ONLY
    return Access.UNIFORM if declared is Access.UNIFORM else Access.READ_ONLY


def _leave_to_the_schedule(buffer: BufferOp) -> None:
    """Drop what says how the caller sees the buffer."""
    buffer.output = None
    buffer.live_out = None
    buffer.output_range = None
    if buffer.memory_kind is MemoryKind.PERSISTENT:
        buffer.kind = None
