// RUN: vyre-opt %s -t vyre-cuda | filecheck %s

// Workgroup memory starts as zeros, where somebody may read them.
// CHECK-LABEL: tiles_kernel(
// CHECK:         __shared__ float tile[256];
// CHECK-NEXT:    __shared__ unsigned int word[1];
// CHECK-NEXT:    for (unsigned int k = threadIdx.y * 8 + threadIdx.x; k < 256; k += 64) tile[k] = 0;
// CHECK-NEXT:    if (threadIdx.y * 8 + threadIdx.x < 1) word[threadIdx.y * 8 + threadIdx.x] = 0;
// CHECK-NEXT:    __syncthreads();
// CHECK:         __syncthreads();
vyre.program @tiles [8, 8, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<16x16xf32>
  %word = vyre.buffer "word" workgroup : memref<1xi32>
  %x = vyre.local_id x
  %i = vyre.invocation_id x
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %old = vyre.atomic add %one, %word[%zero] : memref<1xi32>
  vyre.barrier acq_rel
  %v = vyre.load %tile[%x, %zero] : memref<16x16xf32>
  %n = vyre.load %word[%zero] : memref<1xi32>
  %f = arith.sitofp %n : i32 to f32
  %s = arith.addf %v, %f : f32
  vyre.store %s, %a[%i] : memref<?xf32>
}

// All of it is written before anything is read.
// CHECK-LABEL: written_kernel(
// CHECK:         __shared__ float tile[64];
// CHECK-NEXT:    tile[threadIdx.x] = a[threadIdx.x];
vyre.program @written [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<64xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %x = vyre.local_id x
  %last = arith.constant 63 : index
  %v = vyre.load %a[%x] : memref<64xf32>
  vyre.store %v, %tile[%x] : memref<64xf32>
  vyre.barrier acq_rel
  %other = arith.subi %last, %x : index
  %w = vyre.load %tile[%other] : memref<64xf32>
  vyre.store %w, %a[%x] : memref<64xf32>
}

// Nobody reads it at all.
// CHECK-LABEL: unread_kernel(
// CHECK-NOT:     tile
vyre.program @unread [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<64xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %x = vyre.local_id x
  %v = vyre.load %a[%x] : memref<64xf32>
  vyre.store %v, %tile[%x] : memref<64xf32>
}
