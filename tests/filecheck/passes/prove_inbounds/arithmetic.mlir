// RUN: vyre-opt %s -p vyre-prove-inbounds | grep -E "vyre.(program|load|store|atomic)" | filecheck %s

// CHECK-LABEL: vyre.program @ranges
vyre.program @ranges [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<8xi32>
  %p = vyre.param "p" : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %seven = arith.constant 7 : index
  %eight = arith.constant 8 : index
  %sixty_one = arith.constant 61 : index
  %rem = arith.remui %p, %eight : index
  // CHECK-NEXT: vyre.load %a[%rem] inbounds : memref
  %v0 = vyre.load %a[%rem] : memref<8xi32>
  %signed_rem = arith.remsi %p, %eight : index
  // CHECK-NEXT: vyre.load %a[%signed_rem] : memref
  %v1 = vyre.load %a[%signed_rem] : memref<8xi32>
  %mask = arith.andi %p, %seven : index
  // CHECK-NEXT: vyre.load %a[%mask] inbounds : memref
  %v2 = vyre.load %a[%mask] : memref<8xi32>
  %wrong_mask = arith.andi %p, %eight : index
  // CHECK-NEXT: vyre.load %a[%wrong_mask] : memref
  %v3 = vyre.load %a[%wrong_mask] : memref<8xi32>
  %top = arith.shrui %p, %sixty_one : index
  // CHECK-NEXT: vyre.load %a[%top] inbounds : memref
  %v4 = vyre.load %a[%top] : memref<8xi32>
  %signed_top = arith.shrsi %p, %sixty_one : index
  // CHECK-NEXT: vyre.load %a[%signed_top] : memref
  %v5 = vyre.load %a[%signed_top] : memref<8xi32>
  %least = arith.minui %p, %seven : index
  // CHECK-NEXT: vyre.load %a[%least] inbounds : memref
  %v6 = vyre.load %a[%least] : memref<8xi32>
  %signed_least = arith.minsi %p, %seven : index
  // CHECK-NEXT: vyre.load %a[%signed_least] : memref
  %v7 = vyre.load %a[%signed_least] : memref<8xi32>
  %clamped = arith.maxsi %signed_least, %zero : index
  // CHECK-NEXT: vyre.load %a[%clamped] inbounds : memref
  %v8 = vyre.load %a[%clamped] : memref<8xi32>
  %both = arith.ori %mask, %one : index
  // CHECK-NEXT: vyre.load %a[%both] inbounds : memref
  %v9 = vyre.load %a[%both] : memref<8xi32>
  %scaled = arith.muli %mask, %eight : index
  %back = arith.divui %scaled, %eight : index
  // CHECK-NEXT: vyre.load %a[%back] inbounds : memref
  %v10 = vyre.load %a[%back] : memref<8xi32>
  // By zero it is all ones.
  %by_zero = arith.divui %mask, %p : index
  // CHECK-NEXT: vyre.load %a[%by_zero] : memref
  %v11 = vyre.load %a[%by_zero] : memref<8xi32>
}

