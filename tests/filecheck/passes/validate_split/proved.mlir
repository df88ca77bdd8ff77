// RUN: vyre-opt %s -p vyre-validate-split | filecheck %s
// RUN: vyre-opt %s -p 'vyre-validate-split{passes=vyre-hoist-grid-sync,vyre-propagate-lets,vyre-split-grid-sync}' | filecheck %s
// RUN: vyre-opt %s -p vyre-host-plan --validate | filecheck %s

// The result is that of the passes, after it was proved.

// CHECK:       vyre.schedule @exchange {
// CHECK:         %x_kept = vyre.scratch per_invocation : memref<?xi32>
// CHECK-NEXT:    vyre.launch @exchange.0(%a, %x_kept)
// CHECK-NEXT:    vyre.launch @exchange.1(%a, %x_kept)
vyre.program @exchange [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %one = arith.constant 1 : index
  %next = arith.addi %i, %one : index
  %x = vyre.load %a[%i] : memref<?xi32>
  vyre.barrier grid_sync
  vyre.store %x, %a[%next] : memref<?xi32>
}
