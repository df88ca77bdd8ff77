// RUN: vyre-opt %s -t vyre-cuda | filecheck %s

// CUDA's atomics, but for sums of floats in global memory, where those flush to zero. Outside
// the buffer nothing happens, and the old value is zero.
// CHECK:       static __device__ __forceinline__ float vyre_atomic_add(float *place, float value) {
// CHECK-LABEL: atomics_kernel(
// CHECK:         const unsigned int a = atomicAdd(&words[threadIdx.x], w);
// CHECK-NEXT:    atomicMin((int *)&words[threadIdx.x], w);
// CHECK-NEXT:    atomicMin(&words[threadIdx.x], a);
// CHECK-NEXT:    const unsigned long long e = threadIdx.x < longs_size ? atomicExch(&longs[threadIdx.x], l) : 0;
// CHECK-NEXT:    if (threadIdx.x < longs_size) atomicCAS(&longs[threadIdx.x], e, l);
// CHECK-NEXT:    vyre_atomic_add(&floats[threadIdx.x], f);
// CHECK-NEXT:    atomicAdd(&doubles[threadIdx.x], d);
// CHECK-NEXT:    atomicAdd(&tile[threadIdx.x], f);
vyre.program @atomics [64, 1, 1] {
  %words = vyre.buffer "words" read_write binding 0 : memref<64xi32>
  %longs = vyre.buffer "longs" read_write binding 1 : memref<?xi64>
  %floats = vyre.buffer "floats" read_write binding 2 : memref<64xf32>
  %doubles = vyre.buffer "doubles" read_write binding 3 : memref<64xf64>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.local_id x
  %w = vyre.param "w" : i32
  %l = vyre.param "l" : i64
  %f = vyre.param "f" : f32
  %d = vyre.param "d" : f64
  %a = vyre.atomic add %w, %words[%i] : memref<64xi32>
  %b = vyre.atomic min %w, %words[%i] : memref<64xi32>
  %c = vyre.atomic umin %a, %words[%i] : memref<64xi32>
  %e = vyre.atomic exchange %l, %longs[%i] : memref<?xi64>
  %g = vyre.atomic_cas %e, %l, %longs[%i] : memref<?xi64>
  %h = vyre.atomic add %f, %floats[%i] : memref<64xf32>
  %k = vyre.atomic add %d, %doubles[%i] : memref<64xf64>
  %t = vyre.atomic add %f, %tile[%i] : memref<64xf32>
  vyre.barrier acq_rel
  %s = vyre.load %tile[%i] : memref<64xf32>
  vyre.store %s, %floats[%i] : memref<64xf32>
}
