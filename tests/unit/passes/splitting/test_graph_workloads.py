"""
Workloads on graphs and sets of bits: closures that run until nothing changes, or for a
given number of hops. Answers come from walking the graph hop by hop in Python.
"""

from typing import Any

import numpy as np
import pytest
from fixpoint_programs import unrolled_fixpoint
from numpy.typing import NDArray
from split_cases import Way, program

Edges = list[tuple[int, int]]

GRAPH = """
  %offsets = vyre.buffer "offsets" read_only binding 10 : memref<?xi32>
  %targets = vyre.buffer "targets" read_only binding 11 : memref<?xi32>
  %nodes = vyre.param "nodes" : index
  %is_node = arith.cmpi ult, %x, %nodes : index
"""


def by_rows(edges: Edges, nodes: int) -> dict[str, Any]:
    """The graph as arguments of a program."""
    counts = np.bincount([start for start, _ in edges], minlength=nodes)
    return {
        "offsets": np.r_[0, np.cumsum(counts)].astype(np.int32),
        "targets": np.array([end for _, end in sorted(edges)], np.int32),
        "nodes": nodes,
    }


def hop(edges: Edges, start: set[int]) -> set[int]:
    """The nodes to which edges lead from these."""
    return {end for begin, end in edges if begin in start}


def as_bits(nodes: set[int], words: int) -> NDArray[np.int32]:
    bits = np.zeros(32 * words, np.uint8)
    bits[list(nodes)] = 1
    return np.packbits(bits, bitorder="little").view(np.int32)


def random_edges(seed: int, nodes: int, count: int) -> Edges:
    pairs = np.random.default_rng(seed).integers(0, nodes, (count, 2)).tolist()
    return sorted({(start, end) for start, end in pairs})


def for_each_edge(body: str) -> str:
    """Code that runs `body` for every edge of the invocation's node, to `%target`."""
    return f"""
      %behind = arith.addi %x, %c1 : index
      %first32 = vyre.load %offsets[%x] : memref<?xi32>
      %end32 = vyre.load %offsets[%behind] : memref<?xi32>
      %first = arith.index_cast %first32 : i32 to index
      %end = arith.index_cast %end32 : i32 to index
      scf.for %edge = %first to %end step %c1 {{
        %target = vyre.load %targets[%edge] : memref<?xi32>
        {body}
      }}
    """


WORD_AND_BIT_OF_TARGET = """
  %target_word32 = arith.shrui %target, %i5 : i32
  %target_word = arith.index_cast %target_word32 : i32 to index
  %target_bit = arith.shli %i1, %target : i32
"""
WORD_AND_BIT_OF_NODE = """
  %own_word = arith.shrui %x, %c5 : index
  %own_bit = arith.shli %i1, %x32 : i32
"""

TRANSFERS = {
    "identity": "%v = vyre.load %current[%x] : memref<?xi32>",
    "or": """
      %old = vyre.load %current[%x] : memref<?xi32>
      %v = arith.ori %old, %i6 : i32
    """,
    "carry": """
      %old = vyre.load %current[%x] : memref<?xi32>
      %is_first = arith.cmpi eq, %x, %c0 : index
      %from_left = scf.if %is_first -> (i32) {
        scf.yield %i0 : i32
      } else {
        %left = arith.subi %x, %c1 : index
        %word = vyre.load %current[%left] : memref<?xi32>
        scf.yield %word : i32
      }
      %v = arith.ori %old, %from_left : i32
    """,
}


@pytest.mark.parametrize("rounds", [1, 3, 9])
@pytest.mark.parametrize("transfer", TRANSFERS)
def test_w3_closure_of_words(behaves: Way, transfer: str, rounds: int):
    """The rounds after the last change are in the text, and do nothing."""
    step = f"{TRANSFERS[transfer]}\nvyre.store %v, %next[%x] : memref<?xi32>"
    words = np.array([1, 0, 8, 0, 0, 0, 0, 32])
    state, changed = words, [0] * rounds
    for k in range(rounds):
        match transfer:
            case "or":
                new = state | 6
            case "carry":
                new = state | np.r_[0, state[:-1]]
            case _:
                new = state
        changed[k] = int((new != state).any())
        state = new
        if not changed[k]:
            break
    behaves(
        unrolled_fixpoint(step, rounds),
        {"current": words.tolist(), "next": [0] * 8, "changed": [0] * rounds},
        gives={
            "current": state,
            "next": state,
            "changed": changed,
            "gave_up": [int(all(changed))],
        },
    )