// CHECK-LABEL: vyre.program @conversions
vyre.program @conversions [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<8xi32>
  %b = vyre.buffer "b" read_only binding 1 : memref<256xi32>
  %c = vyre.buffer "c" read_only binding 2 : memref<?xi32>
  %d = vyre.buffer "d" read_only binding 3 : memref<2xi32>
  %p = vyre.param "p" : i32
  %byte = vyre.param "byte" : i8
  %bit = vyre.param "bit" : i1
  %seven = arith.constant 7 : i32
  %small = arith.minui %p, %seven : i32
  %small_index = arith.index_cast %small : i32 to index
  // CHECK-NEXT: vyre.load %a[%small_index] inbounds : memref
  %v0 = vyre.load %a[%small_index] : memref<8xi32>
  // The sign is kept.
  %from_byte = arith.index_cast %byte : i8 to index
  // CHECK-NEXT: vyre.load %b[%from_byte] : memref
  %v1 = vyre.load %b[%from_byte] : memref<256xi32>
  %wide = arith.extui %byte : i8 to i32
  %from_wide = arith.index_cast %wide : i32 to index
  // CHECK-NEXT: vyre.load %b[%from_wide] inbounds : memref
  %v2 = vyre.load %b[%from_wide] : memref<256xi32>
  %signed_wide = arith.extsi %byte : i8 to i32
  %from_signed_wide = arith.index_cast %signed_wide : i32 to index
  // CHECK-NEXT: vyre.load %b[%from_signed_wide] : memref
  %v3 = vyre.load %b[%from_signed_wide] : memref<256xi32>
  // A bit that is set is -1.
  %from_bit = arith.index_cast %bit : i1 to index
  // CHECK-NEXT: vyre.load %d[%from_bit] : memref
  %v4 = vyre.load %d[%from_bit] : memref<2xi32>
  %wide_bit = arith.extui %bit : i1 to i32
  %from_wide_bit = arith.index_cast %wide_bit : i32 to index
  // CHECK-NEXT: vyre.load %d[%from_wide_bit] inbounds : memref
  %v5 = vyre.load %d[%from_wide_bit] : memref<2xi32>
  // A number is the same one in another type that can hold it.
  %n = vyre.length %c, 0 : memref<?xi32>
  %at = arith.index_cast %p : i32 to index
  %inside = arith.cmpi ult, %at, %n : index
  scf.if %inside {
    %again = arith.index_cast %p : i32 to index
    // CHECK-NEXT: vyre.load %c[%again] inbounds : memref
    %v6 = vyre.load %c[%again] : memref<?xi32>
    // CHECK-NEXT: vyre.load %c[%from_byte] : memref
    %v7 = vyre.load %c[%from_byte] : memref<?xi32>
  }
  // It is not in one that cannot.
  %cut_n = arith.index_cast %n : index to i32
  %cut_inside = arith.cmpi ult, %p, %cut_n : i32
  scf.if %cut_inside {
    // CHECK-NEXT: vyre.load %c[%at] : memref
    %v8 = vyre.load %c[%at] : memref<?xi32>
  }
  %unsigned = arith.extui %p : i32 to i64
  %unsigned_index = arith.index_cast %unsigned : i64 to index
  %unsigned_inside = arith.cmpi slt, %unsigned_index, %n : index
  scf.if %unsigned_inside {
    // CHECK-NEXT: vyre.load %c[%unsigned_index] inbounds : memref
    %v9 = vyre.load %c[%unsigned_index] : memref<?xi32>
    // CHECK-NEXT: vyre.load %c[%at] : memref
    %v10 = vyre.load %c[%at] : memref<?xi32>
  }
}

// Remainders are below a divisor that is not zero.
// CHECK-LABEL: vyre.program @remainders
vyre.program @remainders [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %p = vyre.param "p" : index
  %zero = arith.constant 0 : index
  %i = vyre.invocation_id x
  %n = vyre.length %a, 0 : memref<?xi32>
  %wrapped = arith.remui %p, %n : index
  // CHECK-NEXT: vyre.load %a[%wrapped] : memref
  %v0 = vyre.load %a[%wrapped] : memref<?xi32>
  %some = arith.cmpi ne, %n, %zero : index
  scf.if %some {
    %around = arith.remui %p, %n : index
    // CHECK-NEXT: vyre.load %a[%around] inbounds : memref
    %v1 = vyre.load %a[%around] : memref<?xi32>
    %signed = arith.remsi %i, %n : index
    // CHECK-NEXT: vyre.load %a[%signed] inbounds : memref
    %v2 = vyre.load %a[%signed] : memref<?xi32>
    %negative = arith.remsi %p, %n : index
    // CHECK-NEXT: vyre.load %a[%negative] : memref
    %v3 = vyre.load %a[%negative] : memref<?xi32>
  }
}

