// RUN: VYRE_INVALID

// CHECK: {{.*}}literal_indices.mlir:9:8: error: 'vyre.load': index 8 is outside a dimension of size 8
// CHECK: {{.*}}literal_indices.mlir:8:12: note: the index
// CHECK: Fix: use an index from 0 to 7
vyre.program @load [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<8xi32>
  %eight = arith.constant 8 : index
  %v = vyre.load %a[%eight] : memref<8xi32>
}

// -----

// CHECK: {{.*}}literal_indices.mlir:21:3: error: 'vyre.store': index -1 is outside a dimension of size 8
// CHECK: {{.*}}literal_indices.mlir:19:13: note: the index
// CHECK: Fix: use an index from 0 to 7
vyre.program @store [64, 1, 1] {
  %a = vyre.buffer "a" write_only binding 0 : memref<8xi32>
  %before = arith.constant -1 : index
  %v = vyre.param "v" : i32
  vyre.store %v, %a[%before] : memref<8xi32>
}

// -----

// The second of two indices, where the first has no limit.
// CHECK: {{.*}}literal_indices.mlir:34:10: error: 'vyre.atomic': index 4 is outside a dimension of size 4
// CHECK: {{.*}}literal_indices.mlir:32:11: note: the index
// CHECK: Fix: use an index from 0 to 3
vyre.program @atomic [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?x4xi32>
  %four = arith.constant 4 : index
  %v = vyre.param "v" : i32
  %old = vyre.atomic add %v, %a[%four, %four] : memref<?x4xi32>
}

// -----

// CHECK: {{.*}}literal_indices.mlir:46:10: error: 'vyre.atomic_cas': index 100 is outside a dimension of size 64
// CHECK: {{.*}}literal_indices.mlir:44:10: note: the index
// CHECK: Fix: use an index from 0 to 63
vyre.program @atomic_cas [64, 1, 1] {
  %a = vyre.buffer "a" workgroup : memref<64xi32>
  %far = arith.constant 100 : index
  %v = vyre.param "v" : i32
  %old = vyre.atomic_cas %v, %v, %a[%far] : memref<64xi32>
}

// -----

// A promise does not help.
// CHECK: {{.*}}literal_indices.mlir:58:8: error: 'vyre.load': index 2 is outside a dimension of size 2
// CHECK: {{.*}}literal_indices.mlir:57:10: note: the index
// CHECK: Fix: use an index from 0 to 1
vyre.program @inbounds [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<2xi32>
  %two = arith.constant 2 : index
  %v = vyre.load %a[%two] inbounds : memref<2xi32>
}

// -----

// An empty buffer has no index.
// CHECK: {{.*}}literal_indices.mlir:70:8: error: 'vyre.load': index 0 is outside a dimension of size 0
// CHECK: {{.*}}literal_indices.mlir:69:11: note: the index
// CHECK: Fix: give the buffer a size
vyre.program @nothing [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<0xi32>
  %zero = arith.constant 0 : index
  %v = vyre.load %a[%zero] : memref<0xi32>
}

// -----

// At any depth, and through a carried memref.
// CHECK: {{.*}}literal_indices.mlir:86:12: error: 'vyre.load': index 8 is outside a dimension of size 8
// CHECK: {{.*}}literal_indices.mlir:85:16: note: the index
// CHECK: Fix: use an index from 0 to 7
vyre.program @nested [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<8xi32>
  %i = vyre.invocation_id x
  %n = vyre.param "n" : index
  %last = scf.for %k = %n to %n step %n iter_args(%c = %a) -> (memref<8xi32>) {
    vyre.region "r" {
      %eight = arith.constant 8 : index
      %v = vyre.load %c[%eight] : memref<8xi32>
    }
    scf.yield %c : memref<8xi32>
  }
}
