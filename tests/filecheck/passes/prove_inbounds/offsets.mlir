// RUN: vyre-opt %s -p vyre-prove-inbounds | grep -E "vyre.(program|load|store|atomic)" | filecheck %s

// A sum with a constant is as far from a bound as the constant says, if it cannot wrap.
// CHECK-LABEL: vyre.program @neighbours
vyre.program @neighbours [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %i = vyre.invocation_id x
  %n = vyre.length %a, 0 : memref<?xi32>
  %last = arith.subi %n, %one : index
  %left = arith.subi %i, %one : index
  %right = arith.addi %i, %one : index
  %inside = arith.cmpi ult, %i, %n : index
  scf.if %inside {
    // CHECK-NEXT: vyre.load %a[%left] : memref
    %l = vyre.load %a[%left] : memref<?xi32>
    // CHECK-NEXT: vyre.load %a[%right] : memref
    %r = vyre.load %a[%right] : memref<?xi32>
    %has_left = arith.cmpi ugt, %i, %zero : index
    scf.if %has_left {
      // CHECK-NEXT: vyre.load %a[%left] inbounds : memref
      %l1 = vyre.load %a[%left] : memref<?xi32>
    }
  }
  %has_right = arith.cmpi slt, %i, %last : index
  scf.if %has_right {
    // CHECK-NEXT: vyre.load %a[%right] inbounds : memref
    %r1 = vyre.load %a[%right] : memref<?xi32>
  }
  %right_inside = arith.cmpi slt, %right, %n : index
  scf.if %right_inside {
    // CHECK-NEXT: vyre.load %a[%i] inbounds : memref
    %v = vyre.load %a[%i] : memref<?xi32>
    // CHECK-NEXT: vyre.load %a[%right] inbounds : memref
    %r2 = vyre.load %a[%right] : memref<?xi32>
    %next = arith.addi %right, %one : index
    // CHECK-NEXT: vyre.load %a[%next] : memref
    %r3 = vyre.load %a[%next] : memref<?xi32>
    %back = arith.subi %next, %one : index
    // CHECK-NEXT: vyre.load %a[%back] inbounds : memref
    %r4 = vyre.load %a[%back] : memref<?xi32>
  }
}

// The largest number plus one is the smallest, which is below every bound.
// CHECK-LABEL: vyre.program @sum_wraps
vyre.program @sum_wraps [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %p = vyre.param "p" : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = vyre.length %a, 0 : memref<?xi32>
  %next = arith.addi %p, %one : index
  %next_below = arith.cmpi slt, %next, %n : index
  %not_negative = arith.cmpi sge, %p, %zero : index
  %both = arith.andi %next_below, %not_negative : i1
  scf.if %both {
    // CHECK-NEXT: vyre.load %a[%p] : memref
    %v = vyre.load %a[%p] : memref<?xi32>
  }
  %next_is_one = arith.cmpi ult, %next, %n : index
  scf.if %next_is_one {
    // CHECK-NEXT: vyre.load %a[%next] inbounds : memref
    %v = vyre.load %a[%next] : memref<?xi32>
    // CHECK-NEXT: vyre.load %a[%p] : memref
    %w = vyre.load %a[%p] : memref<?xi32>
  }
}

// The same with a sum of two numbers that nothing is known about, and with a difference.
// CHECK-LABEL: vyre.program @any_sum_wraps
vyre.program @any_sum_wraps [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %p = vyre.param "p" : index
  %q = vyre.param "q" : index
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %n = vyre.length %a, 0 : memref<?xi32>
  %p_not_negative = arith.cmpi sge, %p, %zero : index
  %q_not_negative = arith.cmpi sge, %q, %zero : index
  %both = arith.andi %p_not_negative, %q_not_negative : i1
  scf.if %both {
    %sum = arith.addi %p, %q : index
    %sum_below = arith.cmpi slt, %sum, %n : index
    scf.if %sum_below {
      // CHECK-NEXT: vyre.load %a[%p] : memref
      %v = vyre.load %a[%p] : memref<?xi32>
    }
  }
  %less = arith.subi %p, %one : index
  %p_below = arith.cmpi slt, %p, %n : index
  %less_not_negative = arith.cmpi sge, %less, %zero : index
  %both_of_less = arith.andi %p_below, %less_not_negative : i1
  scf.if %both_of_less {
    // CHECK-NEXT: vyre.load %a[%p] : memref
    %v = vyre.load %a[%p] : memref<?xi32>
  }
}

