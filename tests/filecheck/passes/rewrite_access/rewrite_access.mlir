// RUN: vyre-opt %s -p vyre-rewrite-access | filecheck %s

// The least access for each use; what is not used goes, here and from the launch.
// CHECK-LABEL: vyre.program @accesses.0
// CHECK-NEXT:    %r = vyre.buffer "r" read_only binding 0 : memref<?xi32>
// CHECK-NEXT:    %w = vyre.buffer "w" write_only binding 1 : memref<?xi32>
// CHECK-NEXT:    %b = vyre.buffer "b" read_write binding 3 : memref<?xi32>
// CHECK-NEXT:    %a = vyre.buffer "a" read_write binding 4 : memref<?xi32>
// CHECK-NEXT:    %l = vyre.buffer "l" read_only binding 5 : memref<?xi32>
// CHECK-NEXT:    %m = vyre.param "m" : index
// CHECK-NEXT:    %v = vyre.load
vyre.program @accesses.0 [64, 1, 1] {
  %r = vyre.buffer "r" read_write binding 0 : memref<?xi32>
  %w = vyre.buffer "w" read_write binding 1 : memref<?xi32>
  %none = vyre.buffer "none" read_write binding 2 : memref<?xi32>
  %n = vyre.param "n" : index
  %b = vyre.buffer "b" read_write binding 3 : memref<?xi32>
  %a = vyre.buffer "a" read_write binding 4 : memref<?xi32>
  %l = vyre.buffer "l" read_write binding 5 : memref<?xi32>
  %m = vyre.param "m" : index
  %v = vyre.load %r[%m] : memref<?xi32>
  vyre.store %v, %w[%m] : memref<?xi32>
  vyre.store %v, %b[%m] : memref<?xi32>
  %u = vyre.load %b[%m] : memref<?xi32>
  %old = vyre.atomic add %v, %a[%m] : memref<?xi32>
  %size = vyre.length %l, 0 : memref<?xi32>
}
// CHECK-LABEL: vyre.schedule @accesses
// CHECK:         vyre.launch @accesses.0(%r, %w, %b, %a, %l, %m)
// CHECK-NEXT:  }
vyre.schedule @accesses {
  %r = vyre.buffer "r" read_write binding 0 : memref<?xi32>
  %w = vyre.buffer "w" read_write binding 1 : memref<?xi32>
  %none = vyre.buffer "none" read_write binding 2 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 3 : memref<?xi32>
  %a = vyre.buffer "a" read_write binding 4 : memref<?xi32>
  %l = vyre.buffer "l" read_write binding 5 : memref<?xi32>
  %n = vyre.param "n" : index
  %m = vyre.param "m" : index
  vyre.launch @accesses.0(%r, %w, %none, %n, %b, %a, %l, %m)
}

// Copies and collectives read one buffer and write the other.
// CHECK-LABEL: vyre.program @copies.0
// CHECK-NEXT:    %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
// CHECK-NEXT:    %b = vyre.buffer "b" write_only binding 1 : memref<?xf32>
// CHECK-NEXT:    %c = vyre.buffer "c" read_write binding 2 : memref<?xf32>
// CHECK-NEXT:    %d = vyre.buffer "d" write_only binding 3 : memref<?xf32>
// CHECK-NEXT:    %tile = vyre.buffer "tile" workgroup : memref<8xf32>
vyre.program @copies.0 [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %c = vyre.buffer "c" read_write binding 2 : memref<?xf32>
  %d = vyre.buffer "d" read_write binding 3 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<8xf32>
  %unused = vyre.buffer "unused" workgroup : memref<8xf32>
  %i = vyre.invocation_id x
  %load = vyre.async_load %a[%i], %tile[%i], %i : memref<?xf32>, memref<8xf32>
  vyre.async_wait %load
  %store = vyre.async_store %tile[%i], %b[%i], %i : memref<8xf32>, memref<?xf32>
  vyre.async_wait %store
  vyre.all_reduce add %c : memref<?xf32>
  vyre.all_gather %a, %d : memref<?xf32>, memref<?xf32>
}
vyre.schedule @copies {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %c = vyre.buffer "c" read_write binding 2 : memref<?xf32>
  %d = vyre.buffer "d" read_write binding 3 : memref<?xf32>
  vyre.launch @copies.0(%a, %b, %c, %d)
}

// A carried memref may be each of its sources; one that is only carried stays.
// CHECK-LABEL: vyre.program @carried.0
// CHECK-NEXT:    %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
// CHECK-NEXT:    %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
// CHECK-NEXT:    %c = vyre.buffer "c" read_only binding 2 : memref<?xf32>
// CHECK-NEXT:    %n = vyre.param
vyre.program @carried.0 [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %c = vyre.buffer "c" read_write binding 2 : memref<?xf32>
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %end:3 = scf.for %k = %n to %n step %n iter_args(%from = %a, %to = %b, %idle = %c)
      -> (memref<?xf32>, memref<?xf32>, memref<?xf32>) {
    %v = vyre.load %from[%i] : memref<?xf32>
    vyre.region "write" {
      vyre.store %v, %to[%i] : memref<?xf32>
    }
    scf.yield %to, %from, %idle : memref<?xf32>, memref<?xf32>, memref<?xf32>
  }
}
vyre.schedule @carried {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %c = vyre.buffer "c" read_write binding 2 : memref<?xf32>
  %n = vyre.param "n" : index
  vyre.launch @carried.0(%a, %b, %c, %n)
}

