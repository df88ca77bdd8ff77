// RUN: VYRE_INVALID

// Workgroups agree among themselves how long to go on, the grid does not. The barrier stands
// in the region that those who leave run as well.
// CHECK: {{.*}}grid_barriers_of_workgroups.mlir:14:5: error: 'vyre.barrier': a grid barrier stands in control that is not grid-uniform: %go may differ between invocations
// CHECK: {{.*}}grid_barriers_of_workgroups.mlir:15:11: note: %go decides
// CHECK: {{.*}}grid_barriers_of_workgroups.mlir:12:8: note: %g differs between workgroups
// CHECK: Fix: let the condition depend only on what is the same in the whole grid, or move the operation out of the branch or loop
vyre.program @p [64, 1, 1] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %g = vyre.workgroup_id x
  %end = scf.while (%k = %zero) : (index) -> index {
    vyre.barrier grid_sync
    %go = arith.cmpi ult, %k, %g : index
    scf.condition(%go) %k : index
  } do {
  ^bb0(%k: index):
    %next = arith.addi %k, %one : index
    scf.yield %next : index
  }
}

// -----

// A number of trips that a workgroup has left in its memory.
// CHECK: {{.*}}grid_barriers_of_workgroups.mlir:36:5: error: 'vyre.barrier': a grid barrier stands in control that is not grid-uniform: %trips may differ between invocations
// CHECK: {{.*}}grid_barriers_of_workgroups.mlir:34:12: note: %trips decides, and is loaded from the workgroup buffer "tile"
// CHECK: Fix: let the condition depend only on what is the same in the whole grid, or move the operation out of the branch or loop
vyre.program @p [64, 1, 1] {
  %tile = vyre.buffer "tile" workgroup : memref<1xindex>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %trips = vyre.load %tile[%zero] : memref<1xindex>
  scf.for %k = %zero to %trips step %one {
    vyre.barrier grid_sync
  }
}

// -----

// A region around it does not help, nor another barrier at which the whole grid meets
// again.
// CHECK: {{.*}}grid_barriers_of_workgroups.mlir:54:7: error: 'vyre.barrier': a grid barrier stands in control that is not grid-uniform: %first may differ between invocations
// CHECK: {{.*}}grid_barriers_of_workgroups.mlir:51:12: note: %first decides
// CHECK: {{.*}}grid_barriers_of_workgroups.mlir:50:8: note: %g differs between workgroups
// CHECK: Fix: let the condition depend only on what is the same in the whole grid, or move the operation out of the branch or loop
vyre.program @p [64, 1, 1] {
  %zero = arith.constant 0 : index
  %g = vyre.workgroup_id x
  %first = arith.cmpi eq, %g, %zero : index
  scf.if %first {
    vyre.region "alone" {
      vyre.barrier grid_sync
    }
  }
  vyre.barrier grid_sync
}
