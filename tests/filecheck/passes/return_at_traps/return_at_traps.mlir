// RUN: vyre-opt %s -p vyre-return-at-traps | filecheck %s
// RUN: vyre-opt %s -p vyre-return-at-traps,vyre-predicate-returns | filecheck %s --check-prefix=PREDICATED
// RUN: vyre-opt %s -p 'vyre-return-at-traps{waiting=true}' | filecheck %s --check-prefix=WAITING

// CHECK-LABEL: vyre.program @checked
// CHECK:         scf.if %negative {
// CHECK-NEXT:      vyre.region {
// CHECK-NEXT:        vyre.trap "negative" at %i : index
// CHECK-NEXT:      }
// CHECK-NEXT:      vyre.return
// CHECK-NEXT:    }

// Then everyone comes to the barrier, and who trapped does nothing after it.
// PREDICATED-LABEL: vyre.program @checked
// PREDICATED:         %[[ALIVE:.*]] = scf.if %negative -> (i1) {
// PREDICATED-NEXT:      vyre.region {
// PREDICATED-NEXT:        vyre.trap "negative" at %i : index
// PREDICATED-NEXT:      }
// PREDICATED:         vyre.barrier grid_sync
// PREDICATED-NEXT:    scf.if %[[ALIVE]] {
// PREDICATED-NEXT:      vyre.store
vyre.program @checked [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %zero = arith.constant 0 : i32
  %i = vyre.invocation_id x
  %v = vyre.load %a[%i] : memref<?xi32>
  %negative = arith.cmpi slt, %v, %zero : i32
  scf.if %negative {
    vyre.trap "negative" at %i : index
  }
  vyre.barrier grid_sync
  vyre.store %v, %a[%i] : memref<?xi32>
}

// Whoever traps need not come to a collective; who returns may do so after it.
// PREDICATED-LABEL: vyre.program @collective
// PREDICATED:         %alive = scf.if %negative -> (i1) {
// PREDICATED-NEXT:      vyre.region {
// PREDICATED-NEXT:        vyre.trap "negative"
// PREDICATED-NEXT:      }
// PREDICATED-NEXT:      scf.yield %false : i1
// PREDICATED:         vyre.all_reduce add %a
// PREDICATED-NEXT:    %alive_1 = arith.select %zero_first, %false, %alive : i1
// PREDICATED-NEXT:    scf.if %alive_1 {
// PREDICATED-NEXT:      vyre.store
vyre.program @collective [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %zero = arith.constant 0 : i32
  %i = vyre.invocation_id x
  %v = vyre.load %a[%i] : memref<?xi32>
  %negative = arith.cmpi slt, %v, %zero : i32
  %zero_first = arith.cmpi eq, %v, %zero : i32
  scf.if %negative {
    vyre.trap "negative"
  }
  vyre.all_reduce add %a : memref<?xi32>
  scf.if %zero_first {
    vyre.return
  }
  vyre.store %v, %a[%i] : memref<?xi32>
}

// WAITING-LABEL: vyre.program @alone
// WAITING-NOT:     vyre.return
vyre.program @alone [64, 1, 1] {
  vyre.trap "always"
}
