// RUN: VYRE_INVALID

// CHECK: {{.*}}barrier.mlir:6:3: error: 'vyre.barrier': a relaxed barrier orders nothing
// CHECK: Fix: use acq_rel for a workgroup or grid_sync for the grid
vyre.program @p [64, 1, 1] {
  vyre.barrier relaxed
}

// -----

// A workgroup barrier has the name of its ordering.
// CHECK: {{.*}}barrier.mlir:15:16: error: Expected `relaxed`, `acquire`, `release`, `acq_rel`, `seq_cst`, or `grid_sync`.
// CHECK: Fix: write it like `vyre.barrier grid_sync`
vyre.program @p [64, 1, 1] {
  vyre.barrier workgroup
}
