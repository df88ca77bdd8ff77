// RUN: VYRE_INVALID

// Rules of blocks, which hold in every dialect.
// CHECK: {{.*}}terminator.mlir:9:5: error: 'vyre.barrier': a block of 'scf.if' does not end with a terminator
// CHECK: Fix: end it with the operation that its parent expects, such as a yield
vyre.program @p [64, 1, 1] {
  %c = vyre.param "c" : i1
  "scf.if"(%c) ({
    vyre.barrier acq_rel
  }, {
  }) : (i1) -> ()
}

// -----

// CHECK: {{.*}}terminator.mlir:19:3: error: 'scf.execute_region': a block of 'scf.execute_region' does not end with a terminator
// CHECK: Fix: end it with the operation that its parent expects, such as a yield
vyre.program @p [64, 1, 1] {
  scf.execute_region {
    cf.br ^second
  ^second:
  }
}

// -----

// CHECK: {{.*}}terminator.mlir:31:5: error: 'vyre.return': a block of 'vyre.region' does not end with a terminator
// CHECK: Fix: end it with the operation that its parent expects, such as a yield
vyre.program @p [64, 1, 1] {
  "vyre.region"() ({
    vyre.return
  }) : () -> ()
}

// -----

// CHECK: {{.*}}terminator.mlir:41:5: error: 'cf.br' must be the last operation in its parent block
// CHECK: Fix: make it follow the rules of 'cf.br'
vyre.program @p [64, 1, 1] {
  scf.execute_region {
    cf.br ^second
    scf.yield
  ^second:
    scf.yield
  }
}
