// RUN: VYRE_ROUNDTRIP
// RUN: VYRE_GENERIC

// Schedules and what the host does in them.

vyre.schedule @empty {
}

// CHECK:      vyre.schedule @empty {
// CHECK-NEXT: }

vyre.schedule @attributes attributes {note = "kept"} {
}

// CHECK:      vyre.schedule @attributes attributes {note = "kept"} {
// CHECK-NEXT: }

// CHECK-GENERIC: "vyre.schedule"() <{sym_name = "attributes"}> ({
// CHECK-GENERIC-NEXT: ^bb0:
// CHECK-GENERIC-NEXT: }) {note = "kept"} : () -> ()

vyre.program @nothing [64, 1, 1] {
}

// CHECK:      vyre.program @nothing [64, 1, 1] {
// CHECK-NEXT: }

vyre.program @double [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xf32>
  // No argument of a launch.
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  %n = vyre.param "n" : index
}

// CHECK:      vyre.program @double [64, 1, 1] {
// CHECK-NEXT:   %x = vyre.buffer "x" read_write binding 0 : memref<?xf32>
// CHECK-NEXT:   %tile = vyre.buffer "tile" workgroup : memref<64xf32>
// CHECK-NEXT:   %n = vyre.param "n" : index
// CHECK-NEXT: }

vyre.schedule @launches {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xf32>
  %n = vyre.param "n" : index
  vyre.launch @nothing()
  vyre.launch @double(%x, %n)
  vyre.launch @double(%x, %n) {note = "kept"}
  vyre.launch @double(%x, %n) as "p.1"
  vyre.launch @nothing() concurrent
  %first = vyre.load %x[%n] : memref<?xf32>
}

// CHECK:      vyre.schedule @launches {
// CHECK-NEXT:   %x = vyre.buffer "x" read_write binding 0 : memref<?xf32>
// CHECK-NEXT:   %n = vyre.param "n" : index
// CHECK-NEXT:   vyre.launch @nothing()
// CHECK-NEXT:   vyre.launch @double(%x, %n)
// CHECK-NEXT:   vyre.launch @double(%x, %n) {note = "kept"}
// CHECK-NEXT:   vyre.launch @double(%x, %n) as "p.1"
// CHECK-NEXT:   vyre.launch @nothing() concurrent
// CHECK-NEXT:   %first = vyre.load %x[%n] : memref<?xf32>
// CHECK-NEXT: }

// CHECK-GENERIC: "vyre.launch"(%x, %n) <{segment = @double}> {note = "kept"} : (memref<?xf32>, index) -> ()
// CHECK-GENERIC: "vyre.launch"() <{segment = @nothing, concurrent}> : () -> ()

vyre.schedule @scratch {
  %invocations = vyre.scratch per_invocation : memref<?xf32>
  %rows = vyre.scratch per_invocation : memref<?x4xf32>
  %groups = vyre.scratch per_workgroup : memref<?xi32>
  %tiles = vyre.scratch per_workgroup : memref<?x16x16xf16>
  %scalar = vyre.scratch single : memref<i1>
  %vector = vyre.scratch single : memref<4xindex>
  %matrix = vyre.scratch single {note = "kept"} : memref<4x4xf64>
}

// CHECK:      vyre.schedule @scratch {
// CHECK-NEXT:   %invocations = vyre.scratch per_invocation : memref<?xf32>
// CHECK-NEXT:   %rows = vyre.scratch per_invocation : memref<?x4xf32>
// CHECK-NEXT:   %groups = vyre.scratch per_workgroup : memref<?xi32>
// CHECK-NEXT:   %tiles = vyre.scratch per_workgroup : memref<?x16x16xf16>
// CHECK-NEXT:   %scalar = vyre.scratch single : memref<i1>
// CHECK-NEXT:   %vector = vyre.scratch single : memref<4xindex>
// CHECK-NEXT:   %matrix = vyre.scratch single {note = "kept"} : memref<4x4xf64>
// CHECK-NEXT: }

// CHECK-GENERIC: %matrix = "vyre.scratch"() <{scope = #vyre<scratch_scope single>}> {note = "kept"} : () -> memref<4x4xf64>

// A launch may be given what the schedule made, and a narrower access than it has.
vyre.program @read [64, 1, 1] {
  %from = vyre.buffer "from" read_only binding 0 : memref<?xf32>
  %to = vyre.buffer "to" write_only binding 1 : memref<?xf32>
}

