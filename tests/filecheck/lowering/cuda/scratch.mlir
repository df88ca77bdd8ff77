// RUN: vyre-opt %s -t vyre-cuda | filecheck %s

// Scratch has an element for each invocation or workgroup of the grid; an own element needs
// no test.
// CHECK-LABEL: scratch_kernel(
// CHECK:           unsigned int *s,
// CHECK-NEXT:      unsigned int *t) {
// CHECK:         s[me] = 1;
// CHECK-NEXT:    t[group] = 1;
// CHECK-NEXT:    if (me < out_size) out[me] = s[me] + t[group];
// CHECK-NEXT:    const unsigned int many = (unsigned int)((unsigned long long)gridDim.x * gridDim.y * gridDim.z * 4 * 2);
// CHECK-NEXT:    if (0 < out_size) out[0] = many;
// CHECK-NEXT:    const unsigned int few = (unsigned int)((unsigned long long)gridDim.x * gridDim.y * gridDim.z);
// CHECK-NEXT:    if (1 < out_size) out[1] = few;
vyre.program @scratch [4, 2, 1] {
  %out = vyre.buffer "out" read_write binding 0 : memref<?xi32>
  %s = vyre.scratch per_invocation : memref<?xi32>
  %t = vyre.scratch per_workgroup : memref<?xi32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %x = arith.constant 1 : i32
  %me = vyre.linear_id invocation
  %group = vyre.linear_id workgroup
  vyre.store %x, %s[%me] : memref<?xi32>
  vyre.store %x, %t[%group] : memref<?xi32>
  %u = vyre.load %s[%me] : memref<?xi32>
  %v = vyre.load %t[%group] : memref<?xi32>
  %w = arith.addi %u, %v : i32
  vyre.store %w, %out[%me] : memref<?xi32>
  %invocations = vyre.length %s, 0 : memref<?xi32>
  %many = arith.index_cast %invocations : index to i32
  vyre.store %many, %out[%zero] : memref<?xi32>
  %workgroups = vyre.length %t, 0 : memref<?xi32>
  %few = arith.index_cast %workgroups : index to i32
  vyre.store %few, %out[%one] : memref<?xi32>
  vyre.store %few, %out[%zero] : memref<?xi32>
}
