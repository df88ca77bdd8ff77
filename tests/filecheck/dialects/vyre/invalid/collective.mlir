// RUN: VYRE_INVALID

// CHECK: {{.*}}collective.mlir:8:3: error: 'vyre.all_reduce': reads the write_only buffer "a"
// CHECK: {{.*}}collective.mlir:7:8: note: declared here
// CHECK: Fix: declare the buffer read_write
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" write_only binding 0 : memref<?xf32>
  vyre.all_reduce add %a : memref<?xf32>
}

// -----

// CHECK: {{.*}}collective.mlir:18:3: error: 'vyre.broadcast': writes the read_only buffer "a"
// CHECK: {{.*}}collective.mlir:17:8: note: declared here
// CHECK: Fix: declare the buffer read_write
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  vyre.broadcast %a root 0 : memref<?xf32>
}

// -----

// CHECK: {{.*}}collective.mlir:29:3: error: 'vyre.all_gather': reads the write_only buffer "a"
// CHECK: {{.*}}collective.mlir:27:8: note: declared here
// CHECK: Fix: declare the buffer read_write
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" write_only binding 0 : memref<?xf32>
  %b = vyre.buffer "b" write_only binding 1 : memref<?xf32>
  vyre.all_gather %a, %b : memref<?xf32>, memref<?xf32>
}

// -----

// CHECK: {{.*}}collective.mlir:40:3: error: 'vyre.reduce_scatter': writes the read_only buffer "b"
// CHECK: {{.*}}collective.mlir:39:8: note: declared here
// CHECK: Fix: declare the buffer read_write
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_only binding 1 : memref<?xf32>
  vyre.reduce_scatter add %a, %b : memref<?xf32>, memref<?xf32>
}

// -----

// CHECK: {{.*}}collective.mlir:49:3: error: 'vyre.all_reduce': reduction or is not defined on f32
// CHECK: Fix: use add, mul, min, max, or an integer buffer
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  vyre.all_reduce or %a : memref<?xf32>
}

// -----

// CHECK: {{.*}}collective.mlir:59:3: error: 'vyre.reduce_scatter': reduction umax is not defined on f64
// CHECK: Fix: use add, mul, min, max, or an integer buffer
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf64>
  %b = vyre.buffer "b" write_only binding 1 : memref<?xf64>
  vyre.reduce_scatter umax %a, %b : memref<?xf64>, memref<?xf64>
}

// -----

// CHECK: {{.*}}collective.mlir:68:3: error: 'vyre.broadcast': root -1 is not a rank
// CHECK: Fix: count ranks from 0
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  vyre.broadcast %a root -1 : memref<?xf32>
}

// -----

// Both buffers have the same elements.
// CHECK: {{.*}}collective.mlir:79:3: error: attribute f32 expected from variable 'T', but got f64
// CHECK: Fix: write it like `vyre.all_gather %part, %whole : memref<?xf32>, memref<?xf32>`
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %b = vyre.buffer "b" write_only binding 1 : memref<?xf64>
  vyre.all_gather %a, %b : memref<?xf32>, memref<?xf64>
}
