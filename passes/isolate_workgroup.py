"""
`vyre-isolate-workgroup`: a program for one workgroup, which is a grid of its own.

Before:

```mlir
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  ...
  vyre.barrier acq_rel
```

After:

```mlir
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" read_write binding 1 : memref<64xf32>
  %group_x = vyre.param "vyre.workgroup_id.x" : index
  ...
  %l = vyre.local_id x
  %first = arith.muli %group_x, %c64 : index
  %i = arith.addi %first, %l : index
  ...
  vyre.barrier grid_sync
```

The result is run once for each workgroup of the original's grid, on a grid of one. Its
table has what a launch of the original passes, then the former workgroup buffers, which
are zeros when a workgroup starts, then the workgroup's id and the number of workgroups
along x, y and z.

Why the meaning stays. In a grid of one workgroup its barriers are met by the whole grid,
and its memory is memory of the grid; ids of the grid are computed from the id of the
workgroup as they are defined. What is the same in a workgroup is now the same in the grid,
and phases of the workgroup are phases of the grid. So control around barriers is as uniform
as it has to be, and whatever is found out about a phase of the grid (such as a buffer that
nothing writes in it) holds for the original: another workgroup that wrote an element which
this one reads would race with it, because no barrier of a workgroup is between them. What
meets others or keeps something for them is refused: grid barriers, collectives, scratch.

A trap does not say which invocation it is: whoever reports it adds the workgroup's place.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from vyre.analysis.phases import COLLECTIVES
from vyre.analysis.walking import operations_in
from vyre.diagnostics import invalid
from vyre.dialects.refusal import Note, Refusal
from vyre.dialects.vyre import (
    BarrierOp,
    BufferOp,
    InvocationIdOp,
    LaunchOp,
    LinearIdOp,
    LocalIdOp,
    ParamOp,
    ProgramOp,
    ScratchOp,
    WorkgroupCountOp,
    WorkgroupIdOp,
)
from vyre.dialects.vyre.attributes import (
    Access,
    AccessAttr,
    Axis,
    LinearScope,
    Ordering,
    OrderingAttr,
)
from vyre.passes.expand_switches import expand_switches
from vyre.passes.placing import constant
from vyre.passes.tables import free_name, next_binding


@dataclass(frozen=True)
class IsolateWorkgroupPass(ModulePass):
    """Turns every program into one for a single workgroup."""

    name = "vyre-isolate-workgroup"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expand_switches(op)
        ops = list(op.walk())
        launches = {
            launch.segment.string_value(): launch
            for launch in ops
            if isinstance(launch, LaunchOp)
        }
        for program in ops:
            if isinstance(program, ProgramOp):
                try:
                    _refuse_launched(program, launches.get(program.sym_name.data))
                    isolate_workgroup(program)
                except Refusal as refusal:
                    raise invalid(program, refusal) from None


@dataclass(frozen=True)
class WorkgroupTable:
    """
    The table of a program for one workgroup, by names; it has them in this order.

    Example: `isolate_workgroup(program).memory` is `["tile"]`.
    """

    passed: Sequence[str]
    """What a launch of the original passes."""
    memory: list[str]
    """Memory of the workgroup, which starts as zeros."""
    ids: Sequence[str]
    """The workgroup's id and the number of workgroups, along x, y and z each."""


def isolate_workgroup(program: ProgramOp) -> WorkgroupTable:
    """
    Turn a program without grid barriers into one that does the work of one workgroup.

    Example: `isolate_workgroup(program).ids[0]` is `"vyre.workgroup_id.x"`.
    """
    for op in operations_in(program.body):
        _refuse_what_leaves_the_workgroup(op)
    passed = list(program.launch_table)
    table = WorkgroupTable(
        [entry.entry_name.data for entry in passed],
        [],
        [free_name(program, name) for name in _ID_NAMES],
    )
    ids = [ParamOp(name, IndexType()) for name in table.ids]
    for entry, name in zip(ids, _ID_HINTS):
        entry.location = program.location
        entry.value.name_hint = name
    for entry in passed:
        entry.detach()
    Rewriter.insert_op([*passed, *ids], InsertPoint.at_start(program.body.block))
    widen_workgroup_scope(program, table)
    _Ids(program, ids).replace()
    return table


_ID_NAMES = [f"vyre.workgroup_{what}.{axis}" for what in ("id", "count") for axis in Axis]
_ID_HINTS = [f"{what}_{axis}" for what in ("group", "groups") for axis in Axis]


