// RUN: vyre-opt %s -p vyre-prove-inbounds | grep -E "vyre.(program|load|store|atomic)" | filecheck %s

// What is there before is not trusted.
// CHECK-LABEL: vyre.program @dropped
vyre.program @dropped [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  // CHECK-NEXT: vyre.load %a[%i] : memref
  %v = vyre.load %a[%i] inbounds : memref<?xi32>
  // CHECK-NEXT: vyre.store %v, %a[%i] : memref
  vyre.store %v, %a[%i] inbounds : memref<?xi32>
  // CHECK-NEXT: vyre.atomic add %v, %a[%i] : memref
  %old = vyre.atomic add %v, %a[%i] inbounds : memref<?xi32>
  // CHECK-NEXT: vyre.atomic_cas %v, %v, %a[%i] : memref
  %cas = vyre.atomic_cas %v, %v, %a[%i] inbounds : memref<?xi32>
}

// CHECK-LABEL: vyre.program @every_access
vyre.program @every_access [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %n = vyre.length %a, 0 : memref<?xi32>
  %inside = arith.cmpi ult, %i, %n : index
  scf.if %inside {
    // CHECK-NEXT: vyre.load %a[%i] inbounds : memref
    %v = vyre.load %a[%i] : memref<?xi32>
    // CHECK-NEXT: vyre.store %v, %a[%i] inbounds : memref
    vyre.store %v, %a[%i] : memref<?xi32>
    // CHECK-NEXT: vyre.atomic add %v, %a[%i] inbounds : memref
    %old = vyre.atomic add %v, %a[%i] : memref<?xi32>
    // CHECK-NEXT: vyre.atomic_cas %v, %v, %a[%i] inbounds : memref
    %cas = vyre.atomic_cas %v, %v, %a[%i] : memref<?xi32>
  }
  // CHECK-NEXT: vyre.load %a[%i] : memref
  %w = vyre.load %a[%i] : memref<?xi32>
}

// `vyre.length` names the same number wherever it stands, but not another buffer's.
// CHECK-LABEL: vyre.program @lengths
vyre.program @lengths [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_only binding 1 : memref<?x?xi32>
  %i = vyre.invocation_id x
  %n = vyre.length %a, 0 : memref<?xi32>
  %m = vyre.length %b, 1 : memref<?x?xi32>
  %in_a = arith.cmpi ult, %i, %n : index
  %in_b = arith.cmpi ult, %i, %m : index
  %in_both = arith.andi %in_a, %in_b : i1
  scf.if %in_both {
    // CHECK-NEXT: vyre.load %b[%i, %i] : memref
    %b0 = vyre.load %b[%i, %i] : memref<?x?xi32>
    %rows = vyre.length %b, 0 : memref<?x?xi32>
    %has_row = arith.cmpi ugt, %rows, %i : index
    scf.if %has_row {
      // CHECK-NEXT: vyre.load %b[%i, %i] inbounds : memref
      %b1 = vyre.load %b[%i, %i] : memref<?x?xi32>
    }
  }
  %again = vyre.length %a, 0 : memref<?xi32>
  %in_again = arith.cmpi ult, %i, %again : index
  scf.if %in_again {
    // CHECK-NEXT: vyre.load %a[%i] inbounds : memref
    %a0 = vyre.load %a[%i] : memref<?xi32>
    // CHECK-NEXT: vyre.load %b[%i, %i] : memref
    %b2 = vyre.load %b[%i, %i] : memref<?x?xi32>
  }
}

// An unsigned comparison tells about both ends, a signed one about one.
// CHECK-LABEL: vyre.program @predicates
vyre.program @predicates [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %p = vyre.param "p" : index
  %zero = arith.constant 0 : index
  %n = vyre.length %a, 0 : memref<?xi32>
  %ult = arith.cmpi ult, %p, %n : index
  scf.if %ult {
    // CHECK-NEXT: vyre.load %a[%p] inbounds : memref
    %v = vyre.load %a[%p] : memref<?xi32>
  } else {
    // CHECK-NEXT: vyre.load %a[%p] : memref
    %v = vyre.load %a[%p] : memref<?xi32>
  }
  %ule = arith.cmpi ule, %p, %n : index
  scf.if %ule {
    // CHECK-NEXT: vyre.load %a[%p] : memref
    %v = vyre.load %a[%p] : memref<?xi32>
  }
  %slt = arith.cmpi slt, %p, %n : index
  scf.if %slt {
    // CHECK-NEXT: vyre.load %a[%p] : memref
    %v = vyre.load %a[%p] : memref<?xi32>
    %sge = arith.cmpi sge, %p, %zero : index
    scf.if %sge {
      // CHECK-NEXT: vyre.load %a[%p] inbounds : memref
      %w = vyre.load %a[%p] : memref<?xi32>
    }
  }
  %uge = arith.cmpi uge, %p, %n : index
  scf.if %uge {
  } else {
    // CHECK-NEXT: vyre.load %a[%p] inbounds : memref
    %v = vyre.load %a[%p] : memref<?xi32>
  }
  %sgt = arith.cmpi sgt, %n, %p : index
  %not_negative = arith.cmpi sgt, %p, %zero : index
  %both = arith.andi %sgt, %not_negative : i1
  scf.if %both {
    // CHECK-NEXT: vyre.load %a[%p] inbounds : memref
    %v = vyre.load %a[%p] : memref<?xi32>
  }
  %eq = arith.cmpi eq, %p, %zero : index
  scf.if %eq {
    // The buffer may have no elements.
    // CHECK-NEXT: vyre.load %a[%p] : memref
    %v = vyre.load %a[%p] : memref<?xi32>
    %some = arith.cmpi ne, %n, %zero : index
    scf.if %some {
      // CHECK-NEXT: vyre.load %a[%p] inbounds : memref
      %w = vyre.load %a[%p] : memref<?xi32>
    }
  }
}

