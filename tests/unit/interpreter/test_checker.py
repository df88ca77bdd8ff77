"""What the checker finds, and what it leaves alone."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vyre
from vyre.interpreter.checker import Finding
from vyre.runtime.errors import InvalidArgument

CONSTANTS = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %x = vyre.invocation_id x
  %l = vyre.local_id x
  %g = vyre.workgroup_id x
  %x32 = arith.index_cast %x : index to i32
  %first = arith.cmpi eq, %x, %c0 : index
"""


def check(
    body: str,
    grid: int = 2,
    *,
    timeout: float | None = None,
    kinds: Collection[str] | None = None,
    **arrays: Any,
) -> list[Finding]:
    """Findings of a program of 4 invocations per workgroup, with a buffer of 8 zeros."""
    exe = vyre.compile(
        f"""
vyre.program @p [4, 1, 1] {{
  %a = vyre.buffer "a" read_write binding 0 : memref<8xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<8xi32>
  %out = vyre.buffer "out" read_write binding 2 output : memref<8xi32>
  %tile = vyre.buffer "tile" workgroup : memref<4xi32>
{CONSTANTS}
{body}
}}
""",
        engine="reference",
    )
    given = {"a": np.zeros(8, np.int32), "b": np.zeros(8, np.int32)}
    arguments = {**given, **arrays}
    return exe.check(arguments, grid=grid, timeout=timeout, kinds=kinds)


def kinds(body: str, grid: int = 2) -> list[str]:
    return sorted({finding.kind for finding in check(body, grid)})


NEIGHBOUR = """
  %n = arith.addi %x, %c1 : index
  %c8 = arith.constant 8 : index
  %next = arith.remui %n, %c8 : index
"""
LOCAL_NEIGHBOUR = """
  %n = arith.addi %l, %c1 : index
  %next = arith.remui %n, %c4 : index
"""


def test_own_elements_are_fine():
    assert (
        kinds("""
  %v = vyre.load %a[%x] : memref<8xi32>
  vyre.store %v, %a[%x] : memref<8xi32>
  %w = vyre.load %a[%x] : memref<8xi32>
  vyre.store %w, %b[%x] : memref<8xi32>
""")
        == []
    )


def test_a_race_names_both_operations_and_invocations():
    found = check(f"""
  vyre.store %x32, %a[%x] : memref<8xi32>
  {NEIGHBOUR}
  %v = vyre.load %a[%next] : memref<8xi32>
""")
    assert [finding.kind for finding in found] == ["race"]
    text = str(found[0])
    assert (
        'element [4] of "a" at the same time' in text or 'of "a" at the same time' in text
    )
    assert "'vyre.load': invocations" in text
    assert "vyre.store %x32, %a[%x]" in text
    assert text.endswith("only one invocation access the element")


@pytest.mark.parametrize("barrier", ["", "vyre.barrier acq_rel", "vyre.barrier grid_sync"])
def test_barriers_order_what_they_should(barrier: str):
    within = f"""
  vyre.store %x32, %tile[%l] : memref<4xi32>
  {barrier}
  {LOCAL_NEIGHBOUR}
  %v = vyre.load %tile[%next] : memref<4xi32>
"""
    across = f"""
  vyre.store %x32, %a[%x] : memref<8xi32>
  {barrier}
  {NEIGHBOUR}
  %v = vyre.load %a[%next] : memref<8xi32>
"""
    assert kinds(within) == ([] if barrier else ["race"])
    assert kinds(across) == ([] if "grid" in barrier else ["race"])


def test_write_after_read_is_a_race_too():
    assert kinds(f"""
  {NEIGHBOUR}
  %v = vyre.load %a[%next] : memref<8xi32>
  vyre.store %x32, %a[%x] : memref<8xi32>
""") == ["race"]


def test_equal_stores_are_fine_and_unequal_ones_are_not():
    assert kinds("vyre.store %one, %a[%c0] : memref<8xi32>") == []
    assert kinds("vyre.store %x32, %a[%c0] : memref<8xi32>") == ["race"]


def test_unequal_stores_by_different_operations():
    different = """
  scf.if %first {
    vyre.store %zero, %a[%c0] : memref<8xi32>
  } else {
    vyre.store VALUE, %a[%c0] : memref<8xi32>
  }
"""
    assert kinds(different.replace("VALUE", "%zero")) == []
    assert kinds(different.replace("VALUE", "%one")) == ["race"]


