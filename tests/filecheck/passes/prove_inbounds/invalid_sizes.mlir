// RUN: not vyre-opt %s -p 'vyre-prove-inbounds{sizes="c=4"}' 2>&1 | filecheck %s --check-prefix=NAME
// RUN: not vyre-opt %s -p 'vyre-prove-inbounds{sizes="a=4x"}' 2>&1 | filecheck %s --check-prefix=FORM
// RUN: not vyre-opt %s -p 'vyre-prove-inbounds{sizes="b=4x5"}' 2>&1 | filecheck %s --check-prefix=SHAPE
// RUN: not vyre-opt %s -p 'vyre-prove-inbounds{sizes="a=4x5"}' 2>&1 | filecheck %s --check-prefix=RANK
// RUN: not vyre-opt %s -p 'vyre-prove-inbounds{grid=4,0}' 2>&1 | filecheck %s --check-prefix=GRID

// NAME: error: there is no buffer 'c'
// NAME-NEXT: Fix: the buffers are a, b
// FORM: error: 'a=4x' does not give the sizes of a buffer
// SHAPE: error: 'vyre.buffer': the size 4x5 is given for a memref<4x8xi32>
// RANK: error: 'vyre.buffer': the size 4x5 is given for a memref<?xi32>
// GRID: error: the grid is 4,0
vyre.program @p [16, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_only binding 1 : memref<4x8xi32>
}
