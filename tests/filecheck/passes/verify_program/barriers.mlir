// RUN: VYRE_INVALID

// A grid barrier that some invocations do not reach.
// CHECK: {{.*}}barriers.mlir:13:5: error: 'vyre.barrier': a grid barrier stands in control that is not grid-uniform: %inside may differ between invocations
// CHECK: {{.*}}barriers.mlir:11:13: note: %inside decides
// CHECK: {{.*}}barriers.mlir:10:8: note: %i differs between invocations
// CHECK: Fix: let the condition depend only on what is the same in the whole grid, or move the operation out of the branch or loop
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %inside = arith.cmpi ult, %i, %n : index
  scf.if %inside {
    vyre.barrier grid_sync
  }
}

// -----

// In the other arm it is the same.
// CHECK: {{.*}}barriers.mlir:31:7: error: 'vyre.barrier': a grid barrier stands in control that is not grid-uniform: %first may differ between invocations
// CHECK: {{.*}}barriers.mlir:27:12: note: %first decides
// CHECK: {{.*}}barriers.mlir:26:8: note: %l differs between invocations
// CHECK: Fix: let the condition depend only on what is the same in the whole grid, or move the operation out of the branch or loop
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : index
  %l = vyre.local_id y
  %first = arith.cmpi eq, %l, %n : index
  scf.if %first {
  } else {
    vyre.region "r" {
      vyre.barrier grid_sync
    }
  }
}

// -----

// Workgroups agree in themselves, but not with each other.
// CHECK: {{.*}}barriers.mlir:48:5: error: 'vyre.barrier': a grid barrier stands in control that is not grid-uniform: %first may differ between invocations
// CHECK: {{.*}}barriers.mlir:46:12: note: %first decides
// CHECK: {{.*}}barriers.mlir:45:8: note: %g differs between workgroups
// CHECK: Fix: let the condition depend only on what is the same in the whole grid, or move the operation out of the branch or loop
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : index
  %g = vyre.workgroup_id x
  %first = arith.cmpi eq, %g, %n : index
  scf.if %first {
    vyre.barrier grid_sync
  }
}

// -----

// CHECK: {{.*}}barriers.mlir:62:5: error: 'vyre.barrier': a grid barrier stands in control that is not grid-uniform: %flag may differ between invocations
// CHECK: {{.*}}barriers.mlir:60:11: note: %flag decides, and is loaded from the workgroup buffer "tile"
// CHECK: Fix: let the condition depend only on what is the same in the whole grid, or move the operation out of the branch or loop
vyre.program @p [64, 1, 1] {
  %tile = vyre.buffer "tile" workgroup : memref<4xi1>
  %zero = arith.constant 0 : index
  %flag = vyre.load %tile[%zero] : memref<4xi1>
  scf.if %flag {
    vyre.barrier grid_sync
  }
}

// -----

// A workgroup barrier that some invocations of a workgroup do not reach.
// CHECK: {{.*}}barriers.mlir:78:5: error: 'vyre.barrier': a workgroup barrier stands in control that is not workgroup-uniform: %first may differ between invocations
// CHECK: {{.*}}barriers.mlir:76:12: note: %first decides
// CHECK: {{.*}}barriers.mlir:75:8: note: %l differs between invocations
// CHECK: Fix: let the condition depend only on what is the same in the whole workgroup, or move the operation out of the branch or loop
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : index
  %l = vyre.local_id x
  %first = arith.cmpi eq, %l, %n : index
  scf.if %first {
    vyre.barrier acq_rel
  }
}

// -----

// The innermost cause is named: the workgroup agrees on %first, but not on %even.
// CHECK: {{.*}}barriers.mlir:99:9: error: 'vyre.barrier': a workgroup barrier stands in control that is not workgroup-uniform: %even may differ between invocations
// CHECK: {{.*}}barriers.mlir:95:11: note: %even decides
// CHECK: {{.*}}barriers.mlir:93:11: note: %lane differs between invocations
// CHECK: Fix: let the condition depend only on what is the same in the whole workgroup, or move the operation out of the branch or loop
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : index
  %c = vyre.param "c" : i1
  %g = vyre.workgroup_id x
  %lane = vyre.subgroup_local_id
  %first = arith.cmpi eq, %g, %n : index
  %even = arith.cmpi eq, %lane, %n : index
  scf.if %first {
    scf.if %even {
      scf.if %c {
        vyre.barrier release
      }
    }
  }
}

