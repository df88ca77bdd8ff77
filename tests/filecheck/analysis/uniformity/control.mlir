// RUN: vyre-opt %s -p vyre-test-uniformity --print-op-generic | filecheck %s

// Results of branches and loops, and which control is the same for all.

// CHECK-LABEL: sym_name = "branches"
vyre.program @branches [64, 1, 1] {
  %zero = arith.constant 0 : index
  %n = vyre.param "n" : index
  %c = vyre.param "c" : i1
  %g = vyre.workgroup_id x
  %i = vyre.invocation_id x
  %by_group = arith.cmpi eq, %g, %n : index
  %by_invocation = arith.cmpi eq, %i, %n : index
  %a = scf.if %c -> (index) {
    scf.yield %zero : index
  } else {
    scf.yield %n : index
  }
  // CHECK: }) {uniform = ["grid"], control = ["grid", "grid"]}
  %b = scf.if %by_group -> (index) {
    scf.yield %zero : index
  } else {
    scf.yield %n : index
  }
  // CHECK: }) {uniform = ["workgroup"], control = ["workgroup", "workgroup"]}
  %d = scf.if %by_invocation -> (index) {
    scf.yield %zero : index
  } else {
    scf.yield %n : index
  }
  // CHECK: }) {uniform = ["divergent"], control = ["divergent", "divergent"]}
  // Each result by itself: what either arm yields counts.
  %e, %f, %h = scf.if %c -> (index, index, index) {
    scf.yield %zero, %i, %n : index, index, index
  } else {
    scf.yield %n, %zero, %g : index, index, index
  }
  // CHECK: }) {uniform = ["grid", "divergent", "workgroup"], control = ["grid", "grid"]}
  scf.if %by_invocation {
  }
  // CHECK: }) {control = ["divergent"]}
}

// Inside, what was the same before still is.
// CHECK-LABEL: sym_name = "nested_branches"
vyre.program @nested_branches [64, 1, 1] {
  %n = vyre.param "n" : index
  %c = vyre.param "c" : i1
  %g = vyre.workgroup_id x
  %i = vyre.invocation_id x
  %by_group = arith.cmpi eq, %g, %n : index
  %by_invocation = arith.cmpi eq, %i, %n : index
  scf.if %by_group {
    // CHECK: %twice = "arith.addi"{{.*}} {uniform = ["grid"]}
    %twice = arith.addi %n, %n : index
    scf.if %c {
    }
    // CHECK: }) {control = ["workgroup"]}
    scf.if %by_invocation {
      scf.if %by_group {
      }
      // CHECK: }) {control = ["divergent"]}
      vyre.region "inner" {
      }
      // CHECK: }) {control = ["divergent"]}
    }
    // CHECK: }) {control = ["divergent"]}
  }
  // CHECK: }) {control = ["workgroup"]}
  scf.if %c {
    scf.if %by_group {
    }
    // CHECK: }) {control = ["workgroup"]}
  }
  // CHECK: }) {control = ["grid"]}
}

// CHECK-LABEL: sym_name = "for_bounds"
vyre.program @for_bounds [64, 1, 1] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = vyre.param "n" : index
  %g = vyre.workgroup_id x
  %i = vyre.invocation_id x
  %same = scf.for %k = %zero to %n step %one iter_args(%s = %zero) -> (index) {
    // CHECK: %t = "arith.addi"{{.*}} {uniform = ["grid"]}
    %t = arith.addi %s, %k : index
    scf.yield %t : index
  }
  // CHECK: }) {uniform = ["grid"], control = ["grid"], uniform_args = ["grid", "grid"]}
  // A number of trips that differs makes the results differ, whatever each round does.
  %end = scf.for %k1 = %zero to %i step %one iter_args(%s = %zero) -> (index) {
    // CHECK: %t1 = "arith.addi"{{.*}} {uniform = ["grid"]}
    %t1 = arith.addi %s, %one : index
    scf.yield %t1 : index
  }
  // CHECK: }) {uniform = ["divergent"], control = ["divergent"], uniform_args = ["divergent", "grid"]}
  %start = scf.for %k2 = %i to %n step %one iter_args(%s = %zero) -> (index) {
    scf.yield %s : index
  }
  // CHECK: }) {uniform = ["divergent"], control = ["divergent"], uniform_args = ["divergent", "grid"]}
  %step = scf.for %k3 = %zero to %n step %i iter_args(%s = %zero) -> (index) {
    scf.yield %s : index
  }
  // CHECK: }) {uniform = ["divergent"], control = ["divergent"], uniform_args = ["divergent", "grid"]}
  %by_group, %more = scf.for %k4 = %zero to %n step %g iter_args(%s = %zero, %u = %i) -> (index, index) {
    scf.yield %s, %u : index, index
  }
  // CHECK: }) {uniform = ["workgroup", "divergent"], control = ["workgroup"], uniform_args = ["workgroup", "grid", "divergent"]}
}