def test_a_read_besides_equal_stores_is_a_race():
    assert kinds("""
  vyre.store %one, %a[%c0] : memref<8xi32>
  %v = vyre.load %a[%c0] : memref<8xi32>
""") == ["race"]


def test_one_invocation_may_store_different_values():
    assert (
        kinds("""
  vyre.store %zero, %a[%x] : memref<8xi32>
  vyre.store %one, %a[%x] : memref<8xi32>
""")
        == []
    )


def test_values_differ_only_within_a_phase():
    assert (
        kinds("""
  vyre.store %zero, %a[%c0] : memref<8xi32>
  vyre.barrier grid_sync
  vyre.store %one, %a[%c0] : memref<8xi32>
""")
        == []
    )
    assert (
        kinds("""
  vyre.store %zero, %tile[%c0] : memref<4xi32>
  vyre.barrier acq_rel
  vyre.store %one, %tile[%c0] : memref<4xi32>
""")
        == []
    )
    assert kinds("""
  vyre.store %zero, %a[%c0] : memref<8xi32>
  vyre.barrier acq_rel
  vyre.store %one, %a[%c0] : memref<8xi32>
""") == ["race"]


def test_atomics_among_themselves_are_fine():
    assert kinds("%o = vyre.atomic add %one, %a[%c0] : memref<8xi32>") == []


@pytest.mark.parametrize(
    "plain",
    [
        "%v = vyre.load %a[%c0] : memref<8xi32>",
        "vyre.store %one, %a[%c0] : memref<8xi32>",
    ],
)
@pytest.mark.parametrize("atomic_first", [True, False])
def test_atomics_and_plain_accesses_are_a_race(plain: str, atomic_first: bool):
    atomic = "%o = vyre.atomic add %one, %a[%c0] : memref<8xi32>"
    assert kinds("\n".join((atomic, plain) if atomic_first else (plain, atomic))) == [
        "race"
    ]


def test_a_loop_with_one_barrier_races_with_its_next_trip():
    body = f"""
  {NEIGHBOUR}
  %c3 = arith.constant 3 : index
  scf.for %k = %c0 to %c3 step %c1 {{
    %v = vyre.load %a[%next] : memref<8xi32>
    vyre.barrier grid_sync
    %k32 = arith.index_cast %k : index to i32
    vyre.store %k32, %a[%x] : memref<8xi32>
    LAST
  }}
"""
    assert kinds(body.replace("LAST", "")) == ["race"]
    assert kinds(body.replace("LAST", "vyre.barrier grid_sync")) == []


def test_accesses_outside():
    found = check("%v = vyre.load %tile[%x] : memref<4xi32>")
    assert "invocation (4, 0, 0)" in str(next(f for f in found if f.kind == "outside"))
    assert kinds("vyre.store %one, %a[%x] : memref<8xi32>", grid=3) == ["outside"]
    assert kinds("%o = vyre.atomic add %one, %a[%x] : memref<8xi32>", grid=3) == ["outside"]


ALL_KINDS = f"""
  {NEIGHBOUR}
  vyre.store %one, %a[%x] : memref<8xi32>
  %v = vyre.load %a[%next] : memref<8xi32>
  %w = vyre.load %out[%x] : memref<8xi32>
"""


def test_accesses_outside_are_warnings_and_the_worst_comes_first():
    """The store is far outside, for invocations 8 to 11."""
    found = check(ALL_KINDS, grid=3)
    said = [(finding.kind, finding.severity) for finding in found]
    assert list(dict.fromkeys(said)) == [
        ("race", "error"),
        ("never written", "error"),
        ("outside", "warning"),
    ]
    assert str(found[-1]).split(": ")[1] == "warning"


def test_kinds_are_chosen():
    for wanted in (["race"], ["outside", "never written"], []):
        assert {f.kind for f in check(ALL_KINDS, grid=3, kinds=wanted)} == set(wanted)
    assert {f.kind for f in check(ALL_KINDS, grid=3, kinds="race")} == {"race"}
    with pytest.raises(InvalidArgument) as caught:
        check(ALL_KINDS, kinds=["races", "order"])
    assert str(caught.value) == (
        "error: there is no kind of finding 'races'\nFix: did you mean 'race'?"
    )


