// RUN: vyre-opt %s -p vyre-propagate-lets | filecheck %s

// One life ends in the run where the other begins: one place for both.
// CHECK-LABEL: vyre.program @one_after_another [64, 1, 1]
// CHECK:         %x_kept = vyre.scratch per_invocation : memref<?xi32>
// CHECK:         vyre.store %x, %x_kept[%0] : memref<?xi32>
// CHECK:         %x_1 = vyre.load %x_kept[%1] : memref<?xi32>
// CHECK:         vyre.store %y, %x_kept[%1] : memref<?xi32>
// CHECK:         %y_1 = vyre.load %x_kept[%2] : memref<?xi32>
vyre.program @one_after_another [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  vyre.barrier grid_sync
  vyre.store %x, %a[%i] : memref<?xi32>
  %y = vyre.atomic add %x, %a[%c0] : memref<?xi32>
  vyre.barrier grid_sync
  vyre.store %y, %a[%i] : memref<?xi32>
}

// Both are alive at the barrier.
// CHECK-LABEL: vyre.program @at_once [64, 1, 1]
// CHECK:         %x_kept = vyre.scratch per_invocation : memref<?xi32>
// CHECK:         %y_kept = vyre.scratch per_invocation : memref<?xi32>
// CHECK:         vyre.store %x, %x_kept[%0] : memref<?xi32>
// CHECK:         vyre.store %y, %y_kept[%0] : memref<?xi32>
// CHECK:         %x_1 = vyre.load %x_kept[%1] : memref<?xi32>
// CHECK:         %y_1 = vyre.load %y_kept[%1] : memref<?xi32>
vyre.program @at_once [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  %j = arith.addi %i, %c1 : index
  %y = vyre.load %a[%j] : memref<?xi32>
  vyre.barrier grid_sync
  vyre.store %x, %a[%i] : memref<?xi32>
  vyre.store %y, %a[%i] : memref<?xi32>
}

// Different types do not share.
// CHECK-LABEL: vyre.program @other_type [64, 1, 1]
// CHECK:         %x_kept = vyre.scratch per_invocation : memref<?xi32>
// CHECK:         %y_kept = vyre.scratch per_invocation : memref<?xf32>
// CHECK:         vyre.store %x, %x_kept[%0] : memref<?xi32>
// CHECK:         %x_1 = vyre.load %x_kept[%1] : memref<?xi32>
// CHECK:         vyre.store %y, %y_kept[%1] : memref<?xf32>
// CHECK:         %y_1 = vyre.load %y_kept[%2] : memref<?xf32>
vyre.program @other_type [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %x = vyre.load %a[%i] : memref<?xi32>
  vyre.barrier grid_sync
  vyre.store %x, %a[%i] : memref<?xi32>
  %y = vyre.load %b[%i] : memref<?xf32>
  vyre.barrier grid_sync
  vyre.store %y, %b[%i] : memref<?xf32>
}

// A place of the whole grid is not read by one and written by another in the same run.
// CHECK-LABEL: vyre.program @places_of_the_grid [64, 1, 1]
// CHECK:         %x_kept = vyre.scratch single : memref<1xi32>
// CHECK:         %y_kept = vyre.scratch single : memref<1xi32>
// CHECK:         vyre.store %x, %x_kept[%0] : memref<1xi32>
// CHECK:         %x_1 = vyre.load %x_kept[%1] : memref<1xi32>
// CHECK:         vyre.store %y, %y_kept[%1] : memref<1xi32>
// CHECK:         %y_1 = vyre.load %y_kept[%2] : memref<1xi32>
vyre.program @places_of_the_grid [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %x = vyre.load %a[%n] : memref<?xi32>
  vyre.barrier grid_sync
  vyre.store %x, %a[%i] : memref<?xi32>
  %y = vyre.load %b[%n] : memref<?xi32>
  vyre.barrier grid_sync
  vyre.store %y, %b[%i] : memref<?xi32>
}

// A loop comes back to the use, so the place is taken until the loop ends.
// CHECK-LABEL: vyre.program @alive_in_a_loop [64, 1, 1]
// CHECK:         %x_kept = vyre.scratch per_invocation : memref<?xi32>
// CHECK:         %y_kept = vyre.scratch per_invocation : memref<?xi32>
// CHECK:         vyre.store %x, %x_kept[%0] : memref<?xi32>
// CHECK:           %x_1 = vyre.load %x_kept[%1] : memref<?xi32>
// CHECK:           vyre.store %y, %y_kept[%2] : memref<?xi32>
// CHECK:           %y_1 = vyre.load %y_kept[%3] : memref<?xi32>
vyre.program @alive_in_a_loop [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  scf.for %k = %c0 to %n step %c1 {
    vyre.store %x, %a[%k] : memref<?xi32>
    vyre.barrier grid_sync
    %y = vyre.load %a[%i] : memref<?xi32>
    vyre.barrier grid_sync
    vyre.store %y, %a[%k] : memref<?xi32>
  }
}

// Where a run has no code of its own it still reads everything before it writes anything.
// CHECK-LABEL: vyre.program @exchanged_between_loops [64, 1, 1]
// CHECK:         %v_kept = vyre.scratch per_invocation : memref<?xi32>
// CHECK:         %w_kept = vyre.scratch per_invocation : memref<?xi32>
// CHECK:         vyre.store %x, %v_kept[%0] : memref<?xi32>
// CHECK:         vyre.store %y, %w_kept[%0] : memref<?xi32>
// CHECK:           %v = vyre.load %v_kept[%1] : memref<?xi32>
// CHECK:           %w = vyre.load %w_kept[%1] : memref<?xi32>
// CHECK:         %r = vyre.load %w_kept[%2] : memref<?xi32>
// CHECK:         %r_1 = vyre.load %v_kept[%2] : memref<?xi32>
// CHECK:         vyre.store %r, %v_kept[%2] : memref<?xi32>
// CHECK:         vyre.store %r_1, %w_kept[%2] : memref<?xi32>
// CHECK:           %v_1 = vyre.load %v_kept[%3] : memref<?xi32>
// CHECK:           %w_1 = vyre.load %w_kept[%3] : memref<?xi32>
vyre.program @exchanged_between_loops [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  %y = vyre.atomic add %x, %a[%c0] : memref<?xi32>
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%v = %x, %w = %y) -> (i32, i32) {
    vyre.barrier grid_sync
    vyre.store %v, %a[%k] : memref<?xi32>
    vyre.store %w, %a[%k] : memref<?xi32>
    scf.yield %v, %w : i32, i32
  }
  %s:2 = scf.for %k = %c0 to %n step %c1 iter_args(%v = %r#1, %w = %r#0) -> (i32, i32) {
    vyre.barrier grid_sync
    vyre.store %v, %a[%k] : memref<?xi32>
    vyre.store %w, %a[%k] : memref<?xi32>
    scf.yield %v, %w : i32, i32
  }
}
