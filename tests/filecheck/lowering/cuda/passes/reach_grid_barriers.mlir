// RUN: vyre-opt %s -p vyre-reach-grid-barriers | filecheck %s

// CHECK-LABEL: vyre.program @both [64, 1, 1]
// CHECK:          %zero = arith.constant 0 : i32
// CHECK-NEXT:     %i = vyre.invocation_id x
// CHECK-NEXT:     %n = vyre.length %a, 0 : memref<?xi32>
// CHECK-NEXT:     %outside = arith.cmpi uge, %i, %n : index
// CHECK-NEXT:     %true = arith.constant true
// CHECK-NEXT:     %false = arith.constant false
// CHECK-NEXT:     %alive = arith.select %outside, %false, %true : i1
// CHECK-NEXT:     %v = vyre.load %a[%i] : memref<?xi32>
// CHECK-NEXT:     %negative = arith.cmpi slt, %v, %zero : i32
// CHECK-NEXT:     %alive_1 = scf.if %negative -> (i1) {
// CHECK-NEXT:       vyre.region {
// CHECK-NEXT:         scf.if %alive {
// CHECK-NEXT:           vyre.trap "negative" at %i : index
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:       scf.yield %false : i1
// CHECK-NEXT:     } else {
// CHECK-NEXT:       scf.yield %alive : i1
// CHECK-NEXT:     }
// CHECK-NEXT:     vyre.barrier grid_sync
// CHECK-NEXT:     scf.if %alive_1 {
// CHECK-NEXT:       vyre.store %v, %a[%i] inbounds : memref<?xi32>
// CHECK-NEXT:     }
// CHECK-NEXT:   }
vyre.program @both [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %zero = arith.constant 0 : i32
  %i = vyre.invocation_id x
  %n = vyre.length %a, 0 : memref<?xi32>
  %outside = arith.cmpi uge, %i, %n : index
  scf.if %outside {
    vyre.return
  }
  %v = vyre.load %a[%i] inbounds : memref<?xi32>
  %negative = arith.cmpi slt, %v, %zero : i32
  scf.if %negative {
    vyre.trap "negative" at %i : index
  }
  vyre.barrier grid_sync
  vyre.store %v, %a[%i] inbounds : memref<?xi32>
}

// Whoever traps need not come to a collective.
// CHECK-LABEL: vyre.program @collective [64, 1, 1]
// CHECK:          %zero = arith.constant 0 : i32
// CHECK-NEXT:     %i = vyre.invocation_id x
// CHECK-NEXT:     %v = vyre.load %a[%i] : memref<?xi32>
// CHECK-NEXT:     %negative = arith.cmpi slt, %v, %zero : i32
// CHECK-NEXT:     %true = arith.constant true
// CHECK-NEXT:     %false = arith.constant false
// CHECK-NEXT:     %alive = scf.if %negative -> (i1) {
// CHECK-NEXT:       vyre.region {
// CHECK-NEXT:         vyre.trap "negative"
// CHECK-NEXT:       }
// CHECK-NEXT:       scf.yield %false : i1
// CHECK-NEXT:     } else {
// CHECK-NEXT:       scf.yield %true : i1
// CHECK-NEXT:     }
// CHECK-NEXT:     vyre.all_reduce add %a : memref<?xi32>
// CHECK-NEXT:     scf.if %alive {
// CHECK-NEXT:       vyre.store %v, %a[%i] : memref<?xi32>
// CHECK-NEXT:     }
// CHECK-NEXT:   }
vyre.program @collective [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %zero = arith.constant 0 : i32
  %i = vyre.invocation_id x
  %v = vyre.load %a[%i] : memref<?xi32>
  %negative = arith.cmpi slt, %v, %zero : i32
  scf.if %negative {
    vyre.trap "negative"
  }
  vyre.all_reduce add %a : memref<?xi32>
  vyre.store %v, %a[%i] : memref<?xi32>
}

// Without grid barriers, invocations may end when they like.
// CHECK-LABEL: vyre.program @alone [64, 1, 1]
// CHECK:          %i = vyre.invocation_id x
// CHECK-NEXT:     %n = vyre.length %a, 0 : memref<?xi32>
// CHECK-NEXT:     %outside = arith.cmpi uge, %i, %n : index
// CHECK-NEXT:     scf.if %outside {
// CHECK-NEXT:       vyre.return
// CHECK-NEXT:     }
// CHECK-NEXT:     %v = vyre.load %a[%i] : memref<?xi32>
// CHECK-NEXT:     vyre.barrier acq_rel
// CHECK-NEXT:     vyre.store %v, %a[%i] : memref<?xi32>
// CHECK-NEXT:   }
vyre.program @alone [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %n = vyre.length %a, 0 : memref<?xi32>
  %outside = arith.cmpi uge, %i, %n : index
  scf.if %outside {
    vyre.return
  }
  %v = vyre.load %a[%i] : memref<?xi32>
  vyre.barrier acq_rel
  vyre.store %v, %a[%i] : memref<?xi32>
}
