// RUN: vyre-opt %s -p vyre-test-uniformity --print-op-generic | filecheck %s

// Variables: as uniform as everything that is ever assigned to them, and as the control
// in which that happens.

// CHECK-LABEL: sym_name = "values"
vyre.program @values [64, 1, 1] {
  %n = vyre.param "n" : index
  %g = vyre.workgroup_id x
  %i = vyre.invocation_id x
  // CHECK: %a = "vyre.let"{{.*}} {uniform = ["grid"]}
  %a = vyre.let "a" = %n : index
  // CHECK: %b = "vyre.let"{{.*}} {uniform = ["workgroup"]}
  %b = vyre.let "b" = %g : index
  // CHECK: %c = "vyre.let"{{.*}} {uniform = ["divergent"]}
  %c = vyre.let "c" = %i : index
  // CHECK: %va = "vyre.get"{{.*}} {uniform = ["grid"]}
  %va = vyre.get %a : !vyre.cell<index>
  // CHECK: %vb = "vyre.get"{{.*}} {uniform = ["workgroup"]}
  %vb = vyre.get %b : !vyre.cell<index>
  // CHECK: %vc = "vyre.get"{{.*}} {uniform = ["divergent"]}
  %vc = vyre.get %c : !vyre.cell<index>
  // What is assigned later counts from the start.
  // CHECK: %d = "vyre.let"{{.*}} {uniform = ["workgroup"]}
  %d = vyre.let "d" = %n : index
  // CHECK: %early = "vyre.get"{{.*}} {uniform = ["workgroup"]}
  %early = vyre.get %d : !vyre.cell<index>
  vyre.assign %g, %d : !vyre.cell<index>
  // CHECK: %e = "vyre.let"{{.*}} {uniform = ["grid"]}
  %e = vyre.let "e" = %n : index
  vyre.assign %va, %e : !vyre.cell<index>
  // CHECK: %ve = "vyre.get"{{.*}} {uniform = ["grid"]}
  %ve = vyre.get %e : !vyre.cell<index>
}

// CHECK-LABEL: sym_name = "control"
vyre.program @control [64, 1, 1] {
  %n = vyre.param "n" : index
  %c = vyre.param "c" : i1
  %g = vyre.workgroup_id x
  %i = vyre.invocation_id x
  %by_group = arith.cmpi eq, %g, %n : index
  %by_invocation = arith.cmpi eq, %i, %n : index
  // CHECK: %x = "vyre.let"{{.*}} {uniform = ["grid"]}
  %x = vyre.let "x" = %n : index
  // CHECK: %y = "vyre.let"{{.*}} {uniform = ["workgroup"]}
  %y = vyre.let "y" = %n : index
  // CHECK: %z = "vyre.let"{{.*}} {uniform = ["divergent"]}
  %z = vyre.let "z" = %n : index
  scf.if %c {
    vyre.assign %n, %x : !vyre.cell<index>
  }
  scf.if %by_group {
    vyre.assign %n, %y : !vyre.cell<index>
  }
  scf.if %by_invocation {
    vyre.region "deeper" {
      vyre.assign %n, %z : !vyre.cell<index>
    }
    // Read only.
    // CHECK: %inside = "vyre.get"{{.*}} {uniform = ["grid"]}
    %inside = vyre.get %x : !vyre.cell<index>
  }
  // CHECK: %vx = "vyre.get"{{.*}} {uniform = ["grid"]}
  %vx = vyre.get %x : !vyre.cell<index>
  // CHECK: %vy = "vyre.get"{{.*}} {uniform = ["workgroup"]}
  %vy = vyre.get %y : !vyre.cell<index>
  // CHECK: %vz = "vyre.get"{{.*}} {uniform = ["divergent"]}
  %vz = vyre.get %z : !vyre.cell<index>
}

