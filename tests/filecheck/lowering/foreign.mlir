// RUN: vyre-opt %s -t vyre-cuda --allow-unregistered-dialect --split-input-file --verify-diagnostics | filecheck %s
// RUN: vyre-opt %s -t vyre-cuda{mode=native} --allow-unregistered-dialect --split-input-file --verify-diagnostics | filecheck %s
// RUN: vyre-opt %s -t vyre-llvm --allow-unregistered-dialect --split-input-file --verify-diagnostics | filecheck %s
// RUN: vyre-opt %s -t vyre-explain --allow-unregistered-dialect --split-input-file --verify-diagnostics | filecheck %s
// RUN: vyre-opt %s -t vyre-plan --allow-unregistered-dialect --split-input-file --verify-diagnostics | filecheck %s
// RUN: vyre-opt %s -t vyre-plan-svg --allow-unregistered-dialect --split-input-file --verify-diagnostics | filecheck %s

// CHECK:      {{.*}}foreign.mlir:13:3: error: 'other.op': no engine can run this operation
// CHECK:      Fix: lower it to arith, math, scf and vyre operations first
// CHECK-NOT:  Fix:
vyre.program @unregistered [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<4xi32>
  "other.op"(%a) : (memref<4xi32>) -> ()
  vyre.barrier grid_sync
}

// -----

// CHECK:      {{.*}}foreign.mlir:26:8: error: 'memref.load': no engine can run this operation
// CHECK-NEXT:   %v = memref.load %a[%i] : memref<4xi32>
// CHECK:      Fix: lower it to arith, math, scf and vyre operations first
// CHECK-NOT:  Fix:
vyre.program @of_another_dialect [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<4xi32>
  %i = vyre.invocation_id x
  %v = memref.load %a[%i] : memref<4xi32>
  vyre.store %v, %a[%i] : memref<4xi32>
}
