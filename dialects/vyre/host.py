"""What the host does with a program that was split: schedules and their ops."""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import ClassVar

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    FlatSymbolRefAttrConstr,
    IndexType,
    IntegerType,
    MemRefType,
    StringAttr,
    SymbolNameConstraint,
    SymbolRefAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Block, BlockOps, Operation, Region, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import (
    EffectInstance,
    IsolatedFromAbove,
    NoTerminator,
    SymbolOpInterface,
)

from vyre.dialects.refusal import Note, Refusal
from vyre.dialects.vyre.accesses import verify_readable
from vyre.dialects.vyre.attributes import ScratchScope, ScratchScopeAttr
from vyre.dialects.vyre.buffers import (
    BufferOp,
    ParamOp,
    memref_type,
    verify_buffer_type,
    verify_size,
)
from vyre.dialects.vyre.directives import Arguments, Body
from vyre.dialects.vyre.effects import (
    DeclaresInterface,
    EffectfulOp,
    ListedEffects,
    OrdersMemory,
    reads,
    writes,
)
from vyre.dialects.vyre.placement import InModule, Inside, TopLevelOf
from vyre.dialects.vyre.structure import ProgramOp
from vyre.dialects.vyre.table import (
    verify_grid_from,
    verify_no_block_arguments,
    verify_table,
)


@irdl_op_definition
class ScheduleOp(IRDLOperation):
    """
    Runs programs one after the other, with `scf` around the launches. It has the name and
    the table of the program that it came from; a launch boundary is a grid barrier.
    `grid_from` names the dimensions of buffers from which the grid of that program was
    inferred, if the launched programs do not tell.

    Example:

    ```mlir
    vyre.schedule @p {
      %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
      %s = vyre.scratch per_invocation : memref<?xf32>
      vyre.launch @p.0(%a, %s)
      vyre.launch @p.1(%a, %s)
    }
    ```
    """

    name = "vyre.schedule"

    sym_name = prop_def(SymbolNameConstraint())
    grid_from = opt_prop_def()
    body = region_def("single_block")

    traits = traits_def(
        IsolatedFromAbove(), NoTerminator(), InModule(), SymbolOpInterface()
    )
    custom_directives = (Body,)
    assembly_format = (
        "$sym_name (`grid_from` $grid_from^)? attr-dict-with-keyword custom<Body>($body)"
    )

    def __init__(
        self,
        name: str,
        body: Region | Sequence[Operation] | Sequence[Block],
    ):
        super().__init__(properties={"sym_name": StringAttr(name)}, regions=[body])

    @property
    def table(self) -> Iterator[BufferOp | ParamOp]:
        """Buffers and parameters in declaration order."""
        return (
            op for op in self.body.block.ops if type(op) is BufferOp or type(op) is ParamOp
        )

    def verify_(self) -> None:
        verify_no_block_arguments(self, self.body.block)
        verify_table(self.table)
        verify_grid_from(self.grid_from, self.table)
        if self.parent is None:
            return
        programs = programs_in(self.parent)
        first: tuple[LaunchOp, ProgramOp] | None = None
        for op in self.body.walk():
            if not isinstance(op, LaunchOp):
                continue
            segment = programs.get(op.segment.string_value())
            if segment is None:
                raise Refusal(
                    f"there is no program @{op.segment.string_value()} in this module",
                    fix="launch a 'vyre.program' that stands beside the schedule",
                    at=op,
                )
            _verify_launch(op, segment)
            first = first or (op, segment)
            _verify_same_geometry(first, (op, segment))


def programs_in(block: Block) -> dict[str, ProgramOp]:
    """The programs that stand directly in a module's block, by name."""
    return {op.sym_name.data: op for op in block.ops if isinstance(op, ProgramOp)}


