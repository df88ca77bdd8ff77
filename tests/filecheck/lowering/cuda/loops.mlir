// RUN: vyre-opt %s -t vyre-cuda | filecheck %s

// Bounds that are not negative are counted without signs, and then no step wraps. A loop
// that may be long looks at the stop word now and then, by its own number if that counts by
// one.
// CHECK-LABEL: loops_kernel(
// CHECK:         unsigned int trips = 0;
// CHECK-NEXT:    for (unsigned long long k = blockIdx.x * 64 + threadIdx.x; k < a_size; k += gridDim.x) {
// CHECK-NEXT:      if ((++trips & 0xffff) == 0 && *vyre_stop != 0) return;
// CHECK-NEXT:      a[k] = 7;
// CHECK:         for (long long k = 0; k < (long long)n; ++k) {
// CHECK-NEXT:      if ((k & 0xffff) == 0xffff && *vyre_stop != 0) return;

// The step may be negative, and the last one may go too far.
// CHECK:         for (long long k = 0; (long long)step > 0 && k < (long long)n; k = vyre_next_i64(k, (long long)step, (long long)n)) {

// The inner loop may be long, the outer one is not.
// CHECK:         for (unsigned int k = 0; k < 4; ++k) {
// CHECK-NEXT:      unsigned int trips_2 = 0;
// CHECK-NEXT:      for (unsigned long long l = 0; l < a_size; l += 4) {
// CHECK-NEXT:        if ((++trips_2 & 0xffff) == 0 && *vyre_stop != 0) return;
vyre.program @loops [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %step = vyre.param "step" : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %x = arith.constant 7 : i32
  %size = vyre.length %a, 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %groups = vyre.workgroup_count x
  scf.for %k = %i to %size step %groups {
    vyre.store %x, %a[%k] : memref<?xi32>
  }
  scf.for %k = %zero to %n step %one {
    vyre.store %x, %a[%k] : memref<?xi32>
  }
  scf.for %k = %zero to %n step %step {
    vyre.store %x, %a[%k] : memref<?xi32>
  }
  scf.for %k = %zero to %four step %one {
    scf.for %l = %zero to %size step %four {
      vyre.store %x, %a[%l] : memref<?xi32>
    }
  }
}

// Short loops look at nothing, so the kernel does not take the word.
// CHECK-LABEL: short_kernel(
// CHECK-NEXT:      unsigned int *__restrict__ a) {
// CHECK-NEXT:    for (unsigned int k = 0; k < 16; ++k) {
// CHECK-NEXT:      a[k] = 7;
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @short [1, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<16xi32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %sixteen = arith.constant 16 : index
  %x = arith.constant 7 : i32
  scf.for %k = %zero to %sixteen step %one {
    vyre.store %x, %a[%k] : memref<16xi32>
  }
}

// What is carried changes at once: the second value must not see the first one's next.
// CHECK-LABEL: carried_kernel(
// CHECK:         unsigned int b = 1;
// CHECK-NEXT:    unsigned int a = 0;
// CHECK-NEXT:    for (unsigned int k = 0; k < 16; ++k) {
// CHECK-NEXT:      const unsigned int next_b = a;
// CHECK-NEXT:      a += b;
// CHECK-NEXT:      b = next_b;
// CHECK-NEXT:    }
// CHECK-NEXT:    out[0] = a;
vyre.program @carried [1, 1, 1] {
  %out = vyre.buffer "out" read_write binding 0 : memref<1xi32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %sixteen = arith.constant 16 : index
  %none = arith.constant 0 : i32
  %first = arith.constant 1 : i32
  %r:2 = scf.for %k = %zero to %sixteen step %one iter_args(%b = %first, %a = %none) -> (i32, i32) {
    %sum = arith.addi %a, %b : i32
    scf.yield %a, %sum : i32, i32
  }
  vyre.store %r#1, %out[%zero] : memref<1xi32>
}
