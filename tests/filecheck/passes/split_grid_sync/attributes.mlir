// RUN: vyre-opt %s -p vyre-host-plan | filecheck %s

// What was said about the code holds for all parts of it; the name is the schedule's.
// CHECK:      vyre.schedule @p attributes {my.target = "sm_90", sym_visibility = "private"} {
// CHECK:      vyre.program @p.0 [4, 1, 1] attributes {my.target = "sm_90"} {
// CHECK:      vyre.program @p.1 [4, 1, 1] attributes {my.target = "sm_90"} {
vyre.program @p [4, 1, 1] attributes {my.target = "sm_90", sym_visibility = "private"} {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %i = vyre.invocation_id x
  vyre.store %i, %a[%i] : memref<?xindex>
  vyre.barrier grid_sync
  vyre.store %i, %a[%i] : memref<?xindex>
}
