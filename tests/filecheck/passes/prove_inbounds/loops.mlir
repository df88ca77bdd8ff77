// RUN: vyre-opt %s -p vyre-prove-inbounds | grep -E "vyre.(program|load|store|atomic)" | filecheck %s

// An induction variable is between its bounds, in the body.
// CHECK-LABEL: vyre.program @for_loops
vyre.program @for_loops [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_only binding 1 : memref<128xi32>
  %p = vyre.param "p" : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %sixty_four = arith.constant 64 : index
  %end = arith.constant 128 : index
  %i = vyre.invocation_id x
  %lane = vyre.local_id x
  %n = vyre.length %a, 0 : memref<?xi32>
  // The step may be anything: one that is not positive makes no trip.
  scf.for %k = %i to %n step %p {
    // CHECK-NEXT: vyre.load %a[%k] inbounds : memref
    %v0 = vyre.load %a[%k] : memref<?xi32>
    %next = arith.addi %k, %one : index
    // CHECK-NEXT: vyre.load %a[%next] : memref
    %v1 = vyre.load %a[%next] : memref<?xi32>
    // There is a trip, so there is an element.
    // CHECK-NEXT: vyre.load %a[%zero] inbounds : memref
    %v2 = vyre.load %a[%zero] : memref<?xi32>
    %passed = arith.subi %k, %i : index
    // CHECK-NEXT: vyre.load %a[%passed] inbounds : memref
    %v3 = vyre.load %a[%passed] : memref<?xi32>
  }
  // CHECK-NEXT: vyre.load %a[%zero] : memref
  %v4 = vyre.load %a[%zero] : memref<?xi32>
  scf.for %j = %p to %n step %one {
    // CHECK-NEXT: vyre.load %a[%j] : memref
    %v5 = vyre.load %a[%j] : memref<?xi32>
  }
  scf.for %l = %one to %n step %one {
    %before = arith.subi %l, %one : index
    // CHECK-NEXT: vyre.load %a[%before] inbounds : memref
    %v6 = vyre.load %a[%before] : memref<?xi32>
  }
  // The last trip begins at 64, not at 127.
  scf.for %tile = %zero to %end step %sixty_four {
    %at = arith.addi %tile, %lane : index
    // CHECK-NEXT: vyre.load %b[%at] inbounds : memref
    %v7 = vyre.load %b[%at] : memref<128xi32>
  }
  scf.for %other_tile = %one to %end step %sixty_four {
    %other_at = arith.addi %other_tile, %lane : index
    // CHECK-NEXT: vyre.load %b[%other_at] : memref
    %v8 = vyre.load %b[%other_at] : memref<128xi32>
  }
}

// What a loop carries: its range holds the initial value and what trips make of it.
// CHECK-LABEL: vyre.program @carried
vyre.program @carried [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<8xi32>
  %c = vyre.param "c" : i1
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %seven = arith.constant 7 : index
  %eight = arith.constant 8 : index
  %i = vyre.invocation_id x
  // One of those seen so far.
  %best = scf.for %k = %zero to %eight step %one iter_args(%so_far = %zero) -> (index) {
    // CHECK-NEXT: vyre.load %a[%so_far] inbounds : memref
    %v0 = vyre.load %a[%so_far] : memref<8xi32>
    %better = arith.select %c, %k, %so_far : index
    scf.yield %better : index
  }
  // CHECK-NEXT: vyre.load %a[%best] inbounds : memref
  %v1 = vyre.load %a[%best] : memref<8xi32>
  // It gets smaller.
  %end = scf.for %k1 = %zero to %i step %one iter_args(%half = %seven) -> (index) {
    // CHECK-NEXT: vyre.load %a[%half] inbounds : memref
    %v2 = vyre.load %a[%half] : memref<8xi32>
    %next_half = arith.shrui %half, %one : index
    scf.yield %next_half : index
  }
  // It gets larger, and nobody knows when it ends.
  %count = scf.for %k2 = %zero to %i step %one iter_args(%sum = %zero) -> (index) {
    // CHECK-NEXT: vyre.load %a[%sum] : memref
    %v3 = vyre.load %a[%sum] : memref<8xi32>
    %next_sum = arith.addi %sum, %one : index
    scf.yield %next_sum : index
  }
  // Without a trip the result is the initial value, and that may be zero.
  %none = scf.for %k3 = %zero to %i step %one iter_args(%kept = %i) -> (index) {
    scf.yield %one : index
  }
  %some = arith.subi %none, %one : index
  %few = arith.cmpi slt, %some, %eight : index
  scf.if %few {
    // CHECK-NEXT: vyre.load %a[%some] : memref
    %v4 = vyre.load %a[%some] : memref<8xi32>
  }
  // Arms and regions on the way.
  %last = scf.for %k4 = %zero to %i step %one iter_args(%way = %zero) -> (index) {
    // CHECK-NEXT: vyre.load %a[%way] inbounds : memref
    %v5 = vyre.load %a[%way] : memref<8xi32>
    %next_way = scf.if %c -> (index) {
      %turned = vyre.region "turned" -> (index) {
        %difference = arith.subi %seven, %way : index
        vyre.yield %difference : index
      }
      scf.yield %turned : index
    } else {
      scf.yield %way : index
    }
    scf.yield %next_way : index
  }
}

