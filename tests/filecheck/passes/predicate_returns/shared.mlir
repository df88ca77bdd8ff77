// RUN: vyre-opt %s -p vyre-predicate-returns | filecheck %s

// Neutral values change no result: -0 and NaN for floats.
// CHECK-LABEL: vyre.program @subgroups
// CHECK:         %alive = arith.select %c, %false, %true : i1
// CHECK-NEXT:    %0 = arith.constant false
// CHECK-NEXT:    %c_1 = arith.select %alive, %c, %0 : i1
// CHECK-NEXT:    %b = vyre.subgroup_ballot %c_1
// CHECK-NEXT:    %1 = arith.constant 0 : i32
// CHECK-NEXT:    %v_1 = arith.select %alive, %v, %1 : i32
// CHECK-NEXT:    %s = vyre.subgroup_shuffle %v_1, %lane : i32
// CHECK-NEXT:    %2 = arith.constant 2147483647 : i32
// CHECK-NEXT:    %v_2 = arith.select %alive, %v, %2 : i32
// CHECK-NEXT:    %m = vyre.subgroup_reduce min %v_2 : i32
// CHECK-NEXT:    %3 = arith.constant -0.000000e+00 : f32
// CHECK-NEXT:    %f_1 = arith.select %alive, %f, %3 : f32
// CHECK-NEXT:    %a = vyre.subgroup_reduce add %f_1 : f32
// CHECK-NEXT:    %4 = arith.constant 0x7fc00000 : f32
// CHECK-NEXT:    %f_2 = arith.select %alive, %f, %4 : f32
// CHECK-NEXT:    %x = vyre.subgroup_reduce max %f_2 : f32
// CHECK-NEXT:  }
vyre.program @subgroups [64, 1, 1] {
  %v = vyre.param "v" : i32
  %f = vyre.param "f" : f32
  %c = vyre.param "c" : i1
  %lane = vyre.subgroup_local_id
  scf.if %c {
    vyre.return
  }
  %b = vyre.subgroup_ballot %c
  %s = vyre.subgroup_shuffle %v, %lane : i32
  %m = vyre.subgroup_reduce min %v : i32
  %a = vyre.subgroup_reduce add %f : f32
  %x = vyre.subgroup_reduce max %f : f32
}

// Everyone waits, who has returned for a copy of nothing.
// CHECK-LABEL: vyre.program @copies
// CHECK:         %t = vyre.async_load %a[%l], %tile[%l], %n : memref<?xi32>, memref<64xi32>
// CHECK-NEXT:    %true = arith.constant true
// CHECK-NEXT:    %false = arith.constant false
// CHECK-NEXT:    %alive = arith.select %c, %false, %true : i1
// CHECK-NEXT:    vyre.async_wait %t
// CHECK-NEXT:    %0 = arith.constant 0 : index
// CHECK-NEXT:    %n_1 = arith.select %alive, %n, %0 : index
// CHECK-NEXT:    %u = vyre.async_store %tile[%l], %a[%l], %n_1 : memref<64xi32>, memref<?xi32>
// CHECK-NEXT:    vyre.async_wait %u
// CHECK-NEXT:  }
vyre.program @copies [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<64xi32>
  %n = vyre.param "n" : index
  %c = vyre.param "c" : i1
  %l = vyre.local_id x
  %t = vyre.async_load %a[%l], %tile[%l], %n : memref<?xi32>, memref<64xi32>
  scf.if %c {
    vyre.return
  }
  vyre.async_wait %t
  %u = vyre.async_store %tile[%l], %a[%l], %n : memref<64xi32>, memref<?xi32>
  vyre.async_wait %u
}
