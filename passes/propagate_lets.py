"""
`vyre-propagate-lets`: nothing crosses a cut but what the host passes.

Before:

```mlir
%x = vyre.load %a[%i] : memref<?xf32>
%k = arith.addi %i, %one : index
vyre.barrier grid_sync
vyre.store %x, %a[%k] : memref<?xf32>
```

After: `%x` is kept, because `%a` changes; `%k` is recomputed.

```mlir
%x_kept = vyre.scratch per_invocation : memref<?xf32>
%x = vyre.load %a[%i] : memref<?xf32>
%me = vyre.linear_id invocation
vyre.store %x, %x_kept[%me] : memref<?xf32>
vyre.barrier grid_sync
%me_1 = vyre.linear_id invocation
%x_1 = vyre.load %x_kept[%me_1] : memref<?xf32>
%i_1 = vyre.invocation_id x
%one_1 = arith.constant 1 : index
%k_1 = arith.addi %i_1, %one_1 : index
vyre.store %x_1, %a[%k_1] : memref<?xf32>
```

The result still has its barriers and runs as it is; `vyre-split-grid-sync` cuts it.

Why the meaning stays.

- First a grid barrier is put behind every run (see `vyre.analysis.spine`) that none
  follows. All invocations come there, since a cut stands in grid-uniform control, so this
  only leaves out some of the orders in which invocations may be executed, and a valid
  program gives the same in all of them. Now each run is a phase.
- A value that a run takes from scratch is what its run stored there: see
  `vyre.analysis.crossing` and `vyre.analysis.slots`. Invocations have places of their own,
  or they store the same value and do not read it in the same run.
- A value that is recomputed has the same bits: see `vyre.analysis.recomputation`.
- What loops carry and branches give is a variable in scratch, written wherever a value
  flows in and read where it is used: see `vyre.analysis.variables`. Reads of a run come
  before its writes, so values that a loop exchanges are exchanged.
- A condition or bound that the host can neither compute nor read from a buffer is stored in
  `single` scratch by the run that has it and read in a phase of its own.
- Workgroup memory that a later run reads is saved and restored: see
  `vyre.analysis.workgroup_liveness`; what a loop carries moves to scratch altogether: see
  `vyre.passes.carried_workgroup_memory`.
- A copy in flight is waited for at the end of the run that starts it. It may happen at any
  moment before its wait, so also before the earlier one.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, MemRefType, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from vyre.analysis.crossing import Crossing, Kept
from vyre.analysis.host_values import Way
from vyre.analysis.slots import Slot, assign_slots
from vyre.analysis.spine import TABLE_OPS, Holder, Run, Spine, needs_cut
from vyre.analysis.uniformity import Level, uniformity
from vyre.analysis.walking import units_in
from vyre.analysis.workgroup_liveness import surviving_workgroup_memory
from vyre.diagnostics import invalid
from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre import (
    AsyncWaitOp,
    BarrierOp,
    BufferOp,
    LoadOp,
    ProgramOp,
    ScratchOp,
)
from vyre.dialects.vyre.attributes import Ordering, ScratchScope
from vyre.passes.carried_workgroup_memory import move_carried_workgroup_memory
from vyre.passes.expand_switches import expand_switches
from vyre.passes.holder_positions import drop_positions
from vyre.passes.run_writer import RunWriter, separate
from vyre.passes.same_grids import same_grids
from vyre.passes.workgroup_saves import restore, save

_SCOPES = {
    Level.GRID: ScratchScope.SINGLE,
    Level.WORKGROUP: ScratchScope.PER_WORKGROUP,
    Level.INVOCATION: ScratchScope.PER_INVOCATION,
}


@dataclass(frozen=True)
class PropagateLetsPass(ModulePass):
    """Keeps or recomputes every value that crosses a grid barrier."""

    name = "vyre-propagate-lets"

    @same_grids
    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expand_switches(op)
        for program in units_in(op, ProgramOp):
            if needs_cut(program):
                try:
                    _Propagation(planned_crossing(program)).run()
                except Refusal as refusal:
                    raise invalid(program, refusal) from None


def planned_crossing(program: ProgramOp) -> Crossing:
    """Separate the runs of a program, and decide what happens to values that cross."""
    move_carried_workgroup_memory(program)
    spine = Spine.of(program)
    for run in spine.runs:
        if run.ops:
            separate(run)
    return Crossing(spine, uniformity(program))


class _Propagation:
    """Carries out what the analysis has decided."""

    def __init__(self, crossing: Crossing):
        self.crossing = crossing
        self.spine = crossing.spine
        self.survival = surviving_workgroup_memory(
            self.spine, crossing.sources, crossing.facts
        )
        ops = self.spine.program.body.block.ops
        self._first = next(op for op in ops if not isinstance(op, TABLE_OPS))
        self.slots = assign_slots(crossing, crossing.reads())
        slots = dict.fromkeys(self.slots.values())
        self.scratch = {slot: self._declare(slot) for slot in slots}
        self.fetched: dict[SSAValue, SSAValue] = {}
        self.original: dict[Operation, tuple[SSAValue, ...]] = {}
        """Operands of operations before their run was given supplies of its own."""
        self._saved: dict[BufferOp, ScratchOp] = {}
        self._stored = self._stores_by_run()
        self._copies = self._by_home(crossing.tokens)
        ways = crossing.host.ways
        self._fetches = self._by_home(v for v, w in ways.items() if w is Way.FETCHES)

    def run(self) -> None:
        for run in self.spine.runs:
            self._rewrite(run)
            self._wait_no_more(run)
        for holder in self.spine.holders:
            self._use_what_was_fetched(holder)
        kept = set(self.crossing.host.positions)
        for holder in reversed(self.spine.holders):
            drop_positions(holder, self.crossing.host.positions_of[holder], kept)

    def _by_home(self, values: Iterable[SSAValue]) -> defaultdict[int, list[SSAValue]]:
        """Values by the run that computes them."""
        by_home: defaultdict[int, list[SSAValue]] = defaultdict(list)
        for value in values:
            by_home[self.crossing.home_of(value)].append(value)
        return by_home

    def _stores_by_run(self) -> defaultdict[int, list[tuple[SSAValue, Slot]]]:
        """What each run stores in which slot."""
        stores: defaultdict[int, list[tuple[SSAValue, Slot]]] = defaultdict(list)
        for tenant, slot in self.slots.items():
            if isinstance(tenant, Kept):
                stores[tenant.home].append((tenant.value, slot))
            else:
                for value, run in tenant.writes:
                    stores[run].append((value, slot))
        return stores

    # Scratch

    def _declare(self, slot: Slot) -> ScratchOp:
        size = 1 if slot.level is Level.GRID else DYNAMIC_INDEX
        return self._new_scratch(slot.level, MemRefType(slot.type, [size]), slot.name)

    def _new_scratch(self, level: Level, type: MemRefType, name: str) -> ScratchOp:
        scratch = ScratchOp(_SCOPES[level], type)
        scratch.memref.name_hint = f"{name}_kept"
        scratch.location = self._first.location
        Rewriter.insert_op(scratch, InsertPoint.before(self._first))
        return scratch

    def _saved_in(self, buffer: BufferOp) -> ScratchOp:
        """The scratch in which a workgroup buffer survives."""
        if buffer not in self._saved:
            shape = [DYNAMIC_INDEX, *buffer.type.get_shape()]
            type = MemRefType(buffer.type.element_type, shape)
            name = buffer.memref.name_hint or "tile"
            self._saved[buffer] = self._new_scratch(Level.WORKGROUP, type, name)
        return self._saved[buffer]

    # Runs

    def _rewrite(self, run: Run) -> None:
        """Give a run what it needs, and let it leave what others need."""
        supplies = _Supplies(self, run)
        writer = supplies.writer
        size = prod(self.spine.program.workgroup)
        for buffer in self.survival.restores[run.index]:
            writer.first(*restore(buffer, self._saved_in(buffer), size))
        supplies.replace_uses()
        for value, slot in self._stored[run.index]:
            here = supplies.get(value)
            if not supplies.came_from(value, slot):
                writer.store(here, slot, self.scratch[slot])
        # A copy may be into workgroup memory that is saved, so it must be done by then.
        for token in self._copies[run.index]:
            writer.last(AsyncWaitOp(token))
        for buffer in self.survival.saves[run.index]:
            writer.last(*save(buffer, self._saved_in(buffer), size))
        for value in self._fetches[run.index]:
            self._fetch(value, writer)
        if writer.is_used:
            separate(run)

    def _wait_no_more(self, run: Run) -> None:
        """Waits for copies of other runs: those are waited for already."""
        for op in [op for op in run.walk() if isinstance(op, AsyncWaitOp)]:
            own = [t for t in op.tokens if self.spine.home(t) is run]
            if len(own) < len(op.tokens):
                op.operands = own
            if not own:
                Rewriter.erase_op(op)

    def _fetch(self, value: SSAValue, writer: RunWriter) -> None:
        """Store a value for the host, which reads it in a phase of its own."""
        run = writer.run
        slot = Slot(Level.GRID, value.type, [Kept(value, run.index, Level.GRID)])
        scratch = self._declare(slot)
        writer.store(value, slot, scratch)
        separate(run)
        assert run.end is not None
        zero = arith.ConstantOp.from_int_and_width(0, IndexType())
        load = LoadOp(scratch.memref, [zero])
        load.value.name_hint = value.name_hint
        barrier = BarrierOp(Ordering.GRID_SYNC)
        for op in (zero, load, barrier):
            op.location = run.end.location
        Rewriter.insert_op([zero, load, barrier], InsertPoint.after(run.end))
        self.fetched[value] = load.value

    def _use_what_was_fetched(self, holder: Holder) -> None:
        """Let holders decide and carry what the host has read."""
        last = [region.block.last_op for region in holder.regions if region.blocks]
        for op in (holder, *filter(None, last)):
            for index, operand in enumerate(op.operands):
                fetched = self.fetched.get(self.crossing.host.source(operand))
                if fetched is not None:
                    op.operands[index] = fetched


class _Supplies:
    """The values of other runs, as one run has them."""

    def __init__(self, propagation: _Propagation, run: Run):
        self.run = run
        self.writer = RunWriter(run)
        self._propagation = propagation
        self._crossing = propagation.crossing
        self._values: dict[SSAValue, SSAValue] = {}
        self._loaded_from: dict[SSAValue, Slot] = {}

    def replace_uses(self) -> None:
        """Let the run's operations use the values as this run has them."""
        uses = self._crossing.uses[self.run.index]
        replaced = {value: self.get(value) for value in uses}
        changed = {old: new for old, new in replaced.items() if old is not new}
        if not changed:
            return
        for op, index, operand in list(self._crossing.spine.outer_operands(self.run)):
            if operand in changed:
                self._propagation.original.setdefault(op, tuple(op.operands))
                op.operands[index] = changed[operand]

    def get(self, value: SSAValue) -> SSAValue:
        """A value in this run: its own, the host's, from scratch, or recomputed."""
        crossing = self._crossing
        origin = crossing.origin(value)
        if crossing.spine.home(origin) is self.run:
            return value
        if crossing.host.passes(origin):
            name = crossing.host.name(origin)
            assert name is not None
            return self._propagation.fetched.get(origin, name)
        if origin not in self._values:
            tenant = crossing.supply(origin, self.run.index)
            if tenant is None:
                self._recompute(origin)
            else:
                slot = self._propagation.slots[tenant]
                scratch = self._propagation.scratch[slot]
                self._values[origin] = loaded = self.writer.load(slot, scratch)
                loaded.name_hint = origin.name_hint
                self._loaded_from[origin] = slot
        return self._values[origin]

    def came_from(self, value: SSAValue, slot: Slot) -> bool:
        """Whether the value was read from the slot, which therefore has it already."""
        return self._loaded_from.get(value) is slot

    def _recompute(self, value: SSAValue) -> None:
        op = value.owner
        assert isinstance(op, Operation)
        operands = self._propagation.original.get(op, op.operands)
        again = type(op).create(
            operands=[self.get(operand) for operand in operands],
            result_types=op.result_types,
            properties=op.properties,
            attributes=op.attributes,
            location=op.location,
        )
        self.writer.first(again)
        for old, new in zip(op.results, again.results):
            new.name_hint = old.name_hint
            self._values[old] = new
