"""Scratch that values share: never two at once, and no more places than needed."""

from collections import defaultdict
from functools import cache

from hypothesis import given
from hypothesis import strategies as st
from xdsl.ir import Attribute, SSAValue

import vyre
from vyre.analysis.crossing import Crossing, Kept
from vyre.analysis.slots import Slot, Tenant, assign_slots
from vyre.analysis.spine import Spine
from vyre.analysis.uniformity import Level, uniformity
from vyre.dialects.vyre import ProgramOp

RUNS = 8
LEVELS = st.sampled_from(list(Level))
LIFE = st.tuples(st.integers(0, RUNS - 2), st.integers(1, RUNS - 1), LEVELS, st.booleans())


@cache
def straight_line() -> tuple[Crossing, SSAValue, SSAValue]:
    """A program of runs one after the other, and values of two types."""
    text = f"""
      vyre.program @p [64, 1, 1] {{
        %a = vyre.param "a" : i32
        %b = vyre.param "b" : f32
        {"vyre.barrier grid_sync " * (RUNS - 1)}
      }}
    """
    (program,) = (op for op in vyre.parse(text).walk() if isinstance(op, ProgramOp))
    crossing = Crossing(Spine.of(program), uniformity(program))
    assert len(crossing.spine.runs) == RUNS
    integer, number = (entry.results[0] for entry in program.table)
    return crossing, integer, number


Life = tuple[int, int, Level, bool]


def assigned(lives: list[Life]) -> dict[Tenant, tuple[int, int, Slot]]:
    """Each tenant with its life and its slot. A life: home, length, level, which type."""
    crossing, integer, number = straight_line()
    reads: dict[Tenant, list[int]] = {}
    for home, length, level, is_integer in lives:
        kept = Kept(integer if is_integer else number, home, level)
        reads[kept] = [min(home + length, RUNS - 1)]
    slots = assign_slots(crossing, reads)
    return {
        tenant: (tenant.home, reads[tenant][-1], slot)
        for tenant, slot in slots.items()
        if isinstance(tenant, Kept)
    }


def occupied(start: int, end: int, level: Level) -> range:
    """
    The ends of runs at which a place is taken. One of an invocation is read before it is
    written, so it is free at the end of the run that reads it last.
    """
    return range(start, end if level is Level.INVOCATION else end + 1)


@given(st.lists(LIFE, max_size=12))
def test_no_two_at_once(lives: list[Life]):
    taken: dict[Slot, set[int]] = defaultdict(set)
    for start, end, slot in assigned(lives).values():
        moments = set(occupied(start, end, slot.level))
        assert moments.isdisjoint(taken[slot])
        taken[slot] |= moments


@given(st.lists(LIFE, max_size=12))
def test_one_type_and_level_a_slot(lives: list[Life]):
    for tenant, (_, _, slot) in assigned(lives).items():
        assert isinstance(tenant, Kept)
        assert (tenant.value.type, tenant.level) == (slot.type, slot.level)
        assert tenant in slot.tenants


@given(st.lists(LIFE, max_size=12))
def test_as_few_as_possible(lives: list[Life]):
    """As many slots of a kind as values of that kind are alive at once, at most."""
    slots: dict[tuple[Attribute, Level], set[Slot]] = defaultdict(set)
    alive: dict[tuple[Attribute, Level], list[int]] = defaultdict(lambda: [0] * RUNS)
    for start, end, slot in assigned(lives).values():
        slots[slot.type, slot.level].add(slot)
        for moment in occupied(start, end, slot.level):
            alive[slot.type, slot.level][moment] += 1
    for kind, found in slots.items():
        assert len(found) == max(alive[kind])


def test_what_nobody_reads_gets_none():
    crossing, integer, _ = straight_line()
    assert not assign_slots(crossing, {Kept(integer, 0, Level.INVOCATION): []})
