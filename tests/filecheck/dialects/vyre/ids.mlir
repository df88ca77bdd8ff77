// RUN: VYRE_ROUNDTRIP
// RUN: VYRE_GENERIC

// Where an invocation stands in the grid.

vyre.program @coordinates [8, 8, 1] {
  %ix = vyre.invocation_id x
  %iy = vyre.invocation_id y
  %iz = vyre.invocation_id z
  %gx = vyre.workgroup_id x
  %gy = vyre.workgroup_id y
  %gz = vyre.workgroup_id z
  %lx = vyre.local_id x
  %ly = vyre.local_id y
  %lz = vyre.local_id z
}

// CHECK:      vyre.program @coordinates [8, 8, 1] {
// CHECK-NEXT:   %ix = vyre.invocation_id x
// CHECK-NEXT:   %iy = vyre.invocation_id y
// CHECK-NEXT:   %iz = vyre.invocation_id z
// CHECK-NEXT:   %gx = vyre.workgroup_id x
// CHECK-NEXT:   %gy = vyre.workgroup_id y
// CHECK-NEXT:   %gz = vyre.workgroup_id z
// CHECK-NEXT:   %lx = vyre.local_id x
// CHECK-NEXT:   %ly = vyre.local_id y
// CHECK-NEXT:   %lz = vyre.local_id z
// CHECK-NEXT: }

vyre.program @extents [8, 8, 1] {
  %cx = vyre.workgroup_count x
  %cy = vyre.workgroup_count y
  %cz = vyre.workgroup_count z
  %sx = vyre.workgroup_size x
  %sy = vyre.workgroup_size y
  %sz = vyre.workgroup_size z
}

// CHECK:      vyre.program @extents [8, 8, 1] {
// CHECK-NEXT:   %cx = vyre.workgroup_count x
// CHECK-NEXT:   %cy = vyre.workgroup_count y
// CHECK-NEXT:   %cz = vyre.workgroup_count z
// CHECK-NEXT:   %sx = vyre.workgroup_size x
// CHECK-NEXT:   %sy = vyre.workgroup_size y
// CHECK-NEXT:   %sz = vyre.workgroup_size z
// CHECK-NEXT: }

vyre.program @attributes [8, 8, 1] {
  %i = vyre.invocation_id x {note = "kept"}
  %g = vyre.workgroup_id x {note = "kept"}
  %l = vyre.local_id x {note = "kept"}
  %c = vyre.workgroup_count x {note = "kept"}
  %s = vyre.workgroup_size x {note = "kept"}
}

// CHECK:      vyre.program @attributes [8, 8, 1] {
// CHECK-NEXT:   %i = vyre.invocation_id x {note = "kept"}
// CHECK-NEXT:   %g = vyre.workgroup_id x {note = "kept"}
// CHECK-NEXT:   %l = vyre.local_id x {note = "kept"}
// CHECK-NEXT:   %c = vyre.workgroup_count x {note = "kept"}
// CHECK-NEXT:   %s = vyre.workgroup_size x {note = "kept"}
// CHECK-NEXT: }

// CHECK-GENERIC: %i = "vyre.invocation_id"() <{axis = #vyre<axis x>}> {note = "kept"} : () -> index
// CHECK-GENERIC: %g = "vyre.workgroup_id"() <{axis = #vyre<axis x>}> {note = "kept"} : () -> index
// CHECK-GENERIC: %l = "vyre.local_id"() <{axis = #vyre<axis x>}> {note = "kept"} : () -> index
// CHECK-GENERIC: %c = "vyre.workgroup_count"() <{axis = #vyre<axis x>}> {note = "kept"} : () -> index
// CHECK-GENERIC: %s = "vyre.workgroup_size"() <{axis = #vyre<axis x>}> {note = "kept"} : () -> index

vyre.program @linear [8, 8, 1] {
  %me = vyre.linear_id invocation
  %group = vyre.linear_id workgroup
  %lane = vyre.linear_id local
}

// CHECK:      vyre.program @linear [8, 8, 1] {
// CHECK-NEXT:   %me = vyre.linear_id invocation
// CHECK-NEXT:   %group = vyre.linear_id workgroup
// CHECK-NEXT:   %lane = vyre.linear_id local
// CHECK-NEXT: }

// The host knows extents too.
vyre.schedule @host {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.length %a, 0 : memref<?xi32>
  %groups = vyre.workgroup_count x
  %width = vyre.workgroup_size x
}

// CHECK:      vyre.schedule @host {
// CHECK-NEXT:   %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
// CHECK-NEXT:   %n = vyre.length %a, 0 : memref<?xi32>
// CHECK-NEXT:   %groups = vyre.workgroup_count x
// CHECK-NEXT:   %width = vyre.workgroup_size x
// CHECK-NEXT: }
