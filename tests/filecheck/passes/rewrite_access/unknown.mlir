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

// It finds no scratch that it is not given.
// CHECK-LABEL: vyre.program @q.0
// CHECK-NEXT:    %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
// CHECK-NEXT:    %s = vyre.buffer "s" read_only binding 1 : memref<1xi32>
// CHECK-NEXT:    %t = vyre.buffer "t" read_write binding 2 : memref<1xi32>
// CHECK-NEXT:    %u = vyre.buffer "u" read_write binding 3 : memref<1xi32>
vyre.program @q.0 [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %s = vyre.buffer "s" read_write binding 1 : memref<1xi32>
  %t = vyre.buffer "t" read_write binding 2 : memref<1xi32>
  %u = vyre.buffer "u" read_write binding 3 : memref<1xi32>
  %zero = arith.constant 0 : index
  %v = vyre.load %s[%zero] : memref<1xi32>
  vyre.store %v, %t[%zero] : memref<1xi32>
  "other.op"(%u) : (memref<1xi32>) -> ()
}
vyre.schedule @q {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %s = vyre.scratch single : memref<1xi32>
  %t = vyre.scratch single : memref<1xi32>
  %u = vyre.scratch single : memref<1xi32>
  vyre.launch @q.0(%a, %s, %t, %u)
}
