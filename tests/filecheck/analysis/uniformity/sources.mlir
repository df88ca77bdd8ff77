// RUN: vyre-opt %s -p vyre-test-uniformity --print-op-generic | filecheck %s

// Where values come from, and what pure operations make of them.

// CHECK-LABEL: sym_name = "same_everywhere"
vyre.program @same_everywhere [64, 1, 1] {
  // CHECK: %a = "vyre.buffer"{{.*}} {uniform = ["grid"]}
  %a = vyre.buffer "a" read_write binding 0 : memref<?x4xi32>
  // CHECK: %n = "vyre.param"{{.*}} {uniform = ["grid"]}
  %n = vyre.param "n" : index
  // CHECK: %one = "arith.constant"{{.*}} {uniform = ["grid"]}
  %one = arith.constant 1 : index
  // CHECK: %length = "vyre.length"{{.*}} {uniform = ["grid"]}
  %length = vyre.length %a, 0 : memref<?x4xi32>
  // CHECK: %groups = "vyre.workgroup_count"{{.*}} {uniform = ["grid"]}
  %groups = vyre.workgroup_count x
  // CHECK: %width = "vyre.workgroup_size"{{.*}} {uniform = ["grid"]}
  %width = vyre.workgroup_size y
  // CHECK: %lanes = "vyre.subgroup_size"{{.*}} {uniform = ["grid"]}
  %lanes = vyre.subgroup_size
  // CHECK: %sum = "arith.addi"{{.*}} {uniform = ["grid"]}
  %sum = arith.addi %length, %groups : index
  // CHECK: %less = "arith.cmpi"{{.*}} {uniform = ["grid"]}
  %less = arith.cmpi ult, %sum, %n : index
  // CHECK: %either = "arith.select"{{.*}} {uniform = ["grid"]}
  %either = arith.select %less, %sum, %one : index
}

// CHECK-LABEL: sym_name = "differs_between_workgroups"
vyre.program @differs_between_workgroups [8, 4, 2] {
  // CHECK: %x = "vyre.workgroup_id"{{.*}} {uniform = ["workgroup"]}
  %x = vyre.workgroup_id x
  // CHECK: %y = "vyre.workgroup_id"{{.*}} {uniform = ["workgroup"]}
  %y = vyre.workgroup_id y
  // CHECK: %z = "vyre.workgroup_id"{{.*}} {uniform = ["workgroup"]}
  %z = vyre.workgroup_id z
  // CHECK: %width = "vyre.workgroup_size"{{.*}} {uniform = ["grid"]}
  %width = vyre.workgroup_size x
  // CHECK: %start = "arith.muli"{{.*}} {uniform = ["workgroup"]}
  %start = arith.muli %x, %width : index
  // CHECK: %low, %high = "arith.mului_extended"{{.*}} {uniform = ["workgroup", "workgroup"]}
  %low, %high = arith.mului_extended %start, %width : index
}

// CHECK-LABEL: sym_name = "differs_between_invocations"
vyre.program @differs_between_invocations [8, 4, 2] {
  // CHECK: %x = "vyre.invocation_id"{{.*}} {uniform = ["divergent"]}
  %x = vyre.invocation_id x
  // CHECK: %y = "vyre.invocation_id"{{.*}} {uniform = ["divergent"]}
  %y = vyre.invocation_id y
  // CHECK: %z = "vyre.invocation_id"{{.*}} {uniform = ["divergent"]}
  %z = vyre.invocation_id z
  // CHECK: %lx = "vyre.local_id"{{.*}} {uniform = ["divergent"]}
  %lx = vyre.local_id x
  // CHECK: %ly = "vyre.local_id"{{.*}} {uniform = ["divergent"]}
  %ly = vyre.local_id y
  // CHECK: %lz = "vyre.local_id"{{.*}} {uniform = ["divergent"]}
  %lz = vyre.local_id z
  // CHECK: %lane = "vyre.subgroup_local_id"{{.*}} {uniform = ["divergent"]}
  %lane = vyre.subgroup_local_id
  // CHECK: %g = "vyre.workgroup_id"{{.*}} {uniform = ["workgroup"]}
  %g = vyre.workgroup_id x
  // CHECK: %sum = "arith.addi"{{.*}} {uniform = ["divergent"]}
  %sum = arith.addi %g, %lx : index
  // CHECK: %first = "arith.cmpi"{{.*}} {uniform = ["divergent"]}
  %first = arith.cmpi eq, %lx, %g : index
  // Chosen by a divergent condition, between two values that are the same everywhere.
  // CHECK: %zero = "arith.constant"{{.*}} {uniform = ["grid"]}
  %zero = arith.constant 0 : index
  // CHECK: %one = "arith.constant"{{.*}} {uniform = ["grid"]}
  %one = arith.constant 1 : index
  // CHECK: %either = "arith.select"{{.*}} {uniform = ["divergent"]}
  %either = arith.select %first, %zero, %one : index
  // The analysis does not calculate.
  // CHECK: %nothing = "arith.subi"{{.*}} {uniform = ["divergent"]}
  %nothing = arith.subi %lx, %lx : index
}

