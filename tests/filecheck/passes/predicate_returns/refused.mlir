// RUN: vyre-opt %s -p vyre-predicate-returns --split-input-file --verify-diagnostics | filecheck %s

// CHECK: {{.*}}refused.mlir:11:3: error: 'vyre.all_reduce': invocations may have returned before this collective, for which other ranks would wait
// CHECK: Fix: return after the collective, or guard stores instead of returning
vyre.program @collective [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %c = vyre.param "c" : i1
  scf.if %c {
    vyre.return
  }
  vyre.all_reduce add %a : memref<?xi32>
}

// -----

// CHECK: {{.*}}refused.mlir:23:3: error: 'test.op': invocations may have returned before this operation, and nothing is known about what it does
// CHECK: Fix: lower it to arith, math, scf and vyre operations first
vyre.program @unknown [64, 1, 1] {
  %c = vyre.param "c" : i1
  scf.if %c {
    vyre.return
  }
  "test.op"() : () -> ()
}

// -----

// CHECK: {{.*}}refused.mlir:36:5: error: 'test.op': invocations may have returned before this operation, and nothing is known about what it does
// CHECK: Fix: lower it to arith, math, scf and vyre operations first
vyre.program @unknown_inside [64, 1, 1] {
  %c = vyre.param "c" : i1
  scf.if %c {
    vyre.return
  }
  scf.if %c {
    "test.op"() : () -> ()
  }
}

// -----

// CHECK: {{.*}}refused.mlir:46:5: error: 'vyre.return': nothing is known about when 'test.op' runs its region, which returns
// CHECK: Fix: use scf.if, scf.for, scf.while or vyre.region
vyre.program @return_in_unknown [64, 1, 1] {
  "test.op"() ({
    vyre.return
    "test.termop"() : () -> ()
  }) : () -> ()
}

// -----

// A variable has one uniformity for all places, and this one is assigned in a loop that some
// invocations do not enter any more. As values it would have two.
// CHECK: {{.*}}refused.mlir:68:5: error: 'vyre.barrier': a grid barrier stands in control that is not grid-uniform: %n may differ between invocations
// CHECK: {{.*}}note: invocations that return here run along, without effects
// CHECK: Fix: run vyre-promote-lets first
vyre.program @variable [64, 1, 1] {
  %n = vyre.param "n" : index
  %c = vyre.param "c" : i1
  %i = vyre.invocation_id x
  %x = vyre.let "x" = %c : i1
  %v = vyre.get %x : !vyre.cell<i1>
  scf.if %v {
    vyre.return
  }
  scf.for %k = %n to %n step %n {
    vyre.barrier grid_sync
  }
  %d = arith.cmpi eq, %i, %n : index
  scf.if %d {
    vyre.return
  }
  scf.for %k = %n to %n step %n {
    vyre.assign %c, %x : !vyre.cell<i1>
  }
}

// -----

// A trap does not make it better.
// CHECK: {{.*}}refused.mlir:94:3: error: 'vyre.all_reduce': invocations may have returned before this collective, for which other ranks would wait
vyre.program @trap_and_return [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %c = vyre.param "c" : i1
  scf.if %c {
    vyre.return
  } else {
    vyre.region {
      vyre.trap "no"
    }
    vyre.return
  }
  vyre.all_reduce add %a : memref<?xi32>
}