// Read as an unsigned number, a negative one is large: what an unsigned operation makes of
// it is not below it.
// CHECK-LABEL: vyre.program @negative_operands
vyre.program @negative_operands [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_only binding 1 : memref<8xi32>
  %p = vyre.param "p" : index
  %q = vyre.param "q" : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %eight = arith.constant 8 : index
  %large = arith.constant 4611686018427387904 : index
  %i = vyre.invocation_id x
  %n = vyre.length %a, 0 : memref<?xi32>
  %below = arith.cmpi slt, %p, %n : index
  scf.if %below {
    %quotient = arith.divui %p, %two : index
    // CHECK-NEXT: vyre.load %a[%quotient] : memref
    %v0 = vyre.load %a[%quotient] : memref<?xi32>
    %shifted = arith.shrui %p, %one : index
    // CHECK-NEXT: vyre.load %a[%shifted] : memref
    %v1 = vyre.load %a[%shifted] : memref<?xi32>
    %ceiling = arith.ceildivui %p, %eight : index
    // CHECK-NEXT: vyre.load %a[%ceiling] : memref
    %v2 = vyre.load %a[%ceiling] : memref<?xi32>
    %remainder = arith.remui %p, %large : index
    // CHECK-NEXT: vyre.load %a[%remainder] : memref
    %v3 = vyre.load %a[%remainder] : memref<?xi32>
    // A quarter of the number, and the same again.
    %quarter = arith.shrui %p, %two : index
    %in_quarter = arith.cmpi ult, %i, %quarter : index
    scf.if %in_quarter {
      %double = arith.addi %i, %quarter : index
      // CHECK-NEXT: vyre.load %a[%double] : memref
      %v4 = vyre.load %a[%double] : memref<?xi32>
    }
    %positive = arith.cmpi sge, %p, %zero : index
    scf.if %positive {
      %half = arith.divui %p, %two : index
      // CHECK-NEXT: vyre.load %a[%half] inbounds : memref
      %v5 = vyre.load %a[%half] : memref<?xi32>
      %smaller = arith.shrui %p, %q : index
      // CHECK-NEXT: vyre.load %a[%smaller] inbounds : memref
      %v6 = vyre.load %a[%smaller] : memref<?xi32>
      %upper = arith.ceildivui %p, %two : index
      // CHECK-NEXT: vyre.load %a[%upper] inbounds : memref
      %v7 = vyre.load %a[%upper] : memref<?xi32>
      %rest = arith.remui %p, %q : index
      // CHECK-NEXT: vyre.load %a[%rest] inbounds : memref
      %v8 = vyre.load %a[%rest] : memref<?xi32>
    }
  }
  // Two negative factors have a positive product.
  %product = arith.muli %p, %q : index
  %is_positive = arith.cmpi sgt, %product, %zero : index
  %is_small = arith.cmpi slt, %p, %eight : index
  %both = arith.andi %is_positive, %is_small : i1
  scf.if %both {
    // CHECK-NEXT: vyre.load %b[%p] : memref
    %v9 = vyre.load %b[%p] : memref<8xi32>
  }
}

// A product is not below its factors, unless it wraps.
// CHECK-LABEL: vyre.program @products
vyre.program @products [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %p = vyre.param "p" : index
  %q = vyre.param "q" : index
  %zero = arith.constant 0 : index
  %three = arith.constant 3 : index
  %i = vyre.invocation_id x
  %n = vyre.length %a, 0 : memref<?xi32>
  %triple = arith.muli %i, %three : index
  %triple_inside = arith.cmpi slt, %triple, %n : index
  scf.if %triple_inside {
    // CHECK-NEXT: vyre.load %a[%i] inbounds : memref
    %v0 = vyre.load %a[%i] : memref<?xi32>
  }
  %shifted = arith.shli %i, %three : index
  %shifted_inside = arith.cmpi slt, %shifted, %n : index
  scf.if %shifted_inside {
    // CHECK-NEXT: vyre.load %a[%i] inbounds : memref
    %v1 = vyre.load %a[%i] : memref<?xi32>
  }
  %positive = arith.cmpi sge, %p, %zero : index
  scf.if %positive {
    %wide = arith.muli %p, %three : index
    %wide_inside = arith.cmpi slt, %wide, %n : index
    scf.if %wide_inside {
      // CHECK-NEXT: vyre.load %a[%p] : memref
      %v2 = vyre.load %a[%p] : memref<?xi32>
    }
    %moved = arith.shli %p, %three : index
    %moved_inside = arith.cmpi slt, %moved, %n : index
    scf.if %moved_inside {
      // CHECK-NEXT: vyre.load %a[%p] : memref
      %v3 = vyre.load %a[%p] : memref<?xi32>
    }
  }
  // By zero it is.
  %any = arith.remui %q, %three : index
  %scaled = arith.muli %i, %any : index
  %scaled_inside = arith.cmpi slt, %scaled, %n : index
  scf.if %scaled_inside {
    // CHECK-NEXT: vyre.load %a[%i] : memref
    %v4 = vyre.load %a[%i] : memref<?xi32>
  }
}

