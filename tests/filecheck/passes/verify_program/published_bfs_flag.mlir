// RUN: VYRE_INVALID

// The loop of many published searches: `more` is set while a level is followed, read to
// decide whether to go on, and reset before the next barrier. But another invocation may
// still be about to read it, stop, and leave the others waiting. examples/bfs.mlir is sound.
// CHECK: {{.*}}published_bfs_flag.mlir:53:5: error: 'vyre.barrier': a grid barrier stands in control that is not grid-uniform: %go may differ between invocations
// CHECK: {{.*}}published_bfs_flag.mlir:55:11: note: %go decides
// CHECK: {{.*}}published_bfs_flag.mlir:54:16: note: %is_more is loaded from "more", which its phase also writes
// CHECK: {{.*}}published_bfs_flag.mlir:60:7: note: written here
// CHECK: Fix: let the condition depend only on what is the same in the whole grid, or move the operation out of the branch or loop
vyre.program @published_bfs [64, 1, 1] {
  %offsets = vyre.buffer "offsets" read_only binding 0 : memref<?xi32>
  %targets = vyre.buffer "targets" read_only binding 1 : memref<?xi32>
  %levels = vyre.buffer "levels" read_write binding 2 : memref<?xi32>
  %more = vyre.buffer "more" read_write binding 3 : memref<1xi32>

  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %no = arith.constant 0 : i32
  %yes = arith.constant 1 : i32
  %no_level = arith.constant -1 : i32

  %i = vyre.invocation_id x
  %groups = vyre.workgroup_count x
  %width = vyre.workgroup_size x
  %stride = arith.muli %groups, %width : index
  %nodes = vyre.length %levels, 0 : memref<?xi32>
  %is_first = arith.cmpi eq, %i, %zero : index

  %end_level = scf.while (%level = %no) : (i32) -> (i32) {
    %next_level = arith.addi %level, %yes : i32
    scf.for %v = %i to %nodes step %stride {
      // An atomic that changes nothing reads what others may be changing.
      %level_of_v = vyre.atomic or %no, %levels[%v] : memref<?xi32>
      %is_in_level = arith.cmpi eq, %level_of_v, %level : i32
      scf.if %is_in_level {
        %v_next = arith.addi %v, %one : index
        %first_edge = vyre.load %offsets[%v] : memref<?xi32>
        %end_edge = vyre.load %offsets[%v_next] : memref<?xi32>
        %first = arith.index_cast %first_edge : i32 to index
        %end = arith.index_cast %end_edge : i32 to index
        scf.for %edge = %first to %end step %one {
          %target = vyre.load %targets[%edge] : memref<?xi32>
          %w = arith.index_cast %target : i32 to index
          %before = vyre.atomic_cas %no_level, %next_level, %levels[%w] : memref<?xi32>
          %is_new = arith.cmpi eq, %before, %no_level : i32
          scf.if %is_new {
            vyre.store %yes, %more[%zero] : memref<1xi32>
          }
        }
      }
    }
    vyre.barrier grid_sync
    %is_more = vyre.load %more[%zero] : memref<1xi32>
    %go = arith.cmpi ne, %is_more, %no : i32
    scf.condition(%go) %next_level : i32
  } do {
  ^reset(%level: i32):
    scf.if %is_first {
      vyre.store %no, %more[%zero] : memref<1xi32>
    }
    vyre.barrier grid_sync
    scf.yield %level : i32
  }
}
