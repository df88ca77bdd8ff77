// RUN: VYRE_INVALID

// CHECK: 'vyre.wave': there is no program @missing in this module
// CHECK: Fix: name a 'vyre.program' that stands beside the megakernel
vyre.megakernel @m {
  vyre.wave "a" @missing
}

// -----

// CHECK: 'vyre.wave': the wave "a" is there twice
// CHECK: note: first used here
// CHECK: Fix: give each wave a name of its own
vyre.program @p [64, 1, 1] {
}
vyre.megakernel @m {
  vyre.wave "a" @p
  vyre.wave "a" @p
}

// -----

// CHECK: 'vyre.wave': the wave has no name
// CHECK: Fix: name it; others may depend on it
vyre.program @p [64, 1, 1] {
}
vyre.megakernel @m {
  vyre.wave "" @p
}

// -----

// CHECK: 'vyre.wave': the wave comes after "c", which is not another wave here
// CHECK: Fix: name waves of this megakernel
vyre.program @p [64, 1, 1] {
}
vyre.megakernel @m {
  vyre.wave "a" @p
  vyre.wave "b" @p after ["a", "c"]
}

// -----

// CHECK: 'vyre.wave': the wave comes after "a", which is not another wave here
vyre.program @p [64, 1, 1] {
}
vyre.megakernel @m {
  vyre.wave "a" @p after ["a"]
}

// -----

// CHECK: 'vyre.wave': grid [4, 0, 1] is not three axes of at least 1, with at most 2**40 workgroups
// CHECK: Fix: write three positive numbers of workgroups, such as [4, 1, 1]
vyre.program @p [64, 1, 1] {
}
vyre.megakernel @m {
  vyre.wave "a" @p grid [4, 0, 1]
}

// -----

// CHECK: 'vyre.wave': grid [1099511627777, 1, 1] is not
vyre.program @p [64, 1, 1] {
}
vyre.megakernel @m {
  vyre.wave "a" @p grid [1099511627777, 1, 1]
}

// -----

// CHECK: 'vyre.wave': bytes [1, 2] are not three numbers
// CHECK: Fix: write what it reads, its scratch, and what it writes
vyre.program @p [64, 1, 1] {
}
vyre.megakernel @m {
  vyre.wave "a" @p bytes [1, 2]
}

// -----

// CHECK: 'vyre.wave': group -1 is negative
// CHECK: Fix: number groups from 0
vyre.program @p [64, 1, 1] {
}
vyre.megakernel @m {
  vyre.wave "a" @p group -1
}

// -----

// CHECK: 'vyre.wave': the wave has no group, but another one has
// CHECK: Fix: remove all groups, or run vyre-plan-megakernel
vyre.program @p [64, 1, 1] {
}
vyre.megakernel @m {
  vyre.wave "a" @p group 0
  vyre.wave "b" @p
}

// -----

// CHECK: 'vyre.wave': @p has no buffer or parameter "y" to pass
// CHECK: Fix: name entries of the program's table, without workgroup buffers
vyre.program @p [64, 1, 1] {
  %x = vyre.buffer "x" read_only binding 0 : memref<?xi32>
  %y = vyre.buffer "y" workgroup : memref<4xi32>
}
vyre.megakernel @m {
  vyre.wave "a" @p with {y = "z"}
}

// -----

// CHECK: 'vyre.wave': "n" cannot be 3 : i32
// CHECK: Fix: write a name in quotes, or for a parameter a number of its type
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : index
}
vyre.megakernel @m {
  vyre.wave "a" @p with {n = 3 : i32}
}

// -----

// CHECK: 'vyre.wave': "x" cannot be 3 : i32
vyre.program @p [64, 1, 1] {
  %x = vyre.buffer "x" read_only binding 0 : memref<?xi32>
}
vyre.megakernel @m {
  vyre.wave "a" @p with {x = 3 : i32}
}

// -----

// CHECK: 'vyre.wave': the name for "x" is empty
vyre.program @p [64, 1, 1] {
  %x = vyre.buffer "x" read_only binding 0 : memref<?xi32>
}
vyre.megakernel @m {
  vyre.wave "a" @p with {x = ""}
}

// -----

// CHECK: 'vyre.wave': two entries of the program are "y"
// CHECK: Fix: give them different names with `with`
vyre.program @p [64, 1, 1] {
  %x = vyre.buffer "x" read_only binding 0 : memref<?xi32>
  %y = vyre.buffer "y" read_only binding 1 : memref<?xi32>
}
vyre.megakernel @m {
  vyre.wave "a" @p with {x = "y"}
}

// -----

// CHECK: 'vyre.wave': "x" is a buffer of type memref<?xf32> in this wave, but a buffer of type memref<?xi32> in another one
// CHECK: Fix: declare both alike, or give one another name with `with`
vyre.program @p [64, 1, 1] {
  %x = vyre.buffer "x" read_only binding 0 : memref<?xi32>
}
vyre.program @q [64, 1, 1] {
  %x = vyre.buffer "x" read_only binding 0 : memref<?xf32>
}
vyre.megakernel @m {
  vyre.wave "a" @p
  vyre.wave "b" @q
}

// -----

// CHECK: 'vyre.wave': "x" is a parameter of type i32 in this wave, but a buffer of type memref<?xi32> in another one
vyre.program @p [64, 1, 1] {
  %x = vyre.buffer "x" read_only binding 0 : memref<?xi32>
  %n = vyre.param "n" : i32
}
vyre.megakernel @m {
  vyre.wave "a" @p
  vyre.wave "b" @p with {x = "y", n = "x"}
}

// -----

// CHECK: 'arith.constant' stands in a 'vyre.megakernel'
// CHECK: Fix: move it into a program; a megakernel has waves only
vyre.megakernel @m {
  %c = arith.constant 0 : i32
}

// -----

// CHECK: 'vyre.wave' stands in a 'vyre.program'
// CHECK: Fix: move it into the body of a 'vyre.megakernel'
vyre.program @p [64, 1, 1] {
  vyre.wave "a" @p
}

// -----

// CHECK: 'vyre.wave' stands in a 'builtin.module'
vyre.wave "a" @p
