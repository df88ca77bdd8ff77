// RUN: vyre-opt %s -t vyre-explain | filecheck %s

// A value is kept, with the reason, or computed again.
// CHECK-LABEL: program @shift: 2 runs
// CHECK-NEXT: run 0 {{.*}}explain.mlir:{{[0-9]+}}
// CHECK-NEXT: run 1   {{.*}}explain.mlir:{{[0-9]+}}
// CHECK: value  type  from  to  way  why
// CHECK-NEXT: %x  f32  run 0  1  per_invocation  "a" is written in run 1
// CHECK-NEXT: %k  index  run 0  1  recomputed  3 operations, cheaper than to keep it
vyre.program @shift [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %i = vyre.invocation_id x
  %one = arith.constant 1 : index
  %k = arith.addi %i, %one : index
  %x = vyre.load %a[%i] : memref<?xf32>
  vyre.barrier grid_sync
  vyre.store %x, %a[%k] : memref<?xf32>
}

// Every way and every reason.
// CHECK-LABEL: program @reasons: 3 runs
// CHECK-NEXT: run 0 {{.*}}explain.mlir:{{[0-9]+}}
// CHECK-NEXT: run 1   {{.*}}explain.mlir:{{[0-9]+}}
// CHECK-NEXT: run 2   {{.*}}explain.mlir:{{[0-9]+}}
// CHECK: value  type  from  to  way  why
// CHECK-NEXT: %half  index  run 0  1  parameter  the host computes it
// CHECK-NEXT: %all  i32  run 0  2  single  the same in the whole grid; "a" is written in run 1
// CHECK-NEXT: %group  i32  run 0  2  per_workgroup  the same in its workgroup; "a" is written in run 1
// CHECK-NEXT: %ticket  i32  run 1  2  per_invocation  an atomic is executed once
// CHECK-NEXT: %chosen  i32  run 0  2  per_invocation  the result of 'scf.if' is not computed again
// CHECK-NEXT: %e  f32  run 0  2  per_invocation  'math.exp' may differ in its last places elsewhere
// CHECK-NEXT: %t  i32  run 1  2  per_invocation  loaded from workgroup memory
// CHECK-NEXT: %tile  memref<64xi32>  run 0  1  saved  workgroup memory does not outlive a launch, and is read later
vyre.program @reasons [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %f = vyre.buffer "f" read_write binding 1 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xi32>
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1 : i32
  %half = arith.divui %n, %c2 : index
  %all = vyre.load %a[%n] : memref<?xi32>
  %g = vyre.workgroup_id x
  %group = vyre.load %a[%g] : memref<?xi32>
  %y = vyre.load %f[%i] : memref<?xf32>
  %e = math.exp %y : f32
  vyre.store %one, %tile[%c0] : memref<64xi32>
  %small = arith.cmpi ult, %i, %n : index
  %chosen = scf.if %small -> (i32) {
    scf.yield %one : i32
  } else {
    scf.yield %all : i32
  }
  vyre.barrier grid_sync
  %ticket = vyre.atomic add %one, %a[%half] : memref<?xi32>
  %t = vyre.load %tile[%l] : memref<64xi32>
  vyre.barrier grid_sync
  vyre.store %all, %a[%i] : memref<?xi32>
  vyre.store %group, %a[%i] : memref<?xi32>
  vyre.store %ticket, %a[%i] : memref<?xi32>
  vyre.store %chosen, %a[%i] : memref<?xi32>
  vyre.store %e, %f[%i] : memref<?xf32>
  vyre.store %t, %a[%i] : memref<?xi32>
}

// Runs are numbered as they stand in the text; what a loop carries is one place.
// CHECK-LABEL: program @loop: 3 runs
// CHECK-NEXT: run 0 {{.*}}explain.mlir:{{[0-9]+}}
// CHECK-NEXT: run 2   {{.*}}explain.mlir:{{[0-9]+}}, in 1 loop
// CHECK-NEXT: run 4   {{.*}}explain.mlir:{{[0-9]+}}
// CHECK: value  type  from  to  way  why
// CHECK-NEXT: %v  i32  2  per_invocation  'scf.for' carries it; written in run 0, 2
// CHECK-NEXT: %k  index  2  parameter  the host has it
// CHECK-NEXT: %r  i32  4  per_invocation  'scf.for' carries it; written in run 0, 2
vyre.program @loop [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = vyre.load %a[%i] : memref<?xi32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%v = %x) -> (i32) {
    vyre.barrier grid_sync
    %w = arith.addi %v, %v : i32
    vyre.store %w, %a[%k] : memref<?xi32>
    scf.yield %w : i32
  }
  vyre.store %r, %a[%i] : memref<?xi32>
}

// What the host passes on is a parameter.
// CHECK-LABEL: program @host: 2 runs
// CHECK-NEXT: run 0 {{.*}}explain.mlir:{{[0-9]+}}
// CHECK-NEXT: run 6   {{.*}}explain.mlir:{{[0-9]+}}
// CHECK: value  type  from  to  way  why
// CHECK-NEXT: %read  i1  run 0  6  parameter  the host reads it from its buffer
// CHECK-NEXT: %fetched  i1  run 0  6  parameter  the host reads it back
// CHECK-NEXT: %next  index  run 0  6  parameter  the host computes it
vyre.program @host [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi1>
  %flags = vyre.buffer "flags" read_only binding 1 : memref<?xi1>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %next = arith.addi %n, %c1 : index
  %read = vyre.load %flags[%c0] : memref<?xi1>
  %fetched = vyre.load %flags[%n] : memref<?xi1>
  scf.if %read {
    vyre.barrier grid_sync
  }
  scf.if %fetched {
    vyre.barrier grid_sync
  }
  vyre.store %read, %a[%i] : memref<?xi1>
  vyre.store %fetched, %a[%next] : memref<?xi1>
}

// CHECK-LABEL: program @nothing: 0 runs
// CHECK: nothing crosses
vyre.program @nothing [64, 1, 1] {
  vyre.barrier grid_sync
}

// CHECK-LABEL: program @no_barrier: no grid barrier, nothing to split
vyre.program @no_barrier [64, 1, 1] {
  vyre.barrier acq_rel
}
