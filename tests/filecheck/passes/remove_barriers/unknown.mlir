// RUN: vyre-opt %s -p vyre-remove-barriers --allow-unregistered-dialect | filecheck %s

// Nothing is known about what the operations touch.
// CHECK-LABEL: vyre.program @unknown
// CHECK:         "other.op"() : () -> ()
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    "other.op"() : () -> ()
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    %v = vyre.load
// CHECK-NEXT:  }
vyre.program @unknown [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  "other.op"() : () -> ()
  vyre.barrier grid_sync
  vyre.barrier grid_sync
  "other.op"() : () -> ()
  vyre.barrier grid_sync
  %v = vyre.load %a[%i] : memref<?xi32>
  vyre.barrier grid_sync
}