// A counter of rounds.
// CHECK-LABEL: sym_name = "loops"
vyre.program @loops [64, 1, 1] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  // CHECK: %x = "vyre.let"{{.*}} {uniform = ["grid"]}
  %x = vyre.let "x" = %zero : index
  // CHECK: %y = "vyre.let"{{.*}} {uniform = ["divergent"]}
  %y = vyre.let "y" = %zero : index
  scf.for %k = %zero to %n step %one {
    // CHECK: %old = "vyre.get"{{.*}} {uniform = ["grid"]}
    %old = vyre.get %x : !vyre.cell<index>
    // CHECK: %new = "arith.addi"{{.*}} {uniform = ["grid"]}
    %new = arith.addi %old, %one : index
    vyre.assign %new, %x : !vyre.cell<index>
  }
  scf.for %k1 = %zero to %i step %one {
    // CHECK: %old1 = "vyre.get"{{.*}} {uniform = ["divergent"]}
    %old1 = vyre.get %y : !vyre.cell<index>
    // CHECK: %new1 = "arith.addi"{{.*}} {uniform = ["divergent"]}
    %new1 = arith.addi %old1, %one : index
    vyre.assign %new1, %y : !vyre.cell<index>
  }
  // CHECK: %vx = "vyre.get"{{.*}} {uniform = ["grid"]}
  %vx = vyre.get %x : !vyre.cell<index>
  // CHECK: %vy = "vyre.get"{{.*}} {uniform = ["divergent"]}
  %vy = vyre.get %y : !vyre.cell<index>
}

// A flag that decides how long the loop goes on that assigns it.
// CHECK-LABEL: sym_name = "flag_of_a_loop"
vyre.program @flag_of_a_loop [64, 1, 1] {
  %zero = arith.constant 0 : index
  %n = vyre.param "n" : index
  %yes = vyre.param "yes" : i1
  %i = vyre.invocation_id x
  // CHECK: %a = "vyre.let"{{.*}} {uniform = ["grid"]}
  %a = vyre.let "a" = %yes : i1
  // CHECK: %b = "vyre.let"{{.*}} {uniform = ["divergent"]}
  %b = vyre.let "b" = %yes : i1
  // CHECK: %rounds = "vyre.let"{{.*}} {uniform = ["divergent"]}
  %rounds = vyre.let "rounds" = %zero : index
  scf.while () : () -> () {
    // CHECK: %go = "vyre.get"{{.*}} {uniform = ["grid"]}
    %go = vyre.get %a : !vyre.cell<i1>
    scf.condition(%go)
  } do {
    %next = arith.cmpi eq, %n, %zero : index
    vyre.assign %next, %a : !vyre.cell<i1>
    scf.yield
  }
  // CHECK: }) {control = ["grid", "grid"]}
  scf.while () : () -> () {
    // CHECK: %go1 = "vyre.get"{{.*}} {uniform = ["divergent"]}
    %go1 = vyre.get %b : !vyre.cell<i1>
    // The first region runs once more for those who leave later.
    vyre.assign %n, %rounds : !vyre.cell<index>
    scf.condition(%go1)
  } do {
    %next1 = arith.cmpi eq, %i, %zero : index
    vyre.assign %next1, %b : !vyre.cell<i1>
    scf.yield
  }
  // CHECK: }) {control = ["divergent", "divergent"]}
}

// One variable gives to another, against the order of the text.
// CHECK-LABEL: sym_name = "chain"
vyre.program @chain [64, 1, 1] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  // CHECK: %a = "vyre.let"{{.*}} {uniform = ["divergent"]}
  %a = vyre.let "a" = %zero : index
  // CHECK: %b = "vyre.let"{{.*}} {uniform = ["divergent"]}
  %b = vyre.let "b" = %zero : index
  // CHECK: %c = "vyre.let"{{.*}} {uniform = ["divergent"]}
  %c = vyre.let "c" = %zero : index
  scf.for %k = %zero to %n step %one {
    // CHECK: %vb = "vyre.get"{{.*}} {uniform = ["divergent"]}
    %vb = vyre.get %b : !vyre.cell<index>
    vyre.assign %vb, %a : !vyre.cell<index>
    // CHECK: %vc = "vyre.get"{{.*}} {uniform = ["divergent"]}
    %vc = vyre.get %c : !vyre.cell<index>
    vyre.assign %vc, %b : !vyre.cell<index>
    vyre.assign %i, %c : !vyre.cell<index>
  }
  // CHECK: }) {control = ["grid"], uniform_args = ["grid"]}
}
