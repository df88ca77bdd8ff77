// How many edges is each node of a graph away from the source?
//
// The graph is given by rows: node v has edges to targets[offsets[v]] up to, but not
// including, targets[offsets[v + 1]]. At the end `levels` holds the number of edges on
// the shortest way from `source` to each node, or -1 if there is none, and `deepest` the
// largest level. `found` is 1 for the nodes that an edge has led to. What the three hold
// at the start does not matter.
//
// Each round goes from one level to the next, and has two phases with a grid barrier
// after each: first every node of the level marks the nodes that its edges lead to, then
// every marked node that has no level yet gets the next one. So a level is read and
// written by the invocation that takes the node, and by no other; marks come from all
// sides in the first phase, and are read in the second.
//
// The loop goes on while the last round has given its level to a node. A flag for that
// would have to be reset for the next round, after everyone has read it and before anyone
// sets it again, which takes a phase of its own. `deepest` only ever grows, and needs no
// reset.

vyre.program @bfs [64, 1, 1] {
  %offsets = vyre.buffer "offsets" read_only binding 0 : memref<?xi32>
  %targets = vyre.buffer "targets" read_only binding 1 : memref<?xi32>
  %levels = vyre.buffer "levels" read_write binding 2 output : memref<?xi32>
  %deepest = vyre.buffer "deepest" read_write binding 3 output : memref<1xi32>
  %found = vyre.buffer "found" read_write binding 4 : memref<?xi32>
  %source = vyre.param "source" : index

  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %no = arith.constant 0 : i32
  %yes = arith.constant 1 : i32
  %no_level = arith.constant -1 : i32
  %first_level = arith.constant 0 : i32

  // Invocation i takes the nodes i, i + stride, i + 2 * stride, ...
  %i = vyre.invocation_id x
  %groups = vyre.workgroup_count x
  %width = vyre.workgroup_size x
  %stride = arith.muli %groups, %width : index
  %nodes = vyre.length %levels, 0 : memref<?xi32>

  vyre.region "start with the source" {
    scf.for %v = %i to %nodes step %stride {
      %is_source = arith.cmpi eq, %v, %source : index
      %level = arith.select %is_source, %first_level, %no_level : i32
      vyre.store %level, %levels[%v] : memref<?xi32>
      vyre.store %no, %found[%v] : memref<?xi32>
    }
    vyre.store %first_level, %deepest[%zero] : memref<1xi32>
  }
  vyre.barrier grid_sync

  %end_level = scf.while (%level = %first_level) : (i32) -> (i32) {
    %last = vyre.load %deepest[%zero] : memref<1xi32>
    %go = arith.cmpi eq, %last, %level : i32
    scf.condition(%go) %level : i32
  } do {
  ^round(%level: i32):
    vyre.region "mark what the level's edges lead to" {
      scf.for %v = %i to %nodes step %stride {
        %level_of_v = vyre.load %levels[%v] : memref<?xi32>
        %is_in_level = arith.cmpi eq, %level_of_v, %level : i32
        scf.if %is_in_level {
          %v_next = arith.addi %v, %one : index
          %first_edge = vyre.load %offsets[%v] : memref<?xi32>
          %end_edge = vyre.load %offsets[%v_next] : memref<?xi32>
          %first = arith.index_cast %first_edge : i32 to index
          %end = arith.index_cast %end_edge : i32 to index
          scf.for %edge = %first to %end step %one {
            %target = vyre.load %targets[%edge] : memref<?xi32>
            %w = arith.index_cast %target : i32 to index
            vyre.store %yes, %found[%w] : memref<?xi32>
          }
        }
      }
    }
    vyre.barrier grid_sync

    %next_level = arith.addi %level, %yes : i32
    vyre.region "give marked nodes the next level" {
      scf.for %v = %i to %nodes step %stride {
        %mark = vyre.load %found[%v] : memref<?xi32>
        %level_of_v = vyre.load %levels[%v] : memref<?xi32>
        %is_marked = arith.cmpi eq, %mark, %yes : i32
        %has_no_level = arith.cmpi eq, %level_of_v, %no_level : i32
        %is_next = arith.andi %is_marked, %has_no_level : i1
        scf.if %is_next {
          vyre.store %next_level, %levels[%v] : memref<?xi32>
          vyre.store %next_level, %deepest[%zero] : memref<1xi32>
        }
      }
    }
    vyre.barrier grid_sync
    scf.yield %next_level : i32
  }
}
