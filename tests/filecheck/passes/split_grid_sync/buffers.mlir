// RUN: vyre-opt %s -p vyre-split-grid-sync | filecheck %s

// The host exchanges the buffers. They are never the same one, so they do not alias.
// CHECK-LABEL: vyre.schedule @ping_pong
// CHECK-NEXT:    %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
// CHECK-NEXT:    %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
// CHECK:         %r, %r_1 = scf.for %k = %c0 to %n step %c1 iter_args(%from = %a, %to = %b) -> (memref<?xf32>, memref<?xf32>) {
// CHECK-NEXT:      vyre.launch @ping_pong.0(%from, %to)
// CHECK-NEXT:      scf.yield %to, %from : memref<?xf32>, memref<?xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @ping_pong.0 [64, 1, 1]
// CHECK-NEXT:    %from = vyre.buffer "from" read_write binding 2 : memref<?xf32>
// CHECK-NEXT:    %to = vyre.buffer "to" read_write binding 3 : memref<?xf32>
// CHECK:         %x = vyre.load %from[%i] : memref<?xf32>
// CHECK-NEXT:    vyre.store %x, %to[%i] : memref<?xf32>
// CHECK-NEXT:  }
vyre.program @ping_pong [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%from = %a, %to = %b) -> (memref<?xf32>, memref<?xf32>) {
    %i = vyre.invocation_id x
    %x = vyre.load %from[%i] : memref<?xf32>
    vyre.store %x, %to[%i] : memref<?xf32>
    vyre.barrier grid_sync
    scf.yield %to, %from : memref<?xf32>, memref<?xf32>
  }
}

// A carried buffer beside the table's own: they may be the same.
// CHECK-LABEL: vyre.schedule @aliases
// CHECK-NEXT:    %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
// CHECK-NEXT:    %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
// CHECK-NEXT:    %c = vyre.buffer "c" read_write binding 2 : memref<?xf32>
// CHECK:         %r, %r_1 = scf.for %k = %c0 to %n step %c1 iter_args(%from = %a, %to = %b) -> (memref<?xf32>, memref<?xf32>) {
// CHECK-NEXT:      vyre.launch @aliases.0(%a, %c, %from)
// CHECK-NEXT:      scf.yield %to, %from : memref<?xf32>, memref<?xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @aliases.0 [64, 1, 1]
// CHECK-NEXT:    %a = vyre.buffer "a" read_write binding 0 may_alias [0] : memref<?xf32>
// CHECK-NEXT:    %c = vyre.buffer "c" read_write binding 2 : memref<?xf32>
// CHECK-NEXT:    %from = vyre.buffer "from" read_write binding 3 may_alias [0, 1] : memref<?xf32>
// CHECK:         %x = vyre.load %from[%i] : memref<?xf32>
// CHECK-NEXT:    %y = vyre.load %a[%i] : memref<?xf32>
// CHECK-NEXT:    %s = arith.addf %x, %y : f32
// CHECK-NEXT:    vyre.store %s, %c[%i] : memref<?xf32>
// CHECK-NEXT:  }
vyre.program @aliases [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %c = vyre.buffer "c" read_write binding 2 : memref<?xf32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%from = %a, %to = %b) -> (memref<?xf32>, memref<?xf32>) {
    %i = vyre.invocation_id x
    %x = vyre.load %from[%i] : memref<?xf32>
    %y = vyre.load %a[%i] : memref<?xf32>
    %s = arith.addf %x, %y : f32
    vyre.store %s, %c[%i] : memref<?xf32>
    vyre.barrier grid_sync
    scf.yield %to, %from : memref<?xf32>, memref<?xf32>
  }
}

// The access that all sources of a carried buffer allow.
// CHECK-LABEL: vyre.schedule @access_of_carried
// CHECK:         %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
// CHECK:         %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
// CHECK:         %c = vyre.buffer "c" read_write binding 2 : memref<?xf32>
// CHECK-LABEL: vyre.program @access_of_carried.0 [64, 1, 1]
// CHECK:         %c = vyre.buffer "c" read_write binding 2 : memref<?xf32>
// CHECK:         %from = vyre.buffer "from" read_only binding 3 : memref<?xf32>
vyre.program @access_of_carried [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %c = vyre.buffer "c" read_write binding 2 : memref<?xf32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%from = %a) -> (memref<?xf32>) {
    %i = vyre.invocation_id x
    %x = vyre.load %from[%i] : memref<?xf32>
    vyre.store %x, %c[%i] : memref<?xf32>
    vyre.barrier grid_sync
    scf.yield %b : memref<?xf32>
  }
}