// CHECK-LABEL: vyre.program @smallest_and_largest
vyre.program @smallest_and_largest [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %p = vyre.param "p" : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %i = vyre.invocation_id x
  %n = vyre.length %a, 0 : memref<?xi32>
  %last = arith.subi %n, %one : index
  %clamped = arith.minsi %i, %last : index
  // CHECK-NEXT: vyre.load %a[%clamped] : memref
  %v0 = vyre.load %a[%clamped] : memref<?xi32>
  %some = arith.cmpi sgt, %n, %zero : index
  scf.if %some {
    %right = arith.minsi %i, %last : index
    // CHECK-NEXT: vyre.load %a[%right] inbounds : memref
    %v1 = vyre.load %a[%right] : memref<?xi32>
    %left = arith.subi %right, %one : index
    %kept = arith.maxsi %left, %zero : index
    // CHECK-NEXT: vyre.load %a[%kept] inbounds : memref
    %v2 = vyre.load %a[%kept] : memref<?xi32>
    %too_large = arith.maxsi %left, %one : index
    // CHECK-NEXT: vyre.load %a[%too_large] : memref
    %v3 = vyre.load %a[%too_large] : memref<?xi32>
    %bits = arith.minui %p, %last : index
    // CHECK-NEXT: vyre.load %a[%bits] inbounds : memref
    %v4 = vyre.load %a[%bits] : memref<?xi32>
    %masked = arith.andi %p, %last : index
    // CHECK-NEXT: vyre.load %a[%masked] inbounds : memref
    %v5 = vyre.load %a[%masked] : memref<?xi32>
    %larger = arith.maxui %right, %kept : index
    // CHECK-NEXT: vyre.load %a[%larger] inbounds : memref
    %v6 = vyre.load %a[%larger] : memref<?xi32>
    // As an unsigned number a negative one is the largest.
    %largest = arith.maxui %p, %zero : index
    %limited = arith.minsi %largest, %last : index
    // CHECK-NEXT: vyre.load %a[%limited] : memref
    %v7 = vyre.load %a[%limited] : memref<?xi32>
    // Below an operand that may be negative, the unsigned minimum says nothing.
    %least = arith.minui %right, %p : index
    %p_inside = arith.cmpi slt, %p, %zero : index
    scf.if %p_inside {
      // CHECK-NEXT: vyre.load %a[%least] inbounds : memref
      %v8 = vyre.load %a[%least] : memref<?xi32>
    }
  }
}

// CHECK-LABEL: vyre.program @choices
vyre.program @choices [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_only binding 1 : memref<8xi32>
  %c = vyre.param "c" : i1
  %zero = arith.constant 0 : index
  %seven = arith.constant 7 : index
  %eight = arith.constant 8 : index
  %i = vyre.invocation_id x
  %n = vyre.length %a, 0 : memref<?xi32>
  %known = arith.select %c, %zero, %seven : index
  // CHECK-NEXT: vyre.load %b[%known] inbounds : memref
  %v0 = vyre.load %b[%known] : memref<8xi32>
  %beyond = arith.select %c, %zero, %eight : index
  // CHECK-NEXT: vyre.load %b[%beyond] : memref
  %v1 = vyre.load %b[%beyond] : memref<8xi32>
  %inside = arith.cmpi ult, %i, %n : index
  %some = arith.cmpi ne, %n, %zero : index
  scf.if %some {
    %at = arith.select %inside, %i, %zero : index
    // CHECK-NEXT: vyre.load %a[%at] inbounds : memref
    %v2 = vyre.load %a[%at] : memref<?xi32>
    %turned = arith.select %inside, %zero, %i : index
    // CHECK-NEXT: vyre.load %a[%turned] : memref
    %v3 = vyre.load %a[%turned] : memref<?xi32>
    %result = scf.if %inside -> (index) {
      scf.yield %i : index
    } else {
      scf.yield %zero : index
    }
    // CHECK-NEXT: vyre.load %a[%result] inbounds : memref
    %v4 = vyre.load %a[%result] : memref<?xi32>
    %turned_result = scf.if %inside -> (index) {
      scf.yield %zero : index
    } else {
      scf.yield %i : index
    }
    // CHECK-NEXT: vyre.load %a[%turned_result] : memref
    %v5 = vyre.load %a[%turned_result] : memref<?xi32>
  }
}

