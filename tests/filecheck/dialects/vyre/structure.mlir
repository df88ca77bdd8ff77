// RUN: VYRE_ROUNDTRIP
// RUN: VYRE_GENERIC

// Programs, regions, and the two ways an invocation ends.

// A program without operations has a body all the same.
vyre.program @empty [1, 1, 1] {
}

// CHECK:      vyre.program @empty [1, 1, 1] {
// CHECK-NEXT: }

vyre.program @attributes [8, 4, 2] attributes {note = "kept"} {
}

// CHECK:      vyre.program @attributes [8, 4, 2] attributes {note = "kept"} {
// CHECK-NEXT: }

// CHECK-GENERIC: "vyre.program"() <{sym_name = "attributes", workgroup_size = array<i64: 8, 4, 2>}> ({
// CHECK-GENERIC-NEXT: ^bb0:
// CHECK-GENERIC-NEXT: }) {note = "kept"} : () -> ()

vyre.program @rewritten [8, 4, 2] grid_from "caller" {
}

// CHECK:      vyre.program @rewritten [8, 4, 2] grid_from "caller" {
// CHECK-NEXT: }

vyre.program @regions_without_results [64, 1, 1] {
  vyre.region {
  }
  vyre.region "named" {
  }
  vyre.region from "source" {
  }
  vyre.region "named" from "source" {
  }
  vyre.region attributes {note = "kept"} {
  }
  vyre.region "named" attributes {note = "kept"} {
  }
  // A terminator that yields nothing is not written.
  vyre.region "written yield" {
    vyre.yield
  }
  // One with attributes is.
  vyre.region "tagged yield" {
    vyre.yield {tag}
  }
}

// CHECK:      vyre.program @regions_without_results [64, 1, 1] {
// CHECK-NEXT:   vyre.region {
// CHECK-NEXT:   }
// CHECK-NEXT:   vyre.region "named" {
// CHECK-NEXT:   }
// CHECK-NEXT:   vyre.region from "source" {
// CHECK-NEXT:   }
// CHECK-NEXT:   vyre.region "named" from "source" {
// CHECK-NEXT:   }
// CHECK-NEXT:   vyre.region attributes {note = "kept"} {
// CHECK-NEXT:   }
// CHECK-NEXT:   vyre.region "named" attributes {note = "kept"} {
// CHECK-NEXT:   }
// CHECK-NEXT:   vyre.region "written yield" {
// CHECK-NEXT:   }
// CHECK-NEXT:   vyre.region "tagged yield" {
// CHECK-NEXT:     vyre.yield {tag}
// CHECK-NEXT:   }
// CHECK-NEXT: }

// CHECK-GENERIC:      "vyre.region"() ({
// CHECK-GENERIC-NEXT:   "vyre.yield"() : () -> ()
// CHECK-GENERIC-NEXT: }) : () -> ()
// CHECK-GENERIC-NEXT: "vyre.region"() <{generator = "named"}> ({
// CHECK-GENERIC:      "vyre.yield"() {tag} : () -> ()

vyre.program @regions_with_results [64, 1, 1] {
  %i = vyre.invocation_id x
  %unnamed = vyre.region -> (index) {
    vyre.yield %i : index
  }
  %named = vyre.region "named" -> (index) {
    vyre.yield %i : index
  }
  %sourced = vyre.region from "source" -> (index) {
    vyre.yield %i : index
  }
  %two, %results = vyre.region "named" from "source" -> (index, i32) attributes {note = "kept"} {
    %one = arith.constant 1 : i32
    vyre.yield {tag} %i, %one : index, i32
  }
}

// CHECK:      vyre.program @regions_with_results [64, 1, 1] {
// CHECK-NEXT:   %i = vyre.invocation_id x
// CHECK-NEXT:   %unnamed = vyre.region -> (index) {
// CHECK-NEXT:     vyre.yield %i : index
// CHECK-NEXT:   }
// CHECK-NEXT:   %named = vyre.region "named" -> (index) {
// CHECK-NEXT:     vyre.yield %i : index
// CHECK-NEXT:   }
// CHECK-NEXT:   %sourced = vyre.region from "source" -> (index) {
// CHECK-NEXT:     vyre.yield %i : index
// CHECK-NEXT:   }
// CHECK-NEXT:   %two, %results = vyre.region "named" from "source" -> (index, i32) attributes {note = "kept"} {
// CHECK-NEXT:     %one = arith.constant 1 : i32
// CHECK-NEXT:     vyre.yield {tag} %i, %one : index, i32
// CHECK-NEXT:   }
// CHECK-NEXT: }

// CHECK-GENERIC: %two, %results = "vyre.region"() <{generator = "named", source = "source"}> ({
// CHECK-GENERIC: "vyre.yield"(%i, %one) {tag} : (index, i32) -> ()

vyre.program @nested_regions [64, 1, 1] {
  %outer = vyre.region "outer" -> (index) {
    %inner = vyre.region "inner" -> (index) {
      %i = vyre.invocation_id x
      vyre.yield %i : index
    }
    vyre.yield %inner : index
  }
}

