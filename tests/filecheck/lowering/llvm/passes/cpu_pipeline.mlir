// RUN: vyre-opt %s -p 'vyre-cpu-pipeline{grid=1 sizes="a=64"}' --print-between-passes | filecheck %s

// Each pass of the list is shown, and the last one knows grid and sizes.
// CHECK-LABEL: IR after vyre-expand-switches:
// CHECK:         vyre.barrier grid_sync
// CHECK-LABEL: IR after vyre-split-grid-sync:
// CHECK:       vyre.schedule @p
// CHECK:         vyre.launch @p.0(
// CHECK-LABEL: IR after vyre-rewrite-access:
// CHECK:         vyre.load %a[%i] :
// CHECK:         vyre.load %a[%i] inbounds :
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.buffer "b" write_only binding 1 output : memref<64xi32>
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  vyre.barrier grid_sync
  vyre.store %x, %b[%i] : memref<64xi32>
}
