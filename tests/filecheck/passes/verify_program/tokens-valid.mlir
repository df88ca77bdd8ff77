// RUN: vyre-opt %s -p vyre-verify-program | filecheck %s

// Copies that are waited for.

vyre.program @at_once [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %n = vyre.param "n" : index
  %t = vyre.async_load %a[%i], %tile[%i], %n : memref<?xf32>, memref<64xf32>
  vyre.async_wait %t
}

// CHECK:      vyre.program @at_once [64, 1, 1] {
// CHECK:        vyre.async_wait %t

// A token that a loop carries: each round waits for the copy that the round before
// started, and the last copy is waited for after the loop.
vyre.program @carried_by_for [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %n = vyre.param "n" : index
  %first = vyre.async_load %a[%i], %tile[%i], %n : memref<?xf32>, memref<64xf32>
  %last = scf.for %k = %n to %n step %n iter_args(%t = %first) -> (!vyre.token) {
    vyre.async_wait %t
    %next = vyre.async_load %a[%i], %tile[%i], %n : memref<?xf32>, memref<64xf32>
    scf.yield %next : !vyre.token
  }
  vyre.async_wait %last
}

// CHECK:      vyre.program @carried_by_for [64, 1, 1] {
// CHECK:        %last = scf.for %k = %n to %n step %n iter_args(%t = %first) -> (!vyre.token) {
// CHECK-NEXT:     vyre.async_wait %t
// CHECK:          scf.yield %next : !vyre.token
// CHECK-NEXT:   }
// CHECK-NEXT:   vyre.async_wait %last

// One token, untouched by the loop, waited for after it.
vyre.program @passed_through_for [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %n = vyre.param "n" : index
  %first = vyre.async_load %a[%i], %tile[%i], %n : memref<?xf32>, memref<64xf32>
  %last = scf.for %k = %n to %n step %n iter_args(%t = %first) -> (!vyre.token) {
    scf.yield %t : !vyre.token
  }
  vyre.async_wait %last
}

// CHECK:      vyre.program @passed_through_for [64, 1, 1] {
// CHECK:        vyre.async_wait %last

vyre.program @carried_by_while [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %n = vyre.param "n" : index
  %go = vyre.param "go" : i1
  %first = vyre.async_load %a[%i], %tile[%i], %n : memref<?xf32>, memref<64xf32>
  %last = scf.while (%t = %first) : (!vyre.token) -> !vyre.token {
    scf.condition(%go) %t : !vyre.token
  } do {
  ^bb0(%u: !vyre.token):
    vyre.async_wait %u
    %next = vyre.async_load %a[%i], %tile[%i], %n : memref<?xf32>, memref<64xf32>
    scf.yield %next : !vyre.token
  }
  vyre.async_wait %last
}

// CHECK:      vyre.program @carried_by_while [64, 1, 1] {
// CHECK:          vyre.async_wait %u
// CHECK:        vyre.async_wait %last

vyre.program @out_of_regions [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %n = vyre.param "n" : index
  %outer = vyre.region "outer" -> (!vyre.token) {
    %inner = vyre.region "inner" -> (!vyre.token) {
      %t = vyre.async_load %a[%i], %tile[%i], %n : memref<?xf32>, memref<64xf32>
      vyre.yield %t : !vyre.token
    }
    vyre.yield %inner : !vyre.token
  }
  vyre.region "wait" {
    vyre.async_wait %outer
  }
}

// CHECK:      vyre.program @out_of_regions [64, 1, 1] {
// CHECK:        vyre.async_wait %outer

// Either arm starts a copy; the wait is for the one that runs.
vyre.program @out_of_if [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %i = vyre.invocation_id x
  %n = vyre.param "n" : index
  %c = vyre.param "c" : i1
  %t = scf.if %c -> (!vyre.token) {
    %left = vyre.async_load %a[%i], %tile[%i], %n : memref<?xf32>, memref<64xf32>
    scf.yield %left : !vyre.token
  } else {
    %right = vyre.async_load %a[%n], %tile[%i], %n : memref<?xf32>, memref<64xf32>
    scf.yield %right : !vyre.token
  }
  vyre.async_wait %t
}

// CHECK:      vyre.program @out_of_if [64, 1, 1] {
// CHECK:        vyre.async_wait %t
