// The length of the shortest way between every two nodes of a graph.
//
// `distances` holds the length of the edge from node i to node j in row i and column j,
// and at the end the length of the shortest way. The largest i32 means that there is
// none. Edges may have negative lengths, but no round trip has, and the diagonal is zero.
//
// Round k lets ways lead through node k, and ends with a grid barrier. It reads row k and
// column k, and changes everything else: a way that starts or ends in k does not get
// shorter by leading through it. So no element is read by one invocation and written by
// another in the same round.

vyre.program @floyd_warshall [64, 1, 1] {
  %distances = vyre.buffer "distances" read_write binding 0 : memref<?x?xi32>

  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %no_way = arith.constant 2147483647 : i32

  // Invocation i takes the cells i, i + stride, i + 2 * stride, ... counted row by row.
  %i = vyre.invocation_id x
  %groups = vyre.workgroup_count x
  %width = vyre.workgroup_size x
  %stride = arith.muli %groups, %width : index
  %nodes = vyre.length %distances, 0 : memref<?x?xi32>
  %cells = arith.muli %nodes, %nodes : index

  scf.for %k = %zero to %nodes step %one {
    vyre.region "lead ways through node k" {
      scf.for %cell = %i to %cells step %stride {
        %from = arith.divui %cell, %nodes : index
        %to = arith.remui %cell, %nodes : index
        %starts_elsewhere = arith.cmpi ne, %from, %k : index
        %ends_elsewhere = arith.cmpi ne, %to, %k : index
        %may_change = arith.andi %starts_elsewhere, %ends_elsewhere : i1
        scf.if %may_change {
          %direct = vyre.load %distances[%from, %to] : memref<?x?xi32>
          %to_k = vyre.load %distances[%from, %k] : memref<?x?xi32>
          %from_k = vyre.load %distances[%k, %to] : memref<?x?xi32>
          %reaches_k = arith.cmpi ne, %to_k, %no_way : i32
          %leaves_k = arith.cmpi ne, %from_k, %no_way : i32
          %leads_through = arith.andi %reaches_k, %leaves_k : i1
          %sum = arith.addi %to_k, %from_k : i32
          %through = arith.select %leads_through, %sum, %no_way : i32
          %shortest = arith.minsi %direct, %through : i32
          vyre.store %shortest, %distances[%from, %to] : memref<?x?xi32>
        }
      }
    }
    vyre.barrier grid_sync
  }
}