// -----

// Loops whose numbers of trips differ.
// CHECK: {{.*}}barriers.mlir:117:5: error: 'vyre.barrier': a grid barrier stands in control that is not grid-uniform: %end may differ between invocations
// CHECK: {{.*}}barriers.mlir:115:10: note: %end decides
// CHECK: {{.*}}barriers.mlir:114:8: note: %i differs between invocations
// CHECK: Fix: let the condition depend only on what is the same in the whole grid, or move the operation out of the branch or loop
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %end = arith.addi %i, %n : index
  scf.for %k = %n to %end step %n {
    vyre.barrier grid_sync
  }
}

// -----

// CHECK: {{.*}}barriers.mlir:130:5: error: 'vyre.barrier': a workgroup barrier stands in control that is not workgroup-uniform: %l may differ between invocations
// CHECK: {{.*}}barriers.mlir:128:8: note: %l decides, and differs between invocations
// CHECK: Fix: let the condition depend only on what is the same in the whole workgroup, or move the operation out of the branch or loop
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : index
  %l = vyre.local_id x
  scf.for %k = %l to %n step %n {
    vyre.barrier seq_cst
  }
}

// -----

// CHECK: {{.*}}barriers.mlir:143:5: error: 'vyre.barrier': a grid barrier stands in control that is not grid-uniform: %g may differ between invocations
// CHECK: {{.*}}barriers.mlir:141:8: note: %g decides, and differs between workgroups
// CHECK: Fix: let the condition depend only on what is the same in the whole grid, or move the operation out of the branch or loop
vyre.program @p [64, 1, 1] {
  %zero = arith.constant 0 : index
  %g = vyre.workgroup_id z
  scf.for %k = %zero to %g step %g {
    vyre.barrier grid_sync
  }
}

// -----

// The grid agrees on the outer loop, but not on the inner one.
// CHECK: {{.*}}barriers.mlir:159:7: error: 'vyre.barrier': a grid barrier stands in control that is not grid-uniform: %i may differ between invocations
// CHECK: {{.*}}barriers.mlir:155:8: note: %i decides, and differs between invocations
// CHECK: Fix: let the condition depend only on what is the same in the whole grid, or move the operation out of the branch or loop
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  scf.for %k = %n to %n step %n {
    vyre.barrier grid_sync
    scf.for %m = %k to %i step %n {
      vyre.barrier grid_sync
    }
  }
}

// -----

// A number of trips that another loop made divergent.
// CHECK: {{.*}}barriers.mlir:180:5: error: 'vyre.barrier': a grid barrier stands in control that is not grid-uniform: %count may differ between invocations
// CHECK: {{.*}}barriers.mlir:175:12: note: %count decides
// CHECK: {{.*}}barriers.mlir:174:8: note: %i differs between invocations
// CHECK: Fix: let the condition depend only on what is the same in the whole grid, or move the operation out of the branch or loop
vyre.program @p [64, 1, 1] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %i = vyre.invocation_id x
  %count = scf.for %k = %zero to %i step %one iter_args(%s = %zero) -> (index) {
    %t = arith.addi %s, %one : index
    scf.yield %t : index
  }
  scf.for %m = %zero to %count step %one {
    vyre.barrier grid_sync
  }
}

// -----

// A condition that differs from the second round on.
// CHECK: {{.*}}barriers.mlir:199:5: error: 'vyre.barrier': a grid barrier stands in control that is not grid-uniform: %go may differ between invocations
// CHECK: {{.*}}barriers.mlir:195:22: note: %go decides
// CHECK: {{.*}}barriers.mlir:194:8: note: %i differs between invocations
// CHECK: Fix: let the condition depend only on what is the same in the whole grid, or move the operation out of the branch or loop
vyre.program @p [64, 1, 1] {
  %yes = vyre.param "yes" : i1
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %last = scf.while (%go = %yes) : (i1) -> i1 {
    scf.condition(%go) %go : i1
  } do {
  ^bb0(%same: i1):
    vyre.barrier grid_sync
    %next = arith.cmpi ult, %i, %n : index
    scf.yield %next : i1
  }
}

// -----

