// RUN: vyre-opt %s -t vyre-cuda | filecheck %s

// Sums are unsigned, for they may wrap. Operators serve where nothing special can happen.
// CHECK-LABEL: integers_kernel(
// CHECK:         out[0] = a + b;
// CHECK-NEXT:    out[1] = a - 1;
// CHECK-NEXT:    out[2] = a << (b & 31);
// CHECK-NEXT:    out[3] = a << 1;
// CHECK-NEXT:    out[4] = (unsigned int)((int)a >> 4);
// CHECK-NEXT:    out[5] = (unsigned int)vyre_div_i32((int)a, (int)b);
// CHECK-NEXT:    out[6] = (unsigned int)((int)a / 3);
// CHECK-NEXT:    out[7] = vyre_rem_u32(a, b);
// CHECK-NEXT:    out[8] = a % 10;
// CHECK-NEXT:    out[9] = (unsigned int)max((int)a, (int)b);
// CHECK-NEXT:    out[10] = min(a, 5u);
// CHECK-NEXT:    out[11] = (unsigned int)__popc(a);
vyre.program @integers [1, 1, 1] {
  %out = vyre.buffer "out" write_only binding 0 : memref<16xi32>
  %a = vyre.param "a" : i32
  %b = vyre.param "b" : i32
  %minus = arith.constant -1 : i32
  %many = arith.constant 33 : i32
  %four = arith.constant 4 : i32
  %three = arith.constant 3 : i32
  %ten = arith.constant 10 : i32
  %five = arith.constant 5 : i32
  %v0 = arith.addi %a, %b : i32
  %v1 = arith.addi %a, %minus : i32
  %v2 = arith.shli %a, %b : i32
  %v3 = arith.shli %a, %many : i32
  %v4 = arith.shrsi %a, %four : i32
  %v5 = arith.divsi %a, %b : i32
  %v6 = arith.divsi %a, %three : i32
  %v7 = arith.remui %a, %b : i32
  %v8 = arith.remui %a, %ten : i32
  %v9 = arith.maxsi %a, %b : i32
  %v10 = arith.minui %a, %five : i32
  %v11 = math.ctpop %a : i32
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %i2 = arith.constant 2 : index
  %i3 = arith.constant 3 : index
  %i4 = arith.constant 4 : index
  %i5 = arith.constant 5 : index
  %i6 = arith.constant 6 : index
  %i7 = arith.constant 7 : index
  %i8 = arith.constant 8 : index
  %i9 = arith.constant 9 : index
  %i10 = arith.constant 10 : index
  %i11 = arith.constant 11 : index
  vyre.store %v0, %out[%i0] : memref<16xi32>
  vyre.store %v1, %out[%i1] : memref<16xi32>
  vyre.store %v2, %out[%i2] : memref<16xi32>
  vyre.store %v3, %out[%i3] : memref<16xi32>
  vyre.store %v4, %out[%i4] : memref<16xi32>
  vyre.store %v5, %out[%i5] : memref<16xi32>
  vyre.store %v6, %out[%i6] : memref<16xi32>
  vyre.store %v7, %out[%i7] : memref<16xi32>
  vyre.store %v8, %out[%i8] : memref<16xi32>
  vyre.store %v9, %out[%i9] : memref<16xi32>
  vyre.store %v10, %out[%i10] : memref<16xi32>
  vyre.store %v11, %out[%i11] : memref<16xi32>
}
