// RUN: vyre-opt %s -p vyre-prove-inbounds | grep -E "vyre.(program|load|store|atomic)" | filecheck %s

// A schedule tells about the programs that it launches: how large scratch is, what numbers
// it passes, and how they compare with the sizes of buffers that it passes too.
vyre.schedule @s {
  %a = vyre.buffer "a" read_write binding 0 : memref<?x?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %mine = vyre.scratch per_invocation : memref<?xi32>
  %ours = vyre.scratch per_workgroup : memref<?x4xi32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %seven = arith.constant 7 : i32
  %n = vyre.length %a, 0 : memref<?x?xi32>
  %p = vyre.param "p" : i32
  %small = arith.minui %p, %seven : i32
  vyre.launch @s.0(%a, %b, %mine, %ours, %n, %small)
  scf.for %k = %one to %n step %one {
    vyre.launch @s.1(%a, %mine, %k)
    %before = arith.subi %k, %one : index
    vyre.launch @s.1(%a, %mine, %before)
    vyre.launch @s.2(%a, %k)
  }
  vyre.launch @s.2(%a, %zero)
  vyre.launch @s.3(%mine)
  vyre.launch @s.3(%b)
}

// CHECK-LABEL: vyre.program @s.0
vyre.program @s.0 [32, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?x?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %mine = vyre.buffer "mine" read_write binding 2 : memref<?xi32>
  %ours = vyre.buffer "ours" read_write binding 3 : memref<?x4xi32>
  %n = vyre.param "n" : index
  %small = vyre.param "small" : i32
  %tile = vyre.buffer "tile" workgroup : memref<8xi32>
  %three = arith.constant 3 : index
  %me = vyre.linear_id invocation
  %we = vyre.linear_id workgroup
  // CHECK-NEXT: vyre.load %mine[%me] inbounds : memref
  %v0 = vyre.load %mine[%me] : memref<?xi32>
  // CHECK-NEXT: vyre.load %ours[%we, %three] inbounds : memref
  %v1 = vyre.load %ours[%we, %three] : memref<?x4xi32>
  // CHECK-NEXT: vyre.load %ours[%me, %three] : memref
  %v2 = vyre.load %ours[%me, %three] : memref<?x4xi32>
  // CHECK-NEXT: vyre.load %b[%me] : memref
  %v3 = vyre.load %b[%me] : memref<?xi32>
  // The parameter is the length of one buffer, not of the other.
  %inside = arith.cmpi ult, %me, %n : index
  %columns = vyre.length %a, 1 : memref<?x?xi32>
  %has_column = arith.cmpi ult, %we, %columns : index
  %both = arith.andi %inside, %has_column : i1
  scf.if %both {
    // CHECK-NEXT: vyre.load %a[%me, %we] inbounds : memref
    %v4 = vyre.load %a[%me, %we] : memref<?x?xi32>
    // CHECK-NEXT: vyre.load %b[%me] : memref
    %v5 = vyre.load %b[%me] : memref<?xi32>
  }
  %at = arith.index_cast %small : i32 to index
  // CHECK-NEXT: vyre.load %tile[%at] inbounds : memref
  %v6 = vyre.load %tile[%at] : memref<8xi32>
}

// CHECK-LABEL: vyre.program @s.1
vyre.program @s.1 [32, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?x?xi32>
  %mine = vyre.buffer "mine" read_write binding 1 : memref<?xi32>
  %k = vyre.param "k" : index
  %one = arith.constant 1 : index
  %me = vyre.linear_id invocation
  %columns = vyre.length %a, 1 : memref<?x?xi32>
  %has_column = arith.cmpi ult, %me, %columns : index
  scf.if %has_column {
    // CHECK-NEXT: vyre.load %a[%k, %me] inbounds : memref
    %v0 = vyre.load %a[%k, %me] : memref<?x?xi32>
    %before = arith.subi %k, %one : index
    // CHECK-NEXT: vyre.load %a[%before, %me] : memref
    %v1 = vyre.load %a[%before, %me] : memref<?x?xi32>
  }
  // CHECK-NEXT: vyre.load %mine[%me] inbounds : memref
  %v2 = vyre.load %mine[%me] : memref<?xi32>
}

// Not every launch passes a number below the length.
// CHECK-LABEL: vyre.program @s.2
vyre.program @s.2 [32, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?x?xi32>
  %k = vyre.param "k" : index
  %me = vyre.linear_id invocation
  %columns = vyre.length %a, 1 : memref<?x?xi32>
  %has_column = arith.cmpi ult, %me, %columns : index
  scf.if %has_column {
    // CHECK-NEXT: vyre.load %a[%k, %me] : memref
    %v0 = vyre.load %a[%k, %me] : memref<?x?xi32>
  }
}

// Not every launch passes scratch.
// CHECK-LABEL: vyre.program @s.3
vyre.program @s.3 [32, 1, 1] {
  %mine = vyre.buffer "mine" read_write binding 0 : memref<?xi32>
  %me = vyre.linear_id invocation
  // CHECK-NEXT: vyre.load %mine[%me] : memref
  %v0 = vyre.load %mine[%me] : memref<?xi32>
}

// Of a program that nobody launches, nothing is known.
// CHECK-LABEL: vyre.program @alone
vyre.program @alone [32, 1, 1] {
  %mine = vyre.buffer "mine" read_write binding 0 : memref<?xi32>
  %me = vyre.linear_id invocation
  // CHECK-NEXT: vyre.load %mine[%me] : memref
  %v0 = vyre.load %mine[%me] : memref<?xi32>
}

// The size of workgroups is a number of the schedule, too.
// CHECK-LABEL: vyre.program @t.0
// CHECK:         vyre.store %x, %a[%n] : memref<4xi32>
// CHECK-NEXT:    vyre.store %x, %a[%m] inbounds : memref<4xi32>
vyre.program @t.0 [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<4xi32>
  %n = vyre.param "n" : index
  %m = vyre.param "m" : index
  %x = arith.constant 1 : i32
  vyre.store %x, %a[%n] : memref<4xi32>
  vyre.store %x, %a[%m] : memref<4xi32>
}
vyre.schedule @t {
  %a = vyre.buffer "a" read_write binding 0 : memref<4xi32>
  %one = arith.constant 1 : index
  %n = vyre.workgroup_size x
  %m = arith.subi %n, %one : index
  vyre.launch @t.0(%a, %n, %m)
}
