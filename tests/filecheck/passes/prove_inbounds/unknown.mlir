// RUN: vyre-opt %s -p vyre-prove-inbounds --allow-unregistered-dialect | grep -E "vyre.(program|load|store|atomic)" | filecheck %s

// Operations that Vyre does not know may run their regions at any time, with any numbers.
// CHECK-LABEL: vyre.program @regions
vyre.program @regions [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_only binding 1 : memref<8xi32>
  %three = arith.constant 3 : index
  %i = vyre.invocation_id x
  %n = vyre.length %a, 0 : memref<?xi32>
  %outside = arith.cmpi uge, %i, %n : index
  %given = "other.op"(%three) ({
  ^body(%k: index):
    // CHECK-NEXT: vyre.load %b[%k] : memref
    %v0 = vyre.load %b[%k] : memref<8xi32>
    scf.if %outside {
      vyre.return
    }
    // CHECK-NEXT: vyre.load %a[%i] inbounds : memref
    %v1 = vyre.load %a[%i] : memref<?xi32>
  }) : (index) -> index
  // CHECK-NEXT: vyre.load %a[%i] : memref
  %v2 = vyre.load %a[%i] : memref<?xi32>
  // CHECK-NEXT: vyre.load %b[%given] : memref
  %v3 = vyre.load %b[%given] : memref<8xi32>
}

// Nothing is known about what was loaded, or what a variable holds.
// CHECK-LABEL: vyre.program @memory
vyre.program @memory [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<8xindex>
  %three = arith.constant 3 : index
  // CHECK-NEXT: vyre.load %a[%three] inbounds : memref
  %loaded = vyre.load %a[%three] : memref<8xindex>
  // CHECK-NEXT: vyre.load %a[%loaded] : memref
  %v0 = vyre.load %a[%loaded] : memref<8xindex>
  // CHECK-NEXT: vyre.atomic add %three, %a[%three] inbounds : memref
  %old = vyre.atomic add %three, %a[%three] : memref<8xindex>
  // CHECK-NEXT: vyre.load %a[%old] : memref
  %v1 = vyre.load %a[%old] : memref<8xindex>
  %x = vyre.let "x" = %three : index
  %held = vyre.get %x : !vyre.cell<index>
  // CHECK-NEXT: vyre.load %a[%held] : memref
  %v2 = vyre.load %a[%held] : memref<8xindex>
}
