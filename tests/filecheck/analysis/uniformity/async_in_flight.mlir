// RUN: vyre-opt %s -p vyre-test-uniformity --print-op-generic | filecheck %s

// Asynchronous copies that are in flight across barriers.

// In flight across a barrier, a copy may happen in either phase.
// CHECK-LABEL: sym_name = "in_flight"
vyre.program @in_flight [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %zero = arith.constant 0 : index
  %n = vyre.param "n" : index
  %l = vyre.local_id x
  %t = vyre.async_load %a[%l], %b[%l], %n : memref<?xf32>, memref<?xf32>
  // CHECK: %started = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %started = vyre.load %b[%zero] : memref<?xf32>
  vyre.barrier grid_sync
  // CHECK: %flying = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %flying = vyre.load %b[%zero] : memref<?xf32>
  // CHECK: %source = "vyre.load"{{.*}} {uniform = ["grid"]}
  %source = vyre.load %a[%zero] : memref<?xf32>
  vyre.barrier grid_sync
  vyre.async_wait %t
  // CHECK: %landed = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %landed = vyre.load %b[%zero] : memref<?xf32>
}

// In flight across a workgroup barrier, for workgroup memory and for the grid's.
// CHECK-LABEL: sym_name = "in_flight_in_a_workgroup"
vyre.program @in_flight_in_a_workgroup [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<64xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<64xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %zero = arith.constant 0 : index
  %n = vyre.param "n" : index
  %l = vyre.local_id x
  %t = vyre.async_load %a[%l], %tile[%l], %n : memref<64xf32>, memref<64xf32>
  %u = vyre.async_store %tile[%l], %b[%l], %n : memref<64xf32>, memref<64xf32>
  vyre.barrier acq_rel
  // CHECK: %flying = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %flying = vyre.load %tile[%zero] : memref<64xf32>
  vyre.async_wait %t, %u
  vyre.barrier grid_sync
  // CHECK: %landed = "vyre.load"{{.*}} {uniform = ["grid"]}
  %landed = vyre.load %b[%zero] : memref<64xf32>
}

// A token that is carried: when the copy happens, nobody knows.
// CHECK-LABEL: sym_name = "carried_token"
vyre.program @carried_token [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %zero = arith.constant 0 : index
  %n = vyre.param "n" : index
  %l = vyre.local_id x
  // CHECK: %before = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %before = vyre.load %b[%zero] : memref<?xf32>
  vyre.barrier grid_sync
  %first = vyre.async_load %a[%l], %b[%l], %n : memref<?xf32>, memref<?xf32>
  %last = scf.for %k = %zero to %n step %n iter_args(%t = %first) -> (!vyre.token) {
    vyre.barrier grid_sync
    // CHECK: %flying = "vyre.load"{{.*}} {uniform = ["divergent"]}
    %flying = vyre.load %b[%zero] : memref<?xf32>
    vyre.barrier grid_sync
    scf.yield %t : !vyre.token
  }
  vyre.async_wait %last
}

// Started and waited for in one phase, but in flight in the one between.
// CHECK-LABEL: sym_name = "around_a_phase"
vyre.program @around_a_phase [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %zero = arith.constant 0 : index
  %n = vyre.param "n" : index
  %l = vyre.local_id x
  scf.for %k = %zero to %n step %n {
    %t = vyre.async_load %a[%l], %b[%l], %n : memref<?xf32>, memref<?xf32>
    vyre.barrier grid_sync
    // CHECK: %between = "vyre.load"{{.*}} {uniform = ["divergent"]}
    %between = vyre.load %b[%zero] : memref<?xf32>
    vyre.barrier grid_sync
    vyre.async_wait %t
  }
}