// CHECK-LABEL: sym_name = "by_workgroup"
vyre.program @by_workgroup [64, 1, 1] {
  // CHECK: %g = "vyre.workgroup_id"{{.*}} {uniform = ["workgroup"]}
  %g = vyre.workgroup_id x
  // CHECK: %n = "vyre.param"{{.*}} {uniform = ["grid"]}
  %n = vyre.param "n" : index
  // CHECK: %is_first = "arith.cmpi"{{.*}} {uniform = ["workgroup"]}
  %is_first = arith.cmpi eq, %g, %n : index
  // CHECK: %either = "arith.select"{{.*}} {uniform = ["workgroup"]}
  %either = arith.select %is_first, %n, %g : index
}

// What an operation does differently for each invocation.
// CHECK-LABEL: sym_name = "subgroups"
vyre.program @subgroups [64, 1, 1] {
  // CHECK: %c = "vyre.param"{{.*}} {uniform = ["grid"]}
  %c = vyre.param "c" : i1
  // CHECK: %n = "vyre.param"{{.*}} {uniform = ["grid"]}
  %n = vyre.param "n" : i32
  // CHECK: %zero = "arith.constant"{{.*}} {uniform = ["grid"]}
  %zero = arith.constant 0 : index
  // CHECK: %mask = "vyre.subgroup_ballot"{{.*}} {uniform = ["divergent"]}
  %mask = vyre.subgroup_ballot %c
  // CHECK: %other = "vyre.subgroup_shuffle"{{.*}} {uniform = ["divergent"]}
  %other = vyre.subgroup_shuffle %n, %zero : i32
  // CHECK: %sum = "vyre.subgroup_reduce"{{.*}} {uniform = ["divergent"]}
  %sum = vyre.subgroup_reduce add %n : i32
}

// CHECK-LABEL: sym_name = "atomics"
vyre.program @atomics [64, 1, 1] {
  // CHECK: %a = "vyre.buffer"{{.*}} {uniform = ["grid"]}
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  // CHECK: %tile = "vyre.buffer"{{.*}} {uniform = ["grid"]}
  %tile = vyre.buffer "tile" workgroup : memref<4xi32>
  // CHECK: %n = "vyre.param"{{.*}} {uniform = ["grid"]}
  %n = vyre.param "n" : i32
  // CHECK: %zero = "arith.constant"{{.*}} {uniform = ["grid"]}
  %zero = arith.constant 0 : index
  // CHECK: %old = "vyre.atomic"{{.*}} {uniform = ["divergent"]}
  %old = vyre.atomic add %n, %a[%zero] : memref<?xi32>
  // CHECK: %before = "vyre.atomic_cas"{{.*}} {uniform = ["divergent"]}
  %before = vyre.atomic_cas %n, %n, %a[%zero] : memref<?xi32>
  // CHECK: %local = "vyre.atomic"{{.*}} {uniform = ["divergent"]}
  %local = vyre.atomic umax %n, %tile[%zero] : memref<4xi32>
}
