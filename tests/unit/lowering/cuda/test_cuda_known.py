"""What is known about launches, and about a program's own memory, makes kernels shorter."""

from cuda_kernels import kernel_of, program_in

from vyre.analysis.extents import Setting

STRIDED = """
vyre.program @p [256, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?x8xi32>
  %c0 = arith.constant 0 : index
  %i = vyre.invocation_id x
  %groups = vyre.workgroup_count x
  %size = vyre.workgroup_size x
  %stride = arith.muli %groups, %size : index
  %rows = vyre.length %a, 0 : memref<?x8xi32>
  scf.for %row = %i to %rows step %stride {
    %old = vyre.load %a[%row, %c0] inbounds : memref<?x8xi32>
    %new = arith.addi %old, %old : i32
    vyre.store %new, %a[%row, %c0] inbounds : memref<?x8xi32>
  }
}
"""

TILE = """
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<64xi32>
  %tile = vyre.buffer "tile" workgroup : memref<64xi32>
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index
  %lane = vyre.local_id x
  %old = vyre.load %a[%lane] : memref<64xi32>
  TRAP
  STORE
  vyre.barrier acq_rel
  %next = arith.addi %lane, %c1 : index
  %there = arith.andi %next, %c63 : index
  %new = vyre.load %tile[%there] : memref<64xi32>
  vyre.store %new, %a[%lane] : memref<64xi32>
}
"""
STORE = "vyre.store %old, %tile[%lane] : memref<64xi32>"
TRAP = """
  %bad = arith.index_cast %old : i32 to index
  %is_bad = arith.cmpi eq, %bad, %c63 : index
  scf.if %is_bad {
    vyre.trap "bad" at %old : i32
  }
"""


def source(text: str, setting: Setting) -> str:
    return kernel_of(program_in(text), setting).source


def tile(*, store: str = STORE, trap: str = "") -> str:
    return source(TILE.replace("STORE", store).replace("TRAP", trap), Setting())


def test_loops_that_end_soon_do_not_look_at_the_stop_word():
    """Known sizes and a known grid bound the trips, of which 65536 are not many."""
    assert "vyre_stop" in source(STRIDED, Setting())
    assert "vyre_stop" in source(STRIDED, Setting((4, 1, 1)))
    few = Setting((4, 1, 1), {"a": (1024 * 65536, 8)})
    assert "vyre_stop" not in source(STRIDED, few)
    many = Setting((4, 1, 1), {"a": (1024 * 65536 + 1, 8)})
    assert "vyre_stop" in source(STRIDED, many)


def test_known_sizes_are_literals():
    """Nothing depends on the parameters, which launches pass all the same."""
    found = source(STRIDED, Setting((4, 1, 1), {"a": (5000, 8)}))
    head, _, body = found.partition(") {")
    assert "const unsigned long long a_size_0" in head
    assert "a_size_0" not in body
    assert "< 5000; " in body


def test_memory_that_is_overwritten_first_is_not_cleared():
    """Nobody can see the zeros, unless somebody traps before it stores."""
    assert "tile[threadIdx.x] = 0;" not in tile()
    assert "tile[threadIdx.x] = 0;" in tile(store="")
    assert "tile[threadIdx.x] = 0;" in tile(trap=TRAP)
