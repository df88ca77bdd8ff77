// The sums of all beginnings of a list: sums[k] = numbers[0] + ... + numbers[k].
//
// The list is cut into runs of equal length, one for each invocation in order. Three
// phases, with a grid barrier between them:
//
// 1. Each invocation adds up its run. The workgroup scans these sums in workgroup memory,
//    so that each invocation knows the sum of the runs before its own in the workgroup,
//    and keeps it to the end; `group_sums` receives the sum of each workgroup.
// 2. The first workgroup scans `group_sums` in place: element g becomes the sum of all
//    workgroups before g.
// 3. Each invocation knows now what comes before its run, and goes through it again.
//
// A scan in a workgroup takes 6 steps, in which everyone adds what stands 1, 2, 4, ... 32
// places further left. A step has two barriers: all must have stored their sums before
// anyone reads them, and all must have read before the next step stores again.
//
// There is room for the sums of 64 workgroups; further ones have empty runs.

vyre.program @scan [64, 1, 1] {
  %numbers = vyre.buffer "numbers" read_only binding 0 : memref<?xi32>
  %sums = vyre.buffer "sums" write_only binding 1 output : memref<?xi32>
  %group_sums = vyre.buffer "group_sums" read_write binding 2 : memref<64xi32>
  %tile = vyre.buffer "tile" workgroup : memref<64xi32>

  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %steps = arith.constant 6 : index
  %nothing = arith.constant 0 : i32

  %i = vyre.invocation_id x
  %lane = vyre.local_id x
  %group = vyre.workgroup_id x
  %groups = vyre.workgroup_count x
  %width = vyre.workgroup_size x

  %most_groups = arith.constant 64 : index
  %working_groups = arith.minui %groups, %most_groups : index
  %takes_part = arith.cmpi ult, %group, %working_groups : index

  // The run of this invocation goes from `first` up to, but not including, `end`.
  %count = vyre.length %numbers, 0 : memref<?xi32>
  %runs = arith.muli %working_groups, %width : index
  %run_length = arith.ceildivui %count, %runs : index
  %wanted_first = arith.muli %i, %run_length : index
  %first = arith.minui %wanted_first, %count : index
  %wanted_end = arith.addi %first, %run_length : index
  %end = arith.minui %wanted_end, %count : index

  %before_in_group = vyre.region "scan in each workgroup" -> (i32) {
    %mine = scf.for %k = %first to %end step %one iter_args(%sum = %nothing) -> (i32) {
      %number = vyre.load %numbers[%k] : memref<?xi32>
      %next_sum = arith.addi %sum, %number : i32
      scf.yield %next_sum : i32
    }
    %up_to_mine = scf.for %step = %zero to %steps step %one
        iter_args(%sum = %mine) -> (i32) {
      vyre.store %sum, %tile[%lane] : memref<64xi32>
      vyre.barrier acq_rel
      %reach = arith.shli %one, %step : index
      %has_left = arith.cmpi uge, %lane, %reach : index
      %left = scf.if %has_left -> (i32) {
        %left_lane = arith.subi %lane, %reach : index
        %there = vyre.load %tile[%left_lane] : memref<64xi32>
        scf.yield %there : i32
      } else {
        scf.yield %nothing : i32
      }
      vyre.barrier acq_rel
      %next_sum = arith.addi %sum, %left : i32
      scf.yield %next_sum : i32
    }
    %last_lane = arith.subi %width, %one : index
    %is_last = arith.cmpi eq, %lane, %last_lane : index
    %reports = arith.andi %is_last, %takes_part : i1
    scf.if %reports {
      vyre.store %up_to_mine, %group_sums[%group] : memref<64xi32>
    }
    %before = arith.subi %up_to_mine, %mine : i32
    vyre.yield %before : i32
  }
  vyre.barrier grid_sync

  %is_first_group = arith.cmpi eq, %group, %zero : index
  scf.if %is_first_group {
    vyre.region "scan the sums of the workgroups" {
      %has_group = arith.cmpi ult, %lane, %working_groups : index
      %of_group = scf.if %has_group -> (i32) {
        %there = vyre.load %group_sums[%lane] : memref<64xi32>
        scf.yield %there : i32
      } else {
        scf.yield %nothing : i32
      }
      %up_to_group = scf.for %step = %zero to %steps step %one
          iter_args(%sum = %of_group) -> (i32) {
        vyre.store %sum, %tile[%lane] : memref<64xi32>
        vyre.barrier acq_rel
        %reach = arith.shli %one, %step : index
        %has_left = arith.cmpi uge, %lane, %reach : index
        %left = scf.if %has_left -> (i32) {
          %left_lane = arith.subi %lane, %reach : index
          %there = vyre.load %tile[%left_lane] : memref<64xi32>
          scf.yield %there : i32
        } else {
          scf.yield %nothing : i32
        }
        vyre.barrier acq_rel
        %next_sum = arith.addi %sum, %left : i32
        scf.yield %next_sum : i32
      }
      %before_group = arith.subi %up_to_group, %of_group : i32
      vyre.store %before_group, %group_sums[%lane] : memref<64xi32>
    }
  }
  vyre.barrier grid_sync

  scf.if %takes_part {
    vyre.region "write the sums" {
      %before_group = vyre.load %group_sums[%group] : memref<64xi32>
      %before = arith.addi %before_group, %before_in_group : i32
      %all = scf.for %k = %first to %end step %one iter_args(%sum = %before) -> (i32) {
        %number = vyre.load %numbers[%k] : memref<?xi32>
        %next_sum = arith.addi %sum, %number : i32
        vyre.store %next_sum, %sums[%k] : memref<?xi32>
        scf.yield %next_sum : i32
      }
    }
  }
}
