"""Programs of which each segment adds one, so that a result tells how many have run."""

from split_cases import SYNC, A, program

ADD_ONE = """
  vyre.region {
    %is_first = arith.cmpi eq, %x, %c0 : index
    scf.if %is_first {
      %v = vyre.load %a[%c0] : memref<?xi32>
      %more = arith.addi %v, %i1 : i32
      vyre.store %more, %a[%c0] : memref<?xi32>
    }
  }
"""

ADD_ONE_UP_TO_3 = ADD_ONE.replace("%more, %a", "%top, %a").replace(
    "vyre.store", "%top = arith.minsi %more, %i3 : i32\n      vyre.store"
)


FOLLOWS_A = "[4, 1, 1] grid_from {a = array<i64: 0>}"
"""Workgroups of four, and an inferred grid with an invocation per element of `a`."""


def counting(segments: int, step: str = ADD_ONE) -> str:
    """The step, so many times, with grid barriers between."""
    return program(A, f"\n{SYNC}\n".join([step] * segments), workgroup=FOLLOWS_A)


def segments_of_two_buffers(segments: int) -> str:
    """Every segment adds one to all elements of `a` and of `b`."""
    b = '%b = vyre.buffer "b" read_write binding 2 : memref<?xi32>'
    step = "".join(
        f"""
          vyre.region {{
            %v = vyre.load %{name}[%x] : memref<?xi32>
            %more = arith.addi %v, %i1 : i32
            vyre.store %more, %{name}[%x] : memref<?xi32>
          }}
        """
        for name in "ab"
    )
    return program(A, b, f"\n{SYNC}\n".join([step] * segments))