// CHECK-LABEL: vyre.program @while_loops
vyre.program @while_loops [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_only binding 1 : memref<64xi32>
  %p = vyre.param "p" : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %thirty_two = arith.constant 32 : index
  %i = vyre.invocation_id x
  %lane = vyre.local_id x
  %groups = vyre.workgroup_count x
  %n = vyre.length %a, 0 : memref<?xi32>
  // Towards a bound, it cannot wrap.
  %k_end = scf.while (%k = %i) : (index) -> (index) {
    // CHECK-NEXT: vyre.load %a[%k] : memref
    %v0 = vyre.load %a[%k] : memref<?xi32>
    %go = arith.cmpi slt, %k, %n : index
    scf.condition(%go) %k : index
  } do {
  ^trip(%k_in: index):
    // CHECK-NEXT: vyre.load %a[%k_in] inbounds : memref
    %v1 = vyre.load %a[%k_in] : memref<?xi32>
    %k_next = arith.addi %k_in, %groups : index
    scf.yield %k_next : index
  }
  // CHECK-NEXT: vyre.load %a[%k_end] : memref
  %v2 = vyre.load %a[%k_end] : memref<?xi32>
  // By a step that nobody knows, it can.
  %j_end = scf.while (%j = %i) : (index) -> (index) {
    %go = arith.cmpi slt, %j, %n : index
    scf.condition(%go) %j : index
  } do {
  ^trip(%j_in: index):
    // CHECK-NEXT: vyre.load %a[%j_in] : memref
    %v3 = vyre.load %a[%j_in] : memref<?xi32>
    %j_next = arith.addi %j_in, %p : index
    scf.yield %j_next : index
  }
  // The other arm of a condition, and a bound that is computed on the way.
  %l_end = scf.while (%l = %i) : (index) -> (index) {
    %m = vyre.length %a, 0 : memref<?xi32>
    %stop = arith.cmpi sge, %l, %m : index
    %yes = arith.constant true
    %go = arith.xori %stop, %yes : i1
    scf.condition(%go) %l : index
  } do {
  ^trip(%l_in: index):
    // CHECK-NEXT: vyre.load %a[%l_in] inbounds : memref
    %v4 = vyre.load %a[%l_in] : memref<?xi32>
    %l_next = arith.addi %l_in, %one : index
    scf.yield %l_next : index
  }
  // Sums in a workgroup, by halves.
  %h_end = scf.while (%h = %thirty_two) : (index) -> (index) {
    %go = arith.cmpi ne, %h, %zero : index
    scf.condition(%go) %h : index
  } do {
  ^trip(%h_in: index):
    %adds = arith.cmpi ult, %lane, %h_in : index
    scf.if %adds {
      %other = arith.addi %lane, %h_in : index
      // CHECK-NEXT: vyre.load %b[%other] inbounds : memref
      %v5 = vyre.load %b[%other] : memref<64xi32>
    }
    %h_next = arith.shrui %h_in, %one : index
    scf.yield %h_next : index
  }
  // Another value than the tested one goes into the body.
  %x_end = scf.while (%x = %i) : (index) -> (index) {
    %go = arith.cmpi slt, %x, %n : index
    %x_more = arith.addi %x, %one : index
    scf.condition(%go) %x_more : index
  } do {
  ^trip(%x_in: index):
    // CHECK-NEXT: vyre.load %a[%x_in] : memref
    %v6 = vyre.load %a[%x_in] : memref<?xi32>
    %x_less = arith.subi %x_in, %one : index
    // CHECK-NEXT: vyre.load %a[%x_less] inbounds : memref
    %v7 = vyre.load %a[%x_less] : memref<?xi32>
    scf.yield %x_in : index
  }
  // The result is what the last test was about, and it failed.
  %r_end = scf.while (%r = %p) : (index) -> (index) {
    %go = arith.cmpi uge, %r, %n : index
    scf.condition(%go) %r : index
  } do {
  ^trip(%r_in: index):
    %r_next = arith.addi %r_in, %one : index
    scf.yield %r_next : index
  }
  // CHECK-NEXT: vyre.load %a[%r_end] inbounds : memref
  %v8 = vyre.load %a[%r_end] : memref<?xi32>
}

// Facts of a body do not hold after it.
// CHECK-LABEL: vyre.program @forgotten
vyre.program @forgotten [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %c = vyre.param "c" : i1
  %one = arith.constant 1 : index
  %i = vyre.invocation_id x
  %n = vyre.length %a, 0 : memref<?xi32>
  scf.for %k = %i to %n step %one {
  }
  // CHECK-NEXT: vyre.load %a[%i] : memref
  %v0 = vyre.load %a[%i] : memref<?xi32>
  scf.while : () -> () {
    %go = arith.cmpi ult, %i, %n : index
    scf.condition(%go)
  } do {
    // CHECK-NEXT: vyre.load %a[%i] inbounds : memref
    %v1 = vyre.load %a[%i] : memref<?xi32>
    scf.yield
  }
  // CHECK-NEXT: vyre.load %a[%i] : memref
  %v2 = vyre.load %a[%i] : memref<?xi32>
}
