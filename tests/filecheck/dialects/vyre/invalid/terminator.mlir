// RUN: VYRE_INVALID

// Rules of blocks, which hold in every dialect.
// CHECK: {{.*}}terminator.mlir:8:3: error: 'scf.if' terminates with operation vyre.barrier instead of scf.yield
// CHECK: Fix: make it follow the rules of 'scf.if'
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

// CHECK: {{.*}}terminator.mlir:30:3: error: 'vyre.region' terminates with operation vyre.return instead of vyre.yield
// CHECK: Fix: write it like `%sum = vyre.region "row_sum" from "blas.gemv" -> (f32) {`
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
