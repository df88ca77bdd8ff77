// RUN: vyre-opt %s -t vyre-llvm | filecheck %s

// A row is gone through in parts. In the one in which all stores are inside the buffer none
// is compared with its size; in the others each is.

// CHECK-LABEL: ; ModuleID = "shifted"
//       CHECK: define internal void @"phase.shifted.0"(
//       CHECK: part.body:
//       CHECK: br i1 {{.*}}, label %"part.body.if", label %"part.body.else"
//       CHECK: x.body:
//  CHECK-NEXT: [[AT:%"\.[0-9]+"]] = add i64 %"x{{[.0-9]*}}", %"n"
//  CHECK-NEXT: [[ADDRESS:%"\.[0-9]+"]] = getelementptr float, ptr %"a", i64 [[AT]]
//  CHECK-NEXT: store float
//       CHECK: x.body.1:
//  CHECK-NEXT: [[AT:%"\.[0-9]+"]] = add i64 %"x{{[.0-9]*}}", %"n"
//  CHECK-NEXT: icmp ult i64 [[AT]], %"a.0"
vyre.program @shifted [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %v = vyre.param "v" : f32
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %at = arith.addi %i, %n : index
  vyre.store %v, %a[%at] : memref<?xf32>
}
