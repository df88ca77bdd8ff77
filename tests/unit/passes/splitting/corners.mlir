vyre.program @chain_ifs [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  %y = vyre.load %b[%i] : memref<?xi32>
  %p = arith.cmpi eq, %n, %c1 : index
  %r, %r_1 = scf.if %p -> (i32, i32) {
    vyre.barrier grid_sync
    scf.yield %x, %y : i32, i32
  } else {
    scf.yield %y, %x : i32, i32
  }
  %q = arith.cmpi ult, %n, %c2 : index
  %s, %s_1 = scf.if %q -> (i32, i32) {
    scf.yield %r_1, %r : i32, i32
  } else {
    vyre.barrier grid_sync
    scf.yield %r, %r : i32, i32
  }
  %t, %t_1 = scf.for %k = %c0 to %n step %c1 iter_args(%u = %s_1, %v = %s) -> (i32, i32) {
    %z, %z_1 = scf.if %p -> (i32, i32) {
      vyre.barrier grid_sync
      scf.yield %v, %u : i32, i32
    } else {
      scf.yield %v, %v : i32, i32
    }
    scf.yield %z_1, %z : i32, i32
  }
  vyre.store %t, %a[%i] : memref<?xi32>
  vyre.store %t_1, %b[%i] : memref<?xi32>
}

// -----

vyre.program @loops_in_loops_swap [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  %y = vyre.load %b[%i] : memref<?xi32>
  %t, %t_1 = scf.for %k = %c0 to %n step %c1 iter_args(%u = %x, %v = %y) -> (i32, i32) {
    %s, %s_1 = scf.for %m = %c0 to %k step %c1 iter_args(%p = %v, %q = %u) -> (i32, i32) {
      vyre.barrier grid_sync
      %w = arith.addi %p, %i1 : i32
      scf.yield %q, %w : i32, i32
    }
    %s2, %s2_1 = scf.while (%g1 = %s_1, %g2 = %u, %g3 = %c0) : (i32, i32, index) -> (i32, i32) {
      %go = arith.cmpi ult, %g3, %c2 : index
      scf.condition(%go) %g2, %g1 : i32, i32
    } do {
    ^bb0(%h1: i32, %h2: i32):
      vyre.barrier grid_sync
      %hh = arith.muli %h1, %i2 : i32
      scf.yield %hh, %h2, %c3 : i32, i32, index
    }
    scf.yield %s2_1, %s : i32, i32
  }
  vyre.store %t, %a[%i] : memref<?xi32>
  vyre.store %t_1, %b[%i] : memref<?xi32>
}

// -----

vyre.program @while_memref [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %i = vyre.invocation_id x
  %r, %r_1, %r_2 = scf.while (%k = %c0, %s = %a, %t = %b) : (index, memref<?xi32>, memref<?xi32>) -> (index, memref<?xi32>, memref<?xi32>) {
    %go = arith.cmpi ult, %k, %n : index
    %x = vyre.load %s[%i] : memref<?xi32>
    vyre.barrier grid_sync
    vyre.store %x, %t[%i] : memref<?xi32>
    vyre.barrier grid_sync
    scf.condition(%go) %k, %t, %s : index, memref<?xi32>, memref<?xi32>
  } do {
  ^bb0(%q: index, %u: memref<?xi32>, %v: memref<?xi32>):
    %q1 = arith.addi %q, %c1 : index
    %x_1 = vyre.load %u[%i] : memref<?xi32>
    %y = arith.addi %x_1, %i1 : i32
    vyre.barrier grid_sync
    vyre.store %y, %v[%i] : memref<?xi32>
    vyre.barrier grid_sync
    scf.yield %q1, %v, %u : index, memref<?xi32>, memref<?xi32>
  }
  %x_2 = vyre.load %r_1[%i] : memref<?xi32>
  %y_1 = arith.addi %x_2, %i2 : i32
  vyre.store %y_1, %r_2[%i] : memref<?xi32>
}

// -----

vyre.program @two_fetches [4, 1, 1] {
  %tile = vyre.buffer "tile" workgroup : memref<4xi32>
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %f = vyre.buffer "f" read_only binding 2 : memref<?xi32>
  %n = vyre.param "n" : index
  %c1 = arith.constant 1 : index
  %i1 = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  %i32 = arith.index_cast %i : index to i32
  vyre.store %i32, %tile[%l] : memref<4xi32>
  %nn = arith.addi %n, %c1 : index
  %x = vyre.load %f[%n] : memref<?xi32>
  %y = vyre.load %f[%nn] : memref<?xi32>
  %p = arith.cmpi sgt, %x, %i1 : i32
  %q = arith.cmpi sgt, %y, %i1 : i32
  scf.if %p {
    vyre.barrier grid_sync
    vyre.store %y, %a[%i] : memref<?xi32>
  }
  scf.if %q {
    vyre.barrier grid_sync
    %z = vyre.load %tile[%l] : memref<4xi32>
    vyre.store %z, %b[%i] : memref<?xi32>
  }
  %z_1 = vyre.load %tile[%l] : memref<4xi32>
  vyre.store %z_1, %a[%i] : memref<?xi32>
}

// -----

vyre.program @empty_arm_vars_inv [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  %y = vyre.load %b[%i] : memref<?xi32>
  %p = arith.cmpi eq, %n, %c1 : index
  %r, %r_1 = scf.if %p -> (i32, i32) {
    vyre.barrier grid_sync
    scf.yield %x, %y : i32, i32
  } else {
    scf.yield %y, %x : i32, i32
  }
  vyre.store %r, %a[%i] : memref<?xi32>
  vyre.store %r_1, %b[%i] : memref<?xi32>
}

// -----

vyre.program @return_in_loop [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%v = %x) -> (i32) {
    %w = arith.addi %v, %i1 : i32
    %big = arith.cmpi sgt, %w, %i2 : i32
    scf.if %big {
      vyre.store %w, %b[%i] : memref<?xi32>
      vyre.return
    }
    vyre.barrier grid_sync
    vyre.store %w, %a[%i] : memref<?xi32>
    scf.yield %w : i32
  }
  vyre.store %r, %b[%i] : memref<?xi32>
}

// -----

vyre.program @memref_swap_if_len [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %r, %r_1 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %a, %t = %b) -> (memref<?xi32>, memref<?xi32>) {
    %len = vyre.length %s, 0 : memref<?xi32>
    vyre.barrier grid_sync
    %e = arith.index_cast %len : index to i32
    vyre.store %e, %t[%i] : memref<?xi32>
    scf.yield %t, %s : memref<?xi32>, memref<?xi32>
  }
  %l2 = vyre.length %r, 0 : memref<?xi32>
  vyre.barrier grid_sync
  %e_1 = arith.index_cast %l2 : index to i32
  vyre.store %e_1, %r_1[%i] : memref<?xi32>
}

// -----

