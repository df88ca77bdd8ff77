// RUN: vyre-opt %s -t vyre-cuda | filecheck %s

// Sizes of workgroups are literals, and axes of size 1 do not count.
// CHECK-LABEL: ids_kernel(
// CHECK:         const unsigned int all = (blockIdx.z * (gridDim.y * 4) + (blockIdx.y * 4 + threadIdx.y)) * (gridDim.x * 8) + (blockIdx.x * 8 + threadIdx.x);
// CHECK-NEXT:    const unsigned int group = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
// CHECK-NEXT:    const unsigned int local = threadIdx.y * 8 + threadIdx.x;
// CHECK-NEXT:    if (all < a_size) a[all] = blockIdx.x * 8 + threadIdx.x;
// CHECK-NEXT:    if (group < a_size) a[group] = blockIdx.z;
// CHECK-NEXT:    if (local < a_size) a[local] = 0;
// CHECK-NEXT:    if (4 < a_size) a[4] = gridDim.x;
vyre.program @ids [8, 4, 1] {
  %a = vyre.buffer "a" write_only binding 0 : memref<?xindex>
  %x = vyre.invocation_id x
  %z = vyre.invocation_id z
  %l = vyre.local_id z
  %c = vyre.workgroup_count x
  %s = vyre.workgroup_size y
  %all = vyre.linear_id invocation
  %group = vyre.linear_id workgroup
  %local = vyre.linear_id local
  vyre.store %x, %a[%all] : memref<?xindex>
  vyre.store %z, %a[%group] : memref<?xindex>
  vyre.store %l, %a[%local] : memref<?xindex>
  vyre.store %c, %a[%s] : memref<?xindex>
}
