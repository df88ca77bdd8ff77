// RUN: vyre-opt %s -p vyre-predicate-returns | filecheck %s

// No trip is made, and nothing inside needs a guard of its own.
// CHECK-LABEL: vyre.program @without_results
// CHECK:         %alive = arith.select %c, %false, %true : i1
// CHECK-NEXT:    scf.if %alive {
// CHECK-NEXT:      scf.for %k = %lb to %n step %n {
// CHECK-NEXT:        %v = vyre.load %a[%k] inbounds : memref<?xi32>
// CHECK-NEXT:        vyre.store %v, %a[%n] : memref<?xi32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @without_results [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %lb = vyre.param "lb" : index
  %n = vyre.param "n" : index
  %c = vyre.param "c" : i1
  scf.if %c {
    vyre.return
  }
  scf.for %k = %lb to %n step %n {
    %v = vyre.load %a[%k] inbounds : memref<?xi32>
    vyre.store %v, %a[%n] : memref<?xi32>
  }
}

// The first region of a while loop runs once more, the second does not.
// CHECK-LABEL: vyre.program @with_results
// CHECK:         %alive = arith.select %c, %false, %true : i1
// CHECK-NEXT:    %n_1 = arith.select %alive, %n, %lb : index
// CHECK-NEXT:    %r = scf.for %k = %lb to %n_1 step %n iter_args(%s = %n) -> (index) {
// CHECK-NEXT:      %v = vyre.load %a[%k] inbounds : memref<?xindex>
// CHECK-NEXT:      scf.yield %v : index
// CHECK-NEXT:    }
// CHECK-NEXT:    %w = scf.while (%s_1 = %r) : (index) -> index {
// CHECK-NEXT:      %v_1 = vyre.load %a[%s_1] : memref<?xindex>
// CHECK-NEXT:      %go = arith.cmpi ult, %v_1, %s_1 : index
// CHECK-NEXT:      %go_1 = arith.andi %go, %alive : i1
// CHECK-NEXT:      scf.condition(%go_1) %v_1 : index
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%s_2: index):
// CHECK-NEXT:      %v_2 = vyre.load %a[%s_2] inbounds : memref<?xindex>
// CHECK-NEXT:      vyre.store %v_2, %a[%n] : memref<?xindex>
// CHECK-NEXT:      scf.yield %v_2 : index
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @with_results [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %lb = vyre.param "lb" : index
  %n = vyre.param "n" : index
  %c = vyre.param "c" : i1
  scf.if %c {
    vyre.return
  }
  %r = scf.for %k = %lb to %n step %n iter_args(%s = %n) -> (index) {
    %v = vyre.load %a[%k] inbounds : memref<?xindex>
    scf.yield %v : index
  }
  %w = scf.while (%s = %r) : (index) -> (index) {
    %v = vyre.load %a[%s] inbounds : memref<?xindex>
    %go = arith.cmpi ult, %v, %s : index
    scf.condition(%go) %v : index
  } do {
  ^bb0(%s: index):
    %v = vyre.load %a[%s] inbounds : memref<?xindex>
    vyre.store %v, %a[%n] : memref<?xindex>
    scf.yield %v : index
  }
}