vyre.program @nested_levels [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %f = vyre.buffer "f" read_only binding 2 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %i = vyre.invocation_id x
  %g = vyre.workgroup_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  %u = vyre.load %f[%n] : memref<?xi32>
  %w = vyre.load %f[%g] : memref<?xi32>
  vyre.store %i1, %a[%i] : memref<?xi32>
  %cond = arith.cmpi ule, %n, %c3 : index
  %r, %r_1, %r_2 = scf.if %cond -> (i32, i32, i32) {
    %q, %q_1, %q_2 = scf.for %k = %c0 to %n step %c1 iter_args(%v = %x, %uu = %u, %ww = %w) -> (i32, i32, i32) {
      vyre.barrier grid_sync
      %z, %z_1, %z_2, %z_3 = scf.while (%m = %k, %p1 = %v, %p2 = %uu, %p3 = %ww) : (index, i32, i32, i32) -> (index, i32, i32, i32) {
        %go = arith.cmpi ult, %m, %c3 : index
        vyre.barrier grid_sync
        %p4 = arith.addi %p1, %p2 : i32
        scf.condition(%go) %m, %p4, %p3, %p2 : index, i32, i32, i32
      } do {
      ^bb0(%m2: index, %s1: i32, %s2: i32, %s3: i32):
        %m3 = arith.addi %m2, %c1 : index
        vyre.store %s1, %b[%i] : memref<?xi32>
        vyre.barrier grid_sync
        vyre.store %s2, %a[%i] : memref<?xi32>
        %s4 = arith.muli %s3, %i2 : i32
        scf.yield %m3, %s1, %s4, %s2 : index, i32, i32, i32
      }
      scf.yield %z_1, %z_2, %z_3 : i32, i32, i32
    }
    scf.yield %q, %q_1, %q_2 : i32, i32, i32
  } else {
    vyre.store %x, %b[%i] : memref<?xi32>
    scf.yield %w, %u, %x : i32, i32, i32
  }
  vyre.store %r, %a[%i] : memref<?xi32>
  vyre.barrier grid_sync
  %t = vyre.load %a[%i] : memref<?xi32>
  %t2 = arith.addi %t, %r_1 : i32
  %t3 = arith.xori %t2, %r_2 : i32
  vyre.store %t3, %b[%i] : memref<?xi32>
}

// -----

vyre.program @rotate3 [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %f = vyre.buffer "f" read_only binding 2 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i = vyre.invocation_id x
  %i32 = arith.index_cast %i : index to i32
  %x = vyre.load %f[%n] : memref<?xi32>
  %y = vyre.load %f[%c1] : memref<?xi32>
  %z = vyre.load %f[%c2] : memref<?xi32>
  %r, %r_1, %r_2 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %x, %q = %y, %s = %z) -> (i32, i32, i32) {
    vyre.store %p, %a[%i] : memref<?xi32>
    vyre.barrier grid_sync
    vyre.store %q, %b[%i] : memref<?xi32>
    vyre.barrier grid_sync
    scf.yield %q, %s, %p : i32, i32, i32
  }
  %e = arith.addi %r, %i32 : i32
  %e2 = arith.muli %r_1, %r_2 : i32
  vyre.store %e, %a[%i] : memref<?xi32>
  vyre.store %e2, %b[%i] : memref<?xi32>
}

// -----

vyre.program @swap_by_if [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  %y = vyre.load %b[%i] : memref<?xi32>
  %r, %r_1 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %x, %q = %y) -> (i32, i32) {
    %odd = arith.cmpi eq, %k, %c1 : index
    %o, %o_1 = scf.if %odd -> (i32, i32) {
      vyre.store %q, %a[%i] : memref<?xi32>
      vyre.barrier grid_sync
      scf.yield %q, %p : i32, i32
    } else {
      scf.yield %p, %p : i32, i32
    }
    vyre.barrier grid_sync
    vyre.store %o_1, %b[%i] : memref<?xi32>
    scf.yield %o, %o_1 : i32, i32
  }
  vyre.store %r, %a[%i] : memref<?xi32>
  vyre.store %r_1, %b[%i] : memref<?xi32>
}

// -----

vyre.program @early_uni [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %f = vyre.buffer "f" read_only binding 2 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i1 = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %i32 = arith.index_cast %i : index to i32
  %x = vyre.load %f[%n] : memref<?xi32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%p = %x) -> (i32) {
    %nx = arith.addi %p, %i1 : i32
    vyre.store %nx, %a[%i] : memref<?xi32>
    vyre.barrier grid_sync
    vyre.store %p, %b[%i] : memref<?xi32>
    vyre.barrier grid_sync
    %o = vyre.load %a[%i] : memref<?xi32>
    %o2 = arith.addi %o, %p : i32
    vyre.store %o2, %b[%i] : memref<?xi32>
    scf.yield %nx : i32
  }
  %e = arith.addi %r, %i32 : i32
  vyre.store %e, %a[%i] : memref<?xi32>
}

// -----

vyre.program @early2_wg [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %f = vyre.buffer "f" read_only binding 2 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i1 = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %g = vyre.workgroup_id x
  %x = vyre.load %f[%g] : memref<?xi32>
  %r, %r_1 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %x, %pp = %i1) -> (i32, i32) {
    %nx = vyre.load %f[%k] : memref<?xi32>
    vyre.barrier grid_sync
    vyre.store %pp, %b[%i] : memref<?xi32>
    vyre.barrier grid_sync
    %o2 = arith.addi %p, %pp : i32
    vyre.store %o2, %a[%i] : memref<?xi32>
    vyre.barrier grid_sync
    scf.yield %nx, %p : i32, i32
  }
  %e = arith.addi %r, %r_1 : i32
  vyre.store %e, %a[%i] : memref<?xi32>
}

// -----

vyre.program @early_inv [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %f = vyre.buffer "f" read_only binding 2 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i1 = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %i32 = arith.index_cast %i : index to i32
  %x = vyre.load %f[%i] : memref<?xi32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%p = %x) -> (i32) {
    %nx = arith.addi %p, %i1 : i32
    vyre.store %nx, %a[%i] : memref<?xi32>
    vyre.barrier grid_sync
    vyre.store %p, %b[%i] : memref<?xi32>
    vyre.barrier grid_sync
    %o = vyre.load %a[%i] : memref<?xi32>
    %o2 = arith.addi %o, %p : i32
    vyre.store %o2, %b[%i] : memref<?xi32>
    scf.yield %nx : i32
  }
  %e = arith.addi %r, %i32 : i32
  vyre.store %e, %a[%i] : memref<?xi32>
}

// -----

vyre.program @region_internal [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %i = vyre.invocation_id x
  %r1, %r1_1 = vyre.region "r" -> (i32, i32) {
    %x = vyre.load %a[%i] : memref<?xi32>
    %y = arith.addi %x, %i1 : i32
    %in = vyre.region "in" -> (i32) {
      %z = arith.muli %y, %y : i32
      vyre.yield %z : i32
    }
    vyre.store %i2, %a[%i] : memref<?xi32>
    vyre.yield %in, %x : i32, i32
  }
  vyre.barrier grid_sync
  vyre.store %r1, %b[%i] : memref<?xi32>
  vyre.barrier grid_sync
  %r2 = vyre.region "s" -> (i32) {
    vyre.yield %r1_1 : i32
  }
  vyre.store %r2, %a[%i] : memref<?xi32>
  vyre.barrier grid_sync
  %q = arith.addi %r2, %r1 : i32
  vyre.store %q, %b[%i] : memref<?xi32>
}

// -----

vyre.program @host_in_region [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i = vyre.invocation_id x
  %i32 = arith.index_cast %i : index to i32
  %h = vyre.region "r" -> (index) {
    %h0 = arith.muli %n, %c2 : index
    %h1 = arith.addi %h0, %c1 : index
    vyre.store %i32, %a[%i] : memref<?xi32>
    vyre.yield %h1 : index
  }
  scf.for %k = %c0 to %h step %c1 {
    %kk = vyre.region "s" -> (index) {
      %k2 = arith.addi %k, %h : index
      vyre.yield %k2 : index
    }
    vyre.barrier grid_sync
    %v = arith.index_cast %kk : index to i32
    vyre.store %v, %a[%i] : memref<?xi32>
  }
  %e = arith.index_cast %h : index to i32
  vyre.store %e, %b[%i] : memref<?xi32>
}