// Two numbers below n / 2, or one of them twice, are below n together.
// CHECK-LABEL: vyre.program @halves
vyre.program @halves [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %p = vyre.param "p" : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %four = arith.constant 4 : index
  %i = vyre.invocation_id x
  %n = vyre.length %a, 0 : memref<?xi32>
  %half = arith.shrui %n, %one : index
  %in_half = arith.cmpi ult, %i, %half : index
  scf.if %in_half {
    %partner = arith.addi %i, %half : index
    // CHECK-NEXT: vyre.load %a[%partner] inbounds : memref
    %v0 = vyre.load %a[%partner] : memref<?xi32>
    %swapped = arith.addi %half, %i : index
    // CHECK-NEXT: vyre.load %a[%swapped] inbounds : memref
    %v5 = vyre.load %a[%swapped] : memref<?xi32>
    %even = arith.shli %i, %one : index
    // CHECK-NEXT: vyre.load %a[%even] inbounds : memref
    %v1 = vyre.load %a[%even] : memref<?xi32>
    %odd = arith.addi %even, %one : index
    // CHECK-NEXT: vyre.load %a[%odd] inbounds : memref
    %v2 = vyre.load %a[%odd] : memref<?xi32>
    %next = arith.addi %even, %two : index
    // CHECK-NEXT: vyre.load %a[%next] : memref
    %v3 = vyre.load %a[%next] : memref<?xi32>
    %third = arith.muli %i, %three : index
    // CHECK-NEXT: vyre.load %a[%third] : memref
    %v4 = vyre.load %a[%third] : memref<?xi32>
  }
  %not_half = arith.cmpi ule, %i, %half : index
  scf.if %not_half {
    %beyond_half = arith.addi %i, %half : index
    // CHECK-NEXT: vyre.load %a[%beyond_half] : memref
    %v0 = vyre.load %a[%beyond_half] : memref<?xi32>
  }
  %fours = arith.divui %n, %four : index
  %in_fours = arith.cmpi ult, %i, %fours : index
  scf.if %in_fours {
    %first = arith.muli %four, %i : index
    %last = arith.addi %first, %three : index
    // CHECK-NEXT: vyre.load %a[%last] inbounds : memref
    %v0 = vyre.load %a[%last] : memref<?xi32>
    %beyond = arith.addi %first, %four : index
    // CHECK-NEXT: vyre.load %a[%beyond] : memref
    %v1 = vyre.load %a[%beyond] : memref<?xi32>
  }
  // By less than 2 it is no half.
  %whole = arith.divui %n, %one : index
  %in_whole = arith.cmpi ult, %i, %whole : index
  scf.if %in_whole {
    %twice = arith.addi %i, %whole : index
    // CHECK-NEXT: vyre.load %a[%twice] : memref
    %v0 = vyre.load %a[%twice] : memref<?xi32>
  }
}

// Rows and columns of a number: below n * m, the quotient by m is below n.
// CHECK-LABEL: vyre.program @rows_and_columns
vyre.program @rows_and_columns [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?x?xi32>
  %i = vyre.invocation_id x
  %rows = vyre.length %a, 0 : memref<?x?xi32>
  %columns = vyre.length %a, 1 : memref<?x?xi32>
  %cells = arith.muli %rows, %columns : index
  %inside = arith.cmpi slt, %i, %cells : index
  scf.if %inside {
    %row = arith.divui %i, %columns : index
    %column = arith.remui %i, %columns : index
    // CHECK-NEXT: vyre.load %a[%row, %column] inbounds : memref
    %v0 = vyre.load %a[%row, %column] : memref<?x?xi32>
    // CHECK-NEXT: vyre.load %a[%column, %row] : memref
    %v1 = vyre.load %a[%column, %row] : memref<?x?xi32>
    %wrong_row = arith.divui %i, %rows : index
    // CHECK-NEXT: vyre.load %a[%wrong_row, %column] : memref
    %v2 = vyre.load %a[%wrong_row, %column] : memref<?x?xi32>
  }
  %zero = arith.constant 0 : index
  %has_columns = arith.cmpi ne, %columns, %zero : index
  %not_outside = arith.cmpi sle, %i, %cells : index
  %not_inside = arith.andi %has_columns, %not_outside : i1
  scf.if %not_inside {
    %next_row = arith.divui %i, %columns : index
    %next_column = arith.remui %i, %columns : index
    // CHECK-NEXT: vyre.load %a[%next_row, %next_column] : memref
    %v0 = vyre.load %a[%next_row, %next_column] : memref<?x?xi32>
  }
  // A product with a negative factor may wrap to a larger number.
  %p = vyre.param "p" : index
  %area = arith.muli %p, %columns : index
  %in_area = arith.cmpi slt, %i, %area : index
  %below_rows = arith.cmpi slt, %p, %rows : index
  %all = arith.andi %in_area, %below_rows : i1
  %each = arith.andi %all, %has_columns : i1
  scf.if %each {
    %part = arith.divui %i, %columns : index
    %rest = arith.remui %i, %columns : index
    // CHECK-NEXT: vyre.load %a[%part, %rest] : memref
    %v3 = vyre.load %a[%part, %rest] : memref<?x?xi32>
  }
}
