// RUN: vyre-opt %s --split-input-file -p 'vyre-plan-megakernel{budget=100}' --verify-diagnostics | filecheck %s
// RUN: vyre-opt %s --split-input-file -p 'vyre-plan-megakernel{budget=100 graph=101}' --verify-diagnostics | filecheck %s --check-prefix=GRAPH

// CHECK: {{.*}}refused.mlir:9:1: error: 'vyre.megakernel': 3 waves can never run: "b" -> "c" -> "b" is a circle
// CHECK: Fix: remove one of its dependencies
vyre.program @p [64, 1, 1] {
}

vyre.megakernel @m {
  vyre.wave "a" @p after []
  vyre.wave "b" @p after ["c"]
  vyre.wave "c" @p after ["b", "a"]
  vyre.wave "d" @p after ["c"]
}

// -----

// CHECK: {{.*}}refused.mlir:26:3: error: 'vyre.wave': single fused frontier wave bytes: 101 bytes are needed, the budget has 100
// CHECK: Fix: raise the budget, or make the waves smaller
// GRAPH: 'vyre.megakernel': resident graph bytes: 101 bytes are needed, the budget has 100
// GRAPH: Fix: raise the budget, or keep less on the device
vyre.program @p [64, 1, 1] {
}
vyre.megakernel @m {
  vyre.wave "small" @p bytes [1, 0, 0]
  vyre.wave "a" @p bytes [1, 20, 20]
}

// -----

// CHECK: {{.*}}refused.mlir:39:3: error: 'vyre.wave': the bytes of "x" are known only at dispatch
// CHECK: Fix: write `bytes [f, s, o]` at the wave, or sizes in the buffer's type
vyre.program @p [64, 1, 1] {
  %x = vyre.buffer "x" read_only binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %v = vyre.load %x[%i] : memref<?xi32>
}
vyre.megakernel @m {
  vyre.wave "a" @p
}

// -----

// CHECK: {{.*}}refused.mlir:50:3: error: 'vyre.wave': fused wave bytes are not a number from 0 to 2**64 - 1
// CHECK: Fix: check the sizes of the waves
vyre.program @p [64, 1, 1] {
}
vyre.megakernel @m {
  vyre.wave "a" @p bytes [1, 0, 1]
  vyre.wave "b" @p bytes [18446744073709551615, 0, 1]
}
