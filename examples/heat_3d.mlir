// How does heat spread through a block?
//
// `heat` holds the temperatures of a block's cells, in layers, rows and columns. The cells
// of its surface keep their temperatures. In each of `steps` steps, every other cell adds
// `rate` times the sum of its differences to its six neighbours. `result` receives the
// temperatures after the last step.
//
// A step reads one buffer and writes the other, `heat` and `spare` in turn. Before the next
// step the whole grid waits: cells at the edge of a workgroup's part have neighbours that
// other workgroups compute.

vyre.program @heat_3d [4, 2, 2] {
  %heat = vyre.buffer "heat" read_write binding 0 : memref<?x?x?xf32>
  %spare = vyre.buffer "spare" read_write binding 1 : memref<?x?x?xf32>
  %result = vyre.buffer "result" write_only binding 2 output : memref<?x?x?xf32>
  %steps = vyre.param "steps" : index
  %rate = vyre.param "rate" : f32

  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %six = arith.constant 6.0 : f32
  %layers = vyre.length %heat, 0 : memref<?x?x?xf32>
  %rows = vyre.length %heat, 1 : memref<?x?x?xf32>
  %columns = vyre.length %heat, 2 : memref<?x?x?xf32>
  %last_layer = arith.subi %layers, %one : index
  %last_row = arith.subi %rows, %one : index
  %last_column = arith.subi %columns, %one : index

  // Along each axis, an invocation starts at its own place and goes on by the whole grid.
  %x0 = vyre.invocation_id x
  %y0 = vyre.invocation_id y
  %z0 = vyre.invocation_id z
  %groups_x = vyre.workgroup_count x
  %groups_y = vyre.workgroup_count y
  %groups_z = vyre.workgroup_count z
  %width_x = vyre.workgroup_size x
  %width_y = vyre.workgroup_size y
  %width_z = vyre.workgroup_size z
  %stride_x = arith.muli %groups_x, %width_x : index
  %stride_y = arith.muli %groups_y, %width_y : index
  %stride_z = arith.muli %groups_z, %width_z : index

  %end:2 = scf.for %step = %zero to %steps step %one
      iter_args(%from = %heat, %to = %spare) -> (memref<?x?x?xf32>, memref<?x?x?xf32>) {
    vyre.region "step" {
      scf.for %z = %z0 to %layers step %stride_z {
        %z_before_last = arith.cmpi slt, %z, %last_layer : index
        %z_after_first = arith.cmpi sgt, %z, %zero : index
        %z_inner = arith.andi %z_before_last, %z_after_first : i1
        scf.for %y = %y0 to %rows step %stride_y {
          %y_before_last = arith.cmpi slt, %y, %last_row : index
          %y_after_first = arith.cmpi sgt, %y, %zero : index
          %y_inner = arith.andi %y_before_last, %y_after_first : i1
          %yz_inner = arith.andi %z_inner, %y_inner : i1
          scf.for %x = %x0 to %columns step %stride_x {
            %x_before_last = arith.cmpi slt, %x, %last_column : index
            %x_after_first = arith.cmpi sgt, %x, %zero : index
            %x_inner = arith.andi %x_before_last, %x_after_first : i1
            %inner = arith.andi %yz_inner, %x_inner : i1

            %old = vyre.load %from[%z, %y, %x] : memref<?x?x?xf32>
            %new = scf.if %inner -> (f32) {
              %z_less = arith.subi %z, %one : index
              %z_more = arith.addi %z, %one : index
              %y_less = arith.subi %y, %one : index
              %y_more = arith.addi %y, %one : index
              %x_less = arith.subi %x, %one : index
              %x_more = arith.addi %x, %one : index
              %up = vyre.load %from[%z_less, %y, %x] : memref<?x?x?xf32>
              %down = vyre.load %from[%z_more, %y, %x] : memref<?x?x?xf32>
              %north = vyre.load %from[%z, %y_less, %x] : memref<?x?x?xf32>
              %south = vyre.load %from[%z, %y_more, %x] : memref<?x?x?xf32>
              %west = vyre.load %from[%z, %y, %x_less] : memref<?x?x?xf32>
              %east = vyre.load %from[%z, %y, %x_more] : memref<?x?x?xf32>
              %along_z = arith.addf %up, %down : f32
              %along_y = arith.addf %north, %south : f32
              %along_x = arith.addf %west, %east : f32
              %along_zy = arith.addf %along_z, %along_y : f32
              %around = arith.addf %along_zy, %along_x : f32
              %own = arith.mulf %old, %six : f32
              %difference = arith.subf %around, %own : f32
              %gain = arith.mulf %difference, %rate : f32
              %warmer = arith.addf %old, %gain : f32
              scf.yield %warmer : f32
            } else {
              scf.yield %old : f32
            }
            vyre.store %new, %to[%z, %y, %x] : memref<?x?x?xf32>
          }
        }
      }
    }
    vyre.barrier grid_sync
    scf.yield %to, %from : memref<?x?x?xf32>, memref<?x?x?xf32>
  }

  vyre.region "result" {
    scf.for %z = %z0 to %layers step %stride_z {
      scf.for %y = %y0 to %rows step %stride_y {
        scf.for %x = %x0 to %columns step %stride_x {
          %value = vyre.load %end#0[%z, %y, %x] : memref<?x?x?xf32>
          vyre.store %value, %result[%z, %y, %x] : memref<?x?x?xf32>
        }
      }
    }
  }
}
