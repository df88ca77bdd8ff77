// RUN: VYRE_INVALID

// Elements of buffers are scalars.
// CHECK: {{.*}}types.mlir:7:8: error: 'vyre.buffer': a buffer cannot hold elements of type bf16
// CHECK: Fix: use i1, i8, i16, i32, i64, index, f16, f32 or f64
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xbf16>
}

// -----

// CHECK: {{.*}}types.mlir:15:8: error: 'vyre.buffer': a buffer cannot hold elements of type i7
// CHECK: Fix: use i1, i8, i16, i32, i64, index, f16, f32 or f64
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi7>
}

// -----

// CHECK: {{.*}}types.mlir:23:8: error: 'vyre.buffer': a buffer cannot hold elements of type ui32
// CHECK: Fix: use i1, i8, i16, i32, i64, index, f16, f32 or f64
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xui32>
}

// -----

// CHECK: {{.*}}types.mlir:31:8: error: 'vyre.buffer': a buffer cannot hold elements of type vector<4xf32>
// CHECK: Fix: use i1, i8, i16, i32, i64, index, f16, f32 or f64
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" workgroup : memref<8xvector<4xf32>>
}

// -----

// CHECK: {{.*}}types.mlir:39:8: error: 'vyre.scratch': a buffer cannot hold elements of type !vyre.token
// CHECK: Fix: use i1, i8, i16, i32, i64, index, f16, f32 or f64
vyre.schedule @s {
  %a = vyre.scratch single : memref<8x!vyre.token>
}

// -----

// Parameters are scalars.
// CHECK: {{.*}}types.mlir:48:8: error: 'vyre.param': a parameter cannot have type memref<?xi32>
// CHECK: Fix: use i1, i8, i16, i32, i64, index, f16, f32 or f64, or declare a buffer
vyre.program @p [64, 1, 1] {
  %a = vyre.param "a" : memref<?xi32>
}

// -----

// CHECK: {{.*}}types.mlir:56:8: error: 'vyre.param': a parameter cannot have type i128
// CHECK: Fix: use i1, i8, i16, i32, i64, index, f16, f32 or f64, or declare a buffer
vyre.schedule @s {
  %a = vyre.param "a" : i128
}

// -----

// A buffer is a memref.
// CHECK: {{.*}}types.mlir:65:8: error: tensor<4xi32> should be of base attribute memref
// CHECK: Fix: write it like `%out = vyre.buffer "out" write_only binding 2 output range [0, 64] : memref<1024xi32>`
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : tensor<4xi32>
}

// -----

// CHECK: {{.*}}types.mlir:73:8: error: memref<*xi32> should be of base attribute memref
// CHECK: Fix: write it like `%out = vyre.buffer "out" write_only binding 2 output range [0, 64] : memref<1024xi32>`
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<*xi32>
}

// -----

// Indices have type index.
// CHECK: {{.*}}types.mlir:84:21: error: operand is used with type index, but has been previously used or defined with type i32
// CHECK: Fix: write it like `%v = vyre.load %edges[%i] : memref<?xi32>`
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %i = vyre.param "i" : i32
  %v = vyre.load %a[%i] : memref<?xi32>
}

// -----

// CHECK: {{.*}}types.mlir:94:21: error: operand is used with type index, but has been previously used or defined with type i32
// CHECK: Fix: write it like `vyre.store %v, %acc[%i] : memref<1024xi32>`
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" write_only binding 0 : memref<?xi32>
  %i = vyre.param "i" : i32
  vyre.store %i, %a[%i] : memref<?xi32>
}

// -----

// CHECK: {{.*}}types.mlir:104:33: error: operand is used with type index, but has been previously used or defined with type i64
// CHECK: Fix: write it like `%old = vyre.atomic add %one, %count[%i] : memref<8xi32>`
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi64>
  %i = vyre.param "i" : i64
  %old = vyre.atomic add %i, %a[%i] : memref<?xi64>
}

// -----

// CHECK: {{.*}}types.mlir:114:37: error: operand is used with type index, but has been previously used or defined with type i64
// CHECK: Fix: write it like `%old = vyre.atomic_cas %free, %mine, %owner[%i] : memref<?xi32>`
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi64>
  %i = vyre.param "i" : i64
  %old = vyre.atomic_cas %i, %i, %a[%i] : memref<?xi64>
}

