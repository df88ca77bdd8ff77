// RUN: VYRE_ROUNDTRIP
// RUN: VYRE_GENERIC

// Variables of an invocation.

vyre.program @variables [64, 1, 1] {
  %zero = arith.constant 0.000000e+00 : f32
  %sum = vyre.let "sum" = %zero : f32
  %before = vyre.get %sum : !vyre.cell<f32>
  vyre.assign %before, %sum : !vyre.cell<f32>
}

// CHECK:      vyre.program @variables [64, 1, 1] {
// CHECK-NEXT:   %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:   %sum = vyre.let "sum" = %zero : f32
// CHECK-NEXT:   %before = vyre.get %sum : !vyre.cell<f32>
// CHECK-NEXT:   vyre.assign %before, %sum : !vyre.cell<f32>
// CHECK-NEXT: }

vyre.program @attributes [64, 1, 1] {
  %i = vyre.invocation_id x
  %v = vyre.let "v" = %i {note = "kept"} : index
  %now = vyre.get %v {note = "kept"} : !vyre.cell<index>
  vyre.assign %now, %v {note = "kept"} : !vyre.cell<index>
}

// CHECK:      vyre.program @attributes [64, 1, 1] {
// CHECK-NEXT:   %i = vyre.invocation_id x
// CHECK-NEXT:   %v = vyre.let "v" = %i {note = "kept"} : index
// CHECK-NEXT:   %now = vyre.get %v {note = "kept"} : !vyre.cell<index>
// CHECK-NEXT:   vyre.assign %now, %v {note = "kept"} : !vyre.cell<index>
// CHECK-NEXT: }

// CHECK-GENERIC: %v = "vyre.let"(%i) <{name = "v"}> {note = "kept"} : (index) -> !vyre.cell<index>
// CHECK-GENERIC: %now = "vyre.get"(%v) {note = "kept"} : (!vyre.cell<index>) -> index
// CHECK-GENERIC: "vyre.assign"(%now, %v) {note = "kept"} : (index, !vyre.cell<index>) -> ()

// The name is for people: it may be taken, empty, or anything else.
vyre.program @names [64, 1, 1] {
  %i = vyre.invocation_id x
  %a = vyre.let "v" = %i : index
  %b = vyre.let "v" = %i : index
  %c = vyre.let "" = %i : index
  %d = vyre.let "two words" = %i : index
}

// CHECK:      vyre.program @names [64, 1, 1] {
// CHECK-NEXT:   %i = vyre.invocation_id x
// CHECK-NEXT:   %a = vyre.let "v" = %i : index
// CHECK-NEXT:   %b = vyre.let "v" = %i : index
// CHECK-NEXT:   %c = vyre.let "" = %i : index
// CHECK-NEXT:   %d = vyre.let "two words" = %i : index
// CHECK-NEXT: }

vyre.program @types [64, 1, 1] {
  %p1 = vyre.param "p1" : i1
  %p8 = vyre.param "p8" : i8
  %p16 = vyre.param "p16" : i16
  %p32 = vyre.param "p32" : i32
  %p64 = vyre.param "p64" : i64
  %ph = vyre.param "ph" : f16
  %pd = vyre.param "pd" : f64
  %v1 = vyre.let "v1" = %p1 : i1
  %v8 = vyre.let "v8" = %p8 : i8
  %v16 = vyre.let "v16" = %p16 : i16
  %v32 = vyre.let "v32" = %p32 : i32
  %v64 = vyre.let "v64" = %p64 : i64
  %vh = vyre.let "vh" = %ph : f16
  %vd = vyre.let "vd" = %pd : f64
}

// CHECK:      vyre.program @types [64, 1, 1] {
// CHECK-NEXT:   %p1 = vyre.param "p1" : i1
// CHECK-NEXT:   %p8 = vyre.param "p8" : i8
// CHECK-NEXT:   %p16 = vyre.param "p16" : i16
// CHECK-NEXT:   %p32 = vyre.param "p32" : i32
// CHECK-NEXT:   %p64 = vyre.param "p64" : i64
// CHECK-NEXT:   %ph = vyre.param "ph" : f16
// CHECK-NEXT:   %pd = vyre.param "pd" : f64
// CHECK-NEXT:   %v1 = vyre.let "v1" = %p1 : i1
// CHECK-NEXT:   %v8 = vyre.let "v8" = %p8 : i8
// CHECK-NEXT:   %v16 = vyre.let "v16" = %p16 : i16
// CHECK-NEXT:   %v32 = vyre.let "v32" = %p32 : i32
// CHECK-NEXT:   %v64 = vyre.let "v64" = %p64 : i64
// CHECK-NEXT:   %vh = vyre.let "vh" = %ph : f16
// CHECK-NEXT:   %vd = vyre.let "vd" = %pd : f64
// CHECK-NEXT: }

// Nested regions read and write the variables around them.
vyre.program @nested [64, 1, 1] {
  %flag = vyre.param "flag" : i1
  %n = vyre.param "n" : index
  %v = vyre.let "v" = %n : index
  scf.if %flag {
    vyre.region "update" {
      %old = vyre.get %v : !vyre.cell<index>
      %new = arith.addi %old, %n : index
      vyre.assign %new, %v : !vyre.cell<index>
    }
  }
}

// CHECK:      vyre.program @nested [64, 1, 1] {
// CHECK-NEXT:   %flag = vyre.param "flag" : i1
// CHECK-NEXT:   %n = vyre.param "n" : index
// CHECK-NEXT:   %v = vyre.let "v" = %n : index
// CHECK-NEXT:   scf.if %flag {
// CHECK-NEXT:     vyre.region "update" {
// CHECK-NEXT:       %old = vyre.get %v : !vyre.cell<index>
// CHECK-NEXT:       %new = arith.addi %old, %n : index
// CHECK-NEXT:       vyre.assign %new, %v : !vyre.cell<index>
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
