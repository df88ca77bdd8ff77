// RUN: vyre-opt %s -p vyre-verify-program | filecheck %s

// Barriers that everyone reaches who should.

// The grid agrees on parameters, sizes, and what it read in another phase.
vyre.program @grid_uniform [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi1>
  %c = vyre.param "c" : i1
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = vyre.length %a, 0 : memref<?xi1>
  %flag = vyre.load %a[%zero] : memref<?xi1>
  scf.if %c {
    vyre.barrier grid_sync
  }
  scf.for %k = %zero to %n step %one {
    vyre.barrier grid_sync
    scf.if %flag {
      vyre.region "nested" {
        vyre.barrier grid_sync
      }
    }
  }
}

// CHECK:      vyre.program @grid_uniform [64, 1, 1] {
// CHECK:          vyre.region "nested" {
// CHECK-NEXT:       vyre.barrier grid_sync

// A workgroup agrees on its own id and on workgroup memory.
vyre.program @workgroup_uniform [64, 1, 1] {
  %tile = vyre.buffer "tile" workgroup : memref<1xi1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %c = vyre.param "c" : i1
  %g = vyre.workgroup_id x
  %first = arith.cmpi eq, %g, %zero : index
  scf.if %first {
    vyre.barrier acq_rel
    %mask = vyre.subgroup_ballot %c
  }
  scf.for %k = %zero to %g step %one {
    vyre.barrier seq_cst
  }
  vyre.store %c, %tile[%zero] : memref<1xi1>
  vyre.barrier acq_rel
  %flag = vyre.load %tile[%zero] : memref<1xi1>
  scf.if %flag {
    vyre.barrier acq_rel
  }
}

// CHECK:      vyre.program @workgroup_uniform [64, 1, 1] {
// CHECK:        scf.if %first {
// CHECK-NEXT:     vyre.barrier acq_rel
// CHECK:        scf.if %flag {
// CHECK-NEXT:     vyre.barrier acq_rel

// Barriers do not wait for invocations that have ended.
vyre.program @after_a_return [64, 1, 1] {
  %n = vyre.param "n" : index
  %c = vyre.param "c" : i1
  %i = vyre.invocation_id x
  %outside = arith.cmpi uge, %i, %n : index
  scf.if %outside {
    vyre.return
  }
  vyre.barrier grid_sync
  vyre.barrier acq_rel
  %mask = vyre.subgroup_ballot %c
}

// CHECK:      vyre.program @after_a_return [64, 1, 1] {
// CHECK:          vyre.return
// CHECK-NEXT:   }
// CHECK-NEXT:   vyre.barrier grid_sync
// CHECK-NEXT:   vyre.barrier acq_rel
// CHECK-NEXT:   %mask = vyre.subgroup_ballot %c

// Also when they end in a loop that the others go on with.
vyre.program @return_in_a_loop [64, 1, 1] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  scf.for %k = %zero to %n step %one {
    %done = arith.cmpi eq, %i, %k : index
    scf.if %done {
      vyre.return
    }
    vyre.barrier grid_sync
  }
}

// CHECK:      vyre.program @return_in_a_loop [64, 1, 1] {
// CHECK:        vyre.barrier grid_sync

// A barrier between the question whether to go on and the reset of the flag.
vyre.program @one_more_barrier [64, 1, 1] {
  %changed = vyre.buffer "changed" read_write binding 0 : memref<1xi32>
  %zero = arith.constant 0 : index
  %no = arith.constant 0 : i32
  %yes = arith.constant 1 : i32
  scf.while () : () -> () {
    %flag = vyre.load %changed[%zero] : memref<1xi32>
    %go = arith.cmpi ne, %flag, %no : i32
    scf.condition(%go)
  } do {
    vyre.barrier grid_sync
    vyre.store %no, %changed[%zero] : memref<1xi32>
    vyre.barrier grid_sync
    vyre.store %yes, %changed[%zero] : memref<1xi32>
    vyre.barrier grid_sync
    scf.yield
  }
}