// Storage that may be the same is touched under both names.
// CHECK-LABEL: vyre.program @aliases.0
// CHECK-NEXT:    %x = vyre.buffer "x" read_write binding 0 may_alias [0] : memref<?xi32>
// CHECK-NEXT:    %y = vyre.buffer "y" read_write binding 1 may_alias [0] : memref<?xi32>
// CHECK-NEXT:    %i = vyre.invocation_id x
vyre.program @aliases.0 [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 may_alias [0] : memref<?xi32>
  %y = vyre.buffer "y" read_write binding 1 may_alias [0] : memref<?xi32>
  %z = vyre.buffer "z" read_write binding 2 may_alias [0] : memref<?xi32>
  %i = vyre.invocation_id x
  %v = vyre.load %x[%i] : memref<?xi32>
  vyre.store %v, %y[%i] : memref<?xi32>
}
// CHECK-LABEL: vyre.schedule @aliases
// CHECK:         vyre.launch @aliases.0(%a, %a)
vyre.schedule @aliases {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  vyre.launch @aliases.0(%a, %a, %a)
}

// The schedule's table says what the caller sees; hints and other kinds stay.
// CHECK-LABEL: vyre.program @clauses.0
// CHECK-NEXT:    %a = vyre.buffer "a" write_only binding 0 : memref<4xi32>
// CHECK-NEXT:    %b = vyre.buffer "b" read_only binding 1 : memref<4xi32>
// CHECK-NEXT:    %c = vyre.buffer "c" read_only binding 2 kind global align 16 coalesce 0 cache streaming : memref<4xi32>
// CHECK-NEXT:    %d = vyre.buffer "d" uniform binding 3 : memref<4xi32>
// CHECK-NEXT:    %e = vyre.buffer "e" read_only binding 4 kind push : memref<4xi32>
// CHECK-NEXT:    %f = vyre.buffer "f" write_only binding 5 : memref<4xi32>
// CHECK-NEXT:    %n = vyre.param
vyre.program @clauses.0 [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 output range [0, 8] : memref<4xi32>
  %b = vyre.buffer "b" read_write binding 1 live_out kind persistent : memref<4xi32>
  %c = vyre.buffer "c" read_write binding 2 kind global align 16 coalesce 0 cache streaming : memref<4xi32>
  %d = vyre.buffer "d" uniform binding 3 : memref<4xi32>
  %e = vyre.buffer "e" read_only binding 4 kind push : memref<4xi32>
  %f = vyre.buffer "f" write_only binding 5 : memref<4xi32>
  %n = vyre.param "n" : index
  %u = vyre.load %b[%n] : memref<4xi32>
  %v = vyre.load %c[%n] : memref<4xi32>
  %w = vyre.load %d[%n] : memref<4xi32>
  %x = vyre.load %e[%n] : memref<4xi32>
  %l = vyre.length %f, 0 : memref<4xi32>
  vyre.store %u, %a[%n] : memref<4xi32>
}
// CHECK-LABEL: vyre.schedule @clauses
// CHECK-NEXT:    %a = vyre.buffer "a" read_write binding 0 output range [0, 8] : memref<4xi32>
// CHECK-NEXT:    %b = vyre.buffer "b" read_write binding 1 live_out kind persistent : memref<4xi32>
vyre.schedule @clauses {
  %a = vyre.buffer "a" read_write binding 0 output range [0, 8] : memref<4xi32>
  %b = vyre.buffer "b" read_write binding 1 live_out kind persistent : memref<4xi32>
  %c = vyre.buffer "c" read_write binding 2 : memref<4xi32>
  %d = vyre.buffer "d" uniform binding 3 : memref<4xi32>
  %e = vyre.buffer "e" read_only binding 4 kind push : memref<4xi32>
  %f = vyre.buffer "f" write_only binding 5 : memref<4xi32>
  %n = vyre.param "n" : index
  vyre.launch @clauses.0(%a, %b, %c, %d, %e, %f, %n)
}

// Every launch of a program changes with it, in loops and in other schedules too.
// CHECK-LABEL: vyre.program @shared.0
// CHECK-NEXT:    %to = vyre.buffer "to" write_only binding 1 : memref<?xi32>
// CHECK-NEXT:    %n = vyre.param
vyre.program @shared.0 [64, 1, 1] {
  %from = vyre.buffer "from" read_write binding 0 : memref<?xi32>
  %to = vyre.buffer "to" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %one = arith.constant 1 : i32
  vyre.store %one, %to[%n] : memref<?xi32>
}
// CHECK-LABEL: vyre.schedule @first
// CHECK:         vyre.launch @shared.0(%b, %n)
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      vyre.launch @shared.0(%a, %k)
vyre.schedule @first {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  vyre.launch @shared.0(%a, %b, %n)
  scf.for %k = %n to %n step %n {
    vyre.launch @shared.0(%b, %a, %k)
  }
}
// CHECK-LABEL: vyre.schedule @second
// CHECK:         vyre.launch @shared.0(%d, %n)
vyre.schedule @second {
  %c = vyre.buffer "c" read_write binding 0 : memref<?xi32>
  %d = vyre.buffer "d" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  vyre.launch @shared.0(%c, %d, %n)
}

// CHECK-LABEL: vyre.program @not_launched
// CHECK-NEXT:    %a = vyre.buffer "a" read_write binding 0 output : memref<4xi32>
// CHECK-NEXT:    %n = vyre.param "n" : index
// CHECK-NEXT:    %tile = vyre.buffer "tile" workgroup : memref<4xi32>
vyre.program @not_launched [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 output : memref<4xi32>
  %n = vyre.param "n" : index
  %tile = vyre.buffer "tile" workgroup : memref<4xi32>
}