// -----

// The generic form says the same in other words.
// CHECK: {{.*}}types.mlir:125:8: error: 'vyre.load': operand 'indices' at position 1 does not verify: Expected attribute index but got i32
// CHECK: Fix: write it like `%v = vyre.load %edges[%i] : memref<?xi32>`
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %i = vyre.param "i" : i32
  %v = "vyre.load"(%a, %i) : (memref<?xi32>, i32) -> i32
}

// -----

// Values have the type of the elements.
// CHECK: {{.*}}types.mlir:137:14: error: operand is used with type i32, but has been previously used or defined with type f32
// CHECK: Fix: write it like `vyre.store %v, %acc[%i] : memref<1024xi32>`
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" write_only binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %v = vyre.param "v" : f32
  vyre.store %v, %a[%i] : memref<?xi32>
}

// -----

// CHECK: {{.*}}types.mlir:148:26: error: operand is used with type i32, but has been previously used or defined with type i64
// CHECK: Fix: write it like `%old = vyre.atomic add %one, %count[%i] : memref<8xi32>`
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %v = vyre.param "v" : i64
  %old = vyre.atomic add %v, %a[%i] : memref<?xi32>
}

// -----

// CHECK: {{.*}}types.mlir:160:30: error: operand is used with type i32, but has been previously used or defined with type i64
// CHECK: Fix: write it like `%old = vyre.atomic_cas %free, %mine, %owner[%i] : memref<?xi32>`
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %v = vyre.param "v" : i32
  %w = vyre.param "w" : i64
  %old = vyre.atomic_cas %v, %w, %a[%i] : memref<?xi32>
}

// -----

// The type that is written is the type of the buffer.
// CHECK: {{.*}}types.mlir:171:18: error: operand is used with type memref<?xf32>, but has been previously used or defined with type memref<?xi32>
// CHECK: Fix: write it like `%v = vyre.load %edges[%i] : memref<?xi32>`
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %v = vyre.load %a[%i] : memref<?xf32>
}

// -----

// CHECK: {{.*}}types.mlir:181:8: error: 'vyre.load': result 'value' at position 0 does not verify: attribute i32 expected from variable 'T', but got f32
// CHECK: Fix: write it like `%v = vyre.load %edges[%i] : memref<?xi32>`
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %v = "vyre.load"(%a, %i) : (memref<?xi32>, index) -> f32
}

// -----

// CHECK: {{.*}}types.mlir:190:8: error: index should be of base attribute memref
// CHECK: Fix: write it like `%n = vyre.length %edges, 0 : memref<?xi32>`
vyre.program @p [64, 1, 1] {
  %i = vyre.invocation_id x
  %n = vyre.length %i, 0 : index
}

// -----

// Conditions have type i1.
// CHECK: {{.*}}types.mlir:200:10: error: operand is used with type i1, but has been previously used or defined with type i32
// CHECK: Fix: make it follow the rules of 'scf.if'
vyre.program @p [64, 1, 1] {
  %c = vyre.param "c" : i32
  scf.if %c {
  }
}

// -----

// CHECK: {{.*}}types.mlir:211:19: error: operand is used with type i1, but has been previously used or defined with type index
// CHECK: Fix: make it follow the rules of 'scf.condition'
vyre.program @p [64, 1, 1] {
  %c = vyre.param "c" : index
  %r = scf.while (%k = %c) : (index) -> index {
    scf.condition(%k) %k : index
  } do {
  ^bb0(%k: index):
    scf.yield %k : index
  }
}

// -----

// CHECK: {{.*}}types.mlir:225:21: error: operand is used with type i1, but has been previously used or defined with type i32
// CHECK: Fix: make it follow the rules of 'arith.select'
vyre.program @p [64, 1, 1] {
  %c = vyre.param "c" : i32
  %i = vyre.invocation_id x
  %v = arith.select %c, %i, %i : index
}

// -----

// Bounds of a loop have one type.
// CHECK: {{.*}}types.mlir:236:22: error: operand is used with type index, but has been previously used or defined with type i32
// CHECK: Fix: make it follow the rules of 'scf.for'
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : i32
  %i = vyre.invocation_id x
  scf.for %k = %i to %n step %i {
  }
}

