// RUN: vyre-opt %s -t 'vyre-cuda{mode=native}' | filecheck %s

// Buffers that take turns are pointers, with the sizes that somebody asks for. None is
// `__restrict__`: what one was is the other one after a barrier.
// CHECK-LABEL: swap_kernel(
// CHECK-NEXT:      float *a,
// CHECK-NEXT:      const unsigned long long a_size_0,
// CHECK-NEXT:      const unsigned long long a_size_1,
// CHECK-NEXT:      float *b,
// CHECK:         float *from = a;
// CHECK-NEXT:    unsigned long long from_size_0 = a_size_0;
// CHECK-NEXT:    unsigned long long from_size_1 = a_size_1;
// CHECK-NEXT:    float *to = b;
// CHECK-NEXT:    unsigned long long to_size_0 = b_size_0;
// CHECK-NEXT:    unsigned long long to_size_1 = b_size_1;
// CHECK-NEXT:    for (long long k = 0; k < (long long)rounds; ++k) {
// CHECK:           float *const next_from = to;
// CHECK-NEXT:      to = from;
// CHECK-NEXT:      from = next_from;
vyre.program @swap [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?x?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?x?xf32>
  %rounds = vyre.param "rounds" : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %i = vyre.invocation_id x
  scf.for %k = %zero to %rounds step %one iter_args(%from = %a, %to = %b) -> (memref<?x?xf32>, memref<?x?xf32>) {
    %v = vyre.load %from[%i, %zero] : memref<?x?xf32>
    vyre.store %v, %to[%i, %one] : memref<?x?xf32>
    vyre.barrier grid_sync
    scf.yield %to, %from : memref<?x?xf32>, memref<?x?xf32>
  }
}

// Nobody asks for a size, or for the buffer that is only passed on.
// CHECK-LABEL: sizes_kernel(
// CHECK:         unsigned long long from_size = a_size;
// CHECK-NEXT:    unsigned long long to_size = b_size;
// CHECK-NEXT:    for (unsigned int k = 0; k < 3; ++k) {
// CHECK-NEXT:      out[k] = from_size;
// CHECK-NEXT:      const unsigned long long next_from_size = to_size;
vyre.program @sizes [1, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_only binding 1 : memref<?xf32>
  %out = vyre.buffer "out" write_only binding 2 : memref<3xindex>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  scf.for %k = %zero to %three step %one iter_args(%from = %a, %to = %b) -> (memref<?xf32>, memref<?xf32>) {
    %n = vyre.length %from, 0 : memref<?xf32>
    vyre.store %n, %out[%k] : memref<3xindex>
    scf.yield %to, %from : memref<?xf32>, memref<?xf32>
  }
}
