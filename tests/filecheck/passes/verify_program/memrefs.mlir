// RUN: VYRE_INVALID

// No choice between buffers.
// CHECK: {{.*}}memrefs.mlir:10:13: error: 'arith.select': chooses between buffers
// CHECK: Fix: load from both and select the value, or branch around the accesses
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_only binding 1 : memref<?xi32>
  %c = vyre.param "c" : i1
  %either = arith.select %c, %a, %b : memref<?xi32>
}

// -----

// CHECK: {{.*}}memrefs.mlir:20:13: error: 'arith.select': chooses between buffers
// CHECK: Fix: load from both and select the value, or branch around the accesses
vyre.schedule @s {
  %a = vyre.scratch single : memref<4xi32>
  %c = vyre.param "c" : i1
  %either = arith.select %c, %a, %a : memref<4xi32>
}

// -----

// CHECK: {{.*}}memrefs.mlir:31:13: error: 'scf.if': makes a memref<?xi32> that is not a declared buffer
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

// An operation that Vyre does not know makes a buffer up.
// CHECK: {{.*}}memrefs.mlir:46:3: error: 'test.op': makes a memref<?xi32> that is not a declared buffer
// CHECK: {{.*}}memrefs.mlir:47:8: note: this value
// CHECK: Fix: access the 'vyre.buffer' itself, or carry it through a loop
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  "test.op"(%a) ({
  ^bb0(%any: memref<?xi32>):
    "test.termop"() : () -> ()
  }) : (memref<?xi32>) -> ()
}

// -----

// No other memory than what is declared.
// CHECK: {{.*}}memrefs.mlir:58:8: error: 'memref.alloc': makes a memref<4xi32> that is not a declared buffer
// CHECK: Fix: access the 'vyre.buffer' itself, or carry it through a loop
vyre.program @p [64, 1, 1] {
  %a = memref.alloc() : memref<4xi32>
}

// -----

// CHECK: {{.*}}memrefs.mlir:68:10: error: 'memref.alloc': makes a memref<4xi32> that is not a declared buffer
// CHECK: Fix: access the 'vyre.buffer' itself, or carry it through a loop
vyre.schedule @s {
  %n = vyre.param "n" : index
  scf.for %k = %n to %n step %n {
    %a = memref.alloc() : memref<4xi32>
  }
}

// -----

// No other view of it.
// CHECK: {{.*}}memrefs.mlir:79:8: error: 'memref.cast': makes a memref<4xi32> that is not a declared buffer
// CHECK: Fix: access the 'vyre.buffer' itself, or carry it through a loop
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = "memref.cast"(%a) : (memref<?xi32>) -> memref<4xi32>
}

// -----

// CHECK: {{.*}}memrefs.mlir:88:8: error: 'memref.cast': makes a memref<*xi32> that is not a declared buffer
// CHECK: Fix: access the 'vyre.buffer' itself, or carry it through a loop
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = "memref.cast"(%a) : (memref<?xi32>) -> memref<*xi32>
}

// -----

// An access through a carried memref must be allowed on all its sources.
// CHECK: {{.*}}memrefs.mlir:104:5: error: 'vyre.store': may write the read_only buffer "b" through a carried memref
// CHECK: {{.*}}memrefs.mlir:99:8: note: declared here
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

// CHECK: {{.*}}memrefs.mlir:121:8: error: 'vyre.load': may read the write_only buffer "a" through a carried memref
// CHECK: {{.*}}memrefs.mlir:115:8: note: declared here
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

// CHECK: {{.*}}memrefs.mlir:138:3: error: 'vyre.store': may write the read_only buffer "b" through a carried memref
// CHECK: {{.*}}memrefs.mlir:131:8: note: declared here
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

// CHECK: {{.*}}memrefs.mlir:157:10: error: 'vyre.atomic': may write the uniform buffer "u" through a carried memref
// CHECK: {{.*}}memrefs.mlir:147:8: note: declared here
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

// CHECK: {{.*}}memrefs.mlir:174:12: error: 'vyre.atomic': may write the uniform buffer "u" through a carried memref
// CHECK: {{.*}}memrefs.mlir:166:8: note: declared here
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

// CHECK: {{.*}}memrefs.mlir:189:11: error: 'vyre.load': may read the write_only buffer "a" through a carried memref
// CHECK: {{.*}}memrefs.mlir:185:8: note: declared here
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

// CHECK: {{.*}}memrefs.mlir:209:3: error: 'vyre.store': may write the read_only buffer "a" through a carried memref
// CHECK: {{.*}}memrefs.mlir:203:8: note: declared here
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

