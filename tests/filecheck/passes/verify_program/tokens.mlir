// RUN: VYRE_INVALID

// A copy that nothing waits for.
// CHECK: {{.*}}tokens.mlir:10:8: error: 'vyre.async_load': nothing waits for this copy, so nothing says when it is done
// CHECK: Fix: pass its token to a 'vyre.async_wait'
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %t = vyre.async_load %a[%i], %tile[%i], %i : memref<?xf32>, memref<64xf32>
}

// -----

// CHECK: {{.*}}tokens.mlir:21:8: error: 'vyre.async_store': nothing waits for this copy, so nothing says when it is done
// CHECK: Fix: pass its token to a 'vyre.async_wait'
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" write_only binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %t = vyre.async_store %tile[%i], %a[%i], %i : memref<64xf32>, memref<?xf32>
}

// -----

// A region passes the token on, and nothing takes it.
// CHECK: {{.*}}tokens.mlir:34:8: error: 'vyre.region': nothing waits for this copy, so nothing says when it is done
// CHECK: Fix: pass its token to a 'vyre.async_wait'
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %n = vyre.param "n" : index
  %t = vyre.region "copy" -> (!vyre.token) {
    %started = vyre.async_load %a[%i], %tile[%i], %n : memref<?xf32>, memref<64xf32>
    vyre.yield %started : !vyre.token
  }
}

// -----

// A loop drops the token that it carries.
// CHECK: {{.*}}tokens.mlir:51:11: error: 'scf.for': nothing waits for this copy, so nothing says when it is done
// CHECK: Fix: pass its token to a 'vyre.async_wait'
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %n = vyre.param "n" : index
  %first = vyre.async_load %a[%i], %tile[%i], %n : memref<?xf32>, memref<64xf32>
  %last = scf.for %k = %n to %n step %n iter_args(%t = %first) -> (!vyre.token) {
    %next = vyre.async_load %a[%i], %tile[%i], %n : memref<?xf32>, memref<64xf32>
    scf.yield %next : !vyre.token
  }
  vyre.async_wait %last
}

// -----

// What the last round started is not waited for.
// CHECK: {{.*}}tokens.mlir:69:11: error: 'scf.for': nothing waits for this copy, so nothing says when it is done
// CHECK: Fix: pass its token to a 'vyre.async_wait'
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %n = vyre.param "n" : index
  %first = vyre.async_load %a[%i], %tile[%i], %n : memref<?xf32>, memref<64xf32>
  %last = scf.for %k = %n to %n step %n iter_args(%t = %first) -> (!vyre.token) {
    vyre.async_wait %t
    %next = vyre.async_load %a[%i], %tile[%i], %n : memref<?xf32>, memref<64xf32>
    scf.yield %next : !vyre.token
  }
}

// -----

// The first region of a while loop drops the token.
// CHECK: {{.*}}tokens.mlir:88:11: error: 'scf.while': nothing waits for this copy, so nothing says when it is done
// CHECK: Fix: pass its token to a 'vyre.async_wait'
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %n = vyre.param "n" : index
  %go = vyre.param "go" : i1
  %first = vyre.async_load %a[%i], %tile[%i], %n : memref<?xf32>, memref<64xf32>
  %last = scf.while (%t = %first) : (!vyre.token) -> !vyre.token {
    %next = vyre.async_load %a[%i], %tile[%i], %n : memref<?xf32>, memref<64xf32>
    scf.condition(%go) %next : !vyre.token
  } do {
  ^bb0(%u: !vyre.token):
    scf.yield %u : !vyre.token
  }
  vyre.async_wait %last
}

// -----

// The second region does.
// CHECK: {{.*}}tokens.mlir:110:12: error: 'vyre.async_load': the copy is not waited for exactly once on every path
// CHECK: {{.*}}tokens.mlir:111:11: note: used here
// CHECK: Fix: wait for its token once, in the block that has it
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %n = vyre.param "n" : index
  %go = vyre.param "go" : i1
  %first = vyre.async_load %a[%i], %tile[%i], %n : memref<?xf32>, memref<64xf32>
  %last = scf.while (%t = %first) : (!vyre.token) -> !vyre.token {
    scf.condition(%go) %t : !vyre.token
  } do {
  ^bb0(%u: !vyre.token):
    scf.yield %first : !vyre.token
  }
  vyre.async_wait %last
}

// -----

// An arm of an if starts a copy, and nobody waits for what the if gives.
// CHECK: {{.*}}tokens.mlir:132:12: error: 'vyre.async_load': the copy is not waited for exactly once on every path
// CHECK: {{.*}}tokens.mlir:137:5: note: used here
// CHECK: Fix: wait for its token once, in the block that has it
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %n = vyre.param "n" : index
  %c = vyre.param "c" : i1
  %first = vyre.async_load %a[%i], %tile[%i], %n : memref<?xf32>, memref<64xf32>
  %t = scf.if %c -> (!vyre.token) {
    %other = vyre.async_load %a[%i], %tile[%i], %n : memref<?xf32>, memref<64xf32>
    scf.yield %other : !vyre.token
  } else {
    scf.yield %first : !vyre.token
  }
}

// -----

// Waited for in one branch only.
// CHECK: {{.*}}tokens.mlir:153:8: error: 'vyre.async_load': the copy is not waited for exactly once on every path
// CHECK: {{.*}}tokens.mlir:155:5: note: used here
// CHECK: Fix: wait for its token once, in the block that has it
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %n = vyre.param "n" : index
  %c = vyre.param "c" : i1
  %t = vyre.async_load %a[%i], %tile[%i], %n : memref<?xf32>, memref<64xf32>
  scf.if %c {
    vyre.async_wait %t
  }
}

// -----

// One of two tokens is chosen, the other is dropped.
// CHECK: {{.*}}tokens.mlir:171:8: error: 'vyre.async_load': the copy is not waited for exactly once on every path
// CHECK: {{.*}}tokens.mlir:173:8: note: used here
// CHECK: Fix: wait for its token once, in the block that has it
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %n = vyre.param "n" : index
  %c = vyre.param "c" : i1
  %t = vyre.async_load %a[%i], %tile[%i], %n : memref<?xf32>, memref<64xf32>
  %u = vyre.async_load %a[%n], %tile[%i], %n : memref<?xf32>, memref<64xf32>
  %e = arith.select %c, %t, %u : !vyre.token
  vyre.async_wait %e
}

// -----

// Waited for twice.
// CHECK: {{.*}}tokens.mlir:188:8: error: 'vyre.async_load': the copy is not waited for exactly once on every path
// CHECK: {{.*}}tokens.mlir:190:3: note: used here
// CHECK: Fix: wait for its token once, in the block that has it
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %n = vyre.param "n" : index
  %t = vyre.async_load %a[%i], %tile[%i], %n : memref<?xf32>, memref<64xf32>
  vyre.async_wait %t
  vyre.async_wait %t
}
