// Three hundred rules over the records of a table, each of which gives one number.
//
// `fields` has a row for each of 8 fields, and in it the values of 1024 records, from 0 to
// 1023. Rule k writes results[k], and nothing else. There are six kinds of rules:
//
// | rule | what it gives | how many |
// |---|---|---|
// | over | records in which a field is above a bound | 104 |
// | peak | largest value of a field in records in which another one is below 32 | 56 |
// | agree | records in which two fields end with the same 4 bits | 28 |
// | usual | the most frequent 5 bits of two fields combined (exclusive or) | 16 |
// | near | records in which a field is above half of what a peak rule gave | 80 |
// | verdict | 1 if one near rule gave more than another one, or else 0 | 16 |
//
// Every rule is a wave that runs one workgroup, or a single invocation if that is enough, so
// rules run side by side if the dispatch has enough workgroups. All rules write to the same
// buffer, so Vyre would let them run one after the other; but each has an element of its
// own, and `after` says whose results it needs. So there are three layers.
//
// `bytes` are what a rule reads, its workgroup memory, and its result. A budget cuts layers
// into groups that need no more of it. `fields` and `results` are there all the time:
//
//   vyre-opt rules.mlir -t vyre-plan \
//     -p 'vyre-plan-megakernel{budget=150000 graph=33968 packing=best}'
//
// The waves are written by rules.py.

vyre.program @over [32, 1, 1] {
  %fields = vyre.buffer "fields" read_only binding 0 : memref<8x1024xi32>
  %results = vyre.buffer "results" write_only binding 1 output : memref<300xi32>
  %field = vyre.param "field" : index
  %bound = vyre.param "bound" : i32
  %slot = vyre.param "slot" : index

  %zero = arith.constant 0 : index
  %none = arith.constant 0 : i32
  %width = vyre.workgroup_size x
  %records = vyre.length %fields, 1 : memref<8x1024xi32>
  %lane = vyre.local_id x
  %count = scf.for %r = %lane to %records step %width iter_args(%so_far = %none) -> (i32) {
    %value = vyre.load %fields[%field, %r] : memref<8x1024xi32>
    %is_over = arith.cmpi sgt, %value, %bound : i32
    %more = arith.extui %is_over : i1 to i32
    %sum = arith.addi %so_far, %more : i32
    scf.yield %sum : i32
  }
  %all = vyre.subgroup_reduce add %count : i32
  %is_first = arith.cmpi eq, %lane, %zero : index
  scf.if %is_first {
    vyre.store %all, %results[%slot] : memref<300xi32>
  }
}

vyre.program @peak [32, 1, 1] {
  %fields = vyre.buffer "fields" read_only binding 0 : memref<8x1024xi32>
  %results = vyre.buffer "results" write_only binding 1 output : memref<300xi32>
  %field = vyre.param "field" : index
  %other = vyre.param "other" : index
  %slot = vyre.param "slot" : index

  %zero = arith.constant 0 : index
  %none = arith.constant 0 : i32
  %limit = arith.constant 32 : i32
  %width = vyre.workgroup_size x
  %records = vyre.length %fields, 1 : memref<8x1024xi32>
  %lane = vyre.local_id x
  %own = scf.for %r = %lane to %records step %width iter_args(%so_far = %none) -> (i32) {
    %value = vyre.load %fields[%field, %r] : memref<8x1024xi32>
    %beside = vyre.load %fields[%other, %r] : memref<8x1024xi32>
    %is_small = arith.cmpi slt, %beside, %limit : i32
    %counts = arith.select %is_small, %value, %none : i32
    %larger = arith.maxsi %so_far, %counts : i32
    scf.yield %larger : i32
  }
  %largest = vyre.subgroup_reduce max %own : i32
  %is_first = arith.cmpi eq, %lane, %zero : index
  scf.if %is_first {
    vyre.store %largest, %results[%slot] : memref<300xi32>
  }
}

vyre.program @agree [32, 1, 1] {
  %fields = vyre.buffer "fields" read_only binding 0 : memref<8x1024xi32>
  %results = vyre.buffer "results" write_only binding 1 output : memref<300xi32>
  %field = vyre.param "field" : index
  %other = vyre.param "other" : index
  %slot = vyre.param "slot" : index

  %zero = arith.constant 0 : index
  %none = arith.constant 0 : i32
  %low_bits = arith.constant 15 : i32
  %width = vyre.workgroup_size x
  %records = vyre.length %fields, 1 : memref<8x1024xi32>
  %lane = vyre.local_id x
  %count = scf.for %r = %lane to %records step %width iter_args(%so_far = %none) -> (i32) {
    %value = vyre.load %fields[%field, %r] : memref<8x1024xi32>
    %beside = vyre.load %fields[%other, %r] : memref<8x1024xi32>
    %difference = arith.xori %value, %beside : i32
    %at_the_end = arith.andi %difference, %low_bits : i32
    %is_same = arith.cmpi eq, %at_the_end, %none : i32
    %more = arith.extui %is_same : i1 to i32
    %sum = arith.addi %so_far, %more : i32
    scf.yield %sum : i32
  }
  %all = vyre.subgroup_reduce add %count : i32
  %is_first = arith.cmpi eq, %lane, %zero : index
  scf.if %is_first {
    vyre.store %all, %results[%slot] : memref<300xi32>
  }
}

