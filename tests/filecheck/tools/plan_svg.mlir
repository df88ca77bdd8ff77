// RUN: vyre-opt %s -p vyre-host-plan -t vyre-plan-svg | filecheck %s

// CHECK: <svg xmlns="http://www.w3.org/2000/svg" {{.*}}aria-label="plan of @find"
// CHECK: class="card"
// CHECK: <text class="title" {{.*}}>@find</text>
// CHECK: <text class="subtitle" {{.*}}>1 launch</text>
// CHECK: <rect class="loop" {{.*}}><title>while %go</title></rect>
// CHECK: <text class="label" {{.*}}>while %go</text>
// CHECK: <rect class="lane" {{.*}}><title>@find.0, look &amp; mark, {{.*}}plan_svg.mlir:{{[0-9]+}}:{{[0-9]+}}</title></rect>
// CHECK: <text class="segment" {{.*}}><title>@find.0</title>0</text>
// CHECK: <text class="name" {{.*}}>a</text>
// CHECK: <text class="name" {{.*}}>last</text>
// CHECK: <path class="host" {{.*}}><title>the host reads last[0]</title></path>
// CHECK: <rect class="read" {{.*}}><title>@find.0 reads "a"</title></rect>
// CHECK: <rect class="write" {{.*}}><title>@find.0 writes "last"</title></rect>
// CHECK: </svg>
vyre.program @find [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %last = vyre.buffer "last" read_write binding 1 : memref<1xi32>
  %zero = arith.constant 0 : index
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %rounds = scf.while (%round = %none) : (i32) -> i32 {
    %found = vyre.load %last[%zero] : memref<1xi32>
    %go = arith.cmpi eq, %found, %round : i32
    scf.condition(%go) %round : i32
  } do {
  ^bb0(%round: i32):
    vyre.barrier grid_sync
    %next = arith.addi %round, %one : i32
    vyre.region "look & mark" {
      %v = vyre.load %a[%i] : memref<?xi32>
      %is_next = arith.cmpi eq, %v, %next : i32
      scf.if %is_next {
        vyre.store %next, %last[%zero] : memref<1xi32>
      }
    }
    vyre.barrier grid_sync
    scf.yield %next : i32
  }
}