// A barrier in the first region, which those who leave do not run again.
// CHECK: {{.*}}barriers.mlir:217:5: error: 'vyre.barrier': a workgroup barrier stands in control that is not workgroup-uniform: %go may differ between invocations
// CHECK: {{.*}}barriers.mlir:215:9: note: %go decides
// CHECK: {{.*}}barriers.mlir:214:8: note: %i differs between invocations
// CHECK: Fix: let the condition depend only on what is the same in the whole workgroup, or move the operation out of the branch or loop
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %go = arith.cmpi ult, %i, %n : index
  scf.while () : () -> () {
    vyre.barrier acq_rel
    scf.condition(%go)
  } do {
    scf.yield
  }
}

// -----

// The flag of published breadth-first searches: some have reset it for the next round
// before others have asked whether to go on.
// CHECK: {{.*}}barriers.mlir:244:5: error: 'vyre.barrier': a grid barrier stands in control that is not grid-uniform: %go may differ between invocations
// CHECK: {{.*}}barriers.mlir:240:11: note: %go decides
// CHECK: {{.*}}barriers.mlir:239:13: note: %flag is loaded from "changed", which its phase also writes
// CHECK: {{.*}}barriers.mlir:243:5: note: written here
// CHECK: Fix: let the condition depend only on what is the same in the whole grid, or move the operation out of the branch or loop
vyre.program @reset_too_early [64, 1, 1] {
  %changed = vyre.buffer "changed" read_write binding 0 : memref<1xi32>
  %zero = arith.constant 0 : index
  %no = arith.constant 0 : i32
  %yes = arith.constant 1 : i32
  scf.while () : () -> () {
    %flag = vyre.load %changed[%zero] : memref<1xi32>
    %go = arith.cmpi ne, %flag, %no : i32
    scf.condition(%go)
  } do {
    vyre.store %no, %changed[%zero] : memref<1xi32>
    vyre.barrier grid_sync
    vyre.store %yes, %changed[%zero] : memref<1xi32>
    vyre.barrier grid_sync
    scf.yield
  }
}

// -----

// The same, with the reset at the end of the round.
// CHECK: {{.*}}barriers.mlir:268:5: error: 'vyre.barrier': a grid barrier stands in control that is not grid-uniform: %go may differ between invocations
// CHECK: {{.*}}barriers.mlir:264:14: note: %go decides
// CHECK: {{.*}}barriers.mlir:269:13: note: %next is loaded from "changed", which its phase also writes
// CHECK: {{.*}}barriers.mlir:270:5: note: written here
// CHECK: Fix: let the condition depend only on what is the same in the whole grid, or move the operation out of the branch or loop
vyre.program @reset_too_late [64, 1, 1] {
  %changed = vyre.buffer "changed" read_write binding 0 : memref<1xi1>
  %zero = arith.constant 0 : index
  %no = arith.constant false
  %yes = arith.constant true
  scf.while (%go = %yes) : (i1) -> () {
    scf.condition(%go)
  } do {
    vyre.store %yes, %changed[%zero] : memref<1xi1>
    vyre.barrier grid_sync
    %next = vyre.load %changed[%zero] : memref<1xi1>
    vyre.store %no, %changed[%zero] : memref<1xi1>
    vyre.barrier grid_sync
    scf.yield %next : i1
  }
}

// -----

// An atomic is a write, and a workgroup barrier is not enough for a buffer of the grid.
// CHECK: {{.*}}barriers.mlir:293:5: error: 'vyre.barrier': a grid barrier stands in control that is not grid-uniform: %enough may differ between invocations
// CHECK: {{.*}}barriers.mlir:291:13: note: %enough decides
// CHECK: {{.*}}barriers.mlir:290:10: note: %sum is loaded from "count", which its phase also writes
// CHECK: {{.*}}barriers.mlir:288:10: note: written here
// CHECK: Fix: let the condition depend only on what is the same in the whole grid, or move the operation out of the branch or loop
vyre.program @p [64, 1, 1] {
  %count = vyre.buffer "count" read_write binding 0 : memref<1xi32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %old = vyre.atomic add %one, %count[%zero] : memref<1xi32>
  vyre.barrier acq_rel
  %sum = vyre.load %count[%zero] : memref<1xi32>
  %enough = arith.cmpi ugt, %sum, %one : i32
  scf.if %enough {
    vyre.barrier grid_sync
  }
}

// -----

