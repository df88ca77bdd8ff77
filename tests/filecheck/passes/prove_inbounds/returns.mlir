// RUN: vyre-opt %s -p vyre-prove-inbounds | grep -E "vyre.(program|load|store|atomic)" | filecheck %s

// After a branch that ends the invocation, its condition did not hold.
// CHECK-LABEL: vyre.program @returns
vyre.program @returns [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %c = vyre.param "c" : i1
  %one = arith.constant 1 : index
  %i = vyre.invocation_id x
  %n = vyre.length %a, 0 : memref<?xi32>
  %outside = arith.cmpi uge, %i, %n : index
  scf.for %k = %one to %n step %one {
    scf.if %outside {
      vyre.return
    }
    // CHECK-NEXT: vyre.load %a[%i] inbounds : memref
    %v0 = vyre.load %a[%i] : memref<?xi32>
  }
  // The loop may make no trip.
  // CHECK-NEXT: vyre.load %a[%i] : memref
  %v1 = vyre.load %a[%i] : memref<?xi32>
  scf.if %c {
    scf.if %outside {
      vyre.trap "outside"
    }
    // CHECK-NEXT: vyre.load %a[%i] inbounds : memref
    %v2 = vyre.load %a[%i] : memref<?xi32>
  }
  // CHECK-NEXT: vyre.load %a[%i] : memref
  %v3 = vyre.load %a[%i] : memref<?xi32>
  %both = arith.andi %c, %outside : i1
  scf.if %both {
    vyre.return
  }
  // CHECK-NEXT: vyre.load %a[%i] : memref
  %v4 = vyre.load %a[%i] : memref<?xi32>
  vyre.region "check" {
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
    } else {
      vyre.region "leave" {
        scf.if %c {
          vyre.return
        } else {
          vyre.trap "outside"
        }
      }
    }
  }
  // CHECK-NEXT: vyre.load %a[%i] inbounds : memref
  %v5 = vyre.load %a[%i] : memref<?xi32>
}

// Only one arm gives the result.
// CHECK-LABEL: vyre.program @results
vyre.program @results [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<8xi32>
  %c = vyre.param "c" : i1
  %p = vyre.param "p" : index
  %three = arith.constant 3 : index
  %at = scf.if %c -> (index) {
    scf.yield %three : index
  } else {
    vyre.return
    scf.yield %p : index
  }
  // CHECK-NEXT: vyre.load %a[%at] inbounds : memref
  %v = vyre.load %a[%at] : memref<8xi32>
}

// A flag that is only ever lowered holds if it held before.
// CHECK-LABEL: vyre.program @flags
vyre.program @flags [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %c = vyre.param "c" : i1
  %yes = arith.constant true
  %no = arith.constant false
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %word = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %n = vyre.length %a, 0 : memref<?xi32>
  %outside = arith.cmpi uge, %i, %n : index
  %alive = arith.xori %outside, %yes : i1
  %end = scf.for %k = %zero to %i step %one iter_args(%in = %alive) -> (i1) {
    scf.if %in {
      // CHECK-NEXT: vyre.store %word, %a[%i] inbounds : memref
      vyre.store %word, %a[%i] : memref<?xi32>
    }
    %inner_end = scf.for %l = %zero to %k step %one iter_args(%inner = %in) -> (i1) {
      scf.if %inner {
        // CHECK-NEXT: vyre.store %word, %a[%i] inbounds : memref
        vyre.store %word, %a[%i] : memref<?xi32>
      }
      %inner_next = arith.select %c, %no, %inner : i1
      scf.yield %inner_next : i1
    }
    %next = arith.andi %inner_end, %c : i1
    scf.yield %next : i1
  }
  scf.if %end {
    // CHECK-NEXT: vyre.store %word, %a[%i] inbounds : memref
    vyre.store %word, %a[%i] : memref<?xi32>
  }
  %raised_end = scf.for %k1 = %zero to %i step %one iter_args(%raised = %alive) -> (i1) {
    scf.if %raised {
      // CHECK-NEXT: vyre.store %word, %a[%i] : memref
      vyre.store %word, %a[%i] : memref<?xi32>
    }
    %raised_next = arith.ori %raised, %c : i1
    scf.yield %raised_next : i1
  }
  %done_end = scf.for %k2 = %zero to %i step %one iter_args(%done = %outside) -> (i1) {
    scf.if %done {
    } else {
      // CHECK-NEXT: vyre.store %word, %a[%i] inbounds : memref
      vyre.store %word, %a[%i] : memref<?xi32>
    }
    %done_next = arith.ori %done, %c : i1
    scf.yield %done_next : i1
  }
  %w_end = scf.while (%w = %alive) : (i1) -> (i1) {
    %w_now = arith.andi %w, %c : i1
    scf.condition(%c) %w_now : i1
  } do {
  ^trip(%w_in: i1):
    scf.if %w_in {
      // CHECK-NEXT: vyre.store %word, %a[%i] inbounds : memref
      vyre.store %word, %a[%i] : memref<?xi32>
    }
    scf.yield %w_in : i1
  }
  scf.if %w_end {
    // CHECK-NEXT: vyre.store %word, %a[%i] inbounds : memref
    vyre.store %word, %a[%i] : memref<?xi32>
  }
  %new_end = scf.while (%w1 = %alive) : (i1) -> (i1) {
    scf.condition(%c) %w1 : i1
  } do {
  ^trip(%w1_in: i1):
    scf.if %w1_in {
      // CHECK-NEXT: vyre.store %word, %a[%i] : memref
      vyre.store %word, %a[%i] : memref<?xi32>
    }
    scf.yield %c : i1
  }
}
