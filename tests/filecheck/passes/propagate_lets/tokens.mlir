// RUN: vyre-opt %s -p vyre-propagate-lets | filecheck %s

// A copy is waited for where it is started.
// CHECK-LABEL: vyre.program @waited_for_early [1, 1, 1]
// CHECK:         %t = vyre.async_load %a[%c0], %tile[%c0], %c1 : memref<?xi32>, memref<1xi32>
// CHECK-NEXT:    vyre.async_wait %t
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:  }
vyre.program @waited_for_early [1, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<1xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = vyre.async_load %a[%c0], %tile[%c0], %c1 : memref<?xi32>, memref<1xi32>
  vyre.barrier grid_sync
  vyre.async_wait %t
}

// Another wait goes on waiting for copies of its own run.
// CHECK-LABEL: vyre.program @waits_for_the_rest [1, 1, 1]
// CHECK:         %t = vyre.async_load %a[%c0], %tile[%c0], %c1 : memref<?xi32>, memref<2xi32>
// CHECK-NEXT:    vyre.async_wait %t
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK:         %u = vyre.async_load %a[%c0_1], %tile[%c1_1], %c1_1 : memref<?xi32>, memref<2xi32>
// CHECK-NEXT:    vyre.async_wait %u
// CHECK-NEXT:  }
vyre.program @waits_for_the_rest [1, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<2xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = vyre.async_load %a[%c0], %tile[%c0], %c1 : memref<?xi32>, memref<2xi32>
  vyre.barrier grid_sync
  %u = vyre.async_load %a[%c0], %tile[%c1], %c1 : memref<?xi32>, memref<2xi32>
  vyre.async_wait %t, %u
}

// Loops do not carry copies any more.
// CHECK-LABEL: vyre.program @carried [1, 1, 1]
// CHECK:         %t = vyre.async_load %a[%c0], %tile[%c0], %c1 : memref<?xi32>, memref<1xi32>
// CHECK-NEXT:    vyre.async_wait %t
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    scf.for %k = %c0 to %n step %c1 {
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK:           %v = vyre.async_load %a[%k], %tile[%c0_1], %c1_1 : memref<?xi32>, memref<1xi32>
// CHECK-NEXT:      vyre.async_wait %v
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @carried [1, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %tile = vyre.buffer "tile" workgroup : memref<1xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = vyre.async_load %a[%c0], %tile[%c0], %c1 : memref<?xi32>, memref<1xi32>
  %last = scf.for %k = %c0 to %n step %c1 iter_args(%u = %t) -> (!vyre.token) {
    vyre.async_wait %u
    vyre.barrier grid_sync
    %v = vyre.async_load %a[%k], %tile[%c0], %c1 : memref<?xi32>, memref<1xi32>
    scf.yield %v : !vyre.token
  }
  vyre.async_wait %last
}

// The copy is done before the memory it writes is saved.
// CHECK-LABEL: vyre.program @before_saving [1, 1, 1]
// CHECK:         vyre.async_wait %t
// CHECK:         vyre.barrier acq_rel
// CHECK:           vyre.store %4, %tile_kept[%1, %element] : memref<?x1xi32>
// CHECK:         vyre.barrier grid_sync
// CHECK:           %9 = vyre.load %tile_kept[%6, %element_1] : memref<?x1xi32>
// CHECK:         vyre.barrier acq_rel
vyre.program @before_saving [1, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<1xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = vyre.async_load %a[%c0], %tile[%c0], %c1 : memref<?xi32>, memref<1xi32>
  vyre.barrier grid_sync
  vyre.async_wait %t
  %x = vyre.load %tile[%c0] : memref<1xi32>
  vyre.store %x, %a[%c1] : memref<?xi32>
}
