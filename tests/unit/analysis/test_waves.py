"""The fewest barriers between waves, and what cannot be planned."""

from collections.abc import Callable
from itertools import product
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vyre.analysis.frontier import WaveBytes, plan_frontier_memory
from vyre.analysis.wave_errors import Cycle, InvalidWave, SelfDependency, WaveError
from vyre.analysis.waves import WaveScratch, plan_barriers

Edges = list[tuple[int, int]]


def layered(width: int, depth: int) -> Edges:
    """Layers of waves, each of which depends on all waves of the layer before."""
    return [
        (layer * width + one, (layer + 1) * width + other)
        for layer in range(depth - 1)
        for one, other in product(range(width), repeat=2)
    ]


@pytest.mark.parametrize(
    ("count", "edges", "groups"),
    [
        (0, [], ()),
        (3, [], ((0, 1, 2),)),
        (4, [(0, 1), (1, 2), (2, 3)], ((0,), (1,), (2,), (3,))),
        (4, [(0, 1), (0, 2), (1, 3), (2, 3)], ((0,), (1, 2), (3,))),
        (2, [(1, 0)], ((1,), (0,))),
        (2, [(0, 1), (0, 1), (0, 1)], ((0,), (1,))),
        (4, [(0, 3), (0, 1), (0, 2)], ((0,), (3, 1, 2))),
        # 3 waits for both, so it comes when 1 is walked through, after 4.
        (5, [(0, 3), (0, 4), (1, 3), (1, 2)], ((0, 1), (4, 3, 2))),
    ],
)
def test_groups_and_their_order(
    count: int, edges: Edges, groups: tuple[tuple[int, ...], ...]
):
    """Groups, and waves in them, come in exactly this order."""
    plan = plan_barriers(count, edges)
    assert plan.groups == groups
    assert plan.global_barriers == max(0, len(groups) - 1)
    assert plan_barriers(count, np.array(edges, np.int64)) == plan


@pytest.mark.parametrize("width", [1, 2, 7, 64])
@pytest.mark.parametrize("depth", [1, 2, 9, 32])
def test_layered_waves_give_a_group_for_each_layer(width: int, depth: int):
    """There are exactly `depth` groups of `width` waves."""
    plan = plan_barriers(width * depth, layered(width, depth))
    assert [len(group) for group in plan.groups] == [width] * depth


@pytest.mark.parametrize("width", range(1, 65))
def test_chains_side_by_side_give_a_group_for_each_link(width: int):
    """For every width and depth that is pinned."""
    for depth in range(1, 33):
        waves = np.arange(width * (depth - 1))
        plan = plan_barriers(width * depth, np.stack([waves, waves + width], axis=1))
        assert [len(group) for group in plan.groups] == [width] * depth
        assert plan.global_barriers == depth - 1


@pytest.mark.parametrize(
    ("count", "edge", "text"),
    [(0, (0, 0), "0 waves"), (2, (0, 2), "2 waves"), (2, (-1, 0), "wave -1")],
)
def test_a_dependency_names_waves_that_exist(count: int, edge: tuple[int, int], text: str):
    """The error says which dependency is wrong and how many waves there are."""
    with pytest.raises(InvalidWave, match=text) as raised:
        plan_barriers(count, [edge])
    error = raised.value
    assert (error.wave_count, error.before, error.after) == (count, *edge)


def test_the_first_wrong_dependency_is_reported():
    """Dependencies are looked at in the order in which they are given."""
    with pytest.raises(SelfDependency) as raised:
        plan_barriers(2, [(0, 1), (1, 1), (7, 7)])
    assert raised.value.wave == 1
    with pytest.raises(InvalidWave):
        plan_barriers(2, [(0, 1), (7, 7), (1, 1)])


def test_a_cycle_is_named():
    """The error has the waves of a circle, and how many can never run."""
    with pytest.raises(Cycle, match="0 -> 1 -> 0") as raised:
        plan_barriers(2, [(0, 1), (1, 0)])
    assert raised.value.unscheduled_waves == 2
    with pytest.raises(Cycle) as raised:
        plan_barriers(7, [(0, 3), (3, 5), (5, 4), (4, 3), (4, 6)])
    assert raised.value.waves == (3, 5, 4)
    assert raised.value.unscheduled_waves == 4


