// RUN: vyre-opt %s -p vyre-merge-programs | filecheck %s

// CHECK-LABEL: vyre.schedule @p
// CHECK:         arith.constant 5 : i32
// CHECK-NEXT:    vyre.launch @p.0(%{{.*}}, %a)
// CHECK:         arith.constant 7 : i32
// CHECK-NEXT:    vyre.launch @p.0(%{{.*}}, %b) as "p.1"
// CHECK-LABEL: vyre.program @p.0 [64, 1, 1]
// CHECK-NEXT:    %k = vyre.param "k" : i32
// CHECK-NOT:   vyre.program
vyre.schedule @p {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  vyre.launch @p.0(%a)
  vyre.launch @p.1(%b)
}
vyre.program @p.0 [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  vyre.region "first" {
    %x = vyre.invocation_id x
    %v = vyre.load %a[%x] : memref<?xi32>
    %k = arith.constant 5 : i32
    %w = arith.addi %v, %k : i32
    vyre.store %w, %a[%x] : memref<?xi32>
  }
}
vyre.program @p.1 [64, 1, 1] {
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  vyre.region "first" {
    %x = vyre.invocation_id x
    %v = vyre.load %b[%x] : memref<?xi32>
    %k = arith.constant 7 : i32
    %w = arith.addi %v, %k : i32
    vyre.store %w, %b[%x] : memref<?xi32>
  }
}
