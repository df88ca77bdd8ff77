"""
Waves: programs that run one after the other as far as they depend on each other.

`vyre-plan-megakernel` puts the waves of a megakernel into groups, and `vyre-fuse-waves`
makes one program of them, with a grid barrier between two groups.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FlatSymbolRefAttrConstr,
    IntegerAttr,
    IntegerType,
    Signedness,
    StringAttr,
    SymbolNameConstraint,
    SymbolRefAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, TypedAttribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
)
from xdsl.traits import IsolatedFromAbove, NoTerminator, SymbolOpInterface

from vyre.dialects.refusal import Note, Refusal, name_of
from vyre.dialects.vyre.attributes import Access
from vyre.dialects.vyre.buffers import BufferOp, ParamOp
from vyre.dialects.vyre.directives import Body
from vyre.dialects.vyre.effects import OrdersMemory
from vyre.dialects.vyre.host import programs_in
from vyre.dialects.vyre.placement import InModule
from vyre.dialects.vyre.structure import ProgramOp
from vyre.dialects.vyre.table import verify_no_block_arguments

MAX_INVOCATIONS = 2**40
"""Larger grids are refused."""

BYTE_COUNT = IntegerType(64, Signedness.UNSIGNED)
"""Numbers of bytes may be larger than an `i64` holds."""


@irdl_op_definition
class WaveOp(IRDLOperation):
    """
    Runs a program once, as part of a megakernel.

    | clause | meaning |
    |---|---|
    | `grid [x, y, z]` | workgroups of this wave; without it, those of the dispatch |
    | `after ["a", "b"]` | the waves that come before |
    | `bytes [f, s, o]` | bytes of what it reads, of its scratch and of what it writes |
    | `with {x = "y", n = 3 : index}` | names and values for entries of the table |
    | `group n` | where the plan has put the wave |

    Without `after`, a wave comes after all waves above it with which it has a buffer in
    common that one of the two writes. Without `bytes`, they are computed from the types of
    the buffers that the program reads and writes.

    Buffers of all waves with the same name are one buffer. A parameter "n" of the program
    is a parameter "wave.n" of the megakernel. `with` gives a buffer or parameter of the
    program another name in the megakernel, or a parameter a value.

    With `after` the author promises that the wave may run together with any other that is
    not ordered with it. Then none of them writes an element that another one accesses.

    Example:

    ```mlir
    vyre.wave "hop" @expand grid [4, 1, 1] after ["seed"] with {acc = "reached"}
    ```
    """

    name = "vyre.wave"

    label = prop_def(StringAttr, prop_name="name")
    program = prop_def(FlatSymbolRefAttrConstr)
    grid = opt_prop_def(DenseArrayBase[IntegerType].constr(i64))
    after = opt_prop_def(ArrayAttr[StringAttr])
    bytes = opt_prop_def(DenseArrayBase[IntegerType].constr(BYTE_COUNT))
    arguments = opt_prop_def(DictionaryAttr)
    group = opt_prop_def(IntegerAttr.constr(i64))

    traits = traits_def(OrdersMemory())
    assembly_format = (
        "$name $program (`grid` $grid^)? (`after` $after^)? (`bytes` $bytes^)? "
        "(`with` $arguments^)? (`group` $group^)? attr-dict"
    )

    def __init__(
        self,
        label: str,
        program: str,
        *,
        grid: Sequence[int] | None = None,
        after: Sequence[str] | None = None,
        bytes: Sequence[int] | None = None,
        arguments: dict[str, Attribute] | None = None,
    ):
        super().__init__(
            properties={
                "name": StringAttr(label),
                "program": SymbolRefAttr(program),
                "grid": None if grid is None else DenseArrayBase.from_list(i64, grid),
                "after": None if after is None else ArrayAttr(map(StringAttr, after)),
                "bytes": None
                if bytes is None
                else DenseArrayBase.from_list(BYTE_COUNT, bytes),
                "arguments": None if arguments is None else DictionaryAttr(arguments),
            }
        )

    @property
    def workgroups(self) -> tuple[int, ...] | None:
        """Workgroups along x, y and z, if they are not those of the dispatch."""
        return None if self.grid is None else self.grid.get_values()

    @property
    def before(self) -> list[str] | None:
        """The names of the waves that come before, if they are given."""
        return None if self.after is None else [name.data for name in self.after]

    def argument(self, entry: BufferOp | ParamOp) -> str | Attribute:
        """
        What an entry of the program's table is in the megakernel: a name or a value.

        Example: `wave.argument(param)` is `"hop.n"`.
        """
        name, arguments = entry.entry_name.data, self.arguments
        given = None if arguments is None else arguments.data.get(name)
        if given is not None:
            return given.data if isinstance(given, StringAttr) else given
        is_shared = (
            isinstance(entry, BufferOp) and entry.access.data is not Access.WORKGROUP
        )
        return name if is_shared else f"{self.label.data}.{name}"

    def verify_(self) -> None:
        parent = self.parent_op()
        if parent is not None and not isinstance(parent, MegakernelOp):
            raise Refusal(
                f"'vyre.wave' stands in a '{name_of(parent)}'",
                fix="move it into the body of a 'vyre.megakernel'",
            )
        if not self.label.data:
            raise Refusal("the wave has no name", fix="name it; others may depend on it")
        if self.grid is not None:
            _verify_extent(self.grid.get_values())
        if self.bytes is not None:
            sizes = self.bytes.get_values()
            if len(sizes) != 3:
                raise Refusal(
                    f"bytes {list(sizes)} are not three numbers",
                    fix="write what it reads, its scratch, and what it writes",
                )
        if self.group is not None and self.group.value.data < 0:
            raise Refusal(
                f"group {self.group.value.data} is negative", fix="number groups from 0"
            )


def _verify_extent(grid: Sequence[int]) -> None:
    if len(grid) != 3 or min(grid) < 1 or prod(grid) > MAX_INVOCATIONS:
        raise Refusal(
            f"grid {list(grid)} is not three axes of at least 1, with at most 2**40 "
            "workgroups",
            fix="write three positive numbers of workgroups, such as [4, 1, 1]",
        )


@irdl_op_definition
class MegakernelOp(IRDLOperation):
    """
    Waves that are to become one program, which has the megakernel's name. Each wave runs
    once, after all waves that it depends on.

    `plan` has the figures of the plan in which the waves are, and `in_order` those of the
    plan without better packing, if that was asked for.

    Example:

    ```mlir
    vyre.megakernel @closure {
      vyre.wave "seed" @copy with {from = "sources", to = "reached"}
      vyre.wave "hop" @expand grid [4, 1, 1]
    }
    ```
    """

    name = "vyre.megakernel"

    sym_name = prop_def(SymbolNameConstraint())
    plan = opt_prop_def(DictionaryAttr)
    in_order = opt_prop_def(DictionaryAttr)
    body = region_def("single_block")

    traits = traits_def(
        IsolatedFromAbove(), NoTerminator(), InModule(), SymbolOpInterface()
    )
    custom_directives = (Body,)
    assembly_format = (
        "$sym_name (`plan` $plan^)? (`in_order` $in_order^)? attr-dict-with-keyword "
        "custom<Body>($body)"
    )

    def __init__(self, name: str, body: Region | Sequence[Operation] | Sequence[Block]):
        super().__init__(properties={"sym_name": StringAttr(name)}, regions=[body])

    @property
    def waves(self) -> Iterator[WaveOp]:
        """The waves as they are written."""
        return (op for op in self.body.block.ops if isinstance(op, WaveOp))

    def programs(self) -> list[ProgramOp]:
        """The program of each wave."""
        assert self.parent is not None
        beside = programs_in(self.parent)
        return [beside[wave.program.string_value()] for wave in self.waves]

    def verify_(self) -> None:
        verify_no_block_arguments(self, self.body.block)
        for op in self.body.block.ops:
            if not isinstance(op, WaveOp):
                raise Refusal(
                    f"'{name_of(op)}' stands in a 'vyre.megakernel'",
                    fix="move it into a program; a megakernel has waves only",
                    at=op,
                )
        waves = list(self.waves)
        _verify_names(waves)
        _verify_groups(waves)
        if self.parent is not None:
            _verify_table(waves, programs_in(self.parent))


def _verify_names(waves: Iterable[WaveOp]) -> None:
    """That names are unique and that those in `after` are names of other waves."""
    named: dict[str, WaveOp] = {}
    for wave in waves:
        first = named.setdefault(wave.label.data, wave)
        if first is not wave:
            raise Refusal(
                f'the wave "{wave.label.data}" is there twice',
                fix="give each wave a name of its own",
                at=wave,
                notes=[Note(first, "first used here")],
            )
    for wave in named.values():
        for name in wave.before or ():
            if name not in named or name == wave.label.data:
                raise Refusal(
                    f'the wave comes after "{name}", which is not another wave here',
                    fix="name waves of this megakernel",
                    at=wave,
                )


def _verify_groups(waves: Sequence[WaveOp]) -> None:
    unplanned = next((wave for wave in waves if wave.group is None), None)
    planned = next((wave for wave in waves if wave.group is not None), None)
    if unplanned is not None and planned is not None:
        raise Refusal(
            "the wave has no group, but another one has",
            fix="remove all groups, or run vyre-plan-megakernel",
            at=unplanned,
            notes=[Note(planned, "has a group")],
        )


def _verify_table(waves: Iterable[WaveOp], programs: dict[str, ProgramOp]) -> None:
    """That programs are there, and what shares a name can be one buffer or parameter."""
    declared: dict[str, BufferOp | ParamOp] = {}
    tables: dict[ProgramOp, dict[str, BufferOp | ParamOp]] = {}
    for wave in waves:
        program = programs.get(wave.program.string_value())
        if program is None:
            raise Refusal(
                f"there is no program @{wave.program.string_value()} in this module",
                fix="name a 'vyre.program' that stands beside the megakernel",
                at=wave,
            )
        table = tables.get(program)
        if table is None:  # A program may have many waves.
            entries = program.table
            table = tables[program] = {entry.entry_name.data: entry for entry in entries}
        _verify_arguments(wave, program, table)
        used: dict[str, BufferOp | ParamOp] = {}
        for entry in table.values():
            name = wave.argument(entry)
            if isinstance(name, str):
                _verify_entry(wave, name, entry, declared, used)


def _verify_arguments(
    wave: WaveOp, program: ProgramOp, table: Mapping[str, BufferOp | ParamOp]
) -> None:
    """That `with` speaks of the program's table, and gives values to parameters only."""
    given = DictionaryAttr({}) if wave.arguments is None else wave.arguments
    for name, value in given.data.items():
        entry = table.get(name)
        if entry is None or _is_tile(entry):
            raise Refusal(
                f'@{program.sym_name.data} has no buffer or parameter "{name}" to pass',
                fix="name entries of the program's table, without workgroup buffers",
                at=wave,
                notes=[Note(program, "the program of the wave")],
            )
        if isinstance(value, StringAttr):
            if not value.data:
                raise Refusal(f'the name for "{name}" is empty', fix="name it", at=wave)
        elif not isinstance(entry, ParamOp) or _type_of(value) != entry.value.type:
            raise Refusal(
                f'"{name}" cannot be {value}',
                fix="write a name in quotes, or for a parameter a number of its type",
                at=wave,
                notes=[Note(entry, "declared here")],
            )


