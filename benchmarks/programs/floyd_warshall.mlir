// The length of the shortest way between every two nodes of a graph.
//
// `distances` holds the lengths of edges, zero on the diagonal, and 2^29 where there is
// none. Round k lets ways lead through node k. It reads row k and column k and changes
// everything else. There is an invocation for each element.

vyre.program @floyd_warshall [32, 1, 1] {
  %distances = vyre.buffer "distances" read_write binding 0 : memref<?x?xi32>

  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %to = vyre.invocation_id x
  %from = vyre.invocation_id y
  %nodes = vyre.length %distances, 0 : memref<?x?xi32>
  %has_row = arith.cmpi ult, %from, %nodes : index
  %has_column = arith.cmpi ult, %to, %nodes : index

  scf.for %k = %zero to %nodes step %one {
    scf.if %has_row {
      scf.if %has_column {
        %starts_elsewhere = arith.cmpi ne, %from, %k : index
        scf.if %starts_elsewhere {
          %ends_elsewhere = arith.cmpi ne, %to, %k : index
          scf.if %ends_elsewhere {
            %to_k = vyre.load %distances[%from, %k] : memref<?x?xi32>
            %from_k = vyre.load %distances[%k, %to] : memref<?x?xi32>
            %direct = vyre.load %distances[%from, %to] : memref<?x?xi32>
            %through = arith.addi %to_k, %from_k : i32
            %shortest = arith.minsi %direct, %through : i32
            vyre.store %shortest, %distances[%from, %to] : memref<?x?xi32>
          }
        }
      }
    }
    vyre.barrier grid_sync
  }
}
