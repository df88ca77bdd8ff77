// Sort records by unsigned keys, stably.
//
// `keys` and `values` hold the records; `sorted_keys` and `sorted_values` receive them in
// the order of the lowest 4 * passes bits of their keys. Records with equal keys stay in
// the order they came in.
//
// Each pass sorts by 4 more bits of the key, the lowest first, and moves the records from
// one pair of buffers to the other, in three phases with a grid barrier after each:
//
// - Count. The records are cut into chunks, as many as `counts` has columns, and workgroups
//   take them in turn. How often each digit occurs in each chunk is counted in workgroup
//   memory and put into `counts`.
// - Sum up. The first workgroup turns each row of `counts` into sums: how often does this
//   digit occur in the chunks before? `starts` receives how many records have a smaller
//   digit.
// - Move. Within its chunk, a workgroup moves 32 records at a time. The place of a record
//   is the sum of how many have a smaller digit, how many have the same in the chunks
//   before, how many in the chunk so far (both kept in `next_place`), and how many among
//   the 32 before it. The last number comes from ballots, not from atomics, whose order
//   would decide about the order of equal keys.

vyre.program @radix_sort [32, 1, 1] {
  %keys = vyre.buffer "keys" read_write binding 0 : memref<?xi32>
  %values = vyre.buffer "values" read_write binding 1 : memref<?xi32>
  %spare_keys = vyre.buffer "spare_keys" read_write binding 2 : memref<?xi32>
  %spare_values = vyre.buffer "spare_values" read_write binding 3 : memref<?xi32>
  %counts = vyre.buffer "counts" read_write binding 4 : memref<16x?xi32>
  %starts = vyre.buffer "starts" read_write binding 5 : memref<16xi32>
  %sorted_keys = vyre.buffer "sorted_keys" write_only binding 6 output : memref<?xi32>
  %sorted_values = vyre.buffer "sorted_values" write_only binding 7 output : memref<?xi32>
  %passes = vyre.param "passes" : index
  %own_counts = vyre.buffer "own_counts" workgroup : memref<16xi32>
  %next_place = vyre.buffer "next_place" workgroup : memref<16xi32>

  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %digits = arith.constant 16 : index
  %digit_bits = arith.constant 4 : index
  %none = arith.constant 0 : i32
  %one_more = arith.constant 1 : i32
  %low_bits = arith.constant 15 : i32
  %all_lanes = arith.constant -1 : i32

  %lane = vyre.local_id x
  %group = vyre.workgroup_id x
  %groups = vyre.workgroup_count x
  %width = vyre.workgroup_size x
  %size = vyre.length %keys, 0 : memref<?xi32>
  %chunks = vyre.length %counts, 1 : memref<16x?xi32>
  %chunk_size = arith.ceildivui %size, %chunks : index

  // The first 16 invocations of a workgroup take care of a digit each.
  %has_digit = arith.cmpi slt, %lane, %digits : index
  %is_first_group = arith.cmpi eq, %group, %zero : index

  // A bit for each invocation of the workgroup that comes before this one.
  %lane_number = arith.index_cast %lane : index to i32
  %lane_bit = arith.shli %one_more, %lane_number : i32
  %lanes_before = arith.subi %lane_bit, %one_more : i32

  %end:4 = scf.for %pass = %zero to %passes step %one
      iter_args(%from_keys = %keys, %from_values = %values,
                %to_keys = %spare_keys, %to_values = %spare_values)
      -> (memref<?xi32>, memref<?xi32>, memref<?xi32>, memref<?xi32>) {
    %shift_index = arith.muli %pass, %digit_bits : index
    %shift = arith.index_cast %shift_index : index to i32

    vyre.region "count" {
      scf.for %chunk = %group to %chunks step %groups {
        scf.if %has_digit {
          vyre.store %none, %own_counts[%lane] : memref<16xi32>
        }
        vyre.barrier acq_rel
        %begin = arith.muli %chunk, %chunk_size : index
        %full_end = arith.addi %begin, %chunk_size : index
        %chunk_end = arith.minsi %full_end, %size : index
        %first = arith.addi %begin, %lane : index
        scf.for %at = %first to %chunk_end step %width {
          %key = vyre.load %from_keys[%at] : memref<?xi32>
          %shifted = arith.shrui %key, %shift : i32
          %digit_number = arith.andi %shifted, %low_bits : i32
          %digit = arith.index_cast %digit_number : i32 to index
          %before = vyre.atomic add %one_more, %own_counts[%digit] : memref<16xi32>
        }
        vyre.barrier acq_rel
        scf.if %has_digit {
          %count = vyre.load %own_counts[%lane] : memref<16xi32>
          vyre.store %count, %counts[%lane, %chunk] : memref<16x?xi32>
        }
      }
    }
    vyre.barrier grid_sync

    vyre.region "sum up" {
      scf.if %is_first_group {
        scf.if %has_digit {
          %total = scf.for %chunk = %zero to %chunks step %one
              iter_args(%sum = %none) -> (i32) {
            %count = vyre.load %counts[%lane, %chunk] : memref<16x?xi32>
            vyre.store %sum, %counts[%lane, %chunk] : memref<16x?xi32>
            %new_sum = arith.addi %sum, %count : i32
            scf.yield %new_sum : i32
          }
          vyre.store %total, %own_counts[%lane] : memref<16xi32>
        }
        vyre.barrier acq_rel
        scf.if %has_digit {
          %start = scf.for %digit = %zero to %lane step %one
              iter_args(%sum = %none) -> (i32) {
            %total = vyre.load %own_counts[%digit] : memref<16xi32>
            %new_sum = arith.addi %sum, %total : i32
            scf.yield %new_sum : i32
          }
          vyre.store %start, %starts[%lane] : memref<16xi32>
        }
      }
    }
    vyre.barrier grid_sync

    vyre.region "move" {
      scf.for %chunk = %group to %chunks step %groups {
        scf.if %has_digit {
          %smaller = vyre.load %starts[%lane] : memref<16xi32>
          %in_chunks_before = vyre.load %counts[%lane, %chunk] : memref<16x?xi32>
          %place = arith.addi %smaller, %in_chunks_before : i32
          vyre.store %place, %next_place[%lane] : memref<16xi32>
        }
        vyre.barrier acq_rel
        %begin = arith.muli %chunk, %chunk_size : index
        %full_end = arith.addi %begin, %chunk_size : index
        %chunk_end = arith.minsi %full_end, %size : index
        scf.for %tile = %begin to %chunk_end step %width {
          %at = arith.addi %tile, %lane : index
          %has_record = arith.cmpi slt, %at, %chunk_end : index
          %key = scf.if %has_record -> (i32) {
            %loaded = vyre.load %from_keys[%at] : memref<?xi32>
            scf.yield %loaded : i32
          } else {
            scf.yield %none : i32
          }
          %shifted = arith.shrui %key, %shift : i32
          %digit_number = arith.andi %shifted, %low_bits : i32
          %digit = arith.index_cast %digit_number : i32 to index

          // Which invocations have a record with the same digit? Those that agree in each
          // of its bits.
          %with_record = vyre.subgroup_ballot %has_record
          %same_digit = scf.for %bit = %zero to %digit_bits step %one
              iter_args(%agreeing = %with_record) -> (i32) {
            %bit_number = arith.index_cast %bit : index to i32
            %digit_shifted = arith.shrui %digit_number, %bit_number : i32
            %my_bit = arith.trunci %digit_shifted : i32 to i1
            %ones = vyre.subgroup_ballot %my_bit
            %zeros = arith.xori %ones, %all_lanes : i32
            %like_me = arith.select %my_bit, %ones, %zeros : i32
            %still_agreeing = arith.andi %agreeing, %like_me : i32
            scf.yield %still_agreeing : i32
          }
          %same_before = arith.andi %same_digit, %lanes_before : i32
          %rank = math.ctpop %same_before : i32

          scf.if %has_record {
            %value = vyre.load %from_values[%at] : memref<?xi32>
            %first_place = vyre.load %next_place[%digit] : memref<16xi32>
            %place = arith.addi %first_place, %rank : i32
            %to = arith.index_cast %place : i32 to index
            vyre.store %key, %to_keys[%to] : memref<?xi32>
            vyre.store %value, %to_values[%to] : memref<?xi32>
          }
          vyre.barrier acq_rel

          // The first invocation with a digit moves its next place on, for all of them.
          %is_first_with_digit = arith.cmpi eq, %same_before, %none : i32
          %moves_on = arith.andi %has_record, %is_first_with_digit : i1
          scf.if %moves_on {
            %moved = math.ctpop %same_digit : i32
            %old_place = vyre.load %next_place[%digit] : memref<16xi32>
            %new_place = arith.addi %old_place, %moved : i32
            vyre.store %new_place, %next_place[%digit] : memref<16xi32>
          }
          vyre.barrier acq_rel
        }
      }
    }
    vyre.barrier grid_sync
    scf.yield %to_keys, %to_values, %from_keys, %from_values
        : memref<?xi32>, memref<?xi32>, memref<?xi32>, memref<?xi32>
  }

  vyre.region "result" {
    %i = vyre.invocation_id x
    %stride = arith.muli %groups, %width : index
    scf.for %at = %i to %size step %stride {
      %key = vyre.load %end#0[%at] : memref<?xi32>
      %value = vyre.load %end#1[%at] : memref<?xi32>
      vyre.store %key, %sorted_keys[%at] : memref<?xi32>
      vyre.store %value, %sorted_values[%at] : memref<?xi32>
    }
  }
}
