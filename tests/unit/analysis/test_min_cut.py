"""Minimum cuts against all ways to divide small graphs."""

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from vyre.analysis.min_cut import UNLIMITED, FlowGraph

Edge = tuple[int, int, int]

INNER = 5
NODES = st.integers(0, INNER + 1)
CAPACITIES = st.sampled_from([0, 1, 1, 2, 3, 5, 8, UNLIMITED])


def graph_of(edges: list[Edge]) -> FlowGraph:
    graph = FlowGraph()
    for _ in range(INNER):
        graph.node()
    for start, end, capacity in edges:
        graph.edge(start, end, capacity)
    return graph


def capacity_of(edges: list[Edge], side: tuple[bool, ...] | list[bool]) -> int:
    return sum(c for start, end, c in edges if side[start] and not side[end])


def least_capacity(edges: list[Edge]) -> int:
    sides = product([False, True], repeat=INNER)
    return min(capacity_of(edges, (True, False, *inner)) for inner in sides)


@settings(max_examples=400)
@given(st.lists(st.tuples(NODES, NODES, CAPACITIES), max_size=16))
def test_no_cut_has_less_capacity(edges: list[Edge]):
    least = least_capacity(edges)
    if least >= UNLIMITED:
        return  # Nobody asks for a cut where none is allowed.
    side = graph_of(edges).source_side()
    assert side[0]
    assert not side[1]
    assert capacity_of(edges, side) == least


def test_of_equal_cuts_the_one_next_to_the_source():
    graph = FlowGraph()
    node = graph.node()
    graph.edge(0, node, 3)
    graph.edge(node, 1, 3)
    assert graph.source_side() == [True, False, False]


def test_a_flow_can_be_taken_back():
    """
    The way over the first node fills the only edge to the sink. Yet its way back is open,
    so all nodes are on the source's side.
    """
    first, second, last = 2, 3, 4
    edges = [
        (0, first, 1),
        (first, last, 2),
        (last, 1, 1),
        (0, second, 2),
        (second, last, 2),
    ]
    side = graph_of(edges).source_side()
    assert capacity_of(edges, side) == 1
    assert side[first]


def test_long_ways_do_not_recurse():
    graph = FlowGraph()
    before = 0
    for _ in range(5000):
        node = graph.node()
        graph.edge(before, node, 2)
        before = node
    graph.edge(before, 1, 1)
    assert graph.source_side().count(True) == 5001
