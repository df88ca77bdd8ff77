// c = a b. A workgroup computes a tile of 16 x 16 elements, each invocation one. Both
// factors are brought into workgroup memory in tiles, too. All sizes are multiples of 16.

vyre.program @matmul_tile [16, 16, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?x?xf32>
  %b = vyre.buffer "b" read_only binding 1 : memref<?x?xf32>
  %c = vyre.buffer "c" write_only binding 2 : memref<?x?xf32>
  %a_tile = vyre.buffer "a_tile" workgroup : memref<16x16xf32>
  %b_tile = vyre.buffer "b_tile" workgroup : memref<16x16xf32>

  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %side = arith.constant 16 : index
  %nothing = arith.constant 0.0 : f32
  %x = vyre.local_id x
  %y = vyre.local_id y
  %column = vyre.invocation_id x
  %row = vyre.invocation_id y
  %depth = vyre.length %b, 0 : memref<?x?xf32>

  %element = scf.for %first = %zero to %depth step %side
      iter_args(%sum = %nothing) -> (f32) {
    %a_column = arith.addi %first, %x : index
    %b_row = arith.addi %first, %y : index
    %of_a = vyre.load %a[%row, %a_column] : memref<?x?xf32>
    %of_b = vyre.load %b[%b_row, %column] : memref<?x?xf32>
    vyre.store %of_a, %a_tile[%y, %x] : memref<16x16xf32>
    vyre.store %of_b, %b_tile[%y, %x] : memref<16x16xf32>
    vyre.barrier acq_rel

    %sum_with_tile = scf.for %k = %zero to %side step %one
        iter_args(%so_far = %sum) -> (f32) {
      %left = vyre.load %a_tile[%y, %k] : memref<16x16xf32>
      %right = vyre.load %b_tile[%k, %x] : memref<16x16xf32>
      %more = math.fma %left, %right, %so_far : f32
      scf.yield %more : f32
    }
    vyre.barrier acq_rel
    scf.yield %sum_with_tile : f32
  }
  vyre.store %element, %c[%row, %column] : memref<?x?xf32>
}
