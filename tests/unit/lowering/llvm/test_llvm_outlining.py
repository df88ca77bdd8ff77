"""Regions that occur several times become programs; those that depend on others do not."""

from typing import Any

import numpy as np
import pytest
from cpu_runs import Everywhere
from split_cases import OUT, SYNC, A, B, program, split
from xdsl.dialects.builtin import ModuleOp

import vyre
from vyre.analysis.walking import launches_in, units_in
from vyre.dialects.vyre import LaunchOp, ProgramOp
from vyre.lowering.llvm.launches import NEAR
from vyre.lowering.llvm.passes.outline_regions import OutlineRegionsPass
from vyre.passes.verify_ops import verify_ops
from vyre.passes.verify_program import verify_programs

C = '%c = vyre.buffer "c" read_write binding 3 : memref<?xi32>'


def numbers(count: int) -> Any:
    return np.arange(1, count + 1, dtype=np.int32)


def region(label: str, buffer: str, code: str = "", *, at: str = "%x") -> str:
    """Doubles the elements of a buffer, and adds one."""
    return f"""vyre.region "{label}" {{
      {code}
      %v = vyre.load %{buffer}[{at}] : memref<?xi32>
      %w = arith.addi %v, %v : i32
      %one = arith.constant 1 : i32
      %s = arith.addi %w, %one : i32
      vyre.store %s, %{buffer}[{at}] : memref<?xi32>
    }}"""


def copy(label: str, source: str, target: str) -> str:
    return f"""vyre.region "{label}" {{
      %v = vyre.load %{source}[%x] : memref<?xi32>
      vyre.store %v, %{target}[%x] : memref<?xi32>
    }}"""


def outlined(text: str) -> tuple[ModuleOp, list[LaunchOp]]:
    """The module, and its concurrent launches."""
    module = split(text)
    OutlineRegionsPass().apply(vyre.context(), module)
    verify_ops(module)
    verify_programs(module)
    assert len(launches_in(module)) == len(units_in(module, ProgramOp))
    launches = [op for found in launches_in(module).values() for op in found]
    return module, [op for op in launches if op.concurrent is not None]


def check(text: str, **given: Any) -> None:
    Everywhere(text).check(given, grid=4)


def test_regions_with_buffers_of_their_own_run_together():
    first = region("r0", "a") + region("r1", "b")
    text = program(A, B, first, SYNC, region("r2", "b") + region("r3", "a"))
    module, concurrent = outlined(text)
    assert len(concurrent) == 2
    launches = [op for op in module.walk() if isinstance(op, LaunchOp)]
    heads = [op for op in launches if op.concurrent is None]
    assert [len(head.together) for head in heads] == [2, 2]
    assert [op.head for op in concurrent] == heads
    check(text, a=numbers(13), b=numbers(16))


def test_the_order_of_the_text_is_the_order_of_the_launches():
    parts = region("r0", "a") + region("r1", "b") + region("r2", "c")
    module, _ = outlined(program(A, B, C, parts, SYNC, parts))
    names = [op.segment.string_value() for op in module.walk() if isinstance(op, LaunchOp)]
    assert names[:3] == ["p.0", "p.0.r1", "p.0.r2"]


@pytest.mark.parametrize(
    "together",
    [
        region("r0", "a") + copy("r1", "a", "b"),
        copy("r0", "a", "b") + region("r1", "a"),
        region("r0", "a") + region("r1", "a"),
    ],
)
def test_regions_that_share_what_one_of_them_writes_stay_together(together: str):
    text = program(A, B, together, SYNC, together)
    assert not outlined(text)[1]
    check(text, a=numbers(13), b=numbers(16))


def test_regions_may_read_the_same():
    together = copy("r0", "a", "b") + copy("r1", "a", "c")
    text = program(A, B, C, together, SYNC, together)
    assert outlined(text)[1]
    check(text, a=numbers(13), b=numbers(16), c=numbers(5))


def test_what_regions_compute_together_is_computed_again():
    shared = "%at = arith.addi %x, %c2 : index\n"
    together = region("r0", "a", at="%at") + region("r1", "b", at="%at")
    again = together.replace("%at", "%at2")
    text = program(A, B, shared, together, SYNC, shared.replace("%at", "%at2"), again)
    assert outlined(text)[1]
    check(text, a=numbers(13), b=numbers(16))


def test_what_depends_on_a_load_outside_stays():
    shared = "%k = vyre.load %out[%x] : memref<?xi32>\n"
    use = "%m = arith.addi %k, %k : i32\nvyre.store %m, %{0}[%x] : memref<?xi32>"
    together = "".join(
        f'vyre.region "r{n}" {{ {use.format(name)} }}\n' for n, name in enumerate("ab")
    )
    again = (shared + together).replace("%k", "%k2")
    text = program(OUT, A, B, shared, together, SYNC, again)
    assert not outlined(text)[1]
    check(text, out=numbers(16), a=numbers(13), b=numbers(16))


