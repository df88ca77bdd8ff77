// RUN: vyre-opt %s -t 'vyre-cuda{mode=native}' | filecheck %s
// RUN: vyre-opt %s -t vyre-cuda | filecheck %s --check-prefix=SPLIT
// RUN: vyre-opt %s -p vyre-host-plan -t 'vyre-cuda{mode=native}' | filecheck %s --check-prefix=SPLIT

// A native kernel waits for the whole grid; the loop has it in each trip and needs no other
// look at whether to stop. Who returned runs along.
// CHECK:       static __device__ bool vyre_grid_sync(
// CHECK-LABEL: rounds_kernel(
// CHECK:           const volatile unsigned int *vyre_stop,
// CHECK-NEXT:      unsigned int *vyre_grid) {
// CHECK:         const bool alive = i < a_size;
// CHECK-NEXT:    for (long long k = 0; k < (long long)n; ++k) {
// CHECK-NEXT:      if (alive) a[i] = 1;
// CHECK-NEXT:      if (!vyre_grid_sync(vyre_grid, vyre_stop)) return;
// CHECK-NEXT:    }

// A segment has no barrier, and is not cooperative.
// SPLIT-NOT:   vyre_grid
// SPLIT:       rounds_{{[0-9]}}_kernel(
// SPLIT-NOT:   vyre_grid
vyre.program @rounds [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %x = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %size = vyre.length %a, 0 : memref<?xi32>
  %outside = arith.cmpi uge, %i, %size : index
  scf.if %outside {
    vyre.return
  }
  scf.for %k = %zero to %n step %one {
    vyre.store %x, %a[%i] : memref<?xi32>
    vyre.barrier grid_sync
  }
}
