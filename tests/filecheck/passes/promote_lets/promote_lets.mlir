// RUN: vyre-opt %s -p vyre-promote-lets | filecheck %s

// CHECK-LABEL: vyre.program @straight_line
// CHECK-NEXT:    %a = vyre.param "a" : i32
// CHECK-NEXT:    %b = vyre.param "b" : i32
// CHECK-NEXT:    %sum = arith.addi %a, %b : i32
// CHECK-NEXT:  }
vyre.program @straight_line [1, 1, 1] {
  %a = vyre.param "a" : i32
  %b = vyre.param "b" : i32
  %x = vyre.let "x" = %a : i32
  %first = vyre.get %x : !vyre.cell<i32>
  vyre.assign %b, %x : !vyre.cell<i32>
  %second = vyre.get %x : !vyre.cell<i32>
  %sum = arith.addi %first, %second : i32
}

// Two variables that exchange their values.
// CHECK-LABEL: vyre.program @exchange
// CHECK:         %difference = arith.subi %b, %a : i32
vyre.program @exchange [1, 1, 1] {
  %a = vyre.param "a" : i32
  %b = vyre.param "b" : i32
  %x = vyre.let "x" = %a : i32
  %y = vyre.let "y" = %b : i32
  %from_x = vyre.get %x : !vyre.cell<i32>
  %from_y = vyre.get %y : !vyre.cell<i32>
  vyre.assign %from_y, %x : !vyre.cell<i32>
  vyre.assign %from_x, %y : !vyre.cell<i32>
  %left = vyre.get %x : !vyre.cell<i32>
  %right = vyre.get %y : !vyre.cell<i32>
  %difference = arith.subi %left, %right : i32
}

// An arm that is not there keeps the value.
// CHECK-LABEL: vyre.program @if_without_else
// CHECK:         %x = scf.if %c -> (i32) {
// CHECK-NEXT:      scf.yield %b : i32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %a : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    %twice = arith.addi %x, %x : i32
vyre.program @if_without_else [1, 1, 1] {
  %a = vyre.param "a" : i32
  %b = vyre.param "b" : i32
  %c = vyre.param "c" : i1
  %x = vyre.let "x" = %a : i32
  scf.if %c {
    vyre.assign %b, %x : !vyre.cell<i32>
  }
  %v = vyre.get %x : !vyre.cell<i32>
  %twice = arith.addi %v, %v : i32
}

// Results that are there already stay where they are.
// CHECK-LABEL: vyre.program @if_with_results
// CHECK:         %r, %x = scf.if %c -> (f32, i32) {
// CHECK-NEXT:      scf.yield %f, %b : f32, i32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %more = arith.addi %a, %b : i32
// CHECK-NEXT:      scf.yield %f, %more : f32, i32
// CHECK-NEXT:    }
vyre.program @if_with_results [1, 1, 1] {
  %a = vyre.param "a" : i32
  %b = vyre.param "b" : i32
  %f = vyre.param "f" : f32
  %c = vyre.param "c" : i1
  %x = vyre.let "x" = %a : i32
  %r = scf.if %c -> (f32) {
    vyre.assign %b, %x : !vyre.cell<i32>
    scf.yield %f : f32
  } else {
    %old = vyre.get %x : !vyre.cell<i32>
    %more = arith.addi %old, %b : i32
    vyre.assign %more, %x : !vyre.cell<i32>
    scf.yield %f : f32
  }
  %v = vyre.get %x : !vyre.cell<i32>
}

// What a region only reads is not passed into it.
// CHECK-LABEL: vyre.program @only_read
// CHECK:         scf.for %k = %n to %n step %n {
// CHECK-NEXT:      %s = arith.addi %a, %a : i32
// CHECK-NEXT:    }
vyre.program @only_read [1, 1, 1] {
  %a = vyre.param "a" : i32
  %n = vyre.param "n" : index
  %x = vyre.let "x" = %a : i32
  scf.for %k = %n to %n step %n {
    %v = vyre.get %x : !vyre.cell<i32>
    %s = arith.addi %v, %v : i32
  }
}

// CHECK-LABEL: vyre.program @for_loop
// CHECK:         %x = scf.for %k = %n to %n step %n iter_args(%x_1 = %a) -> (i32) {
// CHECK-NEXT:      %more = arith.addi %x_1, %a : i32
// CHECK-NEXT:      scf.yield %more : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    %twice = arith.addi %x, %x : i32
vyre.program @for_loop [1, 1, 1] {
  %a = vyre.param "a" : i32
  %n = vyre.param "n" : index
  %x = vyre.let "x" = %a : i32
  scf.for %k = %n to %n step %n {
    %old = vyre.get %x : !vyre.cell<i32>
    %more = arith.addi %old, %a : i32
    vyre.assign %more, %x : !vyre.cell<i32>
  }
  %v = vyre.get %x : !vyre.cell<i32>
  %twice = arith.addi %v, %v : i32
}

