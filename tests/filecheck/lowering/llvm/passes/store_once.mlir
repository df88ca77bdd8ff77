// RUN: vyre-opt %s -p vyre-store-once | filecheck %s

// CHECK-LABEL: vyre.schedule @p
// CHECK:         vyre.launch @p.0(%out)
// CHECK-NEXT:    vyre.launch @p.0.once(%kept, %n) concurrent
// CHECK-LABEL: vyre.program @p.0 [64, 1, 1]
// CHECK-NEXT:    %out = vyre.buffer
// CHECK-NEXT:    %x = vyre.invocation_id x
// CHECK-NEXT:    %mine = arith.index_cast
// CHECK-NEXT:    vyre.store %mine, %out[%x]
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @p.0.once [64, 1, 1]
// CHECK:         %square = arith.muli %n, %n : i32
// CHECK:         vyre.store %square, %kept[%zero]
vyre.schedule @p {
  %out = vyre.buffer "out" write_only binding 0 : memref<?xi32>
  %kept = vyre.scratch single : memref<1xi32>
  %n = vyre.param "n" : i32
  vyre.launch @p.0(%out, %kept, %n)
}
vyre.program @p.0 [64, 1, 1] {
  %out = vyre.buffer "out" write_only binding 0 : memref<?xi32>
  %kept = vyre.buffer "kept" write_only binding 1 : memref<1xi32>
  %n = vyre.param "n" : i32
  %zero = arith.constant 0 : index
  %x = vyre.invocation_id x
  %mine = arith.index_cast %x : index to i32
  %square = arith.muli %n, %n : i32
  vyre.store %square, %kept[%zero] : memref<1xi32>
  vyre.store %mine, %out[%x] : memref<?xi32>
}

// What others read stays.
// CHECK-LABEL: vyre.schedule @q
// CHECK:         vyre.launch @q.0(%out)
// CHECK-NOT:     concurrent
vyre.schedule @q {
  %out = vyre.buffer "out" read_write binding 0 : memref<?xi32>
  vyre.launch @q.0(%out)
}
vyre.program @q.0 [64, 1, 1] {
  %out = vyre.buffer "out" read_write binding 0 : memref<?xi32>
  %zero = arith.constant 0 : index
  %seven = arith.constant 7 : i32
  %x = vyre.invocation_id x
  vyre.store %seven, %out[%zero] : memref<?xi32>
  vyre.store %seven, %out[%x] : memref<?xi32>
}
