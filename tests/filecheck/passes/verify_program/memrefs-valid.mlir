// RUN: vyre-opt %s -p vyre-verify-program | filecheck %s

// Memrefs whose sources are known.

// Two buffers that change places each round.
vyre.program @ping_pong_for [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi32>
  %y = vyre.buffer "y" read_write binding 1 : memref<?xi32>
  %i = vyre.invocation_id x
  %n = vyre.param "n" : index
  %last, %other = scf.for %k = %n to %n step %n iter_args(%from = %x, %to = %y) -> (memref<?xi32>, memref<?xi32>) {
    %v = vyre.load %from[%i] : memref<?xi32>
    vyre.store %v, %to[%i] : memref<?xi32>
    vyre.barrier grid_sync
    scf.yield %to, %from : memref<?xi32>, memref<?xi32>
  }
  %w = vyre.load %last[%i] : memref<?xi32>
}

// CHECK:      vyre.program @ping_pong_for [64, 1, 1] {
// CHECK:        scf.yield %to, %from : memref<?xi32>, memref<?xi32>
// CHECK:        %w = vyre.load %last[%i] : memref<?xi32>

vyre.program @ping_pong_while [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi1>
  %y = vyre.buffer "y" read_write binding 1 : memref<?xi1>
  %zero = arith.constant 0 : index
  %last, %other = scf.while (%a = %x, %b = %y) : (memref<?xi1>, memref<?xi1>) -> (memref<?xi1>, memref<?xi1>) {
    %go = vyre.load %a[%zero] : memref<?xi1>
    scf.condition(%go) %b, %a : memref<?xi1>, memref<?xi1>
  } do {
  ^bb0(%c: memref<?xi1>, %d: memref<?xi1>):
    vyre.barrier grid_sync
    scf.yield %c, %d : memref<?xi1>, memref<?xi1>
  }
  %w = vyre.load %last[%zero] : memref<?xi1>
}

// CHECK:      vyre.program @ping_pong_while [64, 1, 1] {
// CHECK:        %w = vyre.load %last[%zero] : memref<?xi1>

// Each carried memref is used only as its own sources allow.
vyre.program @carried_apart [64, 1, 1] {
  %x = vyre.buffer "x" read_only binding 0 : memref<?xi32>
  %y = vyre.buffer "y" write_only binding 1 : memref<?xi32>
  %i = vyre.invocation_id x
  %n = vyre.param "n" : index
  %from_last, %to_last = scf.for %k = %n to %n step %n iter_args(%from = %x, %to = %y) -> (memref<?xi32>, memref<?xi32>) {
    %v = vyre.load %from[%i] : memref<?xi32>
    vyre.store %v, %to[%i] : memref<?xi32>
    scf.yield %from, %to : memref<?xi32>, memref<?xi32>
  }
  %w = vyre.load %from_last[%i] : memref<?xi32>
  vyre.store %w, %to_last[%i] : memref<?xi32>
}

// CHECK:      vyre.program @carried_apart [64, 1, 1] {
// CHECK:        vyre.store %w, %to_last[%i] : memref<?xi32>

vyre.program @out_of_region [64, 1, 1] {
  %x = vyre.buffer "x" write_only binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %one = arith.constant 1 : i32
  %outer = vyre.region "outer" -> (memref<?xi32>) {
    %inner = vyre.region "inner" -> (memref<?xi32>) {
      vyre.yield %x : memref<?xi32>
    }
    vyre.yield %inner : memref<?xi32>
  }
  vyre.store %one, %outer[%i] : memref<?xi32>
  // The length of a buffer is no access to its elements.
  %n = vyre.length %outer, 0 : memref<?xi32>
}

// CHECK:      vyre.program @out_of_region [64, 1, 1] {
// CHECK:        vyre.store %one, %outer[%i] : memref<?xi32>
// CHECK-NEXT:   %n = vyre.length %outer, 0 : memref<?xi32>

vyre.program @step [64, 1, 1] {
  %from = vyre.buffer "from" read_only binding 0 : memref<?xi32>
  %to = vyre.buffer "to" write_only binding 1 : memref<?xi32>
}

