// RUN: VYRE_INVALID

// CHECK: {{.*}}workgroups.mlir:5:1: error: 'vyre.workgroups': there is not one schedule for a workgroup
// CHECK: Fix: write one 'vyre.schedule', and beside it what it launches
vyre.workgroups @p {
}
vyre.program @p [4, 1, 1] {
}

// -----

// CHECK: {{.*}}workgroups.mlir:14:1: error: 'vyre.workgroups': there is no program @p in this module
// CHECK: Fix: put it beside the program whose workgroups it runs
vyre.workgroups @p {
  vyre.schedule @p {
  }
}

// -----

// CHECK: {{.*}}workgroups.mlir:24:3: error: 'vyre.schedule': the table of the schedule is not that of a workgroup of @p
// CHECK: Fix: declare what a launch passes, memory, and six numbers
vyre.workgroups @p {
  vyre.schedule @p {
    %x = vyre.param "x" : index
  }
}
vyre.program @p [4, 1, 1] {
}
