// Solve A x = b by conjugate gradients, for a symmetric, positive definite matrix A.
//
// The matrix is given by rows: row i has values[e] in column columns[e], for e from
// offsets[i] up to, but not including, offsets[i + 1]. `x` is the result. It is found
// when the residual b - A x is no longer than `tolerance`, or given up after
// `max_rounds`. `residual`, `direction` and `image` (A times the direction) have an
// element for each row; what they and `x` hold at the start does not matter.
//
// Each invocation updates its own rows of all vectors, so that one round takes three grid
// barriers: one for each of two dot products, and one after the direction has changed,
// because a row of A reaches directions of other invocations.
//
// For a dot product each workgroup adds up its rows in workgroup memory and stores one
// partial sum. After a grid barrier every invocation adds up the partial sums, in the
// same order: all get the same bits, and may decide on them whether to go on. The partial
// sums of the two products have buffers of their own, because the ones are still being
// read in the phase that writes the others. There is room for those of 64 workgroups;
// further ones do nothing.

vyre.program @conjugate_gradient [64, 1, 1] {
  %offsets = vyre.buffer "offsets" read_only binding 0 : memref<?xi32>
  %columns = vyre.buffer "columns" read_only binding 1 : memref<?xi32>
  %values = vyre.buffer "values" read_only binding 2 : memref<?xf64>
  %b = vyre.buffer "b" read_only binding 3 : memref<?xf64>
  %x = vyre.buffer "x" read_write binding 4 : memref<?xf64>
  %residual = vyre.buffer "residual" read_write binding 5 : memref<?xf64>
  %direction = vyre.buffer "direction" read_write binding 6 : memref<?xf64>
  %image = vyre.buffer "image" read_write binding 7 : memref<?xf64>
  %square_parts = vyre.buffer "square_parts" read_write binding 8 : memref<64xf64>
  %energy_parts = vyre.buffer "energy_parts" read_write binding 9 : memref<64xf64>
  %sums = vyre.buffer "sums" workgroup : memref<64xf64>
  %tolerance = vyre.param "tolerance" : f64
  %max_rounds = vyre.param "max_rounds" : i32

  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %no_rounds = arith.constant 0 : i32
  %one_round = arith.constant 1 : i32
  %nothing = arith.constant 0.0 : f64
  %unit = arith.constant 1.0 : f64

  // 64 invocations add up in 6 steps; in the first, 32 of them take the others' sums.
  %steps = arith.constant 6 : index
  %half_width = arith.constant 32 : index

  %i = vyre.invocation_id x
  %lane = vyre.local_id x
  %group = vyre.workgroup_id x
  %groups = vyre.workgroup_count x
  %width = vyre.workgroup_size x
  %rows = vyre.length %b, 0 : memref<?xf64>

  // Invocation i takes the rows i, i + stride, i + 2 * stride, ... if it takes part.
  %most_groups = arith.constant 64 : index
  %working_groups = arith.minui %groups, %most_groups : index
  %stride = arith.muli %working_groups, %width : index
  %takes_part = arith.cmpi ult, %group, %working_groups : index
  %first_row = arith.select %takes_part, %i, %rows : index
  %is_first_lane = arith.cmpi eq, %lane, %zero : index
  %reports = arith.andi %is_first_lane, %takes_part : i1

  %limit = arith.mulf %tolerance, %tolerance : f64

  vyre.region "start from zero" {
    scf.for %row = %first_row to %rows step %stride {
      %right_side = vyre.load %b[%row] : memref<?xf64>
      vyre.store %nothing, %x[%row] : memref<?xf64>
      vyre.store %right_side, %residual[%row] : memref<?xf64>
      vyre.store %nothing, %direction[%row] : memref<?xf64>
    }
  }

  // `before` and `square` are the squares of the residual's length, one round ago and
  // now. In the first round the direction is zero: any `before` but zero will do.
  %last_before, %last_square, %rounds = scf.while (%before = %unit, %round = %no_rounds)
      : (f64, i32) -> (f64, f64, i32) {
    vyre.region "residual times residual" {
      %mine = scf.for %row = %first_row to %rows step %stride
          iter_args(%sum = %nothing) -> (f64) {
        %r = vyre.load %residual[%row] : memref<?xf64>
        %product = arith.mulf %r, %r : f64
        %next_sum = arith.addf %sum, %product : f64
        scf.yield %next_sum : f64
      }
      vyre.store %mine, %sums[%lane] : memref<64xf64>
      scf.for %step = %zero to %steps step %one {
        vyre.barrier acq_rel
        %half = arith.shrui %half_width, %step : index
        %adds = arith.cmpi ult, %lane, %half : index
        scf.if %adds {
          %other_lane = arith.addi %lane, %half : index
          %own = vyre.load %sums[%lane] : memref<64xf64>
          %other = vyre.load %sums[%other_lane] : memref<64xf64>
          %both = arith.addf %own, %other : f64
          vyre.store %both, %sums[%lane] : memref<64xf64>
        }
      }
      scf.if %reports {
        %part = vyre.load %sums[%zero] : memref<64xf64>
        vyre.store %part, %square_parts[%group] : memref<64xf64>
      }
    }
    vyre.barrier grid_sync

    %square = scf.for %g = %zero to %working_groups step %one
        iter_args(%sum = %nothing) -> (f64) {
      %part = vyre.load %square_parts[%g] : memref<64xf64>
      %next_sum = arith.addf %sum, %part : f64
      scf.yield %next_sum : f64
    }
    %is_too_long = arith.cmpf ogt, %square, %limit : f64
    %has_rounds = arith.cmpi slt, %round, %max_rounds : i32
    %go = arith.andi %is_too_long, %has_rounds : i1
    scf.condition(%go) %before, %square, %round : f64, f64, i32
  } do {
  ^round(%before: f64, %square: f64, %round: i32):
    vyre.region "turn the direction" {
      %keep = arith.divf %square, %before : f64
      scf.for %row = %first_row to %rows step %stride {
        %r = vyre.load %residual[%row] : memref<?xf64>
        %old = vyre.load %direction[%row] : memref<?xf64>
        %kept = arith.mulf %keep, %old : f64
        %new = arith.addf %r, %kept : f64
        vyre.store %new, %direction[%row] : memref<?xf64>
      }
    }
    vyre.barrier grid_sync

    vyre.region "direction times A times direction" {
      %mine = scf.for %row = %first_row to %rows step %stride
          iter_args(%sum = %nothing) -> (f64) {
        %next_row = arith.addi %row, %one : index
        %first_i32 = vyre.load %offsets[%row] : memref<?xi32>
        %end_i32 = vyre.load %offsets[%next_row] : memref<?xi32>
        %first = arith.index_cast %first_i32 : i32 to index
        %end = arith.index_cast %end_i32 : i32 to index
        %in_row = scf.for %entry = %first to %end step %one
            iter_args(%row_sum = %nothing) -> (f64) {
          %column_i32 = vyre.load %columns[%entry] : memref<?xi32>
          %column = arith.index_cast %column_i32 : i32 to index
          %value = vyre.load %values[%entry] : memref<?xf64>
          %there = vyre.load %direction[%column] : memref<?xf64>
          %term = arith.mulf %value, %there : f64
          %next_row_sum = arith.addf %row_sum, %term : f64
          scf.yield %next_row_sum : f64
        }
        vyre.store %in_row, %image[%row] : memref<?xf64>
        %here = vyre.load %direction[%row] : memref<?xf64>
        %product = arith.mulf %here, %in_row : f64
        %next_sum = arith.addf %sum, %product : f64
        scf.yield %next_sum : f64
      }
      vyre.store %mine, %sums[%lane] : memref<64xf64>
      scf.for %step = %zero to %steps step %one {
        vyre.barrier acq_rel
        %half = arith.shrui %half_width, %step : index
        %adds = arith.cmpi ult, %lane, %half : index
        scf.if %adds {
          %other_lane = arith.addi %lane, %half : index
          %own = vyre.load %sums[%lane] : memref<64xf64>
          %other = vyre.load %sums[%other_lane] : memref<64xf64>
          %both = arith.addf %own, %other : f64
          vyre.store %both, %sums[%lane] : memref<64xf64>
        }
      }
      scf.if %reports {
        %part = vyre.load %sums[%zero] : memref<64xf64>
        vyre.store %part, %energy_parts[%group] : memref<64xf64>
      }
    }
    vyre.barrier grid_sync

    vyre.region "go along the direction" {
      %energy = scf.for %g = %zero to %working_groups step %one
          iter_args(%sum = %nothing) -> (f64) {
        %part = vyre.load %energy_parts[%g] : memref<64xf64>
        %next_sum = arith.addf %sum, %part : f64
        scf.yield %next_sum : f64
      }
      %far = arith.divf %square, %energy : f64
      scf.for %row = %first_row to %rows step %stride {
        %old_x = vyre.load %x[%row] : memref<?xf64>
        %along = vyre.load %direction[%row] : memref<?xf64>
        %x_change = arith.mulf %far, %along : f64
        %new_x = arith.addf %old_x, %x_change : f64
        vyre.store %new_x, %x[%row] : memref<?xf64>

        %old_r = vyre.load %residual[%row] : memref<?xf64>
        %along_image = vyre.load %image[%row] : memref<?xf64>
        %r_change = arith.mulf %far, %along_image : f64
        %new_r = arith.subf %old_r, %r_change : f64
        vyre.store %new_r, %residual[%row] : memref<?xf64>
      }
    }
    %next_round = arith.addi %round, %one_round : i32
    scf.yield %square, %next_round : f64, i32
  }
}
