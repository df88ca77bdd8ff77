"""
Sequences of statements with barriers between them.

A sequence is planned before it is written, because roles go by phases: what comes before
the first barrier in a loop is in one phase with what comes after the last one. So the phase
in which a sequence must end is given, and its last barrier leads there. The phases between
its other barriers are its own.
"""

from abc import abstractmethod
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from grid_memory import Level, Memref, Phase, Value
from grid_statements import Statements
from grid_writer import Block

MOST_HEAT = 12
"""How often code may run because of loops around it."""


@dataclass
class Barrier:
    """A barrier of the grid or of workgroups; a collective is one of the grid, too."""

    kind: str

    @property
    def of_grid(self) -> bool:
        return self.kind != "group"


Item: TypeAlias = "int | Barrier | list[Item]"
"""A number of statements, a barrier, or a region with items in it."""


@dataclass
class Plan:
    """What a sequence consists of."""

    items: list[Item]
    grid_barriers: int
    barriers: int
    midway: Callable[[], None] | None = None
    """To be written in the first phase that is the sequence's own."""


@dataclass
class Rest:
    """What is left of a sequence: its barriers, and the phase in which it must end."""

    end: Phase | None
    grid_barriers: int
    barriers: int
    midway: Callable[[], None] | None = None
    shifted: list[Value] = field(default_factory=list[Value])
    """Permutations of the present phase only."""


