// Sort `keys` in ascending order; their number must be a power of two.
//
// A run is bitonic if it goes up and then down, or down and then up. Comparing every
// element of a bitonic run with the one half a run further, and swapping where needed,
// gives two bitonic halves, and no element of the one is beyond any of the other. Doing
// the same with the halves, their halves and so on sorts the run.
//
// The outer loop sorts runs of 2, 4, 8, ... elements, every other one downwards, so that
// two neighbours together are bitonic for its next round. The inner loop halves the
// distance of the elements that are compared. In each of its rounds the pairs are
// disjoint, and each is one invocation's; the next round forms other pairs, so that there
// is a grid barrier after each. Which elements are compared never depends on the keys.

vyre.program @bitonic_sort [64, 1, 1] {
  %keys = vyre.buffer "keys" read_write binding 0 : memref<?xi32>

  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index

  // Invocation i takes the pairs i, i + stride, i + 2 * stride, ...
  %i = vyre.invocation_id x
  %groups = vyre.workgroup_count x
  %width = vyre.workgroup_size x
  %stride = arith.muli %groups, %width : index
  %count = vyre.length %keys, 0 : memref<?xi32>
  %pairs = arith.shrui %count, %one : index

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
      vyre.region "put pairs in order" {
        scf.for %pair = %i to %pairs step %stride {
          // Pairs are numbered by their lower element, leaving out the upper ones.
          %low_bits = arith.subi %distance, %one : index
          %offset = arith.andi %pair, %low_bits : index
          %twice = arith.shli %pair, %one : index
          %lower = arith.subi %twice, %offset : index
          %upper = arith.addi %lower, %distance : index

          %lower_key = vyre.load %keys[%lower] : memref<?xi32>
          %upper_key = vyre.load %keys[%upper] : memref<?xi32>
          %small = arith.minsi %lower_key, %upper_key : i32
          %large = arith.maxsi %lower_key, %upper_key : i32

          // The number of the run is even if it goes up.
          %run_bit = arith.andi %lower, %run : index
          %goes_up = arith.cmpi eq, %run_bit, %zero : index
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
