// The parts of a scalar product, one for each workgroup, as conjugate gradients need it.
//
// Each invocation adds up the products of its share of the elements; the workgroup adds up
// these sums in a tree.

vyre.program @dot [256, 1, 1] {
  %x = vyre.buffer "x" read_only binding 0 : memref<?xf64>
  %y = vyre.buffer "y" read_only binding 1 : memref<?xf64>
  %parts = vyre.buffer "parts" write_only binding 2 : memref<?xf64>
  %sums = vyre.buffer "sums" workgroup : memref<256xf64>

  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %levels = arith.constant 8 : index
  %half = arith.constant 128 : index
  %nothing = arith.constant 0.0 : f64
  %lane = vyre.local_id x
  %group = vyre.workgroup_id x
  %first = vyre.invocation_id x
  %groups = vyre.workgroup_count x
  %group_size = vyre.workgroup_size x
  %stride = arith.muli %groups, %group_size : index
  %size = vyre.length %x, 0 : memref<?xf64>

  %own = scf.for %i = %first to %size step %stride iter_args(%so_far = %nothing) -> (f64) {
    %of_x = vyre.load %x[%i] : memref<?xf64>
    %of_y = vyre.load %y[%i] : memref<?xf64>
    %more = math.fma %of_x, %of_y, %so_far : f64
    scf.yield %more : f64
  }

  vyre.store %own, %sums[%lane] : memref<256xf64>
  vyre.barrier acq_rel
  scf.for %level = %zero to %levels step %one {
    %reach = arith.shrui %half, %level : index
    %takes_part = arith.cmpi ult, %lane, %reach : index
    scf.if %takes_part {
      %partner = arith.addi %lane, %reach : index
      %mine = vyre.load %sums[%lane] : memref<256xf64>
      %theirs = vyre.load %sums[%partner] : memref<256xf64>
      %both = arith.addf %mine, %theirs : f64
      vyre.store %both, %sums[%lane] : memref<256xf64>
    }
    vyre.barrier acq_rel
  }

  %is_first = arith.cmpi eq, %lane, %zero : index
  scf.if %is_first {
    %sum = vyre.load %sums[%zero] : memref<256xf64>
    vyre.store %sum, %parts[%group] : memref<?xf64>
  }
}