def _verify_launch(launch: "LaunchOp", segment: ProgramOp) -> None:
    """That the arguments are what the segment declares, entry by entry."""
    expected = list(segment.launch_table)
    note = Note(segment, "the program that is launched")
    if len(launch.arguments) != len(expected):
        raise Refusal(
            f"{len(launch.arguments)} arguments for the {len(expected)} buffers and "
            f"parameters of @{segment.sym_name.data}",
            fix="pass one argument for each, in declaration order",
            at=launch,
            notes=[note],
        )
    for argument, entry in zip(launch.arguments, expected):
        _verify_argument(launch, argument, entry)


def _verify_argument(
    launch: "LaunchOp", argument: SSAValue, entry: BufferOp | ParamOp
) -> None:
    name = entry.entry_name.data
    declared = entry.results[0].type
    if argument.type != declared:
        raise Refusal(
            f'argument for "{name}" has type {argument.type}, declared is {declared}',
            fix="pass a value of the declared type",
            at=launch,
            notes=[Note(entry, "declared here")],
        )
    source = argument.owner
    if not isinstance(entry, BufferOp) or not isinstance(source, BufferOp):
        return
    wanted, granted = entry.access.data, source.access.data
    if (wanted.writable and not granted.writable) or (
        wanted.readable and not granted.readable
    ):
        raise Refusal(
            f'"{name}" is {wanted} in the program but {granted} in the schedule',
            fix="widen the access in the schedule, or narrow it in the program",
            at=launch,
            notes=[Note(entry, "declared here"), Note(source, "passed from here")],
        )


def _verify_same_geometry(
    first: tuple["LaunchOp", ProgramOp], other: tuple["LaunchOp", ProgramOp]
) -> None:
    """One launch geometry: invocation i of each segment is the same invocation."""
    if first[1].workgroup != other[1].workgroup:
        raise Refusal(
            f"workgroup size {list(other[1].workgroup)} of @{other[1].sym_name.data} "
            f"differs from {list(first[1].workgroup)} of @{first[1].sym_name.data}",
            fix="use one workgroup size for all programs of a schedule",
            at=other[0],
            notes=[Note(first[0], "launched before")],
        )


@irdl_op_definition
class WorkgroupsOp(IRDLOperation):
    """
    Says how to run each workgroup of a program that stands beside it: by a schedule, on a
    grid of one workgroup. It means what the program means; engines may use either.

    The table of the schedule has what a launch of the program passes, then memory of the
    workgroup, which is zeros when the schedule starts, then the workgroup's id and the
    number of workgroups, along x, y and z each.

    Example:

    ```mlir
    vyre.workgroups @p {
      vyre.schedule @p { ... }
      vyre.program @p.0 [64, 1, 1] { ... }
    }
    ```
    """

    name = "vyre.workgroups"

    program = prop_def(FlatSymbolRefAttrConstr)
    body = region_def("single_block")

    traits = traits_def(IsolatedFromAbove(), NoTerminator(), InModule())
    custom_directives = (Body,)
    assembly_format = "$program attr-dict-with-keyword custom<Body>($body)"

    def __init__(self, program: str, body: Region | Sequence[Operation] | Sequence[Block]):
        super().__init__(properties={"program": SymbolRefAttr(program)}, regions=[body])

    @property
    def ops(self) -> BlockOps:
        """The schedule and the programs that it launches."""
        return self.body.block.ops

    @property
    def schedule(self) -> ScheduleOp:
        """What is run for each workgroup."""
        return next(op for op in self.ops if isinstance(op, ScheduleOp))

    @property
    def segments(self) -> dict[str, ProgramOp]:
        """The programs that the schedule launches, by name."""
        return programs_in(self.body.block)

    def passed(self, program: ProgramOp) -> list[BufferOp | ParamOp]:
        """What a launch of the program passes."""
        return list(self.schedule.table)[: len(list(program.launch_table))]

    def memory(self, program: ProgramOp) -> list[BufferOp]:
        """Memory of one workgroup, of fixed size."""
        first = len(list(program.launch_table))
        entries = list(self.schedule.table)[first : -len(_IDS)]
        return [entry for entry in entries if isinstance(entry, BufferOp)]

    @property
    def ids(self) -> list[ParamOp]:
        """The workgroup's id and the number of workgroups, along x, y and z each."""
        entries = list(self.schedule.table)[-len(_IDS) :]
        return [entry for entry in entries if isinstance(entry, ParamOp)]

    def verify_(self) -> None:
        if sum(isinstance(op, ScheduleOp) for op in self.ops) != 1:
            raise Refusal(
                "there is not one schedule for a workgroup",
                fix="write one 'vyre.schedule', and beside it what it launches",
            )
        if self.parent is None:
            return
        name = self.program.string_value()
        program = programs_in(self.parent).get(name)
        if program is None:
            raise Refusal(
                f"there is no program @{name} in this module",
                fix="put it beside the program whose workgroups it runs",
            )
        table = list(self.schedule.table)
        given = [entry.results[0].type for entry in program.launch_table]
        memory = table[len(given) : -len(_IDS)]
        types = [entry.results[0].type for entry in table]
        if (
            types[: len(given)] != given
            or types[len(given) + len(memory) :] != list(_IDS)
            or not all(isinstance(entry, BufferOp) for entry in memory)
        ):
            raise Refusal(
                f"the table of the schedule is not that of a workgroup of @{name}",
                fix="declare what a launch passes, memory, and six numbers",
                at=self.schedule,
                notes=[Note(program, "the program whose workgroups are run")],
            )


