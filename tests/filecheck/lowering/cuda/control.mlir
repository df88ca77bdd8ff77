// RUN: vyre-opt %s -t vyre-cuda | filecheck %s

// CHECK-LABEL: ways_kernel(
// CHECK:         if (i >= a_size) return;
// CHECK-NEXT:    const float chosen = c ? a[i] : 0.0f;
// CHECK-NEXT:    if (i < b_size) b[i] = chosen;
// CHECK-NEXT:    float p;
// CHECK-NEXT:    float q;
// CHECK-NEXT:    if (c) {
// CHECK-NEXT:      const float x = i < b_size ? b[i] : 0.0f;
// CHECK-NEXT:      if (i < b_size) b[i] = 0.0f;
// CHECK-NEXT:      p = x;
// CHECK-NEXT:      q = x + x;
// CHECK-NEXT:    } else {
// CHECK-NEXT:      p = 0.0f;
// CHECK-NEXT:      q = chosen;
// CHECK-NEXT:    }
// CHECK-NEXT:    float v = p + q;
// CHECK-NEXT:    unsigned int trips = 0;
// CHECK-NEXT:    while (v < chosen) {
// CHECK-NEXT:      if ((++trips & 0xffff) == 0 && *vyre_stop != 0) return;
// CHECK-NEXT:      v *= v;
// CHECK-NEXT:    }
vyre.program @ways [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %c = vyre.param "c" : i1
  %i = vyre.invocation_id x
  %n = vyre.length %a, 0 : memref<?xf32>
  %zero = arith.constant 0.0 : f32
  %outside = arith.cmpi uge, %i, %n : index
  scf.if %outside {
    vyre.return
  }
  %chosen = scf.if %c -> (f32) {
    %x = vyre.load %a[%i] : memref<?xf32>
    scf.yield %x : f32
  } else {
    scf.yield %zero : f32
  }
  vyre.store %chosen, %b[%i] : memref<?xf32>
  %p, %q = scf.if %c -> (f32, f32) {
    %x = vyre.load %b[%i] : memref<?xf32>
    %y = arith.addf %x, %x : f32
    vyre.store %zero, %b[%i] : memref<?xf32>
    scf.yield %x, %y : f32, f32
  } else {
    scf.yield %zero, %chosen : f32, f32
  }
  %s = arith.addf %p, %q : f32
  %t = scf.while (%v = %s) : (f32) -> f32 {
    %less = arith.cmpf olt, %v, %chosen : f32
    scf.condition(%less) %v : f32
  } do {
  ^bb0(%v: f32):
    %w = arith.mulf %v, %v : f32
    scf.yield %w : f32
  }
  vyre.store %t, %b[%i] : memref<?xf32>
}

// A test that does something comes in the loop, and what it passes on has a variable.
// CHECK-LABEL: tested_kernel(
// CHECK:         unsigned int k = 0;
// CHECK-NEXT:    unsigned int seen;
// CHECK:         while (true) {
// CHECK-NEXT:      const unsigned int old = atomicAdd(&count[0], 1);
// CHECK-NEXT:      seen = old;
// CHECK-NEXT:      if (k >= old) break;
// CHECK:           k = seen + 1;
// CHECK-NEXT:    }
// CHECK-NEXT:    out[0] = seen;
vyre.program @tested [1, 1, 1] {
  %count = vyre.buffer "count" read_write binding 0 : memref<1xi32>
  %out = vyre.buffer "out" write_only binding 1 : memref<1xi32>
  %zero = arith.constant 0 : index
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %last = scf.while (%k = %none) : (i32) -> i32 {
    %old = vyre.atomic add %one, %count[%zero] : memref<1xi32>
    %below = arith.cmpi ult, %k, %old : i32
    scf.condition(%below) %old : i32
  } do {
  ^bb0(%seen: i32):
    %next = arith.addi %seen, %one : i32
    scf.yield %next : i32
  }
  vyre.store %last, %out[%zero] : memref<1xi32>
}

// A variable has 32 bits if they hold all that it may be.
// CHECK-LABEL: width_kernel(
// CHECK:         unsigned long long wide;
// CHECK-NEXT:    unsigned int narrow;
vyre.program @width [64, 1, 1] {
  %a = vyre.buffer "a" write_only binding 0 : memref<?xindex>
  %c = vyre.param "c" : i1
  %above = arith.constant 4294967296 : index
  %most = arith.constant 4294967295 : index
  %one = arith.constant 1 : index
  %wide, %narrow = scf.if %c -> (index, index) {
    vyre.store %one, %a[%one] : memref<?xindex>
    scf.yield %above, %most : index, index
  } else {
    scf.yield %one, %one : index, index
  }
  vyre.store %wide, %a[%one] : memref<?xindex>
  vyre.store %narrow, %a[%one] : memref<?xindex>
}