vyre.program @usual [32, 1, 1] {
  %fields = vyre.buffer "fields" read_only binding 0 : memref<8x1024xi32>
  %results = vyre.buffer "results" write_only binding 1 output : memref<300xi32>
  %field = vyre.param "field" : index
  %other = vyre.param "other" : index
  %place = vyre.param "place" : i32
  %slot = vyre.param "slot" : index
  %counts = vyre.buffer "counts" workgroup : memref<32xi32>

  %zero = arith.constant 0 : index
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %low_bits = arith.constant 31 : i32
  %shift = arith.constant 5 : i32
  %width = vyre.workgroup_size x
  %records = vyre.length %fields, 1 : memref<8x1024xi32>
  %lane = vyre.local_id x

  vyre.region "count" {
    vyre.store %none, %counts[%lane] : memref<32xi32>
    vyre.barrier acq_rel
    scf.for %r = %lane to %records step %width {
      %value = vyre.load %fields[%field, %r] : memref<8x1024xi32>
      %beside = vyre.load %fields[%other, %r] : memref<8x1024xi32>
      %mixed = arith.xori %value, %beside : i32
      %moved = arith.shrui %mixed, %place : i32
      %digit = arith.andi %moved, %low_bits : i32
      %at = arith.index_cast %digit : i32 to index
      %before = vyre.atomic add %one, %counts[%at] : memref<32xi32>
    }
    vyre.barrier acq_rel
  }
  // Each lane has the count of one digit. The largest count * 32 + 31 - digit tells which;
  // of equally frequent digits it is the smallest.
  vyre.region "choose" {
    %count = vyre.load %counts[%lane] : memref<32xi32>
    %high = arith.shli %count, %shift : i32
    %lane32 = arith.index_cast %lane : index to i32
    %low = arith.subi %low_bits, %lane32 : i32
    %key = arith.addi %high, %low : i32
    %best = vyre.subgroup_reduce max %key : i32
    %best_low = arith.andi %best, %low_bits : i32
    %digit = arith.subi %low_bits, %best_low : i32
    %is_first = arith.cmpi eq, %lane, %zero : index
    scf.if %is_first {
      vyre.store %digit, %results[%slot] : memref<300xi32>
    }
  }
}

vyre.program @near [32, 1, 1] {
  %fields = vyre.buffer "fields" read_only binding 0 : memref<8x1024xi32>
  %results = vyre.buffer "results" read_write binding 1 output : memref<300xi32>
  %field = vyre.param "field" : index
  %peak = vyre.param "peak" : index
  %slot = vyre.param "slot" : index

  %zero = arith.constant 0 : index
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %width = vyre.workgroup_size x
  %records = vyre.length %fields, 1 : memref<8x1024xi32>
  %lane = vyre.local_id x
  %largest = vyre.load %results[%peak] : memref<300xi32>
  %half = arith.shrui %largest, %one : i32
  %count = scf.for %r = %lane to %records step %width iter_args(%so_far = %none) -> (i32) {
    %value = vyre.load %fields[%field, %r] : memref<8x1024xi32>
    %is_near = arith.cmpi sgt, %value, %half : i32
    %more = arith.extui %is_near : i1 to i32
    %sum = arith.addi %so_far, %more : i32
    scf.yield %sum : i32
  }
  %all = vyre.subgroup_reduce add %count : i32
  %is_first = arith.cmpi eq, %lane, %zero : index
  scf.if %is_first {
    vyre.store %all, %results[%slot] : memref<300xi32>
  }
}

vyre.program @verdict [1, 1, 1] {
  %results = vyre.buffer "results" read_write binding 0 output : memref<300xi32>
  %one = vyre.param "one" : index
  %other = vyre.param "other" : index
  %slot = vyre.param "slot" : index

  %a = vyre.load %results[%one] : memref<300xi32>
  %b = vyre.load %results[%other] : memref<300xi32>
  %is_more = arith.cmpi sgt, %a, %b : i32
  %verdict = arith.extui %is_more : i1 to i32
  vyre.store %verdict, %results[%slot] : memref<300xi32>
}

