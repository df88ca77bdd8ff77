// RUN: vyre-opt %s -p vyre-test-uniformity --print-op-generic | filecheck %s

// Loads from buffers that loops and branches write: is there a path without a grid
// barrier between the two?

// One barrier in a loop parts nothing: the end of one round and the start of the next
// are one phase.
// CHECK-LABEL: sym_name = "for_with_one_barrier"
vyre.program @for_with_one_barrier [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %zero = arith.constant 0 : index
  %n = vyre.param "n" : index
  %x = vyre.param "x" : i32
  %i = vyre.invocation_id x
  scf.for %k = %zero to %n step %n {
    // CHECK: %v = "vyre.load"{{.*}} {uniform = ["divergent"]}
    %v = vyre.load %a[%zero] : memref<?xi32>
    vyre.barrier grid_sync
    vyre.store %x, %a[%i] : memref<?xi32>
  }
}

// CHECK-LABEL: sym_name = "for_with_two_barriers"
vyre.program @for_with_two_barriers [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %zero = arith.constant 0 : index
  %n = vyre.param "n" : index
  %x = vyre.param "x" : i32
  %i = vyre.invocation_id x
  scf.for %k = %zero to %n step %n {
    // CHECK: %v = "vyre.load"{{.*}} {uniform = ["grid"]}
    %v = vyre.load %a[%zero] : memref<?xi32>
    vyre.barrier grid_sync
    vyre.store %x, %a[%i] : memref<?xi32>
    // CHECK: %w = "vyre.load"{{.*}} {uniform = ["divergent"]}
    %w = vyre.load %a[%zero] : memref<?xi32>
    vyre.barrier grid_sync
  }
  // CHECK: %after = "vyre.load"{{.*}} {uniform = ["grid"]}
  %after = vyre.load %a[%zero] : memref<?xi32>
}

// A loop may make no trip, so what stands before it meets what stands after it.
// CHECK-LABEL: sym_name = "for_without_trips"
vyre.program @for_without_trips [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %zero = arith.constant 0 : index
  %n = vyre.param "n" : index
  %x = vyre.param "x" : i32
  %i = vyre.invocation_id x
  vyre.store %x, %a[%i] : memref<?xi32>
  scf.for %k = %zero to %n step %n {
    vyre.barrier grid_sync
    // CHECK: %inside = "vyre.load"{{.*}} {uniform = ["grid"]}
    %inside = vyre.load %a[%zero] : memref<?xi32>
    vyre.barrier grid_sync
  }
  // CHECK: %after = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %after = vyre.load %a[%zero] : memref<?xi32>
  vyre.barrier grid_sync
  // CHECK: %at_last = "vyre.load"{{.*}} {uniform = ["grid"]}
  %at_last = vyre.load %a[%zero] : memref<?xi32>
}

// Without a barrier in it, a loop is part of the phase around it.
// CHECK-LABEL: sym_name = "for_without_barriers"
vyre.program @for_without_barriers [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %zero = arith.constant 0 : index
  %n = vyre.param "n" : index
  %x = vyre.param "x" : i32
  %i = vyre.invocation_id x
  // CHECK: %v = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %v = vyre.load %a[%zero] : memref<?xi32>
  scf.for %k = %zero to %i step %n {
    vyre.store %x, %a[%k] : memref<?xi32>
    // CHECK: %w = "vyre.load"{{.*}} {uniform = ["divergent"]}
    %w = vyre.load %b[%zero] : memref<?xi32>
  }
  vyre.store %x, %b[%i] : memref<?xi32>
}

// The first region of a while loop runs once more than the second, and the second leads
// back to it.
// CHECK-LABEL: sym_name = "while_with_one_barrier_at_the_end"
vyre.program @while_with_one_barrier_at_the_end [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %zero = arith.constant 0 : index
  %go = vyre.param "go" : i1
  %x = vyre.param "x" : i32
  %i = vyre.invocation_id x
  scf.while () : () -> () {
    // CHECK: %v = "vyre.load"{{.*}} {uniform = ["divergent"]}
    %v = vyre.load %a[%zero] : memref<?xi32>
    scf.condition(%go)
  } do {
    vyre.store %x, %a[%i] : memref<?xi32>
    vyre.barrier grid_sync
    scf.yield
  }
}

