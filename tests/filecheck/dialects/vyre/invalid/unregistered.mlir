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
