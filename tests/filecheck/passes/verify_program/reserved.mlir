// RUN: VYRE_INVALID

// CHECK: {{.*}}reserved.mlir:7:3: error: 'vyre.region': the attribute 'vyre.instances' belongs to the code generator
// CHECK: Fix: remove it, and write the region as often as it is to be executed
vyre.program @p [64, 1, 1] {
  %n = vyre.param "n" : i32
  vyre.region "a" from "fill" attributes {vyre.instances = {"n" = [7 : i32, 9 : i32]}} {
  }
}
