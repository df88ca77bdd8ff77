// Which edges of a graph connect all its nodes at the lowest cost?
//
// Edge e joins the nodes heads[e] and tails[e], and costs costs[e], which is not negative;
// of edges with equal costs, the first counts as cheaper. `in_tree` receives 1 for the
// edges of the minimum spanning tree (of each part, if the graph is not connected), `total`
// what they cost together.
//
// Boruvka's algorithm: at first every node is a tree of its own. In each round every tree
// finds the cheapest edge that leaves it, takes it, and is joined with the tree at the
// other end. A tree is known by its root: root[v] is the root of node v's tree. The rounds
// end when no edge leaves any tree. A round has these parts, with a grid barrier before
// each:
//
// - Find. Every edge between two trees offers itself to both, at their roots: `cheapest`
//   keeps the smallest offer, with the cost in its upper half and the edge in its lower.
// - Join. Every root makes its `parent` the root at the other end, but if both took the
//   same edge, the one with the smaller number stays a root. By the old value of `in_tree`
//   they also see which of them came first, and only that one adds the cost to its sum.
// - Jump. Every node replaces its parent by its parent's parent, until all parents are
//   roots. All must have read before anyone writes, so what was read is kept over a
//   barrier; and a large graph is done in batches of one node per invocation. Then `root`
//   is renewed.
//
// `last_join` and `last_jump` hold the number of the last round, and of the last jump, that
// changed something; they start as 0. Each invocation keeps its own sum of costs over all
// the rounds, and adds it to `total` at the very end.

