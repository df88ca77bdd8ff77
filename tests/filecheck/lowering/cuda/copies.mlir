// RUN: vyre-opt %s -t vyre-cuda | filecheck %s

// A copy goes through what lies inside the destination, however much was asked for.
// CHECK-LABEL: copies_kernel(
// CHECK:         const unsigned long long copy_end = vyre_copy_end((long long)first, (long long)n, 256);
// CHECK-NEXT:    for (unsigned long long [[K:.*]] = vyre_copy_begin((long long)first); [[K]] < copy_end; ++[[K]]) {
// CHECK-NEXT:      if (([[K]] & 0xffff) == 0xffff && *vyre_stop != 0) return;
// CHECK-NEXT:      const unsigned long long from = n + [[K]];
// CHECK-NEXT:      tile[first + [[K]]] = (i < a_size_0 && from < 8) ? a[(unsigned long long)i * 8 + from] : 0.0f;
// CHECK-NEXT:    }
vyre.program @copies [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?x8xf32>
  %b = vyre.buffer "b" write_only binding 1 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<256xf32>
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  %n = vyre.param "n" : index
  %four = arith.constant 4 : index
  %first = arith.muli %l, %four : index
  %t = vyre.async_load %a[%i, %n], %tile[%first], %n : memref<?x8xf32>, memref<256xf32>
  vyre.async_wait %t
  %x = vyre.load %tile[%first] : memref<256xf32>
  vyre.store %x, %b[%i] : memref<?xf32>
}
