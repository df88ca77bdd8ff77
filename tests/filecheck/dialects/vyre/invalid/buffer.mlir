// RUN: VYRE_INVALID

// CHECK: {{.*}}buffer.mlir:6:8: error: 'vyre.buffer': the buffer has no name
// CHECK: Fix: name it, it is an argument
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "" read_only binding 0 : memref<?xi32>
}

// -----

// CHECK: {{.*}}buffer.mlir:14:8: error: 'vyre.buffer': buffer "a" has no binding
// CHECK: Fix: write `binding N` after the access, with a number not used yet
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only : memref<?xi32>
}

// -----

// CHECK: {{.*}}buffer.mlir:22:8: error: 'vyre.buffer': binding -1 is negative
// CHECK: Fix: number bindings from 0
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding -1 : memref<?xi32>
}

// -----

// CHECK: {{.*}}buffer.mlir:30:11: error: 'vyre.buffer': a schedule cannot hold the workgroup buffer "tile"
// CHECK: Fix: declare it in the programs that use it
vyre.schedule @s {
  %tile = vyre.buffer "tile" workgroup : memref<4xi32>
}

// -----

// CHECK: {{.*}}buffer.mlir:38:11: error: 'vyre.buffer': workgroup buffer "tile" has no fixed positive size
// CHECK: Fix: write every size of its type as a positive number
vyre.program @p [64, 1, 1] {
  %tile = vyre.buffer "tile" workgroup : memref<4x?xi32>
}

// -----

// CHECK: {{.*}}buffer.mlir:46:11: error: 'vyre.buffer': workgroup buffer "tile" has no fixed positive size
// CHECK: Fix: write every size of its type as a positive number
vyre.program @p [64, 1, 1] {
  %tile = vyre.buffer "tile" workgroup : memref<4x0xi32>
}

// -----

// CHECK: {{.*}}buffer.mlir:54:11: error: 'vyre.buffer': workgroup buffer "tile" cannot be passed to or from the caller
// CHECK: Fix: remove `binding`, `output`, `live_out`, `range` and `may_alias`
vyre.program @p [64, 1, 1] {
  %tile = vyre.buffer "tile" workgroup binding 0 : memref<4xi32>
}

// -----

// CHECK: {{.*}}buffer.mlir:62:11: error: 'vyre.buffer': workgroup buffer "tile" cannot be passed to or from the caller
// CHECK: Fix: remove `binding`, `output`, `live_out`, `range` and `may_alias`
vyre.program @p [64, 1, 1] {
  %tile = vyre.buffer "tile" workgroup binding 1 : memref<4xi32>
}

// -----

// CHECK: {{.*}}buffer.mlir:70:11: error: 'vyre.buffer': workgroup buffer "tile" cannot be passed to or from the caller
// CHECK: Fix: remove `binding`, `output`, `live_out`, `range` and `may_alias`
vyre.program @p [64, 1, 1] {
  %tile = vyre.buffer "tile" workgroup output : memref<4xi32>
}

// -----

// CHECK: {{.*}}buffer.mlir:78:11: error: 'vyre.buffer': workgroup buffer "tile" cannot be passed to or from the caller
// CHECK: Fix: remove `binding`, `output`, `live_out`, `range` and `may_alias`
vyre.program @p [64, 1, 1] {
  %tile = vyre.buffer "tile" workgroup live_out : memref<4xi32>
}

// -----

// CHECK: {{.*}}buffer.mlir:86:11: error: 'vyre.buffer': workgroup buffer "tile" cannot be passed to or from the caller
// CHECK: Fix: remove `binding`, `output`, `live_out`, `range` and `may_alias`
vyre.program @p [64, 1, 1] {
  %tile = vyre.buffer "tile" workgroup range [0, 4] : memref<4xi32>
}

// -----

// CHECK: {{.*}}buffer.mlir:94:8: error: 'vyre.buffer': kind shared does not go with access read_write
// CHECK: Fix: use `shared` for workgroup buffers and for no others
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 kind shared : memref<4xi32>
}

// -----

// CHECK: {{.*}}buffer.mlir:102:8: error: 'vyre.buffer': kind global does not go with access workgroup
// CHECK: Fix: use `shared` for workgroup buffers and for no others
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" workgroup kind global : memref<4xi32>
}

// -----

// CHECK: {{.*}}buffer.mlir:110:8: error: 'vyre.buffer': kind readonly holds data that is never written, but access is read_write
// CHECK: Fix: declare the buffer read_only, or remove the kind
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 kind readonly : memref<4xi32>
}

// -----

// CHECK: {{.*}}buffer.mlir:118:8: error: 'vyre.buffer': kind uniform holds data that is never written, but access is write_only
// CHECK: Fix: declare the buffer read_only, or remove the kind
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" write_only binding 0 kind uniform : memref<4xi32>
}

// -----

// CHECK: {{.*}}buffer.mlir:126:8: error: 'vyre.buffer': kind push holds data that is never written, but access is read_write
// CHECK: Fix: declare the buffer read_only, or remove the kind
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 kind push : memref<4xi32>
}

// -----

// CHECK: {{.*}}buffer.mlir:134:8: error: 'vyre.buffer': the output "a" is read_only
// CHECK: Fix: declare it write_only or read_write
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 output : memref<?xi32>
}

// -----

// CHECK: {{.*}}buffer.mlir:142:8: error: 'vyre.buffer': the output "a" is uniform
// CHECK: Fix: declare it write_only or read_write
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" uniform binding 0 output : memref<?xi32>
}

// -----

