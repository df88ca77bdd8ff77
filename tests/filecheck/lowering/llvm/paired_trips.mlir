// RUN: vyre-opt %s -t vyre-llvm | filecheck %s

// Few trips are made two at a time, without comparisons of what goes along the loop. An
// element that is looked up is compared, and the trip begins anew if it is outside.

//       CHECK: define internal void @"phase.row.0"(
//       CHECK: [[COUNT:%"\.[0-9]+"]] = sub i64 [[END:%"\.[0-9]+"]], [[FIRST:%"\.[0-9]+"]]
//  CHECK-NEXT: icmp ule i64 [[COUNT]], 32
//       CHECK: br i1 {{.*}}, label %"few", label %"otherwise", !prof
//       CHECK: pairs:
//  CHECK-NEXT: [[E:%"\.[0-9]+"]] = phi  i64 {{\[}}[[FIRST]], %"few"]
//  CHECK-NEXT: [[LEFT:%"\.[0-9]+"]] = phi  i64 {{\[}}[[COUNT]], %"few"]
//       CHECK: icmp ugt i64 [[LEFT]], 1
//       CHECK: pair:
//  CHECK-NEXT: getelementptr i32, ptr %"columns", i64 [[E]]
//  CHECK-NEXT: [[COLUMN:%"\.[0-9]+"]] = load i32
//  CHECK-NEXT: [[AT:%"\.[0-9]+"]] = sext i32 [[COLUMN]] to i64
//  CHECK-NEXT: getelementptr double, ptr %"values", i64 [[E]]
//  CHECK-NEXT: load double
//  CHECK-NEXT: icmp ult i64 [[AT]], %"x.0"
//  CHECK-NEXT: br i1 {{.*}}, label %"found", label %"again", !prof
vyre.program @row [8, 1, 1] {
  %columns = vyre.buffer "columns" read_only binding 0 : memref<?xi32>
  %values = vyre.buffer "values" read_only binding 1 : memref<?xf64>
  %x = vyre.buffer "x" read_only binding 2 : memref<?xf64>
  %sums = vyre.buffer "sums" read_write binding 3 : memref<?xf64>
  %ends = vyre.buffer "ends" read_only binding 4 : memref<?xindex>
  %one = arith.constant 1 : index
  %i = vyre.invocation_id x
  %next = arith.addi %i, %one : index
  %first = vyre.load %ends[%i] : memref<?xindex>
  %end = vyre.load %ends[%next] : memref<?xindex>
  %nothing = arith.constant 0.0 : f64
  %sum = scf.for %e = %first to %end step %one iter_args(%so_far = %nothing) -> (f64) {
    %column_i32 = vyre.load %columns[%e] : memref<?xi32>
    %column = arith.index_cast %column_i32 : i32 to index
    %value = vyre.load %values[%e] : memref<?xf64>
    %there = vyre.load %x[%column] : memref<?xf64>
    %more = math.fma %value, %there, %so_far : f64
    scf.yield %more : f64
  }
  vyre.store %sum, %sums[%i] : memref<?xf64>
}
