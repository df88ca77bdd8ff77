"""Waves are fused when their program is needed, which it is not if code is in the cache."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import StringAttr

import vyre
from vyre.analysis.digest import digest
from vyre.dialects.vyre import MegakernelOp, ProgramOp
from vyre.passes import plan_megakernel
from vyre.runtime import program_choice, waves
from vyre.runtime.cpu.backend import CpuBackend
from vyre.runtime.outline import Outline
from vyre.runtime.program_choice import find_program

WAVES = """
vyre.program @add [4, 1, 1] {
  %x = vyre.buffer "x" read_only binding 0 : memref<?xi32>
  %y = vyre.buffer "y" write_only binding 1 output : memref<?xi32>
  %n = vyre.param "n" : i32
  %i = vyre.invocation_id x
  %v = vyre.load %x[%i] : memref<?xi32>
  %sum = arith.addi %v, %n : i32
  %big = arith.constant 1000 : i32
  %is_big = arith.cmpi sgt, %sum, %big : i32
  scf.if %is_big {
    vyre.trap "too big" at %i : index
  }
  vyre.store %sum, %y[%i] : memref<?xi32>
}

vyre.megakernel @waves {
  vyre.wave "first" @add with {y = "one"}
  vyre.wave "last" @add with {x = "one", y = "two", n = 10 : i32}
}
"""
X = np.arange(8, dtype=np.int32)


class Fusing:
    """How often waves were fused."""

    def __init__(self) -> None:
        self.count = 0
        self._inner = waves.fused_program

    def __call__(self, megakernel: MegakernelOp) -> ProgramOp:
        self.count += 1
        return self._inner(megakernel)


@pytest.fixture
def fusing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fusing:
    monkeypatch.setenv("VYRE_CACHE_DIR", str(tmp_path))
    watch = Fusing()
    monkeypatch.setattr(waves, "fused_program", watch)
    return watch


def start(text: str = WAVES, **options: Any) -> vyre.Executable:
    """As in a new process, which knows what is on disk only."""
    return vyre.compile(text, engine=CpuBackend(1), **options)


def arguments(n: int, size: int = 8) -> dict[str, Any]:
    names = ("x", "one", "two")
    return {**{name: X[:size].copy() for name in names}, "first.n": n}


def check(exe: vyre.Executable, n: int = 3) -> None:
    found = exe(arguments(n))
    assert (found["one"] == X + n).all()
    assert (found["two"] == X + n + 10).all()


def test_a_second_start_does_not_fuse(fusing: Fusing):
    check(start())
    assert fusing.count == 1
    check(start())
    assert fusing.count == 1


def test_new_sizes_are_compiled_and_kept(fusing: Fusing):
    check(start())
    for count in (2, 2):
        exe = start()
        found = exe(arguments(1, 4))
        assert (found["two"] == X[:4] + 11).all()
        assert fusing.count == count


def test_the_program_is_there_for_those_who_ask(fusing: Fusing):
    first = start()
    check(first)
    exe = start()
    assert fusing.count == 1
    assert str(exe.program) == str(first.program)
    assert exe.program is exe.program
    assert fusing.count == 2
    assert exe.explain() == first.explain()
    assert exe.sources == first.sources
    assert not exe.check(arguments(1))
    assert (exe(arguments(1), workgroup=2)["two"] == X + 11).all()
    assert (start(mode="split")(arguments(1))["two"] == X + 11).all()


def test_a_trap_has_its_place(fusing: Fusing):
    check(start())
    with pytest.raises(vyre.Trapped, match=r"<string>:12:5"):
        check(start(), 2000)
    assert fusing.count == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [("sum, %y", "v, %y"), ("10 : i32", "11 : i32"), ('x = "one", y', "y")],
)
def test_other_waves_are_not_found(fusing: Fusing, old: str, new: str):
    check(start())
    text = WAVES.replace(old, new)
    expected = vyre.compile(text, engine="reference")(arguments(1))
    found = start(text)(arguments(1))
    for name in ("one", "two"):
        assert (found[name] == expected[name]).all()


def test_groups_are_part_of_what_is_looked_up(fusing: Fusing):
    """Waves with a plan are another program than those without."""
    apart = WAVES.replace("@waves", "@apart").replace('x = "one", ', "")
    assert not start(apart).unit.outline.has_grid_barrier
    module = vyre.parse(apart)
    plan_megakernel.PlanMegakernelPass().apply(vyre.context(), module)
    for number, op in enumerate(o for o in module.walk() if o.name == "vyre.wave"):
        op.properties["group"] = vyre.parse(
            f"module attributes {{n = {number} : i64}} {{}}"
        ).attributes["n"]
    for _ in range(2):
        assert vyre.compile(module, engine=CpuBackend(1)).unit.outline.has_grid_barrier


def test_damaged_entries_are_made_anew(fusing: Fusing, tmp_path: Path):
    check(start())
    for damaged in (b"", b"vyrecode", b"\0" * 400):
        before = fusing.count
        for entry in tmp_path.rglob("*.kernel"):
            entry.write_bytes(damaged)
        check(start())
        assert fusing.count == before + 1


def test_any_entry_may_be_missing(fusing: Fusing, tmp_path: Path):
    check(start())
    for entry in sorted(tmp_path.rglob("*.kernel")):
        entry.unlink()
        check(start())


def test_without_a_cache(fusing: Fusing, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("VYRE_CACHE_DIR", "")
    for count in (1, 2):
        check(start())
        assert fusing.count == count


def test_refused_waves_are_refused_on_every_start(fusing: Fusing):
    wrong = WAVES.replace('"first" @add', '"first" @add after ["last"]')
    wrong = wrong.replace('"last" @add', '"last" @add after ["first"]')
    for _ in range(2):
        with pytest.raises(vyre.InvalidProgram, match="circle"):
            start(wrong)


def test_the_caller_may_change_the_module_later(fusing: Fusing):
    """What is fused then is what was compiled."""
    check(start())
    module = vyre.parse(WAVES)
    exe = vyre.compile(module, engine=CpuBackend(1))
    for wave in [op for op in module.walk() if op.name == "vyre.wave"]:
        wave.properties["name"] = StringAttr("changed")
    assert fusing.count == 1
    assert "changed" not in str(exe.program)
    check(exe)


def test_what_a_module_says_is_read_once(fusing: Fusing, monkeypatch: pytest.MonkeyPatch):
    """By those who check it; and code is found for a module and for its text."""
    module = vyre.parse(WAVES)
    with monkeypatch.context() as patched:
        patched.delattr(program_choice, "digest")
        check(vyre.compile(module, engine=CpuBackend(1)))
    check(start())
    assert fusing.count == 1


def test_other_engines_fuse(fusing: Fusing):
    check(start())
    exe = vyre.compile(WAVES, engine="reference")
    check(exe)
    assert fusing.count == 2


def test_outlines_come_back_as_they_were():
    text = """
vyre.program @"with space" [4, 2, 1] {
  %a = vyre.buffer "a \\"b\\" \u00e4\\0A" read_write binding 3 align 16 : memref<?x4xf16>
  %u = vyre.buffer "u" uniform binding 1 : memref<2xi64>
  %t = vyre.buffer "t" workgroup : memref<32xi32>
  %n = vyre.param "n.m" : index
  %i = vyre.invocation_id x
  %v = vyre.load %a[%i, %i] : memref<?x4xf16>
  vyre.barrier acq_rel
  vyre.barrier grid_sync
}
"""
    outline = Outline.of(find_program(vyre.parse(text), None))
    again = Outline.from_bytes(outline.as_bytes())
    facts = ("name", "workgroup", "has_grid_barrier", "lengths", "names")
    assert [getattr(again, fact) for fact in facts] == [
        getattr(outline, fact) for fact in facts
    ]
    assert again.names == ('a "b" \u00e4\n', "u", "n.m")
    assert again.has_grid_barrier
    assert again.lengths == ((again.names[0], 0), (again.names[0], 1))
    assert digest(again.table) == digest(outline.table)
