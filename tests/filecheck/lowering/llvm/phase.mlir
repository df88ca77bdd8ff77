// RUN: vyre-opt %s -t vyre-llvm | filecheck %s

// A program without barriers is one function over a range of workgroups, which the entry
// calls. The innermost loop goes along x, and where an access may be outside, it is tested.

// CHECK-LABEL: ; ModuleID = "add"
//       CHECK: define void @"vyre.entry"(ptr %"job", i64 %"worker", i64 %"workers")
//       CHECK: call void @"phase.add.0"(
//       CHECK: define internal void @"phase.add.0"(ptr %"job", i64 %"worker", ptr %"memory", i64 %"groups.x", i64 %"groups.y", i64 %"groups.z", i64 %"first", i64 %"end", ptr noalias %"{{[^"]*}}", i64 %"x.0", float %"{{[^"]*}}") noinline
//       CHECK: %"x{{[.0-9]*}}" = phi i64
//       CHECK: x.body{{[.0-9]*}}:
//       CHECK: load float, ptr %"{{.*}}", !llvm.access.group
//       CHECK: fadd float
//       CHECK: store float %"{{.*}}", ptr %"{{.*}}", !llvm.access.group
//       CHECK: br label %"x.head{{[.0-9]*}}", !llvm.loop
//       CHECK: icmp ult i64 %"x{{[.0-9]*}}", %"x.0"
//       CHECK: !"llvm.loop.parallel_accesses"
vyre.program @add [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xf32>
  %a = vyre.param "a" : f32
  %i = vyre.invocation_id x
  %old = vyre.load %x[%i] : memref<?xf32>
  %new = arith.addf %old, %a : f32
  vyre.store %new, %x[%i] : memref<?xf32>
}

// Each program is a module of its own.
// CHECK-LABEL: ; ModuleID = "nothing"
//       CHECK: define void @"vyre.entry"(
vyre.program @nothing [1, 1, 1] {
}
