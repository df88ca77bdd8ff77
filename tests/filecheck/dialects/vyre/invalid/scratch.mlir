// RUN: VYRE_INVALID

// CHECK: {{.*}}scratch.mlir:6:8: error: 'vyre.scratch': single scratch of type memref<?xi32>
// CHECK: Fix: give its type no `?`
vyre.schedule @s {
  %a = vyre.scratch single : memref<?xi32>
}

// -----

// CHECK: {{.*}}scratch.mlir:14:8: error: 'vyre.scratch': single scratch of type memref<4x?xi32>
// CHECK: Fix: give its type no `?`
vyre.schedule @s {
  %a = vyre.scratch single : memref<4x?xi32>
}

// -----

// CHECK: {{.*}}scratch.mlir:22:8: error: 'vyre.scratch': per_invocation scratch of type memref<4xi32>
// CHECK: Fix: give its type a leading `?` and no other
vyre.schedule @s {
  %a = vyre.scratch per_invocation : memref<4xi32>
}

// -----

// CHECK: {{.*}}scratch.mlir:30:8: error: 'vyre.scratch': per_invocation scratch of type memref<i32>
// CHECK: Fix: give its type a leading `?` and no other
vyre.schedule @s {
  %a = vyre.scratch per_invocation : memref<i32>
}

// -----

// CHECK: {{.*}}scratch.mlir:38:8: error: 'vyre.scratch': per_workgroup scratch of type memref<?x?xi32>
// CHECK: Fix: give its type a leading `?` and no other
vyre.schedule @s {
  %a = vyre.scratch per_workgroup : memref<?x?xi32>
}

// -----

// CHECK: {{.*}}scratch.mlir:46:8: error: 'vyre.scratch': per_workgroup scratch of type memref<4x?xi32>
// CHECK: Fix: give its type a leading `?` and no other
vyre.schedule @s {
  %a = vyre.scratch per_workgroup : memref<4x?xi32>
}

// -----

// CHECK: {{.*}}scratch.mlir:54:8: error: 'vyre.scratch': memref<4xi32, strided<[2]>> has a layout; buffers are stored in row-major order
// CHECK: Fix: remove the layout and compute the index
vyre.schedule @s {
  %a = vyre.scratch single : memref<4xi32, strided<[2]>>
}

// -----

// CHECK: {{.*}}scratch.mlir:62:8: error: 'vyre.scratch': memref<4xi32, 1 : i32> has a memory space; the access says where a buffer lives
// CHECK: Fix: remove the memory space from the type
vyre.schedule @s {
  %a = vyre.scratch single : memref<4xi32, 1 : i32>
}