def test_warnings_hide_nothing():
    """Neither the order of atomics, nor that the program does not end."""
    outside = "vyre.store %one, %b[%x] : memref<8xi32>\n"
    order = (
        "%o = vyre.atomic exchange %x32, %a[%c0] : memref<8xi32>\n"
        "%p = vyre.load %a[%c1] : memref<8xi32>\n"
    )
    assert kinds(outside + order, grid=3) == ["order", "outside"]
    endless = "scf.while : () -> () {\n%t = arith.constant true\nscf.condition(%t)\n}"
    with pytest.raises(vyre.Timeout):
        check(f"{outside}{endless} do {{\nscf.yield\n}}", grid=3, timeout=0.1)


def test_rotating_a_hundred_elements_is_valid():
    """As the README does it: the last invocations have no element."""
    text = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    exe = vyre.compile(text.split("```mlir")[1].split("```")[0], engine="reference")
    found = exe.check(a=np.zeros(100, np.float32))
    assert [finding.kind for finding in found] == ["outside"]


def test_reads_of_what_was_never_written():
    assert kinds("%v = vyre.load %tile[%l] : memref<4xi32>") == ["never written"]
    assert kinds("%v = vyre.load %out[%x] : memref<8xi32>") == ["never written"]
    assert kinds("%v = vyre.load %a[%x] : memref<8xi32>") == []
    assert (
        kinds("""
  vyre.store %one, %out[%x] : memref<8xi32>
  %v = vyre.load %out[%x] : memref<8xi32>
""")
        == []
    )


def test_workgroups_have_memory_of_their_own():
    """Only the first workgroup writes its tile."""
    assert kinds("""
  %mine = arith.cmpi eq, %g, %c0 : index
  scf.if %mine {
    vyre.store %one, %tile[%l] : memref<4xi32>
  }
  %v = vyre.load %tile[%l] : memref<4xi32>
""") == ["never written"]


def test_results_that_depend_on_the_order_of_atomics():
    found = check("""
  %ticket = vyre.atomic add %one, %a[%c0] : memref<8xi32>
  vyre.store %ticket, %out[%x] : memref<8xi32>
""")
    assert [finding.kind for finding in found] == ["order"]
    assert '"out"[0]' in str(found[0])


def test_old_values_that_do_not_matter_are_fine():
    """Whoever comes first: the element is marked, and counted once."""
    assert (
        kinds("""
  %before = vyre.atomic or %one, %a[%c0] : memref<8xi32>
  %new = arith.cmpi eq, %before, %zero : i32
  scf.if %new {
    %o = vyre.atomic add %one, %b[%c0] : memref<8xi32>
  }
""")
        == []
    )


def test_sums_of_floats():
    exe = vyre.compile(
        """
vyre.program @p [4, 1, 1] {
  %v = vyre.buffer "v" read_only binding 0 : memref<4xf32>
  %s = vyre.buffer "s" read_write binding 1 : memref<1xf32>
  %x = vyre.invocation_id x
  %c0 = arith.constant 0 : index
  %mine = vyre.load %v[%x] : memref<4xf32>
  %o = vyre.atomic add %mine, %s[%c0] : memref<1xf32>
}
""",
        engine="reference",
    )
    zero = np.zeros(1, np.float32)
    exact = np.array([1, 2, 3, 4], np.float32)
    assert exe.check(v=exact, s=zero) == []
    inexact = np.array([1e8, 1, -1e8, 1], np.float32)
    found = exe.check(v=inexact, s=zero)
    assert [finding.kind for finding in found] == ["order"]
    assert '"s"[0] depends on the order in which invocations come here' in str(found[0])


def test_returned_invocations_do_not_race():
    assert (
        kinds("""
  scf.if %first {
  } else {
    vyre.return
  }
  vyre.store %x32, %a[%c0] : memref<8xi32>
""")
        == []
    )


COPY = """
  %t = vyre.async_load %a[%x], %tile[%l], %c1 : memref<8xi32>, memref<4xi32>
"""
WAIT = "vyre.async_wait %t"


