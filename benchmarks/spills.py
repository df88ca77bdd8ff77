"""
What splitting costs in memory and repeated work: `make bench-spills`.

For each example with grid barriers this prints the launches of its schedule, the bytes of
scratch for each invocation, each workgroup and the whole grid, and the operations that are
computed again, counted in the text. Beside them stand two simple strategies for the same
programs: to keep every value that crosses, each in a place of its own, and to keep only
what cannot be computed again. These are planned and not carried out. The host gets the same
values under each strategy, and saved workgroup memory is the same too, so it stands alone.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from math import prod
from pathlib import Path
from unittest.mock import patch

from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue

import vyre
from vyre.analysis import crossing as crossing_module
from vyre.analysis.buffer_sources import is_memref
from vyre.analysis.crossing import Crossing, Kept
from vyre.analysis.host_values import Way
from vyre.analysis.keeping import Keeping, is_leaf
from vyre.analysis.recomputation import is_exact
from vyre.analysis.slots import assign_slots
from vyre.analysis.spine import is_grid_cut
from vyre.analysis.uniformity import Level
from vyre.dialects.vyre import BarrierOp, LaunchOp, LoadOp, ProgramOp, ScratchOp
from vyre.dialects.vyre.attributes import ScratchScope, byte_width, is_scalar
from vyre.passes.hoist_grid_sync import HoistGridSyncPass
from vyre.passes.host_plan import HostPlanPass
from vyre.passes.predicate_returns import PredicateReturnsPass
from vyre.passes.promote_lets import PromoteLetsPass
from vyre.passes.propagate_lets import planned_crossing

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.mlir"))

LEVELS = {
    ScratchScope.PER_INVOCATION: Level.INVOCATION,
    ScratchScope.PER_WORKGROUP: Level.WORKGROUP,
    ScratchScope.SINGLE: Level.GRID,
}


@dataclass
class Bytes:
    """Bytes of scratch; `saved` is workgroup memory, in bytes for each workgroup."""

    invocation: int = 0
    workgroup: int = 0
    single: int = 0
    saved: int = 0

    def add(self, level: Level, type: Attribute, count: int = 1) -> None:
        """Places for values of this type."""
        assert is_scalar(type)
        match level:
            case Level.INVOCATION:
                self.invocation += count * byte_width(type)
            case Level.WORKGROUP:
                self.workgroup += count * byte_width(type)
            case Level.GRID:
                self.single += count * byte_width(type)

    def add_scratch(self, op: ScratchOp) -> None:
        """Declared scratch; that with further dimensions holds workgroup memory."""
        type = op.memref.type
        sizes = [size for size in type.get_shape() if size != DYNAMIC_INDEX]
        if op.scope.data is ScratchScope.PER_WORKGROUP and sizes:
            assert is_scalar(type.element_type)
            self.saved += prod(sizes) * byte_width(type.element_type)
        else:
            self.add(LEVELS[op.scope.data], type.element_type, prod(sizes))

    def __str__(self) -> str:
        return f"{self.invocation} / {self.workgroup} / {self.single}"


@dataclass
class Work:
    """Operations that propagating values adds by computing them again."""

    operations: int = 0
    leaves: int = 0
    """Constants, ids and sizes, which are never kept."""


@dataclass
class Strategy:
    """What a way to choose leads to."""

    bytes: Bytes
    work: Work


@dataclass
class Row:
    """An example, split in three ways."""

    example: str
    barriers: int
    launches: int
    chosen: Strategy
    keep: Strategy
    recompute: Strategy


# Strategies


class KeepEverything(Keeping):
    """Loads each value that a run needs and does not have."""

    def loaded_in(self, run: int) -> list[SSAValue]:
        return [
            value
            for value in self._crossing.needs[run]
            if not is_leaf(value) and not self._is_in_variable(value, run)
        ]


class RecomputeEverything(Keeping):
    """Loads only what computing again could not give; see `vyre.analysis.keeping`."""

    def loaded_in(self, run: int) -> list[SSAValue]:
        pending = [v for v in self._crossing.needs[run] if not self._is_there(v, run)]
        met = set(pending)
        loaded: list[SSAValue] = []
        for value in pending:
            if not self._may_repeat(value, run):
                loaded.append(value)
                continue
            assert isinstance(value.owner, Operation)
            for operand in map(self._crossing.origin, value.owner.operands):
                if operand not in met and not self._is_there(operand, run):
                    met.add(operand)
                    pending.append(operand)
        return loaded

    def _is_there(self, value: SSAValue, run: int) -> bool:
        crossing = self._crossing
        if is_memref(value) or is_leaf(value):
            return True
        if value in crossing.variable_of:
            return crossing.is_readable(value, run)
        return crossing.host.takes(value)

    def _may_repeat(self, value: SSAValue, run: int) -> bool:
        crossing, owner = self._crossing, value.owner
        if value in crossing.variable_of or value in crossing.passed_on:
            return False
        if isinstance(owner, LoadOp):
            home = crossing.home_of(value)
            end = crossing.spine.end_of_life(home, run)
            return crossing.writers.may_reload(owner, home, end)
        return isinstance(owner, Operation) and is_exact(owner)


# What a plan leads to


def prepared(module: ModuleOp) -> ModuleOp:
    """A copy of a module as `vyre-propagate-lets` gets it."""
    copy = module.clone()
    for step in (PromoteLetsPass(), PredicateReturnsPass(), HoistGridSyncPass()):
        step.apply(vyre.context(), copy)
    return copy


def split_programs(module: ModuleOp) -> list[ProgramOp]:
    """The programs that have something to split."""
    programs = [op for op in module.walk() if isinstance(op, ProgramOp)]
    return [program for program in programs if any(map(is_grid_cut, program.walk()))]


def planned(module: ModuleOp, keeping: type[Keeping], is_shared: bool) -> Strategy:
    """What a strategy leads to; places are shared over time only if `is_shared`."""
    result = Strategy(Bytes(), Work())
    for program in split_programs(prepared(module)):
        with patch.object(crossing_module, "Keeping", keeping):
            crossing = planned_crossing(program)
        for op in program.walk():
            if isinstance(op, ScratchOp):
                result.bytes.add_scratch(op)
        for level, type in places(crossing, is_shared):
            result.bytes.add(level, type)
        count_recomputed(crossing, result.work)
    return result


def places(crossing: Crossing, is_shared: bool) -> Iterator[tuple[Level, Attribute]]:
    """Level and type of each place in scratch that values need."""
    for value, way in crossing.host.ways.items():
        if way is Way.FETCHES:
            yield Level.GRID, value.type
    slots = assign_slots(crossing, crossing.reads())
    used = dict.fromkeys(slots.values()) if is_shared else slots.values()
    for slot in used:
        yield slot.level, slot.type


def count_recomputed(crossing: Crossing, work: Work) -> None:
    """Count what each run computes again: what it uses or stores, and does not have."""
    stored = stored_by_run(crossing)
    for run, uses in enumerate(crossing.uses):
        again: set[Operation] = set()
        pending = [*map(crossing.origin, uses), *stored[run]]
        for value in pending:
            home = crossing.spine.home(value)
            if (home is not None and home.index == run) or crossing.host.passes(value):
                continue
            owner = value.owner
            if crossing.supply(value, run) is None and owner not in again:
                assert isinstance(owner, Operation)
                again.add(owner)
                pending.extend(map(crossing.origin, owner.operands))
        leaves = sum(is_leaf(op.results[0]) for op in again)
        work.leaves += leaves
        work.operations += len(again) - leaves


def stored_by_run(crossing: Crossing) -> defaultdict[int, list[SSAValue]]:
    """What runs leave in scratch."""
    stored: defaultdict[int, list[SSAValue]] = defaultdict(list)
    for tenant, readers in crossing.reads().items():
        is_kept = isinstance(tenant, Kept)
        writes = [(tenant.value, tenant.home)] if is_kept else tenant.writes
        for value, run in writes if readers else ():
            stored[run].append(value)
    return stored


def measure(path: Path) -> Row | None:
    """An example in figures; None if it has no grid barrier."""
    module = vyre.parse(path)
    if not split_programs(module):
        return None
    chosen = planned(module, Keeping, is_shared=True)
    keep = planned(module, KeepEverything, is_shared=False)
    recompute = planned(module, RecomputeEverything, is_shared=True)
    barriers = sum(isinstance(op, BarrierOp) and op.is_grid_sync for op in module.walk())
    HostPlanPass().apply(vyre.context(), module)
    chosen.bytes = scratch_of(module.walk())
    # Planned figures leave out workgroup memory that runs save; it is always the same.
    keep.bytes.saved = recompute.bytes.saved = chosen.bytes.saved
    launches = sum(isinstance(op, LaunchOp) for op in module.walk())
    return Row(path.stem, barriers, launches, chosen, keep, recompute)


def scratch_of(operations: Iterable[Operation]) -> Bytes:
    """The scratch that a split module declares."""
    found = Bytes()
    for op in operations:
        if isinstance(op, ScratchOp):
            found.add_scratch(op)
    return found


# Output


def cells(row: Row) -> list[str]:
    return [
        row.example,
        str(row.barriers),
        str(row.launches),
        str(row.chosen.bytes),
        str(row.chosen.bytes.saved),
        f"{row.chosen.work.operations} + {row.chosen.work.leaves}",
        str(row.keep.bytes),
        str(row.recompute.bytes),
        f"{row.recompute.work.operations} + {row.recompute.work.leaves}",
    ]


HEADER = [
    "example",
    "barriers",
    "launches",
    "kept",
    "saved",
    "recomputed",
    "keep all: kept",
    "recompute all: kept",
    "recomputed",
]


def table(rows: list[Row]) -> Iterator[str]:
    lines = [HEADER, *map(cells, rows), ["together", *totals(rows)]]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADER))]
    for line in lines:
        first, *others = (cell.rjust(width) for cell, width in zip(line, widths))
        yield "  ".join((first.strip().ljust(widths[0]), *others))
    yield ""
    yield "kept: bytes for each invocation / each workgroup / the whole grid"
    yield "saved: bytes of workgroup memory for each workgroup, the same in all strategies"
    yield "recomputed: operations + constants, ids and sizes"


def totals(rows: list[Row]) -> list[str]:
    """The sums of what the columns hold."""
    strategies = [
        Strategy(
            Bytes(*_sums(getattr(row, name).bytes for row in rows)),
            Work(*_sums(getattr(row, name).work for row in rows)),
        )
        for name in ("chosen", "keep", "recompute")
    ]
    barriers = sum(row.barriers for row in rows)
    launches = sum(row.launches for row in rows)
    return cells(Row("", barriers, launches, *strategies))[1:]


def _sums(parts: Iterable[Bytes | Work]) -> list[int]:
    return [
        sum(column)
        for column in zip(
            *([getattr(part, field.name) for field in fields(part)] for part in parts)
        )
    ]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--json", action="store_true")
    args = arguments.parse_args()
    rows = [row for row in map(measure, EXAMPLES) if row is not None]
    if args.json:
        print(json.dumps([asdict(row) for row in rows]))
    else:
        print("\n".join(table(rows)))


if __name__ == "__main__":
    main()
