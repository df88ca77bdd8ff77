// RUN: vyre-opt %s -p vyre-predicate-returns | filecheck %s

// All invocations, returned ones too, make the same trips through a loop whose result decides,
// through a branch that assigns a variable, how often they meet.
// CHECK-LABEL: vyre.program @through_a_variable
// CHECK:         %alive = arith.select %c, %false, %true : i1
// CHECK-NEXT:    %r = scf.for %k = %lb to %n step %n iter_args(%s = %n) -> (index) {
// CHECK:         scf.for %k_1 = %lb to %end step %n {
// CHECK-NEXT:      scf.if %alive {
// CHECK-NEXT:        vyre.store %k_1, %a[%i] : memref<?xindex>
// CHECK-NEXT:      }
// CHECK-NEXT:      vyre.barrier grid_sync
vyre.program @through_a_variable [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %lb = vyre.param "lb" : index
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %c = arith.cmpi ult, %i, %n : index
  scf.if %c {
    vyre.return
  }
  %r = scf.for %k = %lb to %n step %n iter_args(%s = %n) -> (index) {
    %t = arith.addi %s, %k : index
    scf.yield %t : index
  }
  %trips = vyre.let "trips" = %n : index
  %more = arith.cmpi ult, %r, %n : index
  scf.if %more {
    vyre.assign %lb, %trips : !vyre.cell<index>
  }
  %end = vyre.get %trips : !vyre.cell<index>
  scf.for %k = %lb to %end step %n {
    vyre.store %k, %a[%i] : memref<?xindex>
    vyre.barrier grid_sync
  }
}
