// RUN: VYRE_INVALID

// CHECK: {{.*}}atomic.mlir:10:10: error: 'vyre.atomic': reads the write_only buffer "a"
// CHECK: {{.*}}atomic.mlir:7:8: note: declared here
// CHECK: Fix: declare the buffer read_write
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" write_only binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %v = vyre.param "v" : i32
  %old = vyre.atomic add %v, %a[%i] : memref<?xi32>
}

// -----

// CHECK: {{.*}}atomic.mlir:22:10: error: 'vyre.atomic_cas': writes the read_only buffer "a"
// CHECK: {{.*}}atomic.mlir:19:8: note: declared here
// CHECK: Fix: declare the buffer read_write
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %v = vyre.param "v" : i32
  %old = vyre.atomic_cas %v, %v, %a[%i] : memref<?xi32>
}

// -----

// CHECK: {{.*}}atomic.mlir:33:10: error: 'vyre.atomic': an atomic cannot order the whole grid
// CHECK: Fix: use seq_cst, and a `vyre.barrier grid_sync` where the grid must meet
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %v = vyre.param "v" : i32
  %old = vyre.atomic add %v, %a[%i] ordering grid_sync : memref<?xi32>
}

// -----

// CHECK: {{.*}}atomic.mlir:44:10: error: 'vyre.atomic_cas': an atomic cannot order the whole grid
// CHECK: Fix: use seq_cst, and a `vyre.barrier grid_sync` where the grid must meet
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %v = vyre.param "v" : i32
  %old = vyre.atomic_cas %v, %v, %a[%i] ordering grid_sync : memref<?xi32>
}

// -----

// CHECK: {{.*}}atomic.mlir:55:10: error: 'vyre.atomic': atomic min is not defined on f32
// CHECK: Fix: use a buffer of i32, i64, index
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %i = vyre.invocation_id x
  %v = vyre.param "v" : f32
  %old = vyre.atomic min %v, %a[%i] : memref<?xf32>
}

// -----

// CHECK: {{.*}}atomic.mlir:66:10: error: 'vyre.atomic': atomic add is not defined on f16
// CHECK: Fix: use a buffer of i32, i64, index, f32, f64
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf16>
  %i = vyre.invocation_id x
  %v = vyre.param "v" : f16
  %old = vyre.atomic add %v, %a[%i] : memref<?xf16>
}

// -----

// CHECK: {{.*}}atomic.mlir:77:10: error: 'vyre.atomic': atomic or is not defined on i1
// CHECK: Fix: use a buffer of i32, i64, index
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" workgroup : memref<8xi1>
  %i = vyre.local_id x
  %v = vyre.param "v" : i1
  %old = vyre.atomic or %v, %a[%i] : memref<8xi1>
}

// -----

// CHECK: {{.*}}atomic.mlir:88:10: error: 'vyre.atomic_cas': compare-and-swap is not defined on f32
// CHECK: Fix: use a buffer of i32, i64, index
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %i = vyre.invocation_id x
  %v = vyre.param "v" : f32
  %old = vyre.atomic_cas %v, %v, %a[%i] : memref<?xf32>
}

// -----

// CHECK: {{.*}}atomic.mlir:99:22: error: Expected `add`, `and`, `or`, `xor`, `min`, `max`, `umin`, `umax`, or `exchange`.
// CHECK: Fix: write it like `%old = vyre.atomic add %one, %count[%i] : memref<8xi32>`
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %v = vyre.param "v" : i32
  %old = vyre.atomic sub %v, %a[%i] : memref<?xi32>
}
