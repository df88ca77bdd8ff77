// RUN: VYRE_INVALID

// A use before the definition, in one block.
// CHECK: {{.*}}dominance.mlir:8:8: error: 'arith.addi': uses %x, which is not defined on every path to here
// CHECK: {{.*}}dominance.mlir:9:8: note: defined here
// CHECK: Fix: move the definition above the use, or the use below the definition; a value leaves a region only as a result of the operation around it
vyre.program @p [64, 1, 1] {
  %y = arith.addi %x, %x : i32
  %x = arith.constant 1 : i32
}

// -----

// A value that is defined by itself.
// CHECK: {{.*}}dominance.mlir:19:8: error: 'arith.addi': uses %a, which is not defined on every path to here
// CHECK: {{.*}}dominance.mlir:19:8: note: defined here
// CHECK: Fix: move the definition above the use, or the use below the definition; a value leaves a region only as a result of the operation around it
vyre.program @p [64, 1, 1] {
  %a = arith.addi %a, %a : i32
}

// -----

// A loop that starts with its own result.
// CHECK: {{.*}}dominance.mlir:30:8: error: 'scf.for': uses %r, which is not defined on every path to here
// CHECK: {{.*}}dominance.mlir:30:8: note: defined here
// CHECK: Fix: move the definition above the use, or the use below the definition; a value leaves a region only as a result of the operation around it
vyre.program @p [64, 1, 1] {
  %i = vyre.invocation_id x
  %r = scf.for %k = %i to %i step %i iter_args(%c = %r) -> (index) {
    scf.yield %c : index
  }
}

// -----

// A region that uses its own result.
// CHECK: {{.*}}dominance.mlir:43:10: error: 'arith.addi': uses %r, which is not defined on every path to here
// CHECK: {{.*}}dominance.mlir:42:8: note: defined here
// CHECK: Fix: move the definition above the use, or the use below the definition; a value leaves a region only as a result of the operation around it
vyre.program @p [64, 1, 1] {
  %r = vyre.region "r" -> (i32) {
    %n = arith.addi %r, %r : i32
    vyre.yield %n : i32
  }
}

// -----

// A nested use before the definition around it.
// CHECK: {{.*}}dominance.mlir:58:12: error: 'arith.addi': uses %x, which is not defined on every path to here
// CHECK: {{.*}}dominance.mlir:61:8: note: defined here
// CHECK: Fix: move the definition above the use, or the use below the definition; a value leaves a region only as a result of the operation around it
vyre.program @p [64, 1, 1] {
  %c = vyre.param "c" : i1
  scf.if %c {
    vyre.region "r" {
      %y = arith.addi %x, %x : i32
    }
  }
  %x = arith.constant 1 : i32
}

// -----

// A loop does not make the last round's values visible.
// CHECK: {{.*}}dominance.mlir:73:10: error: 'arith.addi': uses %x, which is not defined on every path to here
// CHECK: {{.*}}dominance.mlir:74:10: note: defined here
// CHECK: Fix: move the definition above the use, or the use below the definition; a value leaves a region only as a result of the operation around it
vyre.program @p [64, 1, 1] {
  %i = vyre.invocation_id x
  scf.for %k = %i to %i step %i {
    %y = arith.addi %x, %x : i32
    %x = arith.constant 1 : i32
  }
}

// -----

// A buffer that is declared too late.
// CHECK: {{.*}}dominance.mlir:86:8: error: 'vyre.load': uses %a, which is not defined on every path to here
// CHECK: {{.*}}dominance.mlir:87:8: note: defined here
// CHECK: Fix: move the definition above the use, or the use below the definition; a value leaves a region only as a result of the operation around it
vyre.program @p [64, 1, 1] {
  %i = vyre.invocation_id x
  %v = vyre.load %a[%i] : memref<?xi32>
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
}

// -----

// Values without a name have none in the message either.
// CHECK: {{.*}}dominance.mlir:97:8: error: 'arith.addi': uses a value, which is not defined on every path to here
// CHECK: {{.*}}dominance.mlir:98:8: note: defined here
// CHECK: Fix: move the definition above the use, or the use below the definition; a value leaves a region only as a result of the operation around it
vyre.program @p [64, 1, 1] {
  %1 = arith.addi %0, %0 : i32
  %0 = arith.constant 1 : i32
}

// -----

// A value of one arm in the other. Names end with their region.
// CHECK: {{.*}}dominance.mlir:111:21: error: %x is used but never defined
// CHECK: Fix: define it above, or correct the name
vyre.program @p [64, 1, 1] {
  %c = vyre.param "c" : i1
  scf.if %c {
    %x = arith.constant 1 : i32
  } else {
    %y = arith.addi %x, %x : i32
  }
}

// -----

// A value of a region that came before.
// CHECK: {{.*}}dominance.mlir:125:21: error: %x is used but never defined
// CHECK: Fix: define it above, or correct the name
vyre.program @p [64, 1, 1] {
  vyre.region "first" {
    %x = arith.constant 1 : i32
  }
  vyre.region "second" {
    %y = arith.addi %x, %x : i32
  }
}

// -----

// A value of a loop body after the loop.
// CHECK: {{.*}}dominance.mlir:139:19: error: %x is used but never defined
// CHECK: Fix: define it above, or correct the name
vyre.program @p [64, 1, 1] {
  %i = vyre.invocation_id x
  scf.for %k = %i to %i step %i {
    %x = arith.constant 1 : i32
  }
  %y = arith.addi %x, %x : i32
}

