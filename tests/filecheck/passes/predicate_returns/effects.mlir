// RUN: vyre-opt %s -p vyre-predicate-returns | filecheck %s

// Nobody returns.
// CHECK-LABEL: vyre.program @untouched
// CHECK:         %v = vyre.load %a[%i] inbounds : memref<?xi32>
// CHECK-NEXT:    vyre.store %v, %a[%i] : memref<?xi32>
// CHECK-NEXT:  }
vyre.program @untouched [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %v = vyre.load %a[%i] inbounds : memref<?xi32>
  vyre.store %v, %a[%i] : memref<?xi32>
}

// What comes before a return stays as it is.
// CHECK-LABEL: vyre.program @store
// CHECK:         %v = vyre.load %a[%i] inbounds : memref<?xi32>
// CHECK-NEXT:    vyre.store %v, %a[%i] inbounds : memref<?xi32>
// CHECK-NEXT:    %true = arith.constant true
// CHECK-NEXT:    %false = arith.constant false
// CHECK-NEXT:    %alive = arith.select %c, %false, %true : i1
// CHECK-NEXT:    %w = vyre.load %a[%i] : memref<?xi32>
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    scf.if %alive {
// CHECK-NEXT:      vyre.store %w, %a[%i] inbounds : memref<?xi32>
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @store [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %c = vyre.param "c" : i1
  %i = vyre.invocation_id x
  %v = vyre.load %a[%i] inbounds : memref<?xi32>
  vyre.store %v, %a[%i] inbounds : memref<?xi32>
  scf.if %c {
    vyre.return
  }
  %w = vyre.load %a[%i] inbounds : memref<?xi32>
  vyre.barrier grid_sync
  vyre.store %w, %a[%i] inbounds : memref<?xi32>
}

// Neighbours share a guard. What they need comes along; what they do not goes before.
// CHECK-LABEL: vyre.program @neighbours
// CHECK:         %alive = arith.select %c, %false, %true : i1
// CHECK-NEXT:    %double = arith.addi %i, %i : index
// CHECK-NEXT:    %place = scf.if %alive -> (index) {
// CHECK-NEXT:      %old = vyre.atomic add %i, %a[%i] : memref<?xindex>
// CHECK-NEXT:      %place_1 = arith.addi %old, %i : index
// CHECK-NEXT:      vyre.store %double, %a[%place_1] : memref<?xindex>
// CHECK-NEXT:      scf.if %c {
// CHECK-NEXT:        vyre.store %double, %a[%i] : memref<?xindex>
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield %place_1 : index
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %0 = arith.constant 0 : index
// CHECK-NEXT:      scf.yield %0 : index
// CHECK-NEXT:    }
// CHECK-NEXT:    %last = arith.addi %place, %i : index
// CHECK-NEXT:    vyre.barrier acq_rel
// CHECK-NEXT:    scf.if %alive {
// CHECK-NEXT:      vyre.store %last, %a[%i] : memref<?xindex>
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @neighbours [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %c = vyre.param "c" : i1
  %i = vyre.invocation_id x
  scf.if %c {
    vyre.return
  }
  %old = vyre.atomic add %i, %a[%i] : memref<?xindex>
  %place = arith.addi %old, %i : index
  %double = arith.addi %i, %i : index
  vyre.store %double, %a[%place] : memref<?xindex>
  scf.if %c {
    vyre.store %double, %a[%i] : memref<?xindex>
  }
  %last = arith.addi %place, %i : index
  vyre.barrier acq_rel
  vyre.store %last, %a[%i] : memref<?xindex>
}

// A trap stays the last of its block.
// CHECK-LABEL: vyre.program @trap
// CHECK:         %alive = arith.select %c, %false, %true : i1
// CHECK-NEXT:    vyre.barrier acq_rel
// CHECK-NEXT:    vyre.region "fails" {
// CHECK-NEXT:      scf.if %alive {
// CHECK-NEXT:        vyre.trap "t" at %i : index
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @trap [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %c = vyre.param "c" : i1
  %i = vyre.invocation_id x
  scf.if %c {
    vyre.return
  }
  vyre.barrier acq_rel
  vyre.region "fails" {
    vyre.trap "t" at %i : index
  }
}

// Only one arm returns, and each is what it was.
// CHECK-LABEL: vyre.program @arms
// CHECK:         %r, %alive = scf.if %c -> (index, i1) {
// CHECK-NEXT:      vyre.store %i, %a[%i] : memref<?xindex>
// CHECK-NEXT:      scf.yield %i, %false : index, i1
// CHECK-NEXT:    } else {
// CHECK-NEXT:      vyre.store %i, %a[%i] : memref<?xindex>
// CHECK-NEXT:      scf.yield %i, %true : index, i1
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.if %alive {
// CHECK-NEXT:      vyre.store %r, %a[%r] : memref<?xindex>
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @arms [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %c = vyre.param "c" : i1
  %i = vyre.invocation_id x
  %r = scf.if %c -> (index) {
    vyre.store %i, %a[%i] : memref<?xindex>
    vyre.return
    scf.yield %i : index
  } else {
    vyre.store %i, %a[%i] : memref<?xindex>
    scf.yield %i : index
  }
  vyre.store %r, %a[%r] : memref<?xindex>
}

// A return at the end of a region ends more than the region.
// CHECK-LABEL: vyre.program @region
// CHECK:         %alive = vyre.region "always" from "source" -> (i1) {
// CHECK-NEXT:      vyre.yield %false : i1
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.if %alive {
// CHECK-NEXT:      vyre.store %i, %a[%i] : memref<?xindex>
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @region [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %i = vyre.invocation_id x
  vyre.region "always" from "source" {
    vyre.return
  }
  vyre.store %i, %a[%i] : memref<?xindex>
}

// Nothing comes after these returns.
// CHECK-LABEL: vyre.program @at_the_end
// CHECK:         scf.if %c {
// CHECK-NEXT:    } else {
// CHECK-NEXT:      vyre.store %i, %a[%i] : memref<?xindex>
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @at_the_end [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %c = vyre.param "c" : i1
  %i = vyre.invocation_id x
  scf.if %c {
    vyre.return
  } else {
    vyre.store %i, %a[%i] : memref<?xindex>
  }
  vyre.return
}

// Variables of the program stay, and are assigned by all: they may decide about barriers.
// CHECK-LABEL: vyre.program @variables
// CHECK:         %x = vyre.let "x" = %n : index
// CHECK-NEXT:    %c = arith.cmpi eq, %i, %n : index
// CHECK-NEXT:    %true = arith.constant true
// CHECK-NEXT:    %false = arith.constant false
// CHECK-NEXT:    %alive = arith.select %c, %false, %true : i1
// CHECK-NEXT:    %small = arith.cmpi ult, %n, %n : index
// CHECK-NEXT:    scf.if %small {
// CHECK-NEXT:      %double = arith.addi %n, %n : index
// CHECK-NEXT:      scf.if %alive {
// CHECK-NEXT:        vyre.store %double, %a[%i] : memref<?xindex>
// CHECK-NEXT:      }
// CHECK-NEXT:      vyre.assign %double, %x : !vyre.cell<index>
// CHECK-NEXT:    }
// CHECK-NEXT:    %v = vyre.get %x : !vyre.cell<index>
// CHECK-NEXT:    %go = arith.cmpi ult, %v, %n : index
// CHECK-NEXT:    scf.if %go {
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @variables [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %x = vyre.let "x" = %n : index
  %c = arith.cmpi eq, %i, %n : index
  scf.if %c {
    vyre.return
  }
  %small = arith.cmpi ult, %n, %n : index
  scf.if %small {
    %double = arith.addi %n, %n : index
    vyre.store %double, %a[%i] : memref<?xindex>
    vyre.assign %double, %x : !vyre.cell<index>
  }
  %v = vyre.get %x : !vyre.cell<index>
  %go = arith.cmpi ult, %v, %n : index
  scf.if %go {
    vyre.barrier grid_sync
  }
}
