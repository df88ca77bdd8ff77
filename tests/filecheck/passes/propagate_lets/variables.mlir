// RUN: vyre-opt %s -p vyre-propagate-lets | filecheck %s

// What enters is stored before the loop, what goes round where it is made.
// CHECK-LABEL: vyre.program @for [64, 1, 1]
// CHECK:         %v_kept = vyre.scratch per_invocation : memref<?xi32>
// CHECK:         %x = vyre.load %a[%i] : memref<?xi32>
// CHECK-NEXT:    vyre.store %x, %v_kept[%0] : memref<?xi32>
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    scf.for %k = %c0 to %n step %c1 {
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK:           %v = vyre.load %v_kept[%1] : memref<?xi32>
// CHECK-NEXT:      %w = arith.addi %v, %v : i32
// CHECK-NEXT:      vyre.store %w, %v_kept[%1] : memref<?xi32>
// CHECK-NEXT:      vyre.store %w, %a[%k] : memref<?xi32>
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:    }
// CHECK:         %r = vyre.load %v_kept[%2] : memref<?xi32>
// CHECK:         vyre.store %r, %a[%i_1] : memref<?xi32>
// CHECK-NEXT:  }
vyre.program @for [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%v = %x) -> (i32) {
    vyre.barrier grid_sync
    %w = arith.addi %v, %v : i32
    vyre.store %w, %a[%k] : memref<?xi32>
    scf.yield %w : i32
  }
  vyre.store %r, %a[%i] : memref<?xi32>
}

// After the loop the variable has what the last test passed on.
// CHECK-LABEL: vyre.program @while [64, 1, 1]
// CHECK:         %v_kept = vyre.scratch per_invocation : memref<?xi32>
// CHECK:         %x = vyre.load %a[%i] : memref<?xi32>
// CHECK-NEXT:    vyre.store %x, %v_kept[%0] : memref<?xi32>
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    %r = scf.while (%k = %n) : (index) -> index {
// CHECK:           %more = arith.cmpi ne, %k, %c0_1 : index
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:      scf.condition(%more) %k : index
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%l: index):
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK:           %v = vyre.load %v_kept[%1] : memref<?xi32>
// CHECK:           %w = arith.addi %v, %v : i32
// CHECK-NEXT:      vyre.store %w, %v_kept[%1] : memref<?xi32>
// CHECK-NEXT:      vyre.store %w, %a[%l] : memref<?xi32>
// CHECK-NEXT:      %m = arith.subi %l, %c1_1 : index
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:      scf.yield %m : index
// CHECK-NEXT:    }
// CHECK:         %v_1 = vyre.load %v_kept[%2] : memref<?xi32>
// CHECK:         vyre.store %v_1, %a[%i_1] : memref<?xi32>
// CHECK-NEXT:  }
vyre.program @while [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  %r:2 = scf.while (%v = %x, %k = %n) : (i32, index) -> (i32, index) {
    %more = arith.cmpi ne, %k, %c0 : index
    scf.condition(%more) %v, %k : i32, index
  } do {
  ^bb0(%u: i32, %l: index):
    vyre.barrier grid_sync
    %w = arith.addi %u, %u : i32
    vyre.store %w, %a[%l] : memref<?xi32>
    %m = arith.subi %l, %c1 : index
    scf.yield %w, %m : i32, index
  }
  vyre.store %r#0, %a[%i] : memref<?xi32>
}

