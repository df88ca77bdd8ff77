// RUN: vyre-opt %s -p vyre-hoist-grid-sync --verify-diagnostics | filecheck %s
// RUN: vyre-opt %s -p vyre-promote-lets,vyre-hoist-grid-sync | filecheck %s --check-prefix=PROMOTED

// CHECK: {{.*}}variables.mlir:15:10: error: 'vyre.let': the variable "v" is used across a grid barrier of its region, and regions cannot yield variables
// CHECK: {{.*}}variables.mlir:17:10: note: used here
// CHECK: Fix: run vyre-promote-lets first

// PROMOTED-LABEL: vyre.program @crossing
// PROMOTED:         vyre.barrier grid_sync
// PROMOTED-NEXT:    vyre.region "r" {
// PROMOTED-NEXT:      %z = arith.addi %x, %x : i32
vyre.program @crossing [64, 1, 1] {
  %x = vyre.param "x" : i32
  vyre.region "r" {
    %v = vyre.let "v" = %x : i32
    vyre.barrier grid_sync
    %y = vyre.get %v : !vyre.cell<i32>
    %z = arith.addi %y, %y : i32
  }
}
