// RUN: vyre-opt %s -p vyre-simplify | filecheck %s

// CHECK-LABEL: vyre.program @known [64, 1, 1]
// CHECK:          %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %i = vyre.invocation_id x
// CHECK-NEXT:     %old = vyre.load %a[%i] : memref<?xi32>
// CHECK-NEXT:     %n = arith.constant 6 : index
// CHECK-NEXT:     scf.for %k = %c0 to %n step %c1 {
// CHECK-NEXT:       vyre.store %old, %a[%k] : memref<?xi32>
// CHECK-NEXT:     }
// CHECK-NEXT:   }
vyre.program @known [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %i = vyre.invocation_id x
  %lane = vyre.local_id x
  %old = vyre.load %a[%i] : memref<?xi32>
  %is_there = arith.cmpi sge, %lane, %c0 : index
  %n = arith.muli %c2, %c3 : index
  %count = arith.select %is_there, %n, %i : index
  scf.if %is_there {
    scf.for %k = %c0 to %count step %c1 {
      vyre.store %old, %a[%k] : memref<?xi32>
    }
  } else {
    vyre.trap "no lane"
  }
}

// A loop without trips gives what it is given.
// CHECK-LABEL: vyre.program @no_trips [64, 1, 1]
// CHECK:          %i = vyre.invocation_id x
// CHECK-NEXT:     %old = vyre.load %a[%i] : memref<?xi32>
// CHECK-NEXT:     vyre.store %old, %a[%i] : memref<?xi32>
// CHECK-NEXT:   }
vyre.program @no_trips [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %old = vyre.load %a[%i] : memref<?xi32>
  %lanes = vyre.workgroup_size x
  %lane = vyre.local_id x
  %sum = scf.for %k = %lanes to %lane step %c1 iter_args(%so_far = %old) -> (i32) {
    %next = arith.addi %so_far, %so_far : i32
    scf.yield %next : i32
  }
  vyre.store %sum, %a[%i] : memref<?xi32>
}

// Floats are rounded as their type says, also if they become infinite.
// CHECK-LABEL: vyre.program @floats [64, 1, 1]
// CHECK:          %i = vyre.invocation_id x
// CHECK-NEXT:     %sum = arith.constant 0x7c00 : f16
// CHECK-NEXT:     vyre.store %sum, %a[%i] : memref<?xf16>
// CHECK-NEXT:   }
vyre.program @floats [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf16>
  %i = vyre.invocation_id x
  %big = arith.constant 60000.0 : f16
  %sum = arith.addf %big, %big : f16
  vyre.store %sum, %a[%i] : memref<?xf16>
}

// Nothing may follow the end of an invocation, so this branch stays. A loop that may never
// end stays, too.
// CHECK-LABEL: vyre.program @ends [64, 1, 1]
// CHECK:          %i = vyre.invocation_id x
// CHECK-NEXT:     %old = vyre.load %a[%i] : memref<?xi32>
// CHECK-NEXT:     %is_there = arith.constant true
// CHECK-NEXT:     scf.if %is_there {
// CHECK-NEXT:       vyre.return
// CHECK-NEXT:     }
// CHECK-NEXT:     scf.while () : () -> () {
// CHECK-NEXT:       scf.condition(%is_there)
// CHECK-NEXT:     } do {
// CHECK-NEXT:       scf.yield
// CHECK-NEXT:     }
// CHECK-NEXT:     vyre.store %old, %a[%i] : memref<?xi32>
// CHECK-NEXT:   }
vyre.program @ends [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %c0 = arith.constant 0 : index
  %i = vyre.invocation_id x
  %lane = vyre.local_id x
  %old = vyre.load %a[%i] : memref<?xi32>
  %is_there = arith.cmpi sge, %lane, %c0 : index
  scf.if %is_there {
    vyre.return
  }
  scf.while : () -> () {
    scf.condition(%is_there)
  } do {
    scf.yield
  }
  vyre.store %old, %a[%i] : memref<?xi32>
}

// What decided about grids still does.
// CHECK-LABEL: vyre.program @grid [64, 1, 1] grid_from {a = array<i64: 0>, b = array<i64: 0>}
// CHECK-NOT:     vyre.length
vyre.program @grid [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %c0 = arith.constant 0 : index
  %x = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %n = vyre.length %a, 0 : memref<?xi32>
  %inside = arith.cmpi ult, %i, %n : index
  %there = arith.cmpi slt, %i, %c0 : index
  %both = arith.andi %inside, %there : i1
  scf.if %there {
    vyre.store %x, %a[%i] : memref<?xi32>
  }
  vyre.store %x, %b[%i] : memref<?xi32>
}

// Nothing is below zero, as an unsigned number, whatever it is; and a loop that ends where it
// begins, or before, makes no trip, but for one whose end nobody knows.
// CHECK-LABEL: vyre.program @nothing_below_zero
// CHECK-NOT:     arith.cmpi
// CHECK-COUNT-1: scf.for %k = %c3 to %p step %c1
// CHECK-NOT:     scf.for
// CHECK:       }
vyre.program @nothing_below_zero [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<8xi1>
  %p = vyre.param "p" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %below = arith.cmpi ult, %p, %c0 : index
  %not_below = arith.cmpi uge, %p, %c0 : index
  %above = arith.cmpi ugt, %c0, %p : index
  %not_above = arith.cmpi ule, %c0, %p : index
  vyre.store %below, %a[%c0] : memref<8xi1>
  vyre.store %not_below, %a[%c1] : memref<8xi1>
  vyre.store %above, %a[%c2] : memref<8xi1>
  vyre.store %not_above, %a[%c3] : memref<8xi1>
  scf.for %k = %c3 to %p step %c1 {
    vyre.store %below, %a[%k] : memref<8xi1>
  }
  %few = arith.minui %p, %c3 : index
  scf.for %k = %c3 to %few step %c1 {
    vyre.store %below, %a[%k] : memref<8xi1>
  }
}
