// RUN: vyre-opt %s -p vyre-predicate-returns | filecheck %s

// Nobody returns inside: one question before the loop.
// CHECK-LABEL: vyre.program @once
// CHECK:         %any_alive = vyre.scratch single : memref<1xi1>
// CHECK-NEXT:    %zero = arith.constant 0 : index
// CHECK-NEXT:    %i = vyre.invocation_id x
// CHECK-NEXT:    %c = arith.cmpi ugt, %i, %n : index
// CHECK-NEXT:    %true = arith.constant true
// CHECK-NEXT:    %false = arith.constant false
// CHECK-NEXT:    %alive = arith.select %c, %false, %true : i1
// CHECK-NEXT:    %true_1 = arith.constant true
// CHECK-NEXT:    scf.if %alive {
// CHECK-NEXT:      vyre.store %true_1, %any_alive[%zero] : memref<1xi1>
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    %any_alive_1 = vyre.load %any_alive[%zero] : memref<1xi1>
// CHECK-NEXT:    scf.while () : () -> () {
// CHECK-NEXT:      %go = vyre.load %f[%n] : memref<1xi1>
// CHECK-NEXT:      %go_1 = arith.andi %go, %any_alive_1 : i1
// CHECK-NEXT:      scf.condition(%go_1)
// CHECK-NEXT:    } do {
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @once [64, 1, 1] {
  %f = vyre.buffer "f" read_only binding 0 : memref<1xi1>
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %c = arith.cmpi ugt, %i, %n : index
  scf.if %c {
    vyre.return
  }
  scf.while () : () -> () {
    %go = vyre.load %f[%n] : memref<1xi1>
    scf.condition(%go)
  } do {
    vyre.barrier grid_sync
    scf.yield
  }
}

// Asked in every trip; the loop's own barrier keeps rounds apart.
// CHECK-LABEL: vyre.program @every_trip
// CHECK:         %any_alive = vyre.scratch single : memref<1xindex>
// CHECK-NEXT:    %zero = arith.constant 0 : index
// CHECK-NEXT:    %i = vyre.invocation_id x
// CHECK-NEXT:    %true = arith.constant true
// CHECK-NEXT:    %false = arith.constant false
// CHECK-NEXT:    %one = arith.constant 1 : index
// CHECK-NEXT:    %alive, %round = scf.while (%alive_1 = %true, %round_1 = %one) : (i1, index) -> (i1, index) {
// CHECK-NEXT:      scf.if %alive_1 {
// CHECK-NEXT:        vyre.store %round_1, %any_alive[%zero] : memref<1xindex>
// CHECK-NEXT:      }
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:      %any_alive_1 = vyre.load %any_alive[%zero] : memref<1xindex>
// CHECK-NEXT:      %any_alive_2 = arith.cmpi eq, %any_alive_1, %round_1 : index
// CHECK-NEXT:      %c_1 = arith.andi %c, %any_alive_2 : i1
// CHECK-NEXT:      scf.condition(%c_1) %alive_1, %round_1 : i1, index
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%alive_2: i1, %round_2: index):
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:      %stop = vyre.load %f[%i] : memref<?xi1>
// CHECK-NEXT:      %alive_3 = arith.select %stop, %false, %alive_2 : i1
// CHECK-NEXT:      %round_3 = arith.addi %round_2, %one : index
// CHECK-NEXT:      scf.yield %alive_3, %round_3 : i1, index
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @every_trip [64, 1, 1] {
  %f = vyre.buffer "f" read_write binding 0 : memref<?xi1>
  %c = vyre.param "c" : i1
  %i = vyre.invocation_id x
  scf.while () : () -> () {
    scf.condition(%c)
  } do {
    vyre.barrier grid_sync
    %stop = vyre.load %f[%i] : memref<?xi1>
    scf.if %stop {
      vyre.return
    }
    scf.yield
  }
}

