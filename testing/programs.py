"""Text of programs: a way to write small ones, and a few whole ones."""

import re

_ADDED_ON_USE = {
    "x": "vyre.invocation_id x",
    "l": "vyre.local_id x",
    "g": "vyre.workgroup_id x",
    "x32": "arith.index_cast %x : index to i32",
    "l32": "arith.index_cast %l : index to i32",
    "g32": "arith.index_cast %g : index to i32",
    "yes": "arith.constant true",
}

SYNC = "vyre.barrier grid_sync"
OUT = '%out = vyre.buffer "out" read_write binding 0 : memref<?xi32>'


def program(*parts: str, workgroup: str = "[4, 1, 1]") -> str:
    """
    A program @p of declarations and code. What is used and not defined is added: `%c7` is
    the index 7 and `%i7` the i32 7; `%x`, `%l` and `%g` are the ids of the invocation, of
    its place in the workgroup, and of the workgroup, and `%x32`, ... the same as i32.

    Example: `program(OUT, "vyre.store %i7, %out[%x] : memref<?xi32>")`
    """
    code = "\n".join(parts)
    for name, value in reversed(_ADDED_ON_USE.items()):
        if re.search(rf"%{name}\b", code):
            code = f"%{name} = {value}\n{code}"
    for letter, type in (("c", "index"), ("i", "i32")):
        for number in sorted(set(re.findall(rf"%{letter}(\d+)\b", code)), key=int):
            code = f"%{letter}{number} = arith.constant {number} : {type}\n{code}"
    return f"vyre.program @p {workgroup} {{\n{code}\n}}\n"


SMOOTH = """
// Every element becomes the mean of itself and its neighbour, `rounds` times.
vyre.program @smooth [8, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %rounds = vyre.param "rounds" : index
  %i = vyre.invocation_id x
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %half = arith.constant 0.5 : f32
  %n = vyre.length %a, 0 : memref<?xf32>
  %next = arith.addi %i, %one : index
  %right = arith.remui %next, %n : index
  scf.for %k = %zero to %rounds step %one {
    %mine = vyre.load %a[%i] : memref<?xf32>
    %other = vyre.load %a[%right] : memref<?xf32>
    %sum = arith.addf %mine, %other : f32
    %mean = arith.mulf %sum, %half : f32
    vyre.barrier grid_sync
    vyre.store %mean, %a[%i] : memref<?xf32>
    vyre.barrier grid_sync
  }
}
"""

REACH = """
// Which nodes can be reached from the marked ones? Each round marks the neighbours of
// marked nodes; the host reads whether there was a new one. `rounds` counts the rounds.
vyre.program @reach [4, 1, 1] {
  %offsets = vyre.buffer "offsets" read_only binding 0 : memref<?xi32>
  %targets = vyre.buffer "targets" read_only binding 1 : memref<?xi32>
  %reached = vyre.buffer "reached" read_write binding 2 : memref<?xi32>
  %fresh = vyre.buffer "fresh" write_only binding 3 output : memref<64xi32>
  %rounds = vyre.buffer "rounds" write_only binding 4 output : memref<1xi32>
  %last = vyre.scratch single : memref<1xi32>
  %v = vyre.invocation_id x
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %no = arith.constant 0 : i32
  %yes = arith.constant 1 : i32
  %made = scf.while (%round = %no) : (i32) -> (i32) {
    %changed = vyre.load %last[%zero] : memref<1xi32>
    %go = arith.cmpi eq, %changed, %round : i32
    scf.condition(%go) %round : i32
  } do {
  ^round(%round: i32):
    %before = vyre.load %reached[%v] : memref<?xi32>
    %next_round = arith.addi %round, %yes : i32
    vyre.barrier grid_sync
    %follow = arith.cmpi ne, %before, %no : i32
    scf.if %follow {
      %v_next = arith.addi %v, %one : index
      %first_edge = vyre.load %offsets[%v] : memref<?xi32>
      %end_edge = vyre.load %offsets[%v_next] : memref<?xi32>
      %first = arith.index_cast %first_edge : i32 to index
      %end = arith.index_cast %end_edge : i32 to index
      scf.for %edge = %first to %end step %one {
        %target = vyre.load %targets[%edge] : memref<?xi32>
        %w = arith.index_cast %target : i32 to index
        %was = vyre.atomic or %yes, %reached[%w] : memref<?xi32>
        %is_new = arith.cmpi eq, %was, %no : i32
        scf.if %is_new {
          vyre.store %next_round, %last[%zero] : memref<1xi32>
          vyre.store %next_round, %fresh[%w] : memref<64xi32>
        }
      }
    }
    vyre.barrier grid_sync
    scf.yield %next_round : i32
  }
  vyre.store %made, %rounds[%zero] : memref<1xi32>
}
"""