@pytest.mark.parametrize("hops", [1, 2, 6])
def test_w4_reachability_by_bits(behaves: Way, hops: int):
    """Whether a round is active is asked before one barrier and used after it."""
    table = """
      %kinds = vyre.buffer "kinds" read_only binding 12 : memref<?xi32>
      %sources = vyre.buffer "sources" read_only binding 1 : memref<2xi32>
      %reach = vyre.buffer "reach" read_write binding 2 : memref<2xi32>
      %next = vyre.buffer "next" read_write binding 3 : memref<2xi32>
      %frontier = vyre.buffer "frontier" read_write binding 4 : memref<3xi32>
      %is_word = arith.cmpi ult, %x, %c2 : index
      %is_first = arith.cmpi eq, %x, %c0 : index
    """
    expand = for_each_edge(f"""
        %kind = vyre.load %kinds[%edge] : memref<?xi32>
        %is_wanted = arith.cmpi ne, %kind, %i0 : i32
        scf.if %is_wanted {{
          {WORD_AND_BIT_OF_TARGET}
          %old = vyre.atomic or %target_bit, %next[%target_word] : memref<2xi32>
        }}
    """)
    code = f"""
      {WORD_AND_BIT_OF_NODE}
      scf.if %is_word {{
        %source = vyre.load %sources[%x] : memref<2xi32>
        vyre.store %source, %reach[%x] : memref<2xi32>
        vyre.store %source, %frontier[%x] : memref<3xi32>
      }}
      vyre.barrier grid_sync
      scf.for %hop = %c0 to %hops step %c1 {{
        %flag = vyre.load %frontier[%c2] : memref<3xi32>
        %is_start = arith.cmpi eq, %hop, %c0 : index
        %is_flagged = arith.cmpi ne, %flag, %i0 : i32
        %is_active = arith.ori %is_start, %is_flagged : i1
        scf.if %is_word {{
          vyre.store %i0, %next[%x] : memref<2xi32>
        }}
        vyre.barrier grid_sync
        %takes_part = arith.andi %is_active, %is_node : i1
        scf.if %takes_part {{
          %word = vyre.load %frontier[%own_word] : memref<3xi32>
          %own = arith.andi %word, %own_bit : i32
          %is_in = arith.cmpi ne, %own, %i0 : i32
          scf.if %is_in {{
            {expand}
          }}
        }}
        vyre.barrier grid_sync
        scf.if %is_first {{
          vyre.store %i0, %frontier[%c2] : memref<3xi32>
        }}
        vyre.barrier grid_sync
        scf.if %is_word {{
          %found = vyre.load %next[%x] : memref<2xi32>
          %known = vyre.load %reach[%x] : memref<2xi32>
          %all = arith.ori %known, %found : i32
          %new = arith.xori %all, %known : i32
          vyre.store %new, %frontier[%x] : memref<3xi32>
          vyre.store %all, %reach[%x] : memref<2xi32>
          %is_new = arith.cmpi ne, %new, %i0 : i32
          scf.if %is_new {{
            %old = vyre.atomic or %i1, %frontier[%c2] : memref<3xi32>
          }}
        }}
        vyre.barrier grid_sync
      }}
    """
    nodes = 40
    edges = random_edges(4, nodes, 60)
    wanted = [edge for edge in edges if sum(edge) % 3]
    reach = {1, 33}
    sources, frontier, found = set(reach), set(reach), set[int]()
    for _ in range(hops):
        found = hop(wanted, frontier)
        frontier = found - reach
        reach |= found
    count = '%hops = vyre.param "hops" : index'
    behaves(
        program(GRAPH, table, count, code, workgroup="[8, 1, 1]"),
        {
            **by_rows(edges, nodes),
            "kinds": np.array([int(sum(edge) % 3 > 0) for edge in edges], np.int32),
            "sources": as_bits(sources, 2),
            "reach": [0, 0],
            "next": [0, 0],
            "frontier": [0, 0, 0],
            "hops": hops,
        },
        gives={
            "reach": as_bits(reach, 2),
            "next": as_bits(found, 2),
            "frontier": np.r_[as_bits(frontier, 2), len(frontier) > 0],
        },
        grid=5,
    )


