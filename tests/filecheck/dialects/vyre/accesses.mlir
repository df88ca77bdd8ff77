// RUN: VYRE_ROUNDTRIP
// RUN: VYRE_GENERIC

// Loads, stores, atomics and lengths.

vyre.program @loads [64, 1, 1] {
  %rank0 = vyre.buffer "rank0" read_only binding 0 : memref<f32>
  %rank1 = vyre.buffer "rank1" uniform binding 1 : memref<?xi8>
  %rank2 = vyre.buffer "rank2" workgroup : memref<8x8xindex>
  %i = vyre.invocation_id x
  %v0 = vyre.load %rank0[] : memref<f32>
  %v1 = vyre.load %rank1[%i] : memref<?xi8>
  %v2 = vyre.load %rank2[%i, %i] : memref<8x8xindex>
  %v3 = vyre.load %rank1[%i] inbounds : memref<?xi8>
  %v4 = vyre.load %rank1[%i] inbounds {note = "kept"} : memref<?xi8>
}

// CHECK:      vyre.program @loads [64, 1, 1] {
// CHECK-NEXT:   %rank0 = vyre.buffer "rank0" read_only binding 0 : memref<f32>
// CHECK-NEXT:   %rank1 = vyre.buffer "rank1" uniform binding 1 : memref<?xi8>
// CHECK-NEXT:   %rank2 = vyre.buffer "rank2" workgroup : memref<8x8xindex>
// CHECK-NEXT:   %i = vyre.invocation_id x
// CHECK-NEXT:   %v0 = vyre.load %rank0[] : memref<f32>
// CHECK-NEXT:   %v1 = vyre.load %rank1[%i] : memref<?xi8>
// CHECK-NEXT:   %v2 = vyre.load %rank2[%i, %i] : memref<8x8xindex>
// CHECK-NEXT:   %v3 = vyre.load %rank1[%i] inbounds : memref<?xi8>
// CHECK-NEXT:   %v4 = vyre.load %rank1[%i] inbounds {note = "kept"} : memref<?xi8>
// CHECK-NEXT: }

// CHECK-GENERIC: %v4 = "vyre.load"(%rank1, %i) <{inbounds}> {note = "kept"} : (memref<?xi8>, index) -> i8

vyre.program @stores [64, 1, 1] {
  %rank0 = vyre.buffer "rank0" read_write binding 0 : memref<f16>
  %rank1 = vyre.buffer "rank1" write_only binding 1 : memref<?xi1>
  %rank2 = vyre.buffer "rank2" workgroup : memref<8x8xindex>
  %half = vyre.param "half" : f16
  %flag = vyre.param "flag" : i1
  %i = vyre.invocation_id x
  vyre.store %half, %rank0[] : memref<f16>
  vyre.store %flag, %rank1[%i] : memref<?xi1>
  vyre.store %i, %rank2[%i, %i] : memref<8x8xindex>
  vyre.store %flag, %rank1[%i] inbounds : memref<?xi1>
  vyre.store %flag, %rank1[%i] inbounds {note = "kept"} : memref<?xi1>
}

// CHECK:      vyre.program @stores [64, 1, 1] {
// CHECK-NEXT:   %rank0 = vyre.buffer "rank0" read_write binding 0 : memref<f16>
// CHECK-NEXT:   %rank1 = vyre.buffer "rank1" write_only binding 1 : memref<?xi1>
// CHECK-NEXT:   %rank2 = vyre.buffer "rank2" workgroup : memref<8x8xindex>
// CHECK-NEXT:   %half = vyre.param "half" : f16
// CHECK-NEXT:   %flag = vyre.param "flag" : i1
// CHECK-NEXT:   %i = vyre.invocation_id x
// CHECK-NEXT:   vyre.store %half, %rank0[] : memref<f16>
// CHECK-NEXT:   vyre.store %flag, %rank1[%i] : memref<?xi1>
// CHECK-NEXT:   vyre.store %i, %rank2[%i, %i] : memref<8x8xindex>
// CHECK-NEXT:   vyre.store %flag, %rank1[%i] inbounds : memref<?xi1>
// CHECK-NEXT:   vyre.store %flag, %rank1[%i] inbounds {note = "kept"} : memref<?xi1>
// CHECK-NEXT: }

// CHECK-GENERIC: "vyre.store"(%flag, %rank1, %i) <{inbounds}> {note = "kept"} : (i1, memref<?xi1>, index) -> ()

vyre.program @atomic_kinds [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %v = vyre.param "v" : i32
  %i = vyre.invocation_id x
  %0 = vyre.atomic add %v, %a[%i] : memref<?xi32>
  %1 = vyre.atomic and %v, %a[%i] : memref<?xi32>
  %2 = vyre.atomic or %v, %a[%i] : memref<?xi32>
  %3 = vyre.atomic xor %v, %a[%i] : memref<?xi32>
  %4 = vyre.atomic min %v, %a[%i] : memref<?xi32>
  %5 = vyre.atomic max %v, %a[%i] : memref<?xi32>
  %6 = vyre.atomic umin %v, %a[%i] : memref<?xi32>
  %7 = vyre.atomic umax %v, %a[%i] : memref<?xi32>
  %8 = vyre.atomic exchange %v, %a[%i] : memref<?xi32>
}

