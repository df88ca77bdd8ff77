// y = a x + y, an element for each invocation.

vyre.program @saxpy [256, 1, 1] {
  %x = vyre.buffer "x" read_only binding 0 : memref<?xf32>
  %y = vyre.buffer "y" read_write binding 1 : memref<?xf32>
  %a = vyre.param "a" : f32

  %i = vyre.invocation_id x
  %count = vyre.length %y, 0 : memref<?xf32>
  %is_inside = arith.cmpi ult, %i, %count : index
  scf.if %is_inside {
    %of_x = vyre.load %x[%i] : memref<?xf32>
    %of_y = vyre.load %y[%i] : memref<?xf32>
    %sum = math.fma %a, %of_x, %of_y : f32
    vyre.store %sum, %y[%i] : memref<?xf32>
  }
}
