// RUN: vyre-opt %s -p vyre-propagate-lets | filecheck %s

// What an atomic gives is kept, however cheap.
// CHECK-LABEL: vyre.program @atomic [64, 1, 1]
// CHECK:         %ticket_kept = vyre.scratch per_invocation : memref<?xi32>
// CHECK:         %ticket = vyre.atomic add %one, %n[%c0] : memref<1xi32>
// CHECK-NEXT:    vyre.store %ticket, %ticket_kept[%0] : memref<?xi32>
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK:         %ticket_1 = vyre.load %ticket_kept[%1] : memref<?xi32>
// CHECK:         vyre.store %ticket_1, %a[%i_1] : memref<?xi32>
// CHECK-NEXT:  }
vyre.program @atomic [64, 1, 1] {
  %n = vyre.buffer "n" read_write binding 0 : memref<1xi32>
  %a = vyre.buffer "a" read_write binding 1 : memref<?xi32>
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %ticket = vyre.atomic add %one, %n[%c0] : memref<1xi32>
  vyre.barrier grid_sync
  vyre.store %ticket, %a[%i] : memref<?xi32>
}

// So is what compare and swap gives.
// CHECK-LABEL: vyre.program @atomic_cas [64, 1, 1]
// CHECK:         %old_kept = vyre.scratch per_invocation : memref<?xi32>
// CHECK:         %old = vyre.atomic_cas %one, %two, %n[%c0] : memref<1xi32>
// CHECK-NEXT:    vyre.store %old, %old_kept[%0] : memref<?xi32>
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK:         %old_1 = vyre.load %old_kept[%1] : memref<?xi32>
// CHECK:         vyre.store %old_1, %a[%i_1] : memref<?xi32>
// CHECK-NEXT:  }
vyre.program @atomic_cas [64, 1, 1] {
  %n = vyre.buffer "n" read_write binding 0 : memref<1xi32>
  %a = vyre.buffer "a" read_write binding 1 : memref<?xi32>
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %i = vyre.invocation_id x
  %old = vyre.atomic_cas %one, %two, %n[%c0] : memref<1xi32>
  vyre.barrier grid_sync
  vyre.store %old, %a[%i] : memref<?xi32>
}

// Results of control flow are not computed again either.
// CHECK-LABEL: vyre.program @control_flow [64, 1, 1]
// CHECK:         %x_kept = vyre.scratch per_invocation : memref<?xi32>
// CHECK:         %first = arith.cmpi eq, %i, %c0 : index
// CHECK-NEXT:    %x = scf.if %first -> (i32) {
// CHECK-NEXT:      %old = vyre.atomic add %one, %n[%c0] : memref<1xi32>
// CHECK-NEXT:      scf.yield %old : i32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %one : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.store %x, %x_kept[%0] : memref<?xi32>
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK:         %x_1 = vyre.load %x_kept[%1] : memref<?xi32>
// CHECK:         vyre.store %x_1, %a[%i_1] : memref<?xi32>
// CHECK-NEXT:  }
vyre.program @control_flow [64, 1, 1] {
  %n = vyre.buffer "n" read_write binding 0 : memref<1xi32>
  %a = vyre.buffer "a" read_write binding 1 : memref<?xi32>
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %first = arith.cmpi eq, %i, %c0 : index
  %x = scf.if %first -> (i32) {
    %old = vyre.atomic add %one, %n[%c0] : memref<1xi32>
    scf.yield %old : i32
  } else {
    scf.yield %one : i32
  }
  vyre.barrier grid_sync
  vyre.store %x, %a[%i] : memref<?xi32>
}