// A loop that can be left early.
// CHECK-LABEL: vyre.program @return_in_for
// CHECK:         %0 = arith.constant 0 : index
// CHECK-NEXT:    %some = arith.cmpi slt, %lb, %i : index
// CHECK-NEXT:    %forward = arith.cmpi sgt, %n, %0 : index
// CHECK-NEXT:    %more = arith.andi %some, %forward : i1
// CHECK-NEXT:    %k, %r, %alive = scf.while (%k_1 = %lb, %s = %n, %more_1 = %more, %alive_1 = %true) : (index, index, i1, i1) -> (index, index, i1) {
// CHECK-NEXT:      %more_2 = arith.andi %more_1, %alive_1 : i1
// CHECK-NEXT:      scf.condition(%more_2) %k_1, %s, %alive_1 : index, index, i1
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%k_2: index, %s_1: index, %alive_2: i1):
// CHECK-NEXT:      vyre.store %s_1, %a[%i] : memref<?xindex>
// CHECK-NEXT:      %c = arith.cmpi eq, %k_2, %s_1 : index
// CHECK-NEXT:      %alive_3 = arith.select %c, %false, %alive_2 : i1
// CHECK-NEXT:      scf.if %alive_3 {
// CHECK-NEXT:        vyre.store %k_2, %a[%k_2] : memref<?xindex>
// CHECK-NEXT:      }
// CHECK-NEXT:      %left = arith.subi %i, %k_2 : index
// CHECK-NEXT:      %more_3 = arith.cmpi ugt, %left, %n : index
// CHECK-NEXT:      %k_3 = arith.addi %k_2, %n : index
// CHECK-NEXT:      scf.yield %k_3, %k_2, %more_3, %alive_3 : index, index, i1, i1
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.if %alive {
// CHECK-NEXT:      vyre.store %r, %a[%r] : memref<?xindex>
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @return_in_for [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %lb = vyre.param "lb" : index
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %r = scf.for %k = %lb to %i step %n iter_args(%s = %n) -> (index) {
    vyre.store %s, %a[%i] : memref<?xindex>
    %c = arith.cmpi eq, %k, %s : index
    scf.if %c {
      vyre.return
    }
    vyre.store %k, %a[%k] : memref<?xindex>
    scf.yield %k : index
  }
  vyre.store %r, %a[%r] : memref<?xindex>
}

// Who enters the second region is alive.
// CHECK-LABEL: vyre.program @returns_in_while
// CHECK:         %alive = scf.while (%alive_1 = %true) : (i1) -> i1 {
// CHECK-NEXT:      scf.if %alive_1 {
// CHECK-NEXT:        vyre.store %v, %a[%i] : memref<?xi32>
// CHECK-NEXT:      }
// CHECK-NEXT:      %alive_2 = arith.select %c, %false, %alive_1 : i1
// CHECK-NEXT:      %c_1 = arith.andi %c, %alive_2 : i1
// CHECK-NEXT:      scf.condition(%c_1) %alive_2 : i1
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%alive_3: i1):
// CHECK-NEXT:      vyre.store %v, %a[%i] : memref<?xi32>
// CHECK-NEXT:      %alive_4 = arith.select %c, %false, %alive_3 : i1
// CHECK-NEXT:      scf.if %alive_4 {
// CHECK-NEXT:        vyre.store %v, %a[%i] : memref<?xi32>
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield %alive_4 : i1
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @returns_in_while [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %c = vyre.param "c" : i1
  %v = vyre.param "v" : i32
  %i = vyre.invocation_id x
  scf.while () : () -> () {
    vyre.store %v, %a[%i] : memref<?xi32>
    scf.if %c {
      vyre.return
    }
    scf.condition(%c)
  } do {
    vyre.store %v, %a[%i] : memref<?xi32>
    scf.if %c {
      vyre.return
    }
    vyre.store %v, %a[%i] : memref<?xi32>
    scf.yield
  }
}

// A uniform return: the loop around the barrier ends for everyone at once.
// CHECK-LABEL: vyre.program @uniform_return
// CHECK:         %alive = arith.select %c, %false, %true : i1
// CHECK-NEXT:    %n_1 = arith.select %alive, %n, %lb : index
// CHECK-NEXT:    scf.for %k = %lb to %n_1 step %n {
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:    }
// CHECK-NEXT:    %0 = arith.constant 0 : index
// CHECK-NEXT:    %some = arith.cmpi slt, %lb, %n : index
// CHECK-NEXT:    %forward = arith.cmpi sgt, %n, %0 : index
// CHECK-NEXT:    %more = arith.andi %some, %forward : i1
// CHECK-NEXT:    %k_1, %alive_1 = scf.while (%k_2 = %lb, %more_1 = %more, %alive_2 = %alive) : (index, i1, i1) -> (index, i1) {
// CHECK-NEXT:      %more_2 = arith.andi %more_1, %alive_2 : i1
// CHECK-NEXT:      scf.condition(%more_2) %k_2, %alive_2 : index, i1
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%k_3: index, %alive_3: i1):
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:      %stop = arith.cmpi eq, %k_3, %n : index
// CHECK-NEXT:      %alive_4 = arith.select %stop, %false, %alive_3 : i1
// CHECK-NEXT:      %left = arith.subi %n, %k_3 : index
// CHECK-NEXT:      %more_3 = arith.cmpi ugt, %left, %n : index
// CHECK-NEXT:      %k_4 = arith.addi %k_3, %n : index
// CHECK-NEXT:      scf.yield %k_4, %more_3, %alive_4 : index, i1, i1
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @uniform_return [64, 1, 1] {
  %lb = vyre.param "lb" : index
  %n = vyre.param "n" : index
  %c = vyre.param "c" : i1
  scf.if %c {
    vyre.return
  }
  scf.for %k = %lb to %n step %n {
    vyre.barrier grid_sync
  }
  scf.for %k = %lb to %n step %n {
    vyre.barrier grid_sync
    %stop = arith.cmpi eq, %k, %n : index
    scf.if %stop {
      vyre.return
    }
  }
}

