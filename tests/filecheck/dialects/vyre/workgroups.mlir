// RUN: VYRE_ROUNDTRIP
// RUN: VYRE_GENERIC

vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<4xi32>
}
vyre.workgroups @p attributes {note = "kept"} {
  vyre.schedule @p {
    %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
    %tile = vyre.buffer "tile" read_write binding 1 : memref<4xi32>
    %x = vyre.param "x" : index
    %y = vyre.param "y" : index
    %z = vyre.param "z" : index
    %xs = vyre.param "xs" : index
    %ys = vyre.param "ys" : index
    %zs = vyre.param "zs" : index
    vyre.launch @p.0(%a)
  }
  vyre.program @p.0 [4, 1, 1] {
    %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  }
}

// CHECK:      vyre.workgroups @p attributes {note = "kept"} {
// CHECK-NEXT:   vyre.schedule @p {
// CHECK:          vyre.launch @p.0(%a)
// CHECK-NEXT:   }
// CHECK-NEXT:   vyre.program @p.0 [4, 1, 1] {

// CHECK-GENERIC: "vyre.workgroups"() <{program = @p}> ({
