// RUN: vyre-opt %s -p vyre-forward-grid-values | filecheck %s

// CHECK-LABEL: vyre.schedule @p
// CHECK-NOT:     vyre.scratch
// CHECK:         %sum = arith.addi %n, %n : i32
// CHECK:         vyre.launch @p.0(%n)
// CHECK-NEXT:    vyre.launch @p.1(%out, %sum)
// CHECK-LABEL: vyre.program @p.0
// CHECK-NOT:     vyre.store
// CHECK-LABEL: vyre.program @p.1
// CHECK:         %sum = vyre.param "sum" : i32
// CHECK-NOT:     vyre.load
vyre.schedule @p {
  %out = vyre.buffer "out" write_only binding 0 : memref<?xi32>
  %n = vyre.param "n" : i32
  %kept = vyre.scratch single : memref<1xi32>
  vyre.launch @p.0(%kept, %n)
  vyre.launch @p.1(%out, %kept)
}
vyre.program @p.0 [64, 1, 1] {
  %kept = vyre.buffer "kept" write_only binding 0 : memref<1xi32>
  %n = vyre.param "n" : i32
  %zero = arith.constant 0 : index
  %sum = arith.addi %n, %n : i32
  vyre.store %sum, %kept[%zero] : memref<1xi32>
}
vyre.program @p.1 [64, 1, 1] {
  %out = vyre.buffer "out" write_only binding 0 : memref<?xi32>
  %kept = vyre.buffer "kept" read_only binding 1 : memref<1xi32>
  %zero = arith.constant 0 : index
  %sum = vyre.load %kept[%zero] : memref<1xi32>
  %x = vyre.invocation_id x
  vyre.store %sum, %out[%x] : memref<?xi32>
}

// Only one invocation stores: the schedule does not know when.
// CHECK-LABEL: vyre.schedule @q
// CHECK:         vyre.scratch single
// CHECK:         vyre.launch @q.0(%kept, %n)
vyre.schedule @q {
  %out = vyre.buffer "out" write_only binding 0 : memref<?xi32>
  %n = vyre.param "n" : i32
  %kept = vyre.scratch single : memref<1xi32>
  vyre.launch @q.0(%kept, %n)
  vyre.launch @p.2(%out, %kept)
}
vyre.program @q.0 [64, 1, 1] {
  %kept = vyre.buffer "kept" write_only binding 0 : memref<1xi32>
  %n = vyre.param "n" : i32
  %zero = arith.constant 0 : index
  %x = vyre.invocation_id x
  %is_first = arith.cmpi eq, %x, %zero : index
  scf.if %is_first {
    vyre.store %n, %kept[%zero] : memref<1xi32>
  }
}
vyre.program @p.2 [64, 1, 1] {
  %out = vyre.buffer "out" write_only binding 0 : memref<?xi32>
  %kept = vyre.buffer "kept" read_only binding 1 : memref<1xi32>
  %zero = arith.constant 0 : index
  %sum = vyre.load %kept[%zero] : memref<1xi32>
  %x = vyre.invocation_id x
  vyre.store %sum, %out[%x] : memref<?xi32>
}
