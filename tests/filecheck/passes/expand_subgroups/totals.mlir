// RUN: vyre-opt %s -p vyre-expand-subgroups | filecheck %s

// The first lanes serve a subgroup each, one value after the other. Buffers are shared by
// operations of one type: a ballot gives its bits where an i1 does, and takes an i32.
// CHECK-LABEL: vyre.program @integers
// CHECK:         %lanes_i32 = vyre.buffer "lanes_i32" workgroup : memref<64xi32>
// CHECK-NEXT:    %totals_i32 = vyre.buffer "totals_i32" workgroup : memref<2xi32>
// CHECK-NEXT:    %lanes_i1 = vyre.buffer "lanes_i1" workgroup : memref<64xi1>
// CHECK-NEXT:    %lane = vyre.linear_id local
// CHECK:         vyre.store %v, %lanes_i32[%lane] : memref<64xi32>
// CHECK-NEXT:    vyre.barrier acq_rel
// CHECK-NEXT:    %[[TWO:.*]] = arith.constant 2 : index
// CHECK-NEXT:    %serves = arith.cmpi ult, %lane, %[[TWO]] : index
// CHECK-NEXT:    scf.if %serves {
// CHECK:           %begin = arith.muli %lane, %{{.*}} : index
// CHECK-NEXT:      %end = arith.addi %begin, %{{.*}} : index
// CHECK-NEXT:      %[[MOST:.*]] = arith.constant 2147483647 : i32
// CHECK:           %[[TOTAL:.*]] = scf.for %k = %begin to %end step %{{.*}} iter_args(%[[PART:.*]] = %[[MOST]]) -> (i32) {
// CHECK-NEXT:        %[[ONE:.*]] = vyre.load %lanes_i32[%k] : memref<64xi32>
// CHECK-NEXT:        %[[LESS:.*]] = arith.minsi %[[PART]], %[[ONE]] : i32
// CHECK-NEXT:        scf.yield %[[LESS]] : i32
// CHECK-NEXT:      }
// CHECK-NEXT:      vyre.store %[[TOTAL]], %totals_i32[%lane] : memref<2xi32>
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.barrier acq_rel
// CHECK-NEXT:    %{{.*}} = arith.constant 5 : index
// CHECK-NEXT:    %subgroup = arith.shrui %lane, %{{.*}} : index
// CHECK-NEXT:    %least = vyre.load %totals_i32[%subgroup] : memref<2xi32>
// CHECK:         vyre.store %p, %lanes_i1[%lane] : memref<64xi1>
// CHECK-NEXT:    vyre.barrier acq_rel
// CHECK:           scf.for
// CHECK:             arith.extui
// CHECK:             arith.shli
// CHECK:             arith.ori
// CHECK:           vyre.store %{{.*}}, %totals_i32[%lane] : memref<2xi32>
// CHECK:         vyre.barrier acq_rel
// CHECK:         %mask = vyre.load %totals_i32[%{{.*}}] : memref<2xi32>
vyre.program @integers [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %v = vyre.load %a[%i] : memref<?xi32>
  %least = vyre.subgroup_reduce min %v : i32
  %p = arith.cmpi eq, %least, %v : i32
  %mask = vyre.subgroup_ballot %p
  vyre.store %mask, %a[%i] : memref<?xi32>
}

// Floats are combined along the tree. Of 5 lanes only the fifth has a partner at distance
// 4, and at larger distances none has.
// CHECK-LABEL: vyre.program @floats
// CHECK:         scf.if %serves {
// CHECK-NOT:       arith.constant 16
// CHECK-NOT:       arith.constant 8
// CHECK:           %[[FOUR:.*]] = arith.addi %k, %{{.*}} : index
// CHECK-NEXT:      %[[LEFT:.*]] = vyre.load %lanes_f16[%k] : memref<5xf16>
// CHECK-NEXT:      %[[RIGHT:.*]] = vyre.load %lanes_f16[%[[FOUR]]] : memref<5xf16>
// CHECK-NEXT:      %[[SUM:.*]] = arith.addf %[[LEFT]], %[[RIGHT]] : f16
// CHECK-NEXT:      vyre.store %[[SUM]], %lanes_f16[%k] : memref<5xf16>
// CHECK-COUNT-2:   arith.addf
// CHECK-NOT:       arith.addf
// CHECK:         vyre.barrier acq_rel
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT:    %sum = vyre.load %totals_f16[%[[ZERO]]] : memref<1xf16>
vyre.program @floats [5, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf16>
  %i = vyre.invocation_id x
  %v = vyre.load %a[%i] : memref<?xf16>
  %sum = vyre.subgroup_reduce add %v : f16
  vyre.store %sum, %a[%i] : memref<?xf16>
}

// Of 40 lanes, the second subgroup has 8.
// CHECK-LABEL: vyre.program @partial
// CHECK:         %[[FULL:.*]] = arith.addi %begin, %{{.*}} : index
// CHECK-NEXT:    %end{{.*}} = arith.minui %[[FULL]], %{{.*}} : index
vyre.program @partial [40, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %v = vyre.load %a[%i] : memref<?xi32>
  %all = vyre.subgroup_reduce and %v : i32
  vyre.store %all, %a[%i] : memref<?xi32>
}

// Who has returned gives what changes nothing, and serves.
// CHECK-LABEL: vyre.program @returns
// CHECK-NOT:     vyre.return
// CHECK:         %[[V:.*]] = arith.select %alive, %v, %{{.*}} : i32
// CHECK-NEXT:    vyre.store %[[V]], %lanes_i32[%lane] : memref<32xi32>
// CHECK:         scf.if %alive {
// CHECK-NEXT:      vyre.store %sum, %a[%i] : memref<?xi32>
vyre.program @returns [32, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %v = vyre.load %a[%i] : memref<?xi32>
  %zero = arith.constant 0 : i32
  %is_zero = arith.cmpi eq, %v, %zero : i32
  scf.if %is_zero {
    vyre.return
  }
  %sum = vyre.subgroup_reduce add %v : i32
  vyre.store %sum, %a[%i] : memref<?xi32>
}

// Nothing to exchange.
// CHECK-LABEL: vyre.program @ids
// CHECK-NEXT:    %lane = vyre.subgroup_local_id
// CHECK-NEXT:    %width = vyre.subgroup_size
// CHECK-NEXT:    %less = arith.cmpi
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      vyre.return
vyre.program @ids [32, 1, 1] {
  %lane = vyre.subgroup_local_id
  %width = vyre.subgroup_size
  %less = arith.cmpi ult, %lane, %width : index
  scf.if %less {
    vyre.return
  }
  vyre.barrier acq_rel
}
