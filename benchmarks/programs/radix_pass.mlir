// Sort records by 4 bits of their keys more in each pass, the lowest first, stably.
//
// The records are cut into chunks, one for each invocation, as many as `places` has rows.
// A pass moves the records from one pair of buffers to the other, in three phases: count
// how often each digit occurs in each chunk; turn the counts into the places of the first
// record with that digit; move the records of each chunk in order. After an even number of
// passes the result is where it came from.

vyre.program @radix_pass [4, 1, 1] {
  %keys = vyre.buffer "keys" read_write binding 0 : memref<?xi32>
  %values = vyre.buffer "values" read_write binding 1 : memref<?xi32>
  %spare_keys = vyre.buffer "spare_keys" read_write binding 2 : memref<?xi32>
  %spare_values = vyre.buffer "spare_values" read_write binding 3 : memref<?xi32>
  %places = vyre.buffer "places" read_write binding 4 : memref<?x16xi32>
  %chunk_length = vyre.param "chunk_length" : index
  %passes = vyre.param "passes" : index

  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %digits = arith.constant 16 : index
  %digit_bits = arith.constant 4 : index
  %none = arith.constant 0 : i32
  %one_more = arith.constant 1 : i32
  %low_bits = arith.constant 15 : i32
  %chunk = vyre.invocation_id x
  %count = vyre.length %keys, 0 : memref<?xi32>
  %chunks = vyre.length %places, 0 : memref<?x16xi32>
  %has_chunk = arith.cmpi ult, %chunk, %chunks : index
  %is_first = arith.cmpi eq, %chunk, %zero : index
  %wanted_first = arith.muli %chunk, %chunk_length : index
  %first = arith.minui %wanted_first, %count : index
  %wanted_end = arith.addi %first, %chunk_length : index
  %end = arith.minui %wanted_end, %count : index

  %last:4 = scf.for %pass = %zero to %passes step %one
      iter_args(%from_keys = %keys, %from_values = %values,
                %to_keys = %spare_keys, %to_values = %spare_values)
      -> (memref<?xi32>, memref<?xi32>, memref<?xi32>, memref<?xi32>) {
    %shift_index = arith.muli %pass, %digit_bits : index
    %shift = arith.index_cast %shift_index : index to i32

    vyre.region "count" {
      scf.if %has_chunk {
        scf.for %digit = %zero to %digits step %one {
          vyre.store %none, %places[%chunk, %digit] : memref<?x16xi32>
        }
        scf.for %at = %first to %end step %one {
          %key = vyre.load %from_keys[%at] : memref<?xi32>
          %shifted = arith.shrui %key, %shift : i32
          %digit_number = arith.andi %shifted, %low_bits : i32
          %digit = arith.index_cast %digit_number : i32 to index
          %so_far = vyre.load %places[%chunk, %digit] : memref<?x16xi32>
          %more = arith.addi %so_far, %one_more : i32
          vyre.store %more, %places[%chunk, %digit] : memref<?x16xi32>
        }
      }
    }
    vyre.barrier grid_sync

    vyre.region "find places" {
      scf.if %is_first {
        %all = scf.for %digit = %zero to %digits step %one
            iter_args(%with_smaller = %none) -> (i32) {
          %up_to_digit = scf.for %c = %zero to %chunks step %one
              iter_args(%place = %with_smaller) -> (i32) {
            %occurs = vyre.load %places[%c, %digit] : memref<?x16xi32>
            vyre.store %place, %places[%c, %digit] : memref<?x16xi32>
            %next_place = arith.addi %place, %occurs : i32
            scf.yield %next_place : i32
          }
          scf.yield %up_to_digit : i32
        }
      }
    }
    vyre.barrier grid_sync

    vyre.region "move" {
      scf.if %has_chunk {
        scf.for %at = %first to %end step %one {
          %key = vyre.load %from_keys[%at] : memref<?xi32>
          %value = vyre.load %from_values[%at] : memref<?xi32>
          %shifted = arith.shrui %key, %shift : i32
          %digit_number = arith.andi %shifted, %low_bits : i32
          %digit = arith.index_cast %digit_number : i32 to index
          %place = vyre.load %places[%chunk, %digit] : memref<?x16xi32>
          %next_place = arith.addi %place, %one_more : i32
          vyre.store %next_place, %places[%chunk, %digit] : memref<?x16xi32>
          %to = arith.index_cast %place : i32 to index
          vyre.store %key, %to_keys[%to] : memref<?xi32>
          vyre.store %value, %to_values[%to] : memref<?xi32>
        }
      }
    }
    vyre.barrier grid_sync
    scf.yield %to_keys, %to_values, %from_keys, %from_values
        : memref<?xi32>, memref<?xi32>, memref<?xi32>, memref<?xi32>
  }
}
