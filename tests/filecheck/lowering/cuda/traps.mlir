// RUN: vyre-opt %s -t 'vyre-cuda{mode=native}' | filecheck %s

// A trap is recorded, and the invocation ends.
// CHECK:       static __device__ void vyre_record_trap(
// CHECK-LABEL: traps_kernel(
// CHECK:           unsigned long long *vyre_trap) {
// CHECK:         if ((int)v < 0) {
// CHECK-NEXT:      vyre_record_trap(vyre_trap, vyre_invocation(), 0, (int)v);
// CHECK-NEXT:      return;
// CHECK-NEXT:    }
vyre.program @traps [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %zero = arith.constant 0 : i32
  %i = vyre.invocation_id x
  %v = vyre.load %a[%i] : memref<?xi32>
  %negative = arith.cmpi slt, %v, %zero : i32
  scf.if %negative {
    vyre.trap "negative" at %v : i32
  }
  vyre.store %v, %a[%i] : memref<?xi32>
}

// Before a grid barrier it runs along, for everyone must come there, and all leave then. A
// load after it is compared although who did not trap is inside.
// CHECK-LABEL: meets_kernel(
// CHECK:         bool alive;
// CHECK-NEXT:    if (i >= a_size) {
// CHECK-NEXT:      vyre_record_trap(vyre_trap, vyre_invocation(), 0, 0);
// CHECK-NEXT:      alive = false;
// CHECK-NEXT:    } else {
// CHECK-NEXT:      alive = true;
// CHECK-NEXT:    }
// CHECK-NEXT:    const unsigned int v = i < a_size ? a[i] : 0;
// CHECK-NEXT:    if (!vyre_grid_sync(vyre_grid, vyre_stop, vyre_trap)) return;
// CHECK-NEXT:    if (alive) a[i] = v;
vyre.program @meets [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.length %a, 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %outside = arith.cmpi uge, %i, %n : index
  scf.if %outside {
    vyre.trap "outside"
  }
  %v = vyre.load %a[%i] : memref<?xi32>
  vyre.barrier grid_sync
  vyre.store %v, %a[%i] : memref<?xi32>
}
