// RUN: VYRE_ROUNDTRIP
// RUN: VYRE_GENERIC

// The table of a program: every clause of a buffer, and every type of an entry.

vyre.program @accesses [64, 1, 1] {
  %r = vyre.buffer "r" read_only binding 0 : memref<?xi32>
  %rw = vyre.buffer "rw" read_write binding 1 : memref<?xi32>
  %w = vyre.buffer "w" write_only binding 2 : memref<?xi32>
  %u = vyre.buffer "u" uniform binding 3 : memref<4xi32>
  %tile = vyre.buffer "tile" workgroup : memref<64xi32>
}

// CHECK:      vyre.program @accesses [64, 1, 1] {
// CHECK-NEXT:   %r = vyre.buffer "r" read_only binding 0 : memref<?xi32>
// CHECK-NEXT:   %rw = vyre.buffer "rw" read_write binding 1 : memref<?xi32>
// CHECK-NEXT:   %w = vyre.buffer "w" write_only binding 2 : memref<?xi32>
// CHECK-NEXT:   %u = vyre.buffer "u" uniform binding 3 : memref<4xi32>
// CHECK-NEXT:   %tile = vyre.buffer "tile" workgroup : memref<64xi32>
// CHECK-NEXT: }

vyre.program @outputs [64, 1, 1] {
  %a = vyre.buffer "a" write_only binding 0 output : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 live_out : memref<?xi32>
  %c = vyre.buffer "c" write_only binding 2 range [0, 8] : memref<2xi32>
  %d = vyre.buffer "d" write_only binding 3 output range [4, 4] : memref<?xi32>
  %e = vyre.buffer "e" read_write binding 4 output live_out range [8, 16] : memref<?xi32>
}

// CHECK:      vyre.program @outputs [64, 1, 1] {
// CHECK-NEXT:   %a = vyre.buffer "a" write_only binding 0 output : memref<?xi32>
// CHECK-NEXT:   %b = vyre.buffer "b" read_write binding 1 live_out : memref<?xi32>
// CHECK-NEXT:   %c = vyre.buffer "c" write_only binding 2 range [0, 8] : memref<2xi32>
// CHECK-NEXT:   %d = vyre.buffer "d" write_only binding 3 output range [4, 4] : memref<?xi32>
// CHECK-NEXT:   %e = vyre.buffer "e" read_write binding 4 output live_out range [8, 16] : memref<?xi32>
// CHECK-NEXT: }

vyre.program @kinds [64, 1, 1] {
  %global = vyre.buffer "global" read_write binding 0 kind global : memref<?xi32>
  %readonly = vyre.buffer "readonly" read_only binding 1 kind readonly : memref<?xi32>
  %uniform = vyre.buffer "uniform" uniform binding 2 kind uniform : memref<4xi32>
  %push = vyre.buffer "push" read_only binding 3 kind push : memref<4xi32>
  %persistent = vyre.buffer "persistent" read_write binding 4 kind persistent : memref<?xi32>
  %shared = vyre.buffer "shared" workgroup kind shared : memref<4xi32>
  // A buffer that is only read may still live in plain memory.
  %plain = vyre.buffer "plain" read_only binding 5 kind global : memref<?xi32>
}

// CHECK:      vyre.program @kinds [64, 1, 1] {
// CHECK-NEXT:   %global = vyre.buffer "global" read_write binding 0 kind global : memref<?xi32>
// CHECK-NEXT:   %readonly = vyre.buffer "readonly" read_only binding 1 kind readonly : memref<?xi32>
// CHECK-NEXT:   %uniform = vyre.buffer "uniform" uniform binding 2 kind uniform : memref<4xi32>
// CHECK-NEXT:   %push = vyre.buffer "push" read_only binding 3 kind push : memref<4xi32>
// CHECK-NEXT:   %persistent = vyre.buffer "persistent" read_write binding 4 kind persistent : memref<?xi32>
// CHECK-NEXT:   %shared = vyre.buffer "shared" workgroup kind shared : memref<4xi32>
// CHECK-NEXT:   %plain = vyre.buffer "plain" read_only binding 5 kind global : memref<?xi32>
// CHECK-NEXT: }