class Sequences(Statements):
    """Writes sequences; what stands in them is up to who inherits."""

    depth = 0
    """Loops and branches around the present code."""
    has_tiles = False
    """Whether there is workgroup memory."""
    rest = Rest(None, 0, 0)

    @abstractmethod
    def statements(self, count: int) -> None:
        """Write so many statements."""

    def plan(self, level: Level, least: int = 0) -> Plan:
        """A sequence for code under this control, with at least so many grid barriers."""
        level = max(level, self.control)
        kinds: list[str] = []
        if level is Level.GRID and self.depth < 4 and self.heat <= MOST_HEAT:
            few = self.weighted({0: 1, 1: 3, 2: 3, 3: 1})
            kinds += ["grid"] * max(least, min(few, self.policy.barriers))
        if level <= Level.GROUP and self.chance(0.4 if self.has_tiles else 0.1):
            kinds.append("group")
        self.rng.shuffle(kinds)
        return self.planned(kinds)

    def planned(self, kinds: list[str]) -> Plan:
        """A sequence with barriers of these kinds."""
        most = 3 if self.depth == 0 else 2
        items: list[Item] = [self.rng.randint(1, most)]
        for kind in kinds:
            items += [Barrier(kind), self.rng.choice((0, 1, 1, most))]
        grid = sum(kind != "group" for kind in kinds)
        if "collective" not in kinds:
            items = self._with_regions(items)
        return Plan(items, grid, len(kinds))

    def _with_regions(self, items: list[Item]) -> list[Item]:
        """Put some neighbours into a region, and some of these into another."""
        often = 0.7 if self.policy.prefers("regions") else 0.12
        while self.chance(often):
            first = self.rng.randrange(len(items))
            last = self.rng.randint(first, len(items) - 1)
            items = [*items[:first], items[first : last + 1], *items[last + 1 :]]
            often /= 2
        return items

    def sequence(self, plan: Plan, end: Phase | None) -> None:
        """Write a sequence that ends in this phase; in any if there is none."""
        outer = self.rest
        self.rest = Rest(end, plan.grid_barriers, plan.barriers, plan.midway)
        self.items(plan.items)
        self.finish_block()
        self._unshift()
        assert end is None or self.roles.phase == end, (self.roles.phase, end)
        self.rest = outer

    @contextmanager
    def inside(self, level: Level, trips: int = 1) -> Generator[None]:
        """In a block under this control that may run several times."""
        once = self.once
        self.once = self.once and trips == 1
        self.depth += 1
        with self.nested(level, trips):
            yield
        self.depth -= 1
        self.once = once

    def items(self, items: list[Item]) -> None:
        for item in items:
            match item:
                case int():
                    self.statements(item)
                case Barrier():
                    self._barrier(item)
                case _:
                    self._region(item)

    def finish_block(self) -> None:
        """Wait for what the block has started; its values do not leave it otherwise."""
        for flight in list(self.block.flights):
            self.land(flight, self.block)
        self.held -= len(self.block.after_barrier)
        self.block.after_barrier.clear()

    # Barriers

    def _barrier(self, barrier: Barrier) -> None:
        rest = self.rest
        rest.barriers -= 1
        rest.grid_barriers -= barrier.of_grid
        phase = self._next_phase(barrier)
        self.keep_flying(phase, barrier.kind == "collective")
        self._write_barrier(barrier)
        self.roles.phase = phase
        if barrier.of_grid:
            self._unshift()
            self.once = rest.end is None or phase.grid != rest.end.grid
            if self.once:
                self._begin_own_phase()
            for follow_up in self.block.after_barrier:
                follow_up()
            self.block.after_barrier.clear()

    def _next_phase(self, barrier: Barrier) -> Phase:
        rest, new = self.rest, self.roles.new_phase
        grid = self.roles.phase.grid
        if barrier.of_grid:
            grid = rest.end.grid if rest.end and not rest.grid_barriers else new()
        return Phase(grid, rest.end.group if rest.end and not rest.barriers else new())

    def phase_after(self, *, grid: bool, group: bool) -> Phase:
        """
        A phase in which code may go on that all paths reach through a barrier; the present
        one, if that is not so or no barrier follows that leads out of a new one.
        """
        now, rest = self.roles.phase, self.rest
        leaves_grid = grid and (rest.end is None or rest.grid_barriers > 0)
        leaves_group = group and (rest.end is None or rest.barriers > 0)
        return Phase(
            self.roles.new_phase() if leaves_grid else now.grid,
            self.roles.new_phase() if leaves_group else now.group,
        )

    def keep_flying(self, phase: Phase, everyone_lands: bool = False) -> None:
        """Copies stay in flight if their buffers may have the same roles afterwards."""
        may_land = True
        for block in reversed(self.blocks):
            for flight in list(block.flights):
                may = all(self.roles.may_have(m, role, phase) for m, role in flight.holds)
                if may_land and (everyone_lands or not may or self.chance(0.4)):
                    self.land(flight, block)
                else:
                    for memref, role in flight.holds:
                        self.roles.claim(memref, role, phase)
            # A wait stands in the copy's block, or in regions there.
            may_land &= block.is_region

    def _write_barrier(self, barrier: Barrier) -> None:
        match barrier.kind:
            case "grid":
                self.line("vyre.barrier grid_sync")
            case "group":
                order = self.rng.choice(("acquire", "release", "acq_rel", "seq_cst"))
                self.line(f"vyre.barrier {order}")
            case _:
                self._collective()

    def _collective(self) -> None:
        """An exchange with other ranks, of which there are none."""
        both = self.memrefs(
            lambda m: (
                m.like.scope is Level.GRID
                and m.like.writable
                and m.like.readable
                and not m.like.exact
            )
        )
        pairs = [
            (a, b)
            for a in both
            for b in both
            if a.like.element == b.like.element and not set(a.sources) & set(b.sources)
        ]
        kind = self.rng.choice(("add", "mul", "min", "max"))
        if pairs and self.chance(0.6):
            a, b = self.rng.choice(pairs)
            op = self.rng.choice(("all_gather", f"reduce_scatter {kind}"))
            types = f"{a.like.memref}, {b.like.memref}"
            self.line(f"vyre.{op} {a.name}, {b.name} : {types}")
        elif both:
            memref = self.rng.choice(both)
            text = self.rng.choice(("broadcast {} root 0", f"all_reduce {kind} {{}}"))
            self.line(f"vyre.{text.format(memref.name)} : {memref.like.memref}")
        else:
            self.line("vyre.barrier grid_sync")

    # Phases that are a sequence's own

    def _begin_own_phase(self) -> None:
        if self.chance(0.3):
            self._shift()
        if self.rest.midway is not None:
            self.rest.midway()
            self.rest.midway = None

    def _shift(self) -> None:
        """A permutation of the slots for this phase only, by a number all agree on."""
        by = self.in_range(self.value("index", Level.GRID, 1))
        number = self.rng.choice(self.steady_slots)
        text = f"arith.addi {by.name}, {number.name} : index"
        slot = self.in_range(self.hidden(text, "index", Level.LANE))
        self.permutations.add(slot.name)
        self.rest.shifted.append(slot)

    def _unshift(self) -> None:
        self.permutations -= {slot.name for slot in self.rest.shifted}
        self.rest.shifted.clear()

    # Regions

    def _region(self, items: list[Item]) -> None:
        """Items of the present sequence with a name around them, and results."""
        count = self.rng.choice((0, 1, 1, 2))
        results = [
            Value(self.fresh(), self.policy.type(self.rng), Level.LANE)
            for _ in range(count)
        ]
        memref = Memref(self.fresh("m"), ()) if self.chance(0.15) else None
        start = len(self.lines)
        self.line("")
        self.blocks.append(Block(is_region=True))
        self.items(items)
        self.finish_block()
        given = [self.value(result.type) for result in results]
        results = [Value(r.name, r.type, g.level) for r, g in zip(results, given)]
        chosen = self.some(self.memrefs(lambda _: True)) if memref is not None else None
        dies = self.policy.dies and self.may_return() and self.chance(0.3)
        self.blocks.pop()
        outer = (
            [r.name for r in results],
            [r.type for r in results],
            [g.name for g in given],
        )
        if memref is not None and chosen is not None:
            self.block.memrefs.append(Memref(memref.name, chosen.sources))
            for column, text in zip(outer, (memref.name, chosen.like.memref, chosen.name)):
                column.append(text)
        self.lines[start] = self._region_head(*outer[:2])
        if outer[2]:
            self.line(f"vyre.yield {', '.join(outer[2])} : {', '.join(outer[1])}")
        elif dies:
            self.line("vyre.return")
        self.line("}")
        self.block.values += results

    def _region_head(self, names: list[str], types: list[str]) -> str:
        left = f"{', '.join(names)} = " if names else ""
        right = f" -> ({', '.join(types)})" if types else ""
        title = self.rng.choice(
            ("", ' "part"', ' "part" from "whole.part"', ' from "whole"')
        )
        return f"{left}vyre.region{title}{right} {{"
