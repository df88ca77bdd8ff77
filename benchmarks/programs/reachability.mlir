// Which nodes of a graph can be reached from the marked ones?
//
// Node v has edges to targets[offsets[v]] up to, but not including, targets[offsets[v+1]].
// Each round has two phases: find the nodes that the round before reached, and mark their
// neighbours. Marking is a plain store, because all store the same. `last_round` holds the
// number of the last round that had new nodes, counted from 1.

vyre.program @reachability [64, 1, 1] {
  %offsets = vyre.buffer "offsets" read_only binding 0 : memref<?xi32>
  %targets = vyre.buffer "targets" read_only binding 1 : memref<?xi32>
  %reached = vyre.buffer "reached" read_write binding 2 : memref<?xi32>
  %seen = vyre.buffer "seen" read_write binding 3 : memref<?xi32>
  %fresh = vyre.buffer "fresh" read_write binding 4 : memref<?xi32>
  %last_round = vyre.buffer "last_round" read_write binding 5 : memref<1xi32>

  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %no = arith.constant 0 : i32
  %yes = arith.constant 1 : i32
  %v = vyre.invocation_id x
  %nodes = vyre.length %reached, 0 : memref<?xi32>
  %is_node = arith.cmpi ult, %v, %nodes : index

  %rounds = scf.while (%round = %no) : (i32) -> (i32) {
    %last = vyre.load %last_round[%zero] : memref<1xi32>
    %go = arith.cmpi eq, %last, %round : i32
    scf.condition(%go) %round : i32
  } do {
  ^round(%round: i32):
    scf.if %is_node {
      %is_reached = vyre.load %reached[%v] : memref<?xi32>
      %was_seen = vyre.load %seen[%v] : memref<?xi32>
      %is_fresh = arith.subi %is_reached, %was_seen : i32
      vyre.store %is_fresh, %fresh[%v] : memref<?xi32>
      vyre.store %is_reached, %seen[%v] : memref<?xi32>
    }
    vyre.barrier grid_sync

    %next_round = arith.addi %round, %yes : i32
    scf.if %is_node {
      %is_fresh = vyre.load %fresh[%v] : memref<?xi32>
      %follow = arith.cmpi ne, %is_fresh, %no : i32
      scf.if %follow {
        vyre.store %next_round, %last_round[%zero] : memref<1xi32>
        %v_next = arith.addi %v, %one : index
        %first_edge = vyre.load %offsets[%v] : memref<?xi32>
        %end_edge = vyre.load %offsets[%v_next] : memref<?xi32>
        %first = arith.index_cast %first_edge : i32 to index
        %end = arith.index_cast %end_edge : i32 to index
        scf.for %edge = %first to %end step %one {
          %target = vyre.load %targets[%edge] : memref<?xi32>
          %w = arith.index_cast %target : i32 to index
          vyre.store %yes, %reached[%w] : memref<?xi32>
        }
      }
    }
    vyre.barrier grid_sync
    scf.yield %next_round : i32
  }
}
