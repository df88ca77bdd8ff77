// RUN: vyre-opt %s -t vyre-llvm | filecheck %s

// Segments in a loop that need little memory are inlined, and the memory is the function's
// own. All of it is zeros at first; then each workgroup begins with zeros where it may read
// what it has not written. The job needs no memory for that.

// CHECK-LABEL: ; ModuleID = "turns"
//       CHECK: define internal void @"phase.turns.0.0"({{.*}}) alwaysinline
//       CHECK: define internal void @"phase.turns.0"({{.*}}) noinline
//  CHECK-NEXT: {
//  CHECK-NEXT: entry:
//  CHECK-NEXT:   [[TILE:%"\.[0-9]+"]] = alloca [256 x i8], align 64
//  CHECK-NEXT:   [[KEPT:%"\.[0-9]+"]] = alloca [256 x i8], align 64
//  CHECK-NEXT:   call void @"llvm.memset.p0.i64"({{.*}} [[TILE]], i8 0, i64 256, i1 0)
//  CHECK-NEXT:   call void @"llvm.memset.p0.i64"({{.*}} [[KEPT]], i8 0, i64 256, i1 0)
//       CHECK: along.body:
//       CHECK:   call void @"llvm.memset.p0.i64"({{.*}} [[TILE]], i8 0, i64 256, i1 0)
//   CHECK-NOT:   memset
//   CHECK-NOT:   getelementptr i8, ptr %"memory"
//       CHECK:   call void @"phase.turns.0.0"({{.*}} [[TILE]], i64 64, {{.*}} [[KEPT]], i64 64
vyre.program @turns [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<64xi32>
  %n = vyre.param "n" : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  %last = arith.constant 63 : index
  %other = arith.subi %last, %l : index
  scf.for %k = %zero to %n step %one {
    %v = vyre.load %tile[%other] : memref<64xi32>
    vyre.barrier acq_rel
    %w = vyre.load %a[%i] : memref<?xi32>
    %sum = arith.addi %v, %w : i32
    vyre.store %sum, %tile[%l] : memref<64xi32>
    vyre.store %sum, %a[%i] : memref<?xi32>
    vyre.barrier acq_rel
  }
}

// Invocations that trap are marked in the worker's memory.

// CHECK-LABEL: ; ModuleID = "trapping"
//   CHECK-NOT: alwaysinline
//       CHECK: define internal void @"phase.trapping.0"(
//   CHECK-NOT: x i8]
vyre.program @trapping [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<64xi32>
  %n = vyre.param "n" : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  %odd = arith.cmpi eq, %i, %n : index
  scf.for %k = %zero to %n step %one {
    %v = vyre.load %a[%i] : memref<?xi32>
    vyre.store %v, %tile[%l] : memref<64xi32>
    scf.if %odd {
      vyre.trap "odd"
    }
    vyre.barrier acq_rel
  }
}

// This is more than a small stack may have room for.

// CHECK-LABEL: ; ModuleID = "large"
//   CHECK-NOT: alwaysinline
//       CHECK: define internal void @"phase.large.0"(
//   CHECK-NOT: x i8]
vyre.program @large [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<2048xi32>
  %n = vyre.param "n" : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  scf.for %k = %zero to %n step %one {
    %v = vyre.load %a[%i] : memref<?xi32>
    vyre.store %v, %tile[%l] : memref<2048xi32>
    vyre.barrier acq_rel
  }
}
