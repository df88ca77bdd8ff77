// RUN: vyre-opt --allow-unregistered-dialect --split-input-file %s --verify-diagnostics --parsing-diagnostics | filecheck %s

// An operation that Vyre does not know branches before the end of its block.
// CHECK: {{.*}}unregistered.mlir:10:5: error: 'other.branch': branches to another block before the end of its own
// CHECK: Fix: move it to the end of the block
vyre.program @p [64, 1, 1] {
  scf.execute_region {
    cf.br ^second
  ^second:
    "other.branch"() [^second] : () -> ()
    scf.yield
  }
}

// -----

// CHECK: {{.*}}unregistered.mlir:22:3: error: 'other.op' uses the variable "v" itself instead of its value
// CHECK: Fix: read the variable with 'vyre.get' and use what it gives
vyre.program @p [1, 1, 1] {
  %one = arith.constant 1 : i32
  %v = vyre.let "v" = %one : i32
  "other.op"(%v) : (!vyre.cell<i32>) -> ()
}

// -----

// CHECK: {{.*}}unregistered.mlir:31:5: error: 'vyre.barrier': a grid barrier stands in control that is not grid-uniform
// CHECK: {{.*}}unregistered.mlir:30:3: note: nothing is known about when 'other.op' runs its region
vyre.program @p [1, 1, 1] {
  "other.op"() ({
    vyre.barrier grid_sync
  }) : () -> ()
}

// -----

// CHECK: {{.*}}unregistered.mlir:44:7: error: 'vyre.barrier': a workgroup barrier stands in control that is not workgroup-uniform
// CHECK: {{.*}}unregistered.mlir:42:8: note: %x decides, and is passed by 'other.op'
// CHECK: {{.*}}unregistered.mlir:41:3: note: here
vyre.program @p [64, 1, 1] {
  "other.op"() ({
  ^bb0(%x: i1):
    scf.if %x {
      vyre.barrier acq_rel
    }
    "other.end"() : () -> ()
  }) : () -> ()
}
