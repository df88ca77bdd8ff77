// RUN: vyre-opt %s -p vyre-test-uniformity --print-op-generic | filecheck %s

// Loads from workgroup memory: the same in a workgroup at best, if no barrier-free path
// of the workgroup leads to a write.

// CHECK-LABEL: sym_name = "not_written"
vyre.program @not_written [64, 1, 1] {
  %tile = vyre.buffer "tile" workgroup : memref<64xi32>
  %zero = arith.constant 0 : index
  %g = vyre.workgroup_id x
  %l = vyre.local_id x
  // CHECK: %v = "vyre.load"{{.*}} {uniform = ["workgroup"]}
  %v = vyre.load %tile[%zero] : memref<64xi32>
  // CHECK: %by_group = "vyre.load"{{.*}} {uniform = ["workgroup"]}
  %by_group = vyre.load %tile[%g] : memref<64xi32>
  // CHECK: %by_invocation = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %by_invocation = vyre.load %tile[%l] : memref<64xi32>
}

// CHECK-LABEL: sym_name = "without_barrier"
vyre.program @without_barrier [64, 1, 1] {
  %tile = vyre.buffer "tile" workgroup : memref<64xi32>
  %zero = arith.constant 0 : index
  %x = vyre.param "x" : i32
  %l = vyre.local_id x
  vyre.store %x, %tile[%l] : memref<64xi32>
  // CHECK: %v = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %v = vyre.load %tile[%zero] : memref<64xi32>
}

// CHECK-LABEL: sym_name = "workgroup_barriers"
vyre.program @workgroup_barriers [64, 1, 1] {
  %tile = vyre.buffer "tile" workgroup : memref<64xi32>
  %zero = arith.constant 0 : index
  %x = vyre.param "x" : i32
  %l = vyre.local_id x
  vyre.store %x, %tile[%l] : memref<64xi32>
  vyre.barrier acquire
  // CHECK: %v = "vyre.load"{{.*}} {uniform = ["workgroup"]}
  %v = vyre.load %tile[%zero] : memref<64xi32>
  vyre.barrier release
  %old = vyre.atomic add %x, %tile[%zero] : memref<64xi32>
  // CHECK: %together = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %together = vyre.load %tile[%zero] : memref<64xi32>
  vyre.barrier acq_rel
  // CHECK: %w = "vyre.load"{{.*}} {uniform = ["workgroup"]}
  %w = vyre.load %tile[%zero] : memref<64xi32>
}

// A grid barrier is a barrier of each workgroup.
// CHECK-LABEL: sym_name = "grid_barrier"
vyre.program @grid_barrier [64, 1, 1] {
  %tile = vyre.buffer "tile" workgroup : memref<64xi32>
  %zero = arith.constant 0 : index
  %x = vyre.param "x" : i32
  %l = vyre.local_id x
  vyre.store %x, %tile[%l] : memref<64xi32>
  vyre.barrier grid_sync
  // CHECK: %v = "vyre.load"{{.*}} {uniform = ["workgroup"]}
  %v = vyre.load %tile[%zero] : memref<64xi32>
}

// CHECK-LABEL: sym_name = "collective"
vyre.program @collective [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<64xi32>
  %zero = arith.constant 0 : index
  %x = vyre.param "x" : i32
  %l = vyre.local_id x
  vyre.store %x, %tile[%l] : memref<64xi32>
  vyre.all_reduce add %a : memref<?xi32>
  // CHECK: %v = "vyre.load"{{.*}} {uniform = ["workgroup"]}
  %v = vyre.load %tile[%zero] : memref<64xi32>
}

// CHECK-LABEL: sym_name = "loop_with_one_barrier"
vyre.program @loop_with_one_barrier [64, 1, 1] {
  %tile = vyre.buffer "tile" workgroup : memref<64xi32>
  %zero = arith.constant 0 : index
  %n = vyre.param "n" : index
  %x = vyre.param "x" : i32
  %l = vyre.local_id x
  scf.for %k = %zero to %n step %n {
    // CHECK: %v = "vyre.load"{{.*}} {uniform = ["divergent"]}
    %v = vyre.load %tile[%zero] : memref<64xi32>
    vyre.barrier acq_rel
    vyre.store %x, %tile[%l] : memref<64xi32>
  }
}

// Barriers of both kinds, in a loop whose number of trips only a workgroup agrees on.
// CHECK-LABEL: sym_name = "loop_with_two_barriers"
vyre.program @loop_with_two_barriers [64, 1, 1] {
  %tile = vyre.buffer "tile" workgroup : memref<64xi32>
  %zero = arith.constant 0 : index
  %g = vyre.workgroup_id x
  %n = vyre.param "n" : index
  %x = vyre.param "x" : i32
  %l = vyre.local_id x
  scf.for %k = %zero to %g step %n {
    // CHECK: %v = "vyre.load"{{.*}} {uniform = ["workgroup"]}
    %v = vyre.load %tile[%zero] : memref<64xi32>
    vyre.barrier acq_rel
    vyre.store %x, %tile[%l] : memref<64xi32>
    vyre.barrier acq_rel
  }
  // CHECK: }) {control = ["workgroup"], uniform_args = ["workgroup"]}
  vyre.barrier grid_sync
  scf.for %k2 = %zero to %n step %n {
    // CHECK: %w = "vyre.load"{{.*}} {uniform = ["workgroup"]}
    %w = vyre.load %tile[%zero] : memref<64xi32>
    vyre.barrier acq_rel
    vyre.store %x, %tile[%l] : memref<64xi32>
    vyre.barrier grid_sync
  }
  // CHECK: }) {control = ["grid"], uniform_args = ["grid"]}
}

// CHECK-LABEL: sym_name = "barrier_in_one_arm"
vyre.program @barrier_in_one_arm [64, 1, 1] {
  %tile = vyre.buffer "tile" workgroup : memref<64xi32>
  %zero = arith.constant 0 : index
  %c = vyre.param "c" : i1
  %x = vyre.param "x" : i32
  %l = vyre.local_id x
  vyre.store %x, %tile[%l] : memref<64xi32>
  scf.if %c {
    vyre.barrier acq_rel
  }
  // CHECK: %v = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %v = vyre.load %tile[%zero] : memref<64xi32>
}

// Each buffer by itself, and buffers of the grid by the grid's barriers.
// CHECK-LABEL: sym_name = "two_memories"
vyre.program @two_memories [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<64xi32>
  %tile = vyre.buffer "tile" workgroup : memref<64xi32>
  %more = vyre.buffer "more" workgroup : memref<64xi32>
  %zero = arith.constant 0 : index
  %x = vyre.param "x" : i32
  %l = vyre.local_id x
  vyre.store %x, %tile[%l] : memref<64xi32>
  vyre.store %x, %a[%l] : memref<64xi32>
  // CHECK: %other = "vyre.load"{{.*}} {uniform = ["workgroup"]}
  %other = vyre.load %more[%zero] : memref<64xi32>
  vyre.barrier acq_rel
  // CHECK: %local = "vyre.load"{{.*}} {uniform = ["workgroup"]}
  %local = vyre.load %tile[%zero] : memref<64xi32>
  // CHECK: %global = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %global = vyre.load %a[%zero] : memref<64xi32>
  vyre.barrier grid_sync
  // CHECK: %global_after = "vyre.load"{{.*}} {uniform = ["grid"]}
  %global_after = vyre.load %a[%zero] : memref<64xi32>
}
