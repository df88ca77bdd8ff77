"""
`vyre-fuse-waves`: the waves of a megakernel become one program.

Before:

```mlir
vyre.program @fill [64, 1, 1] {
  %x = vyre.buffer "x" write_only binding 0 : memref<?xi32>
  %n = vyre.param "n" : i32
  %i = vyre.invocation_id x
  vyre.store %n, %x[%i] : memref<?xi32>
}
vyre.program @next [64, 1, 1] { ... }
vyre.megakernel @m {
  vyre.wave "a" @fill
  vyre.wave "b" @next
}
```

After:

```mlir
vyre.program @m [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi32>
  %n = vyre.param "a.n" : i32
  vyre.region "a" from "fill" attributes {vyre.apart = 0 : i64} {
    %i = vyre.invocation_id x
    vyre.store %n, %x[%i] : memref<?xi32>
  }
  vyre.barrier grid_sync
  vyre.region "b" from "next" attributes {vyre.apart = 1 : i64} { ... }
}
```

Groups come one after the other with a grid barrier between them. If there is no plan yet,
dependencies decide (see `vyre-plan-megakernel`). Waves of a group follow each other without
a barrier. One with the grid of the dispatch runs on all workgroups. One with a `grid` of
its own has its invocations or workgroups shared out (see `vyre.passes.wave_layouts`), and
begins where the one before it has ended, so that they run on different workgroups if there
are enough of them, and one after the other if not. Programs that only waves ran are gone.

Why the result is the same, byte for byte, as that of the waves one by one, on any grid.

- Every invocation of every wave runs once, with the ids and sizes that it would have alone.
  Shared-out invocations are numbered from 0; number n is done by the one invocation (or
  workgroup) of the fused program that has n modulo their count, after the same offset for
  all. `vyre.passes.wave_ids` computes ids from the number as a grid does.
- An invocation that returns has done with its wave only: returns are replaced by guards
  first (`vyre-predicate-returns`).
- Every dependency crosses a grid barrier, which is checked. Without `after`, two waves with
  no barrier between them have no buffer in common that one of them writes, so neither can
  see how far the other is; with it, that is the author's promise, and breaking it is a data
  race in the fused program, which the checker finds.
- A wave is alone with its workgroup memory and scratch. They start as zeros, and whoever
  does the work of several workgroups or invocations clears them in between
  (`vyre.passes.wave_scratch`). Where workgroup memory is too much for a GPU, waves use the
  same memory in turn, and each clears what the one before left (`vyre.passes.wave_tiles`).
- Barriers stay where all come to them. A wave that runs as it is has the same control. The
  loop around shared-out workgroups is decided by the workgroup's number and sizes of grids,
  which are the same in the whole workgroup; a wave with grid barriers is not shared out.
  Loads that decide about barriers are as uniform as before, since no other wave in the same
  phase writes what they read; `verify_barriers` checks the outcome.

Waves of a group without grid barriers in them are marked as *apart*: between two of them
there is no element that one writes and the other accesses, in any invocation. They may run
in any order.

If invocations trap, the dispatch fails as it would have, and the error names the wave and
its invocation. It may be the trap of another wave of the same group that is reported.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias, cast

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    i64,
)
from xdsl.ir import Block, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from vyre.analysis.grid_lengths import Decision, Length, grid_from, grid_lengths, together
from vyre.analysis.walking import operations_in, operations_of
from vyre.analysis.wave_effects import wave_dependencies
from vyre.diagnostics import invalid
from vyre.dialects.refusal import Note, Refusal
from vyre.dialects.vyre import (
    BarrierOp,
    BufferOp,
    LaunchOp,
    LetOp,
    MegakernelOp,
    ParamOp,
    ProgramOp,
    RegionOp,
    ReturnOp,
    ScratchOp,
    WaveOp,
    YieldOp,
)
from vyre.dialects.vyre.attributes import Access, Ordering
from vyre.dialects.vyre.structure import APART
from vyre.passes.code_writer import CodeWriter
from vyre.passes.expand_switches import expand_switches
from vyre.passes.index_code import IndexCode
from vyre.passes.plan_megakernel import plan_groups
from vyre.passes.predicate_returns import predicate_returns
from vyre.passes.promote_lets import promote
from vyre.passes.rules.barriers import verify_barriers
from vyre.passes.wave_layouts import Layout, fused_workgroup, layout_of
from vyre.passes.wave_memory import clear
from vyre.passes.wave_scratch import WaveScratch
from vyre.passes.wave_sharing import SharedOut, move_body, name_traps
from vyre.passes.wave_tables import FusedTable

Literal: TypeAlias = IntegerAttr[IntegerType | IndexType] | FloatAttr[AnyFloat]


@dataclass(frozen=True)
class FuseWavesPass(ModulePass):
    """Replaces every megakernel, and the programs of its waves, by one program."""

    name = "vyre-fuse-waves"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expand_switches(op)
        megakernels = [found for found in op.walk() if isinstance(found, MegakernelOp)]
        waves_only = {p for megakernel in megakernels for p in megakernel.programs()}
        for megakernel in megakernels:
            try:
                Rewriter.replace_op(megakernel, fused_program(megakernel), [])
            except Refusal as refusal:
                raise invalid(megakernel, refusal) from None
        launches = [launch for launch in op.walk() if isinstance(launch, LaunchOp)]
        launched = {launch.segment.string_value() for launch in launches}
        for program in waves_only:
            if program.sym_name.data not in launched:
                Rewriter.erase_op(program)


def fused_program(megakernel: MegakernelOp) -> ProgramOp:
    """
    The waves of a megakernel as one program, of the megakernel's name.

    Example: `fused_program(megakernel).sym_name.data`
    """
    check_groups(megakernel)
    return fused_groups(megakernel, megakernel.programs(), {})


def fused_groups(
    megakernel: MegakernelOp, originals: Iterable[ProgramOp], begins: Mapping[WaveOp, str]
) -> ProgramOp:
    """
    The waves of a megakernel whose groups are right, and which run these programs. Those
    that are in `begins` are shared out behind so many workgroups as a parameter of that
    name says.

    Example: `fused_groups(megakernel, programs, {wave: "first"})` has a parameter "first".
    """
    waves = list(megakernel.waves)
    originals = list(originals)
    lengths = _grid_lengths(waves, originals)
    programs = [_without_returns(program) for program in originals]
    workgroup = fused_workgroup(waves, programs)
    table = FusedTable(waves, programs)
    fusion = _Fusion(table, workgroup, _alike(waves), begins)
    for wave, program in sorted(zip(waves, programs), key=lambda pair: _group(pair[0])):
        fusion.add(wave, program)
    body = Block([*table.entries, *fusion.params, *fusion.scratch, *fusion.code])
    fused = ProgramOp(megakernel.sym_name.data, workgroup, Region(body))
    fused.attributes.update(megakernel.attributes)
    fused.location = megakernel.location
    if together([grid_lengths(fused)]) != lengths:
        fused.grid_from = grid_from(lengths)
    verify_barriers(fused)
    return fused


def _grid_lengths(
    waves: Sequence[WaveOp], programs: Sequence[ProgramOp]
) -> set[Length] | None:
    """
    What decides about the grid: what does for the waves that run on it, if these have
    workgroups of one size. Others of them would need other grids for the same lengths.
    """
    sizes = {p.workgroup for wave, p in zip(waves, programs) if wave.grid is None}
    return None if len(sizes) > 1 else together(map(_decision, waves, programs))


def _decision(wave: WaveOp, program: ProgramOp) -> Decision:
    """What decides for a wave; it runs on any grid if it has one of its own."""
    lengths = grid_lengths(program) if wave.grid is None else None
    names = {entry.entry_name.data: wave.argument(entry) for entry in program.table}
    return lengths and tuple(Length(str(names[each.buffer]), each.dim) for each in lengths)


def _group(wave: WaveOp) -> int:
    assert wave.group is not None
    return wave.group.value.data


def _alike(waves: Sequence[WaveOp]) -> set[WaveOp]:
    """Waves in whose group another one runs the same program."""
    programs = Counter((_group(wave), wave.program) for wave in waves)
    return {wave for wave in waves if programs[_group(wave), wave.program] > 1}


def check_groups(megakernel: MegakernelOp) -> None:
    """
    Refuse a plan in which waves run together although one depends on the other; if there is
    no plan, make one.

    Example: `check_groups(megakernel)`, then `wave.group` is set for each wave.
    """
    waves = list(megakernel.waves)
    dependencies = wave_dependencies(megakernel)
    if any(wave.group is None for wave in waves):
        plan_groups(megakernel, dependencies)
    for before, after in dependencies:
        earlier, later = waves[before], waves[after]
        if _group(earlier) >= _group(later):
            raise Refusal(
                f'the wave depends on "{earlier.label.data}", which is not in an earlier '
                "group",
                fix="remove the groups, or run vyre-plan-megakernel again",
                at=later,
                notes=[Note(earlier, "the wave that it depends on")],
            )


def _without_returns(program: ProgramOp) -> ProgramOp:
    """A copy in which an invocation that returns runs along to the end."""
    copy = program.clone()
    ModuleOp([copy])  # Programs are always in a module.
    if any(isinstance(op, ReturnOp) for op in operations_in(copy.body)):
        promote(copy, [op for op in operations_in(copy.body) if isinstance(op, LetOp)])
        predicate_returns(copy)
    return copy


class _Fusion:
    """The code of a fused program, wave by wave."""

    def __init__(
        self,
        table: FusedTable,
        workgroup: tuple[int, ...],
        alike: set[WaveOp],
        begins: Mapping[WaveOp, str],
    ):
        self._table = table
        self._workgroup = workgroup
        self._alike = alike
        self._begins = begins
        self.params: list[ParamOp] = []
        """Parameters besides those of the table."""
        self._group: int | None = None
        self._taken = 0
        """Workgroups that have work already in this group."""
        self._used_tiles: set[SSAValue] = set()
        """Workgroup memory in which earlier waves may have left something."""
        self.scratch: list[ScratchOp] = []
        self.code: list[BarrierOp | RegionOp] = []

    def add(self, wave: WaveOp, program: ProgramOp) -> None:
        """Put a wave behind those that are there, and a barrier before a new group."""
        if self._group not in (None, _group(wave)):
            barrier = BarrierOp(Ordering.GRID_SYNC)
            barrier.location = wave.location
            self.code.append(barrier)
            self._taken = 0
        self._group = _group(wave)
        outer = Block()
        code = CodeWriter(InsertPoint.at_end(outer), wave)
        layout = layout_of(wave, program, self._workgroup)
        scratch = None if layout is Layout.AS_IS else WaveScratch.of(wave, program)
        tiles = self._connect(wave, program, code)
        name_traps(wave, program)
        used = [tile for tile in tiles if tile in self._used_tiles]
        self._used_tiles.update(tiles)
        if scratch is None:
            if used:
                clear(IndexCode(code), used)
            move_body(program, outer)
        else:
            by_workgroup = layout is Layout.BY_WORKGROUP
            sharing = SharedOut(wave, program, by_workgroup, scratch, tiles, bool(used))
            sharing.write(IndexCode(code), self._begin(wave, code))
            self._taken += prod(wave.workgroups or (0,))
        code.run(YieldOp())
        region = RegionOp(wave.label.data, [], [outer], source=program.sym_name.data)
        region.location = wave.location
        if not any(
            isinstance(op, BarrierOp) and op.is_grid_sync for op in operations_of(region)
        ):
            region.attributes[APART] = IntegerAttr(self._group, i64)
        self.code.append(region)

    def _begin(self, wave: WaveOp, code: CodeWriter) -> SSAValue | None:
        """
        How many workgroups have work already, as a literal that is not used elsewhere and
        from which nothing is computed ahead: so waves of a program are the same but for
        literals, and engines can compile them once. None if there is no other wave.
        """
        if wave in self._begins:
            param = ParamOp(self._begins[wave], IndexType())
            param.location = wave.location
            self.params.append(param)
            return param.value
        if self._taken == 0 and wave not in self._alike:
            return None
        return code.put(arith.ConstantOp(IntegerAttr(self._taken, IndexType())))

    def _connect(
        self, wave: WaveOp, program: ProgramOp, code: CodeWriter
    ) -> list[SSAValue]:
        """Let the program use the fused table; its workgroup memory, if it has some."""
        tiles: list[SSAValue] = []
        for op in list(program.body.block.ops):
            if isinstance(op, ScratchOp):
                op.detach()
                self.scratch.append(op)
            if not isinstance(op, BufferOp | ParamOp):
                continue
            value = self._table.argument(wave, op)
            if not isinstance(value, SSAValue):
                literal = arith.ConstantOp(cast(Literal, value))
                value = code.put(literal, op.entry_name.data)
            is_tile = isinstance(op, BufferOp) and op.access.data is Access.WORKGROUP
            if is_tile and op.results[0].first_use is not None:
                tiles.append(value)
            op.results[0].replace_all_uses_with(value)
            op.detach()
            op.erase()
        return tiles
