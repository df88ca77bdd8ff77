// RUN: vyre-opt %s -p vyre-test-uniformity --print-op-generic --allow-unregistered-dialect | filecheck %s

// Operations that Vyre does not know may do anything.

// CHECK-LABEL: sym_name = "results"
vyre.program @results [64, 1, 1] {
  %n = vyre.param "n" : index
  %a = "other.op"(%n) : (index) -> index
  // CHECK: %twice = "arith.addi"{{.*}} {uniform = ["divergent"]}
  %twice = arith.addi %a, %n : index
  %b, %c = "other.two"() : () -> (index, i32)
  // CHECK: %d = "test.op"{{.*}} {uniform = ["divergent"]}
  %d = "test.op"(%n) : (index) -> index
  // Also one that xDSL has and Vyre has no use for.
  // CHECK: %e = "func.call"{{.*}} {uniform = ["divergent"]}
  %e = func.call @f(%n) : (index) -> index
}

// They may write every buffer, whatever they are given.
// CHECK-LABEL: sym_name = "writes"
vyre.program @writes [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<4xi32>
  %n = vyre.param "n" : index
  // CHECK: %v = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %v = vyre.load %a[%n] : memref<?xi32>
  "other.op"() : () -> ()
  // CHECK: %w = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %w = vyre.load %a[%n] : memref<?xi32>
  // CHECK: %t = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %t = vyre.load %tile[%n] : memref<4xi32>
  vyre.barrier acq_rel
  // CHECK: %grid_phase = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %grid_phase = vyre.load %a[%n] : memref<?xi32>
  // CHECK: %u = "vyre.load"{{.*}} {uniform = ["workgroup"]}
  %u = vyre.load %tile[%n] : memref<4xi32>
  vyre.barrier grid_sync
  // CHECK: %x = "vyre.load"{{.*}} {uniform = ["grid"]}
  %x = vyre.load %a[%n] : memref<?xi32>
}

// Who runs their regions, with which arguments, and how often is unknown.
// CHECK-LABEL: sym_name = "regions"
vyre.program @regions [64, 1, 1] {
  %n = vyre.param "n" : index
  // CHECK: %cell = "vyre.let"{{.*}} {uniform = ["divergent"]}
  %cell = vyre.let "cell" = %n : index
  %r = "test.op"() ({
    // CHECK: %twice = "arith.addi"{{.*}} {uniform = ["grid"]}
    %twice = arith.addi %n, %n : index
    vyre.assign %n, %cell : !vyre.cell<index>
    "test.termop"(%twice) : (index) -> ()
  }) : () -> index
  // CHECK: }) {uniform = ["divergent"], control = ["divergent"]}
  "test.op"() ({
  ^bb0(%k: index):
    // CHECK: %next = "arith.addi"{{.*}} {uniform = ["divergent"]}
    %next = arith.addi %k, %n : index
    "test.termop"() : () -> ()
  }) : () -> ()
  // CHECK: }) {control = ["divergent"], uniform_args = ["divergent"]}
}

func.func private @f(index) -> index

// They may stand where only some come, with buffers and with regions.
// CHECK-LABEL: sym_name = "divergent_control"
vyre.program @divergent_control [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<4xi32>
  %i = vyre.invocation_id x
  %two = arith.constant 2 : index
  %c = arith.cmpi ult, %i, %two : index
  scf.if %c {
    // CHECK: "other.op"(%a)
    "other.op"(%a) ({
      "other.end"() : () -> ()
    }) : (memref<4xi32>) -> ()
  }
}
