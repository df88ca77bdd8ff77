// RUN: vyre-opt %s -p vyre-split-grid-sync --split-input-file | filecheck %s

// Which of the memrefs that a loop carries may be one and the same buffer in its launches.

// Both start as different buffers and change places: they are never the same.
// CHECK-LABEL: vyre.program @swapped.0
// CHECK-NEXT:    %p = vyre.buffer "p" read_write binding {{[0-9]+}} : memref<?xi32>
// CHECK-NEXT:    %q = vyre.buffer "q" read_write binding {{[0-9]+}} : memref<?xi32>
vyre.program @swapped [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  scf.for %k = %n to %n step %n iter_args(%p = %a, %q = %b) -> (memref<?xi32>, memref<?xi32>) {
    %i = vyre.invocation_id x
    %v = vyre.load %p[%i] : memref<?xi32>
    vyre.store %v, %q[%i] : memref<?xi32>
    vyre.barrier grid_sync
    scf.yield %q, %p : memref<?xi32>, memref<?xi32>
  }
}

// -----

// They start as the same.
// CHECK-LABEL: vyre.program @same_start.0
// CHECK-NEXT:    %p = vyre.buffer "p" read_write binding {{[0-9]+}} may_alias [0] : memref<?xi32>
// CHECK-NEXT:    %q = vyre.buffer "q" read_write binding {{[0-9]+}} may_alias [0] : memref<?xi32>
vyre.program @same_start [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  scf.for %k = %n to %n step %n iter_args(%p = %a, %q = %a) -> (memref<?xi32>, memref<?xi32>) {
    %i = vyre.invocation_id x
    %v = vyre.load %p[%i] : memref<?xi32>
    vyre.store %v, %q[%i] : memref<?xi32>
    vyre.barrier grid_sync
    scf.yield %q, %p : memref<?xi32>, memref<?xi32>
  }
}

// -----

// They are the same from the second trip on.
// CHECK-LABEL: vyre.program @same_later.0
// CHECK:         %p = vyre.buffer "p" read_write binding {{[0-9]+}} may_alias [{{.*}}] : memref<?xi32>
// CHECK-NEXT:    %q = vyre.buffer "q" read_write binding {{[0-9]+}} may_alias [{{.*}}] : memref<?xi32>
vyre.program @same_later [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  scf.for %k = %n to %n step %n iter_args(%p = %a, %q = %b) -> (memref<?xi32>, memref<?xi32>) {
    %i = vyre.invocation_id x
    %v = vyre.load %p[%i] : memref<?xi32>
    vyre.store %v, %q[%i] : memref<?xi32>
    vyre.barrier grid_sync
    scf.yield %q, %q : memref<?xi32>, memref<?xi32>
  }
}

// -----

// One of them is replaced by a buffer that the other may have become.
// CHECK-LABEL: vyre.program @replaced.0
// CHECK:         %p = vyre.buffer "p" read_write binding {{[0-9]+}} may_alias [{{.*}}] : memref<?xi32>
// CHECK-NEXT:    %q = vyre.buffer "q" read_write binding {{[0-9]+}} may_alias [{{.*}}] : memref<?xi32>
vyre.program @replaced [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  scf.for %k = %n to %n step %n iter_args(%p = %a, %q = %b) -> (memref<?xi32>, memref<?xi32>) {
    %i = vyre.invocation_id x
    %v = vyre.load %p[%i] : memref<?xi32>
    vyre.store %v, %q[%i] : memref<?xi32>
    vyre.barrier grid_sync
    scf.yield %q, %b : memref<?xi32>, memref<?xi32>
  }
}

// -----

// A loop inside starts as the loop around it stands, which may be the same.
// CHECK-LABEL: vyre.program @nested.0
// CHECK:         %p = vyre.buffer "p" read_write binding {{[0-9]+}} may_alias [{{.*}}] : memref<?xi32>
// CHECK-NEXT:    %q = vyre.buffer "q" read_write binding {{[0-9]+}} may_alias [{{.*}}] : memref<?xi32>
vyre.program @nested [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  scf.for %j = %n to %n step %n iter_args(%r = %a, %s = %b) -> (memref<?xi32>, memref<?xi32>) {
    %inner:2 = scf.for %k = %n to %n step %n iter_args(%p = %r, %q = %s) -> (memref<?xi32>, memref<?xi32>) {
      %i = vyre.invocation_id x
      %v = vyre.load %p[%i] : memref<?xi32>
      vyre.store %v, %q[%i] : memref<?xi32>
      vyre.barrier grid_sync
      scf.yield %q, %p : memref<?xi32>, memref<?xi32>
    }
    scf.yield %inner#0, %inner#0 : memref<?xi32>, memref<?xi32>
  }
}

