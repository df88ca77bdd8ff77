// RUN: VYRE_INVALID

// Both arms of an `scf.if` yield its results.
// CHECK: {{.*}}control_flow.mlir:12:5: error: 'scf.yield': yields (), but the results are (i32)
// CHECK: Fix: make number and types agree
vyre.program @p [64, 1, 1] {
  %c = vyre.param "c" : i1
  %n = vyre.param "n" : i32
  %r = scf.if %c -> (i32) {
    scf.yield %n : i32
  } else {
    scf.yield
  }
}

// -----

// CHECK: {{.*}}control_flow.mlir:25:5: error: 'scf.yield': yields (index), but the results are (i32)
// CHECK: Fix: make number and types agree
vyre.program @p [64, 1, 1] {
  %c = vyre.param "c" : i1
  %n = vyre.param "n" : i32
  %m = vyre.param "m" : index
  %r = scf.if %c -> (i32) {
    scf.yield %m : index
  } else {
    scf.yield %n : i32
  }
}

// -----

// CHECK: {{.*}}control_flow.mlir:39:5: error: 'scf.yield': yields (i32), but the results are ()
// CHECK: Fix: make number and types agree
vyre.schedule @s {
  %c = vyre.param "c" : i1
  %n = vyre.param "n" : i32
  scf.if %c {
    scf.yield %n : i32
  }
}

// -----

// CHECK: {{.*}}control_flow.mlir:50:8: error: 'scf.if': has results but no else branch to give them
// CHECK: Fix: add an `else` that yields one value for each result
vyre.program @p [64, 1, 1] {
  %c = vyre.param "c" : i1
  %n = vyre.param "n" : i32
  %r = scf.if %c -> (i32) {
    scf.yield %n : i32
  }
}

// -----

// CHECK: {{.*}}control_flow.mlir:63:10: error: 'scf.if': has results but no else branch to give them
// CHECK: Fix: add an `else` that yields one value for each result
vyre.schedule @s {
  %c = vyre.param "c" : i1
  %n = vyre.param "n" : i32
  scf.if %c {
    %r = scf.if %c -> (i32) {
      scf.yield %n : i32
    }
  }
}

// -----

// CHECK: {{.*}}control_flow.mlir:75:3: error: 'scf.if' terminates with operation test.termop instead of scf.yield
// CHECK: Fix: make it follow the rules of 'scf.if'
vyre.program @p [64, 1, 1] {
  %c = vyre.param "c" : i1
  "scf.if"(%c) ({
    "test.termop"() : () -> ()
  }, {
  }) : (i1) -> ()
}

// -----

// A while loop starts with what its first region takes.
// CHECK: {{.*}}control_flow.mlir:89:8: error: 'scf.while': starts with (i32), but the first region takes (i32, i32)
// CHECK: Fix: make number and types agree
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : i32
  %go = vyre.param "go" : i1
  %r = "scf.while"(%n) ({
  ^bb0(%a: i32, %b: i32):
    scf.condition(%go) %n : i32
  }, {
  ^bb0(%c: i32):
    scf.yield %c, %c : i32, i32
  }) : (i32) -> i32
}

// -----

// It goes on with what its first region takes.
// CHECK: {{.*}}control_flow.mlir:110:5: error: 'scf.yield': yields (), but the first region takes (i32)
// CHECK: Fix: make number and types agree
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : i32
  %go = vyre.param "go" : i1
  %r = scf.while (%a = %n) : (i32) -> i32 {
    scf.condition(%go) %a : i32
  } do {
  ^bb0(%b: i32):
    scf.yield
  }
}

// -----

// CHECK: {{.*}}control_flow.mlir:125:5: error: 'scf.yield': yields (i1), but the first region takes (i32)
// CHECK: Fix: make number and types agree
vyre.schedule @s {
  %n = vyre.param "n" : i32
  %go = vyre.param "go" : i1
  %r = scf.while (%a = %n) : (i32) -> i32 {
    scf.condition(%go) %a : i32
  } do {
  ^bb0(%b: i32):
    scf.yield %go : i1
  }
}

// -----

// The condition passes what the second region takes.
// CHECK: {{.*}}control_flow.mlir:138:5: error: 'scf.condition': passes (i1), but the second region takes (i32)
// CHECK: Fix: make number and types agree
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : i32
  %go = vyre.param "go" : i1
  %r = scf.while (%a = %n) : (i32) -> i32 {
    scf.condition(%go) %go : i1
  } do {
  ^bb0(%b: i32):
    scf.yield %b : i32
  }
}

// -----

// It passes the results, too.
// CHECK: {{.*}}control_flow.mlir:154:5: error: 'scf.condition': passes (i32, i32), but the results are (i32)
// CHECK: Fix: make number and types agree
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : i32
  %go = vyre.param "go" : i1
  %r = scf.while (%a = %n) : (i32) -> i32 {
    scf.condition(%go) %a, %a : i32, i32
  } do {
  ^bb0(%b: i32, %c: i32):
    scf.yield %b : i32
  }
}

// -----

// CHECK: {{.*}}control_flow.mlir:169:5: error: 'scf.condition': passes (), but the second region takes (i32)
// CHECK: Fix: make number and types agree
vyre.schedule @s {
  %n = vyre.param "n" : i32
  %go = vyre.param "go" : i1
  %r = scf.while (%a = %n) : (i32) -> i32 {
    scf.condition(%go)
  } do {
  ^bb0(%b: i32):
    scf.yield %b : i32
  }
}

// -----

// CHECK: {{.*}}control_flow.mlir:183:5: error: 'scf.yield': the first region of a while loop does not end with 'scf.condition'
// CHECK: Fix: end it with `scf.condition(%go)` and what the second region takes
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : i32
  %r = scf.while (%a = %n) : (i32) -> i32 {
    scf.yield %a : i32
  } do {
  ^bb0(%b: i32):
    scf.yield %b : i32
  }
}

// -----

// CHECK: {{.*}}control_flow.mlir:201:5: error: 'test.termop': a region of 'scf.while' does not end with 'scf.yield'
// CHECK: Fix: end the region with `scf.yield`
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : i32
  %go = vyre.param "go" : i1
  %r = scf.while (%a = %n) : (i32) -> i32 {
    scf.condition(%go) %a : i32
  } do {
  ^bb0(%b: i32):
    "test.termop"() : () -> ()
  }
}

// -----

// CHECK: {{.*}}control_flow.mlir:211:3: error: 'scf.index_switch': a case of a switch has block arguments
// CHECK: Fix: use the values around the switch directly
vyre.program @p [64, 1, 1] {
  %k = vyre.param "k" : index
  "scf.index_switch"(%k) <{cases = array<i64: 1>}> ({
  ^bb0(%z: i32):
    scf.yield
  }, {
    scf.yield
  }) : (index) -> ()
}

// -----

// CHECK: {{.*}}control_flow.mlir:225:3: error: 'cf.br': branches to a block, but control flow in a program is structured
// CHECK: Fix: express the control flow with scf.if, scf.for and scf.while
vyre.program @p [64, 1, 1] {
^here:
  cf.br ^here
}
