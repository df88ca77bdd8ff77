// RUN: VYRE_INVALID

// CHECK: {{.*}}launch.mlir:9:3: error: 'vyre.launch': there is no program @missing in this module
// CHECK: Fix: launch a 'vyre.program' that stands beside the schedule
vyre.program @present [64, 1, 1] {
}
vyre.schedule @s {
  vyre.launch @present()
  vyre.launch @missing()
}

// -----

// Only programs are launched.
// CHECK: {{.*}}launch.mlir:18:3: error: 'vyre.launch': there is no program @t in this module
// CHECK: Fix: launch a 'vyre.program' that stands beside the schedule
vyre.schedule @s {
  vyre.launch @t()
}
vyre.schedule @t {
}

// -----

// A program in another module is out of reach.
// CHECK: {{.*}}launch.mlir:35:5: error: 'vyre.launch': there is no program @p in this module
// CHECK: Fix: launch a 'vyre.program' that stands beside the schedule
builtin.module {
  vyre.program @p [64, 1, 1] {
  }
}
vyre.schedule @s {
  %c = vyre.param "c" : i1
  scf.if %c {
    vyre.launch @p()
  }
}

// -----

// CHECK: {{.*}}launch.mlir:51:3: error: 'vyre.launch': 1 arguments for the 2 buffers and parameters of @p
// CHECK: {{.*}}launch.mlir:44:1: note: the program that is launched
// CHECK: Fix: pass one argument for each, in declaration order
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<8xi32>
  %n = vyre.param "n" : i32
}
vyre.schedule @s {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  vyre.launch @p(%a)
}

// -----

// CHECK: {{.*}}launch.mlir:63:3: error: 'vyre.launch': 1 arguments for the 0 buffers and parameters of @p
// CHECK: {{.*}}launch.mlir:59:1: note: the program that is launched
// CHECK: Fix: pass one argument for each, in declaration order
vyre.program @p [64, 1, 1] {
}
vyre.schedule @s {
  %n = vyre.param "n" : i32
  vyre.launch @p(%n)
}

// -----

// CHECK: {{.*}}launch.mlir:76:3: error: 'vyre.launch': argument for "a" has type memref<4xi32>, declared is memref<?xi32>
// CHECK: {{.*}}launch.mlir:72:8: note: declared here
// CHECK: Fix: pass a value of the declared type
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
}
vyre.schedule @s {
  %a = vyre.scratch single : memref<4xi32>
  vyre.launch @p(%a)
}

// -----

// CHECK: {{.*}}launch.mlir:90:3: error: 'vyre.launch': argument for "n" has type index, declared is i32
// CHECK: {{.*}}launch.mlir:86:8: note: declared here
// CHECK: Fix: pass a value of the declared type
vyre.program @p [64, 1, 1] {
  %a = vyre.param "a" : index
  %n = vyre.param "n" : i32
}
vyre.schedule @s {
  %n = vyre.param "n" : index
  vyre.launch @p(%n, %n)
}

// -----

// CHECK: {{.*}}launch.mlir:104:3: error: 'vyre.launch': "a" is read_write in the program but read_only in the schedule
// CHECK: {{.*}}launch.mlir:100:8: note: declared here
// CHECK: {{.*}}launch.mlir:103:8: note: passed from here
// CHECK: Fix: widen the access in the schedule, or narrow it in the program
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
}
vyre.schedule @s {
  %b = vyre.buffer "b" read_only binding 0 : memref<?xi32>
  vyre.launch @p(%b)
}

// -----

// CHECK: {{.*}}launch.mlir:118:3: error: 'vyre.launch': "a" is read_only in the program but write_only in the schedule
// CHECK: {{.*}}launch.mlir:114:8: note: declared here
// CHECK: {{.*}}launch.mlir:117:8: note: passed from here
// CHECK: Fix: widen the access in the schedule, or narrow it in the program
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
}
vyre.schedule @s {
  %b = vyre.buffer "b" write_only binding 0 : memref<?xi32>
  vyre.launch @p(%b)
}

// -----

// CHECK: {{.*}}launch.mlir:133:3: error: 'vyre.launch': workgroup size [32, 2, 1] of @q differs from [64, 1, 1] of @p
// CHECK: {{.*}}launch.mlir:131:3: note: launched before
// CHECK: Fix: use one workgroup size for all programs of a schedule
vyre.program @p [64, 1, 1] {
}
vyre.program @q [32, 2, 1] {
}
vyre.schedule @s {
  vyre.launch @p()
  vyre.launch @p()
  vyre.launch @q()
}

// -----

// The argument is defined above the launch.
// CHECK: {{.*}}launch.mlir:145:18: error: %a is not defined above this operation
// CHECK: Fix: declare it above, or correct the name
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
}
vyre.schedule @s {
  vyre.launch @p(%a)
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
}

// -----

// The generic form says the same in other words.
// CHECK: {{.*}}launch.mlir:159:3: error: 'vyre.launch': uses %a, which is not defined on every path to here
// CHECK: {{.*}}launch.mlir:160:8: note: defined here
// CHECK: Fix: move the definition above the use, or the use below the definition; a value leaves a region only as a result of the operation around it
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
}
vyre.schedule @s {
  "vyre.launch"(%a) <{segment = @p}> : (memref<?xi32>) -> ()
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
}

// -----

// A program is named flat.
// CHECK: {{.*}}launch.mlir:169:3: error: Expected SymbolRefAttr with no nested symbols.
// CHECK: Fix: write it like `vyre.launch @p.0(%a, %s, %n)`
vyre.schedule @s {
  vyre.launch @m::@p()
}

// -----

// CHECK: {{.*}}launch.mlir:178:3: error: 'vyre.launch': there is no launch before this one that it could run with
// CHECK: Fix: put it directly after a launch, or leave `concurrent` out
vyre.schedule @s {
  %a = vyre.scratch single : memref<1xi32>
  vyre.launch @first() concurrent
}
vyre.program @first [64, 1, 1] {
}

// -----

// CHECK: {{.*}}launch.mlir:189:3: error: 'vyre.launch': a concurrent launch is reported as the first of those that run together
// CHECK: Fix: name the first one, or leave `as` out
vyre.schedule @s {
  vyre.launch @first()
  vyre.launch @first() concurrent as "p.1"
}
vyre.program @first [64, 1, 1] {
}