// -----

// CHECK: {{.*}}types.mlir:247:30: error: operand is used with type i32, but has been previously used or defined with type i64
// CHECK: Fix: make it follow the rules of 'scf.for'
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : i64
  %m = vyre.param "m" : i32
  scf.for %k = %m to %m step %n : i32 {
  }
}

// -----

// CHECK: {{.*}}types.mlir:257:3: error: 'scf.for': operand 'lb' at position 0 does not verify: Unexpected attribute f32
// CHECK: Fix: make it follow the rules of 'scf.for'
vyre.program @p [64, 1, 1] {
  %x = vyre.param "x" : f32
  scf.for %k = %x to %x step %x : f32 {
  }
}

// -----

// CHECK: {{.*}}types.mlir:268:8: error: 'scf.for': Expected yield arg #0 to be f32, but got index. scf.yield of scf.for must match loop-carried variable types.
// CHECK: Fix: make it follow the rules of 'scf.for'
vyre.program @p [64, 1, 1] {
  %x = vyre.param "x" : f32
  %i = vyre.invocation_id x
  %r = scf.for %k = %i to %i step %i iter_args(%s = %x) -> (f32) {
    scf.yield %i : index
  }
}

// -----

// Subgroup operations.
// CHECK: {{.*}}types.mlir:280:29: error: operand is used with type i1, but has been previously used or defined with type i32
// CHECK: Fix: write it like `%mask = vyre.subgroup_ballot %active`
vyre.program @p [64, 1, 1] {
  %c = vyre.param "c" : i32
  %m = vyre.subgroup_ballot %c
}

// -----

// CHECK: {{.*}}types.mlir:289:34: error: operand is used with type index, but has been previously used or defined with type i32
// CHECK: Fix: write it like `%left = vyre.subgroup_shuffle %v, %lane : f32`
vyre.program @p [64, 1, 1] {
  %v = vyre.param "v" : i32
  %s = vyre.subgroup_shuffle %v, %v : i32
}

// -----

// CHECK: {{.*}}types.mlir:299:8: error: Expected one of f16, f32, f64, i1, i16, i32, i64, i8, index, but got memref<?xi32>
// CHECK: Fix: write it like `%left = vyre.subgroup_shuffle %v, %lane : f32`
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %lane = vyre.subgroup_local_id
  %s = vyre.subgroup_shuffle %a, %lane : memref<?xi32>
}

// -----

// CHECK: {{.*}}types.mlir:308:8: error: Expected one of f16, f32, f64, i1, i16, i32, i64, i8, index, but got memref<?xi32>
// CHECK: Fix: write it like `%sum = vyre.subgroup_reduce add %v : f32`
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %s = vyre.subgroup_reduce add %a : memref<?xi32>
}

// -----

// CHECK: {{.*}}types.mlir:317:8: error: 'vyre.subgroup_reduce': subgroup reduction xor is not defined on f32
// CHECK: Fix: use add, mul, min, max, or an integer
vyre.program @p [64, 1, 1] {
  %v = vyre.param "v" : f32
  %s = vyre.subgroup_reduce xor %v : f32
}

// -----

// CHECK: {{.*}}types.mlir:326:8: error: 'vyre.subgroup_reduce': subgroup reduction umin is not defined on f16
// CHECK: Fix: use add, mul, min, max, or an integer
vyre.program @p [64, 1, 1] {
  %v = vyre.param "v" : f16
  %s = vyre.subgroup_reduce umin %v : f16
}

// -----

// An axis is x, y or z.
// CHECK: {{.*}}types.mlir:335:27: error: Expected `x`, `y`, or `z`.
// CHECK: Fix: write it like `%i = vyre.invocation_id x`
vyre.program @p [64, 1, 1] {
  %i = vyre.invocation_id w
}

// -----

// A trap shows an i32, an i64 or an index.
// CHECK: {{.*}}types.mlir:345:3: error: Expected one of i32, i64, index, but got f32
// CHECK: Fix: write it like `vyre.trap "negative weight" at %edge : index`
vyre.program @p [64, 1, 1] {
  %v = vyre.param "v" : f32
  vyre.trap "bad" at %v : f32
}
