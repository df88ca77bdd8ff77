// RUN: vyre-opt %s -p vyre-remove-barriers | filecheck %s

// A copy may happen until it is waited for; what it wrote is ordered by a barrier behind.
// CHECK-LABEL: vyre.program @in_flight
// CHECK:         vyre.store %v, %a[%i]
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    %t = vyre.async_load %a
// CHECK-NEXT:    vyre.async_wait %t
// CHECK-NEXT:    vyre.barrier grid_sync {behind}
// CHECK-NEXT:    %w = vyre.load %b[%i]
// CHECK-NEXT:    %u = vyre.load %a[%i]
// CHECK-NEXT:  }
vyre.program @in_flight [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %v = vyre.param "v" : f32
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  vyre.store %v, %a[%i] : memref<?xf32>
  vyre.barrier grid_sync
  %t = vyre.async_load %a[%n], %b[%i], %n : memref<?xf32>, memref<?xf32>
  vyre.barrier grid_sync
  vyre.async_wait %t
  vyre.barrier grid_sync {behind}
  %w = vyre.load %b[%i] : memref<?xf32>
  vyre.barrier grid_sync
  %u = vyre.load %a[%i] : memref<?xf32>
}

// A token that a loop hands on may be of any copy that is handed on.
// CHECK-LABEL: vyre.program @handed_on
// CHECK:         vyre.async_wait %last
// CHECK-NEXT:    vyre.store %v, %c[%i]
// CHECK-NEXT:    vyre.barrier grid_sync {behind}
// CHECK-NEXT:    %w = vyre.load %b[%i]
// CHECK-NEXT:  }
vyre.program @handed_on [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %c = vyre.buffer "c" read_write binding 2 : memref<?xf32>
  %v = vyre.param "v" : f32
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %first = vyre.async_load %a[%n], %b[%i], %n : memref<?xf32>, memref<?xf32>
  %last = scf.for %k = %n to %n step %n iter_args(%t = %first) -> (!vyre.token) {
    vyre.async_wait %t
    %next = vyre.async_load %a[%n], %b[%i], %n : memref<?xf32>, memref<?xf32>
    scf.yield %next : !vyre.token
  }
  vyre.barrier grid_sync
  vyre.async_wait %last
  vyre.store %v, %c[%i] : memref<?xf32>
  vyre.barrier grid_sync {behind}
  %w = vyre.load %b[%i] : memref<?xf32>
}
