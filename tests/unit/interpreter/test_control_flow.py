"""Loops, branches and variables."""

import numpy as np
import pytest
from small_programs import STORE, run

import vyre


@pytest.mark.parametrize(
    ("type", "lower", "upper", "step", "trips"),
    [
        ("index", 0, 5, 2, [0, 2, 4]),
        ("index", 3, 3, 1, []),
        ("index", 5, 0, 1, []),
        ("index", 0, 5, 0, []),
        ("index", 0, 5, -1, []),
        ("index", -3, 2, 2, [-3, -1, 1]),
        ("i8", 100, 127, 20, [100, 120]),
        ("i8", -128, 127, 100, [-128, -28, 72]),
        ("i64", 2**63 - 3, 2**63 - 1, 5, [2**63 - 3]),
        ("index", -(2**63), 2**63 - 1, 2**62, [-(2**63), -(2**62), 0, 2**62]),
    ],
)
def test_trips_of_a_for_loop(
    type: str, lower: int, upper: int, step: int, trips: list[int]
):
    """Also where the induction variable would wrap around."""
    # The value 0, once for all invocations and once for each of them.
    nothing = {
        "i8": "arith.trunci %x64 : i64 to i8",
        "i64": "arith.addi %x64, %x64 : i64",
        "index": "arith.index_cast %x64 : i64 to index",
    }[type]
    loop_type = "" if type == "index" else f": {type}"
    for origin in ('vyre.param "none" : index', "vyre.invocation_id x"):
        names = ["lb", "ub", "st"]
        params = "".join(f'%{n}_p = vyre.param "{n}" : {type}\n' for n in names)
        values = "".join(f"%{n} = arith.addi %{n}_p, %nil : {type}\n" for n in names)
        exe = vyre.compile(
            f"""
vyre.program @p [2, 1, 1] {{
  %seen = vyre.buffer "seen" read_write binding 0 : memref<8x{type}>
  %count = vyre.buffer "count" read_write binding 1 : memref<1xindex>
  {params}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %origin = {origin}
  %same = arith.subi %origin, %origin : index
  %x64 = arith.index_cast %same : index to i64
  %nil = {nothing}
  {values}
  %r = scf.for %k = %lb to %ub step %st iter_args(%n = %c0) -> (index) {loop_type} {{
    vyre.store %k, %seen[%n] : memref<8x{type}>
    %n1 = arith.addi %n, %c1 : index
    scf.yield %n1 : index
  }}
  vyre.store %r, %count[%c0] : memref<1xindex>
}}
""",
            engine="reference",
        )
        dtype = {"i8": np.int8, "i64": np.int64, "index": np.int64}[type]
        arguments: dict[str, object] = {
            "seen": np.zeros(8, dtype),
            "count": np.zeros(1, np.int64),
            "lb": lower,
            "ub": upper,
            "st": step,
        }
        if "param" in origin:
            arguments["none"] = 0
        result = exe(arguments, grid=1)
        assert list(result["seen"][: result["count"][0]]) == trips


def test_divergent_while_keeps_each_invocations_own_values():
    found = run(f"""
  %r:2 = scf.while (%n = %x32, %steps = %zero) : (i32, i32) -> (i32, i32) {{
    %go = arith.cmpi sgt, %n, %one : i32
    scf.condition(%go) %n, %steps : i32, i32
  }} do {{
  ^bb0(%n: i32, %steps: i32):
    %two = arith.constant 2 : i32
    %three = arith.constant 3 : i32
    %odd = arith.andi %n, %one : i32
    %is_odd = arith.trunci %odd : i32 to i1
    %next = scf.if %is_odd -> (i32) {{
      %a = arith.muli %n, %three : i32
      %b = arith.addi %a, %one : i32
      scf.yield %b : i32
    }} else {{
      %h = arith.divui %n, %two : i32
      scf.yield %h : i32
    }}
    %more = arith.addi %steps, %one : i32
    scf.yield %next, %more : i32, i32
  }}
  %v = arith.addi %r#1, %zero : i32
  {STORE}
""")

    def collatz(n: int) -> int:
        return 0 if n <= 1 else 1 + collatz(n * 3 + 1 if n % 2 else n // 2)

    np.testing.assert_array_equal(found, [collatz(n) for n in range(8)])


def test_swapped_loop_values():
    found = run(f"""
  %three = arith.constant 3 : index
  %a, %b = scf.for %k = %c0 to %three step %c1
      iter_args(%p = %x32, %q = %one) -> (i32, i32) {{
    scf.yield %q, %p : i32, i32
  }}
  %ten = arith.constant 10 : i32
  %t = arith.muli %a, %ten : i32
  %v = arith.addi %t, %b : i32
  {STORE}
""")
    np.testing.assert_array_equal(found, [10 + x for x in range(8)])


def test_cells_are_per_invocation_and_survive_barriers():
    found = run(f"""
  %cell = vyre.let "total" = %x32 : i32
  scf.for %k = %c0 to %x step %c1 {{
    %old = vyre.get %cell : !vyre.cell<i32>
    %new = arith.addi %old, %one : i32
    vyre.assign %new, %cell : !vyre.cell<i32>
  }}
  vyre.barrier grid_sync
  %v = vyre.get %cell : !vyre.cell<i32>
  {STORE}
""")
    np.testing.assert_array_equal(found, np.arange(8) * 2)


def test_loops_over_one_bit_numbers_are_signed():
    """As a signed number `true` is -1, so there is nothing between false and true."""
    found = run(f"""
  %no = arith.constant false
  %yes = arith.constant true
  %v = scf.for %k = %no to %yes step %yes iter_args(%n = %zero) -> (i32) : i1 {{
    %more = arith.addi %n, %one : i32
    scf.yield %more : i32
  }}
  {STORE}
""")
    assert not found.any()
