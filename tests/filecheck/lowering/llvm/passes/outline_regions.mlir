// RUN: vyre-opt %s -p vyre-outline-regions | filecheck %s

// CHECK-LABEL: vyre.schedule @p
// CHECK:         vyre.launch @p.0(%a, %b)
// CHECK-NEXT:    vyre.launch @p.0.second(%b) concurrent
// CHECK-LABEL: vyre.program @p.0 [64, 1, 1]
// CHECK:         vyre.region "first"
// CHECK-NOT:     vyre.region
// CHECK-LABEL: vyre.program @p.0.second [64, 1, 1]
// CHECK-NEXT:    %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
// CHECK-NEXT:    vyre.region "second"
vyre.schedule @p {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  vyre.launch @p.0(%a, %b)
}
vyre.program @p.0 [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  vyre.region "first" {
    %x = vyre.invocation_id x
    %v = vyre.load %a[%x] : memref<?xi32>
    %k = arith.constant 5 : i32
    %w = arith.addi %v, %k : i32
    vyre.store %w, %a[%x] : memref<?xi32>
  }
  vyre.region "second" {
    %x = vyre.invocation_id x
    %v = vyre.load %b[%x] : memref<?xi32>
    %k = arith.constant 5 : i32
    %w = arith.addi %v, %k : i32
    vyre.store %w, %b[%x] : memref<?xi32>
  }
}

// Both touch the same buffer.
// CHECK-LABEL: vyre.schedule @q
// CHECK:         vyre.launch @q.0(%a, %b)
// CHECK-NOT:     concurrent
vyre.schedule @q {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  vyre.launch @q.0(%a, %b)
}
vyre.program @q.0 [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  vyre.region "first" {
    %x = vyre.invocation_id x
    %v = vyre.load %a[%x] : memref<?xi32>
    %k = arith.constant 5 : i32
    %w = arith.addi %v, %k : i32
    vyre.store %w, %a[%x] : memref<?xi32>
  }
  vyre.region "second" {
    %x = vyre.invocation_id x
    %v = vyre.load %a[%x] : memref<?xi32>
    %k = arith.constant 5 : i32
    %w = arith.addi %v, %k : i32
    vyre.store %w, %a[%x] : memref<?xi32>
  }
}