def widen_workgroup_scope(program: ProgramOp, table: WorkgroupTable) -> None:
    """
    Let the barriers and the memory of the only workgroup be the grid's, and give all
    memory that starts as zeros a place in the table. Passes that add barriers of workgroups
    to an isolated program make this necessary again.

    Example: `widen_workgroup_scope(program, table)` after `expand_subgroups(program)`
    """
    block = program.body.block
    taken = {entry.entry_name.data: entry for entry in program.table}
    first_id = taken[table.ids[0]]
    binding = next_binding(program)
    for op in list(block.ops):
        match op:
            case BufferOp() if op.access.data is Access.WORKGROUP:
                op.access = AccessAttr(Access.READ_WRITE)
                op.kind = None
                buffer = op
            case ScratchOp():
                name = free_name(program, op.memref.name_hint or "scratch")
                buffer = BufferOp(name, Access.READ_WRITE, op.memref.type)
                buffer.location = op.location
                Rewriter.replace_op(op, buffer)
            case _:
                continue
        buffer.binding = IntegerAttr(binding, i64)
        binding += 1
        table.memory.append(buffer.entry_name.data)
        buffer.detach()
        block.insert_op_before(buffer, first_id)
    for op in operations_in(program.body):
        if isinstance(op, BarrierOp):
            op.ordering = OrderingAttr(Ordering.GRID_SYNC)


class _Ids:
    """Computes the ids of the original's grid, each once, before the program's code."""

    def __init__(self, program: ProgramOp, ids: Sequence[ParamOp]):
        self._program = program
        self._group = dict(zip(Axis, (entry.value for entry in ids[:3])))
        self._groups = dict(zip(Axis, (entry.value for entry in ids[3:])))
        self._size = dict(zip(Axis, program.workgroup))
        self._last: Operation = ids[-1]
        """After which the next operation is put."""
        self._location = program.location
        self._invocation: dict[Axis, SSAValue] = {}
        self._linear: dict[LinearScope, SSAValue] = {}

    def replace(self) -> None:
        for op in list(operations_in(self._program.body)):
            self._location = op.location
            value = self._value(op)
            if value is not None:
                if value.name_hint is None:
                    value.name_hint = op.results[0].name_hint
                Rewriter.replace_op(op, [], [value])

    def _value(self, op: Operation) -> SSAValue | None:
        match op:
            case WorkgroupIdOp():
                return self._group[op.axis.data]
            case WorkgroupCountOp():
                return self._groups[op.axis.data]
            case InvocationIdOp():
                return self._invocation_id(op.axis.data)
            case LinearIdOp() if op.scope.data is not LinearScope.LOCAL:
                return self._linear_id(op.scope.data)
            case _:
                return None

    def _invocation_id(self, axis: Axis) -> SSAValue:
        if axis not in self._invocation:
            size = self._size[axis]
            value = self._group[axis]
            if size > 1:
                first = self._times(value, size)
                first.name_hint = f"first_{axis}"
                local = self._put(LocalIdOp(axis))
                value = self._put(arith.AddiOp(first, local))
            self._invocation[axis] = value
        return self._invocation[axis]

    def _linear_id(self, scope: LinearScope) -> SSAValue:
        """The number of a place in the grid, x fastest."""
        if scope not in self._linear:
            place, extent = self._group, self._groups
            if scope is LinearScope.INVOCATION:
                place = {axis: self._invocation_id(axis) for axis in Axis}
                extent = {a: self._times(self._groups[a], self._size[a]) for a in Axis}
            number = place[Axis.Z]
            for axis in (Axis.Y, Axis.X):
                rows = self._put(arith.MuliOp(number, extent[axis]))
                number = self._put(arith.AddiOp(rows, place[axis]))
            self._linear[scope] = number
        return self._linear[scope]

    def _times(self, value: SSAValue, factor: int) -> SSAValue:
        if factor == 1:
            return value
        by = self._put(constant(factor, IndexType()))
        return self._put(arith.MuliOp(value, by))

    def _put(self, op: Operation) -> SSAValue:
        op.location = self._location
        Rewriter.insert_op(op, InsertPoint.after(self._last))
        self._last = op
        return op.results[0]


def _refuse_what_leaves_the_workgroup(op: Operation) -> None:
    if type(op) is BarrierOp and op.is_grid_sync:
        raise Refusal(
            "the whole grid meets here, so no workgroup can run on its own",
            fix="run vyre-host-plan first",
            at=op,
        )
    if type(op) in COLLECTIVES:
        raise Refusal(
            "other ranks take part here, so no workgroup can run on its own",
            fix="launch the collective as a program of its own",
            at=op,
        )
    if type(op) is ScratchOp:
        raise Refusal(
            "scratch outlives a workgroup, so none can run on its own",
            fix="declare a buffer instead, or let a schedule pass the scratch",
            at=op,
        )


def _refuse_launched(program: ProgramOp, launch: LaunchOp | None) -> None:
    if launch is not None:
        raise Refusal(
            "a schedule launches this program for a whole grid",
            fix="take the program out of its module",
            at=program,
            notes=[Note(launch, "launched here")],
        )
