// RUN: VYRE_INVALID

// CHECK: {{.*}}scalars.mlir:6:8: error: 'arith.constant': gives a value of type vector<4xi32>
// CHECK: Fix: use i1, i8, i16, i32, i64, index, f16, f32 or f64
vyre.program @p [64, 1, 1] {
  %v = arith.constant dense<1> : vector<4xi32>
}

// -----

// CHECK: {{.*}}scalars.mlir:15:8: error: 'arith.extui': gives a value of type i33
// CHECK: Fix: use i1, i8, i16, i32, i64, index, f16, f32 or f64
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : i32
  %v = arith.extui %n : i32 to i33
}

// -----

// CHECK: {{.*}}scalars.mlir:24:8: error: 'arith.bitcast': from index to i32, which are not equally wide
// CHECK: Fix: cast between types of the same width
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : index
  %v = arith.bitcast %n : index to i32
}
