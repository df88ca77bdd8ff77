// RUN: vyre-opt %s -p vyre-isolate-workgroup --split-input-file --verify-diagnostics | filecheck %s

// CHECK: error: 'vyre.barrier': the whole grid meets here, so no workgroup can run on its own
// CHECK: Fix: run vyre-host-plan first
vyre.program @grid_barrier [64, 1, 1] {
  vyre.barrier acq_rel
  vyre.barrier grid_sync
}

// -----

// CHECK: error: 'vyre.all_reduce': other ranks take part here, so no workgroup can run on its own
// CHECK: Fix: launch the collective as a program of its own
vyre.program @collective [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  vyre.all_reduce add %a : memref<?xf32>
}

// -----

// CHECK: error: 'vyre.scratch': scratch outlives a workgroup, so none can run on its own
// CHECK: Fix: declare a buffer instead, or let a schedule pass the scratch
vyre.program @scratch [64, 1, 1] {
  %s = vyre.scratch single : memref<1xf32>
}

// -----

// CHECK: error: 'vyre.program': a schedule launches this program for a whole grid
// CHECK: note: launched here
// CHECK: Fix: take the program out of its module
vyre.schedule @p {
  vyre.launch @p.0()
}
vyre.program @p.0 [64, 1, 1] {
}