vyre.program @hints [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 align 1 : memref<?xi32>
  %b = vyre.buffer "b" read_only binding 1 coalesce 0 : memref<?xi32>
  %c = vyre.buffer "c" read_only binding 2 cache temporal : memref<?xi32>
  %d = vyre.buffer "d" read_only binding 3 cache streaming : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup align 16 coalesce 1 : memref<16x16xf32>
}

// CHECK:      vyre.program @hints [64, 1, 1] {
// CHECK-NEXT:   %a = vyre.buffer "a" read_only binding 0 align 1 : memref<?xi32>
// CHECK-NEXT:   %b = vyre.buffer "b" read_only binding 1 coalesce 0 : memref<?xi32>
// CHECK-NEXT:   %c = vyre.buffer "c" read_only binding 2 cache temporal : memref<?xi32>
// CHECK-NEXT:   %d = vyre.buffer "d" read_only binding 3 cache streaming : memref<?xi32>
// CHECK-NEXT:   %tile = vyre.buffer "tile" workgroup align 16 coalesce 1 : memref<16x16xf32>
// CHECK-NEXT: }

vyre.program @all_clauses [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 output live_out range [0, 64] kind global align 256 coalesce 1 cache streaming {note = "kept"} : memref<4x?xi32>
}

// CHECK:      vyre.program @all_clauses [64, 1, 1] {
// CHECK-NEXT:   %a = vyre.buffer "a" read_write binding 0 output live_out range [0, 64] kind global align 256 coalesce 1 cache streaming {note = "kept"} : memref<4x?xi32>
// CHECK-NEXT: }

// CHECK-GENERIC: %a = "vyre.buffer"() <{name = "a", access = #vyre<access read_write>, binding = 0 : i64, output, live_out, output_range = array<i64: 0, 64>, kind = #vyre<memory_kind global>, align = 256 : i64, coalesce = 1 : i64, cache = #vyre<locality streaming>}> {note = "kept"} : () -> memref<4x?xi32>

vyre.program @shapes [64, 1, 1] {
  %rank0 = vyre.buffer "rank0" read_only binding 0 : memref<i32>
  %rank1 = vyre.buffer "rank1" read_only binding 1 : memref<8xi32>
  %rank2 = vyre.buffer "rank2" read_only binding 2 : memref<?x8xi32>
  %rank3 = vyre.buffer "rank3" read_only binding 3 : memref<2x?x?xi32>
  %none = vyre.buffer "none" read_only binding 4 : memref<0xi32>
  %scalar = vyre.buffer "scalar" workgroup : memref<i32>
}

// CHECK:      vyre.program @shapes [64, 1, 1] {
// CHECK-NEXT:   %rank0 = vyre.buffer "rank0" read_only binding 0 : memref<i32>
// CHECK-NEXT:   %rank1 = vyre.buffer "rank1" read_only binding 1 : memref<8xi32>
// CHECK-NEXT:   %rank2 = vyre.buffer "rank2" read_only binding 2 : memref<?x8xi32>
// CHECK-NEXT:   %rank3 = vyre.buffer "rank3" read_only binding 3 : memref<2x?x?xi32>
// CHECK-NEXT:   %none = vyre.buffer "none" read_only binding 4 : memref<0xi32>
// CHECK-NEXT:   %scalar = vyre.buffer "scalar" workgroup : memref<i32>
// CHECK-NEXT: }

vyre.program @element_types [64, 1, 1] {
  %b1 = vyre.buffer "b1" read_only binding 0 : memref<?xi1>
  %b8 = vyre.buffer "b8" read_only binding 1 : memref<?xi8>
  %b16 = vyre.buffer "b16" read_only binding 2 : memref<?xi16>
  %b32 = vyre.buffer "b32" read_only binding 3 : memref<?xi32>
  %b64 = vyre.buffer "b64" read_only binding 4 : memref<?xi64>
  %bi = vyre.buffer "bi" read_only binding 5 : memref<?xindex>
  %h = vyre.buffer "h" read_only binding 6 : memref<?xf16>
  %s = vyre.buffer "s" read_only binding 7 : memref<?xf32>
  %d = vyre.buffer "d" read_only binding 8 : memref<?xf64>
}

