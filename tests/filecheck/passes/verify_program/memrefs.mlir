// RUN: VYRE_INVALID

// No choice between buffers.
// CHECK: {{.*}}memrefs.mlir:10:13: error: 'arith.select': chooses between buffers for each invocation
// CHECK: Fix: load from both and select the value, or branch around the accesses
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_only binding 1 : memref<?xi32>
  %c = vyre.param "c" : i1
  %either = arith.select %c, %a, %b : memref<?xi32>
}

// -----

// CHECK: {{.*}}memrefs.mlir:19:13: error: 'arith.select': chooses between buffers
vyre.schedule @s {
  %a = vyre.scratch single : memref<4xi32>
  %c = vyre.param "c" : i1
  %either = arith.select %c, %a, %a : memref<4xi32>
}

// -----

// CHECK: {{.*}}memrefs.mlir:30:13: error: 'scf.if': makes a memref<?xi32> that is not a declared buffer
// CHECK: Fix: access the 'vyre.buffer' itself, or carry it through a loop
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_only binding 1 : memref<?xi32>
  %c = vyre.param "c" : i1
  %either = scf.if %c -> (memref<?xi32>) {
    scf.yield %a : memref<?xi32>
  } else {
    scf.yield %b : memref<?xi32>
  }
}

// -----

// CHECK: {{.*}}memrefs.mlir:46:3: error: 'scf.execute_region': makes a memref<?xi32> that is not a declared buffer
// CHECK: {{.*}}memrefs.mlir:48:9: note: this value
// CHECK: Fix: access the 'vyre.buffer' itself, or carry it through a loop
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_only binding 1 : memref<?xi32>
  %c = vyre.param "c" : i1
  scf.execute_region {
    cf.cond_br %c, ^join(%a : memref<?xi32>), ^join(%b : memref<?xi32>)
  ^join(%either: memref<?xi32>):
    scf.yield
  }
}

// -----

// No other memory than what is declared.
// CHECK: {{.*}}memrefs.mlir:59:8: error: 'memref.alloc': makes a memref<4xi32> that is not a declared buffer
// CHECK: Fix: access the 'vyre.buffer' itself, or carry it through a loop
vyre.program @p [64, 1, 1] {
  %a = memref.alloc() : memref<4xi32>
}

// -----

// CHECK: {{.*}}memrefs.mlir:69:10: error: 'memref.alloc': makes a memref<4xi32> that is not a declared buffer
// CHECK: Fix: access the 'vyre.buffer' itself, or carry it through a loop
vyre.schedule @s {
  %n = vyre.param "n" : index
  scf.for %k = %n to %n step %n {
    %a = memref.alloc() : memref<4xi32>
  }
}

// -----

// No other view of it.
// CHECK: {{.*}}memrefs.mlir:80:8: error: 'memref.cast': makes a memref<4xi32> that is not a declared buffer
// CHECK: Fix: access the 'vyre.buffer' itself, or carry it through a loop
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = "memref.cast"(%a) : (memref<?xi32>) -> memref<4xi32>
}

// -----

// CHECK: {{.*}}memrefs.mlir:89:8: error: 'memref.cast': makes a memref<*xi32> that is not a declared buffer
// CHECK: Fix: access the 'vyre.buffer' itself, or carry it through a loop
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = "memref.cast"(%a) : (memref<?xi32>) -> memref<*xi32>
}

// -----

// An access through a carried memref must be allowed on all its sources.
// CHECK: {{.*}}memrefs.mlir:{{.*}}: error: {{.*}}: may write the read_only buffer "b" through a carried memref
// CHECK: {{.*}}memrefs.mlir:100:8: note: declared here
// CHECK: Fix: declare the buffer read_write
vyre.program @store_in_for [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_only binding 1 : memref<?xi32>
  %i = vyre.invocation_id x
  %n = vyre.param "n" : index
  %one = arith.constant 1 : i32
  %last:2 = scf.for %k = %n to %n step %n iter_args(%from = %b, %to = %a) -> (memref<?xi32>, memref<?xi32>) {
    vyre.store %one, %to[%i] : memref<?xi32>
    scf.yield %to, %from : memref<?xi32>, memref<?xi32>
  }
}

