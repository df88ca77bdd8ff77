#map = affine_map<(d0)[s0] -> (d0 + s0)>
#tags = ["phase", 1 : i64, 2.5 : f32, @reach::@v, unit, {map = #map, on = true}]
!row = memref<16xf32>
vyre.program @ids [32, 2, 1]
    attributes {tags = #tags, table = dense<[[1], [3]]> : tensor<2x1xi32>} {
  %n = vyre.param "n" : index
  %x = vyre.buffer "x" read_write binding 0 range [0, 64] cache streaming : !row
  %tile = vyre.buffer "tile" workgroup align 16 coalesce 1 : memref<16x16xf32>
  %flags = vyre.buffer "flags" uniform binding 2 kind push : memref<?xi1>
  %kept = vyre.buffer "kept" read_write binding 3 live_out kind persistent : memref<?x4xi64>
  %i = vyre.invocation_id x loc("model.py":3:4)
  %g = vyre.workgroup_id y {note = "generated"}
  %l = vyre.local_id z
  %lane = vyre.subgroup_local_id
  %width = vyre.subgroup_size
  %active = vyre.load %flags[%i] : memref<?xi1>
  %mask = vyre.subgroup_ballot %active loc(fused["a", "b.py":1:2])
  %v = vyre.load %x[%l] inbounds : !row
  %left = vyre.subgroup_shuffle %v, %lane : f32
  %sum = vyre.subgroup_reduce max %left : f32
  %cell = vyre.let "best" = %sum : f32
  scf.if %active {
    %best = vyre.get %cell : !vyre.cell<f32>
    %twice = arith.addf %best, %v fastmath<fast> : f32
    vyre.assign %twice, %cell : !vyre.cell<f32>
  } else {
    %negative = arith.cmpi slt, %mask, %mask : i32
    scf.if %negative {
      vyre.trap "negative" at %lane : index
    }
    vyre.return
  }
  %last = vyre.get %cell : !vyre.cell<f32>
  vyre.store %last, %tile[%l, %g] : memref<16x16xf32>
  vyre.barrier acq_rel
}
// -----
vyre.program @copies [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 output : memref<?xf32>
  %owner = vyre.buffer "owner" read_write binding 2 : memref<8xi32>
  %tile = vyre.buffer "tile" workgroup : memref<256xf32>
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %free, %mine = vyre.region "pair" from "blas.gemv" -> (i32, i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant -1 : i32
    vyre.yield %zero, %one : i32, i32
  }
  %in = vyre.async_load %a[%c0], %tile[%c4], %c4 : memref<?xf32>, memref<256xf32>
  %out = vyre.async_store %tile[%c0], %b[%c4], %c4 : memref<256xf32>, memref<?xf32>
  vyre.async_wait %in, %out
  %old = vyre.atomic umin %mine, %owner[%c4] ordering relaxed : memref<8xi32>
  %was = vyre.atomic_cas %free, %old, %owner[%c0] inbounds : memref<8xi32>
  vyre.barrier grid_sync
  vyre.all_reduce add %a : memref<?xf32>
  vyre.broadcast %a root 0 : memref<?xf32>
  vyre.all_gather %a, %b : memref<?xf32>, memref<?xf32>
  vyre.reduce_scatter mul %a, %b : memref<?xf32>, memref<?xf32>
}
// -----
vyre.program @control [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.length %a, 0 : memref<?xi32>
  %one = arith.constant 1 : index
  %seed = arith.constant 7 : i32
  %now, %then, %total = scf.for %k = %one to %n step %one
      iter_args(%from = %a, %to = %b, %acc = %seed) -> (memref<?xi32>, memref<?xi32>, i32) {
    %v = vyre.load %from[%k] : memref<?xi32>
    vyre.store %v, %to[%n] : memref<?xi32>
    %next = arith.addi %acc, %v : i32
    scf.yield %to, %from, %next : memref<?xi32>, memref<?xi32>, i32
  }
  %big = arith.cmpi sgt, %total, %seed : i32
  %chosen = scf.if %big -> (i32) {
    scf.yield %total : i32
  } else {
    scf.yield %seed : i32
  }
  %loop = scf.while (%w = %chosen) : (i32) -> i32 {
    %go = arith.cmpi slt, %w, %seed : i32
    scf.condition(%go) %w : i32
  } do {
  ^body(%w: i32):
    scf.yield %seed : i32
  }
  %pick = scf.index_switch %n -> i32
  case 0 {
    scf.yield %loop : i32
  }
  default {
    scf.yield %seed : i32
  }
  vyre.store %pick, %now[%n] : memref<?xi32>
}
// -----
builtin.module attributes {stage = #vyre<ordering grid_sync>} {
  vyre.schedule @p {
    %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
    %n = vyre.param "n" : i32
    %s = vyre.scratch per_invocation : memref<?xf32>
    %t = vyre.scratch per_workgroup : memref<?x256xf32>
    %go = vyre.scratch single : memref<1xi1>
    vyre.launch @p.first(%a, %s, %n)
    scf.while () : () -> () {
      %more = vyre.read_back %go[0] : memref<1xi1>
      scf.condition(%more)
    } do {
      vyre.launch @p.first(%a, %s, %n)
      scf.yield
    }
  }
  vyre.program @p.first [8, 8, 4] {
    %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
    %s = vyre.buffer "s" write_only binding 1 : memref<?xf32>
    %n = vyre.param "n" : i32
    %count = vyre.workgroup_count x
    %linear = vyre.linear_id invocation
    %size = vyre.workgroup_size x
  }
}
// -----
func.func @blocks(%c: i1, %v: i32) -> i32 {
  cf.cond_br %c, ^left(%v : i32), ^right
^left(%p: i32):
  %q = scf.execute_region -> (i32) {
    cf.br ^more
  ^more:
    %r = arith.select %c, %p, %v : i32
    scf.yield %r : i32
  }
  cf.br ^left(%q : i32)
^right:
  func.return %v : i32
}
// -----
vyre.program @wave [8, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : i32
  %i = vyre.invocation_id x
  vyre.store %n, %x[%i] : memref<?xi32>
}
vyre.megakernel @waves {
  vyre.wave "first" @wave
  vyre.wave "second" @wave grid [2, 1, 1] after ["first"] bytes [4, 0, 4] with {n = 3 : i32}
}
// -----
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<4xi32>
}
vyre.workgroups @p attributes {note = "kept"} {
  vyre.schedule @p {
    %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
    %tile = vyre.buffer "tile" read_write binding 1 : memref<4xi32>
    %x = vyre.param "x" : index
    %y = vyre.param "y" : index
    %z = vyre.param "z" : index
    %xs = vyre.param "xs" : index
    %ys = vyre.param "ys" : index
    %zs = vyre.param "zs" : index
    vyre.launch @p.0(%a)
  }
  vyre.program @p.0 [4, 1, 1] {
    %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  }
}
