"""Groups of waves within a budget."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vyre.analysis.frontier import FrontierPlan, WaveBytes, plan_frontier_memory
from vyre.analysis.packing import packed_decreasing, packed_in_order
from vyre.analysis.wave_errors import ByteCountOverflow, Cycle, GroupOverBudget

LARGEST = 2**64 - 1


def test_a_diamond_fits():
    """Peaks are sums over a group without the factor of scratch."""
    waves = [WaveBytes(1024 * n, 512 * n, 256 * n) for n in (1, 2, 4, 8)]
    plan = plan_frontier_memory(
        waves,
        [(0, 1), (0, 2), (1, 3), (2, 3)],
        resident_graph_bytes=16000,
        budget_bytes=131072,
        readback_bytes=1 << 20,
    )
    assert plan.barriers.groups[1] == (1, 2)
    assert plan.figures == {
        "global_barriers": 2,
        "peak_frontier_bytes": 8192,
        "peak_scratch_bytes": 4096,
        "peak_output_bytes": 2048,
        "amortized_readback_bytes": 1 << 20,
        "max_group_width": 2,
    }


def test_outputs_are_read_back_at_least():
    """Without a larger wish, the largest output of a group is what is read back."""
    plan = plan_frontier_memory([WaveBytes(1024, 512, 3072)] * 2, [], budget_bytes=1 << 20)
    assert plan.peak_output_bytes == plan.amortized_readback_bytes == 6144


def test_a_layer_is_cut_where_the_budget_ends():
    """Three waves of cost 60 do not fit into 100 together; two of 50 do exactly."""
    plan = plan_frontier_memory([WaveBytes(10, 10, 10)] * 3, [], budget_bytes=100)
    assert plan.barriers.groups == ((0,), (1,), (2,))
    assert plan.max_group_width == 1
    assert plan.peak_frontier_bytes == plan.peak_scratch_bytes == 10
    plan = plan_frontier_memory([WaveBytes(10, 10, 0)] * 3, [], budget_bytes=100)
    assert plan.barriers.groups == ((0, 1), (2,))


def check_peaks(width: int, depth: int, edges: list[tuple[int, int]]) -> None:
    """The pinned shapes: frontier of the width, scratch by slot, output by layer."""
    waves = [
        WaveBytes(width, slot + 1, layer + 1)
        for layer, slot in product(range(depth), range(width))
    ]
    plan = plan_frontier_memory(
        waves,
        edges,
        resident_graph_bytes=256,
        budget_bytes=1 << 20,
        readback_bytes=7,
    )
    assert plan.figures == {
        "global_barriers": depth - 1,
        "peak_frontier_bytes": width * width,
        "peak_scratch_bytes": width * (width + 1) // 2,
        "peak_output_bytes": width * depth,
        "amortized_readback_bytes": max(7, width * depth),
        "max_group_width": width,
    }


@pytest.mark.parametrize("width", range(1, 33))
def test_peaks_of_chains_side_by_side(width: int):
    """For every width and depth that is pinned."""
    for depth in range(1, 33):
        waves = range(width * (depth - 1))
        check_peaks(width, depth, [(wave, wave + width) for wave in waves])


@pytest.mark.parametrize("width", [1, 2, 5, 32])
@pytest.mark.parametrize("depth", [1, 3, 32])
def test_peaks_of_layered_waves(width: int, depth: int):
    """Each wave depends on all waves of the layer before."""
    edges = [
        (layer * width + one, (layer + 1) * width + other)
        for layer in range(depth - 1)
        for one, other in product(range(width), repeat=2)
    ]
    check_peaks(width, depth, edges)


def test_no_waves_need_nothing():
    """An empty plan has no barriers and reads back what is asked for."""
    plan = plan_frontier_memory([], [], budget_bytes=0, readback_bytes=3)
    assert plan == FrontierPlan(plan.barriers, 0, 0, 0, 3, 0)


def test_what_is_over_budget_is_named_with_both_numbers():
    """The graph against the budget, or a wave against what the graph leaves."""
    with pytest.raises(GroupOverBudget) as raised:
        plan_frontier_memory([], [], resident_graph_bytes=1600, budget_bytes=1000)
    error = raised.value
    assert (error.required, error.budget) == (1600, 1000)
    assert error.field == "resident graph bytes"
    with pytest.raises(GroupOverBudget, match="600 bytes are needed, the budget has 500"):
        plan_frontier_memory([WaveBytes(100, 100, 100)], [], budget_bytes=500)
    with pytest.raises(GroupOverBudget) as raised:
        plan_frontier_memory(
            [WaveBytes(9, 0, 0)], [], resident_graph_bytes=2, budget_bytes=10
        )
    error = raised.value
    assert (error.required, error.budget) == (9, 8)
    assert error.field == "single fused frontier wave bytes"


@pytest.mark.parametrize(
    ("waves", "field"),
    [
        ([WaveBytes(LARGEST, 1, 1)], "fused wave bytes"),
        ([WaveBytes(0, 1 << 62, 0)], "fused wave scratch bytes"),
        ([WaveBytes(LARGEST + 1, 0, 0)], "frontier wave bytes"),
        ([WaveBytes(0, -1, 0)], "scratch wave bytes"),
        ([WaveBytes(1 << 63, 0, 0)] * 2, "barrier group fused wave budget bytes"),
    ],
)
def test_what_64_bits_cannot_hold_is_an_error(waves: list[WaveBytes], field: str):
    """Also where the two waves would be in groups of their own."""
    with pytest.raises(ByteCountOverflow) as raised:
        plan_frontier_memory(
            waves, [], resident_graph_bytes=2, budget_bytes=LARGEST, readback_bytes=0
        )
    assert raised.value.field == field


def test_a_budget_has_64_bits():
    """So has everything that is asked for."""
    with pytest.raises(ByteCountOverflow, match="budget bytes"):
        plan_frontier_memory([], [], budget_bytes=LARGEST + 1)
    with pytest.raises(ByteCountOverflow, match="readback bytes"):
        plan_frontier_memory([], [], budget_bytes=0, readback_bytes=-1)


def test_dependencies_are_checked_too():
    """Errors of the barrier plan come through."""
    with pytest.raises(Cycle):
        plan_frontier_memory([WaveBytes(1, 1, 1)] * 2, [(0, 1), (1, 0)], budget_bytes=100)


def test_better_packing_shows_both_plans():
    """60, 60, 40, 40 take three groups of 100 in order, and two if they may be mixed."""
    waves = [WaveBytes(n, 0, 0) for n in (60, 60, 40, 40)]
    plan = plan_frontier_memory(waves, [], budget_bytes=100, packing="best")
    assert plan.barriers.groups == ((0, 2), (1, 3))
    assert plan.in_order is not None
    assert plan.in_order.barriers.groups == ((0,), (1, 2), (3,))
    assert plan.in_order == plan_frontier_memory(waves, [], budget_bytes=100)


def test_the_order_is_kept_where_mixing_is_not_better():
    """First fit decreasing needs three groups here, the order of the waves two."""
    costs = [40, 30, 30, 50, 25, 25]
    assert len(packed_decreasing(range(6), costs, 100)) == 3
    waves = [WaveBytes(n, 0, 0) for n in costs]
    plan = plan_frontier_memory(waves, [], budget_bytes=100, packing="best")
    assert plan.barriers.groups == ((0, 1, 2), (3, 4, 5))


@given(st.lists(st.integers(0, 100), max_size=20), st.integers(100, 200))
def test_both_packings_fit(costs: list[int], budget: int):
    """Every wave is in one group, no group is over the budget, and none is empty."""
    waves = range(len(costs))
    for pack in (packed_in_order, packed_decreasing):
        groups = pack(waves, costs, budget)
        assert sorted(wave for group in groups for wave in group) == list(waves)
        assert all(group and sum(costs[w] for w in group) <= budget for group in groups)
        # Two groups that are less than half full would have been one.
        if pack is packed_decreasing:
            assert sum(sum(costs[w] for w in g) * 2 <= budget for g in groups) <= 1


sizes = st.builds(WaveBytes, *[st.integers(0, 20)] * 3)
edges = st.tuples(st.integers(0, 11), st.integers(0, 11))


@given(
    st.lists(sizes, min_size=1, max_size=12),
    st.lists(edges, max_size=30),
    st.integers(0, 50),
    st.sampled_from(["in_order", "best"]),
)
def test_groups_fit_and_dependencies_cross_barriers(
    waves: list[WaveBytes], pairs: list[tuple[int, int]], graph: int, packing: str
):
    """Whatever the waves are, and however they are packed."""
    forward = [(min(e), max(e)) for e in pairs if e[0] != e[1] and max(e) < len(waves)]
    plan = plan_frontier_memory(
        waves,
        forward,
        resident_graph_bytes=graph,
        budget_bytes=150 + graph,
        packing="best" if packing == "best" else "in_order",
    )
    groups = plan.barriers.groups
    where = {wave: number for number, group in enumerate(groups) for wave in group}
    assert sorted(where) == list(range(len(waves)))
    assert all(where[before] < where[after] for before, after in forward)
    assert all(sum(waves[w].fused_cost for w in group) <= 150 for group in groups)
    assert plan.max_group_width == max(map(len, groups))
    assert plan.peak_output_bytes == max(
        sum(waves[w].output_bytes for w in group) for group in groups
    )
    if plan.in_order is not None:
        assert len(groups) <= len(plan.in_order.barriers.groups)
