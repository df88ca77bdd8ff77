// RUN: vyre-opt %s -p vyre-remove-barriers | filecheck %s

// The barrier is where a trap stops the dispatch, before the list is walked.
// CHECK-LABEL: vyre.program @checked_first
// CHECK:         vyre.barrier grid_sync
// CHECK-NEXT:    %end = scf.while
vyre.program @checked_first [64, 1, 1] {
  %next = vyre.buffer "next" read_only binding 0 : memref<?xindex>
  %zero = arith.constant 0 : index
  %i = vyre.invocation_id x
  %follower = vyre.load %next[%i] : memref<?xindex>
  %bad = arith.cmpi uge, %follower, %i : index
  scf.if %bad {
    vyre.trap "not a list"
  }
  vyre.barrier grid_sync
  %end = scf.while (%at = %i) : (index) -> (index) {
    %go = arith.cmpi ne, %at, %zero : index
    scf.condition(%go) %at : index
  } do {
  ^bb0(%at: index):
    %there = vyre.load %next[%at] : memref<?xindex>
    scf.yield %there : index
  }
}

// Which trap is reported depends on the barrier between them.
// CHECK-LABEL: vyre.program @two_traps
// CHECK:         vyre.barrier grid_sync
// CHECK-NEXT:    scf.if %second {
// CHECK-NEXT:      vyre.trap "second"
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @two_traps [64, 1, 1] {
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %first = arith.cmpi ugt, %i, %n : index
  %second = arith.cmpi ult, %i, %n : index
  scf.if %first {
    vyre.trap "first"
  }
  vyre.barrier grid_sync
  scf.if %second {
    vyre.trap "second"
  }
  vyre.barrier grid_sync
}

// Also around a loop, which goes on after the barrier in it.
// CHECK-LABEL: vyre.program @loop
// CHECK:         vyre.trap "odd"
// CHECK-NEXT:      }
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.trap "all"
vyre.program @loop [64, 1, 1] {
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  scf.for %k = %n to %n step %n {
    %odd = arith.cmpi eq, %i, %k : index
    scf.if %odd {
      vyre.trap "odd"
    }
    vyre.barrier grid_sync
  }
  vyre.barrier grid_sync
  vyre.trap "all"
}

// A loop that does nothing but go round might do that for ever.
// CHECK-LABEL: vyre.program @endless
// CHECK:         scf.while () : () -> () {
// CHECK-NEXT:      scf.condition(%c)
// CHECK-NEXT:    } do {
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:      scf.yield
vyre.program @endless [64, 1, 1] {
  %n = vyre.param "n" : index
  %c = vyre.param "c" : i1
  %i = vyre.invocation_id x
  %odd = arith.cmpi eq, %i, %n : index
  scf.if %odd {
    vyre.trap "odd"
  }
  scf.while () : () -> () {
    scf.condition(%c)
  } do {
    vyre.barrier grid_sync
    scf.yield
  }
}

// What happened before a trap does not matter to it.
// CHECK-LABEL: vyre.program @trap_behind
// CHECK:         vyre.store %v, %x[%i]
// CHECK-NEXT:    scf.if %c {
vyre.program @trap_behind [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi32>
  %v = vyre.param "v" : i32
  %c = vyre.param "c" : i1
  %i = vyre.invocation_id x
  vyre.store %v, %x[%i] : memref<?xi32>
  vyre.barrier grid_sync
  scf.if %c {
    vyre.trap "no"
  }
}