// -----

vyre.program @fetched_nested [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %i = vyre.invocation_id x
  %i32 = arith.index_cast %i : index to i32
  %o = arith.addi %n, %c1 : index
  scf.for %k = %c0 to %n step %c1 {
    vyre.barrier grid_sync
    %t = vyre.load %a[%o] : memref<?xi32>
    %tt = arith.andi %t, %i2 : i32
    %ti = arith.index_cast %tt : i32 to index
    vyre.barrier grid_sync
    scf.for %m = %c0 to %ti step %c1 {
      vyre.barrier grid_sync
      %u = vyre.load %b[%k] : memref<?xi32>
      %go = arith.cmpi sgt, %u, %i1 : i32
      vyre.barrier grid_sync
      scf.if %go {
        vyre.store %i32, %a[%i] : memref<?xi32>
        vyre.barrier grid_sync
        vyre.store %i1, %b[%i] : memref<?xi32>
      }
    }
    vyre.barrier grid_sync
  }
}

// -----

vyre.program @fetched_while [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %i1 = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %r = scf.while (%k = %c0) : (index) -> index {
    %t = vyre.load %a[%k] : memref<?xi32>
    %s = arith.cmpi sgt, %t, %i1 : i32
    %lt = arith.cmpi ult, %k, %c3 : index
    %go = arith.andi %s, %lt : i1
    %d = math.absi %t : i32
    %dx = arith.index_cast %d : i32 to index
    %kd = arith.addi %k, %c1 : index
    scf.condition(%go) %kd : index
  } do {
  ^bb0(%q: index):
    vyre.barrier grid_sync
    vyre.store %i1, %b[%i] : memref<?xi32>
    vyre.barrier grid_sync
    scf.yield %q : index
  }
  vyre.barrier grid_sync
  %e = arith.index_cast %r : index to i32
  vyre.store %e, %a[%i] : memref<?xi32>
}

// -----

vyre.program @chase [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %f = vyre.buffer "f" read_only binding 2 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %r, %r_1 = scf.while (%k = %c0, %s = %c0) : (index, index) -> (index, index) {
    %lt = arith.cmpi ult, %s, %n : index
    scf.condition(%lt) %k, %s : index, index
  } do {
  ^bb0(%q: index, %s2: index):
    %t = vyre.load %f[%q] : memref<?xi32>
    %ti = arith.index_cast %t : i32 to index
    %s3 = arith.addi %s2, %c1 : index
    vyre.barrier grid_sync
    vyre.store %t, %b[%i] : memref<?xi32>
    vyre.barrier grid_sync
    scf.yield %ti, %s3 : index, index
  }
  %e = arith.index_cast %r : index to i32
  vyre.store %e, %a[%i] : memref<?xi32>
}

// -----

vyre.program @memref_nested [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %i = vyre.invocation_id x
  %r, %r_1 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (memref<?xi32>, memref<?xi32>) {
    %z, %z_1 = scf.for %m = %c0 to %c3 step %c1 iter_args(%s = %p, %t = %q) -> (memref<?xi32>, memref<?xi32>) {
      %x = vyre.load %s[%i] : memref<?xi32>
      %y = arith.addi %x, %i1 : i32
      vyre.store %y, %t[%i] : memref<?xi32>
      vyre.barrier grid_sync
      scf.yield %t, %s : memref<?xi32>, memref<?xi32>
    }
    %x_1 = vyre.load %z[%i] : memref<?xi32>
    vyre.barrier grid_sync
    vyre.store %x_1, %z_1[%i] : memref<?xi32>
    vyre.barrier grid_sync
    scf.yield %z_1, %z : memref<?xi32>, memref<?xi32>
  }
  %x_2 = vyre.load %r[%i] : memref<?xi32>
  %y_1 = arith.addi %x_2, %i2 : i32
  vyre.store %y_1, %r_1[%i] : memref<?xi32>
}

// -----

vyre.program @memref_giver [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %i32 = arith.index_cast %i : index to i32
  vyre.barrier grid_sync
  %r, %r_1 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (memref<?xi32>, memref<?xi32>) {
    %x = vyre.load %p[%i] : memref<?xi32>
    vyre.store %x, %q[%i] : memref<?xi32>
    scf.yield %q, %p : memref<?xi32>, memref<?xi32>
  }
  vyre.barrier grid_sync
  vyre.store %i32, %r[%i] : memref<?xi32>
}

// -----

vyre.program @collective_fetch [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %f = vyre.buffer "f" read_only binding 2 : memref<?xi32>
  %n = vyre.param "n" : index
  %i1 = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %x = vyre.load %f[%n] : memref<?xi32>
  %go = arith.cmpi sgt, %x, %i1 : i32
  vyre.all_reduce add %a : memref<?xi32>
  scf.if %go {
    vyre.store %i1, %b[%i] : memref<?xi32>
    vyre.barrier grid_sync
    vyre.store %x, %a[%i] : memref<?xi32>
  }
}

// -----

vyre.program @collective_two [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i1 = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  vyre.all_reduce add %a : memref<?xi32>
  vyre.all_reduce add %b : memref<?xi32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%v = %x) -> (i32) {
    vyre.barrier grid_sync
    vyre.store %v, %a[%i] : memref<?xi32>
    %w = arith.addi %v, %i1 : i32
    scf.yield %w : i32
  }
  vyre.all_reduce add %a : memref<?xi32>
  %s = scf.for %k_1 = %c0 to %n step %c1 iter_args(%v_1 = %r) -> (i32) {
    vyre.barrier grid_sync
    vyre.store %v_1, %b[%i] : memref<?xi32>
    %w_1 = arith.addi %v_1, %i1 : i32
    scf.yield %w_1 : i32
  }
  vyre.store %s, %a[%i] : memref<?xi32>
}

// -----

vyre.program @collective_between [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %i1 = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  vyre.store %i1, %a[%i] : memref<?xi32>
  vyre.all_reduce add %a : memref<?xi32>
  vyre.store %x, %b[%i] : memref<?xi32>
  vyre.barrier grid_sync
  %y = vyre.load %b[%n] : memref<?xi32>
  vyre.broadcast %b root 0 : memref<?xi32>
  %z = arith.addi %x, %y : i32
  vyre.store %z, %a[%i] : memref<?xi32>
  vyre.all_reduce add %b : memref<?xi32>
  vyre.store %y, %b[%i] : memref<?xi32>
}

// -----

vyre.program @passed_after [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %i2 = arith.constant 2 : i32
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  %r, %r_1, %r_2 = scf.while (%k = %c0, %v = %x) : (index, i32) -> (i32, i32, i32) {
    %go = arith.cmpi ult, %k, %n : index
    %y = arith.addi %v, %i2 : i32
    %ni = arith.addi %v, %v : i32
    vyre.barrier grid_sync
    %mm = vyre.load %b[%i] : memref<?xi32>
    vyre.store %y, %b[%i] : memref<?xi32>
    scf.condition(%go) %y, %ni, %mm : i32, i32, i32
  } do {
  ^bb0(%p: i32, %q: i32, %m: i32):
    vyre.barrier grid_sync
    %s = arith.addi %p, %q : i32
    vyre.store %m, %a[%i] : memref<?xi32>
    %kk = arith.constant 1 : index
    %n2 = arith.addi %kk, %n : index
    scf.yield %n2, %s : index, i32
  }
  vyre.store %r, %a[%i] : memref<?xi32>
  %e = arith.addi %r_1, %r_2 : i32
  vyre.store %e, %b[%i] : memref<?xi32>
}

