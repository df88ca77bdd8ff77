// RUN: vyre-opt %s -p 'vyre-plan-megakernel{budget=120 graph=20 packing=best}' -t vyre-plan | filecheck %s --strict-whitespace --match-full-lines
// RUN: vyre-opt %s -p 'vyre-plan-megakernel{budget=120 graph=20 packing=best}' -t vyre-plan-svg | filecheck %s --check-prefix SVG

// What only waves run has no plan of its own: the picture is of @m alone.
//      CHECK:@m: 5 waves in 3 groups: 2 grid barriers; budget 120 B, of which 20 B are resident
// CHECK-EMPTY:
// CHECK-NEXT:                frontier  scratch  output  needed
// CHECK-NEXT:  layer 0: 4 waves in 2 groups
// CHECK-NEXT:    0  2 waves       100        0       0     120  100%  a, c
// CHECK-NEXT:    1  2 waves       100        0       0     120  100%  b, d
// CHECK-NEXT:  layer 1: 1 wave
// CHECK-NEXT:    2  1 wave          8        4      12      56   46%  sum
// CHECK-EMPTY:
// CHECK-NEXT:  packing   barriers  frontier  scratch  output  readback  widest
// CHECK-NEXT:  best             2       100        4      12        12       2  taken
// CHECK-NEXT:  in order         3       100        4      12        12       2
// SVG: aria-label="plan of @m"
// SVG: <text class="title" {{.*}}>@m</text>
// SVG: <text class="label" {{.*}}>layer 0: 4 waves in 2 groups</text>
// SVG: <text class="segment" {{.*}}>group 0</text>
// SVG: <rect class="wave" {{.*}}><title>"a" @scale, bytes [60, 0, 0]</title></rect>
// SVG: <rect class="graph" {{.*}}><title>resident graph: 20 B</title></rect>
// SVG: <rect class="frontier" {{.*}}><title>frontier: 100 B</title></rect>
// SVG: <rect class="scratch" {{.*}}><title>scratch, counted 4 times: 16 B</title></rect>
// SVG: <path class="grid-barrier" {{.*}}><title>grid barrier</title></path>
// SVG: <path class="budget" {{.*}}><title>120 B</title></path>
// SVG: <text class="name" {{.*}}>best (taken)</text>
vyre.program @scale [4, 1, 1] {
  %x = vyre.buffer "x" read_only binding 0 : memref<8xi32>
  %y = vyre.buffer "y" write_only binding 1 : memref<8xi32>
  %i = vyre.invocation_id x
  %v = vyre.load %x[%i] : memref<8xi32>
  vyre.store %v, %y[%i] : memref<8xi32>
}
vyre.megakernel @m {
  vyre.wave "a" @scale after [] bytes [60, 0, 0]
  vyre.wave "b" @scale after [] bytes [60, 0, 0]
  vyre.wave "c" @scale after [] bytes [40, 0, 0]
  vyre.wave "d" @scale after [] bytes [40, 0, 0]
  vyre.wave "sum" @scale after ["a", "b"] bytes [8, 4, 12]
}
