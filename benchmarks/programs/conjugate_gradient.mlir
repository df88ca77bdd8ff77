// Solve A x = b by conjugate gradients, for a symmetric, positive definite matrix A.
//
// Row i of A has values[e] in column columns[e], for e from offsets[i] up to, but not
// including, offsets[i + 1]. There is an invocation for each row. A round has three grid
// barriers: one for each of two dot products, and one after the direction has changed.
//
// For a dot product a workgroup puts the products of its 256 rows into workgroup memory;
// 16 invocations add up 16 of them each, and the first adds up these. After a grid barrier
// everyone adds up the sums of the workgroups, in the same order.

vyre.program @conjugate_gradient [256, 1, 1] {
  %offsets = vyre.buffer "offsets" read_only binding 0 : memref<?xi32>
  %columns = vyre.buffer "columns" read_only binding 1 : memref<?xi32>
  %values = vyre.buffer "values" read_only binding 2 : memref<?xf64>
  %b = vyre.buffer "b" read_only binding 3 : memref<?xf64>
  %x = vyre.buffer "x" read_write binding 4 : memref<?xf64>
  %residual = vyre.buffer "residual" read_write binding 5 : memref<?xf64>
  %direction = vyre.buffer "direction" read_write binding 6 : memref<?xf64>
  %image = vyre.buffer "image" read_write binding 7 : memref<?xf64>
  %square_parts = vyre.buffer "square_parts" read_write binding 8 : memref<?xf64>
  %energy_parts = vyre.buffer "energy_parts" read_write binding 9 : memref<?xf64>
  %products = vyre.buffer "products" workgroup : memref<256xf64>
  %sums = vyre.buffer "sums" workgroup : memref<16xf64>
  %tolerance = vyre.param "tolerance" : f64
  %max_rounds = vyre.param "max_rounds" : index

  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %sixteen = arith.constant 16 : index
  %nothing = arith.constant 0.0 : f64
  %unit = arith.constant 1.0 : f64

  %row = vyre.invocation_id x
  %lane = vyre.local_id x
  %group = vyre.workgroup_id x
  %rows = vyre.length %b, 0 : memref<?xf64>
  %groups = vyre.length %square_parts, 0 : memref<?xf64>
  %has_row = arith.cmpi ult, %row, %rows : index
  %adds_16 = arith.cmpi ult, %lane, %sixteen : index
  %adds_all = arith.cmpi eq, %lane, %zero : index
  %limit = arith.mulf %tolerance, %tolerance : f64

  vyre.region "start from zero" {
    %product = scf.if %has_row -> (f64) {
      %right_side = vyre.load %b[%row] : memref<?xf64>
      vyre.store %nothing, %x[%row] : memref<?xf64>
      vyre.store %right_side, %residual[%row] : memref<?xf64>
      vyre.store %nothing, %direction[%row] : memref<?xf64>
      %r_squared = arith.mulf %right_side, %right_side : f64
      scf.yield %r_squared : f64
    } else {
      scf.yield %nothing : f64
    }
    vyre.store %product, %products[%lane] : memref<256xf64>
    vyre.barrier acq_rel
    scf.if %adds_16 {
      %sum = scf.for %k = %zero to %sixteen step %one
          iter_args(%so_far = %nothing) -> (f64) {
        %first = arith.muli %k, %sixteen : index
        %at = arith.addi %first, %lane : index
        %there = vyre.load %products[%at] : memref<256xf64>
        %more = arith.addf %so_far, %there : f64
        scf.yield %more : f64
      }
      vyre.store %sum, %sums[%lane] : memref<16xf64>
    }
    vyre.barrier acq_rel
    scf.if %adds_all {
      %part = scf.for %k = %zero to %sixteen step %one
          iter_args(%so_far = %nothing) -> (f64) {
        %there = vyre.load %sums[%k] : memref<16xf64>
        %more = arith.addf %so_far, %there : f64
        scf.yield %more : f64
      }
      vyre.store %part, %square_parts[%group] : memref<?xf64>
    }
  }
  vyre.barrier grid_sync

  // `before` and `square` are the squares of the residual's length, one round ago and
  // now. In the first round the direction is zero: any `before` but zero will do.
  %last_before, %last_square, %rounds = scf.while (%before = %unit, %round = %zero)
      : (f64, index) -> (f64, f64, index) {
    %square = scf.for %g = %zero to %groups step %one
        iter_args(%so_far = %nothing) -> (f64) {
      %part = vyre.load %square_parts[%g] : memref<?xf64>
      %more = arith.addf %so_far, %part : f64
      scf.yield %more : f64
    }
    %is_too_long = arith.cmpf ogt, %square, %limit : f64
    %has_rounds = arith.cmpi ult, %round, %max_rounds : index
    %go = arith.andi %is_too_long, %has_rounds : i1
    scf.condition(%go) %before, %square, %round : f64, f64, index
  } do {
  ^round(%before: f64, %square: f64, %round: index):
    vyre.region "turn the direction" {
      %keep = arith.divf %square, %before : f64
      scf.if %has_row {
        %r = vyre.load %residual[%row] : memref<?xf64>
        %old = vyre.load %direction[%row] : memref<?xf64>
        %new = math.fma %keep, %old, %r : f64
        vyre.store %new, %direction[%row] : memref<?xf64>
      }
    }
    vyre.barrier grid_sync

    vyre.region "direction times A times direction" {
      %product = scf.if %has_row -> (f64) {
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
          %next_row_sum = math.fma %value, %there, %row_sum : f64
          scf.yield %next_row_sum : f64
        }
        vyre.store %in_row, %image[%row] : memref<?xf64>
        %here = vyre.load %direction[%row] : memref<?xf64>
        %energy_of_row = arith.mulf %here, %in_row : f64
        scf.yield %energy_of_row : f64
      } else {
        scf.yield %nothing : f64
      }
      vyre.store %product, %products[%lane] : memref<256xf64>
      vyre.barrier acq_rel
      scf.if %adds_16 {
        %sum = scf.for %k = %zero to %sixteen step %one
            iter_args(%so_far = %nothing) -> (f64) {
          %first = arith.muli %k, %sixteen : index
          %at = arith.addi %first, %lane : index
          %there = vyre.load %products[%at] : memref<256xf64>
          %more = arith.addf %so_far, %there : f64
          scf.yield %more : f64
        }
        vyre.store %sum, %sums[%lane] : memref<16xf64>
      }
      vyre.barrier acq_rel
      scf.if %adds_all {
        %part = scf.for %k = %zero to %sixteen step %one
            iter_args(%so_far = %nothing) -> (f64) {
          %there = vyre.load %sums[%k] : memref<16xf64>
          %more = arith.addf %so_far, %there : f64
          scf.yield %more : f64
        }
        vyre.store %part, %energy_parts[%group] : memref<?xf64>
      }
    }
    vyre.barrier grid_sync

    vyre.region "go along the direction" {
      %energy = scf.for %g = %zero to %groups step %one
          iter_args(%so_far = %nothing) -> (f64) {
        %part = vyre.load %energy_parts[%g] : memref<?xf64>
        %more = arith.addf %so_far, %part : f64
        scf.yield %more : f64
      }
      %far = arith.divf %square, %energy : f64
      %far_back = arith.negf %far : f64
      %product = scf.if %has_row -> (f64) {
        %old_x = vyre.load %x[%row] : memref<?xf64>
        %along = vyre.load %direction[%row] : memref<?xf64>
        %new_x = math.fma %far, %along, %old_x : f64
        vyre.store %new_x, %x[%row] : memref<?xf64>

        %old_r = vyre.load %residual[%row] : memref<?xf64>
        %along_image = vyre.load %image[%row] : memref<?xf64>
        %new_r = math.fma %far_back, %along_image, %old_r : f64
        vyre.store %new_r, %residual[%row] : memref<?xf64>
        %r_squared = arith.mulf %new_r, %new_r : f64
        scf.yield %r_squared : f64
      } else {
        scf.yield %nothing : f64
      }
      vyre.store %product, %products[%lane] : memref<256xf64>
      vyre.barrier acq_rel
      scf.if %adds_16 {
        %sum = scf.for %k = %zero to %sixteen step %one
            iter_args(%so_far = %nothing) -> (f64) {
          %first = arith.muli %k, %sixteen : index
          %at = arith.addi %first, %lane : index
          %there = vyre.load %products[%at] : memref<256xf64>
          %more = arith.addf %so_far, %there : f64
          scf.yield %more : f64
        }
        vyre.store %sum, %sums[%lane] : memref<16xf64>
      }
      vyre.barrier acq_rel
      scf.if %adds_all {
        %part = scf.for %k = %zero to %sixteen step %one
            iter_args(%so_far = %nothing) -> (f64) {
          %there = vyre.load %sums[%k] : memref<16xf64>
          %more = arith.addf %so_far, %there : f64
          scf.yield %more : f64
        }
        vyre.store %part, %square_parts[%group] : memref<?xf64>
      }
    }
    vyre.barrier grid_sync

    %next_round = arith.addi %round, %one : index
    scf.yield %square, %next_round : f64, index
  }
}