vyre.megakernel @rules {
  vyre.wave "over0" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 0 : index, bound = 75 : i32, slot = 0 : index}
  vyre.wave "over1" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 0 : index, bound = 150 : i32, slot = 1 : index}
  vyre.wave "over2" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 0 : index, bound = 225 : i32, slot = 2 : index}
  vyre.wave "over3" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 0 : index, bound = 300 : i32, slot = 3 : index}
  vyre.wave "over4" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 0 : index, bound = 375 : i32, slot = 4 : index}
  vyre.wave "over5" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 0 : index, bound = 450 : i32, slot = 5 : index}
  vyre.wave "over6" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 0 : index, bound = 525 : i32, slot = 6 : index}
  vyre.wave "over7" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 0 : index, bound = 600 : i32, slot = 7 : index}
  vyre.wave "over8" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 0 : index, bound = 675 : i32, slot = 8 : index}
  vyre.wave "over9" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 0 : index, bound = 750 : i32, slot = 9 : index}
  vyre.wave "over10" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 0 : index, bound = 825 : i32, slot = 10 : index}
  vyre.wave "over11" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 0 : index, bound = 900 : i32, slot = 11 : index}
  vyre.wave "over12" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 0 : index, bound = 975 : i32, slot = 12 : index}
  vyre.wave "peak13" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 0 : index, other = 1 : index, slot = 13 : index}
  vyre.wave "agree14" @agree grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 0 : index, other = 1 : index, slot = 14 : index}
  vyre.wave "peak15" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 0 : index, other = 2 : index, slot = 15 : index}
  vyre.wave "agree16" @agree grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 0 : index, other = 2 : index, slot = 16 : index}
  vyre.wave "peak17" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 0 : index, other = 3 : index, slot = 17 : index}
  vyre.wave "agree18" @agree grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 0 : index, other = 3 : index, slot = 18 : index}
  vyre.wave "peak19" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 0 : index, other = 4 : index, slot = 19 : index}
  vyre.wave "agree20" @agree grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 0 : index, other = 4 : index, slot = 20 : index}
  vyre.wave "peak21" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 0 : index, other = 5 : index, slot = 21 : index}
  vyre.wave "agree22" @agree grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 0 : index, other = 5 : index, slot = 22 : index}
  vyre.wave "peak23" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 0 : index, other = 6 : index, slot = 23 : index}
  vyre.wave "agree24" @agree grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 0 : index, other = 6 : index, slot = 24 : index}
  vyre.wave "peak25" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 0 : index, other = 7 : index, slot = 25 : index}
  vyre.wave "agree26" @agree grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 0 : index, other = 7 : index, slot = 26 : index}
  vyre.wave "usual27" @usual grid [1, 1, 1] after [] bytes [8192, 128, 4] with {field = 0 : index, other = 1 : index, place = 0 : i32, slot = 27 : index}
  vyre.wave "usual28" @usual grid [1, 1, 1] after [] bytes [8192, 128, 4] with {field = 0 : index, other = 1 : index, place = 5 : i32, slot = 28 : index}
  vyre.wave "over29" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 1 : index, bound = 75 : i32, slot = 29 : index}
  vyre.wave "over30" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 1 : index, bound = 150 : i32, slot = 30 : index}
  vyre.wave "over31" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 1 : index, bound = 225 : i32, slot = 31 : index}
  vyre.wave "over32" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 1 : index, bound = 300 : i32, slot = 32 : index}
  vyre.wave "over33" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 1 : index, bound = 375 : i32, slot = 33 : index}
  vyre.wave "over34" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 1 : index, bound = 450 : i32, slot = 34 : index}
  vyre.wave "over35" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 1 : index, bound = 525 : i32, slot = 35 : index}
  vyre.wave "over36" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 1 : index, bound = 600 : i32, slot = 36 : index}
  vyre.wave "over37" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 1 : index, bound = 675 : i32, slot = 37 : index}
  vyre.wave "over38" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 1 : index, bound = 750 : i32, slot = 38 : index}
  vyre.wave "over39" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 1 : index, bound = 825 : i32, slot = 39 : index}
  vyre.wave "over40" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 1 : index, bound = 900 : i32, slot = 40 : index}
  vyre.wave "over41" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 1 : index, bound = 975 : i32, slot = 41 : index}
  vyre.wave "peak42" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 1 : index, other = 0 : index, slot = 42 : index}
  vyre.wave "peak43" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 1 : index, other = 2 : index, slot = 43 : index}
  vyre.wave "agree44" @agree grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 1 : index, other = 2 : index, slot = 44 : index}
  vyre.wave "peak45" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 1 : index, other = 3 : index, slot = 45 : index}
  vyre.wave "agree46" @agree grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 1 : index, other = 3 : index, slot = 46 : index}
  vyre.wave "peak47" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 1 : index, other = 4 : index, slot = 47 : index}
  vyre.wave "agree48" @agree grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 1 : index, other = 4 : index, slot = 48 : index}
  vyre.wave "peak49" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 1 : index, other = 5 : index, slot = 49 : index}
  vyre.wave "agree50" @agree grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 1 : index, other = 5 : index, slot = 50 : index}
  vyre.wave "peak51" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 1 : index, other = 6 : index, slot = 51 : index}
  vyre.wave "agree52" @agree grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 1 : index, other = 6 : index, slot = 52 : index}
  vyre.wave "peak53" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 1 : index, other = 7 : index, slot = 53 : index}
  vyre.wave "agree54" @agree grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 1 : index, other = 7 : index, slot = 54 : index}
  vyre.wave "usual55" @usual grid [1, 1, 1] after [] bytes [8192, 128, 4] with {field = 1 : index, other = 2 : index, place = 0 : i32, slot = 55 : index}
  vyre.wave "usual56" @usual grid [1, 1, 1] after [] bytes [8192, 128, 4] with {field = 1 : index, other = 2 : index, place = 5 : i32, slot = 56 : index}
  vyre.wave "over57" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 2 : index, bound = 75 : i32, slot = 57 : index}
  vyre.wave "over58" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 2 : index, bound = 150 : i32, slot = 58 : index}
  vyre.wave "over59" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 2 : index, bound = 225 : i32, slot = 59 : index}
  vyre.wave "over60" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 2 : index, bound = 300 : i32, slot = 60 : index}
  vyre.wave "over61" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 2 : index, bound = 375 : i32, slot = 61 : index}
  vyre.wave "over62" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 2 : index, bound = 450 : i32, slot = 62 : index}
  vyre.wave "over63" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 2 : index, bound = 525 : i32, slot = 63 : index}
  vyre.wave "over64" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 2 : index, bound = 600 : i32, slot = 64 : index}
  vyre.wave "over65" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 2 : index, bound = 675 : i32, slot = 65 : index}
  vyre.wave "over66" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 2 : index, bound = 750 : i32, slot = 66 : index}
  vyre.wave "over67" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 2 : index, bound = 825 : i32, slot = 67 : index}
  vyre.wave "over68" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 2 : index, bound = 900 : i32, slot = 68 : index}
  vyre.wave "over69" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 2 : index, bound = 975 : i32, slot = 69 : index}
  vyre.wave "peak70" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 2 : index, other = 0 : index, slot = 70 : index}
  vyre.wave "peak71" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 2 : index, other = 1 : index, slot = 71 : index}
  vyre.wave "peak72" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 2 : index, other = 3 : index, slot = 72 : index}
  vyre.wave "agree73" @agree grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 2 : index, other = 3 : index, slot = 73 : index}
  vyre.wave "peak74" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 2 : index, other = 4 : index, slot = 74 : index}
  vyre.wave "agree75" @agree grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 2 : index, other = 4 : index, slot = 75 : index}
  vyre.wave "peak76" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 2 : index, other = 5 : index, slot = 76 : index}
  vyre.wave "agree77" @agree grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 2 : index, other = 5 : index, slot = 77 : index}
  vyre.wave "peak78" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 2 : index, other = 6 : index, slot = 78 : index}
  vyre.wave "agree79" @agree grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 2 : index, other = 6 : index, slot = 79 : index}
  vyre.wave "peak80" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 2 : index, other = 7 : index, slot = 80 : index}
  vyre.wave "agree81" @agree grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 2 : index, other = 7 : index, slot = 81 : index}
  vyre.wave "usual82" @usual grid [1, 1, 1] after [] bytes [8192, 128, 4] with {field = 2 : index, other = 3 : index, place = 0 : i32, slot = 82 : index}
  vyre.wave "usual83" @usual grid [1, 1, 1] after [] bytes [8192, 128, 4] with {field = 2 : index, other = 3 : index, place = 5 : i32, slot = 83 : index}
  vyre.wave "over84" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 3 : index, bound = 75 : i32, slot = 84 : index}
  vyre.wave "over85" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 3 : index, bound = 150 : i32, slot = 85 : index}
  vyre.wave "over86" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 3 : index, bound = 225 : i32, slot = 86 : index}
  vyre.wave "over87" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 3 : index, bound = 300 : i32, slot = 87 : index}
  vyre.wave "over88" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 3 : index, bound = 375 : i32, slot = 88 : index}
  vyre.wave "over89" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 3 : index, bound = 450 : i32, slot = 89 : index}
  vyre.wave "over90" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 3 : index, bound = 525 : i32, slot = 90 : index}
  vyre.wave "over91" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 3 : index, bound = 600 : i32, slot = 91 : index}
  vyre.wave "over92" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 3 : index, bound = 675 : i32, slot = 92 : index}
  vyre.wave "over93" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 3 : index, bound = 750 : i32, slot = 93 : index}
  vyre.wave "over94" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 3 : index, bound = 825 : i32, slot = 94 : index}
  vyre.wave "over95" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 3 : index, bound = 900 : i32, slot = 95 : index}
  vyre.wave "over96" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 3 : index, bound = 975 : i32, slot = 96 : index}
  vyre.wave "peak97" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 3 : index, other = 0 : index, slot = 97 : index}
  vyre.wave "peak98" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 3 : index, other = 1 : index, slot = 98 : index}
  vyre.wave "peak99" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 3 : index, other = 2 : index, slot = 99 : index}
  vyre.wave "peak100" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 3 : index, other = 4 : index, slot = 100 : index}
  vyre.wave "agree101" @agree grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 3 : index, other = 4 : index, slot = 101 : index}
  vyre.wave "peak102" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 3 : index, other = 5 : index, slot = 102 : index}
  vyre.wave "agree103" @agree grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 3 : index, other = 5 : index, slot = 103 : index}
  vyre.wave "peak104" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 3 : index, other = 6 : index, slot = 104 : index}
  vyre.wave "agree105" @agree grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 3 : index, other = 6 : index, slot = 105 : index}
  vyre.wave "peak106" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 3 : index, other = 7 : index, slot = 106 : index}
  vyre.wave "agree107" @agree grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 3 : index, other = 7 : index, slot = 107 : index}
  vyre.wave "usual108" @usual grid [1, 1, 1] after [] bytes [8192, 128, 4] with {field = 3 : index, other = 4 : index, place = 0 : i32, slot = 108 : index}
  vyre.wave "usual109" @usual grid [1, 1, 1] after [] bytes [8192, 128, 4] with {field = 3 : index, other = 4 : index, place = 5 : i32, slot = 109 : index}
  vyre.wave "over110" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 4 : index, bound = 75 : i32, slot = 110 : index}
  vyre.wave "over111" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 4 : index, bound = 150 : i32, slot = 111 : index}
  vyre.wave "over112" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 4 : index, bound = 225 : i32, slot = 112 : index}
  vyre.wave "over113" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 4 : index, bound = 300 : i32, slot = 113 : index}
  vyre.wave "over114" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 4 : index, bound = 375 : i32, slot = 114 : index}
  vyre.wave "over115" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 4 : index, bound = 450 : i32, slot = 115 : index}
  vyre.wave "over116" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 4 : index, bound = 525 : i32, slot = 116 : index}
  vyre.wave "over117" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 4 : index, bound = 600 : i32, slot = 117 : index}
  vyre.wave "over118" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 4 : index, bound = 675 : i32, slot = 118 : index}
  vyre.wave "over119" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 4 : index, bound = 750 : i32, slot = 119 : index}
  vyre.wave "over120" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 4 : index, bound = 825 : i32, slot = 120 : index}
  vyre.wave "over121" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 4 : index, bound = 900 : i32, slot = 121 : index}
  vyre.wave "over122" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 4 : index, bound = 975 : i32, slot = 122 : index}
  vyre.wave "peak123" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 4 : index, other = 0 : index, slot = 123 : index}
  vyre.wave "peak124" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 4 : index, other = 1 : index, slot = 124 : index}
  vyre.wave "peak125" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 4 : index, other = 2 : index, slot = 125 : index}
  vyre.wave "peak126" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 4 : index, other = 3 : index, slot = 126 : index}
  vyre.wave "peak127" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 4 : index, other = 5 : index, slot = 127 : index}
  vyre.wave "agree128" @agree grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 4 : index, other = 5 : index, slot = 128 : index}
  vyre.wave "peak129" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 4 : index, other = 6 : index, slot = 129 : index}
  vyre.wave "agree130" @agree grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 4 : index, other = 6 : index, slot = 130 : index}
  vyre.wave "peak131" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 4 : index, other = 7 : index, slot = 131 : index}
  vyre.wave "agree132" @agree grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 4 : index, other = 7 : index, slot = 132 : index}
  vyre.wave "usual133" @usual grid [1, 1, 1] after [] bytes [8192, 128, 4] with {field = 4 : index, other = 5 : index, place = 0 : i32, slot = 133 : index}
  vyre.wave "usual134" @usual grid [1, 1, 1] after [] bytes [8192, 128, 4] with {field = 4 : index, other = 5 : index, place = 5 : i32, slot = 134 : index}
  vyre.wave "over135" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 5 : index, bound = 75 : i32, slot = 135 : index}
  vyre.wave "over136" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 5 : index, bound = 150 : i32, slot = 136 : index}
  vyre.wave "over137" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 5 : index, bound = 225 : i32, slot = 137 : index}
  vyre.wave "over138" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 5 : index, bound = 300 : i32, slot = 138 : index}
  vyre.wave "over139" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 5 : index, bound = 375 : i32, slot = 139 : index}
  vyre.wave "over140" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 5 : index, bound = 450 : i32, slot = 140 : index}
  vyre.wave "over141" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 5 : index, bound = 525 : i32, slot = 141 : index}
  vyre.wave "over142" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 5 : index, bound = 600 : i32, slot = 142 : index}
  vyre.wave "over143" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 5 : index, bound = 675 : i32, slot = 143 : index}
  vyre.wave "over144" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 5 : index, bound = 750 : i32, slot = 144 : index}
  vyre.wave "over145" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 5 : index, bound = 825 : i32, slot = 145 : index}
  vyre.wave "over146" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 5 : index, bound = 900 : i32, slot = 146 : index}
  vyre.wave "over147" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 5 : index, bound = 975 : i32, slot = 147 : index}
  vyre.wave "peak148" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 5 : index, other = 0 : index, slot = 148 : index}
  vyre.wave "peak149" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 5 : index, other = 1 : index, slot = 149 : index}
  vyre.wave "peak150" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 5 : index, other = 2 : index, slot = 150 : index}
  vyre.wave "peak151" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 5 : index, other = 3 : index, slot = 151 : index}
  vyre.wave "peak152" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 5 : index, other = 4 : index, slot = 152 : index}
  vyre.wave "peak153" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 5 : index, other = 6 : index, slot = 153 : index}
  vyre.wave "agree154" @agree grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 5 : index, other = 6 : index, slot = 154 : index}
  vyre.wave "peak155" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 5 : index, other = 7 : index, slot = 155 : index}
  vyre.wave "agree156" @agree grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 5 : index, other = 7 : index, slot = 156 : index}
  vyre.wave "usual157" @usual grid [1, 1, 1] after [] bytes [8192, 128, 4] with {field = 5 : index, other = 6 : index, place = 0 : i32, slot = 157 : index}
  vyre.wave "usual158" @usual grid [1, 1, 1] after [] bytes [8192, 128, 4] with {field = 5 : index, other = 6 : index, place = 5 : i32, slot = 158 : index}
  vyre.wave "over159" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 6 : index, bound = 75 : i32, slot = 159 : index}
  vyre.wave "over160" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 6 : index, bound = 150 : i32, slot = 160 : index}
  vyre.wave "over161" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 6 : index, bound = 225 : i32, slot = 161 : index}
  vyre.wave "over162" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 6 : index, bound = 300 : i32, slot = 162 : index}
  vyre.wave "over163" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 6 : index, bound = 375 : i32, slot = 163 : index}
  vyre.wave "over164" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 6 : index, bound = 450 : i32, slot = 164 : index}
  vyre.wave "over165" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 6 : index, bound = 525 : i32, slot = 165 : index}
  vyre.wave "over166" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 6 : index, bound = 600 : i32, slot = 166 : index}
  vyre.wave "over167" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 6 : index, bound = 675 : i32, slot = 167 : index}
  vyre.wave "over168" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 6 : index, bound = 750 : i32, slot = 168 : index}
  vyre.wave "over169" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 6 : index, bound = 825 : i32, slot = 169 : index}
  vyre.wave "over170" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 6 : index, bound = 900 : i32, slot = 170 : index}
  vyre.wave "over171" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 6 : index, bound = 975 : i32, slot = 171 : index}
  vyre.wave "peak172" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 6 : index, other = 0 : index, slot = 172 : index}
  vyre.wave "peak173" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 6 : index, other = 1 : index, slot = 173 : index}
  vyre.wave "peak174" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 6 : index, other = 2 : index, slot = 174 : index}
  vyre.wave "peak175" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 6 : index, other = 3 : index, slot = 175 : index}
  vyre.wave "peak176" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 6 : index, other = 4 : index, slot = 176 : index}
  vyre.wave "peak177" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 6 : index, other = 5 : index, slot = 177 : index}
  vyre.wave "peak178" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 6 : index, other = 7 : index, slot = 178 : index}
  vyre.wave "agree179" @agree grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 6 : index, other = 7 : index, slot = 179 : index}
  vyre.wave "usual180" @usual grid [1, 1, 1] after [] bytes [8192, 128, 4] with {field = 6 : index, other = 7 : index, place = 0 : i32, slot = 180 : index}
  vyre.wave "usual181" @usual grid [1, 1, 1] after [] bytes [8192, 128, 4] with {field = 6 : index, other = 7 : index, place = 5 : i32, slot = 181 : index}
  vyre.wave "over182" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 7 : index, bound = 75 : i32, slot = 182 : index}
  vyre.wave "over183" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 7 : index, bound = 150 : i32, slot = 183 : index}
  vyre.wave "over184" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 7 : index, bound = 225 : i32, slot = 184 : index}
  vyre.wave "over185" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 7 : index, bound = 300 : i32, slot = 185 : index}
  vyre.wave "over186" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 7 : index, bound = 375 : i32, slot = 186 : index}
  vyre.wave "over187" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 7 : index, bound = 450 : i32, slot = 187 : index}
  vyre.wave "over188" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 7 : index, bound = 525 : i32, slot = 188 : index}
  vyre.wave "over189" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 7 : index, bound = 600 : i32, slot = 189 : index}
  vyre.wave "over190" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 7 : index, bound = 675 : i32, slot = 190 : index}
  vyre.wave "over191" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 7 : index, bound = 750 : i32, slot = 191 : index}
  vyre.wave "over192" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 7 : index, bound = 825 : i32, slot = 192 : index}
  vyre.wave "over193" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 7 : index, bound = 900 : i32, slot = 193 : index}
  vyre.wave "over194" @over grid [1, 1, 1] after [] bytes [4096, 0, 4] with {field = 7 : index, bound = 975 : i32, slot = 194 : index}
  vyre.wave "peak195" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 7 : index, other = 0 : index, slot = 195 : index}
  vyre.wave "peak196" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 7 : index, other = 1 : index, slot = 196 : index}
  vyre.wave "peak197" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 7 : index, other = 2 : index, slot = 197 : index}
  vyre.wave "peak198" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 7 : index, other = 3 : index, slot = 198 : index}
  vyre.wave "peak199" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 7 : index, other = 4 : index, slot = 199 : index}
  vyre.wave "peak200" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 7 : index, other = 5 : index, slot = 200 : index}
  vyre.wave "peak201" @peak grid [1, 1, 1] after [] bytes [8192, 0, 4] with {field = 7 : index, other = 6 : index, slot = 201 : index}
  vyre.wave "usual202" @usual grid [1, 1, 1] after [] bytes [8192, 128, 4] with {field = 7 : index, other = 0 : index, place = 0 : i32, slot = 202 : index}
  vyre.wave "usual203" @usual grid [1, 1, 1] after [] bytes [8192, 128, 4] with {field = 7 : index, other = 0 : index, place = 5 : i32, slot = 203 : index}
  vyre.wave "near204" @near grid [1, 1, 1] after ["peak13"] bytes [4100, 0, 4] with {field = 0 : index, peak = 13 : index, slot = 204 : index}
  vyre.wave "near205" @near grid [1, 1, 1] after ["peak15"] bytes [4100, 0, 4] with {field = 0 : index, peak = 15 : index, slot = 205 : index}
  vyre.wave "near206" @near grid [1, 1, 1] after ["peak17"] bytes [4100, 0, 4] with {field = 0 : index, peak = 17 : index, slot = 206 : index}
  vyre.wave "near207" @near grid [1, 1, 1] after ["peak19"] bytes [4100, 0, 4] with {field = 0 : index, peak = 19 : index, slot = 207 : index}
  vyre.wave "near208" @near grid [1, 1, 1] after ["peak21"] bytes [4100, 0, 4] with {field = 0 : index, peak = 21 : index, slot = 208 : index}
  vyre.wave "near209" @near grid [1, 1, 1] after ["peak23"] bytes [4100, 0, 4] with {field = 0 : index, peak = 23 : index, slot = 209 : index}
  vyre.wave "near210" @near grid [1, 1, 1] after ["peak25"] bytes [4100, 0, 4] with {field = 0 : index, peak = 25 : index, slot = 210 : index}
  vyre.wave "near211" @near grid [1, 1, 1] after ["peak42"] bytes [4100, 0, 4] with {field = 0 : index, peak = 42 : index, slot = 211 : index}
  vyre.wave "near212" @near grid [1, 1, 1] after ["peak43"] bytes [4100, 0, 4] with {field = 0 : index, peak = 43 : index, slot = 212 : index}
  vyre.wave "near213" @near grid [1, 1, 1] after ["peak45"] bytes [4100, 0, 4] with {field = 0 : index, peak = 45 : index, slot = 213 : index}
  vyre.wave "near214" @near grid [1, 1, 1] after ["peak42"] bytes [4100, 0, 4] with {field = 1 : index, peak = 42 : index, slot = 214 : index}
  vyre.wave "near215" @near grid [1, 1, 1] after ["peak43"] bytes [4100, 0, 4] with {field = 1 : index, peak = 43 : index, slot = 215 : index}
  vyre.wave "near216" @near grid [1, 1, 1] after ["peak45"] bytes [4100, 0, 4] with {field = 1 : index, peak = 45 : index, slot = 216 : index}
  vyre.wave "near217" @near grid [1, 1, 1] after ["peak47"] bytes [4100, 0, 4] with {field = 1 : index, peak = 47 : index, slot = 217 : index}
  vyre.wave "near218" @near grid [1, 1, 1] after ["peak49"] bytes [4100, 0, 4] with {field = 1 : index, peak = 49 : index, slot = 218 : index}
  vyre.wave "near219" @near grid [1, 1, 1] after ["peak51"] bytes [4100, 0, 4] with {field = 1 : index, peak = 51 : index, slot = 219 : index}
  vyre.wave "near220" @near grid [1, 1, 1] after ["peak53"] bytes [4100, 0, 4] with {field = 1 : index, peak = 53 : index, slot = 220 : index}
  vyre.wave "near221" @near grid [1, 1, 1] after ["peak70"] bytes [4100, 0, 4] with {field = 1 : index, peak = 70 : index, slot = 221 : index}
  vyre.wave "near222" @near grid [1, 1, 1] after ["peak71"] bytes [4100, 0, 4] with {field = 1 : index, peak = 71 : index, slot = 222 : index}
  vyre.wave "near223" @near grid [1, 1, 1] after ["peak72"] bytes [4100, 0, 4] with {field = 1 : index, peak = 72 : index, slot = 223 : index}
  vyre.wave "near224" @near grid [1, 1, 1] after ["peak70"] bytes [4100, 0, 4] with {field = 2 : index, peak = 70 : index, slot = 224 : index}
  vyre.wave "near225" @near grid [1, 1, 1] after ["peak71"] bytes [4100, 0, 4] with {field = 2 : index, peak = 71 : index, slot = 225 : index}
  vyre.wave "near226" @near grid [1, 1, 1] after ["peak72"] bytes [4100, 0, 4] with {field = 2 : index, peak = 72 : index, slot = 226 : index}
  vyre.wave "near227" @near grid [1, 1, 1] after ["peak74"] bytes [4100, 0, 4] with {field = 2 : index, peak = 74 : index, slot = 227 : index}
  vyre.wave "near228" @near grid [1, 1, 1] after ["peak76"] bytes [4100, 0, 4] with {field = 2 : index, peak = 76 : index, slot = 228 : index}
  vyre.wave "near229" @near grid [1, 1, 1] after ["peak78"] bytes [4100, 0, 4] with {field = 2 : index, peak = 78 : index, slot = 229 : index}
  vyre.wave "near230" @near grid [1, 1, 1] after ["peak80"] bytes [4100, 0, 4] with {field = 2 : index, peak = 80 : index, slot = 230 : index}
  vyre.wave "near231" @near grid [1, 1, 1] after ["peak97"] bytes [4100, 0, 4] with {field = 2 : index, peak = 97 : index, slot = 231 : index}
  vyre.wave "near232" @near grid [1, 1, 1] after ["peak98"] bytes [4100, 0, 4] with {field = 2 : index, peak = 98 : index, slot = 232 : index}
  vyre.wave "near233" @near grid [1, 1, 1] after ["peak99"] bytes [4100, 0, 4] with {field = 2 : index, peak = 99 : index, slot = 233 : index}
  vyre.wave "near234" @near grid [1, 1, 1] after ["peak97"] bytes [4100, 0, 4] with {field = 3 : index, peak = 97 : index, slot = 234 : index}
  vyre.wave "near235" @near grid [1, 1, 1] after ["peak98"] bytes [4100, 0, 4] with {field = 3 : index, peak = 98 : index, slot = 235 : index}
  vyre.wave "near236" @near grid [1, 1, 1] after ["peak99"] bytes [4100, 0, 4] with {field = 3 : index, peak = 99 : index, slot = 236 : index}
  vyre.wave "near237" @near grid [1, 1, 1] after ["peak100"] bytes [4100, 0, 4] with {field = 3 : index, peak = 100 : index, slot = 237 : index}
  vyre.wave "near238" @near grid [1, 1, 1] after ["peak102"] bytes [4100, 0, 4] with {field = 3 : index, peak = 102 : index, slot = 238 : index}
  vyre.wave "near239" @near grid [1, 1, 1] after ["peak104"] bytes [4100, 0, 4] with {field = 3 : index, peak = 104 : index, slot = 239 : index}
  vyre.wave "near240" @near grid [1, 1, 1] after ["peak106"] bytes [4100, 0, 4] with {field = 3 : index, peak = 106 : index, slot = 240 : index}
  vyre.wave "near241" @near grid [1, 1, 1] after ["peak123"] bytes [4100, 0, 4] with {field = 3 : index, peak = 123 : index, slot = 241 : index}
  vyre.wave "near242" @near grid [1, 1, 1] after ["peak124"] bytes [4100, 0, 4] with {field = 3 : index, peak = 124 : index, slot = 242 : index}
  vyre.wave "near243" @near grid [1, 1, 1] after ["peak125"] bytes [4100, 0, 4] with {field = 3 : index, peak = 125 : index, slot = 243 : index}
  vyre.wave "near244" @near grid [1, 1, 1] after ["peak123"] bytes [4100, 0, 4] with {field = 4 : index, peak = 123 : index, slot = 244 : index}
  vyre.wave "near245" @near grid [1, 1, 1] after ["peak124"] bytes [4100, 0, 4] with {field = 4 : index, peak = 124 : index, slot = 245 : index}
  vyre.wave "near246" @near grid [1, 1, 1] after ["peak125"] bytes [4100, 0, 4] with {field = 4 : index, peak = 125 : index, slot = 246 : index}
  vyre.wave "near247" @near grid [1, 1, 1] after ["peak126"] bytes [4100, 0, 4] with {field = 4 : index, peak = 126 : index, slot = 247 : index}
  vyre.wave "near248" @near grid [1, 1, 1] after ["peak127"] bytes [4100, 0, 4] with {field = 4 : index, peak = 127 : index, slot = 248 : index}
  vyre.wave "near249" @near grid [1, 1, 1] after ["peak129"] bytes [4100, 0, 4] with {field = 4 : index, peak = 129 : index, slot = 249 : index}
  vyre.wave "near250" @near grid [1, 1, 1] after ["peak131"] bytes [4100, 0, 4] with {field = 4 : index, peak = 131 : index, slot = 250 : index}
  vyre.wave "near251" @near grid [1, 1, 1] after ["peak148"] bytes [4100, 0, 4] with {field = 4 : index, peak = 148 : index, slot = 251 : index}
  vyre.wave "near252" @near grid [1, 1, 1] after ["peak149"] bytes [4100, 0, 4] with {field = 4 : index, peak = 149 : index, slot = 252 : index}
  vyre.wave "near253" @near grid [1, 1, 1] after ["peak150"] bytes [4100, 0, 4] with {field = 4 : index, peak = 150 : index, slot = 253 : index}
  vyre.wave "near254" @near grid [1, 1, 1] after ["peak148"] bytes [4100, 0, 4] with {field = 5 : index, peak = 148 : index, slot = 254 : index}
  vyre.wave "near255" @near grid [1, 1, 1] after ["peak149"] bytes [4100, 0, 4] with {field = 5 : index, peak = 149 : index, slot = 255 : index}
  vyre.wave "near256" @near grid [1, 1, 1] after ["peak150"] bytes [4100, 0, 4] with {field = 5 : index, peak = 150 : index, slot = 256 : index}
  vyre.wave "near257" @near grid [1, 1, 1] after ["peak151"] bytes [4100, 0, 4] with {field = 5 : index, peak = 151 : index, slot = 257 : index}
  vyre.wave "near258" @near grid [1, 1, 1] after ["peak152"] bytes [4100, 0, 4] with {field = 5 : index, peak = 152 : index, slot = 258 : index}
  vyre.wave "near259" @near grid [1, 1, 1] after ["peak153"] bytes [4100, 0, 4] with {field = 5 : index, peak = 153 : index, slot = 259 : index}
  vyre.wave "near260" @near grid [1, 1, 1] after ["peak155"] bytes [4100, 0, 4] with {field = 5 : index, peak = 155 : index, slot = 260 : index}
  vyre.wave "near261" @near grid [1, 1, 1] after ["peak172"] bytes [4100, 0, 4] with {field = 5 : index, peak = 172 : index, slot = 261 : index}
  vyre.wave "near262" @near grid [1, 1, 1] after ["peak173"] bytes [4100, 0, 4] with {field = 5 : index, peak = 173 : index, slot = 262 : index}
  vyre.wave "near263" @near grid [1, 1, 1] after ["peak174"] bytes [4100, 0, 4] with {field = 5 : index, peak = 174 : index, slot = 263 : index}
  vyre.wave "near264" @near grid [1, 1, 1] after ["peak172"] bytes [4100, 0, 4] with {field = 6 : index, peak = 172 : index, slot = 264 : index}
  vyre.wave "near265" @near grid [1, 1, 1] after ["peak173"] bytes [4100, 0, 4] with {field = 6 : index, peak = 173 : index, slot = 265 : index}
  vyre.wave "near266" @near grid [1, 1, 1] after ["peak174"] bytes [4100, 0, 4] with {field = 6 : index, peak = 174 : index, slot = 266 : index}
  vyre.wave "near267" @near grid [1, 1, 1] after ["peak175"] bytes [4100, 0, 4] with {field = 6 : index, peak = 175 : index, slot = 267 : index}
  vyre.wave "near268" @near grid [1, 1, 1] after ["peak176"] bytes [4100, 0, 4] with {field = 6 : index, peak = 176 : index, slot = 268 : index}
  vyre.wave "near269" @near grid [1, 1, 1] after ["peak177"] bytes [4100, 0, 4] with {field = 6 : index, peak = 177 : index, slot = 269 : index}
  vyre.wave "near270" @near grid [1, 1, 1] after ["peak178"] bytes [4100, 0, 4] with {field = 6 : index, peak = 178 : index, slot = 270 : index}
  vyre.wave "near271" @near grid [1, 1, 1] after ["peak195"] bytes [4100, 0, 4] with {field = 6 : index, peak = 195 : index, slot = 271 : index}
  vyre.wave "near272" @near grid [1, 1, 1] after ["peak196"] bytes [4100, 0, 4] with {field = 6 : index, peak = 196 : index, slot = 272 : index}
  vyre.wave "near273" @near grid [1, 1, 1] after ["peak197"] bytes [4100, 0, 4] with {field = 6 : index, peak = 197 : index, slot = 273 : index}
  vyre.wave "near274" @near grid [1, 1, 1] after ["peak195"] bytes [4100, 0, 4] with {field = 7 : index, peak = 195 : index, slot = 274 : index}
  vyre.wave "near275" @near grid [1, 1, 1] after ["peak196"] bytes [4100, 0, 4] with {field = 7 : index, peak = 196 : index, slot = 275 : index}
  vyre.wave "near276" @near grid [1, 1, 1] after ["peak197"] bytes [4100, 0, 4] with {field = 7 : index, peak = 197 : index, slot = 276 : index}
  vyre.wave "near277" @near grid [1, 1, 1] after ["peak198"] bytes [4100, 0, 4] with {field = 7 : index, peak = 198 : index, slot = 277 : index}
  vyre.wave "near278" @near grid [1, 1, 1] after ["peak199"] bytes [4100, 0, 4] with {field = 7 : index, peak = 199 : index, slot = 278 : index}
  vyre.wave "near279" @near grid [1, 1, 1] after ["peak200"] bytes [4100, 0, 4] with {field = 7 : index, peak = 200 : index, slot = 279 : index}
  vyre.wave "near280" @near grid [1, 1, 1] after ["peak201"] bytes [4100, 0, 4] with {field = 7 : index, peak = 201 : index, slot = 280 : index}
  vyre.wave "near281" @near grid [1, 1, 1] after ["peak13"] bytes [4100, 0, 4] with {field = 7 : index, peak = 13 : index, slot = 281 : index}
  vyre.wave "near282" @near grid [1, 1, 1] after ["peak15"] bytes [4100, 0, 4] with {field = 7 : index, peak = 15 : index, slot = 282 : index}
  vyre.wave "near283" @near grid [1, 1, 1] after ["peak17"] bytes [4100, 0, 4] with {field = 7 : index, peak = 17 : index, slot = 283 : index}
  vyre.wave "verdict284" @verdict grid [1, 1, 1] after ["near204", "near205"] bytes [8, 0, 4] with {one = 204 : index, other = 205 : index, slot = 284 : index}
  vyre.wave "verdict285" @verdict grid [1, 1, 1] after ["near206", "near213"] bytes [8, 0, 4] with {one = 206 : index, other = 213 : index, slot = 285 : index}
  vyre.wave "verdict286" @verdict grid [1, 1, 1] after ["near214", "near215"] bytes [8, 0, 4] with {one = 214 : index, other = 215 : index, slot = 286 : index}
  vyre.wave "verdict287" @verdict grid [1, 1, 1] after ["near216", "near223"] bytes [8, 0, 4] with {one = 216 : index, other = 223 : index, slot = 287 : index}
  vyre.wave "verdict288" @verdict grid [1, 1, 1] after ["near224", "near225"] bytes [8, 0, 4] with {one = 224 : index, other = 225 : index, slot = 288 : index}
  vyre.wave "verdict289" @verdict grid [1, 1, 1] after ["near226", "near233"] bytes [8, 0, 4] with {one = 226 : index, other = 233 : index, slot = 289 : index}
  vyre.wave "verdict290" @verdict grid [1, 1, 1] after ["near234", "near235"] bytes [8, 0, 4] with {one = 234 : index, other = 235 : index, slot = 290 : index}
  vyre.wave "verdict291" @verdict grid [1, 1, 1] after ["near236", "near243"] bytes [8, 0, 4] with {one = 236 : index, other = 243 : index, slot = 291 : index}
  vyre.wave "verdict292" @verdict grid [1, 1, 1] after ["near244", "near245"] bytes [8, 0, 4] with {one = 244 : index, other = 245 : index, slot = 292 : index}
  vyre.wave "verdict293" @verdict grid [1, 1, 1] after ["near246", "near253"] bytes [8, 0, 4] with {one = 246 : index, other = 253 : index, slot = 293 : index}
  vyre.wave "verdict294" @verdict grid [1, 1, 1] after ["near254", "near255"] bytes [8, 0, 4] with {one = 254 : index, other = 255 : index, slot = 294 : index}
  vyre.wave "verdict295" @verdict grid [1, 1, 1] after ["near256", "near263"] bytes [8, 0, 4] with {one = 256 : index, other = 263 : index, slot = 295 : index}
  vyre.wave "verdict296" @verdict grid [1, 1, 1] after ["near264", "near265"] bytes [8, 0, 4] with {one = 264 : index, other = 265 : index, slot = 296 : index}
  vyre.wave "verdict297" @verdict grid [1, 1, 1] after ["near266", "near273"] bytes [8, 0, 4] with {one = 266 : index, other = 273 : index, slot = 297 : index}
  vyre.wave "verdict298" @verdict grid [1, 1, 1] after ["near274", "near275"] bytes [8, 0, 4] with {one = 274 : index, other = 275 : index, slot = 298 : index}
  vyre.wave "verdict299" @verdict grid [1, 1, 1] after ["near276", "near283"] bytes [8, 0, 4] with {one = 276 : index, other = 283 : index, slot = 299 : index}
}
