// RUN: vyre-opt %s -p vyre-hoist-grid-sync | filecheck %s

// Provenance and attributes are on both halves, and the value that crosses is yielded.
// CHECK-LABEL: vyre.program @divided
// CHECK:         %v = vyre.region "step" from "solver" -> (f32) attributes {note = "kept"} {
// CHECK-NEXT:      %v_1 = vyre.load %a[%i] : memref<?xf32>
// CHECK-NEXT:      %w = arith.addf %v_1, %v_1 : f32
// CHECK-NEXT:      vyre.store %w, %a[%i] : memref<?xf32>
// CHECK-NEXT:      vyre.yield %v_1 : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    vyre.region "step" from "solver" attributes {note = "kept"} {
// CHECK-NEXT:      vyre.store %v, %b[%i] : memref<?xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @divided [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %i = vyre.invocation_id x
  vyre.region "step" from "solver" attributes {note = "kept"} {
    %v = vyre.load %a[%i] : memref<?xf32>
    %w = arith.addf %v, %v : f32
    vyre.store %w, %a[%i] : memref<?xf32>
    vyre.barrier grid_sync
    vyre.store %v, %b[%i] : memref<?xf32>
  }
}

// CHECK-LABEL: vyre.program @without_barrier
// CHECK:         vyre.region "outer" {
// CHECK-NEXT:      vyre.barrier acq_rel
// CHECK-NEXT:      vyre.region "inner" {
// CHECK-NEXT:        %i = vyre.invocation_id x
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:  }
vyre.program @without_barrier [64, 1, 1] {
  vyre.region "outer" {
    vyre.barrier acq_rel
    vyre.region "inner" {
      %i = vyre.invocation_id x
    }
  }
  vyre.barrier grid_sync
}

// No empty copies.
// CHECK-LABEL: vyre.program @adjacent
// CHECK-NEXT:    %x = vyre.param "x" : i32
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    vyre.region {
// CHECK-NEXT:      %y = arith.addi %x, %x : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:  }
vyre.program @adjacent [64, 1, 1] {
  %x = vyre.param "x" : i32
  vyre.region {
    vyre.barrier grid_sync
    vyre.barrier grid_sync
    %y = arith.addi %x, %x : i32
    vyre.barrier grid_sync
    vyre.barrier grid_sync
  }
}

// CHECK-LABEL: vyre.program @nothing_but_a_barrier
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:  }
vyre.program @nothing_but_a_barrier [64, 1, 1] {
  vyre.region "outer" {
    vyre.region "inner" {
      vyre.barrier grid_sync
    }
  }
}

// Copies of the inner region stand in copies of the outer one, beside what they stood with.
// CHECK-LABEL: vyre.program @nested
// CHECK:         %v = vyre.region "outer" -> (i32) {
// CHECK-NEXT:      %u = arith.addi %x, %x : i32
// CHECK-NEXT:      %v_1 = vyre.region "inner" from "there" -> (i32) {
// CHECK-NEXT:        %v_2 = arith.addi %u, %x : i32
// CHECK-NEXT:        vyre.yield %v_2 : i32
// CHECK-NEXT:      }
// CHECK-NEXT:      vyre.yield %v_1 : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    vyre.region "outer" {
// CHECK-NEXT:      %w = vyre.region "inner" from "there" -> (i32) {
// CHECK-NEXT:        %w_1 = arith.addi %v, %x : i32
// CHECK-NEXT:        vyre.yield %w_1 : i32
// CHECK-NEXT:      }
// CHECK-NEXT:      %z = arith.addi %w, %x : i32
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @nested [64, 1, 1] {
  %x = vyre.param "x" : i32
  vyre.region "outer" {
    %u = arith.addi %x, %x : i32
    %r = vyre.region "inner" from "there" -> (i32) {
      %v = arith.addi %u, %x : i32
      vyre.barrier grid_sync
      %w = arith.addi %v, %x : i32
      vyre.yield %w : i32
    }
    %z = arith.addi %r, %x : i32
  }
}

// What the region yields takes the place of its results, wherever it comes from.
// CHECK-LABEL: vyre.program @results
// CHECK:         %u = vyre.region "r" -> (i32) {
// CHECK:         vyre.barrier grid_sync
// CHECK-NEXT:    %v = vyre.region "r" -> (i32) {
// CHECK:         %s = arith.addi %u, %v : i32
// CHECK-NEXT:    %t = arith.addi %x, %s : i32
vyre.program @results [64, 1, 1] {
  %x = vyre.param "x" : i32
  %a, %b, %c = vyre.region "r" -> (i32, i32, i32) {
    %u = arith.addi %x, %x : i32
    vyre.barrier grid_sync
    %v = arith.addi %x, %x : i32
    vyre.yield %u, %v, %x : i32, i32, i32
  }
  %s = arith.addi %a, %b : i32
  %t = arith.addi %c, %s : i32
}

