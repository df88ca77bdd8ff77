// RUN: vyre-opt %s -p vyre-propagate-lets | filecheck %s

// What is the same in the whole grid, and the host does not have, needs one place.
// CHECK-LABEL: vyre.program @single [64, 1, 1]
// CHECK:         %x_kept = vyre.scratch single : memref<1xi32>
// CHECK-NEXT:    %0 = arith.constant 0 : index
// CHECK-NEXT:    %x = vyre.load %a[%n] : memref<?xi32>
// CHECK-NEXT:    vyre.store %x, %x_kept[%0] : memref<1xi32>
// CHECK:         vyre.barrier grid_sync
// CHECK-NEXT:    %1 = arith.constant 0 : index
// CHECK-NEXT:    %x_1 = vyre.load %x_kept[%1] : memref<1xi32>
// CHECK:         vyre.store %x_1, %a[%i_1] : memref<?xi32>
// CHECK-NEXT:  }
vyre.program @single [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %x = vyre.load %a[%n] : memref<?xi32>
  %i = vyre.invocation_id x
  vyre.barrier grid_sync
  vyre.store %x, %a[%i] : memref<?xi32>
}

// One place for each workgroup.
// CHECK-LABEL: vyre.program @per_workgroup [64, 1, 1]
// CHECK:         %x_kept = vyre.scratch per_workgroup : memref<?xi32>
// CHECK-NEXT:    %0 = vyre.linear_id workgroup
// CHECK:         %x = vyre.load %a[%g] : memref<?xi32>
// CHECK-NEXT:    vyre.store %x, %x_kept[%0] : memref<?xi32>
// CHECK:         vyre.barrier grid_sync
// CHECK-NEXT:    %1 = vyre.linear_id workgroup
// CHECK-NEXT:    %x_1 = vyre.load %x_kept[%1] : memref<?xi32>
// CHECK:         vyre.store %x_1, %a[%i_1] : memref<?xi32>
// CHECK-NEXT:  }
vyre.program @per_workgroup [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %g = vyre.workgroup_id x
  %x = vyre.load %a[%g] : memref<?xi32>
  %i = vyre.invocation_id x
  vyre.barrier grid_sync
  vyre.store %x, %a[%i] : memref<?xi32>
}

// One place for each invocation.
// CHECK-LABEL: vyre.program @per_invocation [64, 1, 1]
// CHECK:         %x_kept = vyre.scratch per_invocation : memref<?xi32>
// CHECK-NEXT:    %0 = vyre.linear_id invocation
// CHECK:         %x = vyre.load %a[%i] : memref<?xi32>
// CHECK-NEXT:    vyre.store %x, %x_kept[%0] : memref<?xi32>
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    %1 = vyre.linear_id invocation
// CHECK-NEXT:    %x_1 = vyre.load %x_kept[%1] : memref<?xi32>
// CHECK:         vyre.store %x_1, %a[%i_1] : memref<?xi32>
// CHECK-NEXT:  }
vyre.program @per_invocation [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  vyre.barrier grid_sync
  vyre.store %x, %a[%i] : memref<?xi32>
}

// A uniform index is no uniform value if the buffer is written in the phase.
// CHECK-LABEL: vyre.program @written_in_its_phase [64, 1, 1]
// CHECK:         %x_kept = vyre.scratch per_invocation : memref<?xi32>
vyre.program @written_in_its_phase [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %x = vyre.load %a[%n] : memref<?xi32>
  %i = vyre.invocation_id x
  vyre.store %x, %a[%i] : memref<?xi32>
  vyre.barrier grid_sync
  vyre.store %x, %a[%i] : memref<?xi32>
}
