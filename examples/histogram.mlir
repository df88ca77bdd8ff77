// How many values fall into each bin, and how many into it or one before it?
//
// Bin b of 64 takes the values from b * width up to, but not including, (b + 1) * width;
// the last bin also takes everything above. Values are unsigned. `counts` receives the
// values in each bin, `cumulative` those in each bin and all before it.
//
// Every workgroup counts its share of the values in memory of its own, which is faster than
// if the whole grid met at the same 64 counters, and then adds its counts to the grid's.
// After a grid barrier the counts are complete, and the first workgroup sums them up, in
// rounds: each adds to an element the one that is 1, 2, 4, ... places before it. A
// workgroup has as many invocations as there are bins, so each takes care of one bin.

vyre.program @histogram [64, 1, 1] {
  %values = vyre.buffer "values" read_only binding 0 : memref<?xi32>
  %counts = vyre.buffer "counts" read_write binding 1 output : memref<64xi32>
  %cumulative = vyre.buffer "cumulative" write_only binding 2 output : memref<64xi32>
  %width = vyre.param "width" : i32
  %own_counts = vyre.buffer "own_counts" workgroup : memref<64xi32>
  %sums = vyre.buffer "sums" workgroup : memref<64xi32>

  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %one_more = arith.constant 1 : i32
  %last_bin = arith.constant 63 : i32

  %bin = vyre.local_id x
  %i = vyre.invocation_id x
  %group = vyre.workgroup_id x
  %groups = vyre.workgroup_count x
  %group_size = vyre.workgroup_size x
  %stride = arith.muli %groups, %group_size : index
  %size = vyre.length %values, 0 : memref<?xi32>

  vyre.region "count" {
    vyre.store %none, %own_counts[%bin] : memref<64xi32>
    vyre.barrier acq_rel
    scf.for %at = %i to %size step %stride {
      %value = vyre.load %values[%at] : memref<?xi32>
      %quotient = arith.divui %value, %width : i32
      %clamped = arith.minui %quotient, %last_bin : i32
      %bin_of_value = arith.index_cast %clamped : i32 to index
      %before = vyre.atomic add %one_more, %own_counts[%bin_of_value] : memref<64xi32>
    }
    vyre.barrier acq_rel
  }
  vyre.region "merge" {
    %count = vyre.load %own_counts[%bin] : memref<64xi32>
    %before = vyre.atomic add %count, %counts[%bin] : memref<64xi32>
  }
  vyre.barrier grid_sync

  %is_first_group = arith.cmpi eq, %group, %zero : index
  scf.if %is_first_group {
    vyre.region "sum up" {
      %count = vyre.load %counts[%bin] : memref<64xi32>
      vyre.store %count, %sums[%bin] : memref<64xi32>
      %rounds = arith.constant 6 : index
      scf.for %round = %zero to %rounds step %one {
        vyre.barrier acq_rel
        %distance = arith.shli %one, %round : index
        %has_partner = arith.cmpi sge, %bin, %distance : index
        %partner_sum = scf.if %has_partner -> (i32) {
          %partner = arith.subi %bin, %distance : index
          %sum = vyre.load %sums[%partner] : memref<64xi32>
          scf.yield %sum : i32
        } else {
          scf.yield %none : i32
        }
        vyre.barrier acq_rel
        %own_sum = vyre.load %sums[%bin] : memref<64xi32>
        %new_sum = arith.addi %own_sum, %partner_sum : i32
        vyre.store %new_sum, %sums[%bin] : memref<64xi32>
      }
      %total = vyre.load %sums[%bin] : memref<64xi32>
      vyre.store %total, %cumulative[%bin] : memref<64xi32>
    }
  }
}
