// RUN: VYRE_INVALID

// CHECK: {{.*}}access.mlir:8:8: error: 'vyre.load': 2 indices for a buffer of 1 dimensions
// CHECK: Fix: write one index for each dimension
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %v = vyre.load %a[%i, %i] : memref<?xi32>
}

// -----

// CHECK: {{.*}}access.mlir:18:3: error: 'vyre.store': 0 indices for a buffer of 1 dimensions
// CHECK: Fix: write one index for each dimension
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" write_only binding 0 : memref<?xi32>
  %v = vyre.param "v" : i32
  vyre.store %v, %a[] : memref<?xi32>
}

// -----

// CHECK: {{.*}}access.mlir:29:10: error: 'vyre.atomic': 1 indices for a buffer of 0 dimensions
// CHECK: Fix: write one index for each dimension
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<i32>
  %i = vyre.invocation_id x
  %v = vyre.param "v" : i32
  %old = vyre.atomic add %v, %a[%i] : memref<i32>
}

// -----

// CHECK: {{.*}}access.mlir:40:10: error: 'vyre.atomic_cas': 1 indices for a buffer of 2 dimensions
// CHECK: Fix: write one index for each dimension
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?x4xi32>
  %i = vyre.invocation_id x
  %v = vyre.param "v" : i32
  %old = vyre.atomic_cas %v, %v, %a[%i] : memref<?x4xi32>
}

// -----

// CHECK: {{.*}}access.mlir:51:8: error: 'vyre.load': reads the write_only buffer "a"
// CHECK: {{.*}}access.mlir:49:8: note: declared here
// CHECK: Fix: declare the buffer read_write
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" write_only binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %v = vyre.load %a[%i] : memref<?xi32>
}

// -----

// CHECK: {{.*}}access.mlir:63:3: error: 'vyre.store': writes the read_only buffer "a"
// CHECK: {{.*}}access.mlir:60:8: note: declared here
// CHECK: Fix: declare the buffer read_write
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %v = vyre.load %a[%i] : memref<?xi32>
  vyre.store %v, %a[%i] : memref<?xi32>
}

// -----

// CHECK: {{.*}}access.mlir:75:3: error: 'vyre.store': writes the uniform buffer "a"
// CHECK: {{.*}}access.mlir:72:8: note: declared here
// CHECK: Fix: declare the buffer read_write
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" uniform binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %v = vyre.load %a[%i] : memref<?xi32>
  vyre.store %v, %a[%i] : memref<?xi32>
}

// -----

// CHECK: {{.*}}access.mlir:84:8: error: 'vyre.length': dimension 1 of a buffer of 1 dimensions
// CHECK: Fix: count dimensions from 0
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %n = vyre.length %a, 1 : memref<?xi32>
}

// -----

// CHECK: {{.*}}access.mlir:93:8: error: 'vyre.length': dimension -1 of a buffer of 1 dimensions
// CHECK: Fix: count dimensions from 0
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %n = vyre.length %a, -1 : memref<?xi32>
}

// -----

// CHECK: {{.*}}access.mlir:102:8: error: 'vyre.length': dimension 0 of a buffer of 0 dimensions
// CHECK: Fix: count dimensions from 0
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<i32>
  %n = vyre.length %a, 0 : memref<i32>
}