// A while loop passes on what its first region leaves, also if only the second assigns.
// CHECK-LABEL: vyre.program @while_loop
// CHECK:         %x, %y = scf.while (%x_1 = %a, %y_1 = %b) : (i32, i32) -> (i32, i32) {
// CHECK-NEXT:      %less = arith.subi %x_1, %b : i32
// CHECK-NEXT:      scf.condition(%c) %less, %y_1 : i32, i32
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%x_2: i32, %y_2: i32):
// CHECK-NEXT:      scf.yield %x_2, %x_2 : i32, i32
// CHECK-NEXT:    }
// CHECK-NEXT:    %sum = arith.addi %x, %y : i32
vyre.program @while_loop [1, 1, 1] {
  %a = vyre.param "a" : i32
  %b = vyre.param "b" : i32
  %c = vyre.param "c" : i1
  %x = vyre.let "x" = %a : i32
  %y = vyre.let "y" = %b : i32
  scf.while () : () -> () {
    %old = vyre.get %x : !vyre.cell<i32>
    %less = arith.subi %old, %b : i32
    vyre.assign %less, %x : !vyre.cell<i32>
    scf.condition(%c)
  } do {
    %now = vyre.get %x : !vyre.cell<i32>
    vyre.assign %now, %y : !vyre.cell<i32>
    scf.yield
  }
  %v = vyre.get %x : !vyre.cell<i32>
  %w = vyre.get %y : !vyre.cell<i32>
  %sum = arith.addi %v, %w : i32
}

// Out of nested regions, whose provenance stays.
// CHECK-LABEL: vyre.program @regions
// CHECK:         %x = vyre.region "outer" from "source" -> (i32) {
// CHECK-NEXT:      %x_1 = vyre.region "inner" -> (i32) {
// CHECK-NEXT:        vyre.yield %b : i32
// CHECK-NEXT:      }
// CHECK-NEXT:      vyre.yield %x_1 : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    %twice = arith.addi %x, %x : i32
vyre.program @regions [1, 1, 1] {
  %a = vyre.param "a" : i32
  %b = vyre.param "b" : i32
  %x = vyre.let "x" = %a : i32
  vyre.region "outer" from "source" {
    vyre.region "inner" {
      vyre.assign %b, %x : !vyre.cell<i32>
    }
  }
  %v = vyre.get %x : !vyre.cell<i32>
  %twice = arith.addi %v, %v : i32
}

// A variable of the loop's body starts anew in each trip and stays in the body.
// CHECK-LABEL: vyre.program @variable_in_a_loop
// CHECK:         scf.for %k = %n to %n step %n {
// CHECK-NEXT:      %x = scf.if %c -> (i32) {
// CHECK-NEXT:        scf.yield %b : i32
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %a : i32
// CHECK-NEXT:      }
// CHECK-NEXT:      %twice = arith.addi %x, %x : i32
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @variable_in_a_loop [1, 1, 1] {
  %a = vyre.param "a" : i32
  %b = vyre.param "b" : i32
  %c = vyre.param "c" : i1
  %n = vyre.param "n" : index
  scf.for %k = %n to %n step %n {
    %x = vyre.let "x" = %a : i32
    scf.if %c {
      vyre.assign %b, %x : !vyre.cell<i32>
    }
    %v = vyre.get %x : !vyre.cell<i32>
    %twice = arith.addi %v, %v : i32
  }
}

// What an invocation yields after it has ended does not matter.
// CHECK-LABEL: vyre.program @return_in_an_arm
// CHECK:         %x = scf.if %c -> (i32) {
// CHECK-NEXT:      vyre.return
// CHECK-NEXT:      scf.yield %b : i32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %a : i32
// CHECK-NEXT:    }
vyre.program @return_in_an_arm [1, 1, 1] {
  %a = vyre.param "a" : i32
  %b = vyre.param "b" : i32
  %c = vyre.param "c" : i1
  %x = vyre.let "x" = %a : i32
  scf.if %c {
    vyre.assign %b, %x : !vyre.cell<i32>
    vyre.return
  }
  %v = vyre.get %x : !vyre.cell<i32>
}
