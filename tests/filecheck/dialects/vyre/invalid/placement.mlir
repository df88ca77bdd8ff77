// RUN: VYRE_INVALID

// Operations of a program stand in a program, at any depth.
// CHECK: {{.*}}placement.mlir:6:1: error: 'vyre.barrier' stands outside any 'vyre.program'
// CHECK: Fix: move it into the body of a 'vyre.program'
vyre.barrier grid_sync

// -----

// CHECK: {{.*}}placement.mlir:13:8: error: 'vyre.invocation_id' stands outside any 'vyre.program'
// CHECK: Fix: move it into the body of a 'vyre.program'
func.func @f() {
  %i = vyre.invocation_id x
  func.return
}

// -----

// CHECK: {{.*}}placement.mlir:21:1: error: 'vyre.region' stands outside any 'vyre.program'
// CHECK: Fix: move it into the body of a 'vyre.program'
vyre.region "r" {
}

// -----

// CHECK: {{.*}}placement.mlir:30:8: error: 'vyre.invocation_id' belongs in a 'vyre.program', not in a 'vyre.schedule'
// CHECK: {{.*}}placement.mlir:29:1: note: inside this 'vyre.schedule'
// CHECK: Fix: move it into a 'vyre.program' and launch that from the schedule
vyre.schedule @s {
  %i = vyre.invocation_id x
}

// -----

// CHECK: {{.*}}placement.mlir:42:5: error: 'vyre.store' belongs in a 'vyre.program', not in a 'vyre.schedule'
// CHECK: {{.*}}placement.mlir:38:1: note: inside this 'vyre.schedule'
// CHECK: Fix: move it into a 'vyre.program' and launch that from the schedule
vyre.schedule @s {
  %a = vyre.buffer "a" read_write binding 0 : memref<i1>
  %c = vyre.param "c" : i1
  scf.if %c {
    vyre.store %c, %a[] : memref<i1>
  }
}

// -----

// Operations of a schedule stand in a schedule, at any depth.
// CHECK: {{.*}}placement.mlir:51:1: error: 'vyre.launch' stands outside any 'vyre.schedule'
// CHECK: Fix: move it into the body of a 'vyre.schedule'
vyre.launch @p()

// -----

// CHECK: {{.*}}placement.mlir:59:3: error: 'vyre.launch' belongs in a 'vyre.schedule', not in a 'vyre.program'
// CHECK: {{.*}}placement.mlir:58:1: note: inside this 'vyre.program'
// CHECK: Fix: move it into a 'vyre.schedule': it is something the host does
vyre.program @p [64, 1, 1] {
  vyre.launch @p()
}

// -----

// CHECK: {{.*}}placement.mlir:70:10: error: 'vyre.read_back' belongs in a 'vyre.schedule', not in a 'vyre.program'
// CHECK: {{.*}}placement.mlir:67:1: note: inside this 'vyre.program'
// CHECK: Fix: move it into a 'vyre.schedule': it is something the host does
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<i32>
  vyre.region "r" {
    %v = vyre.read_back %a[] : memref<i32>
  }
}

// -----

// Declarations and collectives stand directly in the body.
// CHECK: {{.*}}placement.mlir:82:10: error: 'vyre.buffer' must stand at the top level of a 'vyre.program' or 'vyre.schedule'
// CHECK: {{.*}}placement.mlir:81:3: note: nested in this operation
// CHECK: Fix: move it out of the 'vyre.region'
vyre.program @p [64, 1, 1] {
  vyre.region "r" {
    %a = vyre.buffer "a" read_only binding 0 : memref<i32>
  }
}

// -----

// CHECK: {{.*}}placement.mlir:94:10: error: 'vyre.param' must stand at the top level of a 'vyre.program' or 'vyre.schedule'
// CHECK: {{.*}}placement.mlir:93:3: note: nested in this operation
// CHECK: Fix: move it out of the 'scf.if'
vyre.schedule @s {
  %c = vyre.param "c" : i1
  scf.if %c {
    %d = vyre.param "d" : i1
  }
}

// -----

// CHECK: {{.*}}placement.mlir:103:8: error: 'vyre.scratch' must stand at the top level of a 'vyre.program' or 'vyre.schedule'
// CHECK: Fix: move it into a 'vyre.program' or 'vyre.schedule'
builtin.module {
  %a = vyre.scratch single : memref<i32>
}