// CHECK:      vyre.program @atomic_kinds [64, 1, 1] {
// CHECK-NEXT:   %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
// CHECK-NEXT:   %v = vyre.param "v" : i32
// CHECK-NEXT:   %i = vyre.invocation_id x
// CHECK-NEXT:   %0 = vyre.atomic add %v, %a[%i] : memref<?xi32>
// CHECK-NEXT:   %1 = vyre.atomic and %v, %a[%i] : memref<?xi32>
// CHECK-NEXT:   %2 = vyre.atomic or %v, %a[%i] : memref<?xi32>
// CHECK-NEXT:   %3 = vyre.atomic xor %v, %a[%i] : memref<?xi32>
// CHECK-NEXT:   %4 = vyre.atomic min %v, %a[%i] : memref<?xi32>
// CHECK-NEXT:   %5 = vyre.atomic max %v, %a[%i] : memref<?xi32>
// CHECK-NEXT:   %6 = vyre.atomic umin %v, %a[%i] : memref<?xi32>
// CHECK-NEXT:   %7 = vyre.atomic umax %v, %a[%i] : memref<?xi32>
// CHECK-NEXT:   %8 = vyre.atomic exchange %v, %a[%i] : memref<?xi32>
// CHECK-NEXT: }

vyre.program @atomic_orderings [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %v = vyre.param "v" : i32
  %i = vyre.invocation_id x
  %0 = vyre.atomic add %v, %a[%i] ordering relaxed : memref<?xi32>
  %1 = vyre.atomic add %v, %a[%i] ordering acquire : memref<?xi32>
  %2 = vyre.atomic add %v, %a[%i] ordering release : memref<?xi32>
  %3 = vyre.atomic add %v, %a[%i] ordering acq_rel : memref<?xi32>
  // The ordering that need not be written.
  %4 = vyre.atomic add %v, %a[%i] ordering seq_cst : memref<?xi32>
  %5 = vyre.atomic add %v, %a[%i] inbounds : memref<?xi32>
  %6 = vyre.atomic add %v, %a[%i] ordering relaxed inbounds {note = "kept"} : memref<?xi32>
}

// CHECK:      vyre.program @atomic_orderings [64, 1, 1] {
// CHECK-NEXT:   %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
// CHECK-NEXT:   %v = vyre.param "v" : i32
// CHECK-NEXT:   %i = vyre.invocation_id x
// CHECK-NEXT:   %0 = vyre.atomic add %v, %a[%i] ordering relaxed : memref<?xi32>
// CHECK-NEXT:   %1 = vyre.atomic add %v, %a[%i] ordering acquire : memref<?xi32>
// CHECK-NEXT:   %2 = vyre.atomic add %v, %a[%i] ordering release : memref<?xi32>
// CHECK-NEXT:   %3 = vyre.atomic add %v, %a[%i] ordering acq_rel : memref<?xi32>
// CHECK-NEXT:   %4 = vyre.atomic add %v, %a[%i] : memref<?xi32>
// CHECK-NEXT:   %5 = vyre.atomic add %v, %a[%i] inbounds : memref<?xi32>
// CHECK-NEXT:   %6 = vyre.atomic add %v, %a[%i] ordering relaxed inbounds {note = "kept"} : memref<?xi32>
// CHECK-NEXT: }

// CHECK-GENERIC: %6 = "vyre.atomic"(%v, %a, %i) <{kind = #vyre<atomic_kind add>, ordering = #vyre<ordering relaxed>, inbounds}> {note = "kept"} : (i32, memref<?xi32>, index) -> i32

vyre.program @atomic_types [64, 1, 1] {
  %a = vyre.buffer "a" workgroup : memref<i64>
  %b = vyre.buffer "b" workgroup : memref<8x8xindex>
  %c = vyre.buffer "c" read_write binding 0 : memref<?xf32>
  %d = vyre.buffer "d" read_write binding 1 : memref<?xf64>
  %long = vyre.param "long" : i64
  %single = vyre.param "single" : f32
  %double = vyre.param "double" : f64
  %i = vyre.invocation_id x
  %0 = vyre.atomic umax %long, %a[] : memref<i64>
  %1 = vyre.atomic exchange %i, %b[%i, %i] : memref<8x8xindex>
  %2 = vyre.atomic add %single, %c[%i] : memref<?xf32>
  %3 = vyre.atomic add %double, %d[%i] : memref<?xf64>
}