// -----

// CHECK: {{.*}}memrefs.mlir:122:8: error: 'vyre.load': may read the write_only buffer "a" through a carried memref
// CHECK: {{.*}}memrefs.mlir:116:8: note: declared here
// CHECK: Fix: declare the buffer read_write
vyre.program @load_after_for [64, 1, 1] {
  %a = vyre.buffer "a" write_only binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %n = vyre.param "n" : index
  %last = scf.for %k = %n to %n step %n iter_args(%c = %a) -> (memref<?xi32>) {
    scf.yield %c : memref<?xi32>
  }
  %v = vyre.load %last[%i] : memref<?xi32>
}

// -----

// CHECK: {{.*}}memrefs.mlir:139:3: error: 'vyre.store': may write the read_only buffer "b" through a carried memref
// CHECK: {{.*}}memrefs.mlir:132:8: note: declared here
// CHECK: Fix: declare the buffer read_write
vyre.program @store_after_swaps [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_only binding 1 : memref<?xi32>
  %i = vyre.invocation_id x
  %n = vyre.param "n" : index
  %one = arith.constant 1 : i32
  %from_last, %to_last = scf.for %k = %n to %n step %n iter_args(%from = %b, %to = %a) -> (memref<?xi32>, memref<?xi32>) {
    scf.yield %to, %from : memref<?xi32>, memref<?xi32>
  }
  vyre.store %one, %to_last[%i] : memref<?xi32>
}

// -----

// CHECK: {{.*}}memrefs.mlir:158:10: error: 'vyre.atomic': may write the uniform buffer "u" through a carried memref
// CHECK: {{.*}}memrefs.mlir:148:8: note: declared here
// CHECK: Fix: declare the buffer read_write
vyre.program @atomic_after_while [64, 1, 1] {
  %u = vyre.buffer "u" uniform binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %one = arith.constant 1 : i32
  %go = vyre.param "go" : i1
  %last = scf.while (%c = %u) : (memref<?xi32>) -> memref<?xi32> {
    scf.condition(%go) %c : memref<?xi32>
  } do {
  ^bb0(%d: memref<?xi32>):
    scf.yield %d : memref<?xi32>
  }
  %old = vyre.atomic add %one, %last[%i] : memref<?xi32>
}

// -----

// CHECK: {{.*}}memrefs.mlir:{{.*}}: error: {{.*}}: may write the uniform buffer "u" through a carried memref
// CHECK: {{.*}}memrefs.mlir:167:8: note: declared here
// CHECK: Fix: declare the buffer read_write
vyre.program @atomic_in_while [64, 1, 1] {
  %u = vyre.buffer "u" uniform binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %one = arith.constant 1 : i32
  %go = vyre.param "go" : i1
  %last = scf.while (%c = %u) : (memref<?xi32>) -> memref<?xi32> {
    scf.condition(%go) %c : memref<?xi32>
  } do {
  ^bb0(%d: memref<?xi32>):
    %old = vyre.atomic add %one, %d[%i] : memref<?xi32>
    scf.yield %d : memref<?xi32>
  }
}

// -----

// CHECK: {{.*}}memrefs.mlir:{{.*}}: error: {{.*}}: may read the write_only buffer "a" through a carried memref
// CHECK: {{.*}}memrefs.mlir:186:8: note: declared here
// CHECK: Fix: declare the buffer read_write
vyre.program @condition_of_while [64, 1, 1] {
  %a = vyre.buffer "a" write_only binding 0 : memref<?xi1>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi1>
  %zero = arith.constant 0 : index
  %last = scf.while (%c = %b) : (memref<?xi1>) -> memref<?xi1> {
    %go = vyre.load %c[%zero] : memref<?xi1>
    scf.condition(%go) %c : memref<?xi1>
  } do {
  ^bb0(%d: memref<?xi1>):
    scf.yield %a : memref<?xi1>
  }
}

// -----

// CHECK: {{.*}}memrefs.mlir:210:3: error: 'vyre.store': may write the read_only buffer "a" through a carried memref
// CHECK: {{.*}}memrefs.mlir:204:8: note: declared here
// CHECK: Fix: declare the buffer read_write
vyre.program @out_of_region [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %one = arith.constant 1 : i32
  %out = vyre.region "r" -> (memref<?xi32>) {
    vyre.yield %a : memref<?xi32>
  }
  vyre.store %one, %out[%i] : memref<?xi32>
}

