// RUN: vyre-opt %s -p vyre-verify-program | filecheck %s

// Values that are defined on every path to their uses.

// Nested regions see what is defined above the operation around them.
vyre.program @nested [64, 1, 1] {
  %c = vyre.param "c" : i1
  %x = arith.constant 1 : i32
  scf.if %c {
    %y = arith.addi %x, %x : i32
    vyre.region "r" {
      %z = arith.addi %x, %y : i32
    }
  } else {
    %w = arith.addi %x, %x : i32
  }
}

// CHECK:      vyre.program @nested [64, 1, 1] {
// CHECK:        %z = arith.addi %x, %y : i32
// CHECK:        %w = arith.addi %x, %x : i32

// A value leaves a region as a result; names of values that went out of sight are free.
vyre.program @results [64, 1, 1] {
  %r = vyre.region "first" -> (i32) {
    %x = arith.constant 1 : i32
    vyre.yield %x : i32
  }
  %s = vyre.region "second" -> (i32) {
    %x = arith.addi %r, %r : i32
    vyre.yield %x : i32
  }
}

// CHECK:      vyre.program @results [64, 1, 1] {
// CHECK:        %x{{.*}} = arith.addi %r, %r : i32

vyre.program @loops [64, 1, 1] {
  %n = vyre.param "n" : index
  %go = vyre.param "go" : i1
  %sum = scf.for %k = %n to %n step %n iter_args(%s = %n) -> (index) {
    %t = arith.addi %s, %k : index
    scf.yield %t : index
  }
  %last = scf.while (%a = %sum) : (index) -> index {
    scf.condition(%go) %a : index
  } do {
  ^bb0(%b: index):
    %u = arith.addi %b, %sum : index
    scf.yield %u : index
  }
}

// CHECK:      vyre.program @loops [64, 1, 1] {
// CHECK:        %t = arith.addi %s, %k : index
// CHECK:        %u = arith.addi %b, %sum : index

// A block sees the blocks that dominate it, wherever they stand in the text.
vyre.program @blocks [64, 1, 1] {
  %c = vyre.param "c" : i1
  %n = vyre.param "n" : i32
  %result = scf.execute_region -> (i32) {
    %x = arith.constant 1 : i32
    cf.cond_br %c, ^left(%x : i32), ^right
  ^end:
    %e = arith.addi %x, %n : i32
    scf.yield %e : i32
  ^left(%a: i32):
    %l = arith.addi %x, %a : i32
    cf.br ^end
  ^right:
    %r = arith.addi %x, %n : i32
    cf.br ^after_right
  ^after_right:
    vyre.region "nested" {
      %s = arith.addi %r, %x : i32
    }
    cf.br ^end
  }
}

// CHECK:      vyre.program @blocks [64, 1, 1] {
// CHECK:        cf.cond_br %c, ^{{.*}}(%x : i32), ^{{.*}}
// CHECK:        %e = arith.addi %x, %n : i32
// CHECK:        %l = arith.addi %x, %a : i32
// CHECK:        %s = arith.addi %r, %x : i32

// A loop of blocks: the head dominates the body, which branches back to it.
vyre.program @loop_of_blocks [64, 1, 1] {
  %c = vyre.param "c" : i1
  %n = vyre.param "n" : i32
  %result = scf.execute_region -> (i32) {
    cf.br ^head(%n : i32)
  ^head(%i: i32):
    %x = arith.addi %i, %n : i32
    cf.cond_br %c, ^body, ^end
  ^body:
    %y = arith.addi %x, %i : i32
    cf.br ^head(%y : i32)
  ^end:
    %z = arith.addi %x, %i : i32
    scf.yield %z : i32
  }
}

// CHECK:      vyre.program @loop_of_blocks [64, 1, 1] {
// CHECK:        cf.br ^{{.*}}(%y : i32)
// CHECK:        %z = arith.addi %x, %i : i32

// Two blocks that branch to each other and are both entered from outside.
vyre.program @irreducible [64, 1, 1] {
  %c = vyre.param "c" : i1
  %result = scf.execute_region -> (i32) {
    %x = arith.constant 1 : i32
    cf.cond_br %c, ^a, ^b
  ^a:
    %u = arith.addi %x, %x : i32
    cf.cond_br %c, ^b, ^end
  ^b:
    %v = arith.addi %x, %x : i32
    cf.br ^a
  ^end:
    // Every way to the end leads through ^a.
    %w = arith.addi %u, %x : i32
    scf.yield %w : i32
  }
}

// CHECK:      vyre.program @irreducible [64, 1, 1] {
// CHECK:        %w = arith.addi %u, %x : i32

// A block that nothing branches to never runs and may use anything of its region.
vyre.program @unreachable [64, 1, 1] {
  %result = scf.execute_region -> (i32) {
    cf.br ^end
  ^never:
    %y = arith.addi %z, %x : i32
    %z = arith.addi %z, %y : i32
    vyre.region "nested" {
      %w = arith.addi %z, %x : i32
    }
    cf.br ^end
  ^end:
    %x = arith.constant 1 : i32
    scf.yield %x : i32
  }
}

// CHECK:      vyre.program @unreachable [64, 1, 1] {
// CHECK:        %z = arith.addi %z, %y : i32
// CHECK:        %w = arith.addi %z, %x : i32

vyre.schedule @schedule {
  %n = vyre.param "n" : index
  %go = vyre.scratch single : memref<1xi1>
  scf.for %k = %n to %n step %n {
    %flag = vyre.read_back %go[0] : memref<1xi1>
    scf.if %flag {
      %m = arith.addi %k, %n : index
    }
  }
}

// CHECK:      vyre.schedule @schedule {
// CHECK:        scf.if %flag {
// CHECK-NEXT:     %m = arith.addi %k, %n : index