// The loop stays around its barrier; what stands in it and around it is wrapped.
// CHECK-LABEL: vyre.program @loop
// CHECK:         %start = vyre.region "r" -> (i32) {
// CHECK-NEXT:      %start_1 = arith.addi %x, %x : i32
// CHECK-NEXT:      vyre.yield %start_1 : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    %sum = scf.for %k = %n to %n step %n iter_args(%part = %start) -> (i32) {
// CHECK-NEXT:      %more = vyre.region "r" -> (i32) {
// CHECK-NEXT:        %more_1 = arith.addi %part, %x : i32
// CHECK-NEXT:        vyre.yield %more_1 : i32
// CHECK-NEXT:      }
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:      scf.yield %more : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.region "r" {
// CHECK-NEXT:      %end = arith.addi %sum, %x : i32
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @loop [64, 1, 1] {
  %x = vyre.param "x" : i32
  %n = vyre.param "n" : index
  vyre.region "r" {
    %start = arith.addi %x, %x : i32
    %sum = scf.for %k = %n to %n step %n iter_args(%part = %start) -> (i32) {
      %more = arith.addi %part, %x : i32
      vyre.barrier grid_sync
      scf.yield %more : i32
    }
    %end = arith.addi %sum, %x : i32
  }
}

// Also in both regions of a while loop, in branches, and with regions on the way.
// CHECK-LABEL: vyre.program @deep
// CHECK:         scf.while () : () -> () {
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:      %go = vyre.region "outer" -> (i1) {
// CHECK-NEXT:        %go_1 = arith.andi %c, %c : i1
// CHECK-NEXT:        vyre.yield %go_1 : i1
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.condition(%go)
// CHECK-NEXT:    } do {
// CHECK-NEXT:      scf.if %c {
// CHECK-NEXT:        vyre.region "outer" {
// CHECK-NEXT:          vyre.region "inner" {
// CHECK-NEXT:            %s = arith.addi %x, %x : i32
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:        vyre.barrier grid_sync
// CHECK-NEXT:      } else {
// CHECK-NEXT:        vyre.region "outer" {
// CHECK-NEXT:          vyre.region "inner" {
// CHECK-NEXT:            %t = arith.subi %x, %x : i32
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      vyre.region "outer" {
// CHECK-NEXT:        vyre.region "other" {
// CHECK-NEXT:          %u = arith.muli %x, %x : i32
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @deep [64, 1, 1] {
  %x = vyre.param "x" : i32
  %c = vyre.param "c" : i1
  vyre.region "outer" {
    scf.while () : () -> () {
      vyre.barrier grid_sync
      %go = arith.andi %c, %c : i1
      scf.condition(%go)
    } do {
      vyre.region "inner" {
        scf.if %c {
          %s = arith.addi %x, %x : i32
          vyre.barrier grid_sync
        } else {
          %t = arith.subi %x, %x : i32
        }
      }
      vyre.region "other" {
        %u = arith.muli %x, %x : i32
      }
      scf.yield
    }
  }
}

// A loop without a barrier is an operation like others.
// CHECK-LABEL: vyre.program @plain_loop
// CHECK:         vyre.region "r" {
// CHECK-NEXT:      scf.for %k = %n to %n step %n {
// CHECK-NEXT:        %m = arith.addi %k, %k : index
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.barrier grid_sync
vyre.program @plain_loop [64, 1, 1] {
  %n = vyre.param "n" : index
  vyre.region "r" {
    scf.for %k = %n to %n step %n {
      %m = arith.addi %k, %k : index
    }
    vyre.barrier grid_sync
  }
}

// Constants, ids and sizes that are used outside their copy stay in front of it, also when
// they come out of several regions; others stay inside.
// CHECK-LABEL: vyre.program @constants
// CHECK-NEXT:    %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
// CHECK-NEXT:    %one = arith.constant 1 : i32
// CHECK-NEXT:    %i = vyre.invocation_id x
// CHECK-NEXT:    vyre.region "outer" {
// CHECK-NEXT:      vyre.region "inner" {
// CHECK-NEXT:        %two = arith.constant 2 : i32
// CHECK-NEXT:        %three = arith.addi %one, %two : i32
// CHECK-NEXT:        vyre.store %three, %a[%i] : memref<?xi32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    %group = vyre.workgroup_id x
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    vyre.region "outer" {
// CHECK-NEXT:      vyre.region "inner" {
// CHECK-NEXT:        vyre.store %one, %a[%group] : memref<?xi32>
// CHECK-NEXT:      }
// CHECK-NEXT:      %four = arith.constant 4 : i32
// CHECK-NEXT:      vyre.store %four, %a[%i] : memref<?xi32>
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @constants [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  vyre.region "outer" {
    %id = vyre.region "inner" -> (index) {
      %one = arith.constant 1 : i32
      %two = arith.constant 2 : i32
      %i = vyre.invocation_id x
      %three = arith.addi %one, %two : i32
      vyre.store %three, %a[%i] : memref<?xi32>
      vyre.barrier grid_sync
      %group = vyre.workgroup_id x
      vyre.barrier grid_sync
      vyre.store %one, %a[%group] : memref<?xi32>
      vyre.yield %i : index
    }
    %four = arith.constant 4 : i32
    vyre.store %four, %a[%id] : memref<?xi32>
  }
}

// The end of an invocation stays inside a copy, so code may follow.
// CHECK-LABEL: vyre.program @ends
// CHECK:         vyre.barrier grid_sync
// CHECK-NEXT:    scf.if %c {
// CHECK-NEXT:      vyre.region "r" {
// CHECK-NEXT:        vyre.trap "no"
// CHECK-NEXT:      }
// CHECK-NEXT:    } else {
// CHECK-NEXT:      vyre.barrier grid_sync
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.region "r" {
// CHECK-NEXT:      %y = arith.addi %x, %x : i32
// CHECK-NEXT:      vyre.return
// CHECK-NEXT:    }
// CHECK-NEXT:    %z = arith.addi %x, %x : i32
// CHECK-NEXT:  }
vyre.program @ends [64, 1, 1] {
  %x = vyre.param "x" : i32
  %c = vyre.param "c" : i1
  vyre.region "r" {
    vyre.barrier grid_sync
    scf.if %c {
      vyre.trap "no"
    } else {
      vyre.barrier grid_sync
    }
    %y = arith.addi %x, %x : i32
    vyre.return
  }
  %z = arith.addi %x, %x : i32
}

// Tokens are yielded like other values. A loop that gives buffers stands outside: it may
// have to become the host's.
// CHECK-LABEL: vyre.program @tokens_and_memrefs
// CHECK:         %end, %end_1 = scf.for
// CHECK-NEXT:      scf.yield %q, %p : memref<?xf32>, memref<?xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %t = vyre.region "r" -> (!vyre.token) {
// CHECK-NEXT:      %t_1 = vyre.async_load
// CHECK-NEXT:      vyre.yield %t_1 : !vyre.token
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    vyre.region "r" {
// CHECK-NEXT:      vyre.async_wait %t
// CHECK-NEXT:      %v = vyre.load %end[%i] : memref<?xf32>
// CHECK-NEXT:      vyre.store %v, %end_1[%i] : memref<?xf32>
// CHECK-NEXT:    }
vyre.program @tokens_and_memrefs [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %c = vyre.buffer "c" read_write binding 2 : memref<?xf32>
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  vyre.region "r" {
    %end:2 = scf.for %k = %n to %n step %n iter_args(%p = %a, %q = %b) -> (memref<?xf32>, memref<?xf32>) {
      scf.yield %q, %p : memref<?xf32>, memref<?xf32>
    }
    %t = vyre.async_load %end#0[%i], %c[%i], %n : memref<?xf32>, memref<?xf32>
    vyre.barrier grid_sync
    vyre.async_wait %t
    %v = vyre.load %end#0[%i] : memref<?xf32>
    vyre.store %v, %end#1[%i] : memref<?xf32>
  }
}

// So does one that gives a number as well.
// CHECK-LABEL: vyre.program @memref_and_number
// CHECK:         %last, %count = scf.for
// CHECK:         vyre.region "gives" {
// CHECK-NEXT:      vyre.store %count, %last[%i] : memref<?xindex>
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.barrier grid_sync
vyre.program @memref_and_number [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  vyre.region "gives" {
    %last, %count = scf.for %k = %n to %n step %n iter_args(%p = %a, %c = %n) -> (memref<?xindex>, index) {
      scf.yield %p, %k : memref<?xindex>, index
    }
    vyre.store %count, %last[%i] : memref<?xindex>
  }
  vyre.barrier grid_sync
}

// But not one that gives numbers only, or a buffer that nobody uses.
// CHECK-LABEL: vyre.program @no_memref
// CHECK:         vyre.region "number" {
// CHECK-NEXT:      %count = scf.for
// CHECK:         vyre.region "unused" {
// CHECK-NEXT:      %last = scf.for
// CHECK:         vyre.barrier grid_sync
vyre.program @no_memref [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  vyre.region "number" {
    %count = scf.for %k = %n to %n step %n iter_args(%c = %n) -> (index) {
      scf.yield %k : index
    }
    vyre.store %count, %a[%i] : memref<?xindex>
  }
  vyre.region "unused" {
    %last = scf.for %k = %n to %n step %n iter_args(%p = %a) -> (memref<?xindex>) {
      vyre.store %k, %p[%i] : memref<?xindex>
      scf.yield %p : memref<?xindex>
    }
  }
  vyre.barrier grid_sync
}

// A variable that is used on one side only may stay one.
// CHECK-LABEL: vyre.program @variable_on_one_side
// CHECK:         vyre.region "r" {
// CHECK-NEXT:      %v = vyre.let "v" = %x : i32
// CHECK-NEXT:      %y = vyre.get %v : !vyre.cell<i32>
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.barrier grid_sync
vyre.program @variable_on_one_side [64, 1, 1] {
  %x = vyre.param "x" : i32
  vyre.region "r" {
    %v = vyre.let "v" = %x : i32
    %y = vyre.get %v : !vyre.cell<i32>
    vyre.barrier grid_sync
  }
}
