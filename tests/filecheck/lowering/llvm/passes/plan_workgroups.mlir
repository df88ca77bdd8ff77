// RUN: vyre-opt %s -p vyre-launch-programs,vyre-plan-workgroups | filecheck %s
// RUN: vyre-opt %s -p vyre-launch-programs,vyre-plan-workgroups,vyre-plan-workgroups | filecheck %s

// CHECK-LABEL: vyre.program @p.0 [64, 1, 1]
// CHECK:         vyre.barrier acq_rel
// CHECK-LABEL: vyre.workgroups @p.0 {
// CHECK-NEXT:    vyre.schedule @p.0 {
// CHECK-NEXT:      %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
// CHECK-NEXT:      %tile = vyre.buffer "tile" read_write binding 1 : memref<64xi32>
// CHECK-NEXT:      %group_x = vyre.param "vyre.workgroup_id.x" : index
// CHECK:           vyre.launch @p.0.0(%a, %tile, %group_x)
// CHECK:           vyre.launch @p.0.1(%a, %tile, %first_x)
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.program @p.0.0 [64, 1, 1]
// CHECK:         vyre.program @p.0.1 [64, 1, 1]
// CHECK-LABEL: vyre.schedule @p {
// CHECK-NOT:   vyre.workgroups
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<64xi32>
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  %last = arith.constant 63 : index
  %back = arith.subi %last, %l : index
  %v = vyre.load %a[%i] : memref<?xi32>
  vyre.store %v, %tile[%l] : memref<64xi32>
  vyre.barrier acq_rel
  %w = vyre.load %tile[%back] : memref<64xi32>
  vyre.store %w, %a[%i] : memref<?xi32>
}
