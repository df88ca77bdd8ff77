// RUN: vyre-opt %s -p vyre-test-uniformity --print-op-generic | filecheck %s

// Loads from buffers of the grid, in programs without loops.

// CHECK-LABEL: sym_name = "not_written"
vyre.program @not_written [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %u = vyre.buffer "u" uniform binding 1 : memref<4x4xi32>
  %w = vyre.buffer "w" read_write binding 2 : memref<?xi32>
  %r0 = vyre.buffer "r0" read_only binding 3 : memref<i32>
  %zero = arith.constant 0 : index
  %n = vyre.param "n" : index
  %g = vyre.workgroup_id x
  %i = vyre.invocation_id x
  // CHECK: %everywhere = "vyre.load"{{.*}} {uniform = ["grid"]}
  %everywhere = vyre.load %a[%n] : memref<?xi32>
  // CHECK: %by_group = "vyre.load"{{.*}} {uniform = ["workgroup"]}
  %by_group = vyre.load %a[%g] : memref<?xi32>
  // CHECK: %by_invocation = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %by_invocation = vyre.load %a[%i] : memref<?xi32>
  // CHECK: %no_index = "vyre.load"{{.*}} {uniform = ["grid"]}
  %no_index = vyre.load %r0[] : memref<i32>
  // All indices count.
  // CHECK: %u_everywhere = "vyre.load"{{.*}} {uniform = ["grid"]}
  %u_everywhere = vyre.load %u[%zero, %n] inbounds : memref<4x4xi32>
  // CHECK: %u_by_group = "vyre.load"{{.*}} {uniform = ["workgroup"]}
  %u_by_group = vyre.load %u[%n, %g] : memref<4x4xi32>
  // CHECK: %u_by_invocation = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %u_by_invocation = vyre.load %u[%i, %g] : memref<4x4xi32>
  // Writable, but not written.
  // CHECK: %writable = "vyre.load"{{.*}} {uniform = ["grid"]}
  %writable = vyre.load %w[%n] : memref<?xi32>
  // An index that was loaded.
  // CHECK: %index = "arith.index_cast"{{.*}} {uniform = ["workgroup"]}
  %index = arith.index_cast %by_group : i32 to index
  // CHECK: %indirect = "vyre.load"{{.*}} {uniform = ["workgroup"]}
  %indirect = vyre.load %a[%index] : memref<?xi32>
}

// In one phase with a write: before it or after it is all the same, because other
// invocations may be ahead or behind.
// CHECK-LABEL: sym_name = "written_in_the_same_phase"
vyre.program @written_in_the_same_phase [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %zero = arith.constant 0 : index
  %n = vyre.param "n" : i32
  %i = vyre.invocation_id x
  // CHECK: %before = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %before = vyre.load %a[%zero] : memref<?xi32>
  vyre.store %n, %a[%i] : memref<?xi32>
  // CHECK: %after = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %after = vyre.load %a[%zero] : memref<?xi32>
  // CHECK: %other = "vyre.load"{{.*}} {uniform = ["grid"]}
  %other = vyre.load %b[%zero] : memref<?xi32>
}

// CHECK-LABEL: sym_name = "written_by_an_atomic"
vyre.program @written_by_an_atomic [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %zero = arith.constant 0 : index
  %n = vyre.param "n" : i32
  // CHECK: %before = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %before = vyre.load %a[%zero] : memref<?xi32>
  %old = vyre.atomic add %n, %a[%zero] : memref<?xi32>
  vyre.barrier grid_sync
  // CHECK: %after = "vyre.load"{{.*}} {uniform = ["grid"]}
  %after = vyre.load %a[%zero] : memref<?xi32>
}

// CHECK-LABEL: sym_name = "written_by_a_compare_and_swap"
vyre.program @written_by_a_compare_and_swap [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %zero = arith.constant 0 : index
  %n = vyre.param "n" : i32
  %old = vyre.atomic_cas %n, %n, %a[%zero] : memref<?xi32>
  // CHECK: %together = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %together = vyre.load %a[%zero] : memref<?xi32>
  vyre.barrier grid_sync
  // CHECK: %after = "vyre.load"{{.*}} {uniform = ["grid"]}
  %after = vyre.load %a[%zero] : memref<?xi32>
}

// CHECK-LABEL: sym_name = "written_in_another_phase"
vyre.program @written_in_another_phase [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %zero = arith.constant 0 : index
  %n = vyre.param "n" : i32
  %g = vyre.workgroup_id x
  %i = vyre.invocation_id x
  // CHECK: %first = "vyre.load"{{.*}} {uniform = ["grid"]}
  %first = vyre.load %a[%zero] : memref<?xi32>
  vyre.barrier grid_sync
  vyre.store %n, %a[%i] : memref<?xi32>
  vyre.barrier grid_sync
  // CHECK: %second = "vyre.load"{{.*}} {uniform = ["grid"]}
  %second = vyre.load %a[%zero] : memref<?xi32>
  // CHECK: %by_group = "vyre.load"{{.*}} {uniform = ["workgroup"]}
  %by_group = vyre.load %a[%g] : memref<?xi32>
  // CHECK: %by_invocation = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %by_invocation = vyre.load %a[%i] : memref<?xi32>
}

// Only the grid's barrier keeps the writes of other workgroups apart.
// CHECK-LABEL: sym_name = "workgroup_barrier"
vyre.program @workgroup_barrier [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %zero = arith.constant 0 : index
  %n = vyre.param "n" : i32
  %i = vyre.invocation_id x
  vyre.store %n, %a[%i] : memref<?xi32>
  vyre.barrier seq_cst
  // CHECK: %v = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %v = vyre.load %a[%zero] : memref<?xi32>
}

// The grid meets before a collective and after it.
// CHECK-LABEL: sym_name = "collectives"
vyre.program @collectives [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %zero = arith.constant 0 : index
  %n = vyre.param "n" : i32
  %i = vyre.invocation_id x
  // CHECK: %first = "vyre.load"{{.*}} {uniform = ["grid"]}
  %first = vyre.load %b[%zero] : memref<?xi32>
  vyre.store %n, %a[%i] : memref<?xi32>
  vyre.all_gather %a, %b : memref<?xi32>, memref<?xi32>
  // CHECK: %second = "vyre.load"{{.*}} {uniform = ["grid"]}
  %second = vyre.load %a[%zero] : memref<?xi32>
  // CHECK: %third = "vyre.load"{{.*}} {uniform = ["grid"]}
  %third = vyre.load %b[%zero] : memref<?xi32>
  vyre.all_reduce add %b : memref<?xi32>
  // CHECK: %fourth = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %fourth = vyre.load %b[%zero] : memref<?xi32>
  vyre.store %n, %b[%i] : memref<?xi32>
}
