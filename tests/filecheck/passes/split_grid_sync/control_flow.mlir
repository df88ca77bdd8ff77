// RUN: vyre-opt %s -p vyre-split-grid-sync | filecheck %s

// The loop is the host's; its counter and what it carries are parameters.
// CHECK-LABEL: vyre.schedule @for
// CHECK:         %n = vyre.param "n" : index
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %r = scf.for %k = %c0 to %n step %c1 iter_args(%stride = %n) -> (index) {
// CHECK-NEXT:      vyre.launch @for.0(%a, %stride, %k)
// CHECK-NEXT:      %one = arith.constant 1 : index
// CHECK-NEXT:      %next = arith.shrui %stride, %one : index
// CHECK-NEXT:      scf.yield %next : index
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.launch @for.1(%a, %r)
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @for.0 [64, 1, 1]
// CHECK:         %stride = vyre.param "stride" : index
// CHECK-NEXT:    %k = vyre.param "k" : index
// CHECK-NEXT:    vyre.store %stride, %a[%k] : memref<?xindex>
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @for.1 [64, 1, 1]
// CHECK:         %r = vyre.param "r" : index
// CHECK-NEXT:    vyre.store %r, %a[%r] : memref<?xindex>
// CHECK-NEXT:  }
vyre.program @for [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%stride = %n) -> (index) {
    vyre.barrier grid_sync
    vyre.store %stride, %a[%k] : memref<?xindex>
    %one = arith.constant 1 : index
    %next = arith.shrui %stride, %one : index
    scf.yield %next : index
  }
  vyre.store %r, %a[%r] : memref<?xindex>
}

// A test that reads memory is a run, launched only if it also writes; the host reads the
// flag where the loop tests it.
// CHECK-LABEL: vyre.schedule @while
// CHECK:         scf.while () : () -> () {
// CHECK-NEXT:      %zero = arith.constant 0 : i32
// CHECK-NEXT:      %f = vyre.read_back %flag[0] : memref<1xi32>
// CHECK-NEXT:      %go = arith.cmpi ne, %f, %zero : i32
// CHECK-NEXT:      scf.condition(%go)
// CHECK-NEXT:    } do {
// CHECK-NEXT:      vyre.launch @while.0(%flag)
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @while.0 [64, 1, 1]
// CHECK:         %c0 = arith.constant 0 : index
// CHECK-NEXT:    %zero = arith.constant 0 : i32
// CHECK-NEXT:    vyre.store %zero, %flag[%c0] : memref<1xi32>
// CHECK-NEXT:  }
vyre.program @while [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %flag = vyre.buffer "flag" read_write binding 1 : memref<1xi32>
  scf.while : () -> () {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %f = vyre.load %flag[%c0] : memref<1xi32>
    %go = arith.cmpi ne, %f, %zero : i32
    scf.condition(%go)
  } do {
    vyre.barrier grid_sync
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    vyre.store %zero, %flag[%c0] : memref<1xi32>
    vyre.barrier grid_sync
    scf.yield
  }
}

// Barriers in the test: launches in the test.
// CHECK-LABEL: vyre.schedule @barrier_in_the_test
// CHECK:         %r = scf.while (%k = %n) : (index) -> index {
// CHECK-NEXT:      vyre.launch @barrier_in_the_test.0(%a, %k)
// CHECK-NEXT:      vyre.launch @barrier_in_the_test.1(%a)
// CHECK:           %go = arith.cmpi ne, %k, %c0 : index
// CHECK-NEXT:      scf.condition(%go) %k : index
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%l: index):
// CHECK:           %m = arith.subi %l, %c1 : index
// CHECK-NEXT:      scf.yield %m : index
// CHECK-NEXT:    }
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @barrier_in_the_test.0 [64, 1, 1]
// CHECK:         vyre.store %k, %a[%i] : memref<?xindex>
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @barrier_in_the_test.1 [64, 1, 1]
// CHECK:         vyre.store %j, %a[%j] : memref<?xindex>
// CHECK-NEXT:  }
vyre.program @barrier_in_the_test [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %n = vyre.param "n" : index
  %r = scf.while (%k = %n) : (index) -> index {
    %i = vyre.invocation_id x
    vyre.store %k, %a[%i] : memref<?xindex>
    vyre.barrier grid_sync
    %j = vyre.invocation_id x
    vyre.store %j, %a[%j] : memref<?xindex>
    %c0 = arith.constant 0 : index
    %go = arith.cmpi ne, %k, %c0 : index
    scf.condition(%go) %k : index
  } do {
  ^bb0(%l: index):
    %c1 = arith.constant 1 : index
    %m = arith.subi %l, %c1 : index
    scf.yield %m : index
  }
}

