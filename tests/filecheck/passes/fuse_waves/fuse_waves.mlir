// RUN: vyre-opt %s --split-input-file -p vyre-fuse-waves | filecheck %s

// Waves with the grid of the dispatch run as they are; one table for all.

// CHECK-NOT:   vyre.program @fill
// CHECK:       vyre.program @m [64, 1, 1] attributes {note = "kept"} {
// CHECK-NEXT:    %x = vyre.buffer "x" read_write binding 0 output align 64 : memref<?xi32>
// CHECK-NEXT:    %a.n = vyre.param "a.n" : i32
// CHECK-NEXT:    %z = vyre.buffer "z" write_only binding 1 output : memref<?xi32>
// CHECK-NEXT:    %n = vyre.param "n" : i32
// CHECK-NEXT:    %y = vyre.buffer "y" read_write binding 2 : memref<?xi32>
// CHECK-NEXT:    %c.tile = vyre.buffer "c.tile" workgroup : memref<64xi32>
// CHECK-NEXT:    vyre.region "a" from "fill" attributes {vyre.apart = 0 : i64} {
// CHECK-NEXT:      %i = vyre.invocation_id x
// CHECK-NEXT:      vyre.store %a.n, %x[%i] : memref<?xi32>
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.region "b" from "fill" attributes {vyre.apart = 0 : i64} {
// CHECK-NEXT:      %i_1 = vyre.invocation_id x
// CHECK-NEXT:      vyre.store %n, %z[%i_1] : memref<?xi32>
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.barrier grid_sync
// CHECK-NEXT:    vyre.region "c" from "turn" attributes {vyre.apart = 1 : i64} {
// CHECK-NEXT:      %way = arith.constant 1 : i32
// CHECK-NEXT:      %i_2 = vyre.invocation_id x
// CHECK-NEXT:      %v = vyre.load %x[%i_2] : memref<?xi32>
// CHECK-NEXT:      %sum = arith.addi %v, %way : i32
// CHECK-NEXT:      vyre.store %sum, %c.tile[%i_2] : memref<64xi32>
// CHECK-NEXT:      vyre.store %sum, %y[%i_2] : memref<?xi32>
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @fill [64, 1, 1] {
  %x = vyre.buffer "x" write_only binding 7 output : memref<?xi32>
  %n = vyre.param "n" : i32
  %i = vyre.invocation_id x
  vyre.store %n, %x[%i] : memref<?xi32>
}
vyre.program @turn [64, 1, 1] {
  %x = vyre.buffer "x" read_only binding 0 align 64 : memref<?xi32>
  %y = vyre.buffer "y" read_write binding 1 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<64xi32>
  %way = vyre.param "way" : i32
  %i = vyre.invocation_id x
  %v = vyre.load %x[%i] : memref<?xi32>
  %sum = arith.addi %v, %way : i32
  vyre.store %sum, %tile[%i] : memref<64xi32>
  vyre.store %sum, %y[%i] : memref<?xi32>
}
vyre.megakernel @m attributes {note = "kept"} {
  vyre.wave "a" @fill
  vyre.wave "b" @fill with {x = "z", n = "n"}
  vyre.wave "c" @turn with {way = 1 : i32}
}

// -----

// Waves with grids of their own: the second begins where the first has ended. Workgroups of
// 64 and of 32 mean nothing to these programs but ids.

// CHECK:       vyre.program @m [64, 1, 1] {
// CHECK:         vyre.region "a" from "fill" attributes {vyre.apart = 0 : i64} {
// CHECK:           [[ME:%[0-9]+]] = vyre.linear_id invocation
// CHECK-NEXT:      [[END:%[0-9]+]] = arith.constant 256 : index
// CHECK-NEXT:      scf.for %i = [[ME]] to [[END]] step [[ALL:%[0-9]+]] {
// CHECK-NEXT:        vyre.store %a.n, %x[%i] : memref<?xi32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK:         vyre.region "b" from "rows" attributes {vyre.apart = 0 : i64} {
// CHECK:           [[TAKEN:%[0-9]+]] = arith.constant 4 : index
// CHECK:           [[OFFSET:%[0-9]+]] = arith.muli [[TAKEN]]
// CHECK-NEXT:      [[ME:%[0-9]+]] = vyre.linear_id invocation
// CHECK-NEXT:      [[REST:%[0-9]+]] = arith.remui [[OFFSET]], [[ALL:%[0-9]+]] : index
// CHECK-NEXT:      [[BACK:%[0-9]+]] = arith.subi [[ALL]], [[REST]] : index
// CHECK-NEXT:      [[FROM:%[0-9]+]] = arith.addi [[ME]], [[BACK]] : index
// CHECK-NEXT:      [[FIRST:%[0-9]+]] = arith.remui [[FROM]], [[ALL]] : index
// CHECK-NEXT:      [[END:%[0-9]+]] = arith.constant 192 : index
// CHECK-NEXT:      scf.for [[N:%[0-9]+]] = [[FIRST]] to [[END]] step [[ALL]] {
// CHECK-NEXT:        [[WIDTH:%[0-9]+]] = arith.constant 64 : index
// CHECK-NEXT:        %row = arith.divui [[N]], [[WIDTH]] : index
// CHECK-NEXT:        [[X:%[0-9]+]] = arith.remui [[N]], [[WIDTH]] : index
// CHECK-NEXT:        [[SIZE:%[0-9]+]] = arith.constant 32 : index
// CHECK-NEXT:        %l = arith.remui [[X]], [[SIZE]] : index
// CHECK-NEXT:        [[V:%[0-9a-z]+]] = arith.index_cast %l : index to i32
// CHECK-NEXT:        vyre.store [[V]], %y[%row] : memref<?xi32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @fill [64, 1, 1] {
  %x = vyre.buffer "x" write_only binding 0 : memref<?xi32>
  %n = vyre.param "n" : i32
  %i = vyre.invocation_id x
  vyre.store %n, %x[%i] : memref<?xi32>
}
vyre.program @rows [32, 1, 1] {
  %y = vyre.buffer "y" write_only binding 0 : memref<?xi32>
  %row = vyre.workgroup_id y
  %l = vyre.local_id x
  %v = arith.index_cast %l : index to i32
  vyre.store %v, %y[%row] : memref<?xi32>
}
vyre.megakernel @m {
  vyre.wave "a" @fill grid [4, 1, 1]
  vyre.wave "b" @rows grid [2, 3, 1]
}

