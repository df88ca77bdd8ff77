// RUN: vyre-opt %s -p 'vyre-plan-megakernel{budget=100}' | filecheck %s
// RUN: vyre-opt %s -p 'vyre-plan-megakernel{budget=107 graph=7 readback=500 packing=best}' | filecheck %s --check-prefix=BEST
// RUN: vyre-opt %s -p 'vyre-plan-megakernel{budget=18446744073709551615 readback=18446744073709551614}' | filecheck %s --check-prefix=LARGE

vyre.program @square [2, 1, 1] {
  %x = vyre.buffer "x" read_only binding 0 : memref<5xi32>
  %y = vyre.buffer "y" write_only binding 1 : memref<5xi32>
  %tile = vyre.buffer "tile" workgroup : memref<1xi16>
  %i = vyre.invocation_id x
  %v = vyre.load %x[%i] : memref<5xi32>
  %w = arith.muli %v, %v : i32
  vyre.store %w, %y[%i] : memref<5xi32>
}

// Given are 60, 60, 40 and 40; derived are 20 + 4 * 2 + 20 = 48, and 56 with two workgroups.
// CHECK:      vyre.megakernel @m plan {global_barriers = 4 : ui64, peak_frontier_bytes = 100 : ui64, peak_scratch_bytes = 4 : ui64, peak_output_bytes = 20 : ui64, amortized_readback_bytes = 20 : ui64, max_group_width = 2 : ui64, resident_graph_bytes = 0 : ui64, budget_bytes = 100 : ui64} {
// CHECK-NEXT:   vyre.wave "a" {{.*}} group 0
// CHECK-NEXT:   vyre.wave "b" {{.*}} group 1
// CHECK-NEXT:   vyre.wave "c" {{.*}} group 1
// CHECK-NEXT:   vyre.wave "d" {{.*}} group 2
// CHECK-NEXT:   vyre.wave "e" {{.*}} group 2
// CHECK-NEXT:   vyre.wave "f" {{.*}} group 3
// CHECK-NEXT:   vyre.wave "g" {{.*}} group 4

// BEST:      vyre.megakernel @m plan {global_barriers = 3 : ui64, {{.*}}amortized_readback_bytes = 500 : ui64, max_group_width = 2 : ui64, resident_graph_bytes = 7 : ui64, budget_bytes = 107 : ui64} in_order {global_barriers = 4 : ui64, {{.*}}
// BEST-NEXT:   vyre.wave "a" {{.*}} group 0
// BEST-NEXT:   vyre.wave "b" {{.*}} group 1
// BEST-NEXT:   vyre.wave "c" {{.*}} group 0
// BEST-NEXT:   vyre.wave "d" {{.*}} group 1
// BEST-NEXT:   vyre.wave "e" {{.*}} group 2
// BEST-NEXT:   vyre.wave "f" {{.*}} group 2
// BEST-NEXT:   vyre.wave "g" {{.*}} group 3
// LARGE: amortized_readback_bytes = 18446744073709551614 : ui64
// LARGE-SAME: budget_bytes = 18446744073709551615 : ui64
vyre.megakernel @m {
  vyre.wave "a" @square after [] bytes [60, 0, 0]
  vyre.wave "b" @square after [] bytes [60, 0, 0]
  vyre.wave "c" @square after [] bytes [40, 0, 0]
  vyre.wave "d" @square after [] bytes [40, 0, 0]
  vyre.wave "e" @square with {x = "u", y = "v"}
  vyre.wave "f" @square with {x = "u", y = "w"}
  vyre.wave "g" @square grid [2, 1, 1] with {x = "v", y = "z"}
}