// CHECK:      vyre.program @atomic_types [64, 1, 1] {
// CHECK-NEXT:   %a = vyre.buffer "a" workgroup : memref<i64>
// CHECK-NEXT:   %b = vyre.buffer "b" workgroup : memref<8x8xindex>
// CHECK-NEXT:   %c = vyre.buffer "c" read_write binding 0 : memref<?xf32>
// CHECK-NEXT:   %d = vyre.buffer "d" read_write binding 1 : memref<?xf64>
// CHECK-NEXT:   %long = vyre.param "long" : i64
// CHECK-NEXT:   %single = vyre.param "single" : f32
// CHECK-NEXT:   %double = vyre.param "double" : f64
// CHECK-NEXT:   %i = vyre.invocation_id x
// CHECK-NEXT:   %0 = vyre.atomic umax %long, %a[] : memref<i64>
// CHECK-NEXT:   %1 = vyre.atomic exchange %i, %b[%i, %i] : memref<8x8xindex>
// CHECK-NEXT:   %2 = vyre.atomic add %single, %c[%i] : memref<?xf32>
// CHECK-NEXT:   %3 = vyre.atomic add %double, %d[%i] : memref<?xf64>
// CHECK-NEXT: }

vyre.program @compare_and_swap [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" workgroup : memref<i64>
  %c = vyre.buffer "c" workgroup : memref<8x8xindex>
  %free = vyre.param "free" : i32
  %mine = vyre.param "mine" : i32
  %long = vyre.param "long" : i64
  %i = vyre.invocation_id x
  %0 = vyre.atomic_cas %free, %mine, %a[%i] : memref<?xi32>
  %1 = vyre.atomic_cas %long, %long, %b[] : memref<i64>
  %2 = vyre.atomic_cas %i, %i, %c[%i, %i] : memref<8x8xindex>
  %3 = vyre.atomic_cas %free, %mine, %a[%i] ordering acquire : memref<?xi32>
  %4 = vyre.atomic_cas %free, %mine, %a[%i] ordering seq_cst : memref<?xi32>
  %5 = vyre.atomic_cas %free, %mine, %a[%i] inbounds : memref<?xi32>
  %6 = vyre.atomic_cas %free, %mine, %a[%i] ordering release inbounds {note = "kept"} : memref<?xi32>
}

// CHECK:      vyre.program @compare_and_swap [64, 1, 1] {
// CHECK-NEXT:   %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
// CHECK-NEXT:   %b = vyre.buffer "b" workgroup : memref<i64>
// CHECK-NEXT:   %c = vyre.buffer "c" workgroup : memref<8x8xindex>
// CHECK-NEXT:   %free = vyre.param "free" : i32
// CHECK-NEXT:   %mine = vyre.param "mine" : i32
// CHECK-NEXT:   %long = vyre.param "long" : i64
// CHECK-NEXT:   %i = vyre.invocation_id x
// CHECK-NEXT:   %0 = vyre.atomic_cas %free, %mine, %a[%i] : memref<?xi32>
// CHECK-NEXT:   %1 = vyre.atomic_cas %long, %long, %b[] : memref<i64>
// CHECK-NEXT:   %2 = vyre.atomic_cas %i, %i, %c[%i, %i] : memref<8x8xindex>
// CHECK-NEXT:   %3 = vyre.atomic_cas %free, %mine, %a[%i] ordering acquire : memref<?xi32>
// CHECK-NEXT:   %4 = vyre.atomic_cas %free, %mine, %a[%i] : memref<?xi32>
// CHECK-NEXT:   %5 = vyre.atomic_cas %free, %mine, %a[%i] inbounds : memref<?xi32>
// CHECK-NEXT:   %6 = vyre.atomic_cas %free, %mine, %a[%i] ordering release inbounds {note = "kept"} : memref<?xi32>
// CHECK-NEXT: }

// CHECK-GENERIC: %6 = "vyre.atomic_cas"(%free, %mine, %a, %i) <{ordering = #vyre<ordering release>, inbounds}> {note = "kept"} : (i32, i32, memref<?xi32>, index) -> i32

vyre.program @lengths [64, 1, 1] {
  %a = vyre.buffer "a" write_only binding 0 : memref<?xi32>
  %b = vyre.buffer "b" workgroup : memref<8x4xi32>
  %0 = vyre.length %a, 0 : memref<?xi32>
  %1 = vyre.length %b, 1 {note = "kept"} : memref<8x4xi32>
}

// CHECK:      vyre.program @lengths [64, 1, 1] {
// CHECK-NEXT:   %a = vyre.buffer "a" write_only binding 0 : memref<?xi32>
// CHECK-NEXT:   %b = vyre.buffer "b" workgroup : memref<8x4xi32>
// CHECK-NEXT:   %0 = vyre.length %a, 0 : memref<?xi32>
// CHECK-NEXT:   %1 = vyre.length %b, 1 {note = "kept"} : memref<8x4xi32>
// CHECK-NEXT: }

// CHECK-GENERIC: %1 = "vyre.length"(%b) <{dim = 1 : i64}> {note = "kept"} : (memref<8x4xi32>) -> index
