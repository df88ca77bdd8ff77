// RUN: vyre-opt %s -p vyre-host-plan | filecheck %s

// Kept, cut and narrowed.
// CHECK-LABEL: vyre.schedule @shift
// CHECK-NEXT:    %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
// CHECK-NEXT:    %b = vyre.buffer "b" write_only binding 1 output : memref<?xf32>
// CHECK-NEXT:    %x_kept = vyre.scratch per_invocation : memref<?xf32>
// CHECK-NEXT:    vyre.launch @shift.0(%a, %x_kept)
// CHECK-NEXT:    vyre.launch @shift.1(%a, %b, %x_kept)
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @shift.0 [64, 1, 1]
// CHECK-NEXT:    %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
// CHECK-NEXT:    %x_kept = vyre.buffer "x_kept" write_only binding 2 : memref<?xf32>
// CHECK-NEXT:    %0 = vyre.linear_id invocation
// CHECK:         %x = vyre.load %a[%i] : memref<?xf32>
// CHECK-NEXT:    vyre.store %x, %x_kept[%0] : memref<?xf32>
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @shift.1 [64, 1, 1]
// CHECK-NEXT:    %a = vyre.buffer "a" write_only binding 0 : memref<?xf32>
// CHECK-NEXT:    %b = vyre.buffer "b" write_only binding 1 : memref<?xf32>
// CHECK-NEXT:    %x_kept = vyre.buffer "x_kept" read_only binding 2 : memref<?xf32>
// CHECK-NEXT:    %0 = vyre.linear_id invocation
// CHECK-NEXT:    %x = vyre.load %x_kept[%0] : memref<?xf32>
// CHECK:         %k = arith.addi %i, %one : index
// CHECK-NEXT:    vyre.store %x, %a[%k] : memref<?xf32>
// CHECK-NEXT:    vyre.store %x, %b[%i] : memref<?xf32>
// CHECK-NEXT:  }
vyre.program @shift [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %b = vyre.buffer "b" write_only binding 1 output : memref<?xf32>
  %i = vyre.invocation_id x
  %one = arith.constant 1 : index
  %k = arith.addi %i, %one : index
  %x = vyre.load %a[%i] : memref<?xf32>
  vyre.barrier grid_sync
  vyre.store %x, %a[%k] : memref<?xf32>
  vyre.store %x, %b[%i] : memref<?xf32>
}

// Variables, early returns and barriers in regions on one way; provenance stays.
// CHECK-LABEL: vyre.schedule @everything
// CHECK-NEXT:    %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
// CHECK:         vyre.launch @everything.0(%a, %n)
// CHECK-NEXT:    vyre.launch @everything.1(%a, %n)
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @everything.0 [64, 1, 1]
// CHECK-NEXT:    %a = vyre.buffer "a" write_only binding 0 : memref<?xi32>
// CHECK:         %out = arith.cmpi uge, %i, %n : index
// CHECK:         %alive = arith.select %out, %false, %true : i1
// CHECK:         vyre.region "step" from "solver" {
// CHECK-NEXT:      scf.if %alive {
// CHECK-NEXT:        vyre.store %two, %a[%i] : memref<?xi32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @everything.1 [64, 1, 1]
// CHECK-NEXT:    %a = vyre.buffer "a" write_only binding 0 : memref<?xi32>
// CHECK:         %out = arith.cmpi uge, %i, %n : index
// CHECK:         %alive = arith.select %out, %false, %true : i1
// CHECK:         vyre.region "step" from "solver" {
// CHECK-NEXT:      scf.if %alive {
// CHECK-NEXT:        vyre.store %two, %a[%i] : memref<?xi32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @everything [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %out = arith.cmpi uge, %i, %n : index
  scf.if %out {
    vyre.return
  }
  %two = arith.constant 2 : i32
  %cell = vyre.let "x" = %two : i32
  vyre.region "step" from "solver" {
    vyre.store %two, %a[%i] : memref<?xi32>
    vyre.barrier grid_sync
    %x = vyre.get %cell : !vyre.cell<i32>
    vyre.store %x, %a[%i] : memref<?xi32>
  }
}

// Barriers first, last and side by side.
// CHECK-LABEL: vyre.schedule @edges
// CHECK:         vyre.launch @edges.0(%a)
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @edges.0 [64, 1, 1]
// CHECK:         vyre.store %i, %a[%i] : memref<?xindex>
// CHECK-NEXT:  }
vyre.program @edges [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %i = vyre.invocation_id x
  vyre.barrier grid_sync
  vyre.barrier grid_sync
  vyre.store %i, %a[%i] : memref<?xindex>
  vyre.barrier grid_sync
}

// Without a grid barrier a program stays as it is.
// CHECK-LABEL: vyre.program @untouched [64, 1, 1]
// CHECK-NEXT:    %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
// CHECK-NEXT:    %i = vyre.invocation_id x
// CHECK-NEXT:    vyre.store %i, %a[%i] : memref<?xindex>
// CHECK-NEXT:  }
vyre.program @untouched [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %i = vyre.invocation_id x
  vyre.store %i, %a[%i] : memref<?xindex>
}

// The loop asks for a number that only the device has.
// CHECK-LABEL: vyre.schedule @until_done
// CHECK:         %go_kept = vyre.scratch single : memref<1xi1>
// CHECK-NEXT:    scf.while () : () -> () {
// CHECK-NEXT:      vyre.launch @until_done.0(%a, %go_kept, %n)
// CHECK-NEXT:      %go = vyre.read_back %go_kept[0] : memref<1xi1>
// CHECK-NEXT:      scf.condition(%go)
// CHECK-NEXT:    } do {
// CHECK-NEXT:      vyre.launch @until_done.1(%a)
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @until_done.0 [64, 1, 1]
// CHECK:         %f = vyre.load %a[%n] : memref<?xi32>
// CHECK-NEXT:    %go = arith.cmpi ne, %f, %zero : i32
// CHECK-NEXT:    vyre.store %go, %go_kept[%0] : memref<1xi1>
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @until_done.1 [64, 1, 1]
// CHECK:         vyre.store %zero, %a[%i] : memref<?xi32>
// CHECK-NEXT:  }
vyre.program @until_done [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %zero = arith.constant 0 : i32
  scf.while : () -> () {
    %f = vyre.load %a[%n] : memref<?xi32>
    %go = arith.cmpi ne, %f, %zero : i32
    scf.condition(%go)
  } do {
    vyre.barrier grid_sync
    vyre.store %zero, %a[%i] : memref<?xi32>
    vyre.barrier grid_sync
    scf.yield
  }
}

// Schedules stay as they are, also what they launch; a collective alone is a launch already.
// CHECK-LABEL: vyre.schedule @there_already
// CHECK-NEXT:    %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
// CHECK-NEXT:    vyre.launch @exchange(%a)
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @exchange [64, 1, 1]
// CHECK-NEXT:    %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
// CHECK-NEXT:    vyre.all_reduce add %a : memref<?xi32>
// CHECK-NEXT:  }
vyre.schedule @there_already {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  vyre.launch @exchange(%a)
}
vyre.program @exchange [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  vyre.all_reduce add %a : memref<?xi32>
}