// Who returns inside is not uniform, so the loop goes on for all who came in.
// CHECK-LABEL: vyre.program @uniform_then_divergent
// CHECK:         %alive = arith.select %c, %false, %true : i1
// CHECK-NEXT:    %n_1 = arith.select %alive, %n, %lb : index
// CHECK-NEXT:    %alive_1 = scf.for %k = %lb to %n_1 step %n iter_args(%alive_2 = %alive) -> (i1) {
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:      scf.if %alive_2 {
// CHECK-NEXT:        vyre.store %k, %a[%i] : memref<?xindex>
// CHECK-NEXT:      }
// CHECK-NEXT:      %stop = arith.cmpi eq, %k, %i : index
// CHECK-NEXT:      %alive_3 = arith.select %stop, %false, %alive_2 : i1
// CHECK-NEXT:      scf.yield %alive_3 : i1
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @uniform_then_divergent [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %lb = vyre.param "lb" : index
  %n = vyre.param "n" : index
  %c = vyre.param "c" : i1
  %i = vyre.invocation_id x
  scf.if %c {
    vyre.return
  }
  scf.for %k = %lb to %n step %n {
    vyre.barrier grid_sync
    vyre.store %k, %a[%i] : memref<?xindex>
    %stop = arith.cmpi eq, %k, %i : index
    scf.if %stop {
      vyre.return
    }
  }
}

// Workgroups return, which is uniform enough for their own barriers, not for the grid's.
// CHECK-LABEL: vyre.program @workgroup_return
// CHECK:         %c = arith.cmpi eq, %g, %n : index
// CHECK-NEXT:    %true = arith.constant true
// CHECK-NEXT:    %false = arith.constant false
// CHECK-NEXT:    %alive = arith.select %c, %false, %true : i1
// CHECK-NEXT:    %n_1 = arith.select %alive, %n, %lb : index
// CHECK-NEXT:    scf.for %k = %lb to %n_1 step %n {
// CHECK-NEXT:      vyre.barrier acq_rel
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.for %k_1 = %lb to %n step %n {
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @workgroup_return [64, 1, 1] {
  %lb = vyre.param "lb" : index
  %n = vyre.param "n" : index
  %g = vyre.workgroup_id x
  %c = arith.cmpi eq, %g, %n : index
  scf.if %c {
    vyre.return
  }
  scf.for %k = %lb to %n step %n {
    vyre.barrier acq_rel
  }
  scf.for %k = %lb to %n step %n {
    vyre.barrier grid_sync
  }
}

// Trips are kept where their number decides about a barrier.
// CHECK-LABEL: vyre.program @deciding_result
// CHECK:         %c = arith.cmpi eq, %i, %n : index
// CHECK-NEXT:    %true = arith.constant true
// CHECK-NEXT:    %false = arith.constant false
// CHECK-NEXT:    %alive = arith.select %c, %false, %true : i1
// CHECK-NEXT:    %r = scf.for %k = %lb to %n step %n iter_args(%s = %n) -> (index) {
// CHECK-NEXT:      scf.if %alive {
// CHECK-NEXT:        vyre.store %s, %a[%i] : memref<?xindex>
// CHECK-NEXT:      }
// CHECK-NEXT:      %t = arith.addi %s, %k : index
// CHECK-NEXT:      scf.yield %t : index
// CHECK-NEXT:    }
// CHECK-NEXT:    %n_1 = arith.select %alive, %n, %lb : index
// CHECK-NEXT:    %p = scf.for %k_1 = %lb to %n_1 step %n iter_args(%s_1 = %n) -> (index) {
// CHECK-NEXT:      %t_1 = arith.addi %s_1, %k_1 : index
// CHECK-NEXT:      scf.yield %t_1 : index
// CHECK-NEXT:    }
// CHECK-NEXT:    %go = arith.cmpi ult, %r, %n : index
// CHECK-NEXT:    scf.if %go {
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @deciding_result [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %lb = vyre.param "lb" : index
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %c = arith.cmpi eq, %i, %n : index
  scf.if %c {
    vyre.return
  }
  %r = scf.for %k = %lb to %n step %n iter_args(%s = %n) -> (index) {
    vyre.store %s, %a[%i] : memref<?xindex>
    %t = arith.addi %s, %k : index
    scf.yield %t : index
  }
  %p = scf.for %k = %lb to %n step %n iter_args(%s = %n) -> (index) {
    %t = arith.addi %s, %k : index
    scf.yield %t : index
  }
  %go = arith.cmpi ult, %r, %n : index
  scf.if %go {
    vyre.barrier grid_sync
  }
}