// CHECK-LABEL: sym_name = "while_with_one_barrier_at_the_start"
vyre.program @while_with_one_barrier_at_the_start [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %zero = arith.constant 0 : index
  %go = vyre.param "go" : i1
  %x = vyre.param "x" : i32
  %i = vyre.invocation_id x
  scf.while () : () -> () {
    // CHECK: %v = "vyre.load"{{.*}} {uniform = ["divergent"]}
    %v = vyre.load %a[%zero] : memref<?xi32>
    scf.condition(%go)
  } do {
    vyre.barrier grid_sync
    vyre.store %x, %a[%i] : memref<?xi32>
    scf.yield
  }
  // CHECK: %after = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %after = vyre.load %a[%zero] : memref<?xi32>
}

// CHECK-LABEL: sym_name = "while_with_two_barriers"
vyre.program @while_with_two_barriers [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %zero = arith.constant 0 : index
  %go = vyre.param "go" : i1
  %x = vyre.param "x" : i32
  %i = vyre.invocation_id x
  scf.while () : () -> () {
    // CHECK: %v = "vyre.load"{{.*}} {uniform = ["grid"]}
    %v = vyre.load %a[%zero] : memref<?xi32>
    scf.condition(%go)
  } do {
    // CHECK: %w = "vyre.load"{{.*}} {uniform = ["grid"]}
    %w = vyre.load %a[%zero] : memref<?xi32>
    vyre.barrier grid_sync
    // CHECK: %together = "vyre.load"{{.*}} {uniform = ["divergent"]}
    %together = vyre.load %a[%zero] : memref<?xi32>
    vyre.store %x, %a[%i] : memref<?xi32>
    vyre.barrier grid_sync
    scf.yield
  }
  // CHECK: %after = "vyre.load"{{.*}} {uniform = ["grid"]}
  %after = vyre.load %a[%zero] : memref<?xi32>
}

// Barriers in the first region.
// CHECK-LABEL: sym_name = "while_with_barrier_in_the_condition"
vyre.program @while_with_barrier_in_the_condition [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %zero = arith.constant 0 : index
  %go = vyre.param "go" : i1
  %x = vyre.param "x" : i32
  %i = vyre.invocation_id x
  scf.while () : () -> () {
    vyre.barrier grid_sync
    // CHECK: %v = "vyre.load"{{.*}} {uniform = ["divergent"]}
    %v = vyre.load %a[%zero] : memref<?xi32>
    scf.condition(%go)
  } do {
    vyre.store %x, %a[%i] : memref<?xi32>
    scf.yield
  }
}

// CHECK-LABEL: sym_name = "while_with_two_barriers_in_the_condition"
vyre.program @while_with_two_barriers_in_the_condition [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %zero = arith.constant 0 : index
  %go = vyre.param "go" : i1
  %x = vyre.param "x" : i32
  %i = vyre.invocation_id x
  scf.while () : () -> () {
    vyre.barrier grid_sync
    // CHECK: %v = "vyre.load"{{.*}} {uniform = ["grid"]}
    %v = vyre.load %a[%zero] : memref<?xi32>
    vyre.barrier grid_sync
    scf.condition(%go)
  } do {
    vyre.store %x, %a[%i] : memref<?xi32>
    scf.yield
  }
  // In the last round nothing was stored after the second barrier, but the analysis does
  // not tell the rounds apart.
  // CHECK: %after = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %after = vyre.load %a[%zero] : memref<?xi32>
}

// Barriers in both regions: the end of the second leads to the start of the first, and
// the end of the first to what follows the loop.
// CHECK-LABEL: sym_name = "while_with_barriers_in_both_regions"
vyre.program @while_with_barriers_in_both_regions [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %zero = arith.constant 0 : index
  %go = vyre.param "go" : i1
  %x = vyre.param "x" : i32
  %i = vyre.invocation_id x
  scf.while () : () -> () {
    // CHECK: %v = "vyre.load"{{.*}} {uniform = ["divergent"]}
    %v = vyre.load %a[%zero] : memref<?xi32>
    vyre.store %x, %b[%i] : memref<?xi32>
    vyre.barrier grid_sync
    scf.condition(%go)
  } do {
    // CHECK: %w = "vyre.load"{{.*}} {uniform = ["grid"]}
    %w = vyre.load %b[%zero] : memref<?xi32>
    vyre.barrier grid_sync
    vyre.store %x, %a[%i] : memref<?xi32>
    scf.yield
  }
  // CHECK: %after_a = "vyre.load"{{.*}} {uniform = ["grid"]}
  %after_a = vyre.load %a[%zero] : memref<?xi32>
  // CHECK: %after_b = "vyre.load"{{.*}} {uniform = ["grid"]}
  %after_b = vyre.load %b[%zero] : memref<?xi32>
}

