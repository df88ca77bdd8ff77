// RUN: vyre-opt %s -t 'vyre-cuda{mode=native}' | filecheck %s

// Without a barrier, invocations do not see what others write.
// CHECK-LABEL: alone_kernel(
// CHECK-NEXT:      const float *__restrict__ a,
// CHECK-NEXT:      const unsigned long long a_size,
// CHECK-NEXT:      float *__restrict__ b,
vyre.program @alone [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xf32>
  vyre.store %x, %b[%i] : memref<?xf32>
}

// With one they do, and what was loaded before must be loaded again.
// CHECK-LABEL: in_workgroups_kernel(
// CHECK-NEXT:      const float *__restrict__ a,
// CHECK-NEXT:      const unsigned long long a_size,
// CHECK-NEXT:      float *b,
vyre.program @in_workgroups [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xf32>
  vyre.store %x, %b[%i] : memref<?xf32>
  vyre.barrier acq_rel
  vyre.store %x, %b[%i] : memref<?xf32>
}

// CHECK-LABEL: in_the_grid_kernel(
// CHECK-NEXT:      const float *__restrict__ a,
// CHECK-NEXT:      const unsigned long long a_size,
// CHECK-NEXT:      float *b,
vyre.program @in_the_grid [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xf32>
  vyre.barrier grid_sync
  vyre.store %x, %b[%i] : memref<?xf32>
}

// `a` may be what is written as `b`; `c` has storage of its own.
// CHECK-LABEL: aliases_kernel(
// CHECK-NEXT:      const float *a,
// CHECK-NEXT:      const unsigned long long a_size,
// CHECK-NEXT:      float *b,
// CHECK-NEXT:      const unsigned long long b_size,
// CHECK-NEXT:      float *__restrict__ c,
vyre.program @aliases [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 may_alias [0] : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 may_alias [0] : memref<?xf32>
  %c = vyre.buffer "c" write_only binding 2 : memref<?xf32>
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xf32>
  vyre.store %x, %b[%i] : memref<?xf32>
  vyre.store %x, %c[%i] : memref<?xf32>
}
