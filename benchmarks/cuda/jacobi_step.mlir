// Each inner cell of a plate becomes the mean of its four neighbours.

vyre.program @jacobi_step [32, 8, 1] {
  %old = vyre.buffer "old" read_only binding 0 : memref<?x?xf32>
  %new = vyre.buffer "new" write_only binding 1 : memref<?x?xf32>

  %one = arith.constant 1 : index
  %quarter = arith.constant 0.25 : f32
  %x = vyre.invocation_id x
  %y = vyre.invocation_id y
  %rows = vyre.length %old, 0 : memref<?x?xf32>
  %columns = vyre.length %old, 1 : memref<?x?xf32>
  %y_more = arith.addi %y, %one : index
  %x_more = arith.addi %x, %one : index
  %has_above = arith.cmpi uge, %y, %one : index
  %has_below = arith.cmpi ult, %y_more, %rows : index
  %has_left = arith.cmpi uge, %x, %one : index
  %has_right = arith.cmpi ult, %x_more, %columns : index
  %inner_row = arith.andi %has_above, %has_below : i1
  %inner_column = arith.andi %has_left, %has_right : i1
  %is_inner = arith.andi %inner_row, %inner_column : i1

  scf.if %is_inner {
    %y_less = arith.subi %y, %one : index
    %x_less = arith.subi %x, %one : index
    %north = vyre.load %old[%y_less, %x] : memref<?x?xf32>
    %south = vyre.load %old[%y_more, %x] : memref<?x?xf32>
    %west = vyre.load %old[%y, %x_less] : memref<?x?xf32>
    %east = vyre.load %old[%y, %x_more] : memref<?x?xf32>
    %along_y = arith.addf %north, %south : f32
    %along_x = arith.addf %west, %east : f32
    %around = arith.addf %along_y, %along_x : f32
    %mean = arith.mulf %around, %quarter : f32
    vyre.store %mean, %new[%y, %x] : memref<?x?xf32>
  }
}
