// Sort `keys` in ascending order; their number is a power of two, at least 128.
//
// The outer loop sorts runs of 2, 4, 8, ... keys, every other one downwards; the inner
// loop halves the distance of the keys that are compared, and has one phase for each. There
// is an invocation for each pair. Pairs are numbered by their lower key, so the 64 pairs
// of a workgroup stand side by side if their distance is at least 64.

vyre.program @bitonic_sort [64, 1, 1] {
  %keys = vyre.buffer "keys" read_write binding 0 : memref<?xi32>

  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %width = arith.constant 64 : index
  %pair = vyre.invocation_id x
  %lane = vyre.local_id x
  %group = vyre.workgroup_id x
  %first_pair = arith.muli %group, %width : index
  %count = vyre.length %keys, 0 : memref<?xi32>

  %last_run = scf.while (%run = %two) : (index) -> (index) {
    %fits = arith.cmpi ule, %run, %count : index
    scf.condition(%fits) %run : index
  } do {
  ^sort_runs(%run: index):
    %half_run = arith.shrui %run, %one : index
    %last_distance = scf.while (%distance = %half_run) : (index) -> (index) {
      %is_left = arith.cmpi ne, %distance, %zero : index
      scf.condition(%is_left) %distance : index
    } do {
    ^halve(%distance: index):
      %low_bits = arith.subi %distance, %one : index
      %is_wide = arith.cmpi uge, %distance, %width : index
      scf.if %is_wide {
        vyre.region "pairs side by side" {
          %offset = arith.andi %first_pair, %low_bits : index
          %twice = arith.shli %first_pair, %one : index
          %first_lower = arith.subi %twice, %offset : index
          %run_bit = arith.andi %first_lower, %run : index
          %goes_up = arith.cmpi eq, %run_bit, %zero : index
          %lower = arith.addi %first_lower, %lane : index
          %upper = arith.addi %lower, %distance : index
          %lower_key = vyre.load %keys[%lower] : memref<?xi32>
          %upper_key = vyre.load %keys[%upper] : memref<?xi32>
          %small = arith.minsi %lower_key, %upper_key : i32
          %large = arith.maxsi %lower_key, %upper_key : i32
          %to_lower = arith.select %goes_up, %small, %large : i32
          %to_upper = arith.select %goes_up, %large, %small : i32
          vyre.store %to_lower, %keys[%lower] : memref<?xi32>
          vyre.store %to_upper, %keys[%upper] : memref<?xi32>
        }
      } else {
        vyre.region "pairs inside each other" {
          %offset = arith.andi %pair, %low_bits : index
          %twice = arith.shli %pair, %one : index
          %lower = arith.subi %twice, %offset : index
          %upper = arith.addi %lower, %distance : index
          %run_bit = arith.andi %lower, %run : index
          %goes_up = arith.cmpi eq, %run_bit, %zero : index
          %lower_key = vyre.load %keys[%lower] : memref<?xi32>
          %upper_key = vyre.load %keys[%upper] : memref<?xi32>
          %small = arith.minsi %lower_key, %upper_key : i32
          %large = arith.maxsi %lower_key, %upper_key : i32
          %to_lower = arith.select %goes_up, %small, %large : i32
          %to_upper = arith.select %goes_up, %large, %small : i32
          vyre.store %to_lower, %keys[%lower] : memref<?xi32>
          vyre.store %to_upper, %keys[%upper] : memref<?xi32>
        }
      }
      vyre.barrier grid_sync
      %next_distance = arith.shrui %distance, %one : index
      scf.yield %next_distance : index
    }
    %next_run = arith.shli %run, %one : index
    scf.yield %next_run : index
  }
}