// CHECK: {{.*}}memrefs.mlir:224:10: error: 'vyre.atomic_cas': may read the write_only buffer "a" through a carried memref
// CHECK: {{.*}}memrefs.mlir:218:8: note: declared here
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

// CHECK: {{.*}}memrefs.mlir:239:8: error: 'vyre.async_store': may write the read_only buffer "a" through a carried memref
// CHECK: {{.*}}memrefs.mlir:233:8: note: declared here
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

// CHECK: {{.*}}memrefs.mlir:253:3: error: 'vyre.all_reduce': may write the read_only buffer "a" through a carried memref
// CHECK: {{.*}}memrefs.mlir:249:8: note: declared here
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
// CHECK: {{.*}}memrefs.mlir:270:5: error: 'vyre.launch': may write the read_only buffer "a" through a carried memref
// CHECK: {{.*}}memrefs.mlir:266:8: note: declared here
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

// CHECK: {{.*}}memrefs.mlir:289:3: error: 'vyre.launch': may read the write_only buffer "a" through a carried memref
// CHECK: {{.*}}memrefs.mlir:284:8: note: declared here
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

// CHECK: {{.*}}memrefs.mlir:303:8: error: 'vyre.read_back': may read the write_only buffer "a" through a carried memref
// CHECK: {{.*}}memrefs.mlir:298:8: note: declared here
// CHECK: Fix: declare the buffer read_write
vyre.schedule @read_back {
  %a = vyre.buffer "a" write_only binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %last = scf.for %k = %n to %n step %n iter_args(%c = %a) -> (memref<?xi32>) {
    scf.yield %c : memref<?xi32>
  }
  %v = vyre.read_back %last[0] : memref<?xi32>
}

// -----

// Which memory asynchronous copies work on.
// CHECK: {{.*}}memrefs.mlir:316:8: error: 'vyre.async_load': an asynchronous load takes from workgroup memory
// CHECK: {{.*}}memrefs.mlir:314:11: note: declared here
// CHECK: Fix: use 'vyre.async_store' to copy out of workgroup memory
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" write_only binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %t = vyre.async_load %tile[%i], %a[%i], %i : memref<64xf32>, memref<?xf32>
  vyre.async_wait %t
}

// -----

// CHECK: {{.*}}memrefs.mlir:329:8: error: 'vyre.async_store': an asynchronous store writes to workgroup memory
// CHECK: {{.*}}memrefs.mlir:327:11: note: declared here
// CHECK: Fix: use 'vyre.async_load' to copy into workgroup memory
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %t = vyre.async_store %a[%i], %tile[%i], %i : memref<?xf32>, memref<64xf32>
  vyre.async_wait %t
}

// -----

// The same through a region.
// CHECK: {{.*}}memrefs.mlir:347:8: error: 'vyre.async_load': an asynchronous load takes from workgroup memory
// CHECK: {{.*}}memrefs.mlir:341:11: note: declared here
// CHECK: Fix: use 'vyre.async_store' to copy out of workgroup memory
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<64xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %n = vyre.param "n" : index
  %from = vyre.region "r" -> (memref<64xf32>) {
    vyre.yield %tile : memref<64xf32>
  }
  %t = vyre.async_load %from[%i], %a[%i], %n : memref<64xf32>, memref<64xf32>
  vyre.async_wait %t
}

// -----

// The same through a loop, whichever round it is in.
// CHECK: {{.*}}memrefs.mlir:363:10: error: 'vyre.async_load': an asynchronous load takes from workgroup memory
// CHECK: {{.*}}memrefs.mlir:359:11: note: declared here
// CHECK: Fix: use 'vyre.async_store' to copy out of workgroup memory
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<64xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %n = vyre.param "n" : index
  %x, %y = scf.for %k = %n to %n step %n iter_args(%from = %a, %to = %tile) -> (memref<64xf32>, memref<64xf32>) {
    %t = vyre.async_load %from[%i], %to[%i], %n : memref<64xf32>, memref<64xf32>
    vyre.async_wait %t
    scf.yield %to, %from : memref<64xf32>, memref<64xf32>
  }
}

// -----