// CHECK:      vyre.program @element_types [64, 1, 1] {
// CHECK-NEXT:   %b1 = vyre.buffer "b1" read_only binding 0 : memref<?xi1>
// CHECK-NEXT:   %b8 = vyre.buffer "b8" read_only binding 1 : memref<?xi8>
// CHECK-NEXT:   %b16 = vyre.buffer "b16" read_only binding 2 : memref<?xi16>
// CHECK-NEXT:   %b32 = vyre.buffer "b32" read_only binding 3 : memref<?xi32>
// CHECK-NEXT:   %b64 = vyre.buffer "b64" read_only binding 4 : memref<?xi64>
// CHECK-NEXT:   %bi = vyre.buffer "bi" read_only binding 5 : memref<?xindex>
// CHECK-NEXT:   %h = vyre.buffer "h" read_only binding 6 : memref<?xf16>
// CHECK-NEXT:   %s = vyre.buffer "s" read_only binding 7 : memref<?xf32>
// CHECK-NEXT:   %d = vyre.buffer "d" read_only binding 8 : memref<?xf64>
// CHECK-NEXT: }

// The identity layout says nothing that the type does not.
vyre.program @identity_layout [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<4x4xi32, affine_map<(d0, d1) -> (d0, d1)>>
}

// CHECK:      vyre.program @identity_layout [64, 1, 1] {
// CHECK-NEXT:   %a = vyre.buffer "a" read_only binding 0 : memref<4x4xi32, affine_map<(d0, d1) -> (d0, d1)>>
// CHECK-NEXT: }

// An empty output range at the end, and one that ends with the buffer. An i1 takes a byte.
vyre.program @range_limits [64, 1, 1] {
  %a = vyre.buffer "a" write_only binding 0 range [32, 32] : memref<8xi32>
  %b = vyre.buffer "b" write_only binding 1 range [1, 8] : memref<8xi1>
  %c = vyre.buffer "c" write_only binding 2 range [8, 64] : memref<8xindex>
  %d = vyre.buffer "d" write_only binding 3 range [2, 16] : memref<8xf16>
}

// CHECK:      vyre.program @range_limits [64, 1, 1] {
// CHECK-NEXT:   %a = vyre.buffer "a" write_only binding 0 range [32, 32] : memref<8xi32>
// CHECK-NEXT:   %b = vyre.buffer "b" write_only binding 1 range [1, 8] : memref<8xi1>
// CHECK-NEXT:   %c = vyre.buffer "c" write_only binding 2 range [8, 64] : memref<8xindex>
// CHECK-NEXT:   %d = vyre.buffer "d" write_only binding 3 range [2, 16] : memref<8xf16>
// CHECK-NEXT: }

// Bindings need neither order nor density.
vyre.program @bindings [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 7 : memref<?xi32>
  %b = vyre.buffer "b" read_only binding 0 : memref<?xi32>
}

// CHECK:      vyre.program @bindings [64, 1, 1] {
// CHECK-NEXT:   %a = vyre.buffer "a" read_only binding 7 : memref<?xi32>
// CHECK-NEXT:   %b = vyre.buffer "b" read_only binding 0 : memref<?xi32>
// CHECK-NEXT: }

vyre.program @params [64, 1, 1] {
  %p1 = vyre.param "p1" : i1
  %p8 = vyre.param "p8" : i8
  %p16 = vyre.param "p16" : i16
  %p32 = vyre.param "p32" : i32
  %p64 = vyre.param "p64" : i64
  %pi = vyre.param "pi" : index
  %h = vyre.param "h" : f16
  %s = vyre.param "s" : f32
  %d = vyre.param "d" : f64
  %a = vyre.param "a name of any form" {note = "kept"} : f64
}

// CHECK:      vyre.program @params [64, 1, 1] {
// CHECK-NEXT:   %p1 = vyre.param "p1" : i1
// CHECK-NEXT:   %p8 = vyre.param "p8" : i8
// CHECK-NEXT:   %p16 = vyre.param "p16" : i16
// CHECK-NEXT:   %p32 = vyre.param "p32" : i32
// CHECK-NEXT:   %p64 = vyre.param "p64" : i64
// CHECK-NEXT:   %pi = vyre.param "pi" : index
// CHECK-NEXT:   %h = vyre.param "h" : f16
// CHECK-NEXT:   %s = vyre.param "s" : f32
// CHECK-NEXT:   %d = vyre.param "d" : f64
// CHECK-NEXT:   %a = vyre.param "a name of any form" {note = "kept"} : f64
// CHECK-NEXT: }

// CHECK-GENERIC: %a = "vyre.param"() <{name = "a name of any form"}> {note = "kept"} : () -> f64