vyre.schedule @ping_pong_launches {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi32>
  %s = vyre.scratch per_invocation : memref<?xi32>
  %n = vyre.param "n" : index
  %last, %other = scf.for %k = %n to %n step %n iter_args(%a = %x, %b = %s) -> (memref<?xi32>, memref<?xi32>) {
    vyre.launch @step(%a, %b)
    scf.yield %b, %a : memref<?xi32>, memref<?xi32>
  }
  vyre.launch @step(%last, %other)
  %v = vyre.read_back %last[0] : memref<?xi32>
}

// CHECK:      vyre.schedule @ping_pong_launches {
// CHECK:        vyre.launch @step(%a, %b)
// CHECK:        vyre.launch @step(%last, %other)
// CHECK-NEXT:   %v = vyre.read_back %last[0] : memref<?xi32>

// Values that are no memrefs may be chosen.
vyre.program @chosen_values [64, 1, 1] {
  %x = vyre.buffer "x" read_only binding 0 : memref<?xi32>
  %y = vyre.buffer "y" read_only binding 1 : memref<?xi32>
  %i = vyre.invocation_id x
  %c = vyre.param "c" : i1
  %v = vyre.load %x[%i] : memref<?xi32>
  %w = vyre.load %y[%i] : memref<?xi32>
  %either = arith.select %c, %v, %w : i32
}

// CHECK:      vyre.program @chosen_values [64, 1, 1] {
// CHECK:        %either = arith.select %c, %v, %w : i32

// Collectives and copies on carried memrefs. Two that change places share their sources
// and are still two buffers.
vyre.program @exchange_carried [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xf32>
  %y = vyre.buffer "y" read_write binding 1 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %n = vyre.param "n" : index
  %a, %b = scf.for %k = %n to %n step %n iter_args(%c = %x, %d = %y) -> (memref<?xf32>, memref<?xf32>) {
    %t = vyre.async_load %c[%i], %tile[%i], %n : memref<?xf32>, memref<64xf32>
    vyre.async_wait %t
    %u = vyre.async_store %tile[%i], %d[%i], %n : memref<64xf32>, memref<?xf32>
    vyre.async_wait %u
    scf.yield %d, %c : memref<?xf32>, memref<?xf32>
  }
  vyre.all_gather %a, %b : memref<?xf32>, memref<?xf32>
  vyre.all_reduce add %a : memref<?xf32>
}

// CHECK:      vyre.program @exchange_carried [64, 1, 1] {
// CHECK:        vyre.all_gather %a, %b : memref<?xf32>, memref<?xf32>
// CHECK-NEXT:   vyre.all_reduce add %a : memref<?xf32>

// One buffer for two arguments that are only read.
vyre.program @two_readers [64, 1, 1] {
  %from = vyre.buffer "from" read_only binding 0 : memref<?xi32>
  %more = vyre.buffer "more" uniform binding 1 : memref<?xi32>
  %m = vyre.param "m" : index
  %n = vyre.param "n" : index
}

vyre.schedule @one_buffer_read_twice {
  %x = vyre.buffer "x" read_only binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  vyre.launch @two_readers(%x, %x, %n, %n)
}

// CHECK:      vyre.schedule @one_buffer_read_twice {
// CHECK:        vyre.launch @two_readers(%x, %x, %n, %n)

// A loop that only permutes what it carries keeps buffers apart.
vyre.program @ping [64, 1, 1] {
  %from = vyre.buffer "from" read_only binding 0 : memref<?xi32>
  %to = vyre.buffer "to" write_only binding 1 : memref<?xi32>
}
vyre.schedule @pong {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %r:2 = scf.for %k = %n to %n step %n iter_args(%x = %a, %y = %b) -> (memref<?xi32>, memref<?xi32>) {
    vyre.launch @ping(%x, %y)
    scf.yield %y, %x : memref<?xi32>, memref<?xi32>
  }
}

// CHECK:      vyre.schedule @pong {
// CHECK:          vyre.launch @ping(%x, %y)
