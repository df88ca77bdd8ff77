// RUN: vyre-opt %s -p vyre-propagate-lets | filecheck %s

// Counters and what is computed from them are the host's: nothing is stored.
// CHECK-LABEL: vyre.program @computed [64, 1, 1]
// CHECK-NOT:     vyre.scratch
// CHECK:         %half = arith.divui %n, %c1 : index
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    %r = scf.for %k = %c0 to %half step %c1 iter_args(%stride = %n) -> (index) {
// CHECK:           %next = arith.shrui %stride, %c1_1 : index
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK:           vyre.store %seven_1, %a[%next] : memref<?xi32>
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:      scf.yield %next : index
// CHECK-NEXT:    }
// CHECK:         vyre.store %seven_2, %a[%r] : memref<?xi32>
// CHECK-NEXT:  }
vyre.program @computed [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %seven = arith.constant 7 : i32
  %half = arith.divui %n, %c1 : index
  %r = scf.for %k = %c0 to %half step %c1 iter_args(%stride = %n) -> (index) {
    %next = arith.shrui %stride, %c1 : index
    vyre.barrier grid_sync
    vyre.store %seven, %a[%next] : memref<?xi32>
    scf.yield %next : index
  }
  vyre.store %seven, %a[%r] : memref<?xi32>
}

// A load at a literal position that decides is left to the host.
// CHECK-LABEL: vyre.program @read [64, 1, 1]
// CHECK-NOT:     vyre.scratch
// CHECK:         %flag = vyre.load %a[%c0] : memref<?xi32>
// CHECK:         %go = arith.cmpi ne, %flag, %zero : i32
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    scf.if %go {
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @read [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %flag = vyre.load %a[%c0] : memref<?xi32>
  %zero = arith.constant 0 : i32
  %go = arith.cmpi ne, %flag, %zero : i32
  scf.if %go {
    vyre.barrier grid_sync
  }
}

// Any other uniform condition is stored once, and read in a phase of its own.
// CHECK-LABEL: vyre.program @fetched [64, 1, 1]
// CHECK:         %go_kept = vyre.scratch single : memref<1xi1>
// CHECK-NEXT:    %0 = arith.constant 0 : index
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK:         %flag = vyre.load %a[%n] : memref<?xi32>
// CHECK:         %go = arith.cmpi ne, %flag, %zero : i32
// CHECK-NEXT:    vyre.store %go, %go_kept[%0] : memref<1xi1>
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    %1 = arith.constant 0 : index
// CHECK-NEXT:    %go_1 = vyre.load %go_kept[%1] : memref<1xi1>
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    scf.if %go_1 {
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @fetched [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %flag = vyre.load %a[%n] : memref<?xi32>
  %zero = arith.constant 0 : i32
  %go = arith.cmpi ne, %flag, %zero : i32
  scf.if %go {
    vyre.barrier grid_sync
  }
}

// In a loop it is read in every trip.
// CHECK-LABEL: vyre.program @fetched_in_a_loop [64, 1, 1]
// CHECK:         %go_kept = vyre.scratch single : memref<1xi1>
// CHECK:         vyre.barrier grid_sync
// CHECK-NEXT:    scf.while () : () -> () {
// CHECK:           %flag = vyre.load %a[%n] : memref<?xi32>
// CHECK-NEXT:      %go = arith.cmpi ne, %flag, %zero_1 : i32
// CHECK-NEXT:      vyre.store %go, %go_kept[%0] : memref<1xi1>
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK:           %go_1 = vyre.load %go_kept[%1] : memref<1xi1>
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:      scf.condition(%go_1)
// CHECK-NEXT:    } do {
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK:           vyre.store %zero_2, %a[%i_1] : memref<?xi32>
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @fetched_in_a_loop [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %zero = arith.constant 0 : i32
  scf.while : () -> () {
    %flag = vyre.load %a[%n] : memref<?xi32>
    %go = arith.cmpi ne, %flag, %zero : i32
    scf.condition(%go)
  } do {
    vyre.barrier grid_sync
    vyre.store %zero, %a[%i] : memref<?xi32>
    vyre.barrier grid_sync
    scf.yield
  }
}

// Functions that the host would not compute to the same bits are fetched.
// CHECK-LABEL: vyre.program @fetched_math [64, 1, 1]
// CHECK:         %go_kept = vyre.scratch single : memref<1xi1>
// CHECK:         %e = math.exp %f : f32
// CHECK-NEXT:    %go = arith.cmpf olt, %f, %e : f32
// CHECK-NEXT:    vyre.store %go, %go_kept[%0] : memref<1xi1>
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK:         %go_1 = vyre.load %go_kept[%1] : memref<1xi1>
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    scf.if %go_1 {
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @fetched_math [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %f = vyre.param "f" : f32
  %e = math.exp %f : f32
  %go = arith.cmpf olt, %f, %e : f32
  scf.if %go {
    vyre.barrier grid_sync
  }
}

// Constants and sizes are cheaper in a launch than as parameters.
// CHECK-LABEL: vyre.program @device_leaves [64, 1, 1]
// CHECK-NOT:     vyre.scratch
// CHECK:         %c = arith.constant 3 : index
// CHECK-NEXT:    %l = vyre.length %a, 0 : memref<?xindex>
// CHECK-NEXT:    vyre.store %c, %a[%i] : memref<?xindex>
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    %l_1 = vyre.length %a, 0 : memref<?xindex>
// CHECK-NEXT:    %c_1 = arith.constant 3 : index
// CHECK-NEXT:    vyre.store %l_1, %a[%c_1] : memref<?xindex>
// CHECK-NEXT:  }
vyre.program @device_leaves [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %i = vyre.invocation_id x
  %c = arith.constant 3 : index
  %l = vyre.length %a, 0 : memref<?xindex>
  vyre.store %c, %a[%i] : memref<?xindex>
  vyre.barrier grid_sync
  vyre.store %l, %a[%c] : memref<?xindex>
}