_IDS = (IndexType(),) * 6
"""The types of a workgroup's id and of the number of workgroups, along x, y and z."""


def workgroups_of(program: ProgramOp) -> WorkgroupsOp | None:
    """How to run the workgroups of a program, if that is said beside it."""
    if program.parent is None:
        return None
    name = program.sym_name.data
    found = (op for op in program.parent.ops if isinstance(op, WorkgroupsOp))
    return next((op for op in found if op.program.string_value() == name), None)


@irdl_op_definition
class LaunchOp(EffectfulOp):
    """
    Runs a program over the whole grid, with one argument for each of its buffers and
    parameters except workgroup buffers, in declaration order. What it wrote is visible
    to the next launch.

    A `concurrent` launch may run at the same time as the launch before it, and as those
    which that one may run with: it promises that none of them writes an element that
    another one accesses. They are reported as the first of them, which may have a name
    for that: `as`.

    Example:

    ```mlir
    vyre.launch @p.0(%a, %s, %n)
    vyre.launch @p.1(%b, %n) concurrent
    vyre.launch @p.0(%b, %s, %n) as "p.2"
    ```
    """

    name = "vyre.launch"

    segment = prop_def(FlatSymbolRefAttrConstr)
    arguments = var_operand_def()
    concurrent = opt_prop_def(UnitAttr)
    reported_as = opt_prop_def(StringAttr)

    traits = traits_def(Inside("vyre.schedule"), ListedEffects(), OrdersMemory())
    custom_directives = (Arguments,)
    assembly_format = (
        "$segment custom<Arguments>($arguments, type($arguments)) "
        "(`concurrent` $concurrent^)? (`as` $reported_as^)? attr-dict"
    )

    def __init__(
        self,
        segment: str,
        arguments: Sequence[SSAValue | Operation],
        *,
        concurrent: bool = False,
    ):
        super().__init__(
            operands=[arguments],
            properties={
                "segment": SymbolRefAttr(segment),
                "concurrent": UnitAttr() if concurrent else None,
            },
        )

    @property
    def label(self) -> str:
        """The name by which the launch is reported."""
        if self.reported_as is not None:
            return self.reported_as.data
        return self.segment.string_value()

    @property
    def head(self) -> "LaunchOp":
        """The first of the launches that may run at the same time as this one."""
        found: LaunchOp = self
        while found.concurrent is not None:
            assert isinstance(found.prev_op, LaunchOp)
            found = found.prev_op
        return found

    @property
    def together(self) -> "list[LaunchOp]":
        """This launch, and the concurrent ones after it."""
        found: list[LaunchOp] = [self]
        following = self.next_op
        while isinstance(following, LaunchOp) and following.concurrent is not None:
            found.append(following)
            following = following.next_op
        return found

    def verify_(self) -> None:
        if self.concurrent is None:
            return
        if self.parent is not None and not isinstance(self.prev_op, LaunchOp):
            raise Refusal(
                "there is no launch before this one that it could run with",
                fix="put it directly after a launch, or leave `concurrent` out",
            )
        if self.reported_as is not None:
            raise Refusal(
                "a concurrent launch is reported as the first of those that run together",
                fix="name the first one, or leave `as` out",
            )

    def effects(self) -> AbstractSet[EffectInstance]:
        memrefs = [value for value in self.arguments if _is_memref(value.type)]
        return {effect(value) for value in memrefs for effect in (reads, writes)}