def bfs() -> str:
    """Exactly one hop per round: who is active is decided before anyone is added."""
    table = """
      %start = vyre.buffer "start" read_only binding 1 : memref<2xi32>
      %seen = vyre.buffer "seen" read_write binding 2 : memref<2xi32>
      %changed = vyre.buffer "changed" read_write binding 3 : memref<3xi32>
      %converged = vyre.buffer "converged" read_write binding 4 : memref<1xi32>
      %rounds = vyre.param "rounds" : index
      %is_word = arith.cmpi ult, %x, %c2 : index
      %is_first = arith.cmpi eq, %x, %c0 : index
    """
    scan = for_each_edge(f"""
      {WORD_AND_BIT_OF_TARGET}
      %old = vyre.atomic or %target_bit, %seen[%target_word] : memref<2xi32>
      %before = arith.andi %old, %target_bit : i32
      %is_new = arith.cmpi eq, %before, %i0 : i32
      scf.if %is_new {{
        %ever = vyre.atomic or %i1, %changed[%c0] : memref<3xi32>
        %again = vyre.atomic or %i1, %changed[%next_flag] : memref<3xi32>
      }}
    """)
    code = f"""
      {WORD_AND_BIT_OF_NODE}
      scf.if %is_word {{
        %v = vyre.load %start[%x] : memref<2xi32>
        vyre.store %v, %seen[%x] : memref<2xi32>
      }}
      scf.if %is_first {{
        vyre.store %i0, %changed[%c0] : memref<3xi32>
        vyre.store %i1, %changed[%c1] : memref<3xi32>
        vyre.store %i0, %changed[%c2] : memref<3xi32>
      }}
      vyre.barrier grid_sync
      scf.for %round = %c0 to %rounds step %c1 {{
        %parity = arith.andi %round, %c1 : index
        %flag = arith.addi %parity, %c1 : index
        %next_flag = arith.subi %c2, %parity : index
        scf.if %is_first {{
          vyre.store %i0, %changed[%next_flag] : memref<3xi32>
        }}
        %is_active = vyre.region "snapshot" -> (i1) {{
          %had = vyre.load %changed[%flag] : memref<3xi32>
          %goes_on = arith.cmpi ne, %had, %i0 : i32
          %takes_part = arith.andi %goes_on, %is_node : i1
          %active = scf.if %takes_part -> (i1) {{
            %word = vyre.load %seen[%own_word] : memref<2xi32>
            %own = arith.andi %word, %own_bit : i32
            %is_in = arith.cmpi ne, %own, %i0 : i32
            scf.yield %is_in : i1
          }} else {{
            scf.yield %no : i1
          }}
          vyre.barrier grid_sync
          vyre.yield %active : i1
        }}
        scf.if %is_active {{
          {scan}
        }}
        vyre.barrier grid_sync
      }}
      scf.if %is_first {{
        %parity = arith.andi %rounds, %c1 : index
        %flag = arith.addi %parity, %c1 : index
        %had = vyre.load %changed[%flag] : memref<3xi32>
        %is_done = arith.cmpi eq, %had, %i0 : i32
        %shown = arith.extui %is_done : i1 to i32
        vyre.store %shown, %converged[%c0] : memref<1xi32>
      }}
    """
    return program(GRAPH, table, code, workgroup="[8, 1, 1]")


NODES = 40
GRAPHS: dict[str, tuple[Edges, int]] = {
    "forward": ([(k, k + 1) for k in range(NODES - 1)], 7),
    "backward": ([(k, k - 1) for k in range(1, NODES)], 32),
    "fan": ([(0, k) for k in range(1, 20)] + [(1, 39)], 0),
    "random": (random_edges(5, NODES, 70), 3),
}


@pytest.mark.parametrize("rounds", [1, 2, 5])
@pytest.mark.parametrize("graph", GRAPHS)
def test_w5_one_hop_per_round(behaves: Way, graph: str, rounds: int):
    """Chains cross the bounds of workgroups, where an early look takes two hops at once."""
    edges, start = GRAPHS[graph]
    seen, flags = {start}, [0, 1, 0]
    for k in range(rounds):
        added = hop(edges, seen) - seen if flags[1 + k % 2] else set[int]()
        flags[2 - k % 2] = int(len(added) > 0)
        flags[0] |= flags[2 - k % 2]
        seen |= added
    behaves(
        bfs(),
        {
            **by_rows(edges, NODES),
            "start": as_bits({start}, 2),
            "seen": [0, 0],
            "changed": [0, 0, 0],
            "converged": [7],
            "rounds": rounds,
        },
        gives={
            "seen": as_bits(seen, 2),
            "changed": flags,
            "converged": [int(not flags[1 + rounds % 2])],
        },
        grid=5,
    )


