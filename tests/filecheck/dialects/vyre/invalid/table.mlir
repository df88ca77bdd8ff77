// RUN: VYRE_INVALID

// Two buffers of one name.
// CHECK: {{.*}}table.mlir:9:8: error: 'vyre.buffer': the name "a" is declared twice
// CHECK: {{.*}}table.mlir:8:8: note: first declared here
// CHECK: Fix: give each buffer and parameter a name of its own
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.buffer "a" read_only binding 1 : memref<?xi32>
}

// -----

// A buffer and a parameter of one name, in a schedule.
// CHECK: {{.*}}table.mlir:20:8: error: 'vyre.param': the name "a" is declared twice
// CHECK: {{.*}}table.mlir:19:8: note: first declared here
// CHECK: Fix: give each buffer and parameter a name of its own
vyre.schedule @s {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.param "a" : i32
}

// -----

// Two parameters of one name, with other entries between them.
// CHECK: {{.*}}table.mlir:32:8: error: 'vyre.param': the name "n" is declared twice
// CHECK: {{.*}}table.mlir:30:8: note: first declared here
// CHECK: Fix: give each buffer and parameter a name of its own
vyre.program @p [64, 1, 1] {
  %a = vyre.param "n" : i32
  %b = vyre.param "m" : i32
  %c = vyre.param "n" : i32
}

// -----

// A workgroup buffer is no argument, but it is in the table.
// CHECK: {{.*}}table.mlir:43:8: error: 'vyre.param': the name "a" is declared twice
// CHECK: {{.*}}table.mlir:42:8: note: first declared here
// CHECK: Fix: give each buffer and parameter a name of its own
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" workgroup : memref<4xi32>
  %b = vyre.param "a" : i32
}

// -----

// CHECK: {{.*}}table.mlir:54:8: error: 'vyre.buffer': binding 3 is used twice
// CHECK: {{.*}}table.mlir:52:8: note: first used here
// CHECK: Fix: give each buffer a binding of its own
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 3 : memref<?xi32>
  %b = vyre.buffer "b" read_only binding 0 : memref<?xi32>
  %c = vyre.buffer "c" read_only binding 3 : memref<?xi32>
}

// -----

// CHECK: {{.*}}table.mlir:64:8: error: 'vyre.buffer': binding 0 is used twice
// CHECK: {{.*}}table.mlir:63:8: note: first used here
// CHECK: Fix: give each buffer a binding of its own
vyre.schedule @s {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_only binding 0 : memref<?xi32>
}

// -----

// CHECK: 'vyre.program': the grid is to follow "b", which is no buffer of the table
// CHECK: Fix: name one of a
vyre.program @p [64, 1, 1] grid_from {b = array<i64: 0>} {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %t = vyre.buffer "b" workgroup : memref<64xf32>
}

// -----

// CHECK: 'vyre.schedule': the grid is to follow "a" along array<i64: 1>
// CHECK: Fix: write an array<i64: ...> of its 1 dimensions, from 0
vyre.schedule @p grid_from {a = array<i64: 1>} {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
}

// -----

// CHECK: 'vyre.program': the grid is to follow "a" along 0 : i64
vyre.program @p [64, 1, 1] grid_from {a = 0} {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
}

// -----

// CHECK: 'vyre.program': the grid is to come from "nobody"
// CHECK: Fix: write {name = array<i64: 0>}, or "caller"
vyre.program @p [64, 1, 1] grid_from "nobody" {
}
