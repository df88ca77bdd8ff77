// RUN: vyre-opt %s -p vyre-remove-barriers | filecheck %s

// The end of a trip conflicts with the beginning of the next.
// CHECK-LABEL: vyre.program @around_a_loop
// CHECK:         scf.for
// CHECK-NEXT:      %v = vyre.load %x[%i]
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:      vyre.store %v, %y[%i]
// CHECK-NEXT:      vyre.store %v, %z[%i]
// CHECK-NEXT:      vyre.store %v, %x[%k]
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:    }
vyre.program @around_a_loop [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi32>
  %y = vyre.buffer "y" read_write binding 1 : memref<?xi32>
  %z = vyre.buffer "z" read_write binding 2 : memref<?xi32>
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  scf.for %k = %n to %n step %n {
    %v = vyre.load %x[%i] : memref<?xi32>
    vyre.barrier grid_sync
    vyre.store %v, %y[%i] : memref<?xi32>
    vyre.barrier grid_sync
    vyre.store %v, %z[%i] : memref<?xi32>
    vyre.barrier grid_sync
    vyre.store %v, %x[%k] : memref<?xi32>
    vyre.barrier grid_sync
  }
}

// One barrier orders a loop with itself.
// CHECK-LABEL: vyre.program @one_for_each_trip
// CHECK:         scf.for
// CHECK-NEXT:      %v = vyre.load %x[%k]
// CHECK-NEXT:      vyre.store %v, %y[%i]
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @one_for_each_trip [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi32>
  %y = vyre.buffer "y" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  scf.for %k = %n to %n step %n {
    %v = vyre.load %x[%k] : memref<?xi32>
    vyre.store %v, %y[%i] : memref<?xi32>
    vyre.barrier grid_sync
  }
}

// Trips that only read need no order, also if there are writes before and after the loop.
// CHECK-LABEL: vyre.program @only_reads
// CHECK:         vyre.store %u, %y[%i]
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      %v = vyre.load %x[%k]
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.store %u, %z[%i]
// CHECK-NEXT:  }
vyre.program @only_reads [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi32>
  %y = vyre.buffer "y" read_write binding 1 : memref<?xi32>
  %z = vyre.buffer "z" read_write binding 2 : memref<?xi32>
  %u = vyre.param "u" : i32
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  vyre.store %u, %y[%i] : memref<?xi32>
  vyre.barrier grid_sync
  scf.for %k = %n to %n step %n {
    vyre.barrier grid_sync
    %v = vyre.load %x[%k] : memref<?xi32>
    vyre.barrier grid_sync
  }
  vyre.barrier grid_sync
  vyre.store %u, %z[%i] : memref<?xi32>
}

// The last barrier of a loop meets the first one of the next trip, and the one behind the
// loop.
// CHECK-LABEL: vyre.program @adjacent
// CHECK:         scf.for
// CHECK-NEXT:      vyre.store %u, %y[%k]
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:    }
// CHECK-NEXT:    %v = vyre.load %y[%i]
// CHECK-NEXT:  }
vyre.program @adjacent [64, 1, 1] {
  %y = vyre.buffer "y" read_write binding 0 : memref<?xi32>
  %u = vyre.param "u" : i32
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  scf.for %k = %n to %n step %n {
    vyre.barrier grid_sync
    vyre.store %u, %y[%k] : memref<?xi32>
    vyre.barrier grid_sync
  }
  vyre.barrier grid_sync
  %v = vyre.load %y[%i] : memref<?xi32>
}

// A loop may make no trip, and pass no barrier, so the one behind it has to stay.
// CHECK-LABEL: vyre.program @zero_trips
// CHECK:         vyre.store %u, %y[%i]
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      %w = vyre.load %x[%k]
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    vyre.store %u, %y[%n]
// CHECK-NEXT:  }
vyre.program @zero_trips [64, 1, 1] {
  %x = vyre.buffer "x" read_only binding 1 : memref<?xi32>
  %y = vyre.buffer "y" read_write binding 0 : memref<?xi32>
  %u = vyre.param "u" : i32
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  vyre.store %u, %y[%i] : memref<?xi32>
  scf.for %k = %n to %n step %n {
    vyre.barrier grid_sync
    %w = vyre.load %x[%k] : memref<?xi32>
  }
  vyre.barrier grid_sync
  vyre.store %u, %y[%n] : memref<?xi32>
}