// CHECK: {{.*}}buffer.mlir:150:8: error: 'vyre.buffer': output range [0] is not [begin, end] with begin <= end
// CHECK: Fix: write the first byte and the byte after the last
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" write_only binding 0 range [0] : memref<?xi32>
}

// -----

// CHECK: {{.*}}buffer.mlir:158:8: error: 'vyre.buffer': output range [] is not [begin, end] with begin <= end
// CHECK: Fix: write the first byte and the byte after the last
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" write_only binding 0 range [] : memref<?xi32>
}

// -----

// CHECK: {{.*}}buffer.mlir:166:8: error: 'vyre.buffer': output range [-4, 4] is not [begin, end] with begin <= end
// CHECK: Fix: write the first byte and the byte after the last
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" write_only binding 0 range [-4, 4] : memref<?xi32>
}

// -----

// CHECK: {{.*}}buffer.mlir:174:8: error: 'vyre.buffer': output range [8, 4] is not [begin, end] with begin <= end
// CHECK: Fix: write the first byte and the byte after the last
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" write_only binding 0 range [8, 4] : memref<?xi32>
}

// -----

// CHECK: {{.*}}buffer.mlir:182:8: error: 'vyre.buffer': an output range on a read_only buffer, which is never given back
// CHECK: Fix: remove the range, or make the buffer writable
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 range [0, 4] : memref<?xi32>
}

// -----

// CHECK: {{.*}}buffer.mlir:190:8: error: 'vyre.buffer': output range [2, 8] cuts through an element of 4 bytes
// CHECK: Fix: use multiples of 4
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" write_only binding 0 range [2, 8] : memref<?xi32>
}

// -----

// CHECK: {{.*}}buffer.mlir:198:8: error: 'vyre.buffer': output range [0, 12] cuts through an element of 8 bytes
// CHECK: Fix: use multiples of 8
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" write_only binding 0 range [0, 12] : memref<?xindex>
}

// -----

// CHECK: {{.*}}buffer.mlir:206:8: error: 'vyre.buffer': output range [0, 20] ends after the buffer's 16 bytes
// CHECK: Fix: end it at 16 or before
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" write_only binding 0 range [0, 20] : memref<2x2xi32>
}

// -----

// CHECK: {{.*}}buffer.mlir:214:8: error: 'vyre.buffer': alignment 12 is not a power of two
// CHECK: Fix: use 1, 2, 4, 8, ...
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 align 12 : memref<?xi32>
}

// -----

// CHECK: {{.*}}buffer.mlir:222:8: error: 'vyre.buffer': alignment 0 is not a power of two
// CHECK: Fix: use 1, 2, 4, 8, ...
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 align 0 : memref<?xi32>
}

// -----

// CHECK: {{.*}}buffer.mlir:230:8: error: 'vyre.buffer': alignment -4 is not a power of two
// CHECK: Fix: use 1, 2, 4, 8, ...
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 align -4 : memref<?xi32>
}

// -----

// CHECK: {{.*}}buffer.mlir:238:8: error: 'vyre.buffer': coalesce dimension 2 does not exist
// CHECK: Fix: name one of the 2 dimensions, counted from 0
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 coalesce 2 : memref<?x4xi32>
}

// -----

// CHECK: {{.*}}buffer.mlir:246:8: error: 'vyre.buffer': coalesce dimension -1 does not exist
// CHECK: Fix: name one of the 2 dimensions, counted from 0
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 coalesce -1 : memref<?x4xi32>
}

// -----

// CHECK: {{.*}}buffer.mlir:254:8: error: 'vyre.buffer': coalesce dimension 0 does not exist
// CHECK: Fix: remove the clause: the buffer has no dimensions
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 coalesce 0 : memref<i32>
}

// -----

// CHECK: {{.*}}buffer.mlir:262:8: error: 'vyre.buffer': memref<4x4xi32, strided<[1, 4]>> has a layout; buffers are stored in row-major order
// CHECK: Fix: remove the layout and compute the index
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<4x4xi32, strided<[1, 4]>>
}

// -----

// CHECK: {{.*}}buffer.mlir:270:8: error: 'vyre.buffer': memref<4x4xi32, affine_map<(d0, d1) -> (d1, d0)>> has a layout; buffers are stored in row-major order
// CHECK: Fix: remove the layout and compute the index
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<4x4xi32, affine_map<(d0, d1) -> (d1, d0)>>
}

// -----

// CHECK: {{.*}}buffer.mlir:278:8: error: 'vyre.buffer': memref<?xi32, 1 : i32> has a memory space; the access says where a buffer lives
// CHECK: Fix: remove the memory space from the type
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32, 1 : i32>
}

// -----

// Every clause at its place: a clause out of order is not in the form of a buffer.
// CHECK: {{.*}}buffer.mlir:287:54: error: Expected ':'
// CHECK: Fix: write it like `%out = vyre.buffer "out" write_only binding 2 output range [0, 64] : memref<1024xi32>`
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 live_out output : memref<?xi32>
}

// -----

// CHECK: {{.*}}buffer.mlir:295:24: error: Expected `read_only`, `read_write`, `write_only`, `uniform`, or `workgroup`.
// CHECK: Fix: write it like `%out = vyre.buffer "out" write_only binding 2 output range [0, 64] : memref<1024xi32>`
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" readonly binding 0 : memref<?xi32>
}

// -----

// CHECK: {{.*}}buffer.mlir:303:8: error: 'vyre.param': the parameter has no name
// CHECK: Fix: name it, it is an argument
vyre.program @p [64, 1, 1] {
  %a = vyre.param "" : i32
}
