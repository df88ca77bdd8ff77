// How many values have each of 256 lowest bytes.
//
// Every workgroup counts its share of the values in memory of its own, and then adds its
// counts to the grid's. It has as many invocations as there are bins.

vyre.program @histogram [256, 1, 1] {
  %values = vyre.buffer "values" read_only binding 0 : memref<?xi32>
  %counts = vyre.buffer "counts" read_write binding 1 : memref<256xi32>
  %own_counts = vyre.buffer "own_counts" workgroup : memref<256xi32>

  %one_more = arith.constant 1 : i32
  %lowest_byte = arith.constant 255 : i32
  %bin = vyre.local_id x
  %first = vyre.invocation_id x
  %groups = vyre.workgroup_count x
  %group_size = vyre.workgroup_size x
  %stride = arith.muli %groups, %group_size : index
  %size = vyre.length %values, 0 : memref<?xi32>

  scf.for %i = %first to %size step %stride {
    %value = vyre.load %values[%i] : memref<?xi32>
    %byte = arith.andi %value, %lowest_byte : i32
    %bin_of_value = arith.index_cast %byte : i32 to index
    %before = vyre.atomic add %one_more, %own_counts[%bin_of_value] : memref<256xi32>
  }
  vyre.barrier acq_rel
  %count = vyre.load %own_counts[%bin] : memref<256xi32>
  %before = vyre.atomic add %count, %counts[%bin] : memref<256xi32>
}