// CHECK: {{.*}}memrefs.mlir:386:8: error: 'vyre.async_store': an asynchronous store writes to workgroup memory
// CHECK: {{.*}}memrefs.mlir:376:11: note: declared here
// CHECK: Fix: use 'vyre.async_load' to copy into workgroup memory
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<64xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %n = vyre.param "n" : index
  %go = vyre.param "go" : i1
  %last = scf.while (%to = %a) : (memref<64xf32>) -> memref<64xf32> {
    scf.condition(%go) %to : memref<64xf32>
  } do {
  ^bb0(%same: memref<64xf32>):
    scf.yield %tile : memref<64xf32>
  }
  %t = vyre.async_store %tile[%i], %last[%i], %n : memref<64xf32>, memref<64xf32>
  vyre.async_wait %t
}

// -----

// Which memory collectives work on.
// CHECK: {{.*}}memrefs.mlir:398:3: error: 'vyre.all_reduce': ranks cannot exchange workgroup memory
// CHECK: {{.*}}memrefs.mlir:397:11: note: declared here
// CHECK: Fix: copy it to a buffer of the grid first
vyre.program @p [64, 1, 1] {
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  vyre.all_reduce add %tile : memref<64xf32>
}

// -----

// CHECK: {{.*}}memrefs.mlir:408:3: error: 'vyre.broadcast': ranks cannot exchange workgroup memory
// CHECK: {{.*}}memrefs.mlir:407:11: note: declared here
// CHECK: Fix: copy it to a buffer of the grid first
vyre.program @p [64, 1, 1] {
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  vyre.broadcast %tile root 0 : memref<64xf32>
}

// -----

// CHECK: {{.*}}memrefs.mlir:419:3: error: 'vyre.all_gather': ranks cannot exchange workgroup memory
// CHECK: {{.*}}memrefs.mlir:418:11: note: declared here
// CHECK: Fix: copy it to a buffer of the grid first
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" write_only binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  vyre.all_gather %tile, %a : memref<64xf32>, memref<?xf32>
}

// -----

// CHECK: {{.*}}memrefs.mlir:430:3: error: 'vyre.reduce_scatter': ranks cannot exchange workgroup memory
// CHECK: {{.*}}memrefs.mlir:429:11: note: declared here
// CHECK: Fix: copy it to a buffer of the grid first
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  vyre.reduce_scatter add %a, %tile : memref<?xf32>, memref<64xf32>
}

// -----

// CHECK: {{.*}}memrefs.mlir:446:3: error: 'vyre.all_reduce': ranks cannot exchange workgroup memory
// CHECK: {{.*}}memrefs.mlir:440:11: note: declared here
// CHECK: Fix: copy it to a buffer of the grid first
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<64xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %n = vyre.param "n" : index
  %out = vyre.region "r" -> (memref<64xf32>) {
    vyre.yield %tile : memref<64xf32>
  }
  vyre.all_reduce add %out : memref<64xf32>
}

// -----

// CHECK: {{.*}}memrefs.mlir:462:3: error: 'vyre.broadcast': ranks cannot exchange workgroup memory
// CHECK: {{.*}}memrefs.mlir:456:11: note: declared here
// CHECK: Fix: copy it to a buffer of the grid first
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<64xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %n = vyre.param "n" : index
  %out = scf.for %k = %n to %n step %n iter_args(%c = %a) -> (memref<64xf32>) {
    scf.yield %tile : memref<64xf32>
  }
  vyre.broadcast %out root 0 : memref<64xf32>
}

// -----

// A collective copies between two buffers.
// CHECK: {{.*}}memrefs.mlir:473:3: error: 'vyre.all_gather': may be given one buffer twice, and writes it
// CHECK: {{.*}}memrefs.mlir:472:8: note: this one
// CHECK: Fix: pass two different buffers; a loop keeps carried buffers apart if it only permutes them
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  vyre.all_gather %a, %a : memref<?xf32>, memref<?xf32>
}

// -----

// CHECK: {{.*}}memrefs.mlir:483:3: error: 'vyre.reduce_scatter': may be given one buffer twice, and writes it
// CHECK: {{.*}}memrefs.mlir:482:8: note: this one
// CHECK: Fix: pass two different buffers; a loop keeps carried buffers apart if it only permutes them
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  vyre.reduce_scatter add %a, %a : memref<?xf32>, memref<?xf32>
}

// -----

// CHECK: {{.*}}memrefs.mlir:498:3: error: 'vyre.all_gather': may be given one buffer twice, and writes it
// CHECK: {{.*}}memrefs.mlir:495:11: note: this one
// CHECK: Fix: pass two different buffers; a loop keeps carried buffers apart if it only permutes them
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %n = vyre.param "n" : index
  %same = vyre.region "r" -> (memref<?xf32>) {
    vyre.yield %a : memref<?xf32>
  }
  vyre.all_gather %a, %same : memref<?xf32>, memref<?xf32>
}

