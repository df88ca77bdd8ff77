// RUN: vyre-opt %s -p vyre-host-plan -t vyre-plan | filecheck %s --strict-whitespace --match-full-lines
// RUN: vyre-opt %s -t vyre-plan | filecheck %s --check-prefix WHOLE

//      CHECK:@smooth: 2 launches; scratch: 4 B per invocation; {{.*}}plan.mlir
// CHECK-EMPTY:
// CHECK-NEXT:  for %k in 0 to %rounds
// CHECK-NEXT:    0  @smooth.0  read  line {{[0-9]+}}
// CHECK-NEXT:    1  @smooth.1  keep  line {{[0-9]+}}
// CHECK-EMPTY:
// CHECK-NEXT:                                            0  1
// CHECK-NEXT:                                           [----]
// CHECK-NEXT:  a         read_write  ?xf32               r  w
// CHECK-NEXT:  sum_kept  scratch     4 B per invocation  w  r
// CHECK-EMPTY:
// CHECK-NEXT:  r reads, w writes, [] loop

// WHOLE: @smooth: 1 launch with 2 grid barriers inside; {{.*}}plan.mlir
// WHOLE: 0 @smooth read, keep line {{[0-9]+}}
// WHOLE: a read_write ?xf32 rw
vyre.program @smooth [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %rounds = vyre.param "rounds" : index
  %i = vyre.invocation_id x
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %next = arith.addi %i, %one : index
  scf.for %k = %zero to %rounds step %one {
    %mean = vyre.region "read" -> (f32) {
      %mine = vyre.load %a[%i] : memref<?xf32>
      %other = vyre.load %a[%next] : memref<?xf32>
      %sum = arith.addf %mine, %other : f32
      vyre.yield %sum : f32
    }
    vyre.barrier grid_sync
    vyre.region "keep" {
      vyre.store %mean, %a[%i] : memref<?xf32>
    }
    vyre.barrier grid_sync
  }
}

// A program without a barrier has a plan beside the schedule.
//      CHECK:@alone: 1 launch; {{.*}}plan.mlir
// CHECK-EMPTY:
// CHECK-NEXT:  0  @alone  line {{[0-9]+}}
// CHECK-EMPTY:
// CHECK-NEXT:                                   0
// CHECK-NEXT:  count  read_write  1xi32 output  a
// CHECK-EMPTY:
// CHECK-NEXT:  a atomics
vyre.program @alone [64, 1, 1] {
  %count = vyre.buffer "count" read_write binding 0 output : memref<1xi32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %old = vyre.atomic add %one, %count[%zero] : memref<1xi32>
}
