// RUN: vyre-opt %s -p 'vyre-cuda-pipeline{mode=native}' --print-between-passes | filecheck %s --check-prefix=NATIVE
// RUN: vyre-opt %s -p 'vyre-cuda-pipeline{mode=split sizes="a=64"}' | filecheck %s --check-prefix=SPLIT
// RUN: vyre-opt %s -p 'vyre-cuda-pipeline{mode=native}' | filecheck %s --check-prefix=ANY
// RUN: vyre-opt %s -p 'vyre-cuda-pipeline{mode=native grid=1 sizes="a=64"}' | filecheck %s --check-prefix=SIZED

// Each pass of the list is shown.
// NATIVE-LABEL: IR after vyre-prove-inbounds:
// NATIVE:         vyre.store %x, %b[%i] :
// NATIVE-LABEL: IR after vyre-predicate-returns:
// NATIVE:         scf.if %alive {
// NATIVE-NEXT:      vyre.store %x, %b[%i] :

// Only what is cut loses its returns.
// SPLIT-LABEL: vyre.program @p.0
// SPLIT-NOT:     vyre.return
// SPLIT-LABEL: vyre.program @q
// SPLIT:         vyre.return

// With sizes and a grid, more is known: nobody is outside.
// ANY:         vyre.return
// SIZED-NOT:   vyre.return
// SIZED:       vyre.load %a[%i] inbounds :
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.buffer "b" write_only binding 1 output : memref<64xi32>
  %i = vyre.invocation_id x
  %n = vyre.length %a, 0 : memref<?xi32>
  %outside = arith.cmpi sge, %i, %n : index
  scf.if %outside {
    vyre.return
  }
  %x = vyre.load %a[%i] : memref<?xi32>
  vyre.barrier grid_sync
  vyre.store %x, %b[%i] : memref<64xi32>
}

vyre.program @q [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %n = vyre.length %a, 0 : memref<?xi32>
  %outside = arith.cmpi sge, %i, %n : index
  scf.if %outside {
    vyre.return
  }
  %x = vyre.load %a[%i] : memref<?xi32>
  vyre.store %x, %a[%i] : memref<?xi32>
}
