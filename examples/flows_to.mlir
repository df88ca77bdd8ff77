// To which sinks of a program does data of its sources flow?
//
// The nodes of the graph are places that hold data, and its edges are what moves data from
// one to another: assignments, calls, reads of fields and so on. Edges of node v are those
// from offsets[v] up to, but not including, offsets[v + 1]; targets[e] is where edge e leads,
// and kinds[e] has a bit for what it is. Data flows only along edges whose kind is in `mask`.
//
// Sets of nodes are words of 32 bits: node v is bit v % 32 of word v / 32. `sources` and
// `sinks` are given. `reached` and `found` are empty before.
//
// One dispatch follows one edge from all that is reached: it is one hop of the data. So the
// number of passes (fixpoint_iterations) bounds the number of hops, and the passes end
// early when nothing new is reached. Waves for eight hops in one dispatch would make all
// eight, whatever the graph is.
//
// The waves say nothing of their order: it follows from the buffers that they share. "seed"
// and "clear" run together, and then each wave needs what the one before it gives, so that
// there are five groups and four grid barriers. @unite is used by three waves.

vyre.program @unite [64, 1, 1] {
  %from = vyre.buffer "from" read_only binding 0 : memref<?xi32>
  %into = vyre.buffer "into" read_write binding 1 : memref<?xi32>

  // Invocation i takes the words i, i + stride, i + 2 * stride, ...
  %i = vyre.invocation_id x
  %groups = vyre.workgroup_count x
  %width = vyre.workgroup_size x
  %stride = arith.muli %groups, %width : index
  %words = vyre.length %into, 0 : memref<?xi32>
  scf.for %word = %i to %words step %stride {
    %more = vyre.load %from[%word] : memref<?xi32>
    %before = vyre.load %into[%word] : memref<?xi32>
    %both = arith.ori %before, %more : i32
    vyre.store %both, %into[%word] : memref<?xi32>
  }
}

vyre.program @clear [64, 1, 1] {
  %set = vyre.buffer "set" write_only binding 0 : memref<?xi32>

  %i = vyre.invocation_id x
  %groups = vyre.workgroup_count x
  %width = vyre.workgroup_size x
  %stride = arith.muli %groups, %width : index
  %words = vyre.length %set, 0 : memref<?xi32>
  %empty = arith.constant 0 : i32
  scf.for %word = %i to %words step %stride {
    vyre.store %empty, %set[%word] : memref<?xi32>
  }
}

vyre.program @hop [64, 1, 1] {
  %offsets = vyre.buffer "offsets" read_only binding 0 : memref<?xi32>
  %targets = vyre.buffer "targets" read_only binding 1 : memref<?xi32>
  %kinds = vyre.buffer "kinds" read_only binding 2 : memref<?xi32>
  %reached = vyre.buffer "reached" read_only binding 3 : memref<?xi32>
  %next = vyre.buffer "next" read_write binding 4 : memref<?xi32>
  %mask = vyre.param "mask" : i32

  %one = arith.constant 1 : index
  %word_size = arith.constant 32 : index
  %no = arith.constant 0 : i32
  %yes = arith.constant 1 : i32

  // Invocation i takes the nodes i, i + stride, i + 2 * stride, ...
  %i = vyre.invocation_id x
  %groups = vyre.workgroup_count x
  %width = vyre.workgroup_size x
  %stride = arith.muli %groups, %width : index
  %ends = vyre.length %offsets, 0 : memref<?xi32>
  %nodes = arith.subi %ends, %one : index
  scf.for %v = %i to %nodes step %stride {
    %word = arith.divui %v, %word_size : index
    %bit = arith.index_cast %v : index to i32
    %bits = vyre.load %reached[%word] : memref<?xi32>
    %own_bit = arith.shli %yes, %bit : i32
    %mine = arith.andi %bits, %own_bit : i32
    %is_reached = arith.cmpi ne, %mine, %no : i32
    scf.if %is_reached {
      %v_next = arith.addi %v, %one : index
      %first_edge = vyre.load %offsets[%v] : memref<?xi32>
      %end_edge = vyre.load %offsets[%v_next] : memref<?xi32>
      %first = arith.index_cast %first_edge : i32 to index
      %end = arith.index_cast %end_edge : i32 to index
      scf.for %edge = %first to %end step %one {
        %kind = vyre.load %kinds[%edge] : memref<?xi32>
        %of_mask = arith.andi %kind, %mask : i32
        %flows = arith.cmpi ne, %of_mask, %no : i32
        scf.if %flows {
          %target = vyre.load %targets[%edge] : memref<?xi32>
          %w = arith.index_cast %target : i32 to index
          %target_word = arith.divui %w, %word_size : index
          %target_bit = arith.shli %yes, %target : i32
          %before = vyre.atomic or %target_bit, %next[%target_word] : memref<?xi32>
        }
      }
    }
  }
}

vyre.program @intersect [64, 1, 1] {
  %set = vyre.buffer "set" read_only binding 0 : memref<?xi32>
  %other = vyre.buffer "other" read_only binding 1 : memref<?xi32>
  %common = vyre.buffer "common" write_only binding 2 : memref<?xi32>

  %i = vyre.invocation_id x
  %groups = vyre.workgroup_count x
  %width = vyre.workgroup_size x
  %stride = arith.muli %groups, %width : index
  %words = vyre.length %common, 0 : memref<?xi32>
  scf.for %word = %i to %words step %stride {
    %a = vyre.load %set[%word] : memref<?xi32>
    %b = vyre.load %other[%word] : memref<?xi32>
    %both = arith.andi %a, %b : i32
    vyre.store %both, %common[%word] : memref<?xi32>
  }
}

vyre.megakernel @flows_to {
  vyre.wave "seed" @unite with {from = "sources", into = "reached"}
  vyre.wave "clear" @clear with {set = "next"}
  vyre.wave "hop" @hop with {mask = "mask"}
  vyre.wave "absorb" @unite with {from = "next", into = "reached"}
  vyre.wave "intersect" @intersect with {set = "reached", other = "sinks", common = "hits"}
  vyre.wave "report" @unite with {from = "hits", into = "found"}
}
