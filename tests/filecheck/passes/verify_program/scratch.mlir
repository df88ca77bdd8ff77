// RUN: VYRE_INVALID

// CHECK: {{.*}}scratch.mlir:10:3: error: 'vyre.store': accesses per_invocation scratch that may not be its own
// CHECK: {{.*}}scratch.mlir:7:8: note: declared here
// CHECK: Fix: use `vyre.linear_id invocation` as the first index
vyre.program @stranger [64, 1, 1] {
  %s = vyre.scratch per_invocation : memref<?xi32>
  %i = vyre.invocation_id x
  %one = arith.constant 1 : i32
  vyre.store %one, %s[%i] : memref<?xi32>
}

// -----

// CHECK: {{.*}}scratch.mlir:21:8: error: 'vyre.load': accesses per_workgroup scratch that may not be its own
// CHECK: Fix: use `vyre.linear_id workgroup` as the first index
vyre.program @other_scope [64, 1, 1] {
  %s = vyre.scratch per_workgroup : memref<?x4xi32>
  %zero = arith.constant 0 : index
  %me = vyre.linear_id invocation
  %v = vyre.load %s[%me, %zero] : memref<?x4xi32>
}