// -----

// CHECK: {{.*}}memrefs.mlir:225:10: error: 'vyre.atomic_cas': may read the write_only buffer "a" through a carried memref
// CHECK: {{.*}}memrefs.mlir:219:8: note: declared here
// CHECK: Fix: declare the buffer read_write
vyre.program @compare_and_swap [64, 1, 1] {
  %a = vyre.buffer "a" write_only binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %one = arith.constant 1 : i32
  %out = vyre.region "r" -> (memref<?xi32>) {
    vyre.yield %a : memref<?xi32>
  }
  %old = vyre.atomic_cas %one, %one, %out[%i] : memref<?xi32>
}

// -----

// CHECK: {{.*}}memrefs.mlir:240:8: error: 'vyre.async_store': may write the read_only buffer "a" through a carried memref
// CHECK: {{.*}}memrefs.mlir:234:8: note: declared here
// CHECK: Fix: declare the buffer read_write
vyre.program @asynchronous_copy [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<64xi32>
  %i = vyre.invocation_id x
  %out = vyre.region "r" -> (memref<?xi32>) {
    vyre.yield %a : memref<?xi32>
  }
  %t = vyre.async_store %tile[%i], %out[%i], %i : memref<64xi32>, memref<?xi32>
  vyre.async_wait %t
}

// -----

// CHECK: {{.*}}memrefs.mlir:254:3: error: 'vyre.all_reduce': may write the read_only buffer "a" through a carried memref
// CHECK: {{.*}}memrefs.mlir:250:8: note: declared here
// CHECK: Fix: declare the buffer read_write
vyre.program @collective [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %out = vyre.region "r" -> (memref<?xi32>) {
    vyre.yield %a : memref<?xi32>
  }
  vyre.all_reduce add %out : memref<?xi32>
}

// -----

// A launch accesses its arguments as the program declares them.
// CHECK: {{.*}}memrefs.mlir:{{.*}}: error: {{.*}}: may write the read_only buffer "a" through a carried memref
// CHECK: {{.*}}memrefs.mlir:267:8: note: declared here
// CHECK: Fix: declare the buffer read_write
vyre.program @q [64, 1, 1] {
  %x = vyre.buffer "x" write_only binding 0 : memref<?xi32>
}
vyre.schedule @launch_in_for {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %s = vyre.scratch per_invocation : memref<?xi32>
  %n = vyre.param "n" : index
  %last:2 = scf.for %k = %n to %n step %n iter_args(%from = %a, %to = %s) -> (memref<?xi32>, memref<?xi32>) {
    vyre.launch @q(%to)
    scf.yield %to, %from : memref<?xi32>, memref<?xi32>
  }
}

// -----

// CHECK: {{.*}}memrefs.mlir:290:3: error: 'vyre.launch': may read the write_only buffer "a" through a carried memref
// CHECK: {{.*}}memrefs.mlir:285:8: note: declared here
// CHECK: Fix: declare the buffer read_write
vyre.program @q [64, 1, 1] {
  %x = vyre.buffer "x" read_only binding 0 : memref<?xi32>
}
vyre.schedule @launch_after_for {
  %a = vyre.buffer "a" write_only binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %last = scf.for %k = %n to %n step %n iter_args(%c = %a) -> (memref<?xi32>) {
    scf.yield %c : memref<?xi32>
  }
  vyre.launch @q(%last)
}

// -----

// CHECK: {{.*}}memrefs.mlir:304:8: error: 'vyre.read_back': may read the write_only buffer "a" through a carried memref
// CHECK: {{.*}}memrefs.mlir:299:8: note: declared here
// CHECK: Fix: declare the buffer read_write
vyre.schedule @read_back {
  %a = vyre.buffer "a" write_only binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %last = scf.for %k = %n to %n step %n iter_args(%c = %a) -> (memref<?xi32>) {
    scf.yield %c : memref<?xi32>
  }
  %v = vyre.read_back %last[0] : memref<?xi32>
}