def _is_memref(type: Attribute) -> bool:
    return isinstance(type, MemRefType)


@irdl_op_definition
class ScratchOp(IRDLOperation):
    """
    Memory of a schedule, filled with zeros when it starts and unknown to the caller. The
    leading `?` of `per_invocation` and `per_workgroup` scratch counts invocations or
    workgroups; element i belongs to the one with linear id i, x fastest. `single` scratch
    exists once.

    A program on its way to a schedule may have scratch too. There the first index into
    scratch of invocations or workgroups is the `vyre.linear_id` of the same scope.

    Example:

    ```mlir
    %s = vyre.scratch per_invocation : memref<?xf32>
    %tile = vyre.scratch per_workgroup : memref<?x256xf32>
    %go = vyre.scratch single : memref<1xi1>
    ```
    """

    name = "vyre.scratch"

    scope = prop_def(ScratchScopeAttr)
    memref = result_def(MemRefType)

    traits = traits_def(TopLevelOf(("vyre.program", "vyre.schedule")), DeclaresInterface())
    assembly_format = "$scope attr-dict `:` type($memref)"

    def __init__(self, scope: ScratchScope, type: MemRefType):
        super().__init__(properties={"scope": ScratchScopeAttr(scope)}, result_types=[type])

    def verify_(self) -> None:
        verify_buffer_type(self.memref.type)
        verify_size(self.memref.type, "scratch")
        shape = self.memref.type.get_shape()
        dynamic = [size == DYNAMIC_INDEX for size in shape]
        single = self.scope.data is ScratchScope.SINGLE
        expected = [not single, *([False] * (len(shape) - 1))]
        if dynamic != expected and not (single and not shape):
            wanted = "no `?`" if single else "a leading `?` and no other"
            raise Refusal(
                f"{self.scope.data} scratch of type {self.memref.type}",
                fix=f"give its type {wanted}",
            )


@irdl_op_definition
class ReadBackOp(EffectfulOp):
    """
    An element that the host reads, for a condition or a bound that a program computed.

    Example:

    ```mlir
    %c = vyre.read_back %go[0] : memref<1xi1>
    ```
    """

    name = "vyre.read_back"

    T: ClassVar = VarConstraint("T", AnyAttr())

    source = operand_def(MemRefType.constr(T))
    position = prop_def(DenseArrayBase[IntegerType].constr(i64))
    value = result_def(T)

    traits = traits_def(Inside("vyre.schedule"), ListedEffects())
    assembly_format = "$source `` $position attr-dict `:` type($source)"

    def __init__(self, source: SSAValue, position: Sequence[int]):
        element = memref_type(source).element_type
        super().__init__(
            operands=[source],
            properties={"position": DenseArrayBase.from_list(i64, position)},
            result_types=[element],
        )

    def effects(self) -> AbstractSet[EffectInstance]:
        return {reads(self.source)}

    def verify_(self) -> None:
        verify_readable(self.source)
        shape = memref_type(self.source).get_shape()
        position = self.position.get_values()
        inside = len(position) == len(shape) and all(
            index >= 0 and (size == DYNAMIC_INDEX or index < size)
            for index, size in zip(position, shape)
        )
        if not inside:
            raise Refusal(
                f"position {list(position)} is outside {self.source.type}",
                fix="name one element by an index for each dimension",
            )
