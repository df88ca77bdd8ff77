// RUN: VYRE_ROUNDTRIP
// RUN: VYRE_GENERIC

// Megakernels and their waves.

vyre.megakernel @empty {
}

// CHECK:      vyre.megakernel @empty {
// CHECK-NEXT: }

vyre.program @step [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %n = vyre.param "n" : index
  %go = vyre.param "go" : i1
  %a = vyre.param "a" : f32
}

vyre.megakernel @waves attributes {note = "kept"} {
  vyre.wave "first" @step
  vyre.wave "grid" @step grid [4, 2, 1]
  vyre.wave "alone" @step after []
  vyre.wave "after" @step after ["first", "late"]
  vyre.wave "late" @step bytes [1, 2, 3] {note = "kept"}
  vyre.wave "names" @step with {a = 2.5 : f32, go = true, n = "n", x = "y"}
  vyre.wave "values" @step grid [1, 1, 1] after ["names"] bytes [0, 0, 0] with {n = 7 : index} {note = 1 : i32}
}

// CHECK:      vyre.megakernel @waves attributes {note = "kept"} {
// CHECK-NEXT:   vyre.wave "first" @step
// CHECK-NEXT:   vyre.wave "grid" @step grid [4, 2, 1]
// CHECK-NEXT:   vyre.wave "alone" @step after []
// CHECK-NEXT:   vyre.wave "after" @step after ["first", "late"]
// CHECK-NEXT:   vyre.wave "late" @step bytes [1, 2, 3] {note = "kept"}
// CHECK-NEXT:   vyre.wave "names" @step with {a = 2.5{{.*}} : f32, go = true, n = "n", x = "y"}
// CHECK-NEXT:   vyre.wave "values" @step grid [1, 1, 1] after ["names"] bytes [0, 0, 0] with {n = 7 : index} {note = 1 : i32}
// CHECK-NEXT: }

// CHECK-GENERIC: "vyre.wave"() <{name = "grid", program = @step, grid = array<i64: 4, 2, 1>}> : () -> ()

vyre.megakernel @planned plan {global_barriers = 1 : i64} in_order {global_barriers = 2 : i64} {
  vyre.wave "a" @step group 0
  vyre.wave "b" @step with {x = "y"} group 1 {note = "kept"}
}

// CHECK:      vyre.megakernel @planned plan {global_barriers = 1 : i64} in_order {global_barriers = 2 : i64} {
// CHECK-NEXT:   vyre.wave "a" @step group 0
// CHECK-NEXT:   vyre.wave "b" @step with {x = "y"} group 1 {note = "kept"}
// CHECK-NEXT: }

// CHECK-GENERIC: "vyre.megakernel"() <{sym_name = "planned", plan = {global_barriers = 1 : i64}, in_order = {global_barriers = 2 : i64}}> ({
