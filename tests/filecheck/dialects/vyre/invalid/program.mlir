// RUN: VYRE_INVALID

// CHECK: {{.*}}program.mlir:5:1: error: 'vyre.program': workgroup size [64, 1] is not three axes of at least 1
// CHECK: Fix: write three positive sizes, such as [256, 1, 1]
vyre.program @p [64, 1] {
}

// -----

// CHECK: {{.*}}program.mlir:12:1: error: 'vyre.program': workgroup size [1, 2, 3, 4] is not three axes of at least 1
// CHECK: Fix: write three positive sizes, such as [256, 1, 1]
vyre.program @p [1, 2, 3, 4] {
}

// -----

// CHECK: {{.*}}program.mlir:19:1: error: 'vyre.program': workgroup size [] is not three axes of at least 1
// CHECK: Fix: write three positive sizes, such as [256, 1, 1]
vyre.program @p [] {
}

// -----

// CHECK: {{.*}}program.mlir:26:1: error: 'vyre.program': workgroup size [64, 0, 1] is not three axes of at least 1
// CHECK: Fix: write three positive sizes, such as [256, 1, 1]
vyre.program @p [64, 0, 1] {
}

// -----

// CHECK: {{.*}}program.mlir:33:1: error: 'vyre.program': workgroup size [-1, 1, 1] is not three axes of at least 1
// CHECK: Fix: write three positive sizes, such as [256, 1, 1]
vyre.program @p [-1, 1, 1] {
}

// -----

// CHECK: {{.*}}program.mlir:40:1: error: 'vyre.program': the body of 'vyre.program' has block arguments
// CHECK: Fix: declare buffers and parameters with 'vyre.buffer' and 'vyre.param'
vyre.program @p [64, 1, 1] {
^bb0(%x: i32):
}

// -----

// CHECK: {{.*}}program.mlir:48:3: error: 'vyre.region': the body of 'vyre.region' has block arguments
vyre.program @p [64, 1, 1] {
  vyre.region "r" {
  ^bb0(%x: i32):
  }
}

// -----

// A body is one block.
// CHECK: {{.*}}program.mlir:58:1: error: 'vyre.program': Region 'body' at position 0 expected a single block, but got 2 blocks
// CHECK: Fix: write it like `vyre.program @scale [256, 1, 1] {`
vyre.program @p [64, 1, 1] {
  cf.br ^second
^second:
  cf.br ^second
}

// -----

// CHECK: {{.*}}program.mlir:68:1: error: 'vyre.program': Region 'body' at position 0 expected a single block, but got 0 blocks
// CHECK: Fix: write it like `vyre.program @scale [256, 1, 1] {`
"vyre.program"() <{sym_name = "p", workgroup_size = array<i64: 1, 1, 1>}> ({}) : () -> ()

// -----

// CHECK: {{.*}}program.mlir:75:3: error: 'vyre.region': Region 'body' at position 0 expected a single block, but got 2 blocks
// CHECK: Fix: write it like `%sum = vyre.region "row_sum" from "blas.gemv" -> (f32) {`
vyre.program @p [64, 1, 1] {
  vyre.region "r" {
    vyre.yield
  ^second:
    vyre.yield
  }
}

// -----

// CHECK: {{.*}}program.mlir:89:5: error: 'vyre.yield': the region has results () but yields (i32)
// CHECK: Fix: yield one value of the right type for each result
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : i32
  vyre.region "r" {
    vyre.yield %n : i32
  }
}

// -----

// The yield that the parser adds.
// CHECK: {{.*}}program.mlir:99:8: error: 'vyre.yield': the region has results (i32) but yields ()
// CHECK: Fix: yield one value of the right type for each result
vyre.program @p [64, 1, 1] {
  %r = vyre.region "r" -> (i32) {
  }
}

// -----

// CHECK: {{.*}}program.mlir:110:5: error: 'vyre.yield': the region has results (i32) but yields (index)
// CHECK: Fix: yield one value of the right type for each result
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : index
  %r = vyre.region "r" -> (i32) {
    vyre.yield %n : index
  }
}

// -----

// CHECK: {{.*}}program.mlir:121:5: error: 'vyre.yield': the region has results (i32, i32) but yields (i32)
// CHECK: Fix: yield one value of the right type for each result
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : i32
  %r, %s = vyre.region "r" -> (i32, i32) {
    vyre.yield %n : i32
  }
}

// -----

// Only a region ends with a yield.
// CHECK: {{.*}}program.mlir:130:3: error: 'vyre.yield' expects parent op 'vyre.region'
vyre.program @p [64, 1, 1] {
  vyre.yield
}
