"""
Workloads that the Rust system runs, in small: chains of phases, scans, levels and rules.
The ones on graphs are in `test_graph_workloads.py`. Answers come from NumPy.
"""

from typing import Any

import numpy as np
import pytest
from split_cases import OUT, A, N, Way, program

INPUT = '%input = vyre.buffer "input" read_only binding 5 : memref<?xi32>'
# Late workgroups work longer, so that a missing barrier shows.
WORK = """
  %trips = arith.muli %g, %c2 : index
  scf.for %k = %c0 to %trips step %c1 {
    %v = vyre.load %a[%x] : memref<?xi32>
    %more = arith.addi %v, %i1 : i32
    vyre.store %more, %a[%x] : memref<?xi32>
  }
"""
LAST = """
  %length = vyre.length %a, 0 : memref<?xi32>
  %last = arith.subi %length, %c1 : index
"""


@pytest.mark.parametrize("groups", [2, 5])
def test_w1_who_reads_what_the_last_workgroup_wrote(behaves: Way, groups: int):
    """The first workgroup is done long before the last one."""
    code = """
      vyre.barrier grid_sync
      %seen = vyre.load %a[%last] : memref<?xi32>
      %own = vyre.load %input[%x] : memref<?xi32>
      %sum = arith.addi %seen, %own : i32
      vyre.store %sum, %out[%x] : memref<?xi32>
    """
    row = np.arange(4 * groups, dtype=np.int32)
    delays = 2 * (row // 4)
    behaves(
        program(OUT, A, INPUT, LAST, WORK, code),
        {"out": 0 * row, "a": row.copy(), "input": row},
        gives={"out": row[-1] + delays[-1] + row, "a": row + delays},
        grid=groups,
    )


def test_w1_who_reads_what_the_first_workgroup_wrote(behaves: Way):
    """The simple form: the first element is seen by all."""
    code = """
      %own = vyre.load %input[%x] : memref<?xi32>
      %more = arith.addi %own, %i1 : i32
      vyre.store %more, %a[%x] : memref<?xi32>
      vyre.barrier grid_sync
      %seen = vyre.load %a[%c0] : memref<?xi32>
      %sum = arith.addi %seen, %own : i32
      vyre.store %sum, %out[%x] : memref<?xi32>
    """
    row = np.arange(12, dtype=np.int32)
    behaves(
        program(OUT, A, INPUT, code),
        {"out": 0 * row, "a": 0 * row, "input": row},
        gives={"out": row + 1, "a": row + 1},
        grid=3,
    )


def test_w2_five_stages(behaves: Way):
    """In each, all take over what the last one has after the others' delays."""
    stage = f"""
      vyre.region {{
        {WORK}
        vyre.barrier grid_sync
        %seen = vyre.load %a[%last] : memref<?xi32>
        vyre.barrier grid_sync
        vyre.store %seen, %a[%x] : memref<?xi32>
      }}
    """
    code = """
      vyre.barrier grid_sync
      %seen = vyre.load %a[%last] : memref<?xi32>
      %own = vyre.load %input[%x] : memref<?xi32>
      %sum = arith.addi %seen, %own : i32
      vyre.store %sum, %out[%x] : memref<?xi32>
    """
    row = np.arange(12, dtype=np.int32)
    final = 11 + 5 * 2 * 2
    behaves(
        program(OUT, A, INPUT, LAST, stage * 5, code),
        {"out": 0 * row, "a": row.copy(), "input": row},
        gives={"out": final + row, "a": [final] * 12},
        grid=3,
    )


def scan_of_the_tile(steps: int) -> str:
    """Code that makes the tile its own sums of beginnings, with workgroup barriers."""
    return f"""
      scf.for %s = %c0 to %c{steps} step %c1 {{
        %distance = arith.shli %c1, %s : index
        vyre.barrier acq_rel
        %mine = vyre.load %tile[%l] : memref<4xi32>
        %has_left = arith.cmpi uge, %l, %distance : index
        %beside = scf.if %has_left -> (i32) {{
          %from = arith.subi %l, %distance : index
          %there = vyre.load %tile[%from] : memref<4xi32>
          scf.yield %there : i32
        }} else {{
          scf.yield %i0 : i32
        }}
        %both = arith.addi %mine, %beside : i32
        vyre.barrier acq_rel
        vyre.store %both, %tile[%l] : memref<4xi32>
      }}
    """


def prefix_sum() -> str:
    """Inclusive sums over four workgroups of four, and exclusive ones fused to them."""
    tables = """
      %tile = vyre.buffer "tile" workgroup : memref<4xi32>
      %totals = vyre.buffer "totals" read_write binding 3 : memref<4xi32>
      %exclusive = vyre.buffer "exclusive" write_only binding 4 output : memref<16xi32>
    """
    code = f"""
      vyre.region "exclusive" {{
        %own, %all = vyre.region "inclusive" -> (i32, i32) {{
          %v = vyre.load %input[%x] : memref<?xi32>
          vyre.store %v, %tile[%l] : memref<4xi32>
          {scan_of_the_tile(2)}
          %partial = vyre.load %tile[%l] : memref<4xi32>
          %is_last = arith.cmpi eq, %l, %c3 : index
          scf.if %is_last {{
            vyre.store %partial, %totals[%g] : memref<4xi32>
          }}
          vyre.barrier grid_sync
          %is_first_group = arith.cmpi eq, %g, %c0 : index
          scf.if %is_first_group {{
            %total = vyre.load %totals[%l] : memref<4xi32>
            vyre.store %total, %tile[%l] : memref<4xi32>
            {scan_of_the_tile(2)}
            %scanned = vyre.load %tile[%l] : memref<4xi32>
            vyre.store %scanned, %totals[%l] : memref<4xi32>
          }}
          vyre.barrier grid_sync
          %before = scf.if %is_first_group -> (i32) {{
            scf.yield %i0 : i32
          }} else {{
            %left = arith.subi %g, %c1 : index
            %scanned = vyre.load %totals[%left] : memref<4xi32>
            scf.yield %scanned : i32
          }}
          %sum = arith.addi %partial, %before : i32
          vyre.store %sum, %out[%x] : memref<?xi32>
          vyre.yield %v, %sum : i32, i32
        }}
        vyre.barrier grid_sync
        %less = arith.subi %all, %own : i32
        vyre.store %less, %exclusive[%x] : memref<16xi32>
      }}
    """
    return program(OUT, INPUT, tables, code)


def test_w7_prefix_sum_over_workgroups(behaves: Way):
    """What each invocation has scanned lives on across two barriers in nested regions."""
    row = np.random.default_rng(7).integers(-100, 100, 16).astype(np.int32)
    row[3] = 2**31 - 1
    sums = np.cumsum(row, dtype=np.int32)
    behaves(
        prefix_sum(),
        {"out": 0 * row, "input": row, "totals": [0] * 4},
        gives={"out": sums, "exclusive": sums - row, "totals": sums[3::4]},
        grid=4,
    )


CIRCUIT = """
  %depth = vyre.buffer "depth" read_only binding 1 : memref<?xi32>
  %multiplies = vyre.buffer "multiplies" read_only binding 2 : memref<?xi1>
  %left = vyre.buffer "left" read_only binding 3 : memref<?xindex>
  %right = vyre.buffer "right" read_only binding 4 : memref<?xindex>
  %own_depth = vyre.load %depth[%x] : memref<?xi32>
"""


def level(number: str) -> str:
    """Code that gives the nodes of one level a value from their children's."""
    return f"""
      vyre.region "level" {{
        %is_due = arith.cmpi eq, %own_depth, {number} : i32
        scf.if %is_due {{
          %p_at = vyre.load %left[%x] : memref<?xindex>
          %q_at = vyre.load %right[%x] : memref<?xindex>
          %p = vyre.load %out[%p_at] : memref<?xi32>
          %q = vyre.load %out[%q_at] : memref<?xi32>
          %does = vyre.load %multiplies[%x] : memref<?xi1>
          %product = arith.muli %p, %q : i32
          %sum = arith.addi %p, %q : i32
          %v = arith.select %does, %product, %sum : i32
          vyre.store %v, %out[%x] : memref<?xi32>
        }}
        vyre.barrier grid_sync
      }}
    """


@pytest.mark.parametrize("unrolled", [False, True])
def test_w8_levels_of_a_circuit(behaves: Way, unrolled: bool):
    """A level has to be done before the next one reads it."""
    rng = np.random.default_rng(8)
    depth = np.sort(rng.integers(0, 5, 12)).astype(np.int32)
    depth[0] = 0
    left, right = np.zeros((2, 12), np.int64)
    multiplies = rng.random(12) < 0.5
    out = rng.integers(1, 5, 12).astype(np.int32)
    expected = out.copy()
    for node in np.flatnonzero(depth):
        left[node], right[node] = rng.choice(np.flatnonzero(depth < depth[node]), 2)
        p, q = expected[left[node]], expected[right[node]]
        expected[node] = p * q if multiplies[node] else p + q
    # Nodes have places that have nothing to do with their level.
    place = rng.permutation(12)
    arrays: dict[str, Any] = {"depth": depth, "multiplies": multiplies, "out": out}
    shuffled = {name: np.empty_like(array) for name, array in arrays.items()}
    for name, array in arrays.items():
        shuffled[name][place] = array
    for name, array in (("left", left), ("right", right)):
        shuffled[name] = np.empty_like(array)
        shuffled[name][place] = place[array]
    final = np.empty_like(expected)
    final[place] = expected

    if unrolled:
        code = "\n".join(level(f"%i{number}") for number in range(1, 5))
    else:
        code = f"""
          scf.for %d = %c1 to %c5 step %c1 {{
            %d32 = arith.index_cast %d : index to i32
            {level("%d32")}
          }}
        """
    behaves(program(OUT, CIRCUIT, code), shuffled, gives={"out": final}, grid=3)


def test_w10_many_rules_pack_their_results(behaves: Way):
    """Forty segments; each rule writes one slot of a result that all share."""
    rules = 20
    packed = (
        f'%packed = vyre.buffer "packed" write_only binding 1 output : memref<{rules}xi32>'
    )

    def rule(number: int) -> str:
        return f"""
          vyre.region "rule {number}" {{
            %shifted = arith.addi %x, %c{number} : index
            %from = arith.remui %shifted, %c8 : index
            %v = vyre.load %input[%from] : memref<?xi32>
            %product = arith.muli %v, %i{number + 1} : i32
            vyre.store %product, %out[%x] : memref<?xi32>
            vyre.barrier grid_sync
            %is_chosen = arith.cmpi eq, %x, %c{number % 8} : index
            scf.if %is_chosen {{
              %mirrored = arith.subi %c7, %x : index
              %w = vyre.load %out[%mirrored] : memref<?xi32>
              vyre.store %w, %packed[%c{number}] : memref<{rules}xi32>
            }}
            vyre.barrier grid_sync
          }}
        """

    row = np.arange(10, 18, dtype=np.int32)
    expected = [row[(7 - r % 8 + r) % 8] * (r + 1) for r in range(rules)]
    behaves(
        program(OUT, INPUT, packed, *map(rule, range(rules))),
        {"out": 0 * row, "input": row},
        gives={"out": np.roll(row, -(rules - 1)) * rules, "packed": expected},
    )


def test_w11_bounds_of_statements(behaves: Way):
    """Six phases, some of a single invocation: which tokens end which statement?"""
    table = """
      %types = vyre.buffer "types" read_only binding 1 : memref<?xi32>
      %tiles = vyre.buffer "tiles" read_write binding 2 : memref<?xi32>
      %ends = vyre.buffer "ends" read_write binding 3 : memref<?xi32>
      %starts = vyre.buffer "starts" read_write binding 4 : memref<?xi32>
      %count = vyre.buffer "count" read_write binding 5 : memref<1xi32>
      %bounds = vyre.buffer "bounds" read_write binding 6 : memref<?xi32>
      %is_first = arith.cmpi eq, %x, %c0 : index
      %is_lane_0 = arith.cmpi eq, %l, %c0 : index
      %tile_start = arith.muli %g, %c4 : index
    """

    def ends_in_tile(upto: str) -> str:
        return f"""
          scf.for %k = %tile_start to {upto} step %c1 iter_args(%s = %i0) -> (i32) {{
            %type_there = vyre.load %types[%k] : memref<?xi32>
            %ends_there = arith.cmpi eq, %type_there, %i1 : i32
            %one = arith.extui %ends_there : i1 to i32
            %more = arith.addi %s, %one : i32
            scf.yield %more : i32
          }}
        """

    code = f"""
      scf.if %is_first {{
        vyre.store %i0, %count[%c0] : memref<1xi32>
      }}
      vyre.barrier grid_sync
      vyre.region "count each tile" {{
        scf.if %is_lane_0 {{
          %tile_end = arith.addi %tile_start, %c4 : index
          %found = {ends_in_tile("%tile_end")}
          vyre.store %found, %tiles[%g] : memref<?xi32>
        }}
      }}
      vyre.barrier grid_sync
      vyre.region "compose" {{
        scf.if %is_first {{
          %total = scf.for %k = %c0 to %groups step %c1 iter_args(%s = %i0) -> (i32) {{
            %own = vyre.load %tiles[%k] : memref<?xi32>
            vyre.store %s, %tiles[%k] : memref<?xi32>
            %more = arith.addi %s, %own : i32
            scf.yield %more : i32
          }}
          vyre.store %total, %count[%c0] : memref<1xi32>
        }}
      }}
      vyre.barrier grid_sync
      vyre.region "mark" {{
        %type = vyre.load %types[%x] : memref<?xi32>
        %is_end = arith.cmpi eq, %type, %i1 : i32
        scf.if %is_end {{
          %before = vyre.load %tiles[%g] : memref<?xi32>
          %in_tile = {ends_in_tile("%x")}
          %rank = arith.addi %before, %in_tile : i32
          %at = arith.index_cast %rank : i32 to index
          vyre.store %x32, %ends[%at] : memref<?xi32>
        }}
      }}
      vyre.barrier grid_sync
      vyre.region "resolve" {{
        scf.if %is_first {{
          %found = vyre.load %count[%c0] : memref<1xi32>
          %end = arith.index_cast %found : i32 to index
          %last = scf.for %k = %c0 to %end step %c1 iter_args(%start = %i0) -> (i32) {{
            vyre.store %start, %starts[%k] : memref<?xi32>
            %own = vyre.load %ends[%k] : memref<?xi32>
            %next = arith.addi %own, %i1 : i32
            scf.yield %next : i32
          }}
        }}
      }}
      vyre.barrier grid_sync
      vyre.region "emit" {{
        %found = vyre.load %count[%c0] : memref<1xi32>
        %is_inside = arith.cmpi slt, %x32, %found : i32
        scf.if %is_inside {{
          %start = vyre.load %starts[%x] : memref<?xi32>
          %end = vyre.load %ends[%x] : memref<?xi32>
          %at = arith.muli %x, %c2 : index
          %behind = arith.addi %at, %c1 : index
          vyre.store %start, %bounds[%at] : memref<?xi32>
          vyre.store %end, %bounds[%behind] : memref<?xi32>
        }}
      }}
    """
    types = np.array([0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 1], np.int32)
    ends = np.flatnonzero(types)
    starts = np.r_[0, ends[:-1] + 1]
    count, size = len(ends), len(types)
    rest = np.zeros(size - count, int)
    bounds = np.c_[starts, ends].reshape(-1)
    behaves(
        program(table, code),
        {
            "types": types,
            "tiles": [0] * 3,
            "ends": 0 * types,
            "starts": 0 * types,
            "count": [9],
            "bounds": [0] * (2 * size),
        },
        gives={
            "tiles": [0, 2, 2],
            "ends": np.r_[ends, rest],
            "starts": np.r_[starts, rest],
            "count": [count],
            "bounds": np.r_[bounds, rest, rest],
        },
        grid=3,
    )


@pytest.mark.parametrize("n", [1, 4, 7])
def test_rows_one_after_the_other(behaves: Way, n: int):
    """Each row comes from the mirrored row before it."""
    code = """
      %rows = vyre.buffer "rows" read_write binding 0 : memref<?x8xi32>
      scf.for %row = %c1 to %n step %c1 {
        vyre.barrier grid_sync
        %before = arith.subi %row, %c1 : index
        %mirrored = arith.subi %c7, %x : index
        %v = vyre.load %rows[%before, %mirrored] : memref<?x8xi32>
        %more = arith.addi %v, %i1 : i32
        vyre.store %more, %rows[%row, %x] : memref<?x8xi32>
      }
    """
    rows = np.zeros((n, 8), np.int32)
    rows[0] = np.arange(8)
    expected = rows.copy()
    for row in range(1, n):
        expected[row] = expected[row - 1, ::-1] + 1
    behaves(program(N, code), {"rows": rows, "n": n}, gives={"rows": expected})
