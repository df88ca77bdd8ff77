// Each inner cell of a plate becomes the mean of its four neighbours, a number of times.
//
// A step reads one buffer and writes the other, `plate` and `spare` in turn. Both have the
// rim. There is an invocation for each inner cell; after an even number of steps the
// values are in `plate`.

vyre.program @jacobi [32, 1, 1] {
  %plate = vyre.buffer "plate" read_write binding 0 : memref<?x?xf32>
  %spare = vyre.buffer "spare" read_write binding 1 : memref<?x?xf32>
  %steps = vyre.param "steps" : index

  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %quarter = arith.constant 0.25 : f32

  %x_less = vyre.invocation_id x
  %y_less = vyre.invocation_id y
  %rows = vyre.length %plate, 0 : memref<?x?xf32>
  %columns = vyre.length %plate, 1 : memref<?x?xf32>
  %inner_rows = arith.subi %rows, %two : index
  %inner_columns = arith.subi %columns, %two : index
  %has_row = arith.cmpi ult, %y_less, %inner_rows : index
  %has_column = arith.cmpi ult, %x_less, %inner_columns : index
  %x = arith.addi %x_less, %one : index
  %y = arith.addi %y_less, %one : index
  %x_more = arith.addi %x_less, %two : index
  %y_more = arith.addi %y_less, %two : index

  %end:2 = scf.for %step = %zero to %steps step %one
      iter_args(%from = %plate, %to = %spare) -> (memref<?x?xf32>, memref<?x?xf32>) {
    scf.if %has_row {
      scf.if %has_column {
        %north = vyre.load %from[%y_less, %x] : memref<?x?xf32>
        %south = vyre.load %from[%y_more, %x] : memref<?x?xf32>
        %west = vyre.load %from[%y, %x_less] : memref<?x?xf32>
        %east = vyre.load %from[%y, %x_more] : memref<?x?xf32>
        %along_y = arith.addf %north, %south : f32
        %along_x = arith.addf %west, %east : f32
        %around = arith.addf %along_y, %along_x : f32
        %mean = arith.mulf %around, %quarter : f32
        vyre.store %mean, %to[%y, %x] : memref<?x?xf32>
      }
    }
    vyre.barrier grid_sync
    scf.yield %to, %from : memref<?x?xf32>, memref<?x?xf32>
  }
}