// -----

vyre.program @passed_outer [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i1 = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  %ux = vyre.load %b[%i] : memref<?xi32>
  vyre.store %i1, %b[%i] : memref<?xi32>
  %o = scf.for %kk = %c0 to %n step %c1 iter_args(%ov = %x) -> (i32) {
    %r, %r_1, %r_2 = scf.while (%k = %c0) : (index) -> (index, i32, i32) {
      %go = arith.cmpi ult, %k, %c2 : index
      vyre.barrier grid_sync
      scf.condition(%go) %k, %ov, %ux : index, i32, i32
    } do {
    ^bb0(%p: index, %q: i32, %m: i32):
      vyre.store %q, %a[%i] : memref<?xi32>
      vyre.barrier grid_sync
      vyre.store %m, %b[%i] : memref<?xi32>
      %k1 = arith.addi %p, %c1 : index
      scf.yield %k1 : index
    }
    %e = arith.addi %r_1, %r_2 : i32
    scf.yield %e : i32
  }
  vyre.store %o, %a[%i] : memref<?xi32>
}

// -----

vyre.program @unused [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %f = vyre.buffer "f" read_only binding 2 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  %u = vyre.load %f[%n] : memref<?xi32>
  %r, %r_1, %r_2 = scf.for %k = %c0 to %n step %c1 iter_args(%v = %x, %w = %u, %z = %c0) -> (i32, i32, index) {
    vyre.store %w, %a[%i] : memref<?xi32>
    vyre.barrier grid_sync
    %v2 = arith.addi %v, %w : i32
    %z1 = arith.addi %z, %k : index
    scf.yield %v2, %w, %z1 : i32, i32, index
  }
  vyre.store %r_1, %b[%i] : memref<?xi32>
}

// -----

vyre.program @tile_loop [4, 1, 1] {
  %tile = vyre.buffer "tile" workgroup : memref<4xi32>
  %true = arith.constant true
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i1 = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  %i32 = arith.index_cast %i : index to i32
  vyre.store %i32, %tile[%l] : memref<4xi32>
  scf.for %k = %c0 to %n step %c1 {
    %x = vyre.load %tile[%l] : memref<4xi32>
    vyre.barrier acq_rel
    %y = arith.addi %x, %i1 : i32
    vyre.store %y, %tile[%l] : memref<4xi32>
    vyre.barrier grid_sync
    %z = vyre.load %tile[%c0] : memref<4xi32>
    vyre.store %z, %a[%i] : memref<?xi32>
    scf.if %true {
      vyre.barrier grid_sync
    }
    vyre.barrier grid_sync
  }
  %z_1 = vyre.load %tile[%l] : memref<4xi32>
  vyre.store %z_1, %b[%i] : memref<?xi32>
}

// -----

vyre.program @tile_branch [4, 1, 1] {
  %tile = vyre.buffer "tile" workgroup : memref<4xi32>
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c1 = arith.constant 1 : index
  %i1 = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  %i32 = arith.index_cast %i : index to i32
  %odd = arith.cmpi eq, %n, %c1 : index
  vyre.store %i32, %tile[%l] : memref<4xi32>
  scf.if %odd {
    vyre.barrier grid_sync
    vyre.store %i1, %tile[%l] : memref<4xi32>
  } else {
    vyre.store %i1, %a[%i] : memref<?xi32>
  }
  %z = vyre.load %tile[%l] : memref<4xi32>
  vyre.store %z, %b[%i] : memref<?xi32>
}

// -----

vyre.program @tile_while [4, 1, 1] {
  %tile = vyre.buffer "tile" workgroup : memref<4xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i1 = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  %i32 = arith.index_cast %i : index to i32
  vyre.store %i32, %tile[%l] : memref<4xi32>
  %r = scf.while (%k = %c0) : (index) -> index {
    %x = vyre.load %tile[%l] : memref<4xi32>
    vyre.barrier acq_rel
    %y = arith.addi %x, %i1 : i32
    vyre.store %y, %tile[%l] : memref<4xi32>
    %go = arith.cmpi ult, %k, %n : index
    scf.condition(%go) %k : index
  } do {
  ^bb0(%q: index):
    vyre.barrier grid_sync
    %k1 = arith.addi %q, %c1 : index
    scf.yield %k1 : index
  }
  %z = vyre.load %tile[%l] : memref<4xi32>
  vyre.store %z, %b[%i] : memref<?xi32>
}

// -----

vyre.program @tile_cond_store [4, 1, 1] {
  %tile = vyre.buffer "tile" workgroup : memref<4xi32>
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %i1 = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  %i32 = arith.index_cast %i : index to i32
  %low = arith.cmpi ult, %l, %c2 : index
  vyre.store %i32, %tile[%l] : memref<4xi32>
  vyre.barrier grid_sync
  scf.if %low {
    vyre.store %i1, %tile[%l] : memref<4xi32>
  }
  vyre.barrier acq_rel
  %z = vyre.load %tile[%c3] : memref<4xi32>
  vyre.store %z, %b[%i] : memref<?xi32>
  vyre.barrier grid_sync
  %zz = vyre.load %tile[%l] : memref<4xi32>
  vyre.store %zz, %a[%i] : memref<?xi32>
}

// -----

vyre.program @tile_read_in_guard [4, 1, 1] {
  %tile = vyre.buffer "tile" workgroup : memref<4xi32>
  %c9 = arith.constant 4 : index
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c3 = arith.constant 3 : index
  %i1 = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  %i32 = arith.index_cast %i : index to i32
  vyre.store %i32, %tile[%l] : memref<4xi32>
  vyre.barrier grid_sync
  %low = arith.cmpi ult, %l, %c9 : index
  scf.if %low {
    %q = vyre.load %tile[%l] : memref<4xi32>
    %q2 = arith.addi %q, %i1 : i32
    vyre.store %q2, %tile[%l] : memref<4xi32>
  }
  vyre.barrier acq_rel
  %z = vyre.load %tile[%c3] : memref<4xi32>
  vyre.store %z, %b[%i] : memref<?xi32>
}

// -----

vyre.program @tile_stride [4, 1, 1] {
  %t3 = vyre.buffer "t3" workgroup : memref<9xi32>
  %c9 = arith.constant 9 : index
  %c4 = arith.constant 4 : index
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  scf.for %e = %l to %c9 step %c4 {
    %ec = arith.index_cast %e : index to i32
    vyre.store %ec, %t3[%e] : memref<9xi32>
  }
  vyre.barrier grid_sync
  scf.for %k = %c0 to %n step %c1 {
    vyre.barrier acq_rel
    %x = vyre.load %t3[%k] : memref<9xi32>
    vyre.store %x, %a[%i] : memref<?xi32>
    vyre.barrier acq_rel
    scf.for %e_1 = %l to %c9 step %c4 {
      vyre.store %x, %t3[%e_1] : memref<9xi32>
    }
    vyre.barrier grid_sync
  }
  %x_1 = vyre.load %t3[%c3] : memref<9xi32>
  vyre.store %x_1, %b[%i] : memref<?xi32>
}

// -----