// CHECK-LABEL: vyre.program @sums
vyre.program @sums [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_only binding 1 : memref<64xi32>
  %thirty_two = arith.constant 32 : index
  %sixteen = arith.constant 16 : index
  %i = vyre.invocation_id x
  %lane = vyre.local_id x
  %n = vyre.length %a, 0 : memref<?xi32>
  // Half of the lanes take the other half's.
  %is_lower = arith.cmpi ult, %lane, %thirty_two : index
  scf.if %is_lower {
    %partner = arith.addi %lane, %thirty_two : index
    // CHECK-NEXT: vyre.load %b[%partner] inbounds : memref
    %v = vyre.load %b[%partner] : memref<64xi32>
  }
  // A part of at most 15 after a place that has 16 to go.
  %end = arith.addi %i, %sixteen : index
  %fits = arith.cmpi sle, %end, %n : index
  scf.if %fits {
    %part = arith.remui %lane, %sixteen : index
    %at = arith.addi %i, %part : index
    // CHECK-NEXT: vyre.load %a[%at] inbounds : memref
    %v = vyre.load %a[%at] : memref<?xi32>
    %beyond = arith.addi %at, %sixteen : index
    // CHECK-NEXT: vyre.load %a[%beyond] : memref
    %w = vyre.load %a[%beyond] : memref<?xi32>
  }
}

// CHECK-LABEL: vyre.program @differences
vyre.program @differences [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_only binding 1 : memref<64xi32>
  %p = vyre.param "p" : index
  %one = arith.constant 1 : index
  %i = vyre.invocation_id x
  %lane = vyre.local_id x
  %n = vyre.length %a, 0 : memref<?xi32>
  %inside = arith.cmpi ult, %i, %n : index
  scf.if %inside {
    %last = arith.subi %n, %one : index
    %mirrored = arith.subi %last, %i : index
    // CHECK-NEXT: vyre.load %a[%mirrored] inbounds : memref
    %v = vyre.load %a[%mirrored] : memref<?xi32>
    %less = arith.subi %mirrored, %one : index
    // CHECK-NEXT: vyre.load %a[%less] : memref
    %u = vyre.load %a[%less] : memref<?xi32>
    %too_far = arith.subi %n, %i : index
    // CHECK-NEXT: vyre.load %a[%too_far] : memref
    %w = vyre.load %a[%too_far] : memref<?xi32>
    %itself = arith.subi %i, %i : index
    // CHECK-NEXT: vyre.load %a[%itself] inbounds : memref
    %x = vyre.load %a[%itself] : memref<?xi32>
  }
  %has_left = arith.cmpi uge, %lane, %p : index
  scf.if %has_left {
    %left = arith.subi %lane, %p : index
    // CHECK-NEXT: vyre.load %b[%left] inbounds : memref
    %v = vyre.load %b[%left] : memref<64xi32>
  } else {
    %wrong = arith.subi %lane, %p : index
    // CHECK-NEXT: vyre.load %b[%wrong] : memref
    %v = vyre.load %b[%wrong] : memref<64xi32>
  }
  %has_left_signed = arith.cmpi sge, %lane, %p : index
  scf.if %has_left_signed {
    // A negative number takes it further to the right.
    %signed_left = arith.subi %lane, %p : index
    // CHECK-NEXT: vyre.load %b[%signed_left] : memref
    %v = vyre.load %b[%signed_left] : memref<64xi32>
  }
}
