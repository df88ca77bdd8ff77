"""Programs that tests of the CUDA engine run."""

from split_cases import SYNC, A, program


def counting_loop() -> str:
    """
    Counts in `a[0]` up to `n`, in a loop whose condition the host would read; `steps` is
    what the loop counted itself.
    """
    return program(
        A,
        '%steps = vyre.buffer "steps" write_only binding 2 output : memref<2xi32>',
        '%n = vyre.param "n" : i32',
        f"""
  %end = scf.while (%k = %i0) : (i32) -> (i32) {{
    {SYNC}
    %v = vyre.load %a[%c0] : memref<?xi32>
    %go = arith.cmpi slt, %v, %n : i32
    scf.condition(%go) %k : i32
  }} do {{
  ^bb0(%k: i32):
    {SYNC}
    %is_first = arith.cmpi eq, %x, %c0 : index
    scf.if %is_first {{
      %u = vyre.load %a[%c0] : memref<?xi32>
      %w = arith.addi %u, %i1 : i32
      vyre.store %w, %a[%c0] : memref<?xi32>
    }}
    {SYNC}
    %next = arith.addi %k, %i1 : i32
    scf.yield %next : i32
  }}
  vyre.store %end, %steps[%c0] : memref<2xi32>
""",
    )


_TRAP = """
  vyre.region {{
    %bad = arith.cmpi uge, %x32, %t{k} : i32
    scf.if %bad {{
      %shown = arith.subi %x32, %i100 : i32
      vyre.trap "part {k}" at %shown : i32
    }}
  }}
"""


def trapping(segments: int) -> str:
    """Part k traps in all invocations from `tk` on."""
    params = [f'%t{k} = vyre.param "t{k}" : i32' for k in range(segments)]
    parts = [_TRAP.format(k=k) for k in range(segments)]
    return program(A, *params, f"\n{SYNC}\n".join(parts))
