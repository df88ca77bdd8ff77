// RUN: vyre-opt %s -t vyre-cuda | filecheck %s

// Names are those of the IR where C++ and CUDA have no other meaning for them, and used once
// where they can be seen. Regions are comments, of one line whatever they are called.
// CHECK:      extern "C" __global__ void __launch_bounds__(64)
// CHECK-NEXT: row_sum_kernel(
// CHECK-NEXT:     unsigned int *__restrict__ int_,
// CHECK-NEXT:     const unsigned long long int_size,
// CHECK-NEXT:     unsigned int *__restrict__ thread_Idx,
// CHECK-NEXT:     const unsigned long long thread_Idx_size,
// CHECK-NEXT:     const unsigned int vyre_stop_,
// CHECK-NEXT:     const unsigned short half_bits,
// CHECK-NEXT:     const bool flag) {
// CHECK:        // region "first \\" from "one\nline"
// CHECK-NEXT:   const unsigned int delete_ = (i < int_size ? int_[i] : 0) + vyre_stop_;
// CHECK:        if (flag) {
// CHECK-NEXT:     const unsigned int delete_1 = i < int_size ? int_[i] : 0;
vyre.program @"row.sum" [64, 1, 1] {
  %int = vyre.buffer "int" read_write binding 0 : memref<?xi32>
  %buffer = vyre.buffer "thread Idx" read_write binding 1 : memref<?xi32>
  %vyre_stop = vyre.param "vyre_stop" : i32
  %half = vyre.param "half" : f16
  %flag = vyre.param "flag" : i1
  %i = vyre.invocation_id x
  vyre.region "first \\" from "one\nline" {
    %new = vyre.load %int[%i] : memref<?xi32>
    %delete = arith.addi %new, %vyre_stop : i32
    vyre.store %delete, %buffer[%i] : memref<?xi32>
    vyre.store %delete, %int[%i] : memref<?xi32>
  }
  scf.if %flag {
    %delete = vyre.load %int[%i] : memref<?xi32>
    %twice = arith.addi %delete, %delete : i32
    vyre.store %twice, %buffer[%i] : memref<?xi32>
  }
}