// -----

// CHECK: {{.*}}placement.mlir:114:10: error: 'vyre.scratch' must stand at the top level of a 'vyre.program' or 'vyre.schedule'
// CHECK: {{.*}}placement.mlir:113:3: note: nested in this operation
// CHECK: Fix: move it out of the 'scf.if'
vyre.schedule @s {
  %c = vyre.param "c" : i1
  scf.if %c {
    %a = vyre.scratch single : memref<i32>
  }
}

// -----

// CHECK: {{.*}}placement.mlir:126:5: error: 'vyre.all_reduce' must stand at the top level of a 'vyre.program'
// CHECK: {{.*}}placement.mlir:125:3: note: nested in this operation
// CHECK: Fix: move it out of the 'vyre.region'
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  vyre.region "r" {
    vyre.all_reduce add %a : memref<?xi32>
  }
}

// -----

// CHECK: {{.*}}placement.mlir:140:5: error: 'vyre.all_gather' must stand at the top level of a 'vyre.program'
// CHECK: {{.*}}placement.mlir:139:3: note: nested in this operation
// CHECK: Fix: move it out of the 'scf.if'
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.buffer "b" write_only binding 1 : memref<?xi32>
  %c = vyre.param "c" : i1
  scf.if %c {
    vyre.all_gather %a, %b : memref<?xi32>, memref<?xi32>
  }
}

// -----

// CHECK: {{.*}}placement.mlir:150:3: error: 'vyre.broadcast' must stand at the top level of a 'vyre.program'
// CHECK: Fix: move it into a 'vyre.program'
vyre.schedule @s {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  vyre.broadcast %a root 0 : memref<?xi32>
}

// -----

// In no program at all.
// CHECK: {{.*}}placement.mlir:158:6: error: 'vyre.buffer' must stand at the top level of a 'vyre.program' or 'vyre.schedule'
// CHECK: Fix: move it into a 'vyre.program' or 'vyre.schedule'
%a = vyre.buffer "a" read_only binding 0 : memref<i32>

// -----

// Programs and schedules stand side by side.
// CHECK: {{.*}}placement.mlir:167:3: error: 'vyre.program' is nested in a 'vyre.program'
// CHECK: {{.*}}placement.mlir:166:1: note: inside this 'vyre.program'
// CHECK: Fix: move it out, directly into the module
vyre.program @p [64, 1, 1] {
  vyre.program @q [64, 1, 1] {
  }
}

// -----

// CHECK: {{.*}}placement.mlir:179:5: error: 'vyre.program' is nested in a 'scf.if'
// CHECK: {{.*}}placement.mlir:178:3: note: inside this 'scf.if'
// CHECK: Fix: move it out, directly into the module
vyre.schedule @s {
  %c = vyre.param "c" : i1
  scf.if %c {
    vyre.program @q [64, 1, 1] {
    }
  }
}

// -----

// CHECK: {{.*}}placement.mlir:190:3: error: 'vyre.schedule' is nested in a 'vyre.program'
// CHECK: {{.*}}placement.mlir:189:1: note: inside this 'vyre.program'
// CHECK: Fix: move it out, directly into the module
vyre.program @p [64, 1, 1] {
  vyre.schedule @s {
  }
}

// -----

// CHECK: {{.*}}placement.mlir:200:3: error: 'vyre.schedule' is nested in a 'vyre.schedule'
// CHECK: {{.*}}placement.mlir:199:1: note: inside this 'vyre.schedule'
// CHECK: Fix: move it out, directly into the module
vyre.schedule @s {
  vyre.schedule @t {
  }
}

// -----

// CHECK: {{.*}}placement.mlir:210:3: error: 'vyre.program' is nested in a 'func.func'
// CHECK: {{.*}}placement.mlir:209:1: note: inside this 'func.func'
// CHECK: Fix: move it out, directly into the module
func.func @f() {
  vyre.program @p [64, 1, 1] {
  }
  func.return
}

// -----

// CHECK: {{.*}}placement.mlir:221:3: error: 'vyre.schedule' is nested in a 'test.op'
// CHECK: {{.*}}placement.mlir:220:1: note: inside this 'test.op'
// CHECK: Fix: move it out, directly into the module
"test.op"() ({
  vyre.schedule @s {
  }
}) : () -> ()
