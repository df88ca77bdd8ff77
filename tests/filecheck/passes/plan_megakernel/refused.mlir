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

// CHECK: {{.*}}refused.mlir:25:3: error: 'vyre.wave': single fused frontier wave bytes: 101 bytes are needed, the budget has 100
// CHECK: Fix: raise the budget, or make the waves smaller
// GRAPH: 'vyre.megakernel': resident graph bytes: 101 bytes are needed, the budget has 100
vyre.program @p [64, 1, 1] {
}
vyre.megakernel @m {
  vyre.wave "small" @p bytes [1, 0, 0]
  vyre.wave "a" @p bytes [1, 20, 20]
}

// -----

// CHECK: {{.*}}refused.mlir:38:3: error: 'vyre.wave': the bytes of "x" are known only at dispatch
// CHECK: Fix: write `bytes [f, s, o]` at the wave, or sizes in the buffer's type
vyre.program @p [64, 1, 1] {
  %x = vyre.buffer "x" read_only binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %v = vyre.load %x[%i] : memref<?xi32>
}
vyre.megakernel @m {
  vyre.wave "a" @p
}