// What an atomic gives is another value for each.
// CHECK: {{.*}}barriers.mlir:311:5: error: 'vyre.barrier': a workgroup barrier stands in control that is not workgroup-uniform: %last may differ between invocations
// CHECK: {{.*}}barriers.mlir:309:11: note: %last decides
// CHECK: {{.*}}barriers.mlir:308:10: note: %old is what 'vyre.atomic' gives each invocation
// CHECK: Fix: let the condition depend only on what is the same in the whole workgroup, or move the operation out of the branch or loop
vyre.program @p [64, 1, 1] {
  %count = vyre.buffer "count" read_write binding 0 : memref<1xi32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %old = vyre.atomic add %one, %count[%zero] : memref<1xi32>
  %last = arith.cmpi eq, %old, %one : i32
  scf.if %last {
    vyre.barrier acq_rel
  }
}

// -----

// A flag in workgroup memory that some have not seen yet when others set it.
// CHECK: {{.*}}barriers.mlir:329:5: error: 'vyre.barrier': a workgroup barrier stands in control that is not workgroup-uniform: %flag may differ between invocations
// CHECK: {{.*}}barriers.mlir:327:11: note: %flag decides, and is loaded from "flags", which its phase also writes
// CHECK: {{.*}}barriers.mlir:326:3: note: written here
// CHECK: Fix: let the condition depend only on what is the same in the whole workgroup, or move the operation out of the branch or loop
vyre.program @p [64, 1, 1] {
  %flags = vyre.buffer "flags" workgroup : memref<1xi1>
  %zero = arith.constant 0 : index
  %yes = arith.constant true
  vyre.store %yes, %flags[%zero] : memref<1xi1>
  %flag = vyre.load %flags[%zero] : memref<1xi1>
  scf.if %flag {
    vyre.barrier acq_rel
  }
}

// -----

// An index that differs.
// CHECK: {{.*}}barriers.mlir:345:5: error: 'vyre.barrier': a workgroup barrier stands in control that is not workgroup-uniform: %flag may differ between invocations
// CHECK: {{.*}}barriers.mlir:343:11: note: %flag decides
// CHECK: {{.*}}barriers.mlir:342:8: note: %i differs between invocations
// CHECK: Fix: let the condition depend only on what is the same in the whole workgroup, or move the operation out of the branch or loop
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi1>
  %i = vyre.invocation_id x
  %flag = vyre.load %a[%i] : memref<?xi1>
  scf.if %flag {
    vyre.barrier acq_rel
  }
}

// -----

// A variable that only some have assigned.
// CHECK: {{.*}}barriers.mlir:368:5: error: 'vyre.barrier': a grid barrier stands in control that is not grid-uniform: %done may differ between invocations
// CHECK: {{.*}}barriers.mlir:366:11: note: %done decides
// CHECK: {{.*}}barriers.mlir:360:8: note: %i differs between invocations
// CHECK: Fix: let the condition depend only on what is the same in the whole grid, or move the operation out of the branch or loop
vyre.program @p [64, 1, 1] {
  %no = arith.constant false
  %yes = arith.constant true
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %mine = arith.cmpi eq, %i, %n : index
  %cell = vyre.let "done" = %no : i1
  scf.if %mine {
    vyre.assign %yes, %cell : !vyre.cell<i1>
  }
  %done = vyre.get %cell : !vyre.cell<i1>
  scf.if %done {
    vyre.barrier grid_sync
  }
}

// -----

// Values without a name.
// CHECK: {{.*}}barriers.mlir:384:5: error: 'vyre.barrier': a grid barrier stands in control that is not grid-uniform: a value may differ between invocations
// CHECK: {{.*}}barriers.mlir:382:8: note: a value decides
// CHECK: {{.*}}barriers.mlir:380:8: note: a value differs between invocations
// CHECK: Fix: let the condition depend only on what is the same in the whole grid, or move the operation out of the branch or loop
vyre.program @p [64, 1, 1] {
  %0 = vyre.invocation_id x
  %1 = vyre.param "n" : index
  %2 = arith.cmpi ult, %0, %1 : index
  scf.if %2 {
    vyre.barrier grid_sync
  }
}

// -----

// Subgroup operations stand in control that a workgroup agrees on.
// CHECK: {{.*}}barriers.mlir:401:13: error: 'vyre.subgroup_ballot': a subgroup operation stands in control that is not workgroup-uniform: %first may differ between invocations
// CHECK: {{.*}}barriers.mlir:399:12: note: %first decides
// CHECK: {{.*}}barriers.mlir:398:8: note: %l differs between invocations
// CHECK: Fix: let the condition depend only on what is the same in the whole workgroup, or move the operation out of the branch or loop
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : index
  %c = vyre.param "c" : i1
  %l = vyre.local_id x
  %first = arith.cmpi eq, %l, %n : index
  scf.if %first {
    %mask = vyre.subgroup_ballot %c
  }
}

