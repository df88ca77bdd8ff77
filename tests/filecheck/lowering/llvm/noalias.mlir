// RUN: vyre-opt %s -t vyre-llvm | filecheck %s
// RUN: vyre-opt %s -p vyre-host-plan -t vyre-llvm | filecheck %s

// The entry has grid barriers in it, so nothing is promised there: a load after a barrier
// must stay. A phase has none. Two grids that take turns are never the same, so that both
// are `noalias`.

// CHECK-LABEL: ; ModuleID = "swap"
//   CHECK-NOT: noalias
//       CHECK: define internal void @"phase.swap.0"(
//  CHECK-SAME: i64 %"first", i64 %"end", ptr noalias %"{{[^"]*}}", i64 %"from.0", ptr noalias %"{{[^"]*}}", i64 %"to.0") noinline
vyre.program @swap [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %rounds = vyre.param "rounds" : index
  %i = vyre.invocation_id x
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %next = arith.addi %i, %one : index
  %r:2 = scf.for %k = %zero to %rounds step %one iter_args(%from = %a, %to = %b) -> (memref<?xf32>, memref<?xf32>) {
    %v = vyre.load %from[%next] : memref<?xf32>
    vyre.store %v, %to[%i] : memref<?xf32>
    vyre.barrier grid_sync
    scf.yield %to, %from : memref<?xf32>, memref<?xf32>
  }
}

// Here the phase is passed `a` beside the two, one of which is `a`. None of these three is
// `noalias`; what shares no storage with others still is.
// CHECK-LABEL: ; ModuleID = "keep"
//   CHECK-NOT: noalias
//       CHECK: define internal void @"phase.keep.0"(
//  CHECK-SAME: i64 %"first", i64 %"end", ptr %"{{[^"]*}}", i64 %"a.0", ptr noalias %"{{[^"]*}}", i64 %"first.0", ptr %"{{[^"]*}}", i64 %"from.0", ptr %"{{[^"]*}}", i64 %"to.0") noinline
vyre.program @keep [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %first = vyre.buffer "first" write_only binding 2 output : memref<?xf32>
  %rounds = vyre.param "rounds" : index
  %i = vyre.invocation_id x
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %next = arith.addi %i, %one : index
  %r:2 = scf.for %k = %zero to %rounds step %one iter_args(%from = %a, %to = %b) -> (memref<?xf32>, memref<?xf32>) {
    %v = vyre.load %from[%next] : memref<?xf32>
    %w = vyre.load %a[%i] : memref<?xf32>
    vyre.store %w, %first[%i] : memref<?xf32>
    vyre.store %v, %to[%i] : memref<?xf32>
    vyre.barrier grid_sync
    scf.yield %to, %from : memref<?xf32>, memref<?xf32>
  }
}