// What is there before the branch is stored before it, and overwritten in the other arm.
// CHECK-LABEL: vyre.program @if [64, 1, 1]
// CHECK:         %r_kept = vyre.scratch per_invocation : memref<?xi32>
// CHECK:         %x = vyre.load %a[%i] : memref<?xi32>
// CHECK-NEXT:    vyre.store %x, %r_kept[%0] : memref<?xi32>
// CHECK-NEXT:    %b = arith.cmpi eq, %n, %c0 : index
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    scf.if %b {
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK:           %y = vyre.load %a[%c0_1] : memref<?xi32>
// CHECK-NEXT:      vyre.store %y, %r_kept[%1] : memref<?xi32>
// CHECK-NEXT:      vyre.store %y, %a[%i_1] : memref<?xi32>
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:    } else {
// CHECK-NEXT:    }
// CHECK:         %r = vyre.load %r_kept[%2] : memref<?xi32>
// CHECK:         vyre.store %r, %a[%i_2] : memref<?xi32>
// CHECK-NEXT:  }
vyre.program @if [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  %b = arith.cmpi eq, %n, %c0 : index
  %r = scf.if %b -> (i32) {
    vyre.barrier grid_sync
    %y = vyre.load %a[%c0] : memref<?xi32>
    vyre.store %y, %a[%i] : memref<?xi32>
    scf.yield %y : i32
  } else {
    scf.yield %x : i32
  }
  vyre.store %r, %a[%i] : memref<?xi32>
}

// Both are read before either is written.
// CHECK-LABEL: vyre.program @swapped [64, 1, 1]
// CHECK:         %v_kept = vyre.scratch per_invocation : memref<?xi32>
// CHECK-NEXT:    %w_kept = vyre.scratch per_invocation : memref<?xi32>
// CHECK:         %x = vyre.load %a[%i] : memref<?xi32>
// CHECK-NEXT:    vyre.store %x, %v_kept[%0] : memref<?xi32>
// CHECK-NEXT:    %y = vyre.load %a[%n] : memref<?xi32>
// CHECK-NEXT:    vyre.store %y, %w_kept[%0] : memref<?xi32>
// CHECK-NEXT:    vyre.store %y, %a[%i] : memref<?xi32>
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    scf.for %k = %c0 to %n step %c1 {
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK:           %v = vyre.load %v_kept[%1] : memref<?xi32>
// CHECK-NEXT:      %w = vyre.load %w_kept[%1] : memref<?xi32>
// CHECK-NEXT:      vyre.store %v, %a[%k] : memref<?xi32>
// CHECK-NEXT:      vyre.store %w, %v_kept[%1] : memref<?xi32>
// CHECK-NEXT:      vyre.store %v, %w_kept[%1] : memref<?xi32>
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:    }
// CHECK:         %r = vyre.load %v_kept[%2] : memref<?xi32>
// CHECK:         vyre.store %r, %a[%i_1] : memref<?xi32>
// CHECK-NEXT:  }
vyre.program @swapped [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  %y = vyre.load %a[%n] : memref<?xi32>
  vyre.store %y, %a[%i] : memref<?xi32>
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%v = %x, %w = %y) -> (i32, i32) {
    vyre.barrier grid_sync
    vyre.store %v, %a[%k] : memref<?xi32>
    scf.yield %w, %v : i32, i32
  }
  vyre.store %r#0, %a[%i] : memref<?xi32>
}

// Places that invocations share are not read and written in one run.
// CHECK-LABEL: vyre.program @swapped_uniform [64, 1, 1]
// CHECK:         %v_kept = vyre.scratch single : memref<1xi32>
// CHECK-NEXT:    %w_kept = vyre.scratch single : memref<1xi32>
// CHECK-NEXT:    %w_kept_1 = vyre.scratch single : memref<1xi32>
// CHECK-NEXT:    %v_kept_1 = vyre.scratch single : memref<1xi32>
// CHECK:         %x = vyre.load %b[%n] : memref<?xi32>
// CHECK-NEXT:    vyre.store %x, %v_kept[%0] : memref<1xi32>
// CHECK-NEXT:    %y = vyre.load %b[%c0] : memref<?xi32>
// CHECK-NEXT:    vyre.store %y, %w_kept[%0] : memref<1xi32>
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    scf.for %k = %c0 to %n step %c1 {
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK:           %v = vyre.load %v_kept[%1] : memref<1xi32>
// CHECK-NEXT:      %w = vyre.load %w_kept[%1] : memref<1xi32>
// CHECK-NEXT:      vyre.store %v, %a[%k] : memref<?xi32>
// CHECK-NEXT:      vyre.store %w, %w_kept_1[%1] : memref<1xi32>
// CHECK-NEXT:      vyre.store %v, %v_kept_1[%1] : memref<1xi32>
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK:           %w_1 = vyre.load %w_kept_1[%2] : memref<1xi32>
// CHECK-NEXT:      %v_1 = vyre.load %v_kept_1[%2] : memref<1xi32>
// CHECK-NEXT:      vyre.store %w_1, %v_kept[%2] : memref<1xi32>
// CHECK-NEXT:      vyre.store %v_1, %w_kept[%2] : memref<1xi32>
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:    }
// CHECK:         %r = vyre.load %v_kept[%3] : memref<1xi32>
// CHECK:         vyre.store %r, %a[%i_1] : memref<?xi32>
// CHECK-NEXT:  }
vyre.program @swapped_uniform [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %b = vyre.buffer "b" read_only binding 1 : memref<?xi32>
  %x = vyre.load %b[%n] : memref<?xi32>
  %y = vyre.load %b[%c0] : memref<?xi32>
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%v = %x, %w = %y) -> (i32, i32) {
    vyre.barrier grid_sync
    vyre.store %v, %a[%k] : memref<?xi32>
    scf.yield %w, %v : i32, i32
  }
  vyre.store %r#0, %a[%i] : memref<?xi32>
}

