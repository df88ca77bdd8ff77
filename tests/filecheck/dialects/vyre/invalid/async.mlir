// RUN: VYRE_INVALID

// CHECK: {{.*}}async.mlir:9:8: error: 'vyre.async_load': 0 indices for a buffer of 1 dimensions
// CHECK: Fix: write one index for each dimension
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %t = vyre.async_load %a[], %tile[%i], %i : memref<?xf32>, memref<64xf32>
  vyre.async_wait %t
}

// -----

// CHECK: {{.*}}async.mlir:21:8: error: 'vyre.async_store': 2 indices for a buffer of 1 dimensions
// CHECK: Fix: write one index for each dimension
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" write_only binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %t = vyre.async_store %tile[%i], %a[%i, %i], %i : memref<64xf32>, memref<?xf32>
  vyre.async_wait %t
}

// -----

// CHECK: {{.*}}async.mlir:34:8: error: 'vyre.async_load': reads the write_only buffer "a"
// CHECK: {{.*}}async.mlir:31:8: note: declared here
// CHECK: Fix: declare the buffer read_write
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" write_only binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %t = vyre.async_load %a[%i], %tile[%i], %i : memref<?xf32>, memref<64xf32>
  vyre.async_wait %t
}

// -----

// CHECK: {{.*}}async.mlir:47:8: error: 'vyre.async_store': writes the read_only buffer "a"
// CHECK: {{.*}}async.mlir:44:8: note: declared here
// CHECK: Fix: declare the buffer read_write
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %t = vyre.async_store %tile[%i], %a[%i], %i : memref<64xf32>, memref<?xf32>
  vyre.async_wait %t
}

// -----

// CHECK: {{.*}}async.mlir:56:3: error: 'vyre.async_wait': waits for nothing
// CHECK: Fix: name the tokens of the copies
vyre.program @p [64, 1, 1] {
  vyre.async_wait
}

// -----

// Both buffers have the same elements.
// CHECK: {{.*}}async.mlir:68:8: error: attribute i32 expected from variable 'T', but got f32
// CHECK: Fix: write it like `%t = vyre.async_load %a[%i], %tile[%l], %n : memref<?xf32>, memref<256xf32>`
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %t = vyre.async_load %a[%i], %tile[%i], %i : memref<?xi32>, memref<64xf32>
  vyre.async_wait %t
}

// -----

// The count has type index.
// CHECK: {{.*}}async.mlir:82:43: error: operand is used with type index, but has been previously used or defined with type i32
// CHECK: Fix: write it like `%t = vyre.async_load %a[%i], %tile[%l], %n : memref<?xf32>, memref<256xf32>`
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %n = vyre.param "n" : i32
  %t = vyre.async_load %a[%i], %tile[%i], %n : memref<?xf32>, memref<64xf32>
  vyre.async_wait %t
}

// -----

// CHECK: {{.*}}async.mlir:92:19: error: operand is used with type !vyre.token, but has been previously used or defined with type index
// CHECK: Fix: write it like `vyre.async_wait %t`
vyre.program @p [64, 1, 1] {
  %i = vyre.invocation_id x
  vyre.async_wait %i
}
