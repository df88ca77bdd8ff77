// RUN: vyre-opt %s -t vyre-llvm | filecheck %s

// Trips of a loop are counted when it ends. An invocation that leaves it by a trap counts
// nothing, so it looks whether to stop.
// CHECK-LABEL: ; ModuleID = "in_a_loop"
//       CHECK: atomicrmw xchg
//       CHECK: br i1 %"{{[^"]*}}", label %"over", label %"[[ON:on[^"]*]]"
//  CHECK-NEXT: [[ON]]:
//  CHECK-NEXT: br label %"x.next
vyre.program @in_a_loop [1, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %few = vyre.param "few" : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %x = vyre.invocation_id x
  scf.for %k = %zero to %few step %one {
    %v = vyre.load %a[%k] : memref<?xi32>
    %c = arith.trunci %v : i32 to i1
    scf.if %c {
      vyre.trap "odd"
    }
    vyre.store %v, %a[%x] : memref<?xi32>
  }
}
