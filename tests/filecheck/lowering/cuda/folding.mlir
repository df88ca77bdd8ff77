// RUN: vyre-opt %s -t vyre-cuda | filecheck %s

// What is used once stands where it is used, but a load only where memory is still the same.
// CHECK-LABEL: folded_kernel(
// CHECK-NEXT:      float *__restrict__ a,
// CHECK-NEXT:      const float s) {
// CHECK-NEXT:    const float kept = a[threadIdx.x];
// CHECK-NEXT:    a[threadIdx.x] = (a[threadIdx.x ^ 1] + s) * s;
// CHECK-NEXT:    a[threadIdx.x] = kept - s;
// CHECK-NEXT:  }
vyre.program @folded [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<64xf32>
  %s = vyre.param "s" : f32
  %i = vyre.local_id x
  %one = arith.constant 1 : index
  %j = arith.xori %i, %one : index
  %kept = vyre.load %a[%i] : memref<64xf32>
  %other = vyre.load %a[%j] : memref<64xf32>
  %sum = arith.addf %other, %s : f32
  %product = arith.mulf %sum, %s : f32
  %rest = arith.subf %kept, %s : f32
  vyre.store %product, %a[%i] : memref<64xf32>
  vyre.store %rest, %a[%i] : memref<64xf32>
}

// What is known is not computed, and what nobody uses is not there.
// CHECK-LABEL: known_kernel(
// CHECK-NEXT:      unsigned int *__restrict__ a,
// CHECK-NEXT:      const unsigned int x) {
// CHECK-NEXT:    a[0] = 3;
// CHECK-NEXT:  }
vyre.program @known [1, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<1xi32>
  %x = vyre.param "x" : i32
  %zero = arith.constant 0 : index
  %none = arith.constant 0 : i32
  %seven = arith.constant 7 : i32
  %two = arith.constant 2 : i32
  %unused = arith.muli %x, %x : i32
  %never = arith.cmpi ult, %unused, %none : i32
  %three = arith.divsi %seven, %two : i32
  %chosen = arith.select %never, %unused, %three : i32
  vyre.store %chosen, %a[%zero] : memref<1xi32>
}
