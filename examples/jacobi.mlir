// What are the values inside a plate whose rim is given?
//
// `plate` holds the values of the rim, and a first guess inside. In each step every inner
// cell becomes the mean of its four neighbours (the iteration of Jacobi for Laplace's
// equation). The steps end when no cell changes by more than `tolerance`, or after
// `max_steps`. `result` receives the values, `steps` the number of steps.
//
// A step reads one buffer and writes the other, `plate` and `spare` in turn. Its largest
// change is found without atomics: each invocation keeps the largest change of its cells,
// each workgroup combines those of its invocations in a tree, and puts the result into
// `group_change`, which has room for one value per workgroup. After a grid barrier every
// invocation goes through these values and comes to the same decision. After another one
// they may be overwritten, and the next step follows; what was decided is kept over it.

vyre.program @jacobi [8, 4, 1] {
  %plate = vyre.buffer "plate" read_write binding 0 : memref<?x?xf64>
  %spare = vyre.buffer "spare" read_write binding 1 : memref<?x?xf64>
  %group_change = vyre.buffer "group_change" read_write binding 2 : memref<?xf64>
  %result = vyre.buffer "result" write_only binding 3 output : memref<?x?xf64>
  %steps = vyre.buffer "steps" write_only binding 4 output : memref<1xindex>
  %tolerance = vyre.param "tolerance" : f64
  %max_steps = vyre.param "max_steps" : index
  %changes = vyre.buffer "changes" workgroup : memref<32xf64>

  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %nothing = arith.constant 0.0 : f64
  %quarter = arith.constant 0.25 : f64
  %endless = arith.constant 0x7FF0000000000000 : f64

  %x0 = vyre.invocation_id x
  %y0 = vyre.invocation_id y
  %groups_x = vyre.workgroup_count x
  %groups_y = vyre.workgroup_count y
  %width = vyre.workgroup_size x
  %height = vyre.workgroup_size y
  %stride_x = arith.muli %groups_x, %width : index
  %stride_y = arith.muli %groups_y, %height : index

  // This workgroup's number, and this invocation's number in it.
  %groups = arith.muli %groups_x, %groups_y : index
  %group_x = vyre.workgroup_id x
  %group_y = vyre.workgroup_id y
  %group_row = arith.muli %group_y, %groups_x : index
  %group = arith.addi %group_row, %group_x : index
  %local_x = vyre.local_id x
  %local_y = vyre.local_id y
  %local_row = arith.muli %local_y, %width : index
  %local = arith.addi %local_row, %local_x : index

  %rows = vyre.length %plate, 0 : memref<?x?xf64>
  %columns = vyre.length %plate, 1 : memref<?x?xf64>
  %last_row = arith.subi %rows, %one : index
  %last_column = arith.subi %columns, %one : index

  %end:4 = scf.while (%from = %plate, %to = %spare, %step = %zero, %change = %endless)
      : (memref<?x?xf64>, memref<?x?xf64>, index, f64)
      -> (memref<?x?xf64>, memref<?x?xf64>, index, f64) {
    %changes_much = arith.cmpf ogt, %change, %tolerance : f64
    %has_time = arith.cmpi slt, %step, %max_steps : index
    %go = arith.andi %changes_much, %has_time : i1
    scf.condition(%go) %from, %to, %step, %change
        : memref<?x?xf64>, memref<?x?xf64>, index, f64
  } do {
  ^step(%from: memref<?x?xf64>, %to: memref<?x?xf64>, %step: index, %change: f64):
    %own_change = vyre.region "new values" -> (f64) {
      %largest = scf.for %y = %y0 to %rows step %stride_y
          iter_args(%row_start = %nothing) -> (f64) {
        %y_after_first = arith.cmpi sgt, %y, %zero : index
        %y_before_last = arith.cmpi slt, %y, %last_row : index
        %y_inner = arith.andi %y_after_first, %y_before_last : i1
        %row_end = scf.for %x = %x0 to %columns step %stride_x
            iter_args(%so_far = %row_start) -> (f64) {
          %x_after_first = arith.cmpi sgt, %x, %zero : index
          %x_before_last = arith.cmpi slt, %x, %last_column : index
          %x_inner = arith.andi %x_after_first, %x_before_last : i1
          %inner = arith.andi %y_inner, %x_inner : i1

          %old = vyre.load %from[%y, %x] : memref<?x?xf64>
          %new = scf.if %inner -> (f64) {
            %y_less = arith.subi %y, %one : index
            %y_more = arith.addi %y, %one : index
            %x_less = arith.subi %x, %one : index
            %x_more = arith.addi %x, %one : index
            %north = vyre.load %from[%y_less, %x] : memref<?x?xf64>
            %south = vyre.load %from[%y_more, %x] : memref<?x?xf64>
            %west = vyre.load %from[%y, %x_less] : memref<?x?xf64>
            %east = vyre.load %from[%y, %x_more] : memref<?x?xf64>
            %along_y = arith.addf %north, %south : f64
            %along_x = arith.addf %west, %east : f64
            %around = arith.addf %along_y, %along_x : f64
            %mean = arith.mulf %around, %quarter : f64
            scf.yield %mean : f64
          } else {
            scf.yield %old : f64
          }
          vyre.store %new, %to[%y, %x] : memref<?x?xf64>
          %difference = arith.subf %new, %old : f64
          %distance = math.absf %difference : f64
          %larger = arith.maximumf %so_far, %distance : f64
          scf.yield %larger : f64
        }
        scf.yield %row_end : f64
      }
      vyre.yield %largest : f64
    }

    vyre.region "largest change of the workgroup" {
      vyre.store %own_change, %changes[%local] : memref<32xf64>
      %levels = arith.constant 5 : index
      %half = arith.constant 16 : index
      scf.for %level = %zero to %levels step %one {
        vyre.barrier acq_rel
        %remaining = arith.shrui %half, %level : index
        %takes_part = arith.cmpi slt, %local, %remaining : index
        scf.if %takes_part {
          %partner = arith.addi %local, %remaining : index
          %mine = vyre.load %changes[%local] : memref<32xf64>
          %theirs = vyre.load %changes[%partner] : memref<32xf64>
          %larger = arith.maximumf %mine, %theirs : f64
          vyre.store %larger, %changes[%local] : memref<32xf64>
        }
      }
      %is_first = arith.cmpi eq, %local, %zero : index
      scf.if %is_first {
        %largest = vyre.load %changes[%zero] : memref<32xf64>
        vyre.store %largest, %group_change[%group] : memref<?xf64>
      }
    }
    vyre.barrier grid_sync

    %new_change = vyre.region "largest change of the grid" -> (f64) {
      %largest = scf.for %g = %zero to %groups step %one
          iter_args(%so_far = %nothing) -> (f64) {
        %this_change = vyre.load %group_change[%g] : memref<?xf64>
        %larger = arith.maximumf %so_far, %this_change : f64
        scf.yield %larger : f64
      }
      vyre.yield %largest : f64
    }
    vyre.barrier grid_sync
    %next_step = arith.addi %step, %one : index
    scf.yield %to, %from, %next_step, %new_change
        : memref<?x?xf64>, memref<?x?xf64>, index, f64
  }

  vyre.region "result" {
    scf.for %y = %y0 to %rows step %stride_y {
      scf.for %x = %x0 to %columns step %stride_x {
        %value = vyre.load %end#0[%y, %x] : memref<?x?xf64>
        vyre.store %value, %result[%y, %x] : memref<?x?xf64>
      }
    }
    vyre.store %end#2, %steps[%zero] : memref<1xindex>
  }
}
