// RUN: vyre-opt %s -p vyre-remove-barriers | filecheck %s

// Workgroup memory needs a barrier of the workgroup, and only one.
// CHECK-LABEL: vyre.program @weakened
// CHECK:         vyre.store %v, %tile[%l]
// CHECK-NEXT:    vyre.barrier acq_rel {here}
// CHECK-NEXT:    %w = vyre.load %tile[%n]
// CHECK-NEXT:    vyre.store %w, %x[%i]
// CHECK-NEXT:    vyre.barrier release
// CHECK-NEXT:    vyre.store %w, %tile[%l]
// CHECK-NEXT:  }
vyre.program @weakened [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<64xi32>
  %v = vyre.param "v" : i32
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  vyre.store %v, %tile[%l] : memref<64xi32>
  vyre.barrier grid_sync {here}
  vyre.barrier grid_sync
  %w = vyre.load %tile[%n] : memref<64xi32>
  vyre.store %w, %x[%i] : memref<?xi32>
  vyre.barrier release
  vyre.barrier grid_sync
  vyre.store %w, %tile[%l] : memref<64xi32>
}

// CHECK-LABEL: vyre.program @both
// CHECK:         vyre.store %v, %tile[%l]
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    %w = vyre.load %tile[%n]
// CHECK-NEXT:    vyre.store %w, %x[%n]
vyre.program @both [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<64xi32>
  %v = vyre.param "v" : i32
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  vyre.store %v, %x[%i] : memref<?xi32>
  vyre.store %v, %tile[%l] : memref<64xi32>
  vyre.barrier grid_sync
  %w = vyre.load %tile[%n] : memref<64xi32>
  vyre.store %w, %x[%n] : memref<?xi32>
}

// A barrier of workgroups does not order the grid.
// CHECK-LABEL: vyre.program @not_enough
// CHECK:         vyre.store %v, %x[%i]
// CHECK-NEXT:    vyre.barrier acq_rel
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    vyre.store %v, %x[%n]
vyre.program @not_enough [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi32>
  %v = vyre.param "v" : i32
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  vyre.store %v, %x[%i] : memref<?xi32>
  vyre.barrier acq_rel
  vyre.barrier grid_sync
  vyre.store %v, %x[%n] : memref<?xi32>
}

// CHECK-LABEL: vyre.program @loop
// CHECK:         scf.for
// CHECK-NEXT:      vyre.store %v, %tile[%l]
// CHECK-NEXT:      vyre.barrier acq_rel
// CHECK-NEXT:    }
vyre.program @loop [64, 1, 1] {
  %tile = vyre.buffer "tile" workgroup : memref<64xi32>
  %v = vyre.param "v" : i32
  %n = vyre.param "n" : index
  %l = vyre.local_id x
  scf.for %k = %n to %n step %n {
    vyre.store %v, %tile[%l] : memref<64xi32>
    vyre.barrier grid_sync
  }
}
