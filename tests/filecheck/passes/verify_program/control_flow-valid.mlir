// RUN: vyre-opt %s -p vyre-verify-program | filecheck %s

// Loops and branches that pass on what they promise.

vyre.program @branches [64, 1, 1] {
  %c = vyre.param "c" : i1
  %n = vyre.param "n" : i32
  scf.if %c {
  }
  scf.if %c {
    scf.yield
  } else {
  }
  %a, %b = scf.if %c -> (i32, i1) {
    scf.yield %n, %c : i32, i1
  } else {
    scf.yield %n, %c : i32, i1
  }
}

// CHECK:      vyre.program @branches [64, 1, 1] {
// CHECK:        %a, %b = scf.if %c -> (i32, i1) {
// CHECK-NEXT:     scf.yield %n, %c : i32, i1
// CHECK-NEXT:   } else {
// CHECK-NEXT:     scf.yield %n, %c : i32, i1
// CHECK-NEXT:   }

vyre.program @loops [64, 1, 1] {
  %c = vyre.param "c" : i1
  %n = vyre.param "n" : i32
  %i = vyre.invocation_id x
  // A loop that carries nothing and gives nothing.
  "scf.while"() ({
    "scf.condition"(%c) : (i1) -> ()
  }, {
    scf.yield
  }) : () -> ()
  // A loop that carries one type and gives another.
  %r = scf.while (%a = %n) : (i32) -> index {
    scf.condition(%c) %i : index
  } do {
  ^bb0(%b: index):
    scf.yield %n : i32
  }
  %s = scf.for %k = %i to %i step %i iter_args(%t = %n) -> (i32) {
    scf.yield %t : i32
  }
}

// CHECK:      vyre.program @loops [64, 1, 1] {
// CHECK:        %r = scf.while (%a = %n) : (i32) -> index {
// CHECK-NEXT:     scf.condition(%c) %i : index
// CHECK-NEXT:   } do {
// CHECK-NEXT:   ^{{.*}}(%b: index):
// CHECK-NEXT:     scf.yield %n : i32

vyre.schedule @schedule {
  %c = vyre.param "c" : i1
  %n = vyre.param "n" : i32
  %r = scf.while (%a = %n) : (i32) -> i32 {
    scf.condition(%c) %a : i32
  } do {
  ^bb0(%b: i32):
    %d = scf.if %c -> (i32) {
      scf.yield %b : i32
    } else {
      scf.yield %n : i32
    }
    scf.yield %d : i32
  }
}

// CHECK:      vyre.schedule @schedule {
// CHECK:        scf.yield %d : i32
