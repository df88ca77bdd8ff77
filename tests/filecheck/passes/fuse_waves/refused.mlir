// RUN: vyre-opt %s --split-input-file -p vyre-fuse-waves --verify-diagnostics | filecheck %s

// Two sizes of workgroups that both count.
// CHECK: 'vyre.wave': the wave needs its workgroups of [32, 1, 1], and another one needs workgroups of [64, 1, 1]
// CHECK: note: for this
// CHECK: Fix: use one size for all programs with barriers, workgroup memory or subgroup operations
vyre.program @p [64, 1, 1] {
  vyre.barrier acq_rel
}
vyre.program @q [32, 1, 1] {
  vyre.barrier acq_rel
}
vyre.megakernel @m {
  vyre.wave "a" @p
  vyre.wave "b" @q
}

// -----

// Grid barriers are about all workgroups of the dispatch.
// CHECK: 'vyre.wave': the wave has a grid of its own and 'vyre.barrier', which is about the whole grid of the dispatch
// CHECK: Fix: leave out `grid`, or divide the program into several waves
vyre.program @p [64, 1, 1] {
  vyre.barrier grid_sync
}
vyre.megakernel @m {
  vyre.wave "a" @p grid [4, 1, 1]
}

// -----

// CHECK: 'vyre.wave': a collective cannot be in a wave
// CHECK: Fix: run its program on its own
vyre.program @p [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi32>
  vyre.broadcast %x root 0 : memref<?xi32>
}
vyre.megakernel @m {
  vyre.wave "a" @p
}

// -----

// CHECK: 'vyre.wave': 1099511627776 workgroups of [2, 1, 1] are too many invocations
// CHECK: Fix: use at most 2**20 in a workgroup and 2**40 in all
vyre.program @p [2, 1, 1] {
}
vyre.megakernel @m {
  vyre.wave "a" @p grid [1099511627776, 1, 1]
}

// -----

// CHECK: 'vyre.wave': "x" may be the same as another buffer
// CHECK: Fix: leave out `may_alias`; waves share buffers by name
vyre.program @p [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 may_alias [0] : memref<?xi32>
}
vyre.megakernel @m {
  vyre.wave "a" @p
}

// -----

// CHECK: 'vyre.wave': waves say differently what is given back of "x"
// CHECK: Fix: declare the buffer alike in all programs, or rename it with `with`
vyre.program @p [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 range [0, 4] : memref<?xi32>
}
vyre.program @q [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi32>
}
vyre.megakernel @m {
  vyre.wave "a" @p
  vyre.wave "b" @q
}

// -----

// CHECK: 'vyre.wave': waves say differently whether "x" is persistent
vyre.program @p [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 kind persistent : memref<4xi32>
}
vyre.program @q [64, 1, 1] {
  %x = vyre.buffer "x" read_only binding 0 : memref<4xi32>
}
vyre.megakernel @m {
  vyre.wave "a" @p
  vyre.wave "b" @q
}

// -----

// CHECK: 'vyre.wave': the wave depends on "b", which is not in an earlier group
// CHECK: Fix: remove the groups, or run vyre-plan-megakernel again
vyre.program @p [64, 1, 1] {
}
vyre.megakernel @m {
  vyre.wave "a" @p after ["b"] group 0
  vyre.wave "b" @p after [] group 1
}

// -----

// A flag that another wave of the same phase writes decides about a barrier.
// CHECK: 'vyre.barrier': a grid barrier stands in control that is not grid-uniform
vyre.program @p [64, 1, 1] {
  %x = vyre.buffer "x" read_only binding 0 : memref<1xi1>
  %zero = arith.constant 0 : index
  %c = vyre.load %x[%zero] : memref<1xi1>
  scf.if %c {
    vyre.barrier grid_sync
  }
}
vyre.program @q [64, 1, 1] {
  %x = vyre.buffer "x" write_only binding 0 : memref<1xi1>
  %zero = arith.constant 0 : index
  %c = arith.constant true
  vyre.store %c, %x[%zero] : memref<1xi1>
}
vyre.megakernel @m {
  vyre.wave "a" @p
  vyre.wave "b" @q after []
}

// -----

// A copy may reach the scratch of others, of whom there are none where a wave is shared out.
// CHECK: 'vyre.wave': the wave is shared out, and 'vyre.async_store' may use other memory than the scratch of who executes it
// CHECK: note: the operation
// CHECK: note: the scratch
// CHECK: Fix: access scratch by loads, stores and atomics of its own
vyre.program @p [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi32>
  %s = vyre.scratch per_invocation : memref<?xi32>
  %zero = arith.constant 0 : index
  %t = vyre.async_store %s[%zero], %x[%zero], %zero : memref<?xi32>, memref<?xi32>
  vyre.async_wait %t
}
vyre.megakernel @m {
  vyre.wave "a" @p grid [4, 1, 1]
}