// CHECK:      vyre.program @nested_regions [64, 1, 1] {
// CHECK-NEXT:   %outer = vyre.region "outer" -> (index) {
// CHECK-NEXT:     %inner = vyre.region "inner" -> (index) {
// CHECK-NEXT:       %i = vyre.invocation_id x
// CHECK-NEXT:       vyre.yield %i : index
// CHECK-NEXT:     }
// CHECK-NEXT:     vyre.yield %inner : index
// CHECK-NEXT:   }
// CHECK-NEXT: }

vyre.program @return_at_the_end [64, 1, 1] {
  vyre.return
}

// CHECK:      vyre.program @return_at_the_end [64, 1, 1] {
// CHECK-NEXT:   vyre.return
// CHECK-NEXT: }

vyre.program @return_in_region [64, 1, 1] {
  vyre.region "done" {
    vyre.return {note = "kept"}
  }
}

// CHECK:      vyre.program @return_in_region [64, 1, 1] {
// CHECK-NEXT:   vyre.region "done" {
// CHECK-NEXT:     vyre.return {note = "kept"}
// CHECK-NEXT:   }
// CHECK-NEXT: }

// CHECK-GENERIC: "vyre.return"() {note = "kept"} : () -> ()

vyre.program @trap_at_the_end [64, 1, 1] {
  vyre.trap "always"
}

// CHECK:      vyre.program @trap_at_the_end [64, 1, 1] {
// CHECK-NEXT:   vyre.trap "always"
// CHECK-NEXT: }

vyre.program @trap_values [64, 1, 1] {
  %bad = vyre.param "bad" : i1
  %small = vyre.param "small" : i32
  %big = vyre.param "big" : i64
  %i = vyre.invocation_id x
  scf.if %bad {
    vyre.trap "i32" at %small : i32
  }
  scf.if %bad {
    vyre.trap "i64" at %big : i64
  }
  scf.if %bad {
    vyre.trap "index" at %i : index {note = "kept"}
  }
  scf.if %bad {
    vyre.trap "no value" {note = "kept"}
  }
  scf.if %bad {
    vyre.trap "wave" at %i : index invocation %i wave "w"
  }
}

// CHECK:      vyre.program @trap_values [64, 1, 1] {
// CHECK-NEXT:   %bad = vyre.param "bad" : i1
// CHECK-NEXT:   %small = vyre.param "small" : i32
// CHECK-NEXT:   %big = vyre.param "big" : i64
// CHECK-NEXT:   %i = vyre.invocation_id x
// CHECK-NEXT:   scf.if %bad {
// CHECK-NEXT:     vyre.trap "i32" at %small : i32
// CHECK-NEXT:   }
// CHECK-NEXT:   scf.if %bad {
// CHECK-NEXT:     vyre.trap "i64" at %big : i64
// CHECK-NEXT:   }
// CHECK-NEXT:   scf.if %bad {
// CHECK-NEXT:     vyre.trap "index" at %i : index {note = "kept"}
// CHECK-NEXT:   }
// CHECK-NEXT:   scf.if %bad {
// CHECK-NEXT:     vyre.trap "no value" {note = "kept"}
// CHECK-NEXT:   }
// CHECK-NEXT:   scf.if %bad {
// CHECK-NEXT:     vyre.trap "wave" at %i : index invocation %i wave "w"
// CHECK-NEXT:   }
// CHECK-NEXT: }

// CHECK-GENERIC: "vyre.trap"(%i) <{tag = "index", operandSegmentSizes = array<i32: 1, 0>}> {note = "kept"} : (index) -> ()

vyre.program @return_or_trap [64, 1, 1] {
  %done = vyre.param "done" : i1
  scf.if %done {
    vyre.return
  } else {
    vyre.trap "not done"
  }
}

// CHECK:      vyre.program @return_or_trap [64, 1, 1] {
// CHECK-NEXT:   %done = vyre.param "done" : i1
// CHECK-NEXT:   scf.if %done {
// CHECK-NEXT:     vyre.return
// CHECK-NEXT:   } else {
// CHECK-NEXT:     vyre.trap "not done"
// CHECK-NEXT:   }
// CHECK-NEXT: }

// A branch that ends the invocation still yields, because the others need its results.
vyre.program @return_in_branch_with_results [64, 1, 1] {
  %done = vyre.param "done" : i1
  %zero = arith.constant 0 : i32
  %v = scf.if %done -> (i32) {
    vyre.return
    scf.yield %zero : i32
  } else {
    scf.yield %zero : i32
  }
}

// CHECK:      vyre.program @return_in_branch_with_results [64, 1, 1] {
// CHECK-NEXT:   %done = vyre.param "done" : i1
// CHECK-NEXT:   %zero = arith.constant 0 : i32
// CHECK-NEXT:   %v = scf.if %done -> (i32) {
// CHECK-NEXT:     vyre.return
// CHECK-NEXT:     scf.yield %zero : i32
// CHECK-NEXT:   } else {
// CHECK-NEXT:     scf.yield %zero : i32
// CHECK-NEXT:   }
// CHECK-NEXT: }
