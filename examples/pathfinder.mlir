// What do the cheapest ways down a wall cost?
//
// `wall` holds the cost of every stone. A way starts on any stone of the first row and goes
// down by one row at a time, straight or to a neighbouring column. `best` receives, for
// each column, the cost of the cheapest way that ends there in the last row.
//
// Row after row, the cost of a stone is its own plus that of the cheapest of the up to
// three stones above it. Two buffers, `costs` and `spare`, take turns: one holds the row
// above, the other receives the next one. Before each row the whole grid waits, because the
// costs above were computed by other invocations, and because the buffer that is about to
// be overwritten must have been read.

vyre.program @pathfinder [32, 1, 1] {
  %wall = vyre.buffer "wall" read_only binding 0 : memref<?x?xi32>
  %costs = vyre.buffer "costs" read_write binding 1 : memref<?xi32>
  %spare = vyre.buffer "spare" read_write binding 2 : memref<?xi32>
  %best = vyre.buffer "best" write_only binding 3 output : memref<?xi32>

  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rows = vyre.length %wall, 0 : memref<?x?xi32>
  %columns = vyre.length %wall, 1 : memref<?x?xi32>
  %last_column = arith.subi %columns, %one : index

  // Invocation i takes the columns i, i + stride, i + 2 * stride, ...
  %i = vyre.invocation_id x
  %groups = vyre.workgroup_count x
  %width = vyre.workgroup_size x
  %stride = arith.muli %groups, %width : index

  vyre.region "first row" {
    scf.for %x = %i to %columns step %stride {
      %cost = vyre.load %wall[%zero, %x] : memref<?x?xi32>
      vyre.store %cost, %costs[%x] : memref<?xi32>
    }
  }

  %last:2 = scf.for %row = %one to %rows step %one
      iter_args(%above = %costs, %below = %spare) -> (memref<?xi32>, memref<?xi32>) {
    vyre.barrier grid_sync
    vyre.region "next row" {
      scf.for %x = %i to %columns step %stride {
        %x_before = arith.subi %x, %one : index
        %x_after = arith.addi %x, %one : index
        %left = arith.maxsi %x_before, %zero : index
        %right = arith.minsi %x_after, %last_column : index
        %from_left = vyre.load %above[%left] : memref<?xi32>
        %from_above = vyre.load %above[%x] : memref<?xi32>
        %from_right = vyre.load %above[%right] : memref<?xi32>
        %cheaper = arith.minsi %from_left, %from_right : i32
        %cheapest = arith.minsi %cheaper, %from_above : i32
        %own = vyre.load %wall[%row, %x] : memref<?x?xi32>
        %cost = arith.addi %own, %cheapest : i32
        vyre.store %cost, %below[%x] : memref<?xi32>
      }
    }
    scf.yield %below, %above : memref<?xi32>, memref<?xi32>
  }

  // Each invocation takes the columns that it computed itself: no need to wait.
  vyre.region "result" {
    scf.for %x = %i to %columns step %stride {
      %cost = vyre.load %last#0[%x] : memref<?xi32>
      vyre.store %cost, %best[%x] : memref<?xi32>
    }
  }
}
