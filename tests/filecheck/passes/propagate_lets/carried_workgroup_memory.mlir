// RUN: vyre-opt %s -p vyre-propagate-lets | filecheck %s

// Every access names its workgroup, and the host exchanges the two.
// CHECK-LABEL: vyre.program @ping_pong [64, 1, 1]
// CHECK:         %s_kept = vyre.scratch per_workgroup : memref<?x64xi32>
// CHECK-NEXT:    %t_kept = vyre.scratch per_workgroup : memref<?x64xi32>
// CHECK-NEXT:    %group = vyre.linear_id workgroup
// CHECK:         vyre.barrier grid_sync
// CHECK-NEXT:    %r, %r_1 = scf.for %k = %c0 to %n step %c1 iter_args(%from = %s_kept, %to = %t_kept) -> (memref<?x64xi32>, memref<?x64xi32>) {
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:      %group_1 = vyre.linear_id workgroup
// CHECK:           %x = vyre.load %from[%group_1, %l_1] : memref<?x64xi32>
// CHECK-NEXT:      vyre.store %x, %to[%group_1, %l_1] : memref<?x64xi32>
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:      scf.yield %to, %from : memref<?x64xi32>, memref<?x64xi32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %group_2 = vyre.linear_id workgroup
// CHECK:         %y = vyre.load %r[%group_2, %l_2] : memref<?x64xi32>
// CHECK-NEXT:    vyre.store %y, %a[%i_1] : memref<?xi32>
// CHECK-NEXT:  }
vyre.program @ping_pong [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %s = vyre.buffer "s" workgroup : memref<64xi32>
  %t = vyre.buffer "t" workgroup : memref<64xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%from = %s, %to = %t) -> (memref<64xi32>, memref<64xi32>) {
    vyre.barrier grid_sync
    %x = vyre.load %from[%l] : memref<64xi32>
    vyre.store %x, %to[%l] : memref<64xi32>
    scf.yield %to, %from : memref<64xi32>, memref<64xi32>
  }
  %y = vyre.load %r#0[%l] : memref<64xi32>
  vyre.store %y, %a[%i] : memref<?xi32>
}

// Atomics, copies and lengths.
// CHECK-LABEL: vyre.program @accesses [64, 1, 1]
// CHECK:           %old = vyre.atomic add %one, %from[%group_1, %c0_1] : memref<?x64xi32>
// CHECK:           %was = vyre.atomic_cas %one, %one, %from[%group_1, %c0_1] : memref<?x64xi32>
// CHECK:           %size = arith.constant 64 : index
// CHECK:           vyre.store %old, %a[%size] : memref<?xi32>
// CHECK:           %copy = vyre.async_load %a[%i_1], %to[%group_1, %l_1], %c1_1 : memref<?xi32>, memref<?x64xi32>
vyre.program @accesses [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %s = vyre.buffer "s" workgroup : memref<64xi32>
  %t = vyre.buffer "t" workgroup : memref<64xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%from = %s, %to = %t) -> (memref<64xi32>, memref<64xi32>) {
    vyre.barrier grid_sync
    %one = arith.constant 1 : i32
    %old = vyre.atomic add %one, %from[%c0] : memref<64xi32>
    %was = vyre.atomic_cas %one, %one, %from[%c0] : memref<64xi32>
    %size = vyre.length %to, 0 : memref<64xi32>
    vyre.store %old, %a[%size] : memref<?xi32>
    %copy = vyre.async_load %a[%i], %to[%l], %c1 : memref<?xi32>, memref<64xi32>
    vyre.async_wait %copy
    scf.yield %to, %from : memref<64xi32>, memref<64xi32>
  }
}

// Loops without a grid barrier keep theirs in workgroup memory.
// CHECK-LABEL: vyre.program @without_barrier [64, 1, 1]
// CHECK-NOT:     per_workgroup
// CHECK:         %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
// CHECK:         %s = vyre.buffer "s" workgroup : memref<64xi32>
// CHECK:         %t = vyre.buffer "t" workgroup : memref<64xi32>
// CHECK:         %r, %r_1 = scf.for %k = %c0_1 to %n step %c1_1 iter_args(%from = %s, %to = %t) -> (memref<64xi32>, memref<64xi32>) {
vyre.program @without_barrier [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %s = vyre.buffer "s" workgroup : memref<64xi32>
  %t = vyre.buffer "t" workgroup : memref<64xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  vyre.barrier grid_sync
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%from = %s, %to = %t) -> (memref<64xi32>, memref<64xi32>) {
    %x = vyre.load %from[%l] : memref<64xi32>
    vyre.store %x, %to[%l] : memref<64xi32>
    scf.yield %to, %from : memref<64xi32>, memref<64xi32>
  }
}