vyre.program @carried_tiles [4, 1, 1] {
  %ta = vyre.buffer "ta" workgroup : memref<4xi32>
  %tb = vyre.buffer "tb" workgroup : memref<4xi32>
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %i1 = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  %i32 = arith.index_cast %i : index to i32
  vyre.store %i32, %ta[%l] : memref<4xi32>
  vyre.barrier acq_rel
  %r, %r_1 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %ta, %q = %tb) -> (memref<4xi32>, memref<4xi32>) {
    %z, %z_1 = scf.for %m = %c0 to %c3 step %c1 iter_args(%s = %p, %t = %q) -> (memref<4xi32>, memref<4xi32>) {
      %x = vyre.load %s[%l] : memref<4xi32>
      %y = arith.addi %x, %i1 : i32
      vyre.store %y, %t[%l] : memref<4xi32>
      vyre.barrier acq_rel
      scf.yield %t, %s : memref<4xi32>, memref<4xi32>
    }
    %x_1 = vyre.load %z[%c0] : memref<4xi32>
    vyre.store %x_1, %a[%i] : memref<?xi32>
    vyre.barrier grid_sync
    scf.yield %z_1, %z : memref<4xi32>, memref<4xi32>
  }
  %x_2 = vyre.load %r[%l] : memref<4xi32>
  vyre.store %x_2, %b[%i] : memref<?xi32>
}

// -----

vyre.program @token_loop [4, 1, 1] {
  %tile = vyre.buffer "tile" workgroup : memref<4xi32>
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %f = vyre.buffer "f" read_only binding 2 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  %t = vyre.async_load %f[%i], %tile[%l], %c1 : memref<?xi32>, memref<4xi32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%u = %t) -> (!vyre.token) {
    vyre.async_wait %u
    %x = vyre.load %tile[%l] : memref<4xi32>
    vyre.store %x, %a[%i] : memref<?xi32>
    vyre.barrier grid_sync
    %v = vyre.async_load %f[%k], %tile[%l], %c1 : memref<?xi32>, memref<4xi32>
    vyre.barrier grid_sync
    scf.yield %v : !vyre.token
  }
  vyre.async_wait %r
  %x_1 = vyre.load %tile[%l] : memref<4xi32>
  vyre.store %x_1, %b[%i] : memref<?xi32>
}

// -----

vyre.program @token_while [4, 1, 1] {
  %tile = vyre.buffer "tile" workgroup : memref<4xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %f = vyre.buffer "f" read_only binding 2 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  %t = vyre.async_load %f[%i], %tile[%l], %c1 : memref<?xi32>, memref<4xi32>
  %r, %r_1 = scf.while (%k = %c0, %u = %t) : (index, !vyre.token) -> (index, !vyre.token) {
    %go = arith.cmpi ult, %k, %n : index
    scf.condition(%go) %k, %u : index, !vyre.token
  } do {
  ^bb0(%q: index, %w: !vyre.token):
    vyre.async_wait %w
    vyre.barrier grid_sync
    %v = vyre.async_load %f[%q], %tile[%l], %c1 : memref<?xi32>, memref<4xi32>
    %k1 = arith.addi %q, %c1 : index
    scf.yield %k1, %v : index, !vyre.token
  }
  vyre.async_wait %r_1
  %x = vyre.load %tile[%l] : memref<4xi32>
  vyre.store %x, %b[%i] : memref<?xi32>
}

// -----

vyre.program @alias_write [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i1 = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %r, %r_1 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (memref<?xi32>, memref<?xi32>) {
    %x = vyre.load %a[%i] : memref<?xi32>
    %y = arith.addi %x, %i1 : i32
    vyre.barrier grid_sync
    vyre.store %y, %q[%i] : memref<?xi32>
    vyre.barrier grid_sync
    scf.yield %q, %p : memref<?xi32>, memref<?xi32>
  }
}

// -----

vyre.program @memref_region [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %i1 = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %i32 = arith.index_cast %i : index to i32
  %r = vyre.region "q" -> (memref<?xi32>) {
    vyre.yield %a : memref<?xi32>
  }
  vyre.store %i32, %r[%i] : memref<?xi32>
  vyre.barrier grid_sync
  %x = vyre.load %r[%i] : memref<?xi32>
  vyre.store %i1, %a[%i] : memref<?xi32>
  vyre.barrier grid_sync
  vyre.store %x, %r[%i] : memref<?xi32>
  vyre.store %x, %b[%i] : memref<?xi32>
}

// -----

vyre.program @flag_later [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %x = vyre.load %a[%c1] : memref<?xi32>
  %go = arith.cmpi sgt, %x, %i1 : i32
  vyre.barrier grid_sync
  vyre.store %i0, %a[%i] : memref<?xi32>
  vyre.barrier grid_sync
  scf.if %go {
    vyre.store %x, %b[%i] : memref<?xi32>
    vyre.barrier grid_sync
    vyre.store %i1, %a[%i] : memref<?xi32>
  }
}

// -----

vyre.program @carried_bool [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %i32 = arith.index_cast %i : index to i32
  %x = vyre.load %a[%n] : memref<?xi32>
  %g0 = arith.cmpi sgt, %x, %i1 : i32
  vyre.barrier grid_sync
  %r, %r_1 = scf.while (%go = %g0, %k = %c0) : (i1, index) -> (i1, index) {
    scf.condition(%go) %go, %k : i1, index
  } do {
  ^bb0(%u: i1, %k1: index):
    vyre.store %i1, %a[%i] : memref<?xi32>
    vyre.barrier grid_sync
    %y = vyre.load %b[%k1] : memref<?xi32>
    vyre.barrier grid_sync
    vyre.store %i0, %b[%i] : memref<?xi32>
    %lt = arith.cmpi ult, %k1, %c3 : index
    %g1 = arith.cmpi sge, %y, %i1 : i32
    %g2 = arith.andi %g1, %lt : i1
    %k2 = arith.addi %k1, %c1 : index
    vyre.barrier grid_sync
    scf.yield %g2, %k2 : i1, index
  }
  %rr = arith.extui %r : i1 to i32
  %e = arith.addi %rr, %i32 : i32
  vyre.store %e, %a[%i] : memref<?xi32>
}

// -----

vyre.program @cond_chosen [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %f = vyre.buffer "f" read_only binding 2 : memref<?xi32>
  %n = vyre.param "n" : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %i = vyre.invocation_id x
  %i32 = arith.index_cast %i : index to i32
  %p0 = arith.cmpi eq, %n, %c1 : index
  %q = scf.if %p0 -> (i1) {
    %x = vyre.load %a[%n] : memref<?xi32>
    %g0 = arith.cmpi sgt, %x, %i1 : i32
    vyre.barrier grid_sync
    vyre.store %i1, %b[%i] : memref<?xi32>
    scf.yield %g0 : i1
  } else {
    %x_1 = vyre.load %f[%c2] : memref<?xi32>
    %g0_1 = arith.cmpi sgt, %x_1, %i1 : i32
    scf.yield %g0_1 : i1
  }
  vyre.barrier grid_sync
  scf.if %q {
    vyre.store %i2, %a[%i] : memref<?xi32>
    vyre.barrier grid_sync
    vyre.store %i32, %b[%i] : memref<?xi32>
  }
}

// -----

vyre.program @multi_result [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %i1 = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %i32 = arith.index_cast %i : index to i32
  %x = vyre.load %a[%i] : memref<?xi32>
  %s, %o = arith.addui_extended %x, %i32 : i32, i1
  %lo, %hi = arith.mului_extended %x, %x : i32
  vyre.store %i1, %a[%i] : memref<?xi32>
  vyre.barrier grid_sync
  vyre.store %s, %b[%i] : memref<?xi32>
  vyre.barrier grid_sync
  %oe = arith.extui %o : i1 to i32
  %z = arith.addi %oe, %lo : i32
  %z2 = arith.addi %z, %hi : i32
  vyre.store %z2, %a[%i] : memref<?xi32>
}