@pytest.mark.parametrize("end", ["vyre.return", 'vyre.trap "t" at %x32 : i32'])
def test_programs_in_which_invocations_end_stay_whole(end: str):
    ending = f"%is = arith.cmpi eq, %x, %c9 : index\nscf.if %is {{ {end} }}\n"
    together = region("r0", "a", ending) + region("r1", "b")
    text = program(A, B, together, SYNC, together)
    if "trap" in end:
        assert not outlined(text)[1]
    check(text, a=numbers(13), b=numbers(16))


def test_regions_that_occur_once_stay():
    text = program(
        OUT,
        A,
        B,
        region("r0", "a") + copy("r1", "out", "b"),
        SYNC,
        region("r2", "b", at="%c1"),
    )
    assert not outlined(text)[1]


def test_workgroup_memory_of_regions_is_their_own():
    def turned(label: str, buffer: str) -> str:
        return f"""vyre.region "{label}" {{
          %v = vyre.load %{buffer}[%x] : memref<?xi32>
          vyre.store %v, %{label}t[%l] : memref<4xi32>
          vyre.barrier acq_rel
          %back = arith.subi %c3, %l : index
          %w = vyre.load %{label}t[%back] : memref<4xi32>
          vyre.store %w, %{buffer}[%x] : memref<?xi32>
        }}"""

    labels = ("q", "r", "s", "t")
    tiles = [f'%{n}t = vyre.buffer "{n}t" workgroup : memref<4xi32>' for n in labels]
    text = program(
        A,
        B,
        *tiles,
        turned("q", "a") + turned("r", "b"),
        SYNC,
        turned("s", "a") + turned("t", "b"),
    )
    assert len(outlined(text)[1]) == 2
    check(text, a=numbers(16), b=numbers(14))


def apart(text: str, group: int) -> str:
    """Mark a region."""
    label, _, rest = text.partition(" {")
    return f"{label} attributes {{vyre.apart = {group} : i64}} {{{rest}"


SLOTS = "%sixteen = arith.constant 16 : index\n%far = arith.addi %x, %sixteen : index\n"


@pytest.mark.parametrize(
    ("groups", "are_outlined"), [((0, 0), True), ((0, 1), False), ((None, None), False)]
)
def test_regions_that_are_marked_as_apart(
    groups: tuple[int | None, int | None], are_outlined: bool
):
    """They share a buffer, but no element; who has another mark may do so."""
    regions = [region("r0", "a"), region("r1", "a", at="%far")]
    marked = [
        text if group is None else apart(text, group)
        for text, group in zip(regions, groups)
    ]
    text = program(A, SLOTS, *marked, SYNC, *marked)
    assert bool(outlined(text)[1]) is are_outlined
    check(text, a=numbers(32))


TILE = '%t = vyre.buffer "t" workgroup : memref<4xi32>'
FILL = """vyre.barrier acq_rel
  %zeros = arith.constant 0 : i32
  vyre.store %zeros, %t[%lane] : memref<4xi32>
  vyre.barrier acq_rel
"""
WAIT = "vyre.barrier acq_rel"


def reversal(label: str, buffer: str, fill: str) -> str:
    """Adds the elements of a workgroup to what is in the tile, backwards."""
    return f"""vyre.region "{label}" {{
      %lane = vyre.local_id x
      {fill}
      %before = vyre.load %t[%lane] : memref<4xi32>
      %v = vyre.load %{buffer}[%x] : memref<?xi32>
      %sum = arith.addi %before, %v : i32
      vyre.store %sum, %t[%lane] : memref<4xi32>
      vyre.barrier acq_rel
      %three = arith.constant 3 : index
      %other = arith.subi %three, %lane : index
      %w = vyre.load %t[%other] : memref<4xi32>
      vyre.store %w, %{buffer}[%x] : memref<?xi32>
    }}"""


@pytest.mark.parametrize(("fill", "are_outlined"), [(FILL, True), (WAIT, False)])
def test_workgroup_memory_that_is_used_in_turn(fill: str, are_outlined: bool):
    """Only where nobody sees what others have left is it as if everyone had its own."""
    first = reversal("r0", "a", "") + reversal("r1", "b", fill)
    text = program(A, B, TILE, first, SYNC, reversal("r2", "b", fill))
    assert bool(outlined(text)[1]) is are_outlined
    check(text, a=numbers(16), b=numbers(16))


def test_grids_that_are_run_in_several_pieces():
    first = region("r0", "a") + region("r1", "b")
    text = program(
        A, B, first, SYNC, region("r2", "b") + region("r3", "a"), workgroup="[256, 1, 1]"
    )
    given = {"a": numbers(3 * NEAR), "b": numbers(3 * NEAR - 100)}
    Everywhere(text, modes=["native"]).check(given, grid=3 * NEAR // 256)


def test_a_region_in_a_loop_of_the_schedule():
    body = region("r0", "a") + region("r1", "b")
    text = program(A, B, f"scf.for %t = %c0 to %c3 step %c1 {{ {body}\n{SYNC} }}", body)
    assert outlined(text)[1]
    check(text, a=numbers(13), b=numbers(16))