// The next value is there early, but the old one is still read: written at the last read.
// CHECK-LABEL: vyre.program @early_next_value [64, 1, 1]
// CHECK:         %v_kept = vyre.scratch per_invocation : memref<?xi32>
// CHECK-NEXT:    %w_kept = vyre.scratch single : memref<1xi32>
// CHECK:         %x = vyre.load %a[%i] : memref<?xi32>
// CHECK-NEXT:    vyre.store %x, %v_kept[%0] : memref<?xi32>
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    scf.for %k = %c0 to %n step %c1 {
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK:           %w = vyre.load %a[%k] : memref<?xi32>
// CHECK-NEXT:      vyre.store %w, %w_kept[%1] : memref<1xi32>
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK:           %v = vyre.load %v_kept[%2] : memref<?xi32>
// CHECK:           %w_1 = vyre.load %w_kept[%3] : memref<1xi32>
// CHECK-NEXT:      vyre.store %v, %a[%i_1] : memref<?xi32>
// CHECK-NEXT:      vyre.store %w_1, %v_kept[%2] : memref<?xi32>
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:    }
// CHECK:         %r = vyre.load %v_kept[%4] : memref<?xi32>
// CHECK:         vyre.store %r, %a[%i_2] : memref<?xi32>
// CHECK-NEXT:  }
vyre.program @early_next_value [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%v = %x) -> (i32) {
    vyre.barrier grid_sync
    %w = vyre.load %a[%k] : memref<?xi32>
    vyre.barrier grid_sync
    vyre.store %v, %a[%i] : memref<?xi32>
    vyre.barrier grid_sync
    scf.yield %w : i32
  }
  vyre.store %r, %a[%i] : memref<?xi32>
}

// Nobody reads what the loop carries, so it is not carried any more.
// CHECK-LABEL: vyre.program @unused [64, 1, 1]
// CHECK-NOT:     vyre.scratch
// CHECK:         %x = vyre.load %a[%i] : memref<?xi32>
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    scf.for %k = %c0 to %n step %c1 {
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:      %w = vyre.load %a[%k] : memref<?xi32>
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @unused [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%v = %x) -> (i32) {
    vyre.barrier grid_sync
    %w = vyre.load %a[%k] : memref<?xi32>
    scf.yield %w : i32
  }
}

// Carried through unchanged: written once.
// CHECK-LABEL: vyre.program @unchanged [64, 1, 1]
// CHECK:         %v_kept = vyre.scratch per_invocation : memref<?xi32>
// CHECK:         %x = vyre.load %a[%i] : memref<?xi32>
// CHECK-NEXT:    vyre.store %x, %v_kept[%0] : memref<?xi32>
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    scf.for %k = %c0 to %n step %c1 {
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK:           %v = vyre.load %v_kept[%1] : memref<?xi32>
// CHECK-NEXT:      vyre.store %v, %a[%k] : memref<?xi32>
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @unchanged [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%v = %x) -> (i32) {
    vyre.barrier grid_sync
    vyre.store %v, %a[%k] : memref<?xi32>
    scf.yield %v : i32
  }
}

// Code may not join a collective: what enters the loop is stored before that.
// CHECK-LABEL: vyre.program @after_a_collective [64, 1, 1]
// CHECK:         vyre.store %x, %v_kept[%0] : memref<?xi32>
// CHECK:         vyre.all_reduce add %a : memref<?xi32>
// CHECK:           vyre.barrier grid_sync
// CHECK:           %v = vyre.load %v_kept[%1] : memref<?xi32>
// CHECK:           vyre.barrier grid_sync
vyre.program @after_a_collective [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  vyre.all_reduce add %a : memref<?xi32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%v = %x) -> (i32) {
    vyre.barrier grid_sync
    vyre.store %v, %a[%k] : memref<?xi32>
    scf.yield %v : i32
  }
}
