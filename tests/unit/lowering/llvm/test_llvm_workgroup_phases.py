"""Segments of workgroups that do the same are one function; others are not."""

import re
from typing import Any

import numpy as np
import pytest
from cpu_runs import Everywhere
from split_cases import OUT, SYNC, A, program

import vyre
from vyre.analysis.extents import Setting
from vyre.dialects.vyre import ProgramOp
from vyre.lowering.llvm.sources import Translation

TABLE = f"{A}\n{OUT}"


def numbers(count: int) -> Any:
    return np.arange(1, count + 1, dtype=np.int32)


def reduced(how: str, name: str, code: str) -> str:
    """A phase in which subgroups combine what `code` makes of their numbers."""
    return f"""
      %v{name} = vyre.load %a[%x] : memref<?xi32>
      %w{name} = {code} %v{name}, %x32 : i32
      %all{name} = vyre.subgroup_reduce {how} %w{name} : i32
      vyre.store %all{name}, %out[%x] : memref<?xi32>"""


def functions(text: str) -> list[str]:
    """The names of the functions of segments."""
    unit = next(op for op in vyre.parse(text).ops if isinstance(op, ProgramOp))
    code = Translation(unit).source(Setting()).text
    return re.findall(r'define internal void @"phase\.(p\.\d\.\d)"', code)


def test_the_same_segment_of_two_programs_is_one_function():
    text = program(
        TABLE, reduced("add", "m", "arith.muli"), SYNC, reduced("add", "s", "arith.subi")
    )
    first = [name for name in functions(text) if name.startswith("p.0.")]
    second = [name for name in functions(text) if name.startswith("p.1.")]
    assert second == ["p.1.0"]
    assert len(first) > 1
    Everywhere(text).check({"a": numbers(12), "out": numbers(12)}, grid=3)


def test_segments_that_differ_in_an_operation_are_two():
    text = program(
        TABLE, reduced("add", "m", "arith.muli"), SYNC, reduced("max", "s", "arith.muli")
    )
    assert "p.1.1" in functions(text)
    Everywhere(text).check({"a": numbers(12), "out": numbers(12)}, grid=3)


def neighbours(before: str, after: str, literal: int) -> str:
    """A phase that makes something of a literal and what a neighbour has stored."""
    name = f"n{literal}"
    return f"""
      %k{name} = arith.constant {literal} : i32
      %m{name} = {before} %x32, %x32 : i32
      vyre.store %m{name}, %a[%x] : memref<?xi32>
      vyre.barrier acq_rel
      %next{name} = arith.xori %x, %c1 : index
      %v{name} = vyre.load %a[%next{name}] : memref<?xi32>
      %w{name} = {after} %v{name}, %k{name} : i32
      vyre.store %w{name}, %out[%x] : memref<?xi32>"""


@pytest.mark.parametrize("after", ["arith.addi", "arith.divsi"])
def test_segments_that_differ_in_a_literal_are_two(after: str):
    first = neighbours("arith.muli", after, 5)
    text = program(TABLE, first, SYNC, neighbours("arith.addi", after, 7))
    assert functions(text) == ["p.0.0", "p.0.1", "p.1.0", "p.1.1"]
    Everywhere(text).check({"a": numbers(12), "out": numbers(12)}, grid=3)


def test_segments_that_take_their_buffers_in_another_order_are_two():
    first = neighbours("arith.muli", "arith.divsi", 5)
    second = neighbours("arith.addi", "arith.divsi", 5).replace("n5", "m5")
    swapped = second.replace("%a[", "%b[").replace("%out[", "%a[").replace("%b[", "%out[")
    text = program(TABLE, first, SYNC, swapped)
    assert functions(text) == ["p.0.0", "p.0.1", "p.1.0", "p.1.1"]
    Everywhere(text).check({"a": numbers(12), "out": numbers(12)}, grid=3)


def trapping(limit: int, name: str) -> str:
    return f"""
      %all{name} = vyre.subgroup_reduce add %x32 : i32
      %k{name} = arith.constant {limit} : i32
      %is{name} = arith.cmpi eq, %x32, %k{name} : i32
      scf.if %is{name} {{ vyre.trap "reached" at %all{name} : i32 }}
      vyre.store %all{name}, %a[%x] : memref<?xi32>"""


def test_segments_with_traps_stay_apart():
    text = program(A, trapping(40, "s"), SYNC, trapping(3, "t"))
    assert "p.1.1" in functions(text)
    Everywhere(text).check({"a": numbers(8)}, grid=2)
