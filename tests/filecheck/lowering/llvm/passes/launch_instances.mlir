// RUN: vyre-opt %s -p vyre-launch-instances --disable-verify | filecheck %s

// CHECK-LABEL: vyre.schedule @m
// CHECK-NEXT:    %x = vyre.buffer "x"
// CHECK-NEXT:    %[[SEVEN:.*]] = arith.constant 7 : i32
// CHECK-NEXT:    %[[NINE:.*]] = arith.constant 9 : i32
// CHECK-NEXT:    vyre.launch @m.0(%x, %[[SEVEN]])
// CHECK-NEXT:    vyre.launch @m.0(%x, %[[NINE]]) concurrent
// CHECK-LABEL: vyre.program @m.0
// CHECK:         vyre.region "a" from "fill" {
vyre.schedule @m {
  %x = vyre.buffer "x" write_only binding 0 : memref<?xi32>
  %n = vyre.param "a.n" : i32
  vyre.launch @m.0(%x, %n)
}
vyre.program @m.0 [64, 1, 1] {
  %x = vyre.buffer "x" write_only binding 0 : memref<?xi32>
  %n = vyre.param "a.n" : i32
  vyre.region "a" from "fill" attributes {
    vyre.instances = {"a.n" = [7 : i32, 9 : i32]}
  } {
    %at = arith.index_cast %n : i32 to index
    vyre.store %n, %x[%at] : memref<?xi32>
  }
}