// CHECK-LABEL: sym_name = "while_conditions"
vyre.program @while_conditions [64, 1, 1] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = vyre.param "n" : index
  %g = vyre.workgroup_id x
  %i = vyre.invocation_id x
  %same = scf.while (%a = %zero) : (index) -> index {
    // CHECK: %go = "arith.cmpi"{{.*}} {uniform = ["grid"]}
    %go = arith.cmpi ult, %a, %n : index
    scf.condition(%go) %a : index
  } do {
  ^bb0(%b: index):
    // CHECK: %next = "arith.addi"{{.*}} {uniform = ["grid"]}
    %next = arith.addi %b, %one : index
    scf.yield %next : index
  }
  // CHECK: }) {uniform = ["grid"], control = ["grid", "grid"], uniform_args = ["grid", "grid"]}
  %by_group = scf.while (%a1 = %zero) : (index) -> index {
    // CHECK: %go1 = "arith.cmpi"{{.*}} {uniform = ["workgroup"]}
    %go1 = arith.cmpi ult, %a1, %g : index
    scf.condition(%go1) %a1 : index
  } do {
  ^bb0(%b1: index):
    // CHECK: %next1 = "arith.addi"{{.*}} {uniform = ["grid"]}
    %next1 = arith.addi %b1, %one : index
    scf.yield %next1 : index
  }
  // CHECK: }) {uniform = ["workgroup"], control = ["workgroup", "workgroup"], uniform_args = ["grid", "grid"]}
  %by_invocation = scf.while (%a2 = %zero) : (index) -> index {
    // CHECK: %go2 = "arith.cmpi"{{.*}} {uniform = ["divergent"]}
    %go2 = arith.cmpi ult, %a2, %i : index
    scf.condition(%go2) %a2 : index
  } do {
  ^bb0(%b2: index):
    // CHECK: %next2 = "arith.addi"{{.*}} {uniform = ["grid"]}
    %next2 = arith.addi %b2, %one : index
    scf.yield %next2 : index
  }
  // CHECK: }) {uniform = ["divergent"], control = ["divergent", "divergent"], uniform_args = ["grid", "grid"]}
  // Each value by itself; the condition passes them in another order.
  %c = vyre.param "c" : i1
  %p, %q = scf.while (%a3 = %i, %b3 = %zero) : (index, index) -> (index, index) {
    scf.condition(%c) %b3, %a3 : index, index
  } do {
  ^bb0(%d3: index, %e3: index):
    scf.yield %e3, %d3 : index, index
  }
  // CHECK: }) {uniform = ["grid", "divergent"], control = ["grid", "grid"], uniform_args = ["divergent", "grid", "grid", "divergent"]}
}

// What is the same in the first round may differ in the second or third.
// CHECK-LABEL: sym_name = "becomes_divergent_later"
vyre.program @becomes_divergent_later [64, 1, 1] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = vyre.param "n" : index
  %g = vyre.workgroup_id x
  %i = vyre.invocation_id x
  %x, %y, %z = scf.for %k = %zero to %n step %one iter_args(%a = %zero, %b = %zero, %c = %zero) -> (index, index, index) {
    // CHECK: %twice = "arith.addi"{{.*}} {uniform = ["divergent"]}
    %twice = arith.addi %a, %a : index
    scf.yield %b, %c, %i : index, index, index
  }
  // CHECK: }) {uniform = ["divergent", "divergent", "divergent"], control = ["grid"], uniform_args = ["grid", "divergent", "divergent", "divergent"]}
  // From workgroup to divergent in one chain.
  %v, %w = scf.for %k1 = %zero to %n step %one iter_args(%a1 = %g, %b1 = %zero) -> (index, index) {
    // CHECK: %sum = "arith.addi"{{.*}} {uniform = ["workgroup"]}
    %sum = arith.addi %a1, %b1 : index
    scf.yield %b1, %sum : index, index
  }
  // CHECK: }) {uniform = ["workgroup", "workgroup"], control = ["grid"], uniform_args = ["grid", "workgroup", "workgroup"]}
  %r, %s = scf.for %k2 = %zero to %n step %one iter_args(%a2 = %g, %b2 = %zero) -> (index, index) {
    // CHECK: %sum2 = "arith.addi"{{.*}} {uniform = ["divergent"]}
    %sum2 = arith.addi %a2, %b2 : index
    scf.yield %i, %sum2 : index, index
  }
  // CHECK: }) {uniform = ["divergent", "divergent"], control = ["grid"], uniform_args = ["grid", "divergent", "divergent"]}
}

