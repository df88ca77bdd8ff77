// RUN: vyre-opt %s -p vyre-expand-subgroups | filecheck %s

// Shuffles take turns with two buffers, so one barrier each is enough; a reduction uses the
// one whose turn it is, and leaves it.
// CHECK-LABEL: vyre.program @in_turn
// CHECK:         %lanes_i32 = vyre.buffer "lanes_i32" workgroup : memref<64xi32>
// CHECK-NEXT:    %lanes_i32_1 = vyre.buffer "lanes_i32_1" workgroup : memref<64xi32>
// CHECK-NEXT:    %totals_i32 = vyre.buffer "totals_i32" workgroup : memref<2xi32>
// CHECK:         vyre.store %v, %lanes_i32[%lane] : memref<64xi32>
// CHECK-NEXT:    vyre.barrier acq_rel
// CHECK:         %first = arith.andi %lane, %{{.*}} : index
// CHECK-NEXT:    %is_known = arith.cmpi ult, %other, %{{.*}} : index
// CHECK-NEXT:    %[[PLACE:.*]] = arith.addi %first, %other : index
// CHECK-NEXT:    %[[OUTSIDE:.*]] = arith.constant 64 : index
// CHECK-NEXT:    %place = arith.select %is_known, %[[PLACE]], %[[OUTSIDE]] : index
// CHECK-NEXT:    %s = vyre.load %lanes_i32[%place] : memref<64xi32>
// CHECK-NEXT:    vyre.store %s, %lanes_i32_1[%lane] : memref<64xi32>
// CHECK-NEXT:    vyre.barrier acq_rel
// CHECK:         vyre.load %lanes_i32_1
// CHECK:         vyre.barrier acq_rel
// CHECK:         %t = vyre.load %totals_i32
// CHECK-NEXT:    vyre.store %t, %lanes_i32_1[%lane] : memref<64xi32>
// CHECK-NEXT:    vyre.barrier acq_rel
// CHECK:         %u = vyre.load %lanes_i32_1
// CHECK-NEXT:    vyre.store %u, %lanes_i32[%lane] : memref<64xi32>
// CHECK-NEXT:    vyre.barrier acq_rel
// CHECK:         %w = vyre.load %lanes_i32[
// CHECK-NEXT:    vyre.store %w, %a[%i] : memref<?xi32>
vyre.program @in_turn [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %other = vyre.param "other" : index
  %i = vyre.invocation_id x
  %v = vyre.load %a[%i] : memref<?xi32>
  %s = vyre.subgroup_shuffle %v, %other : i32
  %t = vyre.subgroup_reduce add %s : i32
  %u = vyre.subgroup_shuffle %t, %other : i32
  %w = vyre.subgroup_shuffle %u, %other : i32
  vyre.store %w, %a[%i] : memref<?xi32>
}

// In a loop the next value comes where the last one is taken, so all have to take it first.
// CHECK-LABEL: vyre.program @alone_in_a_loop
// CHECK:         scf.for
// CHECK-NEXT:      vyre.store %part, %lanes_i32[%lane] : memref<32xi32>
// CHECK-NEXT:      vyre.barrier acq_rel
// CHECK-NEXT:      %s = vyre.load %lanes_i32[%k] : memref<32xi32>
// CHECK-NEXT:      vyre.barrier acq_rel
// CHECK-NEXT:      scf.yield %s : i32
vyre.program @alone_in_a_loop [32, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 5 : index
  %i = vyre.invocation_id x
  %v = vyre.load %a[%i] : memref<?xi32>
  %r = scf.for %k = %zero to %n step %one iter_args(%part = %v) -> (i32) {
    %s = vyre.subgroup_shuffle %part, %k : i32
    scf.yield %s : i32
  }
  vyre.store %r, %a[%i] : memref<?xi32>
}

// Two in a loop keep each other apart.
// CHECK-LABEL: vyre.program @two_in_a_loop
// CHECK:         scf.for
// CHECK-NEXT:      vyre.store
// CHECK-NEXT:      vyre.barrier acq_rel
// CHECK-NEXT:      %s = vyre.load %lanes_i32[%k] : memref<32xi32>
// CHECK-NEXT:      vyre.store %s, %lanes_i32_1[%lane] : memref<32xi32>
// CHECK-NEXT:      vyre.barrier acq_rel
// CHECK-NEXT:      %t = vyre.load %lanes_i32_1[%k] : memref<32xi32>
// CHECK-NEXT:      scf.yield %t : i32
vyre.program @two_in_a_loop [32, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 5 : index
  %i = vyre.invocation_id x
  %v = vyre.load %a[%i] : memref<?xi32>
  %r = scf.for %k = %zero to %n step %one iter_args(%part = %v) -> (i32) {
    %s = vyre.subgroup_shuffle %part, %k : i32
    %t = vyre.subgroup_shuffle %s, %k : i32
    scf.yield %t : i32
  }
  vyre.store %r, %a[%i] : memref<?xi32>
}
