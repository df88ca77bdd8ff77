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

// A region with a result.
vyre.program @one_block [64, 1, 1] {
  %n = vyre.param "n" : i32
  %result = vyre.region -> (i32) {
    %x = arith.constant 1 : i32
    vyre.region "nested" {
      %s = arith.addi %x, %n : i32
    }
    vyre.yield %x : i32
  }
}

// CHECK:      vyre.program @one_block [64, 1, 1] {
// CHECK:        %s = arith.addi %x, %n : i32
// CHECK:        vyre.yield %x : i32

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
