// RUN: vyre-opt %s -p vyre-propagate-lets | filecheck %s

// The last places of `exp` may differ from one place of the code to another.
// CHECK-LABEL: vyre.program @inexact [64, 1, 1]
// CHECK:         %e_kept = vyre.scratch per_invocation : memref<?xf32>
// CHECK:         %x = vyre.load %a[%i] : memref<?xf32>
// CHECK-NEXT:    %e = math.exp %x : f32
// CHECK-NEXT:    vyre.store %e, %e_kept[%0] : memref<?xf32>
// CHECK-NEXT:    vyre.store %e, %b[%i] : memref<?xf32>
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK:         %e_1 = vyre.load %e_kept[%1] : memref<?xf32>
// CHECK-NEXT:    %y = vyre.load %b[%i_1] : memref<?xf32>
// CHECK-NEXT:    %sum = arith.addf %e_1, %y : f32
// CHECK-NEXT:    vyre.store %sum, %b[%i_1] : memref<?xf32>
// CHECK-NEXT:  }
vyre.program @inexact [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xf32>
  %e = math.exp %x : f32
  vyre.store %e, %b[%i] : memref<?xf32>
  vyre.barrier grid_sync
  %y = vyre.load %b[%i] : memref<?xf32>
  %sum = arith.addf %e, %y : f32
  vyre.store %sum, %b[%i] : memref<?xf32>
}

// Those of `absf` cannot.
// CHECK-LABEL: vyre.program @exact [64, 1, 1]
// CHECK-NOT:     vyre.scratch
// CHECK:         %x = vyre.load %a[%i] : memref<?xf32>
// CHECK-NEXT:    %e = math.absf %x : f32
// CHECK-NEXT:    vyre.store %e, %b[%i] : memref<?xf32>
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK:         %x_1 = vyre.load %a[%i_1] : memref<?xf32>
// CHECK-NEXT:    %e_1 = math.absf %x_1 : f32
// CHECK-NEXT:    %y = vyre.load %b[%i_1] : memref<?xf32>
// CHECK-NEXT:    %sum = arith.addf %e_1, %y : f32
// CHECK-NEXT:    vyre.store %sum, %b[%i_1] : memref<?xf32>
// CHECK-NEXT:  }
vyre.program @exact [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xf32>
  %e = math.absf %x : f32
  vyre.store %e, %b[%i] : memref<?xf32>
  vyre.barrier grid_sync
  %y = vyre.load %b[%i] : memref<?xf32>
  %sum = arith.addf %e, %y : f32
  vyre.store %sum, %b[%i] : memref<?xf32>
}