// -----

// CHECK: {{.*}}barriers.mlir:415:14: error: 'vyre.subgroup_shuffle': a subgroup operation stands in control that is not workgroup-uniform: %l may differ between invocations
// CHECK: {{.*}}barriers.mlir:413:8: note: %l decides, and differs between invocations
// CHECK: Fix: let the condition depend only on what is the same in the whole workgroup, or move the operation out of the branch or loop
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : index
  %x = vyre.param "x" : f32
  %l = vyre.local_id x
  scf.for %k = %n to %l step %n {
    %other = vyre.subgroup_shuffle %x, %n : f32
  }
}

// -----

// CHECK: {{.*}}barriers.mlir:434:13: error: 'vyre.subgroup_reduce': a subgroup operation stands in control that is not workgroup-uniform: %go may differ between invocations
// CHECK: {{.*}}barriers.mlir:430:9: note: %go decides
// CHECK: {{.*}}barriers.mlir:429:10: note: %sum is what 'vyre.subgroup_reduce' gives each invocation
// CHECK: Fix: let the condition depend only on what is the same in the whole workgroup, or move the operation out of the branch or loop
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : i32
  %lane = vyre.subgroup_local_id
  %x = arith.index_cast %lane : index to i32
  %sum = vyre.subgroup_reduce add %x : i32
  %go = arith.cmpi ult, %sum, %n : i32
  scf.while () : () -> () {
    scf.condition(%go)
  } do {
    %more = vyre.subgroup_reduce max %x : i32
    scf.yield
  }
}

// -----

// A buffer is carried only by a loop that the grid agrees on.
// CHECK: {{.*}}barriers.mlir:450:19: error: 'scf.for': a loop that carries a buffer stands in control that is not grid-uniform: %i may differ between invocations
// CHECK: {{.*}}barriers.mlir:449:8: note: %i decides, and differs between invocations
// CHECK: Fix: let the condition depend only on what is the same in the whole grid, or move the operation out of the branch or loop
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %last, %other = scf.for %k = %n to %i step %n iter_args(%from = %a, %to = %b) -> (memref<?xi32>, memref<?xi32>) {
    scf.yield %to, %from : memref<?xi32>, memref<?xi32>
  }
}

// -----

// CHECK: {{.*}}barriers.mlir:466:11: error: 'scf.while': a loop that carries a buffer stands in control that is not grid-uniform: %go may differ between invocations
// CHECK: {{.*}}barriers.mlir:465:9: note: %go decides
// CHECK: {{.*}}barriers.mlir:464:8: note: %g differs between workgroups
// CHECK: Fix: let the condition depend only on what is the same in the whole grid, or move the operation out of the branch or loop
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %g = vyre.workgroup_id x
  %go = arith.cmpi ult, %g, %n : index
  %last = scf.while (%from = %a) : (memref<?xi32>) -> memref<?xi32> {
    scf.condition(%go) %from : memref<?xi32>
  } do {
  ^bb0(%same: memref<?xi32>):
    scf.yield %same : memref<?xi32>
  }
}

// -----

// However it is come by: the loop stands in a branch.
// CHECK: {{.*}}barriers.mlir:487:13: error: 'scf.for': a loop that carries a buffer stands in control that is not grid-uniform: %inside may differ between invocations
// CHECK: {{.*}}barriers.mlir:485:13: note: %inside decides
// CHECK: {{.*}}barriers.mlir:484:8: note: %i differs between invocations
// CHECK: Fix: let the condition depend only on what is the same in the whole grid, or move the operation out of the branch or loop
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %inside = arith.cmpi ult, %i, %n : index
  scf.if %inside {
    %last = scf.for %k = %n to %n step %n iter_args(%from = %a) -> (memref<?xi32>) {
      scf.yield %from : memref<?xi32>
    }
  }
}

// -----

// CHECK: {{.*}}barriers.mlir:501:5: error: 'vyre.barrier': a grid barrier stands in control that is not grid-uniform: %g may differ between invocations
// CHECK: {{.*}}barriers.mlir:498:8: note: %g decides, and differs between workgroups
vyre.program @p [64, 1, 1] {
  %g = vyre.workgroup_id x
  scf.index_switch %g
  case 3 {
    vyre.barrier grid_sync
  }
  default {
  }
}
