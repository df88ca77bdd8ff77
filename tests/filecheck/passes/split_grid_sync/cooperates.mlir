// RUN: vyre-opt %s -p vyre-split-grid-sync | filecheck %s

// The schedule remembers what segments do not show when the size of the grid is inferred.

// CHECK-LABEL: vyre.schedule @atomics cooperates {
vyre.program @atomics [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<1xi32>
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %old = vyre.atomic add %one, %a[%c0] : memref<1xi32>
  vyre.barrier grid_sync
}

// CHECK-LABEL: vyre.schedule @unused_tile cooperates {
vyre.program @unused_tile [64, 1, 1] {
  %tile = vyre.buffer "tile" workgroup : memref<64xi32>
  vyre.barrier grid_sync
}

// CHECK-LABEL: vyre.schedule @side_by_side {
vyre.program @side_by_side [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %i = vyre.invocation_id x
  vyre.store %i, %a[%i] : memref<?xindex>
  vyre.barrier grid_sync
}

// What an earlier pass has written down.
// CHECK-LABEL: vyre.schedule @rewritten cooperates {
// CHECK:       vyre.program @rewritten.0 [64, 1, 1] {
vyre.program @rewritten [64, 1, 1] cooperates {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %i = vyre.invocation_id x
  vyre.store %i, %a[%i] : memref<?xindex>
  vyre.barrier grid_sync
}