// A workgroup asks in its own memory, under a name that is free. The barrier in the branch
// may be passed by, so there is one more.
// CHECK-LABEL: vyre.program @workgroup
// CHECK:         %any_alive = vyre.buffer "any_alive_1" workgroup : memref<1xindex>
// CHECK-NEXT:    %zero = arith.constant 0 : index
// CHECK-NEXT:    %i = vyre.invocation_id x
// CHECK-NEXT:    %true = arith.constant true
// CHECK-NEXT:    %false = arith.constant false
// CHECK-NEXT:    %one = arith.constant 1 : index
// CHECK-NEXT:    %alive, %round = scf.while (%alive_1 = %true, %round_1 = %one) : (i1, index) -> (i1, index) {
// CHECK-NEXT:      scf.if %alive_1 {
// CHECK-NEXT:        vyre.store %round_1, %any_alive[%zero] : memref<1xindex>
// CHECK-NEXT:      }
// CHECK-NEXT:      vyre.barrier acq_rel
// CHECK-NEXT:      %any_alive_1 = vyre.load %any_alive[%zero] : memref<1xindex>
// CHECK-NEXT:      %any_alive_2 = arith.cmpi eq, %any_alive_1, %round_1 : index
// CHECK-NEXT:      %c_1 = arith.andi %c, %any_alive_2 : i1
// CHECK-NEXT:      scf.condition(%c_1) %alive_1, %round_1 : i1, index
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%alive_2: i1, %round_2: index):
// CHECK-NEXT:      scf.if %c {
// CHECK-NEXT:        vyre.barrier acq_rel
// CHECK-NEXT:      }
// CHECK-NEXT:      %stop = vyre.load %f[%i] : memref<?xi1>
// CHECK-NEXT:      %alive_3 = arith.select %stop, %false, %alive_2 : i1
// CHECK-NEXT:      vyre.barrier acq_rel
// CHECK-NEXT:      %round_3 = arith.addi %round_2, %one : index
// CHECK-NEXT:      scf.yield %alive_3, %round_3 : i1, index
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @workgroup [64, 1, 1] {
  %f = vyre.buffer "any_alive" read_write binding 0 : memref<?xi1>
  %c = vyre.param "c" : i1
  %i = vyre.invocation_id x
  scf.while () : () -> () {
    scf.condition(%c)
  } do {
    scf.if %c {
      vyre.barrier acq_rel
    }
    %stop = vyre.load %f[%i] : memref<?xi1>
    scf.if %stop {
      vyre.return
    }
    scf.yield
  }
}

// The program comes back to the inner loop: its word is reset.
// CHECK-LABEL: vyre.program @nested
// CHECK:         %any_alive = vyre.scratch single : memref<1xi1>
// CHECK-NEXT:    %zero = arith.constant 0 : index
// CHECK-NEXT:    %i = vyre.invocation_id x
// CHECK-NEXT:    %stop = vyre.load %f[%i] : memref<?xi1>
// CHECK-NEXT:    %true = arith.constant true
// CHECK-NEXT:    %false = arith.constant false
// CHECK-NEXT:    %alive = arith.select %stop, %false, %true : i1
// CHECK-NEXT:    scf.for %k = %n to %n step %n {
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:      %0 = arith.constant false
// CHECK-NEXT:      vyre.store %0, %any_alive[%zero] : memref<1xi1>
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:      %true_1 = arith.constant true
// CHECK-NEXT:      scf.if %alive {
// CHECK-NEXT:        vyre.store %true_1, %any_alive[%zero] : memref<1xi1>
// CHECK-NEXT:      }
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:      %any_alive_1 = vyre.load %any_alive[%zero] : memref<1xi1>
// CHECK-NEXT:      scf.while () : () -> () {
// CHECK-NEXT:        %c_1 = arith.andi %c, %any_alive_1 : i1
// CHECK-NEXT:        scf.condition(%c_1)
// CHECK-NEXT:      } do {
// CHECK-NEXT:        vyre.barrier grid_sync
// CHECK-NEXT:        scf.yield
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @nested [64, 1, 1] {
  %f = vyre.buffer "f" read_write binding 0 : memref<?xi1>
  %n = vyre.param "n" : index
  %c = vyre.param "c" : i1
  %i = vyre.invocation_id x
  %stop = vyre.load %f[%i] : memref<?xi1>
  scf.if %stop {
    vyre.return
  }
  scf.for %k = %n to %n step %n {
    scf.while () : () -> () {
      scf.condition(%c)
    } do {
      vyre.barrier grid_sync
      scf.yield
    }
  }
}
