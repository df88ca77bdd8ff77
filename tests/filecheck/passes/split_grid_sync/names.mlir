// RUN: vyre-opt %s -p vyre-split-grid-sync | filecheck %s

// Buffers and parameters keep names, access, bindings and kinds; what the host computes is
// named after the value, and numbered if the name is taken.
// CHECK-LABEL: vyre.schedule @parameters
// CHECK-NEXT:    %a = vyre.buffer "a" read_write binding 3 : memref<?xindex>
// CHECK-NEXT:    %n = vyre.param "n" : index
// CHECK-NEXT:    %m = vyre.param "half" : index
// CHECK-NEXT:    %two = arith.constant 2 : index
// CHECK-NEXT:    %half = arith.divui %n, %two : index
// CHECK-NEXT:    vyre.launch @parameters.0(%a, %m, %half)
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @parameters.0 [64, 1, 1]
// CHECK-NEXT:    %a = vyre.buffer "a" read_write binding 3 : memref<?xindex>
// CHECK-NEXT:    %m = vyre.param "half" : index
// CHECK-NEXT:    %half = vyre.param "half_1" : index
// CHECK:         vyre.store %half, %a[%i] : memref<?xindex>
// CHECK-NEXT:    vyre.store %m, %a[%i] : memref<?xindex>
// CHECK-NEXT:  }
vyre.program @parameters [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 3 : memref<?xindex>
  %n = vyre.param "n" : index
  %m = vyre.param "half" : index
  %two = arith.constant 2 : index
  %half = arith.divui %n, %two : index
  vyre.barrier grid_sync
  %i = vyre.invocation_id x
  vyre.store %half, %a[%i] : memref<?xindex>
  vyre.store %m, %a[%i] : memref<?xindex>
}

// Scratch is bound after the program's own buffers, under its own name.
// CHECK-LABEL: vyre.schedule @scratch
// CHECK-NEXT:    %b = vyre.buffer "kept" read_write binding 7 : memref<?xindex>
// CHECK-NEXT:    %kept = vyre.scratch per_invocation : memref<?xindex>
// CHECK-NEXT:    vyre.launch @scratch.0(%kept)
// CHECK-NEXT:    vyre.launch @scratch.1(%b, %kept)
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @scratch.0 [64, 1, 1]
// CHECK-NEXT:    %kept = vyre.buffer "kept_1" read_write binding 8 : memref<?xindex>
// CHECK:         vyre.store %i, %kept[%i] : memref<?xindex>
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @scratch.1 [64, 1, 1]
// CHECK-NEXT:    %b = vyre.buffer "kept" read_write binding 7 : memref<?xindex>
// CHECK-NEXT:    %kept = vyre.buffer "kept_1" read_write binding 8 : memref<?xindex>
// CHECK:         %x = vyre.load %kept[%j] : memref<?xindex>
// CHECK-NEXT:    vyre.store %x, %b[%j] : memref<?xindex>
// CHECK-NEXT:  }
vyre.program @scratch [64, 1, 1] {
  %b = vyre.buffer "kept" read_write binding 7 : memref<?xindex>
  %kept = vyre.scratch per_invocation : memref<?xindex>
  %i = vyre.linear_id invocation
  vyre.store %i, %kept[%i] : memref<?xindex>
  vyre.barrier grid_sync
  %j = vyre.linear_id invocation
  %x = vyre.load %kept[%j] : memref<?xindex>
  vyre.store %x, %b[%j] : memref<?xindex>
}

// Names of segments that are taken are left out.
// CHECK-LABEL: vyre.schedule @taken
// CHECK:         vyre.launch @taken.1(%a)
// CHECK:         vyre.launch @taken.2(%a)
// CHECK-LABEL: vyre.program @taken.1 [64, 1, 1]
// CHECK-LABEL: vyre.program @taken.2 [64, 1, 1]
// CHECK-LABEL: vyre.program @taken.0 [64, 1, 1]
vyre.program @taken [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %i = vyre.invocation_id x
  vyre.store %i, %a[%i] : memref<?xindex>
  vyre.barrier grid_sync
  %j = vyre.invocation_id x
  vyre.store %j, %a[%j] : memref<?xindex>
}

vyre.program @taken.0 [64, 1, 1] {
}
