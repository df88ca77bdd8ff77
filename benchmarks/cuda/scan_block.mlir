// The sums of all beginnings of each workgroup's part of a list, and the sum of each part.
//
// In eight steps everyone adds what stands 1, 2, 4, ... 128 places further left.

vyre.program @scan_block [256, 1, 1] {
  %numbers = vyre.buffer "numbers" read_only binding 0 : memref<?xi32>
  %sums = vyre.buffer "sums" write_only binding 1 : memref<?xi32>
  %group_sums = vyre.buffer "group_sums" write_only binding 2 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<256xi32>

  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %steps = arith.constant 8 : index
  %last_lane = arith.constant 255 : index
  %nothing = arith.constant 0 : i32
  %i = vyre.invocation_id x
  %lane = vyre.local_id x
  %group = vyre.workgroup_id x

  %count = vyre.length %numbers, 0 : memref<?xi32>
  %is_inside = arith.cmpi ult, %i, %count : index
  %number = scf.if %is_inside -> (i32) {
    %there = vyre.load %numbers[%i] : memref<?xi32>
    scf.yield %there : i32
  } else {
    scf.yield %nothing : i32
  }

  %sum = scf.for %step = %zero to %steps step %one iter_args(%so_far = %number) -> (i32) {
    vyre.store %so_far, %tile[%lane] : memref<256xi32>
    vyre.barrier acq_rel
    %reach = arith.shli %one, %step : index
    %has_left = arith.cmpi uge, %lane, %reach : index
    %left = scf.if %has_left -> (i32) {
      %left_lane = arith.subi %lane, %reach : index
      %there = vyre.load %tile[%left_lane] : memref<256xi32>
      scf.yield %there : i32
    } else {
      scf.yield %nothing : i32
    }
    vyre.barrier acq_rel
    %more = arith.addi %so_far, %left : i32
    scf.yield %more : i32
  }

  scf.if %is_inside {
    vyre.store %sum, %sums[%i] : memref<?xi32>
  }
  %is_last = arith.cmpi eq, %lane, %last_lane : index
  scf.if %is_last {
    vyre.store %sum, %group_sums[%group] : memref<?xi32>
  }
}