// -----

vyre.program @const_variable [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i2 = arith.constant 2 : i32
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%v = %x) -> (i32) {
    vyre.store %v, %a[%i] : memref<?xi32>
    vyre.barrier grid_sync
    vyre.store %v, %b[%i] : memref<?xi32>
    scf.yield %i2 : i32
  }
  vyre.store %r, %a[%i] : memref<?xi32>
}

// -----

vyre.program @outer_again [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  %y = vyre.load %b[%i] : memref<?xi32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%v = %x) -> (i32) {
    vyre.store %v, %a[%i] : memref<?xi32>
    vyre.barrier grid_sync
    vyre.store %v, %b[%i] : memref<?xi32>
    vyre.barrier grid_sync
    scf.yield %y : i32
  }
  vyre.store %r, %a[%i] : memref<?xi32>
}

// -----

vyre.program @same_twice [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  %r, %r_1 = scf.for %k = %c0 to %n step %c1 iter_args(%v = %x, %w = %x) -> (i32, i32) {
    vyre.store %v, %a[%i] : memref<?xi32>
    vyre.barrier grid_sync
    vyre.store %w, %b[%i] : memref<?xi32>
    scf.yield %w, %w : i32, i32
  }
  %e = arith.addi %r, %r_1 : i32
  vyre.store %e, %a[%i] : memref<?xi32>
}

// -----

vyre.program @host_f16 [4, 1, 1] {
  %z = vyre.buffer "z" read_write binding 4 : memref<?xf16>
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %k0 = arith.constant 1.500000e+00 : f16
  %cv = arith.index_cast %n : index to i32
  %h0 = arith.sitofp %cv : i32 to f16
  %h1 = arith.addf %h0, %k0 : f16
  vyre.barrier grid_sync
  vyre.store %h1, %z[%i] : memref<?xf16>
  vyre.barrier grid_sync
  %v = vyre.load %z[%i] : memref<?xf16>
  vyre.store %k0, %z[%i] : memref<?xf16>
  vyre.barrier grid_sync
  %w = arith.addf %v, %h1 : f16
  vyre.store %w, %z[%i] : memref<?xf16>
}

// -----

vyre.program @tile0 [4, 1, 1] {
  %t0 = vyre.buffer "t0" workgroup : memref<i32>
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  %i32 = arith.index_cast %i : index to i32
  %lz = arith.cmpi eq, %l, %c0 : index
  scf.if %lz {
    vyre.store %i32, %t0[] : memref<i32>
  }
  vyre.barrier grid_sync
  %x = vyre.load %t0[] : memref<i32>
  vyre.store %x, %a[%i] : memref<?xi32>
  vyre.barrier grid_sync
  %x2 = vyre.load %t0[] : memref<i32>
  vyre.store %x2, %b[%i] : memref<?xi32>
}

// -----

vyre.program @tile3d [4, 1, 1] {
  %t0 = vyre.buffer "t0" workgroup : memref<2x2x3xi32>
  %c12 = arith.constant 12 : index
  %c4 = arith.constant 4 : index
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  scf.for %e = %l to %c12 step %c4 {
    %q = arith.remui %e, %c3 : index
    %d = arith.divui %e, %c3 : index
    %q2 = arith.remui %d, %c2 : index
    %d2 = arith.divui %d, %c2 : index
    %ei = arith.index_cast %e : index to i32
    vyre.store %ei, %t0[%d2, %q2, %q] : memref<2x2x3xi32>
  }
  vyre.barrier grid_sync
  %x = vyre.load %t0[%c1, %c0, %c2] : memref<2x2x3xi32>
  vyre.store %x, %a[%i] : memref<?xi32>
  vyre.barrier grid_sync
  %x2 = vyre.load %t0[%c0, %c1, %c1] : memref<2x2x3xi32>
  vyre.store %x2, %b[%i] : memref<?xi32>
}

// -----

vyre.program @neg_step [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %i1 = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %m = arith.subi %c0, %n : index
  scf.for %k = %n to %c3 step %m {
    vyre.barrier grid_sync
    vyre.store %i1, %a[%i] : memref<?xi32>
  }
  scf.for %k_1 = %m to %c2 step %c1 {
    vyre.barrier grid_sync
    %e = arith.index_cast %k_1 : index to i32
    vyre.store %e, %b[%i] : memref<?xi32>
  }
}

// -----

vyre.program @rep_region_variable [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i1 = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%v = %x) -> (i32) {
    %z = vyre.region "i" -> (i32) {
      %w = arith.addi %v, %i1 : i32
      vyre.store %w, %a[%i] : memref<?xi32>
      vyre.yield %w : i32
    }
    vyre.barrier grid_sync
    %zz = vyre.region "j" -> (i32) {
      vyre.store %v, %b[%i] : memref<?xi32>
      vyre.yield %z : i32
    }
    vyre.barrier grid_sync
    scf.yield %zz : i32
  }
  vyre.store %r, %a[%i] : memref<?xi32>
}

// -----

vyre.program @region_yields_arg [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  %y = vyre.load %b[%i] : memref<?xi32>
  %r, %r_1 = scf.for %k = %c0 to %n step %c1 iter_args(%v = %x, %w = %y) -> (i32, i32) {
    %z, %z_1 = vyre.region "i" -> (i32, i32) {
      vyre.store %w, %a[%i] : memref<?xi32>
      vyre.yield %w, %v : i32, i32
    }
    vyre.barrier grid_sync
    vyre.store %z_1, %b[%i] : memref<?xi32>
    scf.yield %z, %z_1 : i32, i32
  }
  vyre.store %r, %a[%i] : memref<?xi32>
  vyre.store %r_1, %b[%i] : memref<?xi32>
}

// -----

vyre.program @region_cond [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %f = vyre.buffer "f" read_only binding 2 : memref<?xi32>
  %n = vyre.param "n" : index
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %i = vyre.invocation_id x
  %i32 = arith.index_cast %i : index to i32
  %p = vyre.region "i" -> (i1) {
    %x = vyre.load %f[%n] : memref<?xi32>
    %g0 = arith.cmpi sgt, %x, %i1 : i32
    vyre.store %i1, %a[%i] : memref<?xi32>
    vyre.yield %g0 : i1
  }
  vyre.barrier grid_sync
  %p2 = vyre.region "j" -> (i1) {
    vyre.store %i2, %b[%i] : memref<?xi32>
    vyre.yield %p : i1
  }
  scf.if %p2 {
    vyre.barrier grid_sync
    vyre.store %i32, %a[%i] : memref<?xi32>
  }
  %pe = arith.extui %p2 : i1 to i32
  vyre.store %pe, %b[%i] : memref<?xi32>
}

// -----

vyre.program @fetch_chain [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %f = vyre.buffer "f" read_only binding 2 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %i1 = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %x = vyre.load %f[%n] : memref<?xi32>
  %xi = arith.index_cast %x : i32 to index
  %m = arith.minui %xi, %c3 : index
  vyre.store %i1, %a[%i] : memref<?xi32>
  vyre.barrier grid_sync
  %m2 = arith.addi %m, %c1 : index
  scf.for %k = %c0 to %m2 step %c1 {
    vyre.barrier grid_sync
    %e = arith.addi %k, %m : index
    %e2 = arith.index_cast %e : index to i32
    vyre.store %e2, %a[%i] : memref<?xi32>
  }
}

