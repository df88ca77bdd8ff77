"""Programs that repeat a step until nothing changes, with their rounds written out."""

from split_cases import program

FIXPOINT_TABLE = """
  %current = vyre.buffer "current" read_write binding 0 : memref<?xi32>
  %next = vyre.buffer "next" read_write binding 1 : memref<?xi32>
  %changed = vyre.buffer "changed" read_write binding 2 : memref<?xi32>
  %gave_up = vyre.buffer "gave_up" write_only binding 3 output : memref<1xi32>
  %words = vyre.length %current, 0 : memref<?xi32>
  %is_word = arith.cmpi ult, %x, %words : index
"""

ROUND = """
  vyre.region "round" {{
    {transfer}
    vyre.barrier grid_sync
    scf.if %is_word {{
      %c = vyre.load %current[%x] : memref<?xi32>
      %n = vyre.load %next[%x] : memref<?xi32>
      %differs = arith.cmpi ne, %c, %n : i32
      scf.if %differs {{
        %was_set = vyre.atomic or %i1, %changed[%c{round}] : memref<?xi32>
      }}
      vyre.store %n, %current[%x] : memref<?xi32>
    }}
    vyre.barrier grid_sync
    %flag = vyre.load %changed[%c{round}] : memref<?xi32>
    %is_done = arith.cmpi eq, %flag, %i0 : i32
    scf.if %is_done {{
      vyre.return
    }}
  }}
"""


def unrolled_fixpoint(transfer: str, rounds: int, table: str = "") -> str:
    """
    At most `rounds` rounds, two barriers each: `transfer` computes `next` from `current`;
    the words that differ are copied back and set `changed` of the round; all return if
    there are none. If the rounds are used up, `gave_up` says so.
    """
    code = "\n".join(ROUND.format(transfer=transfer, round=k) for k in range(rounds))
    give_up = "vyre.store %i1, %gave_up[%c0] : memref<1xi32>"
    return program(FIXPOINT_TABLE, table, code, give_up)
