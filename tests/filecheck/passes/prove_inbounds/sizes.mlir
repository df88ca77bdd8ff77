// RUN: vyre-opt %s -p 'vyre-prove-inbounds{sizes="a=64,b=4x16"}' | grep -E "vyre.(program|load|store|atomic)" | filecheck %s
// RUN: vyre-opt %s -p 'vyre-prove-inbounds{grid=2}' | grep -E "vyre.(program|load|store|atomic)" | filecheck %s --check-prefix=GRID
// RUN: vyre-opt %s -p 'vyre-prove-inbounds{sizes="a=64,b=4x16" grid=4,2}' | grep -E "vyre.(program|load|store|atomic)" | filecheck %s --check-prefix=BOTH

// CHECK-LABEL: vyre.program @p
// GRID-LABEL: vyre.program @p
// BOTH-LABEL: vyre.program @p
vyre.program @p [16, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_only binding 1 : memref<4x?xi32>
  %c = vyre.buffer "c" read_only binding 2 : memref<32xi32>
  %i = vyre.invocation_id x
  %y = vyre.invocation_id y
  %lane = vyre.local_id x
  // CHECK-NEXT: vyre.load %a[%i] : memref
  // GRID-NEXT: vyre.load %a[%i] : memref
  // BOTH-NEXT: vyre.load %a[%i] inbounds : memref
  %v0 = vyre.load %a[%i] : memref<?xi32>
  // CHECK-NEXT: vyre.load %a[%lane] inbounds : memref
  // GRID-NEXT: vyre.load %a[%lane] : memref
  // BOTH-NEXT: vyre.load %a[%lane] inbounds : memref
  %v1 = vyre.load %a[%lane] : memref<?xi32>
  // CHECK-NEXT: vyre.load %c[%i] : memref
  // GRID-NEXT: vyre.load %c[%i] inbounds : memref
  // BOTH-NEXT: vyre.load %c[%i] : memref
  %v2 = vyre.load %c[%i] : memref<32xi32>
  // CHECK-NEXT: vyre.load %b[%y, %lane] : memref
  // GRID-NEXT: vyre.load %b[%y, %lane] : memref
  // BOTH-NEXT: vyre.load %b[%y, %lane] inbounds : memref
  %v3 = vyre.load %b[%y, %lane] : memref<4x?xi32>
}

// The schedule's sizes reach the programs that it launches.
vyre.schedule @s {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %mine = vyre.scratch per_invocation : memref<?xi32>
  vyre.launch @s.0(%a, %mine)
}
// CHECK-LABEL: vyre.program @s.0
// GRID-LABEL: vyre.program @s.0
// BOTH-LABEL: vyre.program @s.0
vyre.program @s.0 [16, 1, 1] {
  %x = vyre.buffer "x" read_only binding 0 : memref<?xi32>
  %mine = vyre.buffer "mine" read_only binding 1 : memref<?xi32>
  %lane = vyre.local_id x
  // CHECK-NEXT: vyre.load %x[%lane] inbounds : memref
  // GRID-NEXT: vyre.load %x[%lane] : memref
  // BOTH-NEXT: vyre.load %x[%lane] inbounds : memref
  %v0 = vyre.load %x[%lane] : memref<?xi32>
  // CHECK-NEXT: vyre.load %mine[%lane] inbounds : memref
  // GRID-NEXT: vyre.load %mine[%lane] inbounds : memref
  // BOTH-NEXT: vyre.load %mine[%lane] inbounds : memref
  %v1 = vyre.load %mine[%lane] : memref<?xi32>
  %i = vyre.invocation_id x
  // CHECK-NEXT: vyre.load %mine[%i] : memref
  // GRID-NEXT: vyre.load %mine[%i] inbounds : memref
  // BOTH-NEXT: vyre.load %mine[%i] inbounds : memref
  %v2 = vyre.load %mine[%i] : memref<?xi32>
}
