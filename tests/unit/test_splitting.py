"""`vyre.split` and `vyre.has_grid_barrier`: for compilers that launch segments."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from split_cases import OUT, SYNC, A, program
from xdsl.dialects.builtin import ModuleOp, StringAttr

import vyre
from vyre.dialects.vyre import LaunchOp, ProgramOp
from vyre.runtime.errors import InvalidArgument

SCAN = Path(__file__).parents[2] / "examples" / "scan.mlir"
STORE = "vyre.store %x32, %out[%x] : memref<?xi32>"
TWICE = program(OUT, STORE, SYNC, STORE)
ONCE = program(OUT, STORE)
ALONE = program(A, "vyre.all_reduce add %a : memref<?xi32>")


def the_program(text: str) -> ProgramOp:
    (op,) = vyre.parse(text).ops
    assert isinstance(op, ProgramOp)
    return op


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (TWICE, True),
        (ONCE, False),
        (ALONE, False),
        (program(OUT, A, STORE, "vyre.all_reduce add %a : memref<?xi32>"), True),
        (program(OUT, f'vyre.region "r" {{ scf.if %yes {{ {SYNC} }} }}'), True),
        (program(OUT, "vyre.barrier acq_rel"), False),
    ],
)
def test_has_grid_barrier(text: str, answer: bool):
    assert vyre.has_grid_barrier(the_program(text)) is answer
    assert vyre.has_grid_barrier(vyre.parse(text)) is answer


@pytest.mark.parametrize(("text", "count"), [(TWICE, 2), (ONCE, 1), (ALONE, 1)])
def test_split_gives_schedule_and_segments(text: str, count: int):
    source = the_program(text)
    before = str(source.get_toplevel_object())
    source.attributes["my.tag"] = StringAttr("x")
    schedule, segments = vyre.split(source)
    del source.attributes["my.tag"]
    assert str(source.get_toplevel_object()) == before
    assert schedule.sym_name.data == "p"
    assert [segment.sym_name.data for segment in segments] == [
        f"p.{n}" for n in range(count)
    ]
    launches = [op for op in schedule.walk() if isinstance(op, LaunchOp)]
    assert [launch.segment.string_value() for launch in launches] == [
        segment.sym_name.data for segment in segments
    ]
    assert not any(map(vyre.has_grid_barrier, segments))
    assert all("my.tag" in op.attributes for op in (schedule, *segments))
    module = schedule.get_toplevel_object()
    assert isinstance(module, ModuleOp)
    again = vyre.parse(str(module))
    assert str(again) == str(module)


@pytest.mark.parametrize("engine", ["reference", "cpu"])
def test_what_was_split_runs_alike(engine: str):
    numbers = np.arange(256, dtype=np.int32)
    sums, group_sums = np.zeros(256, np.int32), np.zeros(64, np.int32)
    inputs = {"numbers": numbers, "sums": sums, "group_sums": group_sums}
    schedule, _ = vyre.split(vyre.parse(SCAN))
    module = schedule.get_toplevel_object()
    assert isinstance(module, ModuleOp)
    results = vyre.compile(module, engine=engine)(inputs, grid=4)
    assert results["sums"].tolist() == np.cumsum(numbers).tolist()


@pytest.mark.parametrize(
    ("source", "got"),
    [
        (vyre.parse(f"{ONCE}{ONCE.replace('@p', '@q')}"), "a ModuleOp with 2 programs"),
        ("text", "a str"),
    ],
)
def test_what_is_no_program_is_refused(source: Any, got: str):
    for call in (vyre.split, vyre.has_grid_barrier):
        with pytest.raises(InvalidArgument, match=got):
            call(source)


def test_a_program_that_is_not_valid_is_refused():
    source = the_program(ONCE)
    store = source.body.block.last_op
    assert store is not None
    first = source.body.block.first_op
    assert first is not None
    store.detach()
    source.body.block.insert_op_before(store, first)
    with pytest.raises(vyre.InvalidProgram, match="not defined on every path"):
        vyre.split(source)