// Below an unsigned bound that is negative as a signed number, anything may be.
// CHECK-LABEL: vyre.program @bounds_below_zero
vyre.program @bounds_below_zero [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<8xi32>
  %b = vyre.buffer "b" read_only binding 1 : memref<?xi32>
  %p = vyre.param "p" : index
  %q = vyre.param "q" : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %limit = arith.minsi %q, %eight : index
  %below = arith.cmpi ult, %p, %limit : index
  scf.if %below {
    // CHECK-NEXT: vyre.load %a[%p] : memref
    %v = vyre.load %a[%p] : memref<8xi32>
  }
  %n = vyre.length %b, 0 : memref<?xi32>
  %last = arith.subi %n, %one : index
  %before_last = arith.cmpi ult, %p, %last : index
  scf.if %before_last {
    // With no elements, the last one has the largest number there is.
    // CHECK-NEXT: vyre.load %b[%p] : memref
    %v = vyre.load %b[%p] : memref<?xi32>
  }
  %before_last_signed = arith.cmpi slt, %p, %last : index
  %not_negative = arith.cmpi sge, %p, %one : index
  %both = arith.andi %before_last_signed, %not_negative : i1
  scf.if %both {
    // CHECK-NEXT: vyre.load %b[%p] inbounds : memref
    %v = vyre.load %b[%p] : memref<?xi32>
  }
}

// CHECK-LABEL: vyre.program @conditions
vyre.program @conditions [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %c = vyre.param "c" : i1
  %yes = arith.constant true
  %no = arith.constant false
  %i = vyre.invocation_id x
  %n = vyre.length %a, 0 : memref<?xi32>
  %inside = arith.cmpi ult, %i, %n : index
  %outside = arith.cmpi uge, %i, %n : index

  %or = arith.ori %inside, %c : i1
  scf.if %or {
    // CHECK-NEXT: vyre.load %a[%i] : memref
    %v = vyre.load %a[%i] : memref<?xi32>
  }
  %or_outside = arith.ori %c, %outside : i1
  scf.if %or_outside {
    // CHECK-NEXT: vyre.load %a[%i] : memref
    %v = vyre.load %a[%i] : memref<?xi32>
  } else {
    // CHECK-NEXT: vyre.load %a[%i] inbounds : memref
    %v = vyre.load %a[%i] : memref<?xi32>
  }
  %and = arith.andi %inside, %c : i1
  scf.if %and {
    // CHECK-NEXT: vyre.load %a[%i] inbounds : memref
    %v = vyre.load %a[%i] : memref<?xi32>
  } else {
    // CHECK-NEXT: vyre.load %a[%i] : memref
    %v = vyre.load %a[%i] : memref<?xi32>
  }
  %not_outside = arith.xori %outside, %yes : i1
  scf.if %not_outside {
    // CHECK-NEXT: vyre.load %a[%i] inbounds : memref
    %v = vyre.load %a[%i] : memref<?xi32>
  }
  %still_outside = arith.xori %no, %outside : i1
  scf.if %still_outside {
    // CHECK-NEXT: vyre.load %a[%i] : memref
    %v = vyre.load %a[%i] : memref<?xi32>
  }
  %one_of_them = arith.xori %outside, %c : i1
  scf.if %one_of_them {
    // CHECK-NEXT: vyre.load %a[%i] : memref
    %v = vyre.load %a[%i] : memref<?xi32>
  }
  %chosen = arith.select %outside, %no, %c : i1
  scf.if %chosen {
    // CHECK-NEXT: vyre.load %a[%i] inbounds : memref
    %v = vyre.load %a[%i] : memref<?xi32>
  } else {
    // CHECK-NEXT: vyre.load %a[%i] : memref
    %v = vyre.load %a[%i] : memref<?xi32>
  }
  %alive = scf.if %c -> (i1) {
    scf.yield %inside : i1
  } else {
    scf.yield %no : i1
  }
  scf.if %alive {
    // CHECK-NEXT: vyre.load %a[%i] inbounds : memref
    %v = vyre.load %a[%i] : memref<?xi32>
  }
}

// A condition that is chosen by another: if it holds, the arm that never holds was not taken.
// CHECK-LABEL: vyre.program @chosen
vyre.program @chosen [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %p = vyre.param "p" : i1
  %no = arith.constant false
  %i = vyre.invocation_id x
  %n = vyre.length %a, 0 : memref<?xi32>
  %inside = arith.cmpi ult, %i, %n : index
  %first = scf.if %p -> (i1) {
    scf.yield %inside : i1
  } else {
    scf.yield %no : i1
  }
  scf.if %first {
    // CHECK-NEXT: vyre.load %a[%i] inbounds : memref
    %v0 = vyre.load %a[%i] : memref<?xi32>
  }
  %second = scf.if %p -> (i1) {
    scf.yield %no : i1
  } else {
    scf.yield %inside : i1
  }
  scf.if %second {
    // CHECK-NEXT: vyre.load %a[%i] inbounds : memref
    %v1 = vyre.load %a[%i] : memref<?xi32>
  } else {
    // CHECK-NEXT: vyre.load %a[%i] : memref
    %v2 = vyre.load %a[%i] : memref<?xi32>
  }
}