// CHECK:      vyre.program @read [64, 1, 1] {
// CHECK-NEXT:   %from = vyre.buffer "from" read_only binding 0 : memref<?xf32>
// CHECK-NEXT:   %to = vyre.buffer "to" write_only binding 1 : memref<?xf32>
// CHECK-NEXT: }

vyre.schedule @arguments {
  %x = vyre.buffer "x" read_write binding 0 output : memref<?xf32>
  %s = vyre.scratch per_invocation : memref<?xf32>
  vyre.launch @read(%x, %s)
  vyre.launch @read(%s, %x)
}

// CHECK:      vyre.schedule @arguments {
// CHECK-NEXT:   %x = vyre.buffer "x" read_write binding 0 output : memref<?xf32>
// CHECK-NEXT:   %s = vyre.scratch per_invocation : memref<?xf32>
// CHECK-NEXT:   vyre.launch @read(%x, %s)
// CHECK-NEXT:   vyre.launch @read(%s, %x)
// CHECK-NEXT: }

vyre.schedule @read_back {
  %scalar = vyre.scratch single : memref<i32>
  %flags = vyre.scratch single : memref<4xi1>
  %table = vyre.buffer "table" read_only binding 0 : memref<?x8xindex>
  %a = vyre.read_back %scalar[] : memref<i32>
  %b = vyre.read_back %flags[3] : memref<4xi1>
  %c = vyre.read_back %table[100, 7] {note = "kept"} : memref<?x8xindex>
}

// CHECK:      vyre.schedule @read_back {
// CHECK-NEXT:   %scalar = vyre.scratch single : memref<i32>
// CHECK-NEXT:   %flags = vyre.scratch single : memref<4xi1>
// CHECK-NEXT:   %table = vyre.buffer "table" read_only binding 0 : memref<?x8xindex>
// CHECK-NEXT:   %a = vyre.read_back %scalar[] : memref<i32>
// CHECK-NEXT:   %b = vyre.read_back %flags[3] : memref<4xi1>
// CHECK-NEXT:   %c = vyre.read_back %table[100, 7] {note = "kept"} : memref<?x8xindex>
// CHECK-NEXT: }

// CHECK-GENERIC: %c = "vyre.read_back"(%table) <{position = array<i64: 100, 7>}> {note = "kept"} : (memref<?x8xindex>) -> index

vyre.schedule @control {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xf32>
  %n = vyre.param "n" : index
  %go = vyre.scratch single : memref<1xi1>
  %flag = vyre.read_back %go[0] : memref<1xi1>
  scf.if %flag {
    vyre.launch @double(%x, %n)
  } else {
    vyre.launch @nothing()
  }
}

// CHECK:      vyre.schedule @control {
// CHECK-NEXT:   %x = vyre.buffer "x" read_write binding 0 : memref<?xf32>
// CHECK-NEXT:   %n = vyre.param "n" : index
// CHECK-NEXT:   %go = vyre.scratch single : memref<1xi1>
// CHECK-NEXT:   %flag = vyre.read_back %go[0] : memref<1xi1>
// CHECK-NEXT:   scf.if %flag {
// CHECK-NEXT:     vyre.launch @double(%x, %n)
// CHECK-NEXT:   } else {
// CHECK-NEXT:     vyre.launch @nothing()
// CHECK-NEXT:   }
// CHECK-NEXT: }

// A program that is given one buffer twice, on behalf of a program whose grid follows it.
vyre.program @aliases.0 [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 may_alias [0] : memref<?xi32>
  %y = vyre.buffer "y" read_write binding 1 may_alias [0] : memref<?xi32>
}
vyre.schedule @aliases grid_from {a = array<i64: 0>} {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  vyre.launch @aliases.0(%a, %a)
}

// CHECK:      vyre.program @aliases.0 [64, 1, 1] {
// CHECK-NEXT:   %x = vyre.buffer "x" read_write binding 0 may_alias [0] : memref<?xi32>
// CHECK-NEXT:   %y = vyre.buffer "y" read_write binding 1 may_alias [0] : memref<?xi32>
// CHECK-NEXT: }
// CHECK-NEXT: vyre.schedule @aliases grid_from {a = array<i64: 0>} {
// CHECK-NEXT:   %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
// CHECK-NEXT:   vyre.launch @aliases.0(%a, %a)
// CHECK-NEXT: }
