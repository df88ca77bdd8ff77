// Replace numbers by the sums of all beginnings of the list, a number of times.
//
// The list is cut into blocks, one for each invocation, as many as `block_sums` has
// elements. A scan has three phases: add up each block; turn these sums into the sums of
// the blocks before; go through each block again, from there.

vyre.program @prefix_sum [4, 1, 1] {
  %numbers = vyre.buffer "numbers" read_write binding 0 : memref<?xi32>
  %block_sums = vyre.buffer "block_sums" read_write binding 1 : memref<?xi32>
  %block_length = vyre.param "block_length" : index
  %scans = vyre.param "scans" : index

  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %nothing = arith.constant 0 : i32
  %block = vyre.invocation_id x
  %count = vyre.length %numbers, 0 : memref<?xi32>
  %blocks = vyre.length %block_sums, 0 : memref<?xi32>
  %has_block = arith.cmpi ult, %block, %blocks : index
  %is_first = arith.cmpi eq, %block, %zero : index
  %wanted_first = arith.muli %block, %block_length : index
  %first = arith.minui %wanted_first, %count : index
  %wanted_end = arith.addi %first, %block_length : index
  %end = arith.minui %wanted_end, %count : index

  scf.for %scan = %zero to %scans step %one {
    vyre.region "add up each block" {
      scf.if %has_block {
        %total = scf.for %k = %first to %end step %one
            iter_args(%sum = %nothing) -> (i32) {
          %number = vyre.load %numbers[%k] : memref<?xi32>
          %next_sum = arith.addi %sum, %number : i32
          scf.yield %next_sum : i32
        }
        vyre.store %total, %block_sums[%block] : memref<?xi32>
      }
    }
    vyre.barrier grid_sync

    vyre.region "scan the sums of the blocks" {
      scf.if %is_first {
        %all = scf.for %b = %zero to %blocks step %one
            iter_args(%before = %nothing) -> (i32) {
          %total = vyre.load %block_sums[%b] : memref<?xi32>
          vyre.store %before, %block_sums[%b] : memref<?xi32>
          %next_before = arith.addi %before, %total : i32
          scf.yield %next_before : i32
        }
      }
    }
    vyre.barrier grid_sync

    vyre.region "scan each block" {
      scf.if %has_block {
        %before_block = vyre.load %block_sums[%block] : memref<?xi32>
        %all = scf.for %k = %first to %end step %one
            iter_args(%sum = %before_block) -> (i32) {
          %number = vyre.load %numbers[%k] : memref<?xi32>
          %next_sum = arith.addi %sum, %number : i32
          vyre.store %next_sum, %numbers[%k] : memref<?xi32>
          scf.yield %next_sum : i32
        }
      }
    }
    vyre.barrier grid_sync
  }
}