// -----

// CHECK: {{.*}}memrefs.mlir:513:3: error: 'vyre.reduce_scatter': may be given one buffer twice, and writes it
// CHECK: {{.*}}memrefs.mlir:507:8: note: this one
// CHECK: Fix: pass two different buffers; a loop keeps carried buffers apart if it only permutes them
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %n = vyre.param "n" : index
  %same = scf.for %k = %n to %n step %n iter_args(%c = %a) -> (memref<?xf32>) {
    scf.yield %c : memref<?xf32>
  }
  vyre.reduce_scatter add %same, %a : memref<?xf32>, memref<?xf32>
}

// -----

// One carried memref is one buffer, whichever it is.
// CHECK: {{.*}}memrefs.mlir:529:3: error: 'vyre.all_gather': may be given one buffer twice, and writes it
// CHECK: {{.*}}memrefs.mlir:526:12: note: this one
// CHECK: Fix: pass two different buffers; a loop keeps carried buffers apart if it only permutes them
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xf32>
  %n = vyre.param "n" : index
  %x, %y = scf.for %k = %n to %n step %n iter_args(%c = %a, %d = %b) -> (memref<?xf32>, memref<?xf32>) {
    scf.yield %d, %c : memref<?xf32>, memref<?xf32>
  }
  vyre.all_gather %x, %x : memref<?xf32>, memref<?xf32>
}

// -----

// A launch that writes is given different buffers.
// CHECK: {{.*}}memrefs.mlir:544:3: error: 'vyre.launch': may be given one buffer twice, and writes it
// CHECK: {{.*}}memrefs.mlir:543:8: note: this one
// CHECK: Fix: pass two different buffers; a loop keeps carried buffers apart if it only permutes them
vyre.program @q [64, 1, 1] {
  %from = vyre.buffer "from" read_only binding 0 : memref<?xi32>
  %to = vyre.buffer "to" write_only binding 1 : memref<?xi32>
}
vyre.schedule @s {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  vyre.launch @q(%a, %a)
}

// -----

// The order does not matter, nor what stands between.
// CHECK: {{.*}}memrefs.mlir:562:3: error: 'vyre.launch': may be given one buffer twice, and writes it
// CHECK: {{.*}}memrefs.mlir:561:8: note: this one
// CHECK: Fix: pass two different buffers; a loop keeps carried buffers apart if it only permutes them
vyre.program @q [64, 1, 1] {
  %to = vyre.buffer "to" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %tile = vyre.buffer "tile" workgroup : memref<64xi32>
  %from = vyre.buffer "from" read_only binding 1 : memref<?xi32>
}
vyre.schedule @s {
  %n = vyre.param "n" : index
  %a = vyre.scratch per_invocation : memref<?xi32>
  vyre.launch @q(%a, %n, %a)
}

// -----

// CHECK: {{.*}}memrefs.mlir:578:5: error: 'vyre.launch': may be given one buffer twice, and writes it
// CHECK: {{.*}}memrefs.mlir:577:51: note: this one
// CHECK: Fix: pass two different buffers; a loop keeps carried buffers apart if it only permutes them
vyre.program @q [64, 1, 1] {
  %x = vyre.buffer "x" write_only binding 0 : memref<?xi32>
  %y = vyre.buffer "y" write_only binding 1 : memref<?xi32>
}
vyre.schedule @s {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %last = scf.for %k = %n to %n step %n iter_args(%c = %a) -> (memref<?xi32>) {
    vyre.launch @q(%a, %c)
    scf.yield %c : memref<?xi32>
  }
}

// -----

// From the second trip on both arguments are the same buffer.
// CHECK: {{.*}}memrefs.mlir:598:5: error: 'vyre.launch': may be given one buffer twice, and writes it
// CHECK: {{.*}}memrefs.mlir:597:59: note: this one
// CHECK: Fix: pass two different buffers; a loop keeps carried buffers apart if it only permutes them
vyre.program @q [64, 1, 1] {
  %from = vyre.buffer "from" read_only binding 0 : memref<?xi32>
  %to = vyre.buffer "to" write_only binding 1 : memref<?xi32>
}
vyre.schedule @s {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %r:2 = scf.for %k = %n to %n step %n iter_args(%x = %a, %y = %b) -> (memref<?xi32>, memref<?xi32>) {
    vyre.launch @q(%x, %y)
    scf.yield %x, %x : memref<?xi32>, memref<?xi32>
  }
}