def _type_of(value: Attribute) -> Attribute | None:
    """The type of a number."""
    return value.get_type() if isinstance(value, TypedAttribute) else None


def _verify_entry(
    wave: WaveOp,
    name: str,
    entry: BufferOp | ParamOp,
    declared: dict[str, BufferOp | ParamOp],
    used: dict[str, BufferOp | ParamOp],
) -> None:
    twin = used.setdefault(name, entry)
    if twin is not entry:
        raise Refusal(
            f'two entries of the program are "{name}"',
            fix="give them different names with `with`",
            at=wave,
            notes=[Note(twin, "the first"), Note(entry, "the second")],
        )
    first = declared.setdefault(name, entry)
    is_alike = (
        isinstance(first, ParamOp) == isinstance(entry, ParamOp)
        and _is_tile(first) == _is_tile(entry)
        and first.results[0].type == entry.results[0].type
    )
    if not is_alike:
        raise Refusal(
            f'"{name}" is {_kind(entry)} in this wave, but {_kind(first)} in another one',
            fix="declare both alike, or give one another name with `with`",
            at=wave,
            notes=[Note(entry, "declared here"), Note(first, "first declared here")],
        )


def _is_tile(entry: BufferOp | ParamOp) -> bool:
    return isinstance(entry, BufferOp) and entry.access.data is Access.WORKGROUP


def _kind(entry: BufferOp | ParamOp) -> str:
    what = "a parameter" if isinstance(entry, ParamOp) else "a buffer"
    if _is_tile(entry):
        what = "workgroup memory"
    return f"{what} of type {entry.results[0].type}"
