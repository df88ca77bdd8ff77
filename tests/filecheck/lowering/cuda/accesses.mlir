// RUN: vyre-opt %s -t vyre-cuda | filecheck %s

// An access is compared in each dimension, unless it is proved to be inside. Outside, a load
// gives zero and a store does nothing. An `i1` is a byte, and an `f16` has 16 bits.
// CHECK-LABEL: accesses_kernel(
// CHECK:         if (i < bits_size) {
// CHECK-NEXT:      if (bits[i] != 0) {
// CHECK-NEXT:        const float half = (i < halves_size_0 && j < 4) ? vyre_from_half(halves[(unsigned long long)i * 4 + j]) : 0.0f;
// CHECK-NEXT:        if (j < halves_size_0 && i < 4) {
// CHECK-NEXT:          halves[j * 4 + i] = vyre_to_half(vyre_half(half + half));
// CHECK:         one[0] = -one[0];
vyre.program @accesses [64, 1, 1] {
  %bits = vyre.buffer "bits" read_only binding 0 : memref<?xi1>
  %halves = vyre.buffer "halves" read_write binding 1 : memref<?x4xf16>
  %one = vyre.buffer "one" read_write binding 2 : memref<f64>
  %i = vyre.invocation_id x
  %j = vyre.param "j" : index
  %n = vyre.length %bits, 0 : memref<?xi1>
  %inside = arith.cmpi ult, %i, %n : index
  scf.if %inside {
    %bit = vyre.load %bits[%i] : memref<?xi1>
    scf.if %bit {
      %half = vyre.load %halves[%i, %j] : memref<?x4xf16>
      %twice = arith.addf %half, %half : f16
      vyre.store %twice, %halves[%j, %i] : memref<?x4xf16>
    }
  }
  %x = vyre.load %one[] : memref<f64>
  %y = arith.negf %x : f64
  vyre.store %y, %one[] : memref<f64>
}
