// RUN: vyre-opt %s -t 'vyre-cuda{mode=native}' | filecheck %s
// RUN: vyre-opt %s -t vyre-cuda | filecheck %s --check-prefix=SPLIT

// The whole grid copies as many elements as both buffers have, when all are there.
// CHECK-LABEL: gather_kernel(
// CHECK:         if (i < a_size) a[i] = 1.0f;
// CHECK-NEXT:    if (!vyre_grid_sync(vyre_grid, vyre_stop)) return;
// CHECK-NEXT:    for (unsigned long long k = vyre_invocation(); k < a_size && k < 32; k += vyre_invocations()) {
// CHECK-NEXT:      b[k] = a[k];
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// As a launch of its own it waits for nobody.
// SPLIT-LABEL: gather_1_kernel(
// SPLIT-NOT:     vyre_grid_sync
// SPLIT:           b[k] = a[k];
vyre.program @gather [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %b = vyre.buffer "b" write_only binding 1 : memref<4x8xf32>
  %i = vyre.invocation_id x
  %x = arith.constant 1.0 : f32
  vyre.store %x, %a[%i] : memref<?xf32>
  vyre.all_gather %a, %b : memref<?xf32>, memref<4x8xf32>
}
