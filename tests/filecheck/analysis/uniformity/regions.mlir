// RUN: vyre-opt %s -p vyre-test-uniformity --print-op-generic | filecheck %s

// A region changes nothing: results are what it yields, control is what is around it.

// CHECK-LABEL: sym_name = "results"
vyre.program @results [64, 1, 1] {
  %n = vyre.param "n" : index
  %g = vyre.workgroup_id x
  %i = vyre.invocation_id x
  %a, %b, %c = vyre.region "three" -> (index, index, index) {
    // CHECK: %twice = "arith.addi"{{.*}} {uniform = ["workgroup"]}
    %twice = arith.addi %g, %g : index
    vyre.yield %n, %twice, %i : index, index, index
  }
  // CHECK: }) {uniform = ["grid", "workgroup", "divergent"], control = ["grid"]}
  %outer = vyre.region -> (index) {
    %inner = vyre.region "inner" -> (index) {
      vyre.yield %n : index
    }
    // CHECK: }) {uniform = ["grid"], control = ["grid"]}
    // CHECK: %sum = "arith.addi"{{.*}} {uniform = ["divergent"]}
    %sum = arith.addi %inner, %i : index
    vyre.yield %sum : index
  }
  // CHECK: }) {uniform = ["divergent"], control = ["grid"]}
}

// CHECK-LABEL: sym_name = "control"
vyre.program @control [64, 1, 1] {
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %c = arith.cmpi eq, %i, %n : index
  scf.if %c {
    %v = vyre.region "in a branch" -> (index) {
      vyre.yield %n : index
    }
    // CHECK: }) {uniform = ["grid"], control = ["divergent"]}
  }
  // CHECK: }) {control = ["divergent"]}
  vyre.region "around a branch" {
    scf.if %c {
    }
    // CHECK: }) {control = ["divergent"]}
  }
  // CHECK: }) {control = ["grid"]}
}
