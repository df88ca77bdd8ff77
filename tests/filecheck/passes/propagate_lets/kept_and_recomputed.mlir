// RUN: vyre-opt %s -p vyre-propagate-lets | filecheck %s

// A load cannot be repeated when its buffer changes, so its value is kept.
// CHECK-LABEL: vyre.program @kept [64, 1, 1]
// CHECK:         %x_kept = vyre.scratch per_invocation : memref<?xf32>
// CHECK:         %x = vyre.load %a[%i] : memref<?xf32>
// CHECK-NEXT:    vyre.store %x, %x_kept[%0] : memref<?xf32>
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK:         %x_1 = vyre.load %x_kept[%1] : memref<?xf32>
// CHECK:         vyre.store %x_1, %a[%i_1] : memref<?xf32>
// CHECK-NEXT:  }
vyre.program @kept [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xf32>
  vyre.barrier grid_sync
  vyre.store %x, %a[%i] : memref<?xf32>
}

// Cheap arithmetic is done again, from ids and constants.
// CHECK-LABEL: vyre.program @recomputed [64, 1, 1]
// CHECK-NOT:     vyre.scratch
// CHECK:         %i = vyre.invocation_id x
// CHECK-NEXT:    %one = arith.constant 1 : index
// CHECK-NEXT:    %k = arith.addi %i, %one : index
// CHECK-NEXT:    vyre.store %k, %a[%i] : memref<?xindex>
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    %i_1 = vyre.invocation_id x
// CHECK-NEXT:    %one_1 = arith.constant 1 : index
// CHECK-NEXT:    %k_1 = arith.addi %i_1, %one_1 : index
// CHECK-NEXT:    vyre.store %i_1, %a[%k_1] : memref<?xindex>
// CHECK-NEXT:  }
vyre.program @recomputed [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %i = vyre.invocation_id x
  %one = arith.constant 1 : index
  %k = arith.addi %i, %one : index
  vyre.store %k, %a[%i] : memref<?xindex>
  vyre.barrier grid_sync
  vyre.store %i, %a[%k] : memref<?xindex>
}

// Two values computed from a load: one is kept, the others follow from it.
// CHECK-LABEL: vyre.program @kept_once [64, 1, 1]
// CHECK:         %x_kept = vyre.scratch per_invocation : memref<?xi32>
// CHECK:         %x = vyre.load %a[%i] : memref<?xi32>
// CHECK-NEXT:    vyre.store %x, %x_kept[%0] : memref<?xi32>
// CHECK-NEXT:    %y = arith.addi %x, %x : i32
// CHECK-NEXT:    %z = arith.muli %y, %x : i32
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK:         %x_1 = vyre.load %x_kept[%1] : memref<?xi32>
// CHECK-NEXT:    %y_1 = arith.addi %x_1, %x_1 : i32
// CHECK:         %z_1 = arith.muli %y_1, %x_1 : i32
// CHECK-NEXT:    vyre.store %y_1, %a[%i_1] : memref<?xi32>
// CHECK-NEXT:    %old = vyre.atomic add %z_1, %a[%i_1] : memref<?xi32>
// CHECK-NEXT:  }
vyre.program @kept_once [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  %y = arith.addi %x, %x : i32
  %z = arith.muli %y, %x : i32
  vyre.barrier grid_sync
  vyre.store %y, %a[%i] : memref<?xi32>
  %old = vyre.atomic add %z, %a[%i] : memref<?xi32>
}

// Two loads are joined before the cut, so that one number is kept instead of two.
// CHECK-LABEL: vyre.program @kept_after_sum [64, 1, 1]
// CHECK:         %sum_kept = vyre.scratch per_invocation : memref<?xi32>
// CHECK:         %x = vyre.load %a[%i] : memref<?xi32>
// CHECK-NEXT:    %y = vyre.load %b[%i] : memref<?xi32>
// CHECK-NEXT:    %sum = arith.addi %x, %y : i32
// CHECK-NEXT:    vyre.store %sum, %sum_kept[%0] : memref<?xi32>
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK:         %sum_1 = vyre.load %sum_kept[%1] : memref<?xi32>
// CHECK:         vyre.store %sum_1, %a[%i_1] : memref<?xi32>
// CHECK-NEXT:    vyre.store %sum_1, %b[%i_1] : memref<?xi32>
// CHECK-NEXT:  }
vyre.program @kept_after_sum [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  %y = vyre.load %b[%i] : memref<?xi32>
  %sum = arith.addi %x, %y : i32
  vyre.barrier grid_sync
  vyre.store %sum, %a[%i] : memref<?xi32>
  vyre.store %sum, %b[%i] : memref<?xi32>
}

// A wide value is narrowed before it is kept, not after.
// CHECK-LABEL: vyre.program @kept_narrow [64, 1, 1]
// CHECK:         %low_kept = vyre.scratch per_invocation : memref<?xi32>
// CHECK:         %x = vyre.load %a[%i] : memref<?xi64>
// CHECK-NEXT:    %low = arith.trunci %x : i64 to i32
// CHECK-NEXT:    vyre.store %low, %low_kept[%0] : memref<?xi32>
// CHECK-NEXT:    vyre.store %x, %a[%i] : memref<?xi64>
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK:         %low_1 = vyre.load %low_kept[%1] : memref<?xi32>
// CHECK:         vyre.store %low_1, %b[%i_1] : memref<?xi32>
// CHECK-NEXT:  }
vyre.program @kept_narrow [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi64>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi64>
  %low = arith.trunci %x : i64 to i32
  vyre.store %x, %a[%i] : memref<?xi64>
  vyre.barrier grid_sync
  vyre.store %low, %b[%i] : memref<?xi32>
}

// Runs that nothing follows need no barrier; every other one gets one behind it.
// CHECK-LABEL: vyre.program @runs_are_separated [64, 1, 1]
// CHECK:         %zero = arith.constant 0 : index
// CHECK-NEXT:    %one = arith.constant 1 : index
// CHECK-NEXT:    %seven = arith.constant 7 : i32
// CHECK-NEXT:    vyre.store %seven, %a[%zero] : memref<?xi32>
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    scf.for %k = %zero to %n step %one {
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:      %seven_1 = arith.constant 7 : i32
// CHECK-NEXT:      vyre.store %seven_1, %a[%k] : memref<?xi32>
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @runs_are_separated [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %seven = arith.constant 7 : i32
  vyre.store %seven, %a[%zero] : memref<?xi32>
  scf.for %k = %zero to %n step %one {
    vyre.barrier grid_sync
    vyre.store %seven, %a[%k] : memref<?xi32>
  }
}

// Nothing crosses.
// CHECK-LABEL: vyre.program @nothing [64, 1, 1]
// CHECK:         vyre.store %i, %a[%i] : memref<?xindex>
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:  }
vyre.program @nothing [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %i = vyre.invocation_id x
  vyre.store %i, %a[%i] : memref<?xindex>
  vyre.barrier grid_sync
  vyre.barrier grid_sync
}

// No grid barrier, no change.
// CHECK-LABEL: vyre.program @untouched [64, 1, 1]
// CHECK:         %x = vyre.load %a[%i] : memref<?xf32>
// CHECK-NEXT:    vyre.barrier acq_rel
// CHECK-NEXT:    vyre.store %x, %a[%i] : memref<?xf32>
// CHECK-NEXT:  }
vyre.program @untouched [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xf32>
  vyre.barrier acq_rel
  vyre.store %x, %a[%i] : memref<?xf32>
}
