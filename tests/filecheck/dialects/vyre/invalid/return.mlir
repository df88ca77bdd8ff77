// RUN: VYRE_INVALID

// CHECK: {{.*}}return.mlir:8:3: error: 'vyre.barrier' follows a 'vyre.return' in its block and never runs
// CHECK: {{.*}}return.mlir:7:3: note: every invocation that comes here ends
// CHECK: Fix: remove it, or move it before the 'vyre.return'
vyre.program @p [64, 1, 1] {
  vyre.return
  vyre.barrier grid_sync
}

// -----

// CHECK: {{.*}}return.mlir:18:3: error: 'vyre.return' follows a 'vyre.trap' in its block and never runs
// CHECK: {{.*}}return.mlir:17:3: note: every invocation that comes here ends
// CHECK: Fix: remove it, or move it before the 'vyre.trap'
vyre.program @p [64, 1, 1] {
  vyre.trap "always"
  vyre.return
}

// -----

// CHECK: {{.*}}return.mlir:29:5: error: 'vyre.return' follows a 'vyre.return' in its block and never runs
// CHECK: {{.*}}return.mlir:28:5: note: every invocation that comes here ends
// CHECK: Fix: remove it, or move it before the 'vyre.return'
vyre.program @p [64, 1, 1] {
  vyre.region "r" {
    vyre.return
    vyre.return
  }
}

// -----

// CHECK: {{.*}}return.mlir:42:12: error: 'arith.constant' follows a 'vyre.trap' in its block and never runs
// CHECK: {{.*}}return.mlir:41:5: note: every invocation that comes here ends
// CHECK: Fix: remove it, or move it before the 'vyre.trap'
vyre.program @p [64, 1, 1] {
  %c = vyre.param "c" : i1
  scf.if %c {
    vyre.trap "bad"
    %one = arith.constant 1 : i32
  }
}

// -----

// Declarations too.
// CHECK: {{.*}}return.mlir:54:8: error: 'vyre.buffer' follows a 'vyre.return' in its block and never runs
// CHECK: {{.*}}return.mlir:53:3: note: every invocation that comes here ends
// CHECK: Fix: remove it, or move it before the 'vyre.return'
vyre.program @p [64, 1, 1] {
  vyre.return
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
}