// -----

// The induction variable after the loop.
// CHECK: {{.*}}dominance.mlir:151:19: error: %k is used but never defined
// CHECK: Fix: define it above, or correct the name
vyre.program @p [64, 1, 1] {
  %i = vyre.invocation_id x
  scf.for %k = %i to %i step %i {
  }
  %y = arith.addi %k, %k : index
}

// -----

// A value of the first region of a while loop in the second.
// CHECK: {{.*}}dominance.mlir:167:15: error: %x is used but never defined
// CHECK: Fix: define it above, or correct the name
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : i32
  %r = scf.while (%a = %n) : (i32) -> i32 {
    %x = arith.addi %a, %a : i32
    %go = arith.cmpi eq, %a, %n : i32
    scf.condition(%go) %a : i32
  } do {
  ^bb0(%b: i32):
    scf.yield %x : i32
  }
}

// -----

// Control flow in a program is structured.
// CHECK: {{.*}}dominance.mlir:178:3: error: 'scf.execute_region': control flow in a program is structured and needs no 'scf.execute_region'
// CHECK: Fix: use 'vyre.region'
vyre.program @p [64, 1, 1] {
  %c = vyre.param "c" : i1
  scf.execute_region {
    cf.cond_br %c, ^left, ^right
  ^left:
    cf.br ^right
  ^right:
    scf.yield
  }
}

// -----

// A region of a program has one block: what comes first in the text comes first in time.
// CHECK: {{.*}}dominance.mlir:193:3: error: 'test.op': a region of 'test.op' has several blocks
// CHECK: Fix: express the control flow with scf.if, scf.for and scf.while
vyre.program @p [64, 1, 1] {
  "test.op"() ({
  ^loop:
    cf.br ^loop
  ^end:
    "test.termop"() : () -> ()
  }) : () -> ()
}

// -----

// CHECK: {{.*}}dominance.mlir:206:3: error: 'scf.execute_region': control flow in a program is structured and needs no 'scf.execute_region'
// CHECK: Fix: use 'vyre.region'
vyre.schedule @s {
  scf.execute_region {
    cf.br ^end
  ^end:
    scf.yield
  }
}

// -----

// One block in an operation of another dialect is in order like any other.
// CHECK: {{.*}}dominance.mlir:221:10: error: 'arith.addi': uses %x, which is not defined on every path to here
// CHECK: {{.*}}dominance.mlir:222:10: note: defined here
// CHECK: Fix: move the definition above the use, or the use below the definition; a value leaves a region only as a result of the operation around it
vyre.program @p [64, 1, 1] {
  "test.op"() ({
    %y = arith.addi %x, %x : i32
    %x = arith.constant 1 : i32
    "test.termop"() : () -> ()
  }) : () -> ()
}

// -----

// The argument of a block, above its loop.
// CHECK: {{.*}}dominance.mlir:235:8: error: 'arith.addi': uses %k, which is not defined on every path to here
// CHECK: {{.*}}dominance.mlir:236:11: note: defined here
// CHECK: Fix: move the definition above the use, or the use below the definition; a value leaves a region only as a result of the operation around it
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : index
  %y = arith.addi %k, %k : index
  scf.for %k = %n to %n step %n {
  }
}

// -----

// Schedules obey the same rule.
// CHECK: {{.*}}dominance.mlir:250:3: error: 'scf.if': uses %flag, which is not defined on every path to here
// CHECK: {{.*}}dominance.mlir:253:11: note: defined here
// CHECK: Fix: move the definition above the use, or the use below the definition; a value leaves a region only as a result of the operation around it
vyre.program @q [64, 1, 1] {
}
vyre.schedule @s {
  %go = vyre.scratch single : memref<1xi1>
  scf.if %flag {
    vyre.launch @q()
  }
  %flag = vyre.read_back %go[0] : memref<1xi1>
}

// -----

// CHECK: {{.*}}dominance.mlir:262:8: error: 'arith.addi': uses %n, which is not defined on every path to here
// CHECK: {{.*}}dominance.mlir:262:8: note: defined here
// CHECK: Fix: move the definition above the use, or the use below the definition; a value leaves a region only as a result of the operation around it
vyre.schedule @s {
  %n = arith.addi %n, %n : i32
}

// -----

// CHECK: {{.*}}dominance.mlir:275:10: error: %v is used but never defined
// CHECK: Fix: define it above, or correct the name
vyre.schedule @s {
  %n = vyre.param "n" : index
  %a = vyre.scratch single : memref<1xi1>
  scf.for %k = %n to %n step %n {
    %v = vyre.read_back %a[0] : memref<1xi1>
  }
  scf.if %v {
  }
}

// -----

// The second program of a module is checked like the first.
// CHECK: {{.*}}dominance.mlir:288:8: error: 'arith.addi': uses %x, which is not defined on every path to here
// CHECK: {{.*}}dominance.mlir:289:8: note: defined here
// CHECK: Fix: move the definition above the use, or the use below the definition; a value leaves a region only as a result of the operation around it
vyre.program @good [64, 1, 1] {
}
vyre.program @bad [64, 1, 1] {
  %y = arith.addi %x, %x : i32
  %x = arith.constant 1 : i32
}
