// RUN: VYRE_INVALID

// CHECK: {{.*}}reserved.mlir:7:3: error: 'vyre.region': the attribute 'vyre.instances' belongs to the code generator
// CHECK: Fix: remove it
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : i32
  vyre.region "a" from "fill" attributes {vyre.instances = {"n" = [7 : i32, 9 : i32]}} {
  }
}

// -----

// CHECK: {{.*}}reserved.mlir:18:10: error: 'vyre.atomic': the attribute 'vyre.instances' belongs to the code generator
vyre.program @p [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<4xi32>
  %n = vyre.param "n" : i32
  %zero = arith.constant 0 : index
  %old = vyre.atomic add %n, %x[%zero] {vyre.instances = {"n" = [7 : i32]}} : memref<4xi32>
}
