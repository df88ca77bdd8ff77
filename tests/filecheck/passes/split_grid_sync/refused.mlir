// RUN: vyre-opt %s -p vyre-split-grid-sync --split-input-file --verify-diagnostics | filecheck %s

// CHECK: error: 'vyre.load': this value is used across a cut, and the host cannot compute it
// CHECK: note: used here
// CHECK: Fix: run vyre-propagate-lets first
vyre.program @crossing_value [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xf32>
  vyre.barrier grid_sync
  %j = vyre.invocation_id x
  vyre.store %x, %a[%j] : memref<?xf32>
}

// -----

// CHECK: error: 'vyre.load': this value is used across a cut, and the host cannot compute it
// CHECK: note: used here
// CHECK: Fix: run vyre-propagate-lets first
vyre.program @carried_value [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xf32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%v = %x) -> (f32) {
    vyre.barrier grid_sync
    vyre.store %v, %a[%k] : memref<?xf32>
    scf.yield %v : f32
  }
}

// -----

// CHECK: error: 'vyre.load': this value is used across a cut, and the host cannot compute it
// CHECK: note: used here
// CHECK: Fix: run vyre-propagate-lets first
vyre.program @condition_on_the_device [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi1>
  %n = vyre.param "n" : index
  %go = vyre.load %a[%n] : memref<?xi1>
  scf.if %go {
    vyre.barrier grid_sync
  }
}

// -----

// CHECK: error: 'vyre.buffer': workgroup buffer "tile" is used across a cut
// CHECK: note: what an earlier phase wrote is read here
// CHECK: Fix: run vyre-propagate-lets first
vyre.program @workgroup_memory [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %l = vyre.local_id x
  %one = arith.constant 1.0 : f32
  vyre.store %one, %tile[%l] : memref<64xf32>
  vyre.barrier grid_sync
  %m = vyre.local_id x
  %x = vyre.load %tile[%m] : memref<64xf32>
  vyre.store %x, %a[%m] : memref<?xf32>
}

// -----

// CHECK: error: 'vyre.let': variables are not values yet, so the program cannot be cut
// CHECK: Fix: run vyre-promote-lets first
vyre.program @variable [64, 1, 1] {
  %p = vyre.param "p" : i32
  %cell = vyre.let "x" = %p : i32
  vyre.barrier grid_sync
}

// -----

// CHECK: error: 'vyre.return': an invocation may return here, so the program cannot be cut
// CHECK: Fix: run vyre-predicate-returns first
vyre.program @return [64, 1, 1] {
  %p = vyre.param "p" : i1
  scf.if %p {
    vyre.return
  }
  vyre.barrier grid_sync
}

// -----

// CHECK: error: 'vyre.barrier': a cut stands in a region, so the program cannot be cut
// CHECK: Fix: run vyre-hoist-grid-sync first
vyre.program @region [64, 1, 1] {
  vyre.region "r" {
    vyre.barrier grid_sync
  }
}

// -----

// CHECK: error: 'scf.if': what happens here goes on after a grid barrier outside, so the program cannot be cut
// CHECK: Fix: run vyre-hoist-grid-sync first; let regions end before loops whose buffers are used after a grid barrier
vyre.program @branch_in_region [64, 1, 1] {
  %p = vyre.param "p" : i1
  vyre.region "r" {
    scf.if %p {
      vyre.barrier grid_sync
    }
  }
}

// -----

// CHECK: error: 'vyre.async_load': this value is used across a cut, and the host cannot compute it
// CHECK: note: used here
// CHECK: Fix: run vyre-propagate-lets first
vyre.program @token [1, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<1xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = vyre.async_load %a[%c0], %tile[%c0], %c1 : memref<?xi32>, memref<1xi32>
  vyre.barrier grid_sync
  vyre.async_wait %t
}

// -----

// CHECK: error: 'vyre.program': a schedule launches this program, so no schedule can take its place
// CHECK: note: launched here
// CHECK: Fix: launch the parts between its grid barriers as programs of their own
vyre.schedule @schedule {
  vyre.launch @launched()
}
vyre.program @launched [64, 1, 1] {
  vyre.barrier grid_sync
}
