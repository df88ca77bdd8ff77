// RUN: vyre-opt %s -p vyre-plan-megakernel | filecheck %s

// Waves come after those with which they have a buffer in common that one of them writes.

vyre.program @copy [64, 1, 1] {
  %from = vyre.buffer "from" read_only binding 0 : memref<?xi32>
  // What is declared does not count, only what is done.
  %to = vyre.buffer "to" read_write binding 1 : memref<?xi32>
  %other = vyre.buffer "other" read_write binding 2 : memref<?xi32>
  %i = vyre.invocation_id x
  %v = vyre.load %from[%i] : memref<?xi32>
  vyre.store %v, %to[%i] : memref<?xi32>
}

// CHECK:      vyre.megakernel @derived plan {global_barriers = 3 : ui64, max_group_width = 3 : ui64} {
vyre.megakernel @derived {
  // CHECK-NEXT: vyre.wave "a_to_b" {{.*}} group 0
  vyre.wave "a_to_b" @copy with {from = "a", to = "b"}
  // Two may read.
  // CHECK-NEXT: vyre.wave "a_to_c" {{.*}} group 0
  vyre.wave "a_to_c" @copy with {from = "a", to = "c"}
  // A read after a write.
  // CHECK-NEXT: vyre.wave "b_to_d" {{.*}} group 1
  vyre.wave "b_to_d" @copy with {from = "b", to = "d"}
  // A write after reads.
  // CHECK-NEXT: vyre.wave "c_to_a" {{.*}} group 1
  vyre.wave "c_to_a" @copy with {from = "c", to = "a"}
  // A write after a write.
  // CHECK-NEXT: vyre.wave "e_to_d" {{.*}} group 2
  vyre.wave "e_to_d" @copy with {from = "e", to = "d"}
  // CHECK-NEXT: vyre.wave "f_to_g" {{.*}} group 0
  vyre.wave "f_to_g" @copy with {from = "f", to = "g"}
  // Through the one before.
  // CHECK-NEXT: vyre.wave "d_to_h" {{.*}} group 3
  vyre.wave "d_to_h" @copy with {from = "d", to = "h"}
}

// What is given counts instead, in both directions; who is derived comes after both writers.
// CHECK:      vyre.megakernel @given plan {global_barriers = 2 : ui64, max_group_width = 2 : ui64} {
// CHECK-NEXT:   vyre.wave "one" {{.*}} group 1
// CHECK-NEXT:   vyre.wave "two" {{.*}} group 0
// CHECK-NEXT:   vyre.wave "three" {{.*}} group 0
// CHECK-NEXT:   vyre.wave "reader" {{.*}} group 2
vyre.megakernel @given {
  vyre.wave "one" @copy after ["two"] with {from = "a", to = "b"}
  vyre.wave "two" @copy after [] with {from = "c", to = "b"}
  vyre.wave "three" @copy after [] with {from = "d", to = "b"}
  vyre.wave "reader" @copy with {from = "b", to = "e"}
}

// CHECK:      vyre.megakernel @empty plan {global_barriers = 0 : ui64, max_group_width = 0 : ui64} {
vyre.megakernel @empty {
}
