// RUN: vyre-opt %s -t vyre-cuda | filecheck %s

// If all lanes are always there, they exchange values in pairs.
// CHECK:       static __device__ __forceinline__ float vyre_reduce_add_f32(float value) {
// CHECK:           const float other = __shfl_xor_sync(0xffffffffu, value, distance);
// CHECK-LABEL: full_kernel(
// CHECK:         const float sum = vyre_reduce_add_f32(a[threadIdx.x]);
// CHECK-NEXT:    const float left = vyre_shuffle_f32(sum, threadIdx.x % 32);
// CHECK:         __ballot_sync(0xffffffffu, left > 0.0f)
vyre.program @full [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<64xf32>
  %m = vyre.buffer "m" read_write binding 1 : memref<64xi32>
  %i = vyre.local_id x
  %v = vyre.load %a[%i] : memref<64xf32>
  %sum = vyre.subgroup_reduce add %v : f32
  %lane = vyre.subgroup_local_id
  %left = vyre.subgroup_shuffle %sum, %lane : f32
  vyre.store %left, %a[%i] : memref<64xf32>
  %zero = arith.constant 0.0 : f32
  %p = arith.cmpf ogt, %left, %zero : f32
  %mask = vyre.subgroup_ballot %p
  vyre.store %mask, %m[%i] : memref<64xi32>
}

// Of 48 invocations, the second subgroup has half its lanes. Bytes are exchanged as words.
// CHECK:       const unsigned int here = __ballot_sync(0xffffffffu, true);
// CHECK-LABEL: some_kernel(
// CHECK:         vyre_reduce_present_min_i32((int)(signed char)a[threadIdx.x], threadIdx.x % 32);
vyre.program @some [48, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<64xi8>
  %i = vyre.local_id x
  %v = vyre.load %a[%i] : memref<64xi8>
  %least = vyre.subgroup_reduce min %v : i8
  vyre.store %least, %a[%i] : memref<64xi8>
}

// A lane may have returned.
// CHECK-LABEL: returned_kernel(
// CHECK:         vyre_shuffle_present_u32(
vyre.program @returned [32, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<32xi32>
  %i = vyre.local_id x
  %n = vyre.param "n" : index
  %outside = arith.cmpi uge, %i, %n : index
  scf.if %outside {
    vyre.return
  }
  %v = vyre.load %a[%i] : memref<32xi32>
  %other = vyre.subgroup_shuffle %v, %n : i32
  vyre.store %other, %a[%i] : memref<32xi32>
}
