// RUN: VYRE_ROUNDTRIP
// RUN: VYRE_GENERIC

// Exchange between the 32 invocations of a subgroup.

vyre.program @ids [64, 1, 1] {
  %lane = vyre.subgroup_local_id
  %width = vyre.subgroup_size
  %noted_lane = vyre.subgroup_local_id {note = "kept"}
  %noted_width = vyre.subgroup_size {note = "kept"}
}

// CHECK:      vyre.program @ids [64, 1, 1] {
// CHECK-NEXT:   %lane = vyre.subgroup_local_id
// CHECK-NEXT:   %width = vyre.subgroup_size
// CHECK-NEXT:   %noted_lane = vyre.subgroup_local_id {note = "kept"}
// CHECK-NEXT:   %noted_width = vyre.subgroup_size {note = "kept"}
// CHECK-NEXT: }

// CHECK-GENERIC: %noted_lane = "vyre.subgroup_local_id"() {note = "kept"} : () -> index
// CHECK-GENERIC: %noted_width = "vyre.subgroup_size"() {note = "kept"} : () -> index

vyre.program @ballot [64, 1, 1] {
  %flag = vyre.param "flag" : i1
  %mask = vyre.subgroup_ballot %flag
  %noted = vyre.subgroup_ballot %flag {note = "kept"}
}

// CHECK:      vyre.program @ballot [64, 1, 1] {
// CHECK-NEXT:   %flag = vyre.param "flag" : i1
// CHECK-NEXT:   %mask = vyre.subgroup_ballot %flag
// CHECK-NEXT:   %noted = vyre.subgroup_ballot %flag {note = "kept"}
// CHECK-NEXT: }

// CHECK-GENERIC: %noted = "vyre.subgroup_ballot"(%flag) {note = "kept"} : (i1) -> i32

vyre.program @shuffle [64, 1, 1] {
  %lane = vyre.subgroup_local_id
  %p1 = vyre.param "p1" : i1
  %p8 = vyre.param "p8" : i8
  %p16 = vyre.param "p16" : i16
  %p32 = vyre.param "p32" : i32
  %p64 = vyre.param "p64" : i64
  %ph = vyre.param "ph" : f16
  %ps = vyre.param "ps" : f32
  %pd = vyre.param "pd" : f64
  %s1 = vyre.subgroup_shuffle %p1, %lane : i1
  %s8 = vyre.subgroup_shuffle %p8, %lane : i8
  %s16 = vyre.subgroup_shuffle %p16, %lane : i16
  %s32 = vyre.subgroup_shuffle %p32, %lane : i32
  %s64 = vyre.subgroup_shuffle %p64, %lane : i64
  %si = vyre.subgroup_shuffle %lane, %lane : index
  %sh = vyre.subgroup_shuffle %ph, %lane : f16
  %ss = vyre.subgroup_shuffle %ps, %lane : f32
  %sd = vyre.subgroup_shuffle %pd, %lane {note = "kept"} : f64
}

// CHECK:      vyre.program @shuffle [64, 1, 1] {
// CHECK-NEXT:   %lane = vyre.subgroup_local_id
// CHECK-NEXT:   %p1 = vyre.param "p1" : i1
// CHECK-NEXT:   %p8 = vyre.param "p8" : i8
// CHECK-NEXT:   %p16 = vyre.param "p16" : i16
// CHECK-NEXT:   %p32 = vyre.param "p32" : i32
// CHECK-NEXT:   %p64 = vyre.param "p64" : i64
// CHECK-NEXT:   %ph = vyre.param "ph" : f16
// CHECK-NEXT:   %ps = vyre.param "ps" : f32
// CHECK-NEXT:   %pd = vyre.param "pd" : f64
// CHECK-NEXT:   %s1 = vyre.subgroup_shuffle %p1, %lane : i1
// CHECK-NEXT:   %s8 = vyre.subgroup_shuffle %p8, %lane : i8
// CHECK-NEXT:   %s16 = vyre.subgroup_shuffle %p16, %lane : i16
// CHECK-NEXT:   %s32 = vyre.subgroup_shuffle %p32, %lane : i32
// CHECK-NEXT:   %s64 = vyre.subgroup_shuffle %p64, %lane : i64
// CHECK-NEXT:   %si = vyre.subgroup_shuffle %lane, %lane : index
// CHECK-NEXT:   %sh = vyre.subgroup_shuffle %ph, %lane : f16
// CHECK-NEXT:   %ss = vyre.subgroup_shuffle %ps, %lane : f32
// CHECK-NEXT:   %sd = vyre.subgroup_shuffle %pd, %lane {note = "kept"} : f64
// CHECK-NEXT: }

// CHECK-GENERIC: %sd = "vyre.subgroup_shuffle"(%pd, %lane) {note = "kept"} : (f64, index) -> f64

vyre.program @reduce [64, 1, 1] {
  %v = vyre.param "v" : i32
  %f = vyre.param "f" : f32
  %h = vyre.param "h" : f16
  %d = vyre.param "d" : f64
  %0 = vyre.subgroup_reduce add %v : i32
  %1 = vyre.subgroup_reduce mul %v : i32
  %2 = vyre.subgroup_reduce and %v : i32
  %3 = vyre.subgroup_reduce or %v : i32
  %4 = vyre.subgroup_reduce xor %v : i32
  %5 = vyre.subgroup_reduce min %v : i32
  %6 = vyre.subgroup_reduce max %v : i32
  %7 = vyre.subgroup_reduce umin %v : i32
  %8 = vyre.subgroup_reduce umax %v : i32
  %9 = vyre.subgroup_reduce add %f : f32
  %10 = vyre.subgroup_reduce mul %h : f16
  %11 = vyre.subgroup_reduce min %d : f64
  %12 = vyre.subgroup_reduce max %f {note = "kept"} : f32
}

// CHECK:      vyre.program @reduce [64, 1, 1] {
// CHECK-NEXT:   %v = vyre.param "v" : i32
// CHECK-NEXT:   %f = vyre.param "f" : f32
// CHECK-NEXT:   %h = vyre.param "h" : f16
// CHECK-NEXT:   %d = vyre.param "d" : f64
// CHECK-NEXT:   %0 = vyre.subgroup_reduce add %v : i32
// CHECK-NEXT:   %1 = vyre.subgroup_reduce mul %v : i32
// CHECK-NEXT:   %2 = vyre.subgroup_reduce and %v : i32
// CHECK-NEXT:   %3 = vyre.subgroup_reduce or %v : i32
// CHECK-NEXT:   %4 = vyre.subgroup_reduce xor %v : i32
// CHECK-NEXT:   %5 = vyre.subgroup_reduce min %v : i32
// CHECK-NEXT:   %6 = vyre.subgroup_reduce max %v : i32
// CHECK-NEXT:   %7 = vyre.subgroup_reduce umin %v : i32
// CHECK-NEXT:   %8 = vyre.subgroup_reduce umax %v : i32
// CHECK-NEXT:   %9 = vyre.subgroup_reduce add %f : f32
// CHECK-NEXT:   %10 = vyre.subgroup_reduce mul %h : f16
// CHECK-NEXT:   %11 = vyre.subgroup_reduce min %d : f64
// CHECK-NEXT:   %12 = vyre.subgroup_reduce max %f {note = "kept"} : f32
// CHECK-NEXT: }

// CHECK-GENERIC: %12 = "vyre.subgroup_reduce"(%f) <{kind = #vyre<reduce_kind max>}> {note = "kept"} : (f32) -> f32
