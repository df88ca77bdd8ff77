"""
`vyre-outline-regions`: regions that occur more than once become programs.

Before:

```mlir
vyre.schedule @p {
  ...
  vyre.launch @p.0(%x, %y, %a)
}
vyre.program @p.0 [64, 1, 1] {
  ...
  vyre.region "w0" from "saxpy" { ... }     // x, y
  vyre.region "w1" from "scale" { ... }     // a
}
```

After:

```mlir
vyre.schedule @p {
  ...
  vyre.launch @p.0(%x, %y, %a)
  vyre.launch @p.0.w1(%a) concurrent
}
vyre.program @p.0 [64, 1, 1] {
  ...
  vyre.region "w0" from "saxpy" { ... }
}
vyre.program @p.0.w1 [64, 1, 1] {
  %a = ...
  vyre.region "w1" from "scale" { ... }
}
```

Why the meaning stays: a region that goes gives no values to others and needs none but
what is computed from the table, literals and ids, which is computed again. It has no buffer
in common with the rest of the program that one of the two writes, so neither can see how
far the other is, in any invocation. That holds for workgroup memory, too, unless each reads
only what it has written there itself: then every program has its own. Regions that are
marked as apart have no element of a buffer in common, which is as good. Programs in which
invocations return or trap stay whole. So it is the same whether an invocation executes the
two one after the other or not.

This is done for regions that are the same as others, see `vyre.lowering.llvm.forms`: they
are compiled once, whatever they were fused with. And for those that are executed several
times, see `vyre-launch-instances`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from vyre.analysis.buffer_sources import (
    Declaration,
    buffer_sources,
    is_workgroup_memory,
)
from vyre.analysis.purity import PURE_OPS, is_pure
from vyre.analysis.walking import launches_in, operations_in, operations_of
from vyre.analysis.workgroup_liveness import used_in_turn
from vyre.dialects import vyre
from vyre.dialects.vyre.structure import APART
from vyre.lowering.llvm.forms import Form, form_of
from vyre.passes.dead_code import remove_dead_code
from vyre.passes.rules.reserved import INSTANCES
from vyre.passes.tables import free_symbol

_TABLE = (vyre.BufferOp, vyre.ParamOp)


@dataclass(frozen=True)
class OutlineRegionsPass(ModulePass):
    """Makes programs of regions that are the same as others."""

    name = "vyre-outline-regions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        outline_regions(launches_in(op))


@dataclass(frozen=True)
class _Part:
    """A region that can be a program of its own, and what it needs beyond the table."""

    region: vyre.RegionOp
    needed: Sequence[Operation]
    form: Form


def outline_regions(launches: Mapping[vyre.ProgramOp, Sequence[vyre.LaunchOp]]) -> None:
    """
    Let regions that are the same as others be programs of their own.

    Example: `outline_regions(launches_in(module))`
    """
    active = {program: executed(program) for program in launches}
    if all(len(ops) == 1 for ops in active.values()):
        return
    parts = {program: list(_parts(program, ops)) for program, ops in active.items()}
    count = Counter(part.form.key for found in parts.values() for part in found)
    for program, found in parts.items():
        several = [
            part
            for part in found
            if count[part.form.key] > 1 or INSTANCES in part.region.attributes
        ]
        if len(several) == len(active[program]):
            several = several[1:]
        for part in reversed(several):
            _outline(part, program, launches[program])
        if several:
            remove_dead_code(program.body.block)


def executed(program: vyre.ProgramOp) -> list[Operation]:
    """
    What a program does besides computing values.

    Example: `executed(program)` are the regions of a fused program.
    """
    ops = program.body.block.ops
    return [op for op in ops if not isinstance(op, _TABLE) and not is_pure(op)]


def _parts(program: vyre.ProgramOp, active: Sequence[Operation]) -> Iterator[_Part]:
    """The regions that have nothing to do with the rest of their program."""
    is_alone = len(active) == 1
    if not is_alone and any(
        isinstance(op, vyre.ReturnOp | vyre.TrapOp) for op in operations_in(program.body)
    ):
        return
    independent = set(active) if is_alone else _independent(program, active)
    for op in active:
        if isinstance(op, vyre.RegionOp) and not op.outputs and op in independent:
            needed = _needed(op)
            if needed is not None:
                yield _Part(op, needed, form_of([*needed, op]))


def _independent(program: vyre.ProgramOp, active: Sequence[Operation]) -> set[Operation]:
    """Operations that have no buffer in common with another one that one of them writes."""
    sources = buffer_sources(program)
    touched = {op: _touched(op, sources) for op in active}
    users: defaultdict[Declaration, list[Operation]] = defaultdict(list)
    for op, found in touched.items():
        for buffer in found:
            users[buffer].append(op)
    written = {buffer for found in touched.values() for buffer in found if found[buffer]}
    shared = {buffer for buffer in written if len(users[buffer]) > 1}
    if any(map(is_workgroup_memory, shared)):
        shared.difference_update(used_in_turn(program, active))
    shared = {buffer for buffer in shared if not _are_apart(buffer, users[buffer])}
    return {op for op, found in touched.items() if shared.isdisjoint(found)}


def _are_apart(buffer: Declaration, users: Sequence[Operation]) -> bool:
    """Whether all that touch a buffer are marked as apart from each other."""
    groups = {op.attributes.get(APART) for op in users}
    return len(groups) == 1 and None not in groups and not is_workgroup_memory(buffer)


def _touched(
    root: Operation, sources: dict[SSAValue, tuple[Declaration, ...]]
) -> dict[Declaration, bool]:
    """The buffers that are touched inside an operation, and whether they may be written."""
    found: dict[Declaration, bool] = {}
    for op in operations_of(root):
        if type(op) in PURE_OPS or isinstance(op, vyre.LengthOp):
            continue
        for operand in op.operands:
            for buffer in sources.get(operand, ()):
                is_written = not isinstance(op, vyre.LoadOp)
                found[buffer] = found.get(buffer, False) or is_written
    return found


def _needed(region: vyre.RegionOp) -> list[Operation] | None:
    """What a region needs beyond the table, in order; None if that is not pure."""
    found: set[Operation] = set()
    pending: list[Operation] = list(operations_of(region))
    inside = set(pending)
    for op in pending:
        for value in op.operands:
            owner = value.owner
            if not isinstance(owner, Operation) or owner in inside or owner in found:
                continue
            if not isinstance(owner, _TABLE):
                if not is_pure(owner):
                    return None
                found.add(owner)
                pending.append(owner)
    return _in_order(found, region)


def _in_order(ops: set[Operation], region: vyre.RegionOp) -> list[Operation]:
    if not ops:
        return []
    assert region.parent is not None
    return [op for op in region.parent.ops if op in ops]


def _outline(
    part: _Part, program: vyre.ProgramOp, launches: Iterable[vyre.LaunchOp]
) -> None:
    """Move a region to a program of its own, which is launched with the old one."""
    copies: dict[SSAValue, SSAValue] = {}
    used = set(part.form.entries)
    table = [entry for entry in program.table if entry in used]
    before = [op.clone(copies) for op in (*table, *part.needed)]
    part.region.detach()
    _use(copies, operations_of(part.region))
    name = _free_name(program, part.region)
    outlined = vyre.ProgramOp(name, program.workgroup, [*before, part.region])
    outlined.attributes.update(program.attributes)
    outlined.location = part.region.location
    Rewriter.insert_op(outlined, InsertPoint.after(program))
    table = list(program.launch_table)
    for launch in launches:
        given = zip(table, launch.arguments, strict=True)
        arguments = [argument for entry, argument in given if entry in used]
        joining = vyre.LaunchOp(name, arguments, concurrent=True)
        joining.location = launch.location
        Rewriter.insert_op(joining, InsertPoint.after(launch))


def _use(copies: dict[SSAValue, SSAValue], ops: Iterable[Operation]) -> None:
    for op in ops:
        for index, operand in enumerate(op.operands):
            if operand in copies:
                op.operands[index] = copies[operand]


def _free_name(program: vyre.ProgramOp, region: vyre.RegionOp) -> str:
    """A name for a region of a program that no program beside it has."""
    assert program.parent is not None
    label = "part" if region.generator is None else region.generator.data
    return free_symbol(program.parent, f"{program.sym_name.data}.{label}")