// -----

// So may one buffer that stays, and one from the loop around.
// CHECK-LABEL: vyre.program @half_nested.0
// CHECK:         %p = vyre.buffer "p" read_write binding {{[0-9]+}} may_alias [{{.*}}] : memref<?xi32>
// CHECK-NEXT:    %q = vyre.buffer "q" read_write binding {{[0-9]+}} may_alias [{{.*}}] : memref<?xi32>
vyre.program @half_nested [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  scf.for %j = %n to %n step %n iter_args(%r = %a) -> (memref<?xi32>) {
    %inner:2 = scf.for %k = %n to %n step %n iter_args(%p = %r, %q = %b) -> (memref<?xi32>, memref<?xi32>) {
      %i = vyre.invocation_id x
      %v = vyre.load %p[%i] : memref<?xi32>
      vyre.store %v, %q[%i] : memref<?xi32>
      vyre.barrier grid_sync
      scf.yield %q, %p : memref<?xi32>, memref<?xi32>
    }
    scf.yield %inner#0 : memref<?xi32>
  }
}

// -----

// A while exchanges them in one of its regions, or loses one in the first or the second.
// CHECK-LABEL: vyre.program @while_swapped.0
// CHECK:         %p = vyre.buffer "p" read_write binding {{[0-9]+}} : memref<?xi32>
// CHECK-NEXT:    %q = vyre.buffer "q" read_write binding {{[0-9]+}} : memref<?xi32>
vyre.program @while_swapped [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %go = vyre.param "go" : i1
  %last:2 = scf.while (%r = %a, %s = %b) : (memref<?xi32>, memref<?xi32>) -> (memref<?xi32>, memref<?xi32>) {
    vyre.barrier grid_sync
    scf.condition(%go) %s, %r : memref<?xi32>, memref<?xi32>
  } do {
  ^bb0(%p: memref<?xi32>, %q: memref<?xi32>):
    %i = vyre.invocation_id x
    %v = vyre.load %p[%i] : memref<?xi32>
    vyre.store %v, %q[%i] : memref<?xi32>
    scf.yield %p, %q : memref<?xi32>, memref<?xi32>
  }
}

// -----

// CHECK-LABEL: vyre.program @while_loses_first.0
// CHECK:         %p = vyre.buffer "p" read_write binding {{[0-9]+}} may_alias [{{.*}}] : memref<?xi32>
// CHECK-NEXT:    %q = vyre.buffer "q" read_write binding {{[0-9]+}} may_alias [{{.*}}] : memref<?xi32>
vyre.program @while_loses_first [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %go = vyre.param "go" : i1
  %last:2 = scf.while (%r = %a, %s = %b) : (memref<?xi32>, memref<?xi32>) -> (memref<?xi32>, memref<?xi32>) {
    vyre.barrier grid_sync
    scf.condition(%go) %s, %s : memref<?xi32>, memref<?xi32>
  } do {
  ^bb0(%p: memref<?xi32>, %q: memref<?xi32>):
    %i = vyre.invocation_id x
    %v = vyre.load %p[%i] : memref<?xi32>
    vyre.store %v, %q[%i] : memref<?xi32>
    scf.yield %q, %p : memref<?xi32>, memref<?xi32>
  }
}

// -----

// CHECK-LABEL: vyre.program @while_loses_second.0
// CHECK:         %p = vyre.buffer "p" read_write binding {{[0-9]+}} may_alias [{{.*}}] : memref<?xi32>
// CHECK-NEXT:    %q = vyre.buffer "q" read_write binding {{[0-9]+}} may_alias [{{.*}}] : memref<?xi32>
vyre.program @while_loses_second [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %go = vyre.param "go" : i1
  %last:2 = scf.while (%r = %a, %s = %b) : (memref<?xi32>, memref<?xi32>) -> (memref<?xi32>, memref<?xi32>) {
    vyre.barrier grid_sync
    scf.condition(%go) %s, %r : memref<?xi32>, memref<?xi32>
  } do {
  ^bb0(%p: memref<?xi32>, %q: memref<?xi32>):
    %i = vyre.invocation_id x
    %v = vyre.load %p[%i] : memref<?xi32>
    vyre.store %v, %q[%i] : memref<?xi32>
    scf.yield %q, %q : memref<?xi32>, memref<?xi32>
  }
}
