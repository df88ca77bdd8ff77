// RUN: vyre-opt %s -p vyre-test-uniformity --print-op-generic | filecheck %s

// Asynchronous copies write their destination at some moment before the wait.

// Waited for in the phase in which they start.
// CHECK-LABEL: sym_name = "waited_at_once"
vyre.program @waited_at_once [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %zero = arith.constant 0 : index
  %n = vyre.param "n" : index
  %l = vyre.local_id x
  %t = vyre.async_load %a[%l], %tile[%l], %n : memref<?xf32>, memref<64xf32>
  vyre.async_wait %t
  // Other invocations see the copy after the next barrier.
  // CHECK: %source = "vyre.load"{{.*}} {uniform = ["grid"]}
  %source = vyre.load %a[%zero] : memref<?xf32>
  // CHECK: %together = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %together = vyre.load %tile[%zero] : memref<64xf32>
  vyre.barrier acq_rel
  // CHECK: %copied = "vyre.load"{{.*}} {uniform = ["workgroup"]}
  %copied = vyre.load %tile[%zero] : memref<64xf32>
  %u = vyre.async_store %tile[%l], %b[%l], %n : memref<64xf32>, memref<?xf32>
  vyre.async_wait %u
  vyre.barrier acq_rel
  // CHECK: %same_phase = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %same_phase = vyre.load %b[%zero] : memref<?xf32>
  vyre.barrier grid_sync
  // CHECK: %next_phase = "vyre.load"{{.*}} {uniform = ["grid"]}
  %next_phase = vyre.load %b[%zero] : memref<?xf32>
}

// Two copies in two phases, each waited for in its own.
// CHECK-LABEL: sym_name = "one_after_the_other"
vyre.program @one_after_the_other [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %c = vyre.buffer "c" read_write binding 2 : memref<?xf32>
  %zero = arith.constant 0 : index
  %n = vyre.param "n" : index
  %l = vyre.local_id x
  %t = vyre.async_load %a[%l], %b[%l], %n : memref<?xf32>, memref<?xf32>
  // CHECK: %not_yet = "vyre.load"{{.*}} {uniform = ["grid"]}
  %not_yet = vyre.load %c[%zero] : memref<?xf32>
  vyre.async_wait %t
  vyre.barrier grid_sync
  %u = vyre.async_load %b[%l], %c[%l], %n : memref<?xf32>, memref<?xf32>
  // CHECK: %done = "vyre.load"{{.*}} {uniform = ["grid"]}
  %done = vyre.load %b[%zero] : memref<?xf32>
  // CHECK: %running = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %running = vyre.load %c[%zero] : memref<?xf32>
  vyre.async_wait %u
}
