// RUN: vyre-opt %s -p vyre-isolate-workgroup | filecheck %s

vyre.program @ids [4, 2, 1] {
  %a = vyre.buffer "a" read_write binding 3 output : memref<?xindex>
  %tile = vyre.buffer "tile" workgroup kind shared align 16 : memref<8xindex>
  %n = vyre.param "n" : index
  %x = vyre.invocation_id x
  %y = vyre.invocation_id y
  %z = vyre.invocation_id z
  %gx = vyre.workgroup_id x
  %gz = vyre.workgroup_count z
  %l = vyre.linear_id local
  %w = vyre.workgroup_size x
  vyre.store %x, %a[%y] : memref<?xindex>
  vyre.store %z, %a[%gx] : memref<?xindex>
  vyre.store %gz, %a[%l] : memref<?xindex>
  vyre.store %w, %tile[%n] : memref<8xindex>
}

// CHECK-LABEL: vyre.program @ids
// What a launch passes, then memory, then the workgroup's id and the number of these.
// CHECK-NEXT:    %a = vyre.buffer "a" read_write binding 3 output : memref<?xindex>
// CHECK-NEXT:    %n = vyre.param "n" : index
// CHECK-NEXT:    %tile = vyre.buffer "tile" read_write binding 4 align 16 : memref<8xindex>
// CHECK-NEXT:    %group_x = vyre.param "vyre.workgroup_id.x" : index
// CHECK-NEXT:    %group_y = vyre.param "vyre.workgroup_id.y" : index
// CHECK-NEXT:    %group_z = vyre.param "vyre.workgroup_id.z" : index
// CHECK-NEXT:    %groups_x = vyre.param "vyre.workgroup_count.x" : index
// CHECK-NEXT:    %groups_y = vyre.param "vyre.workgroup_count.y" : index
// CHECK-NEXT:    %groups_z = vyre.param "vyre.workgroup_count.z" : index
// CHECK-NEXT:    %[[#]] = arith.constant 4 : index
// CHECK-NEXT:    %first_x = arith.muli %group_x, %{{.*}} : index
// CHECK-NEXT:    %[[LX:.*]] = vyre.local_id x
// CHECK-NEXT:    %x = arith.addi %first_x, %[[LX]] : index
// CHECK-NEXT:    %[[#]] = arith.constant 2 : index
// CHECK-NEXT:    %first_y = arith.muli %group_y, %{{.*}} : index
// CHECK-NEXT:    %[[LY:.*]] = vyre.local_id y
// CHECK-NEXT:    %y = arith.addi %first_y, %[[LY]] : index
// CHECK-NEXT:    %l = vyre.linear_id local
// CHECK-NEXT:    %w = vyre.workgroup_size x
// CHECK-NEXT:    vyre.store %x, %a[%y] : memref<?xindex>
// CHECK-NEXT:    vyre.store %group_z, %a[%group_x] : memref<?xindex>
// CHECK-NEXT:    vyre.store %groups_z, %a[%l] : memref<?xindex>
// CHECK-NEXT:    vyre.store %w, %tile[%n] : memref<8xindex>

vyre.program @linear [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %me = vyre.linear_id invocation
  %group = vyre.linear_id workgroup
  vyre.region "inner" {
    %again = vyre.linear_id invocation
    vyre.store %group, %a[%again] : memref<?xindex>
  }
  vyre.store %group, %a[%me] : memref<?xindex>
}

// CHECK-LABEL: vyre.program @linear
// CHECK:         %first_x = arith.muli %group_x, %{{.*}} : index
// CHECK-NEXT:    %[[L:.*]] = vyre.local_id x
// CHECK-NEXT:    %[[X:.*]] = arith.addi %first_x, %[[L]] : index
// CHECK-NEXT:    %[[SIZE:.*]] = arith.constant 64 : index
// CHECK-NEXT:    %[[WIDTH:.*]] = arith.muli %groups_x, %[[SIZE]] : index
// CHECK-NEXT:    %[[PLANE:.*]] = arith.muli %group_z, %groups_y : index
// CHECK-NEXT:    %[[ROW:.*]] = arith.addi %[[PLANE]], %group_y : index
// CHECK-NEXT:    %[[ROWS:.*]] = arith.muli %[[ROW]], %[[WIDTH]] : index
// CHECK-NEXT:    %me = arith.addi %[[ROWS]], %[[X]] : index
// CHECK-NEXT:    %[[PLANE:.*]] = arith.muli %group_z, %groups_y : index
// CHECK-NEXT:    %[[ROW:.*]] = arith.addi %[[PLANE]], %group_y : index
// CHECK-NEXT:    %[[ROWS:.*]] = arith.muli %[[ROW]], %groups_x : index
// CHECK-NEXT:    %group = arith.addi %[[ROWS]], %group_x : index
// CHECK-NEXT:    vyre.region "inner" {
// CHECK-NEXT:      vyre.store %group, %a[%me] : memref<?xindex>

// Barriers of all orderings are the grid's; names that are taken get a number.
vyre.program @barriers [64, 1, 1] {
  %n = vyre.param "vyre.workgroup_id.x" : index
  %c = arith.constant true
  vyre.barrier acquire
  scf.if %c {
    vyre.barrier seq_cst
  }
  vyre.barrier acq_rel
}

// CHECK-LABEL: vyre.program @barriers
// CHECK-NEXT:    %n = vyre.param "vyre.workgroup_id.x" : index
// CHECK-NEXT:    %group_x = vyre.param "vyre.workgroup_id.x_1" : index
// CHECK:         vyre.barrier grid_sync
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.barrier grid_sync
