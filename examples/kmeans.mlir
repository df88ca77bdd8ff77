// Into which clusters do points in the plane fall?
//
// `centres` holds a first guess of each cluster's centre and, at the end, its final one;
// `cluster` receives the number of the cluster that each point belongs to, and holds -1
// before. Coordinates are integers, so the result is exact.
//
// Each round has two phases, with a grid barrier after each. First every point goes to the
// nearest centre, of equally near ones to the first, and adds itself to that cluster's
// `members`: the sums of its coordinates, and their number. Then every centre moves to the
// mean of its members, rounded down; a centre without members stays where it is. Here the
// members are also set back to zero, by who read them, for the next round.
//
// The rounds end when no point has gone to another cluster, or after `max_rounds`.
// `last_move` holds the number of the last round in which a point did, counted from 1; it
// starts as 0, as `members` do. It is written in the first phase, so it is read in the
// second, and what was read then is kept over the barrier.

vyre.program @kmeans [32, 1, 1] {
  %points = vyre.buffer "points" read_only binding 0 : memref<?x2xi32>
  %centres = vyre.buffer "centres" read_write binding 1 : memref<?x2xi32>
  %cluster = vyre.buffer "cluster" read_write binding 2 : memref<?xi32>
  %members = vyre.buffer "members" read_write binding 3 : memref<?x3xi32>
  %last_move = vyre.buffer "last_move" read_write binding 4 : memref<1xi32>
  %max_rounds = vyre.param "max_rounds" : i32

  // Columns of `points`, `centres` and `members`.
  %x = arith.constant 0 : index
  %y = arith.constant 1 : index
  %number = arith.constant 2 : index

  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %one_more = arith.constant 1 : i32
  %far = arith.constant 2147483647 : i32

  // Invocation i takes the points, and the centres, i, i + stride, i + 2 * stride, ...
  %i = vyre.invocation_id x
  %groups = vyre.workgroup_count x
  %width = vyre.workgroup_size x
  %stride = arith.muli %groups, %width : index
  %point_count = vyre.length %points, 0 : memref<?x2xi32>
  %centre_count = vyre.length %centres, 0 : memref<?x2xi32>

  %rounds, %moved_in = scf.while (%round = %none, %moved = %none)
      : (i32, i32) -> (i32, i32) {
    %is_moving = arith.cmpi eq, %moved, %round : i32
    %has_time = arith.cmpi slt, %round, %max_rounds : i32
    %go = arith.andi %is_moving, %has_time : i1
    scf.condition(%go) %round, %moved : i32, i32
  } do {
  ^round(%round: i32, %moved: i32):
    %this_round = arith.addi %round, %one_more : i32
    vyre.region "go to the nearest centre" {
      scf.for %p = %i to %point_count step %stride {
        %px = vyre.load %points[%p, %x] : memref<?x2xi32>
        %py = vyre.load %points[%p, %y] : memref<?x2xi32>
        %nearest, %distance = scf.for %c = %zero to %centre_count step %one
            iter_args(%best = %zero, %best_distance = %far) -> (index, i32) {
          %cx = vyre.load %centres[%c, %x] : memref<?x2xi32>
          %cy = vyre.load %centres[%c, %y] : memref<?x2xi32>
          %dx = arith.subi %px, %cx : i32
          %dy = arith.subi %py, %cy : i32
          %dx_squared = arith.muli %dx, %dx : i32
          %dy_squared = arith.muli %dy, %dy : i32
          %this_distance = arith.addi %dx_squared, %dy_squared : i32
          %is_nearer = arith.cmpi slt, %this_distance, %best_distance : i32
          %better = arith.select %is_nearer, %c, %best : index
          %better_distance = arith.minsi %this_distance, %best_distance : i32
          scf.yield %better, %better_distance : index, i32
        }

        %new = arith.index_cast %nearest : index to i32
        %old = vyre.load %cluster[%p] : memref<?xi32>
        %moves = arith.cmpi ne, %old, %new : i32
        scf.if %moves {
          vyre.store %new, %cluster[%p] : memref<?xi32>
          vyre.store %this_round, %last_move[%zero] : memref<1xi32>
        }
        %sum_x = vyre.atomic add %px, %members[%nearest, %x] : memref<?x3xi32>
        %sum_y = vyre.atomic add %py, %members[%nearest, %y] : memref<?x3xi32>
        %count = vyre.atomic add %one_more, %members[%nearest, %number] : memref<?x3xi32>
      }
    }
    vyre.barrier grid_sync

    %moved_now = vyre.load %last_move[%zero] : memref<1xi32>
    vyre.region "move the centres" {
      scf.for %c = %i to %centre_count step %stride {
        %count = vyre.load %members[%c, %number] : memref<?x3xi32>
        %has_members = arith.cmpi ne, %count, %none : i32
        scf.if %has_members {
          %sum_x = vyre.load %members[%c, %x] : memref<?x3xi32>
          %sum_y = vyre.load %members[%c, %y] : memref<?x3xi32>
          %mean_x = arith.floordivsi %sum_x, %count : i32
          %mean_y = arith.floordivsi %sum_y, %count : i32
          vyre.store %mean_x, %centres[%c, %x] : memref<?x2xi32>
          vyre.store %mean_y, %centres[%c, %y] : memref<?x2xi32>
          vyre.store %none, %members[%c, %x] : memref<?x3xi32>
          vyre.store %none, %members[%c, %y] : memref<?x3xi32>
          vyre.store %none, %members[%c, %number] : memref<?x3xi32>
        }
      }
    }
    vyre.barrier grid_sync
    scf.yield %this_round, %moved_now : i32, i32
  }
}