// CHECK:      vyre.program @one_more_barrier [64, 1, 1] {
// CHECK:        } do {
// CHECK-NEXT:     vyre.barrier grid_sync

// No reset: the flag holds the number of the last round that changed something.
vyre.program @number_of_the_round [64, 1, 1] {
  %last_change = vyre.buffer "last_change" read_write binding 0 : memref<1xi32>
  %zero = arith.constant 0 : index
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %rounds = scf.while (%round = %none) : (i32) -> i32 {
    %last = vyre.load %last_change[%zero] : memref<1xi32>
    %go = arith.cmpi eq, %last, %round : i32
    scf.condition(%go) %round : i32
  } do {
  ^bb0(%now: i32):
    %next = arith.addi %now, %one : i32
    vyre.barrier grid_sync
    vyre.store %next, %last_change[%zero] : memref<1xi32>
    vyre.barrier grid_sync
    scf.yield %next : i32
  }
}

// CHECK:      vyre.program @number_of_the_round [64, 1, 1] {
// CHECK:        vyre.barrier grid_sync
// CHECK-NEXT:   vyre.store %next, %last_change[%zero] : memref<1xi32>
// CHECK-NEXT:   vyre.barrier grid_sync

// One flag for each round, all in one buffer.
vyre.program @flag_for_each_round [64, 1, 1] {
  %flags = vyre.buffer "flags" read_write binding 0 : memref<?xi1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %yes = arith.constant true
  %rounds = scf.while (%round = %zero) : (index) -> index {
    %go = vyre.load %flags[%round] : memref<?xi1>
    scf.condition(%go) %round : index
  } do {
  ^bb0(%now: index):
    %next = arith.addi %now, %one : index
    vyre.barrier grid_sync
    vyre.store %yes, %flags[%next] : memref<?xi1>
    vyre.barrier grid_sync
    scf.yield %next : index
  }
}

// CHECK:      vyre.program @flag_for_each_round [64, 1, 1] {
// CHECK:        vyre.store %yes, %flags[%next] : memref<?xi1>

// A flag in a variable of its own: every invocation counts the same rounds.
vyre.program @variable [64, 1, 1] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = vyre.param "n" : index
  %left = vyre.let "left" = %n : index
  scf.while () : () -> () {
    %now = vyre.get %left : !vyre.cell<index>
    %go = arith.cmpi ne, %now, %zero : index
    scf.condition(%go)
  } do {
    %now2 = vyre.get %left : !vyre.cell<index>
    %less = arith.subi %now2, %one : index
    vyre.assign %less, %left : !vyre.cell<index>
    vyre.barrier grid_sync
    scf.yield
  }
}

// CHECK:      vyre.program @variable [64, 1, 1] {
// CHECK:        vyre.barrier grid_sync

// Divergent code without barriers, between two of them.
vyre.program @divergent_between_barriers [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %one = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %inside = arith.cmpi ult, %i, %n : index
  vyre.barrier grid_sync
  scf.if %inside {
    scf.for %k = %i to %n step %n {
      vyre.store %one, %a[%k] : memref<?xi32>
    }
  }
  vyre.barrier grid_sync
}

// CHECK:      vyre.program @divergent_between_barriers [64, 1, 1] {
// CHECK:        vyre.barrier grid_sync
// CHECK:        vyre.barrier grid_sync

// Buffers carried by a loop that the grid agrees on, with a loop in it that carries none.
vyre.program @carried_buffers [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %last, %other = scf.for %k = %n to %n step %n iter_args(%from = %a, %to = %b) -> (memref<?xi32>, memref<?xi32>) {
    scf.for %m = %i to %n step %n {
      %v = vyre.load %from[%m] : memref<?xi32>
      vyre.store %v, %to[%m] : memref<?xi32>
    }
    vyre.barrier grid_sync
    scf.yield %to, %from : memref<?xi32>, memref<?xi32>
  }
}

// CHECK:      vyre.program @carried_buffers [64, 1, 1] {
// CHECK:        vyre.barrier grid_sync
// CHECK-NEXT:   scf.yield %to, %from : memref<?xi32>, memref<?xi32>