vyre.program @minimum_spanning_tree [32, 1, 1] {
  %heads = vyre.buffer "heads" read_only binding 0 : memref<?xi32>
  %tails = vyre.buffer "tails" read_only binding 1 : memref<?xi32>
  %costs = vyre.buffer "costs" read_only binding 2 : memref<?xi32>
  %root = vyre.buffer "root" read_write binding 3 : memref<?xi32>
  %parent = vyre.buffer "parent" read_write binding 4 : memref<?xi32>
  %cheapest = vyre.buffer "cheapest" read_write binding 5 : memref<?xi64>
  %last_join = vyre.buffer "last_join" read_write binding 6 : memref<1xi32>
  %last_jump = vyre.buffer "last_jump" read_write binding 7 : memref<1xi32>
  %in_tree = vyre.buffer "in_tree" read_write binding 8 output : memref<?xi32>
  %total = vyre.buffer "total" read_write binding 9 output : memref<1xi64>

  %zero = arith.constant 0 : index
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %nothing = arith.constant 0 : i64
  %half = arith.constant 32 : i64
  %no_offer = arith.constant 9223372036854775807 : i64

  // Invocation i takes the nodes, and the edges, i, i + stride, i + 2 * stride, ...
  %i = vyre.invocation_id x
  %groups = vyre.workgroup_count x
  %width = vyre.workgroup_size x
  %stride = arith.muli %groups, %width : index
  %nodes = vyre.length %root, 0 : memref<?xi32>
  %edges = vyre.length %costs, 0 : memref<?xi32>

  vyre.region "trees of one node" {
    scf.for %v = %i to %nodes step %stride {
      %itself = arith.index_cast %v : index to i32
      vyre.store %itself, %root[%v] : memref<?xi32>
      vyre.store %itself, %parent[%v] : memref<?xi32>
      vyre.store %no_offer, %cheapest[%v] : memref<?xi64>
    }
  }

  %rounds, %joined_in, %own_sum = scf.while
      (%round = %none, %joined = %none, %sum = %nothing)
      : (i32, i32, i64) -> (i32, i32, i64) {
    %go = arith.cmpi eq, %joined, %round : i32
    scf.condition(%go) %round, %joined, %sum : i32, i32, i64
  } do {
  ^round(%round: i32, %joined: i32, %sum: i64):
    %this_round = arith.addi %round, %one : i32
    vyre.barrier grid_sync

    vyre.region "find" {
      scf.for %e = %i to %edges step %stride {
        %cost = vyre.load %costs[%e] : memref<?xi32>
        %head_number = vyre.load %heads[%e] : memref<?xi32>
        %tail_number = vyre.load %tails[%e] : memref<?xi32>
        %head = arith.index_cast %head_number : i32 to index
        %tail = arith.index_cast %tail_number : i32 to index
        %head_root_number = vyre.load %root[%head] : memref<?xi32>
        %tail_root_number = vyre.load %root[%tail] : memref<?xi32>
        %leaves = arith.cmpi ne, %head_root_number, %tail_root_number : i32
        scf.if %leaves {
          %wide_cost = arith.extui %cost : i32 to i64
          %upper = arith.shli %wide_cost, %half : i64
          %lower = arith.index_cast %e : index to i64
          %offer = arith.ori %upper, %lower : i64
          %head_root = arith.index_cast %head_root_number : i32 to index
          %tail_root = arith.index_cast %tail_root_number : i32 to index
          %head_offer = vyre.atomic min %offer, %cheapest[%head_root] : memref<?xi64>
          %tail_offer = vyre.atomic min %offer, %cheapest[%tail_root] : memref<?xi64>
        }
      }
    }
    vyre.barrier grid_sync

    %gain = vyre.region "join" -> (i64) {
      %gained = scf.for %v = %i to %nodes step %stride
          iter_args(%so_far = %nothing) -> (i64) {
        %offer = vyre.load %cheapest[%v] : memref<?xi64>
        %has_offer = arith.cmpi ne, %offer, %no_offer : i64
        %new_sum = scf.if %has_offer -> (i64) {
          %edge_number = arith.trunci %offer : i64 to i32
          %e = arith.index_cast %edge_number : i32 to index
          %head_number = vyre.load %heads[%e] : memref<?xi32>
          %tail_number = vyre.load %tails[%e] : memref<?xi32>
          %head = arith.index_cast %head_number : i32 to index
          %tail = arith.index_cast %tail_number : i32 to index
          %head_root = vyre.load %root[%head] : memref<?xi32>
          %tail_root = vyre.load %root[%tail] : memref<?xi32>
          %itself = arith.index_cast %v : index to i32
          %head_is_here = arith.cmpi eq, %head_root, %itself : i32
          %other_number = arith.select %head_is_here, %tail_root, %head_root : i32

          %other = arith.index_cast %other_number : i32 to index
          %others_offer = vyre.load %cheapest[%other] : memref<?xi64>
          %is_mutual = arith.cmpi eq, %others_offer, %offer : i64
          %is_smaller = arith.cmpi slt, %itself, %other_number : i32
          %stays_root = arith.andi %is_mutual, %is_smaller : i1
          %new_parent = arith.select %stays_root, %itself, %other_number : i32
          vyre.store %new_parent, %parent[%v] : memref<?xi32>
          vyre.store %this_round, %last_join[%zero] : memref<1xi32>

          %was_in_tree = vyre.atomic or %one, %in_tree[%e] : memref<?xi32>
          %is_new = arith.cmpi eq, %was_in_tree, %none : i32
          %cost = arith.shrui %offer, %half : i64
          %more = arith.select %is_new, %cost, %nothing : i64
          %sum_with_edge = arith.addi %so_far, %more : i64
          scf.yield %sum_with_edge : i64
        } else {
          scf.yield %so_far : i64
        }
        scf.yield %new_sum : i64
      }
      vyre.yield %gained : i64
    }
    vyre.barrier grid_sync

    %joined_now = vyre.load %last_join[%zero] : memref<1xi32>
    vyre.region "jump" {
      %first_jump = vyre.load %last_jump[%zero] : memref<1xi32>
      %jumps = scf.while (%jump = %first_jump) : (i32) -> (i32) {
        %last = vyre.load %last_jump[%zero] : memref<1xi32>
        %go = arith.cmpi eq, %last, %jump : i32
        scf.condition(%go) %jump : i32
      } do {
      ^jump(%jump: i32):
        %this_jump = arith.addi %jump, %one : i32
        scf.for %batch = %zero to %nodes step %stride {
          %v = arith.addi %batch, %i : index
          %has_node = arith.cmpi slt, %v, %nodes : index
          %old, %new = scf.if %has_node -> (i32, i32) {
            %parent_number = vyre.load %parent[%v] : memref<?xi32>
            %p = arith.index_cast %parent_number : i32 to index
            %grandparent = vyre.load %parent[%p] : memref<?xi32>
            scf.yield %parent_number, %grandparent : i32, i32
          } else {
            scf.yield %none, %none : i32, i32
          }
          vyre.barrier grid_sync
          %changes = arith.cmpi ne, %old, %new : i32
          scf.if %changes {
            vyre.store %new, %parent[%v] : memref<?xi32>
            vyre.store %this_jump, %last_jump[%zero] : memref<1xi32>
          }
          vyre.barrier grid_sync
        }
        scf.yield %this_jump : i32
      }
    }

    vyre.region "renew the roots" {
      scf.for %v = %i to %nodes step %stride {
        %new_root = vyre.load %parent[%v] : memref<?xi32>
        vyre.store %new_root, %root[%v] : memref<?xi32>
        vyre.store %no_offer, %cheapest[%v] : memref<?xi64>
      }
    }
    %new_sum = arith.addi %sum, %gain : i64
    scf.yield %this_round, %joined_now, %new_sum : i32, i32, i64
  }

  %total_before = vyre.atomic add %own_sum, %total[%zero] : memref<1xi64>
}
