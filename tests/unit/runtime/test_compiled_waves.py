"""Waves are planned and fused when a megakernel is compiled."""

from pathlib import Path

import numpy as np
import pytest

import vyre
from vyre import InvalidArgument, InvalidProgram, Megakernel
from vyre.tools.vyre_run import run

WAVES = """
vyre.program @add [4, 1, 1] {
  %x = vyre.buffer "x" read_only binding 0 : memref<8xi32>
  %y = vyre.buffer "y" write_only binding 1 output : memref<8xi32>
  %n = vyre.param "n" : i32
  %i = vyre.invocation_id x
  %v = vyre.load %x[%i] : memref<8xi32>
  %sum = arith.addi %v, %n : i32
  vyre.store %sum, %y[%i] : memref<8xi32>
}

vyre.megakernel @waves {
  vyre.wave "first" @add with {y = "one"}
  vyre.wave "other" @add with {y = "two", n = 10 : i32}
  vyre.wave "last" @add with {x = "one", y = "three", n = "first.n"}
}
"""

X = np.arange(8, dtype=np.int32)


def test_a_megakernel_is_a_program():
    module = vyre.parse(WAVES)
    before = str(module)
    exe = vyre.compile(module)
    assert str(module) == before
    found = exe({"x": X, "first.n": 3}, grid=2)
    assert (found["one"] == X + 3).all()
    assert (found["two"] == X + 10).all()
    assert (found["three"] == X + 6).all()


def test_one_of_several_can_be_chosen():
    text = WAVES + WAVES[WAVES.index("vyre.megakernel") :].replace("@waves", "@others")
    with pytest.raises(InvalidArgument, match="2 programs"):
        vyre.compile(text)
    assert vyre.compile(text, program="others").program.sym_name.data == "others"
    assert vyre.compile(text, program="add").program.sym_name.data == "add"


def test_waves_that_cannot_be_fused_are_refused():
    wrong = WAVES.replace('"first" @add', '"first" @add after ["last"]')
    with pytest.raises(InvalidProgram, match="circle"):
        vyre.compile(wrong.replace('"last" @add', '"last" @add after ["first"]'))


def test_the_plan_is_there_to_be_seen():
    assert Megakernel(WAVES).plan == {"global_barriers": 1, "max_group_width": 2}
    planned = Megakernel(WAVES, budget=100)
    assert planned.plan["global_barriers"] == 2
    assert planned.plan["peak_output_bytes"] == 32
    handle = planned.resident({"x": X, "first.n": 1}, grid=2)
    assert (planned.dispatch(handle)["three"] == X + 2).all()


def test_groups_that_are_there_are_kept_without_a_budget():
    assert Megakernel(WAVES, budget=100).plan["global_barriers"] == 2
    groups = iter("025")
    text = "".join(
        f"{line} group {next(groups)}\n" if "vyre.wave" in line else f"{line}\n"
        for line in WAVES.splitlines()
    )
    assert Megakernel(text).plan == {}
    explanation = Megakernel(text, config=vyre.DispatchConfig(mode="split")).exe.explain()
    assert "3 launches" in explanation or "3 segments" in explanation


def test_a_budget_needs_waves():
    with pytest.raises(InvalidArgument, match="but no"):
        Megakernel(WAVES[: WAVES.index("vyre.megakernel")], budget=100)


def test_vyre_run_takes_megakernels(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "waves.mlir"
    file.write_text(WAVES)
    run([str(file), "--grid", "2", "--in", "x=0,1,2,3,4,5,6,7", "--in", "first.n=5"])
    assert "[10 11 12 13 14 15 16 17]" in capsys.readouterr().out
