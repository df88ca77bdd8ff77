// RUN: vyre-opt %s -p vyre-prove-inbounds | grep -E "vyre.(program|load|store|atomic)" | filecheck %s

// CHECK-LABEL: vyre.program @local
vyre.program @local [16, 4, 2] {
  %rows = vyre.buffer "rows" read_only binding 0 : memref<2x4x16xi32>
  %short = vyre.buffer "short" read_only binding 1 : memref<15xi32>
  %all = vyre.buffer "all" read_only binding 2 : memref<128xi32>
  %lanes = vyre.buffer "lanes" read_only binding 3 : memref<32xi32>
  %one = arith.constant 1 : index
  %x = vyre.local_id x
  %y = vyre.local_id y
  %z = vyre.local_id z
  // CHECK-NEXT: vyre.load %rows[%z, %y, %x] inbounds : memref
  %v0 = vyre.load %rows[%z, %y, %x] : memref<2x4x16xi32>
  // CHECK-NEXT: vyre.load %rows[%y, %z, %x] : memref
  %v1 = vyre.load %rows[%y, %z, %x] : memref<2x4x16xi32>
  // CHECK-NEXT: vyre.load %short[%x] : memref
  %v2 = vyre.load %short[%x] : memref<15xi32>
  %linear = vyre.linear_id local
  // CHECK-NEXT: vyre.load %all[%linear] inbounds : memref
  %v3 = vyre.load %all[%linear] : memref<128xi32>
  %width = vyre.workgroup_size x
  %height = vyre.workgroup_size y
  %layer = arith.muli %z, %height : index
  %row = arith.addi %layer, %y : index
  %before = arith.muli %row, %width : index
  %by_hand = arith.addi %before, %x : index
  // CHECK-NEXT: vyre.load %all[%by_hand] inbounds : memref
  %v4 = vyre.load %all[%by_hand] : memref<128xi32>
  %lane = vyre.subgroup_local_id
  // CHECK-NEXT: vyre.load %lanes[%lane] inbounds : memref
  %v5 = vyre.load %lanes[%lane] : memref<32xi32>
  %size = vyre.subgroup_size
  %last = arith.subi %size, %one : index
  // CHECK-NEXT: vyre.load %lanes[%last] inbounds : memref
  %v6 = vyre.load %lanes[%last] : memref<32xi32>
}

// Nobody knows how large the grid is, but an id is the same number wherever it is asked.
// CHECK-LABEL: vyre.program @grid
vyre.program @grid [16, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_only binding 1 : memref<64xi32>
  %limit = arith.constant 64 : index
  %i = vyre.invocation_id x
  // CHECK-NEXT: vyre.load %b[%i] : memref
  %v0 = vyre.load %b[%i] : memref<64xi32>
  %n = vyre.length %a, 0 : memref<?xi32>
  %inside = arith.cmpi slt, %i, %n : index
  scf.if %inside {
    %again = vyre.invocation_id x
    // CHECK-NEXT: vyre.load %a[%again] inbounds : memref
    %v1 = vyre.load %a[%again] : memref<?xi32>
    %other = vyre.invocation_id y
    // CHECK-NEXT: vyre.load %a[%other] : memref
    %v2 = vyre.load %a[%other] : memref<?xi32>
  }
  %group = vyre.workgroup_id x
  %groups = vyre.workgroup_count x
  %few = arith.cmpi ule, %groups, %limit : index
  scf.if %few {
    // CHECK-NEXT: vyre.load %b[%group] inbounds : memref
    %v3 = vyre.load %b[%group] : memref<64xi32>
    %groups_y = vyre.workgroup_count y
    // CHECK-NEXT: vyre.load %b[%groups_y] : memref
    %v4 = vyre.load %b[%groups_y] : memref<64xi32>
  }
}
