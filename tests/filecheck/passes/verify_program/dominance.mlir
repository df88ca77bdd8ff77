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

// A block that one branch skips does not dominate the block after it.
// CHECK: {{.*}}dominance.mlir:185:10: error: 'arith.addi': uses %x, which is not defined on every path to here
// CHECK: {{.*}}dominance.mlir:182:10: note: defined here
// CHECK: Fix: move the definition above the use, or the use below the definition; a value leaves a region only as a result of the operation around it
vyre.program @p [64, 1, 1] {
  %c = vyre.param "c" : i1
  scf.execute_region {
    cf.cond_br %c, ^defines, ^uses
  ^defines:
    %x = arith.constant 1 : i32
    cf.br ^uses
  ^uses:
    %y = arith.addi %x, %x : i32
    scf.yield
  }
}

// -----

// Two arms do not dominate each other.
// CHECK: {{.*}}dominance.mlir:204:10: error: 'arith.addi': uses %x, which is not defined on every path to here
// CHECK: {{.*}}dominance.mlir:201:10: note: defined here
// CHECK: Fix: move the definition above the use, or the use below the definition; a value leaves a region only as a result of the operation around it
vyre.program @p [64, 1, 1] {
  %c = vyre.param "c" : i1
  scf.execute_region {
    cf.cond_br %c, ^left, ^right
  ^left:
    %x = arith.constant 1 : i32
    cf.br ^end
  ^right:
    %y = arith.addi %x, %x : i32
    cf.br ^end
  ^end:
    scf.yield
  }
}

// -----

// The argument of a block that does not dominate.
// CHECK: {{.*}}dominance.mlir:225:10: error: 'arith.addi': uses %x, which is not defined on every path to here
// CHECK: {{.*}}dominance.mlir:222:9: note: defined here
// CHECK: Fix: move the definition above the use, or the use below the definition; a value leaves a region only as a result of the operation around it
vyre.program @p [64, 1, 1] {
  %c = vyre.param "c" : i1
  %n = vyre.param "n" : i32
  scf.execute_region {
    cf.cond_br %c, ^left(%n : i32), ^right
  ^left(%x: i32):
    cf.br ^right
  ^right:
    %y = arith.addi %x, %x : i32
    scf.yield
  }
}

// -----

// A block that dominates another is not dominated by it, even in a loop.
// CHECK: {{.*}}dominance.mlir:241:10: error: 'arith.addi': uses %x, which is not defined on every path to here
// CHECK: {{.*}}dominance.mlir:244:10: note: defined here
// CHECK: Fix: move the definition above the use, or the use below the definition; a value leaves a region only as a result of the operation around it
vyre.program @p [64, 1, 1] {
  %c = vyre.param "c" : i1
  scf.execute_region {
    cf.br ^head
  ^head:
    %y = arith.addi %x, %x : i32
    cf.cond_br %c, ^body, ^end
  ^body:
    %x = arith.constant 1 : i32
    cf.br ^head
  ^end:
    scf.yield
  }
}

// -----

// The order of the blocks in the text does not count, only the branches.
// CHECK: {{.*}}dominance.mlir:265:10: error: 'arith.addi': uses %x, which is not defined on every path to here
// CHECK: {{.*}}dominance.mlir:262:10: note: defined here
// CHECK: Fix: move the definition above the use, or the use below the definition; a value leaves a region only as a result of the operation around it
vyre.program @p [64, 1, 1] {
  %c = vyre.param "c" : i1
  scf.execute_region {
    cf.br ^second
  ^third:
    %x = arith.constant 1 : i32
    scf.yield
  ^second:
    %y = arith.addi %x, %x : i32
    cf.br ^third
  }
}

// -----

// What is nested in a block that never runs is still in order.
// CHECK: {{.*}}dominance.mlir:281:12: error: 'arith.addi': uses %x, which is not defined on every path to here
// CHECK: {{.*}}dominance.mlir:282:12: note: defined here
// CHECK: Fix: move the definition above the use, or the use below the definition; a value leaves a region only as a result of the operation around it
vyre.program @p [64, 1, 1] {
  scf.execute_region {
    scf.yield
  ^never:
    vyre.region "r" {
      %y = arith.addi %x, %x : i32
      %x = arith.constant 1 : i32
    }
    scf.yield
  }
}

// -----

// What a block that never runs defines, no other block sees.
// CHECK: {{.*}}dominance.mlir:301:10: error: 'arith.addi': uses %x, which is not defined on every path to here
// CHECK: {{.*}}dominance.mlir:298:10: note: defined here
// CHECK: Fix: move the definition above the use, or the use below the definition; a value leaves a region only as a result of the operation around it
vyre.program @p [64, 1, 1] {
  scf.execute_region {
    cf.br ^end
  ^never:
    %x = arith.constant 1 : i32
    cf.br ^end
  ^end:
    %y = arith.addi %x, %x : i32
    scf.yield
  }
}

// -----

// Schedules obey the same rule.
// CHECK: {{.*}}dominance.mlir:316:3: error: 'scf.if': uses %flag, which is not defined on every path to here
// CHECK: {{.*}}dominance.mlir:319:11: note: defined here
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

// CHECK: {{.*}}dominance.mlir:328:8: error: 'arith.addi': uses %n, which is not defined on every path to here
// CHECK: {{.*}}dominance.mlir:328:8: note: defined here
// CHECK: Fix: move the definition above the use, or the use below the definition; a value leaves a region only as a result of the operation around it
vyre.schedule @s {
  %n = arith.addi %n, %n : i32
}

// -----

// CHECK: {{.*}}dominance.mlir:341:10: error: %v is used but never defined
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

// CHECK: {{.*}}dominance.mlir:358:10: error: 'arith.addi': uses %x, which is not defined on every path to here
// CHECK: {{.*}}dominance.mlir:355:10: note: defined here
// CHECK: Fix: move the definition above the use, or the use below the definition; a value leaves a region only as a result of the operation around it
vyre.schedule @s {
  %c = vyre.param "c" : i1
  scf.execute_region {
    cf.cond_br %c, ^defines, ^uses
  ^defines:
    %x = arith.constant 1 : i32
    cf.br ^uses
  ^uses:
    %y = arith.addi %x, %x : i32
    scf.yield
  }
}

// -----

// The second program of a module is checked like the first.
// CHECK: {{.*}}dominance.mlir:372:8: error: 'arith.addi': uses %x, which is not defined on every path to here
// CHECK: {{.*}}dominance.mlir:373:8: note: defined here
// CHECK: Fix: move the definition above the use, or the use below the definition; a value leaves a region only as a result of the operation around it
vyre.program @good [64, 1, 1] {
}
vyre.program @bad [64, 1, 1] {
  %y = arith.addi %x, %x : i32
  %x = arith.constant 1 : i32
}
