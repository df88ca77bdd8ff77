// RUN: vyre-opt %s -t vyre-llvm | filecheck %s

// All effects are guarded by `x < n`, so the loop along x ends at n (or at a number that no
// invocation has, if n is beyond that), and inside it the guard is known to be true.

// CHECK-LABEL: ; ModuleID = "guarded"
//       CHECK: define internal void @"phase.guarded.0"(
//       CHECK: icmp ult i64 %"[[N:[^"]+]]", 4611686018427387904
//       CHECK: select i1 {{.*}}, i64 %"[[N]]", i64 4611686018427387904
//       CHECK: x.body{{[.0-9]*}}:
//  CHECK-NEXT: getelementptr float, ptr %"x", i64 %"x{{[.0-9]*}}"
//  CHECK-NEXT: store float
vyre.program @guarded [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xf32>
  %a = vyre.param "a" : f32
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %inside = arith.cmpi ult, %i, %n : index
  scf.if %inside {
    vyre.store %a, %x[%i] : memref<?xf32>
  }
}

// A store that no guard covers needs all invocations.
// CHECK-LABEL: ; ModuleID = "unguarded"
//       CHECK: define internal void @"phase.unguarded.0"(
//   CHECK-NOT: icmp ult i64 %"n", 4611686018427387904
//       CHECK: x.body{{[.0-9]*}}:
//  CHECK-NEXT: [[GUARD:%"\.[0-9]+"]] = icmp ult i64 %"x{{[.0-9]*}}", %"{{[^"]+}}"
//  CHECK-NEXT: br i1 [[GUARD]], label %"then", label %"else"
vyre.program @unguarded [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xf32>
  %y = vyre.buffer "y" read_write binding 1 : memref<?xf32>
  %a = vyre.param "a" : f32
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %inside = arith.cmpi ult, %i, %n : index
  scf.if %inside {
    vyre.store %a, %x[%i] : memref<?xf32>
  }
  vyre.store %a, %y[%i] : memref<?xf32>
}

// A comparison that is the same in a whole row is made once for it, and known in the loop.
// CHECK-LABEL: ; ModuleID = "rows"
//       CHECK: define internal void @"phase.rows.0"(
//       CHECK: y.body{{[.0-9]*}}:
//       CHECK: [[ROW:%"\.[0-9]+"]] = icmp ult i64 %"{{[^"]+}}", %"n"
//  CHECK-NEXT: br i1 [[ROW]], label %"y.body.if", label %"y.body.endif"
//       CHECK: x.body{{[.0-9]*}}:
//  CHECK-NEXT: mul i64
//  CHECK-NEXT: add i64
//  CHECK-NEXT: getelementptr float, ptr %"x"
//  CHECK-NEXT: store float
vyre.program @rows [64, 2, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<64x2xf32>
  %a = vyre.param "a" : f32
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %j = vyre.invocation_id y
  %inside = arith.cmpi ult, %j, %n : index
  scf.if %inside {
    vyre.store %a, %x[%i, %j] : memref<64x2xf32>
  }
}
