// RUN: vyre-opt %s -t vyre-llvm | filecheck %s
// RUN: vyre-opt %s -p vyre-host-plan -t vyre-llvm | filecheck %s

// A grid barrier is a meeting between two launches: word 4 of the job is the address of
// `meet`, word 5 that of `release`, which the last worker calls. Then everyone looks at
// word 2, which says whether to stop.

// CHECK-LABEL: ; ModuleID = "rotate"
//       CHECK: define void @"vyre.entry"
//       CHECK: call void @"launch.rotate.0"(
//  CHECK-NEXT: [[OVER:%"\.[0-9]+"]] = call i1 @"meeting"(ptr %"job", i64 %"worker", i64 %"workers")
//  CHECK-NEXT: br i1 [[OVER]], label %"over", label %"[[ON:on\.[0-9]+]]"
//       CHECK: [[ON]]:
//  CHECK-NEXT: call void @"launch.rotate.1"(

//       CHECK: define internal i1 @"meeting"(ptr %"job", i64 %"worker", i64 %"workers")
//       CHECK: [[WORD:%"\.[0-9]+"]] = getelementptr i64, ptr %"job", i64 4
//  CHECK-NEXT: [[MEET:%"\.[0-9]+"]] = load i64, ptr [[WORD]]
//       CHECK: [[LAST:%"\.[0-9]+"]] = call i64 %"{{.*}}"(ptr %"job", i64 %"worker", i64 %"workers")
//       CHECK: icmp ne i64 [[LAST]], 0
//       CHECK: entry.endif:
//  CHECK-NEXT: [[STOP:%"\.[0-9]+"]] = getelementptr i64, ptr %"job", i64 2
//  CHECK-NEXT: load atomic i64, ptr [[STOP]] monotonic, align 8
//       CHECK: entry.if.endif:
//  CHECK-NEXT: getelementptr i64, ptr %"job", i64 5
//       CHECK: call void %"{{.*}}"(ptr %"job")

//       CHECK: define internal void @"launch.rotate.0"(
//       CHECK: call void @"phase.rotate.0"(

// What crosses the barrier is in scratch, for the first phase to write and the second to
// read.
//       CHECK: define internal void @"phase.rotate.0"({{.*}}%"mine_kept.0")
//       CHECK: store float
//       CHECK: define internal void @"phase.rotate.1"({{.*}}%"mine_kept.0")
//       CHECK: load float
//       CHECK: store float
vyre.program @rotate [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %i = vyre.invocation_id x
  %one = arith.constant 1 : index
  %next = arith.addi %i, %one : index
  %mine = vyre.load %a[%next] : memref<?xf32>
  vyre.barrier grid_sync
  vyre.store %mine, %a[%i] : memref<?xf32>
}
