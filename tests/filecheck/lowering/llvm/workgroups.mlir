// RUN: vyre-opt %s -t vyre-llvm | filecheck %s

// A workgroup barrier cuts the loop over the invocations of a workgroup in two. One worker
// runs both for a workgroup, with the workgroup's memory in its own, and nobody meets. The
// tile is filled before it is read, so it need not be zeroed first.

// CHECK-LABEL: ; ModuleID = "reverse"
//       CHECK: define internal void @"phase.reverse.0.0"({{.*}}, i64 %"tile.0"
//       CHECK: part.head:
//       CHECK: icmp ult i64 %"{{[^"]+}}", 64
//       CHECK: load float
//       CHECK: store float
//       CHECK: define internal void @"phase.reverse.0.1"({{.*}}, i64 %"tile.0"
//       CHECK: part.head:
//       CHECK: icmp ult i64 %"{{[^"]+}}", 64
//       CHECK: load float
//       CHECK: store float
//       CHECK: define internal void @"phase.reverse.0"({{.*}}) noinline
//   CHECK-NOT: memset
//       CHECK: getelementptr i8, ptr %"memory", i64 64
//       CHECK: call void @"phase.reverse.0.0"(
//   CHECK-NOT: %"workers"
//       CHECK: call void @"phase.reverse.0.1"(
//   CHECK-NOT: call
//       CHECK: }
vyre.program @reverse [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  %last = arith.constant 63 : index
  %other = arith.subi %last, %l : index
  %v = vyre.load %a[%i] : memref<?xf32>
  vyre.store %v, %tile[%l] : memref<64xf32>
  vyre.barrier acq_rel
  %w = vyre.load %tile[%other] : memref<64xf32>
  vyre.store %w, %a[%i] : memref<?xf32>
}

// Only the first element is written before all are read: the others are zeros.

// CHECK-LABEL: ; ModuleID = "zeros"
//       CHECK: define internal void @"phase.zeros.0"({{.*}}) noinline
//       CHECK: [[TILE:%"\.[0-9]+"]] = getelementptr i8, ptr %"memory", i64 64
//  CHECK-NEXT: call void @"llvm.memset.p0.i64"(ptr [[TILE]], i8 0, i64 256, i1 0)
//       CHECK: call void @"phase.zeros.0.0"(
vyre.program @zeros [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  %zero = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  vyre.store %one, %tile[%zero] : memref<64xf32>
  vyre.barrier acq_rel
  %w = vyre.load %tile[%l] : memref<64xf32>
  vyre.store %w, %a[%i] : memref<?xf32>
}
