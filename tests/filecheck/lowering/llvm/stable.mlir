// The text is the same in every process, whatever Python's hashes are.

// RUN: env PYTHONHASHSEED=1 vyre-opt %s -t vyre-llvm > %t.1
// RUN: env PYTHONHASHSEED=2 vyre-opt %s -t vyre-llvm > %t.2
// RUN: diff %t.1 %t.2
// RUN: filecheck %s --input-file %t.1

// CHECK: ; ModuleID = "sums"
vyre.program @sums [32, 2, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %total = vyre.buffer "total" read_write binding 2 : memref<1xi32>
  %tile = vyre.buffer "tile" workgroup : memref<64xi32>
  %limit = vyre.param "limit" : i32
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %i = vyre.invocation_id x
  %j = vyre.invocation_id y
  %l = vyre.local_id x
  %v = vyre.load %a[%i] : memref<?xi32>
  %w = vyre.load %b[%j] : memref<?xi32>
  %x = arith.addi %v, %w : i32
  %y = arith.muli %v, %w : i32
  vyre.store %x, %tile[%l] : memref<64xi32>
  vyre.barrier acq_rel
  %near = vyre.load %tile[%one] : memref<64xi32>
  %z = arith.addi %near, %y : i32
  vyre.barrier grid_sync
  %old = vyre.atomic add %z, %total[%zero] : memref<1xi32>
  vyre.barrier grid_sync
  %sum = vyre.load %total[%zero] : memref<1xi32>
  %is_large = arith.cmpi sgt, %sum, %limit : i32
  scf.if %is_large {
    %u = arith.subi %x, %y : i32
    vyre.store %u, %b[%i] : memref<?xi32>
    vyre.barrier grid_sync
  }
}
