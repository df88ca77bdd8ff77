// RUN: vyre-opt %s -p vyre-propagate-lets | filecheck %s

// Nothing writes the buffer up to the use: loaded again, not kept.
// CHECK-LABEL: vyre.program @read_only [64, 1, 1]
// CHECK-NOT:     vyre.scratch
// CHECK:         %x = vyre.load %a[%i] : memref<?xf32>
// CHECK-NEXT:    vyre.store %x, %b[%i] : memref<?xf32>
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK:         %x_1 = vyre.load %a[%i_1] : memref<?xf32>
// CHECK-NEXT:    %y = vyre.load %b[%i_1] : memref<?xf32>
// CHECK-NEXT:    %sum = arith.addf %x_1, %y : f32
// CHECK-NEXT:    vyre.store %sum, %b[%i_1] : memref<?xf32>
// CHECK-NEXT:  }
vyre.program @read_only [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xf32>
  vyre.store %x, %b[%i] : memref<?xf32>
  vyre.barrier grid_sync
  %y = vyre.load %b[%i] : memref<?xf32>
  %sum = arith.addf %x, %y : f32
  vyre.store %sum, %b[%i] : memref<?xf32>
}

// Written only after the last use.
// CHECK-LABEL: vyre.program @written_later [64, 1, 1]
// CHECK-NOT:     vyre.scratch
// CHECK:         %x = vyre.load %a[%i] : memref<?xf32>
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK:         %x_1 = vyre.load %a[%i_1] : memref<?xf32>
// CHECK-NEXT:    vyre.store %x_1, %b[%i_1] : memref<?xf32>
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK:         vyre.store %zero, %a[%i_2] : memref<?xf32>
// CHECK-NEXT:  }
vyre.program @written_later [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xf32>
  vyre.barrier grid_sync
  vyre.store %x, %b[%i] : memref<?xf32>
  vyre.barrier grid_sync
  %zero = arith.constant 0.0 : f32
  vyre.store %zero, %a[%i] : memref<?xf32>
}

// Written in the run of the load.
// CHECK-LABEL: vyre.program @written_with_it [64, 1, 1]
// CHECK:         %x_kept = vyre.scratch per_invocation : memref<?xf32>
// CHECK:         %x = vyre.load %a[%i] : memref<?xf32>
// CHECK:         %x_1 = vyre.load %x_kept[%1] : memref<?xf32>
vyre.program @written_with_it [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %i = vyre.invocation_id x
  %zero = arith.constant 0.0 : f32
  %x = vyre.load %a[%i] : memref<?xf32>
  vyre.store %zero, %a[%i] : memref<?xf32>
  vyre.barrier grid_sync
  vyre.store %x, %b[%i] : memref<?xf32>
}

// Written between.
// CHECK-LABEL: vyre.program @written_between [64, 1, 1]
// CHECK:         %x_kept = vyre.scratch per_invocation : memref<?xf32>
// CHECK:         %x = vyre.load %a[%i] : memref<?xf32>
// CHECK:         %x_1 = vyre.load %x_kept[%1] : memref<?xf32>
vyre.program @written_between [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %i = vyre.invocation_id x
  %zero = arith.constant 0.0 : f32
  %x = vyre.load %a[%i] : memref<?xf32>
  vyre.barrier grid_sync
  vyre.store %zero, %a[%i] : memref<?xf32>
  vyre.barrier grid_sync
  vyre.store %x, %b[%i] : memref<?xf32>
}

// Written after the use, but in a loop that comes back to the use.
// CHECK-LABEL: vyre.program @written_on_the_way_back [64, 1, 1]
// CHECK:         %x_kept = vyre.scratch per_invocation : memref<?xf32>
// CHECK:         %x = vyre.load %a[%i] : memref<?xf32>
// CHECK:           %x_1 = vyre.load %x_kept[%1] : memref<?xf32>
vyre.program @written_on_the_way_back [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %zero = arith.constant 0.0 : f32
  %x = vyre.load %a[%i] : memref<?xf32>
  scf.for %k = %c0 to %n step %c1 {
    vyre.store %x, %b[%k] : memref<?xf32>
    vyre.barrier grid_sync
    vyre.store %zero, %a[%i] : memref<?xf32>
    vyre.barrier grid_sync
  }
}

// An asynchronous copy writes, too.
// CHECK-LABEL: vyre.program @written_by_a_copy [1, 1, 1]
// CHECK:         %x_kept = vyre.scratch per_invocation : memref<?xf32>
// CHECK:         %x = vyre.load %a[%i] : memref<?xf32>
// CHECK:         %x_1 = vyre.load %x_kept[%1] : memref<?xf32>
vyre.program @written_by_a_copy [1, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<1xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xf32>
  vyre.barrier grid_sync
  %t = vyre.async_store %tile[%c0], %a[%i], %c1 : memref<1xf32>, memref<?xf32>
  vyre.async_wait %t
  vyre.barrier grid_sync
  vyre.store %x, %b[%i] : memref<?xf32>
}

// A carried buffer may be any of its sources.
// CHECK-LABEL: vyre.program @written_under_another_name [64, 1, 1]
// CHECK:         %x_kept = vyre.scratch per_invocation : memref<?xf32>
// CHECK:         %x = vyre.load %a[%i] : memref<?xf32>
// CHECK:           %v = vyre.load %from[%k] : memref<?xf32>
// CHECK:         %x_1 = vyre.load %x_kept[%1] : memref<?xf32>
vyre.program @written_under_another_name [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %c = vyre.buffer "c" read_write binding 2 : memref<?xf32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xf32>
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%from = %a, %to = %b) -> (memref<?xf32>, memref<?xf32>) {
    %v = vyre.load %from[%k] : memref<?xf32>
    vyre.store %v, %to[%i] : memref<?xf32>
    vyre.barrier grid_sync
    scf.yield %to, %from : memref<?xf32>, memref<?xf32>
  }
  vyre.store %x, %c[%i] : memref<?xf32>
}

// The result of a region is what it was in every run, also where the region's own run loads
// it again.
// CHECK-LABEL: vyre.program @out_of_a_region [64, 1, 1]
// CHECK:         %x_kept = vyre.scratch per_invocation : memref<?xf32>
// CHECK:         %x = vyre.load %a[%i] : memref<?xf32>
// CHECK:         vyre.store %x, %x_kept[%0] : memref<?xf32>
// CHECK:         vyre.barrier grid_sync
// CHECK:         %x_1 = vyre.load %a[%i_1] : memref<?xf32>
// CHECK:           vyre.store %x_1, %b[%i_1] : memref<?xf32>
// CHECK:           vyre.yield %x_1 : f32
// CHECK:         vyre.barrier grid_sync
// CHECK:         vyre.store %zero_1, %a[%i_2] : memref<?xf32>
// CHECK:         vyre.barrier grid_sync
// CHECK:         %x_2 = vyre.load %x_kept[%1] : memref<?xf32>
// CHECK:         vyre.store %x_2, %a[%i_3] : memref<?xf32>
vyre.program @out_of_a_region [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %i = vyre.invocation_id x
  %zero = arith.constant 0.0 : f32
  %x = vyre.load %a[%i] : memref<?xf32>
  vyre.barrier grid_sync
  %r = vyre.region -> (f32) {
    vyre.store %x, %b[%i] : memref<?xf32>
    vyre.yield %x : f32
  }
  vyre.barrier grid_sync
  vyre.store %zero, %a[%i] : memref<?xf32>
  vyre.barrier grid_sync
  vyre.store %r, %a[%i] : memref<?xf32>
}
