// RUN: vyre-opt %s -p vyre-host-plan --allow-unregistered-dialect | filecheck %s

// Nobody knows what these do, so they stay in their place, once.
// CHECK-LABEL: vyre.schedule @p {
// CHECK:         vyre.launch @p.0(%a)
// CHECK-NEXT:    vyre.launch @p.1(%a
// CHECK-NEXT:    vyre.launch @p.2()
// CHECK-NEXT:    vyre.launch @p.3(%a
// CHECK-NEXT:  }
// CHECK:       vyre.program @p.0
// CHECK:         "other.op"(%a) : (memref<4xi32>) -> ()
// CHECK:       vyre.program @p.1
// CHECK:         vyre.store
// CHECK-NEXT:    "other.first"() : () -> ()
// CHECK-NEXT:    %given = "other.gives"() ({
// CHECK-NEXT:      %v = vyre.load %a[%i] : memref<4xi32>
// CHECK-NEXT:      "other.end"(%v) : (i32) -> ()
// CHECK-NEXT:    }) : () -> i32
// CHECK:         "test.op"(%a, %given) : (memref<4xi32>, i32) -> ()
// CHECK:       vyre.program @p.2
// CHECK:         scf.if
// CHECK-NEXT:      "test.op"() : () -> ()
// CHECK-NEXT:    }
// CHECK:       vyre.program @p.3
// CHECK:         vyre.store
// CHECK-NEXT:    "test.termop"() : () -> ()
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<4xi32>
  %i = vyre.invocation_id x
  %c = arith.constant 1 : i32
  %zero = arith.constant 0 : index
  "other.op"(%a) : (memref<4xi32>) -> ()
  vyre.barrier grid_sync
  vyre.store %c, %a[%i] : memref<4xi32>
  "other.first"() : () -> ()
  %given = "other.gives"() ({
    %v = vyre.load %a[%i] : memref<4xi32>
    "other.end"(%v) : (i32) -> ()
  }) : () -> i32
  "test.op"(%a, %given) : (memref<4xi32>, i32) -> ()
  vyre.barrier grid_sync
  %first = arith.cmpi eq, %i, %zero : index
  scf.if %first {
    "test.op"() : () -> ()
  }
  vyre.barrier grid_sync
  vyre.store %given, %a[%i] : memref<4xi32>
  "test.termop"() : () -> ()
}
