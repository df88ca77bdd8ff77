// RUN: vyre-opt %s -p vyre-host-plan | filecheck %s

// The schedule remembers from which buffers the grid is inferred if no segment shows it.

// CHECK-LABEL: vyre.schedule @passed grid_from {a = array<i64: 1>} {
vyre.program @passed [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<4x?xindex>
  %i = vyre.invocation_id x
  %zero = arith.constant 0 : index
  %n = vyre.workgroup_count x
  %width = vyre.workgroup_size x
  %stride = arith.muli %n, %width : index
  %end = vyre.length %a, 1 : memref<4x?xindex>
  scf.for %k = %i to %end step %stride {
    %v = vyre.load %a[%zero, %k] : memref<4x?xindex>
  }
  vyre.barrier grid_sync
  vyre.store %i, %a[%zero, %zero] : memref<4x?xindex>
}

// CHECK-LABEL: vyre.schedule @shown {
vyre.program @shown [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %i = vyre.invocation_id x
  vyre.store %i, %a[%i] : memref<?xindex>
  vyre.barrier grid_sync
}
