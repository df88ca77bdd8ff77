// RUN: vyre-opt %s -p vyre-verify-program | filecheck %s

// Indices that are inside, or that may be outside because they are not written out.

vyre.program @inside [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<8x4xi32>
  %s = vyre.buffer "s" read_write binding 1 : memref<i32>
  %v = vyre.param "v" : i32
  %zero = arith.constant 0 : index
  %three = arith.constant 3 : index
  %seven = arith.constant 7 : index
  %0 = vyre.load %a[%zero, %zero] : memref<8x4xi32>
  vyre.store %v, %a[%seven, %three] : memref<8x4xi32>
  %1 = vyre.atomic add %v, %a[%seven, %three] : memref<8x4xi32>
  %2 = vyre.atomic_cas %v, %v, %a[%seven, %three] : memref<8x4xi32>
  %3 = vyre.load %s[] : memref<i32>
}

// CHECK:      vyre.program @inside [64, 1, 1] {
// CHECK:        vyre.store %v, %a[%seven, %three] : memref<8x4xi32>

// The caller decides how large a `?` is.
vyre.program @dynamic_size [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %far = arith.constant 1000000 : index
  %before = arith.constant -1 : index
  %0 = vyre.load %a[%far] : memref<?xi32>
  %1 = vyre.load %a[%before] : memref<?xi32>
}

// CHECK:      vyre.program @dynamic_size [64, 1, 1] {
// CHECK:        vyre.load %a[%far] : memref<?xi32>
// CHECK-NEXT:   vyre.load %a[%before] : memref<?xi32>

// Outside, but computed: it reads zero, and nothing is written.
vyre.program @dynamic_index [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<8xi32>
  %eight = arith.constant 8 : index
  %i = vyre.invocation_id x
  %far = arith.addi %i, %eight : index
  %v = vyre.load %a[%far] : memref<8xi32>
  vyre.store %v, %a[%far] : memref<8xi32>
}

// CHECK:      vyre.program @dynamic_index [64, 1, 1] {
// CHECK:        %v = vyre.load %a[%far] : memref<8xi32>
// CHECK-NEXT:   vyre.store %v, %a[%far] : memref<8xi32>

// The same index through a loop is no longer written out at the access.
vyre.program @carried_index [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<8xi32>
  %eight = arith.constant 8 : index
  %last = scf.for %k = %eight to %eight step %eight iter_args(%c = %eight) -> (index) {
    %v = vyre.load %a[%c] : memref<8xi32>
    scf.yield %c : index
  }
}

// CHECK:      vyre.program @carried_index [64, 1, 1] {
// CHECK:        %v = vyre.load %a[%c] : memref<8xi32>
