// RUN: vyre-opt %s -p vyre-promote-lets --verify-diagnostics | filecheck %s

// CHECK: {{.*}}unknown_region.mlir:10:10: error: 'vyre.get': nothing is known about when 'test.op' runs its region, which uses a variable
// CHECK: Fix: use scf.if, scf.for, scf.while or vyre.region
vyre.program @p [1, 1, 1] {
  %a = vyre.param "a" : i32
  %x = vyre.let "x" = %a : i32
  "test.op"() ({
    // Perhaps later, perhaps often.
    %v = vyre.get %x : !vyre.cell<i32>
    "test.termop"() : () -> ()
  }) : () -> ()
}