def test_scratch_never_shrinks():
    """What was needed once is kept, and a plan does not depend on earlier ones."""
    scratch = WaveScratch()
    large = plan_barriers(64, layered(8, 8), scratch)
    assert (scratch.wave_capacity, scratch.dependency_capacity) == (64, 448)
    small = plan_barriers(4, layered(1, 4), scratch)
    assert (scratch.wave_capacity, scratch.dependency_capacity) == (64, 448)
    assert small.groups == ((0,), (1,), (2,), (3,))
    assert plan_barriers(64, layered(8, 8), scratch) == large


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, Edges]:
    """Waves and dependencies between any of them but not on themselves."""
    count = draw(st.integers(2, 12))
    wave = st.integers(0, count - 1)
    edges = draw(
        st.lists(st.tuples(wave, wave).filter(lambda e: e[0] != e[1]), max_size=30)
    )
    return count, edges


@given(graphs(), st.permutations(range(12)))
def test_layers_are_longest_paths(graph: tuple[int, Edges], numbers: list[int]):
    """A wave is in the first group that the longest chain before it allows."""
    count, edges = graph
    rank = sorted(range(count), key=lambda wave: numbers[wave])
    forward = [(rank[min(edge)], rank[max(edge)]) for edge in edges]
    groups = plan_barriers(count, forward).groups
    depth = [0] * count
    for before, after in sorted(forward, key=lambda edge: rank.index(edge[0])):
        depth[after] = max(depth[after], depth[before] + 1)
    where = {wave: number for number, group in enumerate(groups) for wave in group}
    assert where == dict(enumerate(depth))
    assert len(groups) == max(depth) + 1
    assert sum(map(len, groups)) == count


@given(graphs())
def test_a_reported_cycle_is_one(graph: tuple[int, Edges]):
    """Waves are refused only for a circle that is there."""
    count, edges = graph
    try:
        groups = plan_barriers(count, edges).groups
    except Cycle as cycle:
        circle = cycle.waves
        assert len(set(circle)) == len(circle) >= 2
        assert set(zip(circle, (*circle[1:], circle[0]))) <= set(edges)
    else:
        where = {wave: number for number, group in enumerate(groups) for wave in group}
        assert all(where[before] < where[after] for before, after in edges)


def triples(*counts: object) -> Any:
    return [counts]


@pytest.mark.parametrize(
    ("work", "cause"),
    [
        (lambda: plan_barriers(-1, []), "wave_count is -1"),
        (lambda: plan_barriers(2**60, []), "wave_count is 1152921504606846976"),
        (lambda: plan_barriers(cast(Any, 2.0), []), "wave_count is 2.0"),
        (lambda: plan_barriers(3, cast(Any, None)), "dependencies is None"),
        (lambda: plan_barriers(3, cast(Any, [1, 2])), "dependencies[0] is 1"),
        (lambda: plan_barriers(3, [(0, 1), (2**70, 1)]), f"depends on wave {2**70}"),
        (lambda: plan_barriers(3, cast(Any, [(0,), (1,)])), "dependencies[0] is (0,)"),
        (lambda: plan_barriers(3, cast(Any, [(0, 1.5)])), "dependencies[0] is (0, 1.5)"),
        (lambda: plan_barriers(3, np.zeros((2, 2))), "array of float64 and shape (2, 2)"),
        (lambda: plan_barriers(3, np.zeros(4, np.int64)), "array of int64 and shape (4,)"),
        (
            lambda: plan_barriers(3, cast(Any, np.array([[2**64 - 1, 1]], np.uint64))),
            f"depends on wave {2**64 - 1}",
        ),
        (lambda: plan_frontier_memory(triples(1, 2), [], budget_bytes=9), "waves[0] is"),
        (
            lambda: plan_frontier_memory(triples(1, 2, 3.0), [], budget_bytes=9),
            "waves[0] is",
        ),
        (lambda: plan_frontier_memory([], [], budget_bytes=cast(Any, "9")), "budget_bytes"),
        (lambda: plan_frontier_memory([], [], budget_bytes=-1), "budget bytes are not"),
        (
            lambda: plan_frontier_memory([], [], budget_bytes=9, packing=cast(Any, "x")),
            "packing is 'x'",
        ),
    ],
)
def test_wrong_arguments_are_named(work: Callable[[], object], cause: str):
    with pytest.raises(WaveError) as caught:
        work()
    assert cause in caught.value.cause


def test_errors_know_their_wave():
    """So that callers can say where it stands; what is about no wave says how to help."""
    large, small = WaveBytes(2**64 - 1, 0, 1), WaveBytes(1, 0, 0)
    for wrong in (large, WaveBytes(5, 0, 5)):
        with pytest.raises(WaveError) as caught:
            plan_frontier_memory([small, wrong], [], budget_bytes=9)
        assert caught.value.wave == 1
    with pytest.raises(WaveError) as caught:
        plan_frontier_memory([small], [], budget_bytes=9, resident_graph_bytes=10)
    assert (caught.value.wave, caught.value.fix) == (
        None,
        "raise the budget, or keep less on the device",
    )
