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

// CHECK: {{.*}}program.mlir:49:3: error: 'vyre.region': a region has no block arguments
// CHECK: Fix: use the values around the region directly
vyre.program @p [64, 1, 1] {
  vyre.region "r" {
  ^bb0(%x: i32):
  }
}

// -----

// A body is one block.
// CHECK: {{.*}}program.mlir:59:1: error: 'vyre.program': Region 'body' at position 0 expected a single block, but got 2 blocks
// CHECK: Fix: write it like `vyre.program @scale [256, 1, 1] {`
vyre.program @p [64, 1, 1] {
  cf.br ^second
^second:
  cf.br ^second
}

// -----

// CHECK: {{.*}}program.mlir:69:1: error: 'vyre.program': Region 'body' at position 0 expected a single block, but got 0 blocks
// CHECK: Fix: write it like `vyre.program @scale [256, 1, 1] {`
"vyre.program"() <{sym_name = "p", workgroup_size = array<i64: 1, 1, 1>}> ({}) : () -> ()

// -----

// CHECK: {{.*}}program.mlir:76:3: error: 'vyre.region': Region 'body' at position 0 expected a single block, but got 2 blocks
// CHECK: Fix: write it like `%sum = vyre.region "row_sum" from "blas.gemv" -> (f32) {`
vyre.program @p [64, 1, 1] {
  vyre.region "r" {
    vyre.yield
  ^second:
    vyre.yield
  }
}

// -----

// CHECK: {{.*}}program.mlir:90:3: error: 'vyre.region': has results () but yields (i32)
// CHECK: {{.*}}program.mlir:91:5: note: yielded here
// CHECK: Fix: yield one value of the right type for each result
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : i32
  vyre.region "r" {
    vyre.yield %n : i32
  }
}

// -----

// The yield that the parser adds.
// CHECK: {{.*}}program.mlir:101:8: error: 'vyre.region': has results (i32) but yields ()
// CHECK: Fix: yield one value of the right type for each result
vyre.program @p [64, 1, 1] {
  %r = vyre.region "r" -> (i32) {
  }
}

// -----

// CHECK: {{.*}}program.mlir:112:8: error: 'vyre.region': has results (i32) but yields (index)
// CHECK: {{.*}}program.mlir:113:5: note: yielded here
// CHECK: Fix: yield one value of the right type for each result
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : index
  %r = vyre.region "r" -> (i32) {
    vyre.yield %n : index
  }
}

// -----

// CHECK: {{.*}}program.mlir:124:12: error: 'vyre.region': has results (i32, i32) but yields (i32)
// CHECK: {{.*}}program.mlir:125:5: note: yielded here
// CHECK: Fix: yield one value of the right type for each result
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : i32
  %r, %s = vyre.region "r" -> (i32, i32) {
    vyre.yield %n : i32
  }
}

// -----

// Only a region ends with a yield.
// CHECK: {{.*}}program.mlir:135:3: error: 'vyre.yield' expects parent op 'vyre.region'
// CHECK: Fix: write it like `vyre.yield %sum : f32`
vyre.program @p [64, 1, 1] {
  vyre.yield
}

// -----

// Names are unique in a module.
// CHECK: {{.*}}program.mlir:148:1: error: 'vyre.program': the name @p is taken
// CHECK: {{.*}}program.mlir:144:1: note: first used here
// CHECK: Fix: rename one of the two
vyre.program @p [64, 1, 1] {
}
vyre.program @q [64, 1, 1] {
}
vyre.program @p [32, 1, 1] {
}

// -----

// CHECK: {{.*}}program.mlir:158:1: error: 'vyre.program': the name @p is taken
// CHECK: {{.*}}program.mlir:156:1: note: first used here
// CHECK: Fix: rename one of the two
vyre.schedule @p {
}
vyre.program @p [64, 1, 1] {
}

// -----

// A program sees no values but its own.
// CHECK: {{.*}}program.mlir:173:7: error: 'vyre.store': uses a value from outside its 'vyre.program'
// CHECK: {{.*}}program.mlir:168:8: note: defined here
// CHECK: Fix: compute the value inside, or pass it to the 'vyre.program'
builtin.module {
  %x = arith.constant 1 : i32
  vyre.program @p [64, 1, 1] {
    %a = vyre.buffer "a" write_only binding 0 : memref<?xi32>
    %i = vyre.invocation_id x
    scf.if %c {
      vyre.store %x, %a[%i] : memref<?xi32>
    }
    %c = vyre.param "c" : i1
  }
}

// -----

// CHECK: {{.*}}program.mlir:186:3: error: 'scf.for': uses a value from outside its 'vyre.schedule'
// CHECK: {{.*}}program.mlir:184:6: note: defined here
// CHECK: Fix: compute the value inside, or pass it to the 'vyre.schedule'
%n = arith.constant 1 : index
vyre.schedule @s {
  scf.for %k = %n to %n step %n {
  }
}

// -----

// An operation that ends too early is at fault, not the line after it.
// CHECK: {{.*}}program.mlir:196:3: error: the operation ends too early: Expected `relaxed`, `acquire`, `release`, `acq_rel`, `seq_cst`, or `grid_sync`.
// CHECK: Fix: write it like `vyre.barrier grid_sync`
vyre.program @p [64, 1, 1] {
  vyre.barrier
  %i = vyre.invocation_id x
}

// -----

// CHECK: {{.*}}program.mlir:205:8: error: the operation ends too early: Expected ':'
// CHECK: Fix: write it like `%out = vyre.buffer "out" write_only binding 2 output range [0, 64] : memref<1024xi32>`
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0
  %i = vyre.invocation_id x
}

// -----

// So is a text.
// CHECK: {{.*}}program.mlir:216:1: error: the text ends too early: expected an operation or `}`
// CHECK: Fix: correct the text at the caret, inside the 'vyre.program' above it
vyre.program @p [64, 1, 1] {
  %i = vyre.invocation_id x
