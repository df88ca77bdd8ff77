// RUN: vyre-opt %s -p vyre-remove-barriers | filecheck %s

// Neighbours are independent of each other, but the last needs what the first wrote.
// CHECK-LABEL: vyre.program @not_only_neighbours
// CHECK:         vyre.store %v, %x[%i]
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    vyre.store %v, %y[%i]
// CHECK-NEXT:    %w = vyre.load %x[%j]
// CHECK-NEXT:    vyre.store %w, %z[%i]
// CHECK-NEXT:  }
vyre.program @not_only_neighbours [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi32>
  %y = vyre.buffer "y" read_write binding 1 : memref<?xi32>
  %z = vyre.buffer "z" read_write binding 2 : memref<?xi32>
  %v = vyre.param "v" : i32
  %j = vyre.param "j" : index
  %i = vyre.invocation_id x
  vyre.store %v, %x[%i] : memref<?xi32>
  vyre.barrier grid_sync
  vyre.store %v, %y[%i] : memref<?xi32>
  vyre.barrier grid_sync
  %w = vyre.load %x[%j] : memref<?xi32>
  vyre.store %w, %z[%i] : memref<?xi32>
}

// Of neighbouring barriers the first stays; the first and the last of a program order
// nothing.
// CHECK-LABEL: vyre.program @adjacent
// CHECK:         %i = vyre.invocation_id x
// CHECK-NEXT:    vyre.store %v, %x[%i]
// CHECK-NEXT:    vyre.barrier grid_sync {first}
// CHECK-NEXT:    %w = arith.addi %v, %v : i32
// CHECK-NEXT:    vyre.store %w, %x[%i]
// CHECK-NEXT:  }
vyre.program @adjacent [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi32>
  %v = vyre.param "v" : i32
  vyre.barrier grid_sync
  %i = vyre.invocation_id x
  vyre.barrier grid_sync
  vyre.store %v, %x[%i] : memref<?xi32>
  vyre.barrier grid_sync {first}
  vyre.barrier grid_sync
  %w = arith.addi %v, %v : i32
  vyre.barrier grid_sync
  vyre.store %w, %x[%i] : memref<?xi32>
  vyre.barrier grid_sync
}

// Read and read; write and read; read and write; write and write; atomic and atomic.
// CHECK-LABEL: vyre.program @conflicts
// CHECK:         %a = vyre.load %x[%i]
// CHECK-NEXT:    %b = vyre.load %x[%j]
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    vyre.store %a, %x[%i]
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    vyre.store %b, %x[%j]
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    %c = vyre.atomic add
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    %d = vyre.atomic add
// CHECK-NEXT:  }
vyre.program @conflicts [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %j = vyre.workgroup_id x
  %a = vyre.load %x[%i] : memref<?xi32>
  vyre.barrier grid_sync
  %b = vyre.load %x[%j] : memref<?xi32>
  vyre.barrier grid_sync
  vyre.store %a, %x[%i] : memref<?xi32>
  vyre.barrier grid_sync
  vyre.store %b, %x[%j] : memref<?xi32>
  vyre.barrier grid_sync
  %c = vyre.atomic add %a, %x[%j] : memref<?xi32>
  vyre.barrier grid_sync
  %d = vyre.atomic add %a, %x[%j] : memref<?xi32>
}

// The grid meets at a collective anyway.
// CHECK-LABEL: vyre.program @collective
// CHECK:         vyre.store %v, %x[%i]
// CHECK-NEXT:    vyre.all_reduce add %x
// CHECK-NEXT:    vyre.store %v, %x[%j]
// CHECK-NEXT:  }
vyre.program @collective [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi32>
  %v = vyre.param "v" : i32
  %i = vyre.invocation_id x
  %j = vyre.workgroup_id x
  vyre.store %v, %x[%i] : memref<?xi32>
  vyre.barrier grid_sync
  vyre.all_reduce add %x : memref<?xi32>
  vyre.barrier grid_sync
  vyre.store %v, %x[%j] : memref<?xi32>
}

// Regions do not matter.
// CHECK-LABEL: vyre.program @regions
// CHECK:         vyre.region "one" {
// CHECK-NEXT:      vyre.store %v, %x[%i]
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.region "two" {
// CHECK-NEXT:      vyre.store %v, %x[%i]
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @regions [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi32>
  %v = vyre.param "v" : i32
  %i = vyre.invocation_id x
  vyre.region "one" {
    vyre.store %v, %x[%i] : memref<?xi32>
    vyre.barrier grid_sync
  }
  vyre.region "two" {
    vyre.barrier grid_sync
    vyre.store %v, %x[%i] : memref<?xi32>
  }
}

// Storage that may be the same.
// CHECK-LABEL: vyre.program @aliases
// CHECK:         vyre.store %v, %x[%i]
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    %w = vyre.load %y[%i]
// CHECK-NEXT:    %u = vyre.load %z[%i]
// CHECK-NEXT:  }
vyre.program @aliases [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 may_alias [0] : memref<?xi32>
  %y = vyre.buffer "y" read_write binding 1 may_alias [0] : memref<?xi32>
  %z = vyre.buffer "z" read_write binding 2 : memref<?xi32>
  %v = vyre.param "v" : i32
  %i = vyre.invocation_id x
  vyre.store %v, %x[%i] : memref<?xi32>
  vyre.barrier grid_sync
  %w = vyre.load %y[%i] : memref<?xi32>
  vyre.barrier grid_sync
  %u = vyre.load %z[%i] : memref<?xi32>
}
