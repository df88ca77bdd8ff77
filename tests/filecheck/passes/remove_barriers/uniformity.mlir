// RUN: vyre-opt %s -p vyre-remove-barriers,vyre-verify-program | filecheck %s

// No way leads from one arm to the other, so nothing is out of order without the marked
// barrier. But the arms would share a phase, and the flag would not be uniform any more.
// CHECK-LABEL: vyre.program @flag_in_the_other_arm
// CHECK:         scf.if %u {
// CHECK-NEXT:      vyre.store %c, %flag[%i]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      vyre.barrier grid_sync {marked}
// CHECK-NEXT:      %go = vyre.load %flag[%n]
vyre.program @flag_in_the_other_arm [64, 1, 1] {
  %flag = vyre.buffer "flag" read_write binding 0 : memref<?xi1>
  %x = vyre.buffer "x" read_write binding 1 : memref<?xindex>
  %u = vyre.param "u" : i1
  %c = vyre.param "c" : i1
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  scf.if %u {
    vyre.store %c, %flag[%i] : memref<?xi1>
  } else {
    vyre.barrier grid_sync {marked}
    %go = vyre.load %flag[%n] : memref<?xi1>
    scf.if %go {
      vyre.store %i, %x[%i] : memref<?xindex>
      vyre.barrier grid_sync
      vyre.store %i, %x[%n] : memref<?xindex>
    }
    vyre.barrier grid_sync
    vyre.store %i, %x[%n] : memref<?xindex>
  }
}

// A load at an index that diverges is not uniform anyway.
// CHECK-LABEL: vyre.program @divergent_in_the_other_arm
// CHECK:         } else {
// CHECK-NEXT:      %v = vyre.load %flag[%i]
// CHECK-NEXT:    }
vyre.program @divergent_in_the_other_arm [64, 1, 1] {
  %flag = vyre.buffer "flag" read_write binding 0 : memref<?xi1>
  %u = vyre.param "u" : i1
  %c = vyre.param "c" : i1
  %i = vyre.invocation_id x
  scf.if %u {
    vyre.store %c, %flag[%i] : memref<?xi1>
  } else {
    vyre.barrier grid_sync
    %v = vyre.load %flag[%i] : memref<?xi1>
    vyre.barrier grid_sync
  }
}
