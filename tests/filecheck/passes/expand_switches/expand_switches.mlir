// RUN: vyre-opt %s -p vyre-expand-switches | filecheck %s

// CHECK-LABEL: vyre.program @two_cases
// CHECK:         %r, %s = scf.if %case2 -> (i32, i32) {
// CHECK-NEXT:      scf.yield %a, %b : i32, i32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %1 = arith.constant -5 : index
// CHECK-NEXT:      %case_minus5 = arith.cmpi eq, %k, %1 : index
// CHECK-NEXT:      %r_1, %s_1 = scf.if %case_minus5 -> (i32, i32) {
// CHECK-NEXT:        scf.yield %b, %a : i32, i32
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %a, %a : i32, i32
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield %r_1, %s_1 : i32, i32
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.store %r
// CHECK-NEXT:    vyre.store %s
vyre.program @two_cases [1, 1, 1] {
  %out = vyre.buffer "out" read_write binding 0 : memref<?xi32>
  %k = vyre.param "k" : index
  %a = vyre.param "a" : i32
  %b = vyre.param "b" : i32
  %r, %s = scf.index_switch %k -> i32, i32
  case 2 {
    scf.yield %a, %b : i32, i32
  }
  case -5 {
    scf.yield %b, %a : i32, i32
  }
  default {
    scf.yield %a, %a : i32, i32
  }
  vyre.store %r, %out[%k] : memref<?xi32>
  vyre.store %s, %out[%k] : memref<?xi32>
}

// Half of what is left each time; `scf.yield` may be left out.
// CHECK-LABEL: vyre.program @many_cases
// CHECK:         %case0 = arith.cmpi eq
// CHECK:         %case1 = arith.cmpi eq
// CHECK-NEXT:    %[[some:.*]] = arith.ori %case0, %case1 : i1
// CHECK-NEXT:    scf.if %[[some]] {
// CHECK:           scf.if %case0_1
// CHECK-NEXT:        vyre.barrier
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.if %k_is_nested
// CHECK:         } else {
// CHECK:           scf.if %case2 {
// CHECK:           } else {
// CHECK-NEXT:        vyre.trap
vyre.program @many_cases [1, 1, 1] {
  %k = vyre.param "k" : index
  %k_is_nested = vyre.param "flag" : i1
  scf.index_switch %k
  case 0 {
    vyre.barrier acq_rel
  }
  case 1 {
    scf.if %k_is_nested {
      vyre.barrier acq_rel
    }
  }
  case 2 {
  }
  default {
    vyre.trap "none of them"
  }
}

// CHECK-LABEL: vyre.program @no_case
// CHECK-NEXT:    %k = vyre.param "k" : index
// CHECK-NEXT:    vyre.barrier acq_rel
// CHECK-NEXT:  }
vyre.program @no_case [1, 1, 1] {
  %k = vyre.param "k" : index
  scf.index_switch %k
  default {
    scf.index_switch %k
    default {
      vyre.barrier acq_rel
    }
  }
}

// CHECK-LABEL: vyre.schedule @in_a_schedule
// CHECK:         scf.if %case1 {
// CHECK-NEXT:      vyre.launch @no_case(%k)
// CHECK-NEXT:    }
vyre.schedule @in_a_schedule {
  %k = vyre.param "k" : index
  scf.index_switch %k
  case 1 {
    vyre.launch @no_case(%k)
  }
  default {
  }
}
