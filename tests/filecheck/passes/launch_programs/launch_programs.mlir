// RUN: vyre-opt %s -p vyre-launch-programs | filecheck %s

// CHECK-LABEL: vyre.program @p.0 [64, 1, 1]
// CHECK:         %scratch = vyre.buffer "scratch" read_write binding 1 : memref<?xi32>
// CHECK-LABEL: vyre.program @launched [64, 1, 1]
// CHECK-LABEL: vyre.schedule @q
// CHECK-LABEL: vyre.schedule @p
// CHECK-NEXT:    %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
// CHECK-NEXT:    %scratch = vyre.scratch per_invocation : memref<?xi32>
// CHECK-NEXT:    vyre.launch @p.0(%a, %scratch)
// CHECK-NEXT:  }
// CHECK-NOT:   vyre.schedule
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %scratch = vyre.scratch per_invocation : memref<?xi32>
  %i = vyre.linear_id invocation
  %v = vyre.load %scratch[%i] : memref<?xi32>
  vyre.store %v, %a[%i] : memref<?xi32>
}
vyre.program @launched [64, 1, 1] {
}
vyre.schedule @q {
  vyre.launch @launched()
}
