// RUN: vyre-opt %s -p vyre-split-grid-sync | filecheck %s

// One launch for each run, in order, with what it uses.
// CHECK-LABEL: vyre.schedule @two_runs
// CHECK:         vyre.launch @two_runs.0(%a)
// CHECK-NEXT:    vyre.launch @two_runs.1(%a, %b)
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @two_runs.0 [64, 1, 1]
// CHECK:         vyre.store %i, %a[%i] : memref<?xindex>
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @two_runs.1 [64, 1, 1]
// CHECK:         %x = vyre.load %a[%j] : memref<?xindex>
// CHECK-NEXT:    vyre.store %x, %b[%j] : memref<?xindex>
// CHECK-NEXT:  }
vyre.program @two_runs [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xindex>
  %i = vyre.invocation_id x
  vyre.store %i, %a[%i] : memref<?xindex>
  vyre.barrier grid_sync
  %j = vyre.invocation_id x
  %x = vyre.load %a[%j] : memref<?xindex>
  vyre.store %x, %b[%j] : memref<?xindex>
}

// Barriers at the ends and side by side make no launches.
// CHECK-LABEL: vyre.schedule @edges
// CHECK:         vyre.launch @edges.0(%a)
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @edges.0 [64, 1, 1]
// CHECK:         vyre.store %i, %a[%i] : memref<?xindex>
// CHECK-NEXT:  }
vyre.program @edges [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  vyre.barrier grid_sync
  vyre.barrier grid_sync
  %i = vyre.invocation_id x
  vyre.store %i, %a[%i] : memref<?xindex>
  vyre.barrier grid_sync
}

// A run that writes nothing is not launched, and what it computes is gone.
// CHECK-LABEL: vyre.schedule @without_effect
// CHECK:         vyre.launch @without_effect.0(%a)
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @without_effect.0 [64, 1, 1]
// CHECK:         vyre.store %j, %a[%j] : memref<?xindex>
// CHECK-NEXT:  }
vyre.program @without_effect [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xindex>
  vyre.barrier acq_rel
  vyre.barrier grid_sync
  %j = vyre.invocation_id x
  %unused = vyre.load %a[%j] : memref<?xindex>
  vyre.store %j, %a[%j] : memref<?xindex>
}

// Nothing but barriers.
// CHECK-LABEL: vyre.schedule @nothing
// CHECK:       }
vyre.program @nothing [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  vyre.barrier grid_sync
}

// A trap is an effect.
// CHECK-LABEL: vyre.schedule @trap
// CHECK:         vyre.launch @trap.0(%p)
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @trap.0 [64, 1, 1]
// CHECK:         scf.if %p {
// CHECK-NEXT:      vyre.trap "bad" at %i : index
// CHECK-NEXT:    }
// CHECK-NEXT:  }
vyre.program @trap [64, 1, 1] {
  %i = vyre.invocation_id x
  %p = vyre.param "p" : i1
  scf.if %p {
    vyre.trap "bad" at %i : index
  }
  vyre.barrier grid_sync
}

// A collective is a launch of its own.
// CHECK-LABEL: vyre.schedule @collective
// CHECK:         vyre.launch @collective.0(%a)
// CHECK-NEXT:    vyre.launch @collective.1(%a)
// CHECK-NEXT:    vyre.launch @collective.2(%a)
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @collective.0 [64, 1, 1]
// CHECK:         vyre.store %one, %a[%i] : memref<?xi32>
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @collective.1 [64, 1, 1]
// CHECK:         vyre.all_reduce add %a : memref<?xi32>
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @collective.2 [64, 1, 1]
// CHECK:         %x = vyre.load %a[%j] : memref<?xi32>
// CHECK-NEXT:    %y = arith.addi %x, %x : i32
// CHECK-NEXT:    vyre.store %y, %a[%j] : memref<?xi32>
// CHECK-NEXT:  }
vyre.program @collective [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %one = arith.constant 1 : i32
  vyre.store %one, %a[%i] : memref<?xi32>
  vyre.all_reduce add %a : memref<?xi32>
  %j = vyre.invocation_id x
  %x = vyre.load %a[%j] : memref<?xi32>
  %y = arith.addi %x, %x : i32
  vyre.store %y, %a[%j] : memref<?xi32>
}

// Workgroup memory stays with the segments that use it.
// CHECK-LABEL: vyre.schedule @workgroup_memory
// CHECK-NEXT:    %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
// CHECK-NEXT:    vyre.launch @workgroup_memory.0(%a)
// CHECK-NEXT:  }
// CHECK-LABEL: vyre.program @workgroup_memory.0 [64, 1, 1]
// CHECK-NEXT:    %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
// CHECK-NEXT:    %tile = vyre.buffer "tile" workgroup : memref<64xi32>
// CHECK:         %x = vyre.load %a[%i] : memref<?xi32>
// CHECK-NEXT:    vyre.store %x, %tile[%l] : memref<64xi32>
// CHECK-NEXT:    vyre.barrier acq_rel
// CHECK:         %y = vyre.load %tile[%c0] : memref<64xi32>
// CHECK-NEXT:    vyre.store %y, %a[%i] : memref<?xi32>
// CHECK-NEXT:  }
vyre.program @workgroup_memory [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<64xi32>
  vyre.barrier grid_sync
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  vyre.store %x, %tile[%l] : memref<64xi32>
  vyre.barrier acq_rel
  %c0 = arith.constant 0 : index
  %y = vyre.load %tile[%c0] : memref<64xi32>
  vyre.store %y, %a[%i] : memref<?xi32>
}

// No grid barrier, no schedule.
// CHECK-LABEL: vyre.program @untouched [64, 1, 1]
// CHECK:         vyre.store %i, %a[%i] : memref<?xindex>
// CHECK-NEXT:    vyre.barrier acq_rel
// CHECK-NEXT:  }
vyre.program @untouched [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xindex>
  %i = vyre.invocation_id x
  vyre.store %i, %a[%i] : memref<?xindex>
  vyre.barrier acq_rel
}

// Memory that is restored first does not survive from launch to launch.
// CHECK-LABEL: vyre.schedule @restored
// CHECK:         vyre.launch @restored.0(%a, %kept)
// CHECK-NEXT:    vyre.launch @restored.1(%a, %kept)
// CHECK-NEXT:  }
vyre.program @restored [1, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %cell = vyre.buffer "cell" workgroup : memref<i32>
  %kept = vyre.scratch per_workgroup : memref<?xi32>
  %g = vyre.linear_id workgroup
  %x = vyre.load %a[%g] : memref<?xi32>
  vyre.store %x, %cell[] : memref<i32>
  vyre.store %x, %kept[%g] : memref<?xi32>
  vyre.barrier grid_sync
  %h = vyre.linear_id workgroup
  %l = vyre.linear_id local
  %one = arith.constant 1 : index
  scf.for %e = %l to %one step %one {
    %y = vyre.load %kept[%h] : memref<?xi32>
    vyre.store %y, %cell[] : memref<i32>
  }
  %z = vyre.load %cell[] : memref<i32>
  vyre.store %z, %a[%h] : memref<?xi32>
}
