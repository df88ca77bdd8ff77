// RUN: vyre-opt %s -p vyre-prove-inbounds | grep -E "vyre.(program|load|store|atomic)" | filecheck %s

// A buffer that a schedule's loop carries may have either size.
vyre.schedule @s {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %p = vyre.param "p" : index
  %n = vyre.length %a, 0 : memref<?xi32>
  %end:2 = scf.for %k = %zero to %p step %one iter_args(%from = %a, %to = %b)
      -> (memref<?xi32>, memref<?xi32>) {
    %m = vyre.length %from, 0 : memref<?xi32>
    vyre.launch @s.0(%from, %to, %n, %m)
    scf.yield %to, %from : memref<?xi32>, memref<?xi32>
  }
}

// CHECK-LABEL: vyre.program @s.0
vyre.program @s.0 [32, 1, 1] {
  %from = vyre.buffer "from" read_only binding 0 : memref<?xi32>
  %to = vyre.buffer "to" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %m = vyre.param "m" : index
  %i = vyre.invocation_id x
  %in_a = arith.cmpi ult, %i, %n : index
  scf.if %in_a {
    // CHECK-NEXT: vyre.load %from[%i] : memref
    %v0 = vyre.load %from[%i] : memref<?xi32>
  }
  %in_from = arith.cmpi ult, %i, %m : index
  scf.if %in_from {
    // CHECK-NEXT: vyre.load %from[%i] inbounds : memref
    %v1 = vyre.load %from[%i] : memref<?xi32>
    // CHECK-NEXT: vyre.store %v1, %to[%i] : memref
    vyre.store %v1, %to[%i] : memref<?xi32>
  }
}
