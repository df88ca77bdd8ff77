// RUN: VYRE_INVALID

// CHECK: {{.*}}collective.mlir:7:3: error: 'vyre.all_reduce': ranks cannot exchange workgroup memory
// CHECK: Fix: copy it to a buffer of the grid first
vyre.program @p [64, 1, 1] {
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  vyre.all_reduce add %tile : memref<64xf32>
}

// -----

// CHECK: {{.*}}collective.mlir:16:3: error: 'vyre.broadcast': ranks cannot exchange workgroup memory
// CHECK: Fix: copy it to a buffer of the grid first
vyre.program @p [64, 1, 1] {
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  vyre.broadcast %tile root 0 : memref<64xf32>
}

// -----

// CHECK: {{.*}}collective.mlir:26:3: error: 'vyre.all_gather': ranks cannot exchange workgroup memory
// CHECK: Fix: copy it to a buffer of the grid first
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" write_only binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  vyre.all_gather %tile, %a : memref<64xf32>, memref<?xf32>
}

// -----

// CHECK: {{.*}}collective.mlir:36:3: error: 'vyre.reduce_scatter': ranks cannot exchange workgroup memory
// CHECK: Fix: copy it to a buffer of the grid first
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  vyre.reduce_scatter add %a, %tile : memref<?xf32>, memref<64xf32>
}

// -----

// CHECK: {{.*}}collective.mlir:46:3: error: 'vyre.all_reduce': reads the write_only buffer "a"
// CHECK: {{.*}}collective.mlir:45:8: note: declared here
// CHECK: Fix: declare the buffer read_write
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" write_only binding 0 : memref<?xf32>
  vyre.all_reduce add %a : memref<?xf32>
}

// -----

// CHECK: {{.*}}collective.mlir:56:3: error: 'vyre.broadcast': writes the read_only buffer "a"
// CHECK: {{.*}}collective.mlir:55:8: note: declared here
// CHECK: Fix: declare the buffer read_write
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  vyre.broadcast %a root 0 : memref<?xf32>
}

// -----

// CHECK: {{.*}}collective.mlir:67:3: error: 'vyre.all_gather': reads the write_only buffer "a"
// CHECK: {{.*}}collective.mlir:65:8: note: declared here
// CHECK: Fix: declare the buffer read_write
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" write_only binding 0 : memref<?xf32>
  %b = vyre.buffer "b" write_only binding 1 : memref<?xf32>
  vyre.all_gather %a, %b : memref<?xf32>, memref<?xf32>
}

// -----

// CHECK: {{.*}}collective.mlir:78:3: error: 'vyre.reduce_scatter': writes the read_only buffer "b"
// CHECK: {{.*}}collective.mlir:77:8: note: declared here
// CHECK: Fix: declare the buffer read_write
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_only binding 1 : memref<?xf32>
  vyre.reduce_scatter add %a, %b : memref<?xf32>, memref<?xf32>
}

// -----

// CHECK: {{.*}}collective.mlir:87:3: error: 'vyre.all_gather': source and destination are the same buffer
// CHECK: Fix: gather or scatter into another buffer
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  vyre.all_gather %a, %a : memref<?xf32>, memref<?xf32>
}

// -----

// CHECK: {{.*}}collective.mlir:96:3: error: 'vyre.reduce_scatter': source and destination are the same buffer
// CHECK: Fix: gather or scatter into another buffer
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  vyre.reduce_scatter add %a, %a : memref<?xf32>, memref<?xf32>
}

// -----

// CHECK: {{.*}}collective.mlir:105:3: error: 'vyre.all_reduce': reduction or is not defined on f32
// CHECK: Fix: use add, mul, min, max, or an integer buffer
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  vyre.all_reduce or %a : memref<?xf32>
}

// -----

// CHECK: {{.*}}collective.mlir:115:3: error: 'vyre.reduce_scatter': reduction umax is not defined on f64
// CHECK: Fix: use add, mul, min, max, or an integer buffer
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf64>
  %b = vyre.buffer "b" write_only binding 1 : memref<?xf64>
  vyre.reduce_scatter umax %a, %b : memref<?xf64>, memref<?xf64>
}

// -----

// CHECK: {{.*}}collective.mlir:124:3: error: 'vyre.broadcast': root -1 is not a rank
// CHECK: Fix: count ranks from 0
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  vyre.broadcast %a root -1 : memref<?xf32>
}

// -----

// Both buffers have the same elements.
// CHECK: {{.*}}collective.mlir:135:3: error: attribute f32 expected from variable 'T', but got f64
// CHECK: Fix: write it like `vyre.all_gather %part, %whole : memref<?xf32>, memref<?xf32>`
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %b = vyre.buffer "b" write_only binding 1 : memref<?xf64>
  vyre.all_gather %a, %b : memref<?xf32>, memref<?xf64>
}
