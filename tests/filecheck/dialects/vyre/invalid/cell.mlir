// RUN: VYRE_INVALID

// A variable is read and written, and used in no other way.
// CHECK: {{.*}}cell.mlir:10:5: error: 'vyre.yield' uses the variable "v" itself instead of its value
// CHECK: Fix: read the variable with 'vyre.get' and use what it gives
vyre.program @p [64, 1, 1] {
  %i = vyre.invocation_id x
  %v = vyre.let "v" = %i : index
  %w = vyre.region "r" -> (!vyre.cell<index>) {
    vyre.yield %v : !vyre.cell<index>
  }
}

// -----

// CHECK: {{.*}}cell.mlir:21:8: error: 'scf.for' uses the variable "v" itself instead of its value
// CHECK: Fix: read the variable with 'vyre.get' and use what it gives
vyre.program @p [64, 1, 1] {
  %i = vyre.invocation_id x
  %v = vyre.let "v" = %i : index
  %w = scf.for %k = %i to %i step %i iter_args(%c = %v) -> (!vyre.cell<index>) {
    scf.yield %c : !vyre.cell<index>
  }
}

// -----

// CHECK: {{.*}}cell.mlir:34:8: error: 'arith.select' uses the variable "v" itself instead of its value
// CHECK: Fix: read the variable with 'vyre.get' and use what it gives
vyre.program @p [64, 1, 1] {
  %i = vyre.invocation_id x
  %c = vyre.param "c" : i1
  %v = vyre.let "v" = %i : index
  %w = arith.select %c, %v, %v : !vyre.cell<index>
}

// -----

// A variable holds a scalar.
// CHECK: {{.*}}cell.mlir:44:8: error: Expected one of f16, f32, f64, i1, i16, i32, i64, i8, index, but got memref<?xi32>
// CHECK: Fix: write it like `%sum = vyre.let "sum" = %zero : f32`
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %v = vyre.let "v" = %a : memref<?xi32>
}

// -----

// CHECK: {{.*}}cell.mlir:54:8: error: Expected one of f16, f32, f64, i1, i16, i32, i64, i8, index, but got !vyre.cell<index>
// CHECK: Fix: write it like `%sum = vyre.let "sum" = %zero : f32`
vyre.program @p [64, 1, 1] {
  %i = vyre.invocation_id x
  %v = vyre.let "v" = %i : index
  %w = vyre.let "w" = %v : !vyre.cell<index>
}

// -----

// CHECK: {{.*}}cell.mlir:64:8: error: parameter 'value_type' does not verify
// CHECK: Fix: write it like `%v = vyre.get %sum : !vyre.cell<f32>`
vyre.program @p [64, 1, 1] {
  %i = vyre.invocation_id x
  %v = vyre.let "v" = %i : index
  %w = vyre.get %v : !vyre.cell<bf16>
}

// -----

// It keeps its type.
// CHECK: {{.*}}cell.mlir:75:17: error: operand is used with type !vyre.cell<i32>, but has been previously used or defined with type !vyre.cell<index>
// CHECK: Fix: write it like `%v = vyre.get %sum : !vyre.cell<f32>`
vyre.program @p [64, 1, 1] {
  %i = vyre.invocation_id x
  %v = vyre.let "v" = %i : index
  %w = vyre.get %v : !vyre.cell<i32>
}

// -----

// CHECK: {{.*}}cell.mlir:86:15: error: operand is used with type index, but has been previously used or defined with type f32
// CHECK: Fix: write it like `vyre.assign %v, %sum : !vyre.cell<f32>`
vyre.program @p [64, 1, 1] {
  %i = vyre.invocation_id x
  %x = vyre.param "x" : f32
  %v = vyre.let "v" = %i : index
  vyre.assign %x, %v : !vyre.cell<index>
}

// -----

// CHECK: {{.*}}cell.mlir:95:8: error: 'vyre.let': result 'cell' at position 0 does not verify: attribute index expected from variable 'T', but got i32
// CHECK: Fix: write it like `%sum = vyre.let "sum" = %zero : f32`
vyre.program @p [64, 1, 1] {
  %i = vyre.invocation_id x
  %v = "vyre.let"(%i) <{name = "v"}> : (index) -> !vyre.cell<i32>
}

// -----

// It is no value.
// CHECK: {{.*}}cell.mlir:105:8: error: index should be of base attribute vyre.cell
// CHECK: Fix: write it like `%v = vyre.get %sum : !vyre.cell<f32>`
vyre.program @p [64, 1, 1] {
  %i = vyre.invocation_id x
  %v = vyre.get %i : index
}