def test_copies_are_races_until_they_are_waited_for():
    read_target = "%v = vyre.load %tile[%l] : memref<4xi32>"
    write_source = "vyre.store %one, %a[%x] : memref<8xi32>"
    read_source = "%v = vyre.load %a[%x] : memref<8xi32>"
    for access, early in ((read_target, True), (write_source, True), (read_source, False)):
        assert kinds("\n".join((COPY, access, WAIT))) == (["race"] if early else [])
        assert kinds("\n".join((COPY, WAIT, access))) == []


def test_no_barrier_helps_a_copy_that_is_not_waited_for():
    read = "%v = vyre.load %tile[%next] : memref<4xi32>"
    barrier = "vyre.barrier acq_rel"
    assert kinds("\n".join((LOCAL_NEIGHBOUR, COPY, barrier, read, WAIT))) == ["race"]
    assert kinds("\n".join((LOCAL_NEIGHBOUR, COPY, WAIT, barrier, read))) == []


def test_checking_leaves_persistent_buffers_alone():
    exe = vyre.compile(
        """
vyre.program @p [1, 1, 1] {
  %kept = vyre.buffer "kept" read_write binding 0 kind persistent : memref<1xi32>
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %v = vyre.load %kept[%c0] : memref<1xi32>
  %w = arith.addi %v, %one : i32
  vyre.store %w, %kept[%c0] : memref<1xi32>
}
""",
        engine="reference",
    )
    assert exe()["kept"] == 1
    assert exe.check() == []
    assert exe()["kept"] == 2


def test_a_launch_boundary_orders_like_a_grid_barrier():
    exe = vyre.compile(
        """
vyre.program @p.0 [4, 1, 1] {
  %a = vyre.buffer "a" write_only binding 0 : memref<4xi32>
  %x = vyre.invocation_id x
  %v = arith.index_cast %x : index to i32
  vyre.store %v, %a[%x] : memref<4xi32>
}
vyre.program @p.1 [4, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<4xi32>
  %x = vyre.invocation_id x
  %c3 = arith.constant 3 : index
  %other = arith.subi %c3, %x : index
  %v = vyre.load %a[%other] : memref<4xi32>
}
vyre.schedule @p {
  %a = vyre.buffer "a" read_write binding 0 : memref<4xi32>
  vyre.launch @p.0(%a)
  vyre.launch @p.1(%a)
}
""",
        engine="reference",
    )
    assert exe.check(a=np.zeros(4, np.int32), grid=1) == []


def test_copies_of_different_lengths():
    assert (
        kinds("""
  %count = arith.select %first, %c4, %c0 : index
  %t = vyre.async_load %a[%x], %b[%x], %count : memref<8xi32>, memref<8xi32>
  vyre.async_wait %t
""")
        == []
    )


def test_atomics_of_different_kinds():
    found = check(
        """
  %o = vyre.atomic add %one, %a[%c0] : memref<8xi32>
  %p = vyre.atomic max %x32, %a[%c0] : memref<8xi32>
""",
        grid=2,
    )
    assert [finding.kind for finding in found] == ["order"]


def test_the_order_of_branches():
    """Within one workgroup, whoever takes the first arm comes first, or not."""
    found = check(
        """
  %low = arith.cmpi ult, %l, %c1 : index
  scf.if %low {
    %o = vyre.atomic add %one, %a[%c0] : memref<8xi32>
    vyre.store %o, %out[%x] : memref<8xi32>
  } else {
    %o = vyre.atomic add %zero, %a[%c0] : memref<8xi32>
    vyre.store %o, %out[%x] : memref<8xi32>
  }
""",
        grid=1,
    )
    assert [finding.kind for finding in found] == ["order"]


def test_what_a_collective_fills_is_written():
    assert (
        kinds("""
  vyre.all_gather %a, %out : memref<8xi32>, memref<8xi32>
  %v = vyre.load %out[%x] : memref<8xi32>
""")
        == []
    )


def test_a_program_that_traps_only_in_another_order():
    found = check("""
  %ticket = vyre.atomic add %one, %a[%c0] : memref<8xi32>
  %is_first = arith.cmpi eq, %ticket, %zero : i32
  %late = arith.cmpi ne, %x, %c0 : index
  %both = arith.andi %is_first, %late : i1
  scf.if %both {
    vyre.trap "late"
  }
""")
    assert [finding.kind for finding in found] == ["order"]
    assert "ends differently when invocations run in another order" in str(found[0])