// A barrier in one arm only.
// CHECK-LABEL: vyre.schedule @if
// CHECK:         scf.if %p {
// CHECK-NEXT:      vyre.launch @if.0(%a)
// CHECK-NEXT:      vyre.launch @if.1(%a)
// CHECK-NEXT:    } else {
// CHECK-NEXT:      vyre.launch @if.2(%a)
// CHECK-NEXT:    }
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @if.0 [64, 1, 1]
// CHECK:         vyre.store %i, %a[%i] : memref<?xindex>
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @if.1 [64, 1, 1]
// CHECK:         vyre.store %j, %a[%j] : memref<?xindex>
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @if.2 [64, 1, 1]
// CHECK:         vyre.store %c1, %a[%i] : memref<?xindex>
// CHECK-NEXT:  }
vyre.program @if [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %p = vyre.param "p" : i1
  scf.if %p {
    %i = vyre.invocation_id x
    vyre.store %i, %a[%i] : memref<?xindex>
    vyre.barrier grid_sync
    %j = vyre.invocation_id x
    vyre.store %j, %a[%j] : memref<?xindex>
  } else {
    %i = vyre.invocation_id x
    %c1 = arith.constant 1 : index
    vyre.store %c1, %a[%i] : memref<?xindex>
  }
}

// What the branch gives is the host's if it can choose.
// CHECK-LABEL: vyre.schedule @chosen
// CHECK:         %r = scf.if %p -> (index) {
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %m = arith.addi %n, %c1 : index
// CHECK-NEXT:      scf.yield %m : index
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %n : index
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.launch @chosen.0(%a, %r)
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @chosen.0 [64, 1, 1]
// CHECK:         vyre.store %r, %a[%i] : memref<?xindex>
// CHECK-NEXT:  }
vyre.program @chosen [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %p = vyre.param "p" : i1
  %n = vyre.param "n" : index
  %r = scf.if %p -> (index) {
    vyre.barrier grid_sync
    %c1 = arith.constant 1 : index
    %m = arith.addi %n, %c1 : index
    scf.yield %m : index
  } else {
    scf.yield %n : index
  }
  %i = vyre.invocation_id x
  vyre.store %r, %a[%i] : memref<?xindex>
}

// Nested to any depth.
// CHECK-LABEL: vyre.schedule @nested
// CHECK:         scf.for %k = %c0 to %n step %c1 {
// CHECK-NEXT:      scf.if %p {
// CHECK-NEXT:        scf.for %m = %k to %n step %c1 {
// CHECK-NEXT:          vyre.launch @nested.0(%a, %k, %m)
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @nested.0 [64, 1, 1]
// CHECK:         vyre.store %k, %a[%m] : memref<?xindex>
// CHECK-NEXT:  }
vyre.program @nested [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %n = vyre.param "n" : index
  %p = vyre.param "p" : i1
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    scf.if %p {
      scf.for %m = %k to %n step %c1 {
        vyre.barrier grid_sync
        vyre.store %k, %a[%m] : memref<?xindex>
      }
    }
  }
}

// A loop in which nothing is launched is gone.
// CHECK-LABEL: vyre.schedule @empty_loop
// CHECK-NOT:     scf.for
// CHECK:         vyre.launch @empty_loop.0(%a)
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @empty_loop.0 [64, 1, 1]
// CHECK-NOT:     scf.for
// CHECK:         vyre.store %i, %a[%i] : memref<?xindex>
// CHECK-NEXT:  }
vyre.program @empty_loop [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    vyre.barrier grid_sync
  }
  %i = vyre.invocation_id x
  vyre.store %i, %a[%i] : memref<?xindex>
}
