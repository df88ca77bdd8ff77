// RUN: vyre-opt %s -p vyre-share-uniform-loops | filecheck %s

// CHECK-LABEL: vyre.schedule @p
// CHECK:         %sum = scf.for
// CHECK-NEXT:      vyre.load %parts[%k]
// CHECK:         vyre.launch @p.0(%parts, %out, %n, %sum)
// CHECK-LABEL: vyre.program @p.0
// CHECK:         %sum = vyre.param "sum" : i32
// CHECK-NOT:     scf.for
vyre.schedule @p {
  %parts = vyre.buffer "parts" read_only binding 0 : memref<?xi32>
  %out = vyre.buffer "out" write_only binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  vyre.launch @p.0(%parts, %out, %n)
}
vyre.program @p.0 [64, 1, 1] {
  %parts = vyre.buffer "parts" read_only binding 0 : memref<?xi32>
  %out = vyre.buffer "out" write_only binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = arith.constant 0 : i32
  %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %start) -> (i32) {
    %part = vyre.load %parts[%k] : memref<?xi32>
    %next = arith.addi %acc, %part : i32
    scf.yield %next : i32
  }
  %x = vyre.invocation_id x
  vyre.store %sum, %out[%x] : memref<?xi32>
}

// The launch writes what the loop reads: it stays.
// CHECK-LABEL: vyre.schedule @q
// CHECK-NOT:     scf.for
// CHECK-LABEL: vyre.program @q.0
// CHECK:         scf.for
vyre.schedule @q {
  %parts = vyre.buffer "parts" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  vyre.launch @q.0(%parts, %n)
}
vyre.program @q.0 [64, 1, 1] {
  %parts = vyre.buffer "parts" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = arith.constant 0 : i32
  %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %start) -> (i32) {
    %part = vyre.load %parts[%k] : memref<?xi32>
    %next = arith.addi %acc, %part : i32
    scf.yield %next : i32
  }
  %x = vyre.invocation_id x
  vyre.store %sum, %parts[%x] : memref<?xi32>
}
