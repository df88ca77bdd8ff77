// RUN: vyre-opt %s -p vyre-rewrite-access --allow-unregistered-dialect | filecheck %s

// Nothing is known about what the operation touches.
// CHECK-LABEL: vyre.program @p.0
// CHECK-NEXT:    %a = vyre.buffer "a" read_write binding 0 output : memref<?xi32>
// CHECK-NEXT:    %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
vyre.program @p.0 [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 output : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  "other.op"() : () -> ()
}
// CHECK:         vyre.launch @p.0(%a, %b)
vyre.schedule @p {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  vyre.launch @p.0(%a, %b)
}