// -----

vyre.program @subgroup [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %i1 = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  %s = vyre.subgroup_reduce add %x : i32
  %sl = vyre.subgroup_local_id
  vyre.store %s, %b[%i] : memref<?xi32>
  vyre.store %i1, %a[%i] : memref<?xi32>
  vyre.barrier grid_sync
  %e = arith.addi %s, %x : i32
  vyre.store %e, %a[%i] : memref<?xi32>
  vyre.barrier grid_sync
  vyre.store %s, %b[%i] : memref<?xi32>
}

// -----

vyre.program @nested_if_vars [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  %y = vyre.load %b[%i] : memref<?xi32>
  %p = arith.cmpi eq, %n, %c1 : index
  %q = arith.cmpi ult, %n, %c2 : index
  %r, %r_1 = scf.if %q -> (i32, i32) {
    %z = scf.if %p -> (i32) {
      vyre.store %x, %b[%i] : memref<?xi32>
      vyre.barrier grid_sync
      %t = vyre.load %b[%i] : memref<?xi32>
      scf.yield %t : i32
    } else {
      scf.yield %x : i32
    }
    vyre.barrier grid_sync
    vyre.store %z, %a[%i] : memref<?xi32>
    scf.yield %z, %y : i32, i32
  } else {
    vyre.store %y, %a[%i] : memref<?xi32>
    scf.yield %y, %x : i32, i32
  }
  vyre.store %r_1, %b[%i] : memref<?xi32>
  vyre.barrier grid_sync
  vyre.store %r, %a[%i] : memref<?xi32>
}

// -----

vyre.program @if_in_loop_var [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i2 = arith.constant 2 : i32
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%v = %x) -> (i32) {
    %p = arith.cmpi eq, %k, %c1 : index
    vyre.store %v, %b[%i] : memref<?xi32>
    %z = scf.if %p -> (i32) {
      vyre.barrier grid_sync
      %t = vyre.load %b[%i] : memref<?xi32>
      %t2 = arith.addi %t, %v : i32
      vyre.store %t2, %a[%i] : memref<?xi32>
      scf.yield %t2 : i32
    } else {
      %t3 = arith.muli %v, %i2 : i32
      scf.yield %t3 : i32
    }
    vyre.barrier grid_sync
    vyre.store %v, %a[%i] : memref<?xi32>
    scf.yield %z : i32
  }
  vyre.store %r, %b[%i] : memref<?xi32>
}

// -----

vyre.program @wg_vars [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %f = vyre.buffer "f" read_only binding 2 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %g = vyre.workgroup_id x
  %i32 = arith.index_cast %i : index to i32
  %x = vyre.load %f[%g] : memref<?xi32>
  %y = vyre.load %f[%c1] : memref<?xi32>
  %gi = arith.index_cast %g : index to i32
  %r, %r_1 = scf.for %k = %c0 to %n step %c1 iter_args(%v = %x, %w = %gi) -> (i32, i32) {
    %v2 = arith.addi %v, %w : i32
    vyre.store %v2, %a[%i] : memref<?xi32>
    vyre.barrier grid_sync
    vyre.store %w, %b[%i] : memref<?xi32>
    vyre.barrier grid_sync
    scf.yield %w, %v2 : i32, i32
  }
  %e = arith.addi %r, %i32 : i32
  vyre.store %e, %a[%i] : memref<?xi32>
  vyre.store %r_1, %b[%i] : memref<?xi32>
}

// -----

vyre.program @swap_between_loops [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i1 = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  %y = vyre.load %b[%i] : memref<?xi32>
  vyre.store %i1, %a[%i] : memref<?xi32>
  vyre.store %i1, %b[%i] : memref<?xi32>
  %r, %r_1 = scf.for %k = %c0 to %n step %c1 iter_args(%v = %x, %w = %y) -> (i32, i32) {
    vyre.barrier grid_sync
    %v2 = arith.addi %v, %i1 : i32
    %w2 = arith.muli %w, %v : i32
    scf.yield %v2, %w2 : i32, i32
  }
  %s, %s_1 = scf.for %k_1 = %c0 to %n step %c1 iter_args(%v_1 = %r_1, %w_1 = %r) -> (i32, i32) {
    vyre.barrier grid_sync
    %v2_1 = arith.addi %v_1, %i1 : i32
    %w2_1 = arith.muli %w_1, %v_1 : i32
    scf.yield %v2_1, %w2_1 : i32, i32
  }
  vyre.store %s, %a[%i] : memref<?xi32>
  vyre.store %s_1, %b[%i] : memref<?xi32>
}

// -----

vyre.program @region_yields_outer [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %i1 = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  vyre.barrier grid_sync
  %r = vyre.region "r" -> (i32) {
    vyre.store %x, %b[%i] : memref<?xi32>
    vyre.yield %x : i32
  }
  vyre.barrier grid_sync
  vyre.store %i1, %a[%i] : memref<?xi32>
  vyre.barrier grid_sync
  vyre.store %r, %a[%i] : memref<?xi32>
}

// -----

vyre.program @collective_then_loop [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  vyre.all_reduce add %b : memref<?xi32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%v = %x) -> (i32) {
    vyre.barrier grid_sync
    %w = arith.addi %v, %v : i32
    vyre.store %w, %b[%i] : memref<?xi32>
    scf.yield %w : i32
  }
  vyre.store %r, %a[%i] : memref<?xi32>
}

// -----

vyre.program @collective_then_if [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %i1 = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  vyre.all_reduce add %a : memref<?xi32>
  %c = arith.cmpi eq, %n, %c0 : index
  %r = scf.if %c -> (i32) {
    vyre.barrier grid_sync
    vyre.store %i1, %b[%i] : memref<?xi32>
    scf.yield %i1 : i32
  } else {
    scf.yield %x : i32
  }
  vyre.store %r, %a[%i] : memref<?xi32>
}

// -----

vyre.program @three_dimensions [2, 2, 2] {
  %big = vyre.buffer "big" read_write binding 3 : memref<64xi32>
  %tile3 = vyre.buffer "tile3" workgroup : memref<2x2x2xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %l = vyre.local_id x
  %j = vyre.local_id y
  %kz = vyre.local_id z
  %me = vyre.linear_id invocation
  %e1 = vyre.linear_id workgroup
  %w = arith.index_cast %me : index to i32
  vyre.store %w, %big[%me] : memref<64xi32>
  vyre.barrier grid_sync
  %v = vyre.load %big[%e1] : memref<64xi32>
  %v2 = vyre.load %big[%me] : memref<64xi32>
  vyre.barrier grid_sync
  %s = arith.addi %v, %v2 : i32
  vyre.store %s, %big[%me] : memref<64xi32>
  vyre.store %s, %tile3[%kz, %j, %l] : memref<2x2x2xi32>
  vyre.barrier grid_sync
  %lz = vyre.load %tile3[%c1, %c0, %c1] : memref<2x2x2xi32>
  vyre.store %lz, %big[%me] : memref<64xi32>
}

// -----