// -----

// Workgroups are shared out as a whole; what they left in their memory is cleared.

// CHECK:         vyre.region "a" from "tile" attributes {vyre.apart = 0 : i64} {
// CHECK:           [[ME:%[0-9]+]] = vyre.linear_id workgroup
// CHECK-NEXT:      [[END:%[0-9]+]] = arith.constant 3 : index
// CHECK-NEXT:      scf.for %g = [[ME]] to [[END]] step [[ALL:%[0-9]+]] {
// CHECK-NEXT:        [[AGAIN:%[0-9]+]] = arith.cmpi ne, %g, [[ME]] : index
// CHECK-NEXT:        scf.if [[AGAIN]] {
// CHECK-NEXT:          vyre.barrier acq_rel
// CHECK:               scf.for
// CHECK:                 vyre.store
// CHECK:               vyre.barrier acq_rel
// CHECK-NEXT:        }
// CHECK-NEXT:        %l = vyre.local_id x
// CHECK:             vyre.barrier acq_rel
vyre.program @tile [32, 1, 1] {
  %y = vyre.buffer "y" write_only binding 0 : memref<?xi32>
  %t = vyre.buffer "t" workgroup : memref<32xi32>
  %g = vyre.workgroup_id x
  %l = vyre.local_id x
  %v = arith.index_cast %l : index to i32
  vyre.store %v, %t[%l] : memref<32xi32>
  vyre.barrier acq_rel
  %w = vyre.load %t[%g] : memref<32xi32>
  vyre.store %w, %y[%g] : memref<?xi32>
}
vyre.megakernel @m {
  vyre.wave "a" @tile grid [3, 1, 1]
}

// -----

// A return ends the wave and not the program. What a schedule launches stays.

// CHECK:       vyre.program @early [64, 1, 1]
// CHECK:       vyre.schedule @s
// CHECK:       vyre.program @m [64, 1, 1] {
// CHECK-NOT:     vyre.return
// CHECK:         scf.if %alive {
// CHECK-NEXT:      vyre.store
vyre.program @early [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xindex>
  %i = vyre.invocation_id x
  %n = vyre.load %x[%i] : memref<?xindex>
  %c = arith.cmpi ult, %n, %i : index
  scf.if %c {
    vyre.return
  }
  vyre.store %i, %x[%i] : memref<?xindex>
}
vyre.schedule @s {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xindex>
  vyre.launch @early(%x)
}
vyre.megakernel @m {
  vyre.wave "a" @early
  vyre.wave "b" @early
}

// -----

// Scratch is that of who does the work, who clears it for the next one; `vyre.length` is the
// wave's. Workgroups mean nothing to such a program, so that they may be others.

// CHECK:       vyre.program @m [64, 1, 1] {
// CHECK:         [[S:%[0-9a-z]+]] = vyre.scratch per_invocation : memref<?xindex>
// CHECK:         vyre.region "a" from "keep"
// CHECK:           scf.for %me = [[FIRST:%[0-9]+]] to
// CHECK-NEXT:        [[AGAIN:%[0-9]+]] = arith.cmpi ne, %me, [[FIRST]] : index
// CHECK-NEXT:        scf.if [[AGAIN]] {
// CHECK-NEXT:          [[OWN:%[0-9]+]] = vyre.linear_id invocation
// CHECK:               vyre.store {{%[0-9]+}}, [[S]][[[OWN]]] : memref<?xindex>
// CHECK-NOT:         vyre.barrier
// CHECK:             [[ME:%[0-9]+]] = vyre.linear_id invocation
// CHECK:             %n = arith.constant 12 : index
// CHECK-NEXT:        vyre.store %n, [[S]][[[ME]]] : memref<?xindex>
// CHECK-NEXT:        %v = vyre.load [[S]][[[ME]]] : memref<?xindex>
// CHECK-NEXT:        vyre.store %v, %y[%me] : memref<?xindex>
vyre.program @keep [4, 1, 1] {
  %y = vyre.buffer "y" write_only binding 0 : memref<?xindex>
  %s = vyre.scratch per_invocation : memref<?xindex>
  %me = vyre.linear_id invocation
  %x = vyre.invocation_id x
  %n = vyre.length %s, 0 : memref<?xindex>
  vyre.store %n, %s[%me] : memref<?xindex>
  %v = vyre.load %s[%me] : memref<?xindex>
  vyre.store %v, %y[%x] : memref<?xindex>
}
vyre.program @meet [64, 1, 1] {
  vyre.barrier acq_rel
}
vyre.megakernel @m {
  vyre.wave "a" @keep grid [3, 1, 1]
  vyre.wave "b" @meet
}

// -----

// What a pass has noted of one program holds for the waves.

// CHECK:       vyre.program @m [4, 1, 1] grid_from "caller" {
vyre.program @rewritten [4, 1, 1] grid_from "caller" {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xindex>
  %i = vyre.invocation_id x
  vyre.store %i, %x[%i] : memref<?xindex>
}

vyre.megakernel @m {
  vyre.wave "a" @rewritten
}
