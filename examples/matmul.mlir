// The product of two matrices: c = a b.
//
// A workgroup computes a tile of 16 x 16 elements of c, each invocation one element. Both
// factors are read in tiles, too: everyone brings one element of each into workgroup
// memory, and then uses 16 that others brought. What lies beyond the edge of a matrix
// counts as zero. Two workgroup barriers: all must have brought their elements before
// anyone uses them, and all must have used them before anyone brings the next.
//
// A workgroup takes every tile of c whose row and column, counted in tiles, are its own
// place in the grid plus whole heights and widths of the grid; so any grid will do.

vyre.program @matmul [16, 16, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?x?xf32>
  %b = vyre.buffer "b" read_only binding 1 : memref<?x?xf32>
  %c = vyre.buffer "c" write_only binding 2 output : memref<?x?xf32>
  %a_tile = vyre.buffer "a_tile" workgroup : memref<16x16xf32>
  %b_tile = vyre.buffer "b_tile" workgroup : memref<16x16xf32>

  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %side = arith.constant 16 : index
  %nothing = arith.constant 0.0 : f32

  %x = vyre.local_id x
  %y = vyre.local_id y
  %group_x = vyre.workgroup_id x
  %group_y = vyre.workgroup_id y
  %groups_x = vyre.workgroup_count x
  %groups_y = vyre.workgroup_count y

  %rows = vyre.length %a, 0 : memref<?x?xf32>
  %depth = vyre.length %a, 1 : memref<?x?xf32>
  %columns = vyre.length %b, 1 : memref<?x?xf32>
  %tile_rows = arith.ceildivui %rows, %side : index
  %tile_columns = arith.ceildivui %columns, %side : index

  scf.for %tile_row = %group_y to %tile_rows step %groups_y {
    scf.for %tile_column = %group_x to %tile_columns step %groups_x {
      %first_row = arith.muli %tile_row, %side : index
      %first_column = arith.muli %tile_column, %side : index
      %row = arith.addi %first_row, %y : index
      %column = arith.addi %first_column, %x : index
      %has_row = arith.cmpi ult, %row, %rows : index
      %has_column = arith.cmpi ult, %column, %columns : index

      %element = scf.for %first = %zero to %depth step %side
          iter_args(%sum = %nothing) -> (f32) {
        vyre.region "bring a tile of each factor" {
          %a_column = arith.addi %first, %x : index
          %has_a_column = arith.cmpi ult, %a_column, %depth : index
          %is_in_a = arith.andi %has_row, %has_a_column : i1
          %of_a = scf.if %is_in_a -> (f32) {
            %there = vyre.load %a[%row, %a_column] : memref<?x?xf32>
            scf.yield %there : f32
          } else {
            scf.yield %nothing : f32
          }
          vyre.store %of_a, %a_tile[%y, %x] : memref<16x16xf32>

          %b_row = arith.addi %first, %y : index
          %has_b_row = arith.cmpi ult, %b_row, %depth : index
          %is_in_b = arith.andi %has_b_row, %has_column : i1
          %of_b = scf.if %is_in_b -> (f32) {
            %there = vyre.load %b[%b_row, %column] : memref<?x?xf32>
            scf.yield %there : f32
          } else {
            scf.yield %nothing : f32
          }
          vyre.store %of_b, %b_tile[%y, %x] : memref<16x16xf32>
        }
        vyre.barrier acq_rel

        %sum_with_tile = vyre.region "multiply the tiles" -> (f32) {
          %next_sum = scf.for %k = %zero to %side step %one
              iter_args(%part = %sum) -> (f32) {
            %left = vyre.load %a_tile[%y, %k] : memref<16x16xf32>
            %right = vyre.load %b_tile[%k, %x] : memref<16x16xf32>
            %product = arith.mulf %left, %right : f32
            %next_part = arith.addf %part, %product : f32
            scf.yield %next_part : f32
          }
          vyre.yield %next_sum : f32
        }
        vyre.barrier acq_rel
        scf.yield %sum_with_tile : f32
      }

      %is_in_c = arith.andi %has_row, %has_column : i1
      scf.if %is_in_c {
        vyre.store %element, %c[%row, %column] : memref<?x?xf32>
      }
    }
  }
}
