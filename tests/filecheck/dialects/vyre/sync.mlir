// RUN: VYRE_ROUNDTRIP
// RUN: VYRE_GENERIC

// Barriers and asynchronous copies.

vyre.program @barriers [64, 1, 1] {
  vyre.barrier acquire
  vyre.barrier release
  vyre.barrier acq_rel
  vyre.barrier seq_cst
  vyre.barrier grid_sync
  vyre.barrier grid_sync {note = "kept"}
}

// CHECK:      vyre.program @barriers [64, 1, 1] {
// CHECK-NEXT:   vyre.barrier acquire
// CHECK-NEXT:   vyre.barrier release
// CHECK-NEXT:   vyre.barrier acq_rel
// CHECK-NEXT:   vyre.barrier seq_cst
// CHECK-NEXT:   vyre.barrier grid_sync
// CHECK-NEXT:   vyre.barrier grid_sync {note = "kept"}
// CHECK-NEXT: }

// CHECK-GENERIC: "vyre.barrier"() <{ordering = #vyre<ordering grid_sync>}> {note = "kept"} : () -> ()

vyre.program @copies_through_workgroup_memory [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %b = vyre.buffer "b" write_only binding 1 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  %n = vyre.param "n" : index
  %in = vyre.async_load %a[%i], %tile[%l], %n : memref<?xf32>, memref<64xf32>
  vyre.async_wait %in
  %out = vyre.async_store %tile[%l], %b[%i], %n : memref<64xf32>, memref<?xf32>
  vyre.async_wait %out
}

// CHECK:      vyre.program @copies_through_workgroup_memory [64, 1, 1] {
// CHECK-NEXT:   %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
// CHECK-NEXT:   %b = vyre.buffer "b" write_only binding 1 : memref<?xf32>
// CHECK-NEXT:   %tile = vyre.buffer "tile" workgroup : memref<64xf32>
// CHECK-NEXT:   %i = vyre.invocation_id x
// CHECK-NEXT:   %l = vyre.local_id x
// CHECK-NEXT:   %n = vyre.param "n" : index
// CHECK-NEXT:   %in = vyre.async_load %a[%i], %tile[%l], %n : memref<?xf32>, memref<64xf32>
// CHECK-NEXT:   vyre.async_wait %in
// CHECK-NEXT:   %out = vyre.async_store %tile[%l], %b[%i], %n : memref<64xf32>, memref<?xf32>
// CHECK-NEXT:   vyre.async_wait %out
// CHECK-NEXT: }

// Copies within global memory, between ranks, and of a single element.
vyre.program @copies_of_any_rank [64, 1, 1] {
  %rank0 = vyre.buffer "rank0" read_write binding 0 : memref<i32>
  %rank2 = vyre.buffer "rank2" read_write binding 1 : memref<?x8xi32>
  %i = vyre.invocation_id x
  %0 = vyre.async_load %rank0[], %rank2[%i, %i], %i : memref<i32>, memref<?x8xi32>
  %1 = vyre.async_store %rank2[%i, %i], %rank0[], %i : memref<?x8xi32>, memref<i32>
  %2 = vyre.async_load %rank0[], %rank2[%i, %i], %i {note = "kept"} : memref<i32>, memref<?x8xi32>
  %3 = vyre.async_store %rank2[%i, %i], %rank0[], %i {note = "kept"} : memref<?x8xi32>, memref<i32>
  vyre.async_wait %0
  vyre.async_wait %1, %2 {note = "kept"}
  vyre.async_wait %3
}

// CHECK:      vyre.program @copies_of_any_rank [64, 1, 1] {
// CHECK-NEXT:   %rank0 = vyre.buffer "rank0" read_write binding 0 : memref<i32>
// CHECK-NEXT:   %rank2 = vyre.buffer "rank2" read_write binding 1 : memref<?x8xi32>
// CHECK-NEXT:   %i = vyre.invocation_id x
// CHECK-NEXT:   %0 = vyre.async_load %rank0[], %rank2[%i, %i], %i : memref<i32>, memref<?x8xi32>
// CHECK-NEXT:   %1 = vyre.async_store %rank2[%i, %i], %rank0[], %i : memref<?x8xi32>, memref<i32>
// CHECK-NEXT:   %2 = vyre.async_load %rank0[], %rank2[%i, %i], %i {note = "kept"} : memref<i32>, memref<?x8xi32>
// CHECK-NEXT:   %3 = vyre.async_store %rank2[%i, %i], %rank0[], %i {note = "kept"} : memref<?x8xi32>, memref<i32>
// CHECK-NEXT:   vyre.async_wait %0
// CHECK-NEXT:   vyre.async_wait %1, %2 {note = "kept"}
// CHECK-NEXT:   vyre.async_wait %3
// CHECK-NEXT: }

// CHECK-GENERIC: %2 = "vyre.async_load"(%rank0, %rank2, %i, %i, %i) <{operandSegmentSizes = array<i32: 1, 0, 1, 2, 1>}> {note = "kept"} : (memref<i32>, memref<?x8xi32>, index, index, index) -> !vyre.token
// CHECK-GENERIC: %3 = "vyre.async_store"(%rank2, %i, %i, %rank0, %i) <{operandSegmentSizes = array<i32: 1, 2, 1, 0, 1>}> {note = "kept"} : (memref<?x8xi32>, index, index, memref<i32>, index) -> !vyre.token
// CHECK-GENERIC: "vyre.async_wait"(%1, %2) {note = "kept"} : (!vyre.token, !vyre.token) -> ()