// A barrier that only some paths meet.
// CHECK-LABEL: sym_name = "barrier_in_one_arm"
vyre.program @barrier_in_one_arm [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %zero = arith.constant 0 : index
  %c = vyre.param "c" : i1
  %x = vyre.param "x" : i32
  %i = vyre.invocation_id x
  vyre.store %x, %a[%i] : memref<?xi32>
  scf.if %c {
    vyre.barrier grid_sync
  }
  // CHECK: %v = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %v = vyre.load %a[%zero] : memref<?xi32>
}

// CHECK-LABEL: sym_name = "barrier_in_the_other_arm"
vyre.program @barrier_in_the_other_arm [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %zero = arith.constant 0 : index
  %c = vyre.param "c" : i1
  %x = vyre.param "x" : i32
  %i = vyre.invocation_id x
  vyre.store %x, %a[%i] : memref<?xi32>
  scf.if %c {
  } else {
    vyre.barrier grid_sync
  }
  // CHECK: %v = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %v = vyre.load %a[%zero] : memref<?xi32>
}

// CHECK-LABEL: sym_name = "barrier_in_both_arms"
vyre.program @barrier_in_both_arms [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %zero = arith.constant 0 : index
  %c = vyre.param "c" : i1
  %x = vyre.param "x" : i32
  %i = vyre.invocation_id x
  vyre.store %x, %a[%i] : memref<?xi32>
  scf.if %c {
    vyre.barrier grid_sync
    // CHECK: %then = "vyre.load"{{.*}} {uniform = ["grid"]}
    %then = vyre.load %a[%zero] : memref<?xi32>
  } else {
    // CHECK: %else = "vyre.load"{{.*}} {uniform = ["divergent"]}
    %else = vyre.load %a[%zero] : memref<?xi32>
    vyre.barrier grid_sync
  }
  // CHECK: %v = "vyre.load"{{.*}} {uniform = ["grid"]}
  %v = vyre.load %a[%zero] : memref<?xi32>
}

// A write in an arm that follows its barrier meets what follows the branch.
// CHECK-LABEL: sym_name = "write_after_the_barrier_of_an_arm"
vyre.program @write_after_the_barrier_of_an_arm [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %zero = arith.constant 0 : index
  %c = vyre.param "c" : i1
  %x = vyre.param "x" : i32
  %i = vyre.invocation_id x
  // CHECK: %v = "vyre.load"{{.*}} {uniform = ["grid"]}
  %v = vyre.load %a[%zero] : memref<?xi32>
  scf.if %c {
    vyre.barrier grid_sync
    vyre.store %x, %a[%i] : memref<?xi32>
  } else {
    vyre.barrier grid_sync
  }
  // CHECK: %w = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %w = vyre.load %a[%zero] : memref<?xi32>
}

// CHECK-LABEL: sym_name = "nested_loops"
vyre.program @nested_loops [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %zero = arith.constant 0 : index
  %n = vyre.param "n" : index
  %x = vyre.param "x" : i32
  %i = vyre.invocation_id x
  scf.for %k = %zero to %n step %n {
    // CHECK: %outer = "vyre.load"{{.*}} {uniform = ["grid"]}
    %outer = vyre.load %b[%zero] : memref<?xi32>
    scf.for %l = %zero to %n step %n {
      // CHECK: %first = "vyre.load"{{.*}} {uniform = ["divergent"]}
      %first = vyre.load %a[%zero] : memref<?xi32>
      vyre.barrier grid_sync
      // CHECK: %second = "vyre.load"{{.*}} {uniform = ["grid"]}
      %second = vyre.load %a[%zero] : memref<?xi32>
      vyre.store %x, %b[%i] : memref<?xi32>
      vyre.barrier grid_sync
    }
    vyre.store %x, %a[%i] : memref<?xi32>
  }
}

