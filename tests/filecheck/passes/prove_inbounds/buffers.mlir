// RUN: vyre-opt %s -p vyre-prove-inbounds | grep -E "vyre.(program|load|store|atomic)" | filecheck %s

// CHECK-LABEL: vyre.program @shapes
vyre.program @shapes [64, 1, 1] {
  %single = vyre.buffer "single" read_only binding 0 : memref<i32>
  %none = vyre.buffer "none" read_only binding 1 : memref<0xi32>
  %flat = vyre.buffer "flat" read_only binding 2 : memref<4x0xi32>
  %any = vyre.buffer "any" read_only binding 3 : memref<?xi32>
  %zero = arith.constant 0 : index
  %i = vyre.local_id x
  %nothing = arith.muli %i, %zero : index
  // CHECK-NEXT: vyre.load %single[] inbounds : memref
  %v0 = vyre.load %single[] : memref<i32>
  // CHECK-NEXT: vyre.load %none[%nothing] : memref
  %v1 = vyre.load %none[%nothing] : memref<0xi32>
  // CHECK-NEXT: vyre.load %flat[%nothing, %nothing] : memref
  %v2 = vyre.load %flat[%nothing, %nothing] : memref<4x0xi32>
  // CHECK-NEXT: vyre.load %any[%nothing] : memref
  %v3 = vyre.load %any[%nothing] : memref<?xi32>
}

// A memref that a loop carries may be any of its buffers.
// CHECK-LABEL: vyre.program @carried
vyre.program @carried [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %c = vyre.buffer "c" read_write binding 2 : memref<64xi32>
  %d = vyre.buffer "d" read_write binding 3 : memref<64xi32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %five = arith.constant 5 : index
  %i = vyre.local_id x
  %n = vyre.length %a, 0 : memref<?xi32>
  %m = vyre.length %b, 0 : memref<?xi32>
  %in_a = arith.cmpi ult, %i, %n : index
  %in_b = arith.cmpi ult, %i, %m : index
  %in_both = arith.andi %in_a, %in_b : i1
  %end:5 = scf.for %k = %zero to %five step %one
      iter_args(%from = %a, %to = %b, %same = %a, %this = %c, %that = %d)
      -> (memref<?xi32>, memref<?xi32>, memref<?xi32>, memref<64xi32>, memref<64xi32>) {
    scf.if %in_a {
      // CHECK-NEXT: vyre.load %from[%i] : memref
      %v0 = vyre.load %from[%i] : memref<?xi32>
      // CHECK-NEXT: vyre.load %same[%i] inbounds : memref
      %v1 = vyre.load %same[%i] : memref<?xi32>
      // CHECK-NEXT: vyre.load %this[%i] inbounds : memref
      %v2 = vyre.load %this[%i] : memref<64xi32>
    }
    scf.if %in_both {
      // CHECK-NEXT: vyre.load %from[%i] inbounds : memref
      %v3 = vyre.load %from[%i] : memref<?xi32>
      // CHECK-NEXT: vyre.load %to[%i] inbounds : memref
      %v4 = vyre.load %to[%i] : memref<?xi32>
    }
    %size = vyre.length %from, 0 : memref<?xi32>
    %in_from = arith.cmpi ult, %i, %size : index
    scf.if %in_from {
      // CHECK-NEXT: vyre.load %from[%i] inbounds : memref
      %v5 = vyre.load %from[%i] : memref<?xi32>
      // CHECK-NEXT: vyre.load %to[%i] : memref
      %v6 = vyre.load %to[%i] : memref<?xi32>
      // CHECK-NEXT: vyre.load %a[%i] : memref
      %v7 = vyre.load %a[%i] : memref<?xi32>
    }
    scf.yield %to, %from, %same, %that, %this
        : memref<?xi32>, memref<?xi32>, memref<?xi32>, memref<64xi32>, memref<64xi32>
  }
  scf.if %in_both {
    // CHECK-NEXT: vyre.load %end[%i] inbounds : memref
    %v8 = vyre.load %end#0[%i] : memref<?xi32>
  }
}

// Scratch of a program has an element for each invocation or workgroup.
// CHECK-LABEL: vyre.program @scratch
vyre.program @scratch [64, 1, 1] {
  %mine = vyre.scratch per_invocation : memref<?xi32>
  %ours = vyre.scratch per_workgroup : memref<?x64xi32>
  %all = vyre.scratch single : memref<4xi32>
  %three = arith.constant 3 : index
  %me = vyre.linear_id invocation
  %we = vyre.linear_id workgroup
  %lane = vyre.local_id x
  // CHECK-NEXT: vyre.load %mine[%me] inbounds : memref
  %v0 = vyre.load %mine[%me] : memref<?xi32>
  // CHECK-NEXT: vyre.load %ours[%we, %lane] inbounds : memref
  %v1 = vyre.load %ours[%we, %lane] : memref<?x64xi32>
  // CHECK-NEXT: vyre.load %all[%three] inbounds : memref
  %v2 = vyre.load %all[%three] : memref<4xi32>
}
