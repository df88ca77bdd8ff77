// RUN: VYRE_INVALID

// CHECK: {{.*}}schedule.mlir:5:1: error: 'vyre.schedule': the body of 'vyre.schedule' has block arguments
// CHECK: Fix: declare buffers and parameters with 'vyre.buffer' and 'vyre.param'
vyre.schedule @s {
^bb0(%x: i32):
}

// -----

// CHECK: {{.*}}schedule.mlir:13:1: error: 'vyre.schedule': Region 'body' at position 0 expected a single block, but got 2 blocks
// CHECK: Fix: write it like `vyre.schedule @p {`
vyre.schedule @s {
  cf.br ^second
^second:
  cf.br ^second
}

// -----

// CHECK: {{.*}}schedule.mlir:25:8: error: 'vyre.read_back': position [4] is outside memref<4xi32>
// CHECK: Fix: name one element by an index for each dimension
vyre.schedule @s {
  %a = vyre.scratch single : memref<4xi32>
  %v = vyre.read_back %a[4] : memref<4xi32>
}

// -----

// CHECK: {{.*}}schedule.mlir:34:8: error: 'vyre.read_back': position [-1] is outside memref<?xi32>
// CHECK: Fix: name one element by an index for each dimension
vyre.schedule @s {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %v = vyre.read_back %a[-1] : memref<?xi32>
}

// -----

// CHECK: {{.*}}schedule.mlir:43:8: error: 'vyre.read_back': position [0] is outside memref<4x4xi32>
// CHECK: Fix: name one element by an index for each dimension
vyre.schedule @s {
  %a = vyre.scratch single : memref<4x4xi32>
  %v = vyre.read_back %a[0] : memref<4x4xi32>
}

// -----

// CHECK: {{.*}}schedule.mlir:52:8: error: 'vyre.read_back': position [0] is outside memref<i32>
// CHECK: Fix: name one element by an index for each dimension
vyre.schedule @s {
  %a = vyre.scratch single : memref<i32>
  %v = vyre.read_back %a[0] : memref<i32>
}

// -----

// CHECK: {{.*}}schedule.mlir:61:8: error: i32 should be of base attribute memref
// CHECK: Fix: write it like `%c = vyre.read_back %go[0] : memref<1xi1>`
vyre.schedule @s {
  %a = vyre.param "a" : i32
  %v = vyre.read_back %a[] : i32
}