// The first region of a while loop runs once more than the second.
// CHECK-LABEL: vyre.program @while_loop
// CHECK:         scf.while
// CHECK-NEXT:      vyre.store %u, %y[%i]
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:      scf.condition
// CHECK-NEXT:    } do {
// CHECK-NEXT:      %v = vyre.load %y[%n]
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    %w = vyre.load %y[%n]
vyre.program @while_loop [64, 1, 1] {
  %y = vyre.buffer "y" read_write binding 0 : memref<?xi32>
  %u = vyre.param "u" : i32
  %n = vyre.param "n" : index
  %c = vyre.param "c" : i1
  %i = vyre.invocation_id x
  scf.while () : () -> () {
    vyre.store %u, %y[%i] : memref<?xi32>
    vyre.barrier grid_sync
    scf.condition(%c)
  } do {
    vyre.barrier grid_sync
    %v = vyre.load %y[%n] : memref<?xi32>
    vyre.barrier grid_sync
    scf.yield
  }
  vyre.barrier grid_sync
  %w = vyre.load %y[%n] : memref<?xi32>
}

// A barrier in both arms does for what follows, one in a single arm does not.
// CHECK-LABEL: vyre.program @branches
// CHECK:         vyre.store %u, %y[%i]
// CHECK-NEXT:    scf.if %c {
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:    } else {
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:      vyre.store %u, %x[%i]
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.store %u, %y[%n]
// CHECK-NEXT:    scf.if %c {
// CHECK-NEXT:      %b = arith.addi %u, %u : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    vyre.store %u, %y[%i]
vyre.program @branches [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi32>
  %y = vyre.buffer "y" read_write binding 1 : memref<?xi32>
  %u = vyre.param "u" : i32
  %n = vyre.param "n" : index
  %c = vyre.param "c" : i1
  %i = vyre.invocation_id x
  vyre.store %u, %y[%i] : memref<?xi32>
  scf.if %c {
    vyre.barrier grid_sync
  } else {
    vyre.barrier grid_sync
    vyre.store %u, %x[%i] : memref<?xi32>
  }
  vyre.barrier grid_sync
  vyre.store %u, %y[%n] : memref<?xi32>
  scf.if %c {
    %b = arith.addi %u, %u : i32
    vyre.barrier grid_sync
  }
  vyre.barrier grid_sync
  vyre.store %u, %y[%i] : memref<?xi32>
}

// A carried memref may be each of its sources.
// CHECK-LABEL: vyre.program @ping_pong
// CHECK:         scf.for
// CHECK-NEXT:      %v = vyre.load %from[%n]
// CHECK-NEXT:      vyre.store %v, %to[%i]
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:      vyre.store %v, %c[%i]
// CHECK-NEXT:      scf.yield
vyre.program @ping_pong [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %c = vyre.buffer "c" read_write binding 2 : memref<?xi32>
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %end:2 = scf.for %k = %n to %n step %n iter_args(%from = %a, %to = %b) -> (memref<?xi32>, memref<?xi32>) {
    %v = vyre.load %from[%n] : memref<?xi32>
    vyre.store %v, %to[%i] : memref<?xi32>
    vyre.barrier grid_sync
    vyre.store %v, %c[%i] : memref<?xi32>
    vyre.barrier grid_sync
    scf.yield %to, %from : memref<?xi32>, memref<?xi32>
  }
}

// An invocation that ends before the barrier has stored before it.
// CHECK-LABEL: vyre.program @ended
// CHECK:         scf.if %last {
// CHECK-NEXT:      vyre.store %u, %y[%i]
// CHECK-NEXT:      vyre.return
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    %v = vyre.load %y[%n]
// CHECK-NEXT:    scf.if %last {
// CHECK-NEXT:      vyre.return
// CHECK-NEXT:    }
// CHECK-NEXT:    %w = vyre.load %y[%n]
vyre.program @ended [64, 1, 1] {
  %y = vyre.buffer "y" read_write binding 0 : memref<?xi32>
  %u = vyre.param "u" : i32
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %last = arith.cmpi eq, %i, %n : index
  scf.if %last {
    vyre.store %u, %y[%i] : memref<?xi32>
    vyre.return
  }
  vyre.barrier grid_sync
  %v = vyre.load %y[%n] : memref<?xi32>
  scf.if %last {
    vyre.return
  }
  vyre.barrier grid_sync
  %w = vyre.load %y[%n] : memref<?xi32>
}