// The only barrier is in the inner loop, which may make no trip.
// CHECK-LABEL: sym_name = "barrier_in_the_inner_loop"
vyre.program @barrier_in_the_inner_loop [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %zero = arith.constant 0 : index
  %n = vyre.param "n" : index
  %x = vyre.param "x" : i32
  %i = vyre.invocation_id x
  scf.for %k = %zero to %n step %n {
    // CHECK: %v = "vyre.load"{{.*}} {uniform = ["divergent"]}
    %v = vyre.load %a[%zero] : memref<?xi32>
    scf.for %l = %zero to %n step %n {
      vyre.barrier grid_sync
      vyre.barrier grid_sync
    }
    vyre.store %x, %a[%i] : memref<?xi32>
    vyre.barrier grid_sync
  }
}

// A region is executed where it stands.
// CHECK-LABEL: sym_name = "regions"
vyre.program @regions [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %zero = arith.constant 0 : index
  %x = vyre.param "x" : i32
  %i = vyre.invocation_id x
  vyre.region "write" {
    vyre.store %x, %a[%i] : memref<?xi32>
  }
  // CHECK: %together = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %together = vyre.load %a[%zero] : memref<?xi32>
  vyre.region "meet" {
    vyre.barrier grid_sync
  }
  // CHECK: %after = "vyre.load"{{.*}} {uniform = ["grid"]}
  %after = vyre.load %a[%zero] : memref<?xi32>
}

// Buffers that change places: a write to one may be a write to the other.
// CHECK-LABEL: sym_name = "carried_buffers"
vyre.program @carried_buffers [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %zero = arith.constant 0 : index
  %n = vyre.param "n" : index
  %x = vyre.param "x" : i32
  %i = vyre.invocation_id x
  %last, %other = scf.for %k = %zero to %n step %n iter_args(%from = %a, %to = %b) -> (memref<?xi32>, memref<?xi32>) {
    // CHECK: %v = "vyre.load"{{.*}} {uniform = ["grid"]}
    %v = vyre.load %from[%zero] : memref<?xi32>
    vyre.barrier grid_sync
    vyre.store %x, %to[%i] : memref<?xi32>
    // CHECK: %w = "vyre.load"{{.*}} {uniform = ["divergent"]}
    %w = vyre.load %from[%zero] : memref<?xi32>
    vyre.barrier grid_sync
    scf.yield %to, %from : memref<?xi32>, memref<?xi32>
  }
  // CHECK: %after = "vyre.load"{{.*}} {uniform = ["grid"]}
  %after = vyre.load %last[%zero] : memref<?xi32>
  vyre.barrier grid_sync
  vyre.store %x, %last[%i] : memref<?xi32>
  // CHECK: %not_its_own = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %not_its_own = vyre.load %a[%zero] : memref<?xi32>
  // CHECK: %nor_the_other = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %nor_the_other = vyre.load %other[%zero] : memref<?xi32>
}

// Buffers that are carried but stay in place.
// CHECK-LABEL: sym_name = "carried_apart"
vyre.program @carried_apart [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %zero = arith.constant 0 : index
  %n = vyre.param "n" : index
  %x = vyre.param "x" : i32
  %i = vyre.invocation_id x
  %last, %other = scf.for %k = %zero to %n step %n iter_args(%from = %a, %to = %b) -> (memref<?xi32>, memref<?xi32>) {
    vyre.store %x, %to[%i] : memref<?xi32>
    // CHECK: %v = "vyre.load"{{.*}} {uniform = ["grid"]}
    %v = vyre.load %from[%zero] : memref<?xi32>
    scf.yield %from, %to : memref<?xi32>, memref<?xi32>
  }
  %out = vyre.region "r" -> (memref<?xi32>) {
    vyre.yield %other : memref<?xi32>
  }
  // CHECK: %w = "vyre.load"{{.*}} {uniform = ["divergent"]}
  %w = vyre.load %out[%zero] : memref<?xi32>
}