RELAX = """
  %edges = vyre.length %from, 0 : memref<?xi32>
  %is_edge = arith.cmpi ult, %x, %edges : index
  scf.if %is_edge {
    %u32 = vyre.load %from[%x] : memref<?xi32>
    %v32 = vyre.load %into[%x] : memref<?xi32>
    %weight = vyre.load %weights[%x] : memref<?xi32>
    %u = arith.index_cast %u32 : i32 to index
    %v = arith.index_cast %v32 : i32 to index
    %so_far = vyre.load %current[%u] : memref<?xi32>
    %sum = arith.addi %so_far, %weight : i32
    %overflows = arith.cmpi ult, %sum, %so_far : i32
    %alternative = arith.select %overflows, %unreached, %sum : i32
    %old = vyre.atomic umin %alternative, %next[%v] : memref<?xi32>
  }
"""


@pytest.mark.parametrize("rounds", [2, 9])
def test_w6_shortest_ways(behaves: Way, rounds: int):
    """More edges than nodes, so invocations have a part in some phases only."""
    table = """
      %from = vyre.buffer "from" read_only binding 10 : memref<?xi32>
      %into = vyre.buffer "into" read_only binding 11 : memref<?xi32>
      %weights = vyre.buffer "weights" read_only binding 12 : memref<?xi32>
      %unreached = arith.constant -1 : i32
    """
    nodes, far = 9, 2**32 - 1
    edges = random_edges(6, nodes, 20)
    weights = np.random.default_rng(6).integers(1, 9, len(edges))
    weights[3] = far - 2
    ways = np.full(nodes, far)
    ways[edges[0][0]] = 0
    start, changed = ways.astype(np.uint32), [0] * rounds
    for k in range(rounds):
        new = ways.copy()
        for (u, v), weight in zip(edges, weights, strict=True):
            new[v] = min(new[v], ways[u] + weight)
        changed[k] = int((new != ways).any())
        ways = new
        if not changed[k]:
            break
    behaves(
        unrolled_fixpoint(RELAX, rounds, table),
        {
            "current": start,
            "next": start.copy(),
            "changed": [0] * rounds,
            "from": [u for u, _ in edges],
            "into": [v for _, v in edges],
            "weights": weights.astype(np.uint32),
        },
        gives={
            "current": ways,
            "next": ways,
            "changed": changed,
            "gave_up": [int(all(changed))],
        },
        grid=6,
    )


@pytest.mark.parametrize("hops", [1, 3, 20])
def test_w9_the_caller_repeats_one_hop(behaves: Way, hops: int):
    """A pass of the whole program is one hop; results stay from pass to pass."""
    table = """
      %sources = vyre.buffer "sources" read_only binding 1 : memref<?xi32>
      %domain = vyre.buffer "domain" read_only binding 2 : memref<?xi32>
      %reach = vyre.buffer "reach" read_write binding 3 : memref<?xi32>
      %found = vyre.buffer "found" read_write binding 4 : memref<?xi32>
      %flows = vyre.buffer "flows" write_only binding 5 output : memref<16xi32>
    """
    scatter = for_each_edge("""
      %at = arith.index_cast %target : i32 to index
      vyre.store %i1, %found[%at] : memref<?xi32>
    """)
    code = f"""
      %source = vyre.load %sources[%x] : memref<?xi32>
      %before = vyre.load %reach[%x] : memref<?xi32>
      %start = arith.ori %before, %source : i32
      vyre.store %start, %reach[%x] : memref<?xi32>
      vyre.store %i0, %found[%x] : memref<?xi32>
      vyre.barrier grid_sync
      %is_in = arith.cmpi ne, %start, %i0 : i32
      scf.if %is_in {{
        {scatter}
      }}
      vyre.barrier grid_sync
      %hit = vyre.load %found[%x] : memref<?xi32>
      %all = arith.ori %start, %hit : i32
      vyre.store %all, %reach[%x] : memref<?xi32>
      %inside = vyre.load %domain[%x] : memref<?xi32>
      %shown = arith.andi %all, %inside : i32
      vyre.store %shown, %flows[%x] : memref<16xi32>
    """
    nodes = 16
    edges = random_edges(9, nodes, 18)
    domain = [k % 3 for k in range(nodes)]
    reach, found = {edges[0][0], 5}, set[int]()
    sources = [int(k in reach) for k in range(nodes)]
    for _ in range(hops):
        found = hop(edges, reach)
        reach |= found
    behaves(
        program(GRAPH, table, code),
        {
            **by_rows(edges, nodes),
            "sources": sources,
            "domain": domain,
            "reach": [0] * nodes,
            "found": [0] * nodes,
        },
        gives={
            "reach": [int(k in reach) for k in range(nodes)],
            "found": [int(k in found) for k in range(nodes)],
            "flows": [int(k in reach) & domain[k] for k in range(nodes)],
        },
        grid=4,
        fixpoint_iterations=hops,
    )