// The condition itself differs from the second round on, and with it the results.
// CHECK-LABEL: sym_name = "condition_becomes_divergent_later"
vyre.program @condition_becomes_divergent_later [64, 1, 1] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %x, %y = scf.while (%a = %zero, %b = %one) : (index, index) -> (index, index) {
    // CHECK: %go = "arith.cmpi"{{.*}} {uniform = ["divergent"]}
    %go = arith.cmpi ult, %a, %n : index
    scf.condition(%go) %a, %b : index, index
  } do {
  ^bb0(%c: index, %d: index):
    scf.yield %i, %d : index, index
  }
  // CHECK: }) {uniform = ["divergent", "divergent"], control = ["divergent", "divergent"], uniform_args = ["divergent", "grid", "divergent", "grid"]}
}

// CHECK-LABEL: sym_name = "nested_loops"
vyre.program @nested_loops [64, 1, 1] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  // The inner loop diverges: the outer one carries its results, but all go on together.
  %x = scf.for %k = %zero to %n step %one iter_args(%a = %zero) -> (index) {
    %inner = scf.for %l = %zero to %i step %one iter_args(%b = %a) -> (index) {
      scf.yield %b : index
    }
    // CHECK: }) {uniform = ["divergent"], control = ["divergent"], uniform_args = ["divergent", "divergent"]}
    scf.yield %inner : index
  }
  // CHECK: }) {uniform = ["divergent"], control = ["grid"], uniform_args = ["grid", "divergent"]}
  // The outer loop diverges: an inner one is the same for all that are in the same round.
  %y = scf.for %k1 = %zero to %i step %one iter_args(%a1 = %zero) -> (index) {
    %inner1 = scf.for %l1 = %zero to %n step %one iter_args(%b1 = %a1) -> (index) {
      // CHECK: %next = "arith.addi"{{.*}} {uniform = ["grid"]}
      %next = arith.addi %b1, %one : index
      scf.yield %next : index
    }
    // CHECK: }) {uniform = ["grid"], control = ["divergent"], uniform_args = ["grid", "grid"]}
    scf.yield %inner1 : index
  }
  // CHECK: }) {uniform = ["divergent"], control = ["divergent"], uniform_args = ["divergent", "grid"]}
  // The bound of the inner loop differs from the second outer round on.
  %z, %w = scf.for %k2 = %zero to %n step %one iter_args(%bound = %n, %a2 = %zero) -> (index, index) {
    %inner2 = scf.for %l2 = %zero to %bound step %one iter_args(%b2 = %a2) -> (index) {
      scf.yield %b2 : index
    }
    // CHECK: }) {uniform = ["divergent"], control = ["divergent"], uniform_args = ["divergent", "divergent"]}
    scf.yield %i, %inner2 : index, index
  }
  // CHECK: }) {uniform = ["divergent", "divergent"], control = ["grid"], uniform_args = ["grid", "divergent", "divergent"]}
}

// An invocation that ended is not asked any more.
// CHECK-LABEL: sym_name = "after_a_return"
vyre.program @after_a_return [64, 1, 1] {
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %outside = arith.cmpi uge, %i, %n : index
  scf.if %outside {
    vyre.return
  }
  // CHECK: }) {control = ["divergent"]}
  // CHECK: %twice = "arith.addi"{{.*}} {uniform = ["grid"]}
  %twice = arith.addi %n, %n : index
  vyre.region "rest" {
  }
  // CHECK: }) {control = ["grid"]}
}

// CHECK-LABEL: sym_name = "switches"
vyre.program @switches [64, 1, 1] {
  %zero = arith.constant 0 : index
  %n = vyre.param "n" : index
  %g = vyre.workgroup_id x
  %i = vyre.invocation_id x
  %a, %b = scf.index_switch %n -> index, index
  case 1 {
    scf.yield %zero, %n : index, index
  }
  default {
    scf.yield %n, %g : index, index
  }
  // CHECK: }) {uniform = ["grid", "workgroup"], control = ["grid", "grid"]}
  %d = scf.index_switch %i -> index
  case 1 {
    scf.yield %zero : index
  }
  case 2 {
    scf.yield %zero : index
  }
  default {
    scf.yield %n : index
  }
  // CHECK: }) {uniform = ["divergent"], control = ["divergent", "divergent", "divergent"]}
}