SCAN = """
// Sums of all beginnings of a list: each workgroup scans its part in workgroup memory, the
// first invocation adds up the workgroups, and everyone adds what came before its own.
vyre.program @scan [8, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %sums = vyre.buffer "sums" write_only binding 1 output : memref<?xi32>
  %totals = vyre.buffer "totals" read_write binding 2 output : memref<16xi32>
  %tile = vyre.buffer "tile" workgroup : memref<8xi32>
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  %g = vyre.workgroup_id x
  %groups = vyre.workgroup_count x
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %seven = arith.constant 7 : index
  %nothing = arith.constant 0 : i32
  %mine = vyre.load %a[%i] : memref<?xi32>
  %sum = scf.for %step = %zero to %three step %one iter_args(%so_far = %mine) -> (i32) {
    vyre.store %so_far, %tile[%l] : memref<8xi32>
    vyre.barrier acq_rel
    %reach = arith.shli %one, %step : index
    %left = arith.subi %l, %reach : index
    %there = vyre.load %tile[%left] : memref<8xi32>
    vyre.barrier acq_rel
    %more = arith.addi %so_far, %there : i32
    scf.yield %more : i32
  }
  %is_last = arith.cmpi eq, %l, %seven : index
  scf.if %is_last {
    vyre.store %sum, %totals[%g] : memref<16xi32>
  }
  vyre.barrier grid_sync
  %before = scf.for %k = %zero to %g step %one iter_args(%s = %nothing) -> (i32) {
    %total = vyre.load %totals[%k] : memref<16xi32>
    %t = arith.addi %s, %total : i32
    scf.yield %t : i32
  }
  %all = arith.addi %before, %sum : i32
  vyre.store %all, %sums[%i] : memref<?xi32>
}
"""

MULTIPLY = """
// A product of matrices, by tiles in workgroup memory; edges may be cut off.
vyre.program @multiply [4, 4, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?x?xf32>
  %b = vyre.buffer "b" read_only binding 1 : memref<?x?xf32>
  %c = vyre.buffer "c" write_only binding 2 output : memref<?x?xf32>
  %left = vyre.buffer "left" workgroup : memref<4x4xf32>
  %right = vyre.buffer "right" workgroup : memref<4x4xf32>
  %x = vyre.invocation_id x
  %y = vyre.invocation_id y
  %lx = vyre.local_id x
  %ly = vyre.local_id y
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %nothing = arith.constant 0.0 : f32
  %inner = vyre.length %b, 0 : memref<?x?xf32>
  %sum = scf.for %begin = %zero to %inner step %four iter_args(%s = %nothing) -> (f32) {
    %column = arith.addi %begin, %lx : index
    %row = arith.addi %begin, %ly : index
    %from_a = vyre.load %a[%y, %column] : memref<?x?xf32>
    %from_b = vyre.load %b[%row, %x] : memref<?x?xf32>
    vyre.store %from_a, %left[%ly, %lx] : memref<4x4xf32>
    vyre.store %from_b, %right[%ly, %lx] : memref<4x4xf32>
    vyre.barrier acq_rel
    %t = scf.for %k = %zero to %four step %one iter_args(%u = %s) -> (f32) {
      %p = vyre.load %left[%ly, %k] : memref<4x4xf32>
      %q = vyre.load %right[%k, %lx] : memref<4x4xf32>
      %pq = arith.mulf %p, %q : f32
      %v = arith.addf %u, %pq : f32
      scf.yield %v : f32
    }
    vyre.barrier acq_rel
    scf.yield %t : f32
  }
  vyre.store %sum, %c[%y, %x] : memref<?x?xf32>
}
"""

SORT = """
// Bitonic sort of a list whose length is a power of two, in place.
vyre.program @sort [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = vyre.length %a, 0 : memref<?xi32>
  %end = scf.while (%width = %one) : (index) -> (index) {
    %go = arith.cmpi ult, %width, %n : index
    scf.condition(%go) %width : index
  } do {
  ^merge(%width: index):
    %run = arith.addi %width, %width : index
    %done = scf.while (%reach = %width) : (index) -> (index) {
      %go = arith.cmpi ugt, %reach, %zero : index
      scf.condition(%go) %reach : index
    } do {
    ^step(%reach: index):
      %partner = arith.xori %i, %reach : index
      %is_low = arith.cmpi ult, %i, %partner : index
      %inside = arith.cmpi ult, %partner, %n : index
      %works = arith.andi %is_low, %inside : i1
      scf.if %works {
        %mine = vyre.load %a[%i] : memref<?xi32>
        %theirs = vyre.load %a[%partner] : memref<?xi32>
        %bit = arith.andi %i, %run : index
        %up = arith.cmpi eq, %bit, %zero : index
        %less = arith.minsi %mine, %theirs : i32
        %more = arith.maxsi %mine, %theirs : i32
        %first = arith.select %up, %less, %more : i32
        %second = arith.select %up, %more, %less : i32
        vyre.store %first, %a[%i] : memref<?xi32>
        vyre.store %second, %a[%partner] : memref<?xi32>
      }
      vyre.barrier grid_sync
      %closer = arith.shrui %reach, %one : index
      scf.yield %closer : index
    }
    scf.yield %run : index
  }
}
"""

SPREAD = """
// One step of a front that moves right; passes over it come to an end. `steps` counts all
// passes that found something to do.
vyre.program @spread [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %steps = vyre.buffer "steps" read_write binding 1 output : memref<1xi32>
  %i = vyre.invocation_id x
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %no = arith.constant 0 : i32
  %yes = arith.constant 1 : i32
  %left = arith.subi %i, %one : index
  %there = vyre.load %a[%left] : memref<?xi32>
  %here = vyre.load %a[%i] : memref<?xi32>
  %n = vyre.length %a, 0 : memref<?xi32>
  %inside = arith.cmpi ult, %i, %n : index
  %differs = arith.cmpi sgt, %there, %here : i32
  %moves = arith.andi %differs, %inside : i1
  vyre.barrier grid_sync
  scf.if %moves {
    vyre.store %there, %a[%i] : memref<?xi32>
    %old = vyre.atomic add %yes, %steps[%zero] : memref<1xi32>
  }
}
"""