vyre.program @region_yields_region_of_earlier_run [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %c3 = arith.constant 3 : i16
  %c3_32 = arith.constant 3 : i32
  %r, %s = vyre.region "r" -> (i32, i32) {
    %x = arith.extui %c3 : i16 to i32
    %y = vyre.load %a[%i] : memref<?xi32>
    vyre.yield %x, %y : i32, i32
  }
  vyre.store %c3_32, %a[%i] : memref<?xi32>
  vyre.barrier grid_sync
  %t, %u = vyre.region "s" -> (i32, i32) {
    vyre.yield %r, %s : i32, i32
  }
  vyre.store %t, %a[%i] : memref<?xi32>
  vyre.store %u, %b[%i] : memref<?xi32>
}

// -----

vyre.program @load_of_a_buffer_of_its_run [4, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_only binding 1 : memref<?xi32>
  %c = vyre.buffer "c" read_write binding 2 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %r, %s = scf.for %k = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (memref<?xi32>, memref<?xi32>) {
    scf.yield %q, %p : memref<?xi32>, memref<?xi32>
  }
  %x = vyre.load %r[%i] : memref<?xi32>
  vyre.barrier grid_sync
  vyre.store %x, %c[%i] : memref<?xi32>
}

// -----

vyre.program @length_of_a_buffer_of_its_run [4, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_only binding 1 : memref<?xi32>
  %c = vyre.buffer "c" read_write binding 2 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %r, %s = scf.for %k = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (memref<?xi32>, memref<?xi32>) {
    scf.yield %q, %p : memref<?xi32>, memref<?xi32>
  }
  %l = vyre.length %r, 0 : memref<?xi32>
  %x = arith.index_cast %l : index to i32
  vyre.barrier grid_sync
  vyre.store %x, %c[%i] : memref<?xi32>
}

// -----

vyre.program @condition_from_a_buffer_of_its_run [4, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_only binding 1 : memref<?xi32>
  %c = vyre.buffer "c" read_write binding 2 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i1 = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %r, %s = scf.for %k = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (memref<?xi32>, memref<?xi32>) {
    scf.yield %q, %p : memref<?xi32>, memref<?xi32>
  }
  %x = vyre.load %r[%c0] : memref<?xi32>
  %go = arith.cmpi ugt, %x, %i1 : i32
  scf.if %go {
    vyre.barrier grid_sync
    vyre.store %x, %c[%i] : memref<?xi32>
  }
}

// -----

vyre.program @buffer_that_a_region_hands_out_to_nobody [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i1 = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %r, %s = scf.for %k = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (memref<?xi32>, memref<?xi32>) {
    scf.yield %q, %p : memref<?xi32>, memref<?xi32>
  }
  vyre.barrier grid_sync
  scf.for %k_1 = %c0 to %n step %c1 {
    %given = vyre.region "part" -> (memref<?xi32>) {
      %x = vyre.load %a[%i] : memref<?xi32>
      %y = arith.addi %x, %i1 : i32
      vyre.store %y, %b[%i] : memref<?xi32>
      vyre.yield %r : memref<?xi32>
    }
  }
}

// -----

vyre.program @pairs_of_every_access [4, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_only binding 1 : memref<?xi32>
  %c = vyre.buffer "c" write_only binding 2 : memref<?xi32>
  %d = vyre.buffer "d" write_only binding 3 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %i = vyre.invocation_id x
  %j = arith.addi %i, %c8 : index
  %r, %r_1, %r_2, %r_3 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %a, %q = %b, %u = %c, %v = %d) -> (memref<?xi32>, memref<?xi32>, memref<?xi32>, memref<?xi32>) {
    %x = vyre.load %p[%i] : memref<?xi32>
    %y = vyre.load %a[%i] : memref<?xi32>
    %s = arith.addi %x, %y : i32
    vyre.store %s, %u[%i] : memref<?xi32>
    vyre.store %y, %c[%j] : memref<?xi32>
    vyre.barrier grid_sync
    scf.yield %q, %p, %v, %u : memref<?xi32>, memref<?xi32>, memref<?xi32>, memref<?xi32>
  }
}

// -----

vyre.program @carried_beside_an_alias [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 may_alias [0] : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %c = vyre.buffer "c" read_only binding 2 may_alias [0] : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %r, %s = scf.for %k = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (memref<?xi32>, memref<?xi32>) {
    %x = vyre.load %p[%i] : memref<?xi32>
    %y = vyre.load %c[%i] : memref<?xi32>
    %z = arith.addi %x, %y : i32
    vyre.store %z, %q[%i] : memref<?xi32>
    vyre.barrier grid_sync
    scf.yield %q, %p : memref<?xi32>, memref<?xi32>
  }
}

// -----

vyre.program @aliases_of_one_are_no_aliases_of_each_other [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %i = vyre.invocation_id x
  %r, %r_1 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (memref<?xi32>, memref<?xi32>) {
    vyre.barrier grid_sync
    %v = vyre.load %p[%i] : memref<?xi32>
    %first = vyre.load %a[%c0] : memref<?xi32>
    %many = arith.index_cast %first : i32 to index
    %trips = arith.remui %many, %c3 : index
    %t, %t_1 = scf.for %j = %c0 to %trips step %c1 iter_args(%s = %v, %m = %q) -> (i32, memref<?xi32>) {
      %x = vyre.load %m[%i] : memref<?xi32>
      %y = arith.addi %s, %x : i32
      scf.yield %y, %m : i32, memref<?xi32>
    }
    vyre.store %t, %b[%i] : memref<?xi32>
    vyre.barrier grid_sync
    scf.yield %q, %p : memref<?xi32>, memref<?xi32>
  }
}

// -----

vyre.program @alias_that_nobody_uses [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %c = vyre.buffer "c" read_only binding 2 : memref<?xi32>
  %d = vyre.buffer "d" read_only binding 3 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
  %r, %s = scf.for %k = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (memref<?xi32>, memref<?xi32>) {
    %given = vyre.region "part" -> (memref<?xi32>) {
      vyre.yield %q : memref<?xi32>
    }
    %x = vyre.load %a[%c0] : memref<?xi32>
    %m = arith.index_cast %x : i32 to index
    %u, %v = scf.for %j = %c0 to %m step %c1 iter_args(%w = %c, %z = %d) -> (memref<?xi32>, memref<?xi32>) {
      scf.yield %z, %w : memref<?xi32>, memref<?xi32>
    }
    %y = vyre.load %u[%i] : memref<?xi32>
    vyre.store %y, %b[%i] : memref<?xi32>
    vyre.barrier grid_sync
    scf.yield %q, %p : memref<?xi32>, memref<?xi32>
  }
}

// -----

vyre.program @group_barrier_beside_two_families [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %c = vyre.buffer "c" read_only binding 2 : memref<?xi32>
  %d = vyre.buffer "d" read_only binding 3 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<4xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i1 = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %t = vyre.local_id x
  %r, %s, %r1, %s1 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %a, %q = %b, %u = %c, %v = %d) -> (memref<?xi32>, memref<?xi32>, memref<?xi32>, memref<?xi32>) {
    %x = vyre.load %c[%c0] : memref<?xi32>
    %y = vyre.load %u[%i] : memref<?xi32>
    vyre.store %y, %p[%i] : memref<?xi32>
    vyre.store %y, %tile[%t] : memref<4xi32>
    %z = vyre.load %a[%i] : memref<?xi32>
    %go = arith.cmpi ugt, %x, %i1 : i32
    scf.if %go {
      vyre.barrier acq_rel
      %w = vyre.load %tile[%c0] : memref<4xi32>
      vyre.store %w, %b[%i] : memref<?xi32>
    }
    vyre.barrier grid_sync
    scf.yield %q, %p, %v, %u : memref<?xi32>, memref<?xi32>, memref<?xi32>, memref<?xi32>
  }
}
