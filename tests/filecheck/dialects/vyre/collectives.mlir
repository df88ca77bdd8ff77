// RUN: VYRE_ROUNDTRIP
// RUN: VYRE_GENERIC

// Exchange between ranks.

vyre.program @all_reduce [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %f = vyre.buffer "f" read_write binding 1 : memref<8x8xf32>
  %s = vyre.buffer "s" read_write binding 2 : memref<f64>
  vyre.all_reduce add %a : memref<?xi32>
  vyre.all_reduce mul %a : memref<?xi32>
  vyre.all_reduce and %a : memref<?xi32>
  vyre.all_reduce or %a : memref<?xi32>
  vyre.all_reduce xor %a : memref<?xi32>
  vyre.all_reduce min %a : memref<?xi32>
  vyre.all_reduce max %a : memref<?xi32>
  vyre.all_reduce umin %a : memref<?xi32>
  vyre.all_reduce umax %a : memref<?xi32>
  vyre.all_reduce add %f : memref<8x8xf32>
  vyre.all_reduce mul %f : memref<8x8xf32>
  vyre.all_reduce min %f : memref<8x8xf32>
  vyre.all_reduce max %s {note = "kept"} : memref<f64>
}

// CHECK:      vyre.program @all_reduce [64, 1, 1] {
// CHECK-NEXT:   %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
// CHECK-NEXT:   %f = vyre.buffer "f" read_write binding 1 : memref<8x8xf32>
// CHECK-NEXT:   %s = vyre.buffer "s" read_write binding 2 : memref<f64>
// CHECK-NEXT:   vyre.all_reduce add %a : memref<?xi32>
// CHECK-NEXT:   vyre.all_reduce mul %a : memref<?xi32>
// CHECK-NEXT:   vyre.all_reduce and %a : memref<?xi32>
// CHECK-NEXT:   vyre.all_reduce or %a : memref<?xi32>
// CHECK-NEXT:   vyre.all_reduce xor %a : memref<?xi32>
// CHECK-NEXT:   vyre.all_reduce min %a : memref<?xi32>
// CHECK-NEXT:   vyre.all_reduce max %a : memref<?xi32>
// CHECK-NEXT:   vyre.all_reduce umin %a : memref<?xi32>
// CHECK-NEXT:   vyre.all_reduce umax %a : memref<?xi32>
// CHECK-NEXT:   vyre.all_reduce add %f : memref<8x8xf32>
// CHECK-NEXT:   vyre.all_reduce mul %f : memref<8x8xf32>
// CHECK-NEXT:   vyre.all_reduce min %f : memref<8x8xf32>
// CHECK-NEXT:   vyre.all_reduce max %s {note = "kept"} : memref<f64>
// CHECK-NEXT: }

// CHECK-GENERIC: "vyre.all_reduce"(%s) <{kind = #vyre<reduce_kind max>}> {note = "kept"} : (memref<f64>) -> ()

vyre.program @broadcast [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  vyre.broadcast %a root 0 : memref<?xi32>
  vyre.broadcast %a root 3 {note = "kept"} : memref<?xi32>
}

// CHECK:      vyre.program @broadcast [64, 1, 1] {
// CHECK-NEXT:   %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
// CHECK-NEXT:   vyre.broadcast %a root 0 : memref<?xi32>
// CHECK-NEXT:   vyre.broadcast %a root 3 {note = "kept"} : memref<?xi32>
// CHECK-NEXT: }

// CHECK-GENERIC: "vyre.broadcast"(%a) <{root = 3 : i64}> {note = "kept"} : (memref<?xi32>) -> ()

vyre.program @all_gather [64, 1, 1] {
  %part = vyre.buffer "part" read_only binding 0 : memref<8xf32>
  %whole = vyre.buffer "whole" write_only binding 1 : memref<?xf32>
  vyre.all_gather %part, %whole : memref<8xf32>, memref<?xf32>
  vyre.all_gather %part, %whole {note = "kept"} : memref<8xf32>, memref<?xf32>
}

// CHECK:      vyre.program @all_gather [64, 1, 1] {
// CHECK-NEXT:   %part = vyre.buffer "part" read_only binding 0 : memref<8xf32>
// CHECK-NEXT:   %whole = vyre.buffer "whole" write_only binding 1 : memref<?xf32>
// CHECK-NEXT:   vyre.all_gather %part, %whole : memref<8xf32>, memref<?xf32>
// CHECK-NEXT:   vyre.all_gather %part, %whole {note = "kept"} : memref<8xf32>, memref<?xf32>
// CHECK-NEXT: }

// CHECK-GENERIC: "vyre.all_gather"(%part, %whole) {note = "kept"} : (memref<8xf32>, memref<?xf32>) -> ()

vyre.program @reduce_scatter [64, 1, 1] {
  %grad = vyre.buffer "grad" read_only binding 0 : memref<?xf32>
  %mine = vyre.buffer "mine" write_only binding 1 : memref<8xf32>
  vyre.reduce_scatter add %grad, %mine : memref<?xf32>, memref<8xf32>
  vyre.reduce_scatter max %grad, %mine {note = "kept"} : memref<?xf32>, memref<8xf32>
}

// CHECK:      vyre.program @reduce_scatter [64, 1, 1] {
// CHECK-NEXT:   %grad = vyre.buffer "grad" read_only binding 0 : memref<?xf32>
// CHECK-NEXT:   %mine = vyre.buffer "mine" write_only binding 1 : memref<8xf32>
// CHECK-NEXT:   vyre.reduce_scatter add %grad, %mine : memref<?xf32>, memref<8xf32>
// CHECK-NEXT:   vyre.reduce_scatter max %grad, %mine {note = "kept"} : memref<?xf32>, memref<8xf32>
// CHECK-NEXT: }

// CHECK-GENERIC: "vyre.reduce_scatter"(%grad, %mine) <{kind = #vyre<reduce_kind max>}> {note = "kept"} : (memref<?xf32>, memref<8xf32>) -> ()
