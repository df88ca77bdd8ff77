"""
Fused waves give what they give one by one.

The random megakernels are those of `tests/fuzz/wave_soundness.py`, which also runs alone
with other seeds.
"""

import importlib
from typing import Any

import numpy as np
import pytest
from cuda_devices import host_device

import vyre
from vyre.diagnostics import InvalidProgram
from vyre.dialects.vyre import (
    BarrierOp,
    BufferOp,
    LaunchOp,
    ProgramOp,
    RegionOp,
    ScratchOp,
)
from vyre.lowering.llvm.forms import form_of
from vyre.passes.fuse_waves import FuseWavesPass
from vyre.passes.host_plan import HostPlanPass
from vyre.passes.plan_megakernel import PlanMegakernelPass
from vyre.runtime.errors import Trapped

fuzzer: Any = importlib.import_module("wave_soundness")

SCALE = """
vyre.program @scale [4, 1, 1] {
  %x = vyre.buffer "x" read_only binding 0 : memref<8xi32>
  %y = vyre.buffer "y" write_only binding 1 output : memref<8xi32>
  %by = vyre.param "by" : i32
  %i = vyre.invocation_id x
  %v = vyre.load %x[%i] : memref<8xi32>
  %w = arith.muli %v, %by : i32
  vyre.store %w, %y[%i] : memref<8xi32>
}
vyre.program @sum [4, 1, 1] {
  %y = vyre.buffer "y" read_only binding 0 : memref<8xi32>
  %z = vyre.buffer "z" read_write binding 1 : memref<1xi32>
  %i = vyre.invocation_id x
  %zero = arith.constant 0 : index
  %v = vyre.load %y[%i] : memref<8xi32>
  %old = vyre.atomic add %v, %z[%zero] : memref<1xi32>
}
"""


def fuse(text: str, **options: Any) -> Any:
    """The module with its megakernels planned and fused."""
    module = vyre.parse(text)
    PlanMegakernelPass(**options).apply(vyre.context(), module)
    FuseWavesPass().apply(vyre.context(), module)
    return module


def fused_program(module: Any) -> ProgramOp:
    """The program that a megakernel of the name "m" has become."""
    programs = (op for op in module.walk() if isinstance(op, ProgramOp))
    return next(op for op in programs if op.sym_name.data == "m")


def compiled(module: Any, **options: Any) -> vyre.Executable:
    return vyre.compile(module, program="m", **options)


@pytest.mark.few(8)
@pytest.mark.parametrize("seed", range(24))
def test_random_megakernels_on_the_reference(seed: int):
    """Every buffer has the same bytes as after the waves one by one."""
    assert fuzzer.difference(1000 + seed) is None


@pytest.mark.parametrize("seed", range(4))
def test_random_megakernels_on_the_cpu(seed: int):
    """The same, in native code."""
    assert fuzzer.difference(2000 + seed, ("cpu",)) is None


@pytest.mark.parametrize("seed", range(2))
def test_random_megakernels_as_cuda(seed: int):
    """The same, as CUDA C++ that runs on the host."""
    host_device()
    assert fuzzer.difference(3000 + seed, ("cuda",)) is None


@pytest.mark.parametrize("engine", ["reference", "cpu"])
@pytest.mark.parametrize("mode", ["auto", "split"])
def test_buffers_are_shared_and_parameters_are_not(engine: str, mode: Any):
    """Each wave has parameters of its own, unless they are given the same name."""
    module = fuse(
        SCALE
        + """
vyre.megakernel @m {
  vyre.wave "twice" @scale with {by = 2 : i32}
  vyre.wave "again" @scale with {x = "y", y = "w", by = "factor"}
  vyre.wave "third" @scale with {y = "v"}
  vyre.wave "sum" @sum with {y = "w"}
}
"""
    )
    x = np.arange(8, dtype=np.int32)
    exe = compiled(module, engine=engine, mode=mode)
    assert set(exe.bindings.names) == {"x", "y", "w", "v", "z", "factor", "third.by"}
    arguments = {"x": x, "z": np.array([5], np.int32), "factor": 3, "third.by": 10}
    found = exe(arguments, grid=2)
    assert np.array_equal(found["w"], x * 6)
    assert np.array_equal(found["v"], x * 10)
    assert found["z"][0] == 5 + 6 * 28


def test_an_output_starts_as_zeros_if_its_first_wave_says_so():
    """A buffer that is read before it is an output must be passed."""
    module = fuse(
        SCALE
        + """
vyre.megakernel @m {
  vyre.wave "a" @scale with {by = 2 : i32}
  vyre.wave "b" @scale with {by = 2 : i32, y = "x", x = "u"}
}
"""
    )
    table = fused_program(module).table
    buffers = {op.entry_name.data: op for op in table if isinstance(op, BufferOp)}
    is_output = {name: op.output is not None for name, op in buffers.items()}
    assert is_output == {"x": False, "y": True, "u": False}
    accesses = {name: str(op.access.data) for name, op in buffers.items()}
    assert accesses == {"x": "read_write", "y": "write_only", "u": "read_only"}


FIRST = """
vyre.program @set_first [4, 1, 1] {
  %x = vyre.buffer "x" write_only binding 0 : memref<4xi32>
  %i = vyre.invocation_id x
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : i32
  %is_first = arith.cmpi eq, %i, %zero : index
  scf.if %is_first {
    vyre.store %two, %x[%i] : memref<4xi32>
  }
}
vyre.program @copy [4, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<4xi32>
  %y = vyre.buffer "y" write_only binding 1 output : memref<4xi32>
  %i = vyre.invocation_id x
  %v = vyre.load %x[%i] : memref<4xi32>
  vyre.store %v, %y[%i] : memref<4xi32>
}
"""


@pytest.mark.parametrize(
    ("waves", "expected"),
    [
        pytest.param(
            'vyre.wave "set" @set_first vyre.wave "copy" @copy',
            [2, 0, 0, 0],
            id="written first",
        ),
        pytest.param(
            'vyre.wave "copy" @copy after ["set"] vyre.wave "set" @set_first after []',
            [2, 0, 0, 0],
            id="written first but not in the text",
        ),
        pytest.param(
            'vyre.wave "copy" @copy vyre.wave "set" @set_first',
            [7, 7, 7, 7],
            id="read first",
        ),
    ],
)
def test_what_is_only_written_by_the_first_wave_starts_as_zeros(
    waves: str, expected: list[int]
):
    """As it does if that wave runs alone; the text does not decide who is first."""
    module = fuse(f"{FIRST}\nvyre.megakernel @m {{ {waves} }}")
    x = np.full(4, 7, np.int32)
    found = compiled(module, engine="reference")(x=x, grid=1)
    assert found["y"].tolist() == expected
    assert found["x"].tolist() == [2, *expected[1:]]


def test_a_budget_adds_barriers_and_nothing_else():
    """Two waves that do not fit together run one after the other, with the same result."""
    text = (
        SCALE
        + """
vyre.megakernel @m {
  vyre.wave "a" @scale bytes [32, 0, 32] with {by = 2 : i32}
  vyre.wave "b" @scale bytes [32, 0, 32] with {by = 3 : i32, y = "v"}
}
"""
    )
    x = np.arange(8, dtype=np.int32)
    for budget, barriers in ((100, 1), (128, 0)):
        module = fuse(text, budget=budget)
        ops = fused_program(module).body.walk()
        assert sum(isinstance(op, BarrierOp) for op in ops) == barriers
        found = compiled(module, engine="reference")(x=x, grid=2)
        assert np.array_equal(found["v"], x * 3)


TILES = """
vyre.program @pile [4, 1, 1] {
  %y = vyre.buffer "y" read_write binding 0 output : memref<64xi32>
  %tile = vyre.buffer "tile" workgroup : memref<512xi32>
  %other = vyre.buffer "other" workgroup : memref<512xi32>
  %slot = vyre.param "slot" : index
  %l = vyre.local_id x
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %a = vyre.atomic add %one, %tile[%c3] : memref<512xi32>
  %b = vyre.atomic add %ten, %other[%c3] : memref<512xi32>
  vyre.barrier acq_rel
  %v = vyre.load %tile[%c3] : memref<512xi32>
  %w = vyre.load %other[%c3] : memref<512xi32>
  %sum = arith.addi %v, %w : i32
  %is_first = arith.cmpi eq, %l, %c0 : index
  scf.if %is_first {
    %before = vyre.atomic add %sum, %y[%slot] : memref<64xi32>
  }
}
"""


@pytest.mark.parametrize("clauses", ["grid [3, 1, 1]", ""], ids=["shared out", "as it is"])
@pytest.mark.parametrize("mode", ["native", "split"])
@pytest.mark.parametrize("engine", ["reference", "cpu"])
def test_much_workgroup_memory_is_used_in_turn(engine: str, mode: Any, clauses: str):
    """Each wave finds zeros, and only what one wave needs is there."""
    waves = [
        f'vyre.wave "w{k}" @pile {clauses} after [{after}] with {{slot = {k} : index}}'
        for k, after in enumerate(["", '"w0"', "", '"w2"', ""])
    ]
    module = fuse("\n".join([TILES, "vyre.megakernel @m {", *waves, "}"]))
    table = fused_program(module).table
    names = [op.entry_name.data for op in table if isinstance(op, BufferOp)]
    assert names == ["y", "w0.tile", "w0.other"]
    found = compiled(module, engine=engine, mode=mode)(grid=2)["y"]
    groups = 3 if clauses else 2
    assert found[:6].tolist() == [44 * groups] * 5 + [0]


def test_workgroup_memory_in_turn_is_not_kept_across_barriers():
    """Nobody reads what an earlier wave left, so segments need not save it."""
    waves = [
        f'vyre.wave "w{k}" @pile grid [1, 1, 1] with {{slot = 0 : index}}' for k in range(5)
    ]
    module = fuse("\n".join([TILES, "vyre.megakernel @m {", *waves, "}"]))
    HostPlanPass().apply(vyre.context(), module)
    assert sum(isinstance(op, LaunchOp) for op in module.walk()) == 5
    assert not any(isinstance(op, ScratchOp) for op in module.walk())


def test_little_workgroup_memory_is_not_shared():
    """Clearing it would cost more than it saves."""
    text = TILES.replace("512", "16")
    waves = [
        f'vyre.wave "w{k}" @pile after [] with {{slot = {k} : index}}' for k in range(5)
    ]
    module = fuse("\n".join([text, "vyre.megakernel @m {", *waves, "}"]))
    tiles = [op for op in fused_program(module).table if op.entry_name.data != "y"]
    assert len(tiles) == 10
    assert compiled(module, engine="reference")(grid=2)["y"][:6].tolist() == [88] * 5 + [0]


def test_promised_independence_that_is_none_is_found():
    """The checker sees a race between waves that `after` says are independent."""
    text = (
        SCALE
        + """
vyre.megakernel @m {
  vyre.wave "a" @scale grid [1, 1, 1] with {by = 2 : i32}
  vyre.wave "b" @scale grid [2, 1, 1] AFTER with {by = 3 : i32, x = "w"}
}
"""
    )
    arguments = {"x": np.arange(8, dtype=np.int32), "w": np.ones(8, np.int32)}
    for after, is_race in (("after []", True), ('after ["a"]', False), ("", False)):
        exe = compiled(fuse(text.replace("AFTER", after)), engine="reference")
        assert bool(exe.check(arguments, grid=2)) is is_race


def test_a_trap_of_a_wave_ends_the_dispatch():
    """What comes after the next barrier does not run."""
    module = fuse(
        """
vyre.program @fail [4, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %v = vyre.load %x[%i] : memref<?xi32>
  %zero = arith.constant 0 : i32
  %wrong = arith.cmpi slt, %v, %zero : i32
  scf.if %wrong {
    vyre.trap "negative" at %i : index
  }
  vyre.store %zero, %x[%i] : memref<?xi32>
}
vyre.megakernel @m {
  vyre.wave "first" @fail grid [3, 1, 1]
  vyre.wave "second" @fail
}
"""
    )
    exe = compiled(module, engine="reference")
    x = np.zeros(12, np.int32)
    assert not exe(x=x, grid=2)["x"].any()
    x[9] = -1
    with pytest.raises(
        Trapped, match='invocation 9 of wave "first" trapped: "negative" at 9'
    ):
        exe(x=x, grid=2)


@pytest.mark.parametrize("groups", [1, 2, 5, 7])
def test_workgroup_memory_is_clear_for_each_workgroup_of_a_wave(groups: int):
    """Also if one workgroup does the work of several of a wave with a grid of its own."""
    module = fuse(
        """
vyre.program @count [2, 2, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<2x3xi32>
  %me = vyre.linear_id invocation
  %l = vyre.local_id x
  %g = vyre.linear_id workgroup
  %two = arith.constant 2 : index
  %one = arith.constant 1 : i32
  %old = vyre.atomic add %one, %tile[%l, %two] : memref<2x3xi32>
  vyre.barrier acq_rel
  %n = vyre.load %tile[%l, %two] : memref<2x3xi32>
  vyre.store %n, %x[%me] : memref<?xi32>
}
vyre.megakernel @m {
  vyre.wave "here" @count with {x = "y"}
  vyre.wave "there" @count grid [5, 1, 1]
}
"""
    )
    arguments = {"x": np.zeros(20, np.int32), "y": np.zeros(4, np.int32)}
    for engine in ("reference", "cpu"):
        found = compiled(module, engine=engine)(arguments, grid=groups)
        assert (found["x"] == 2).all()
        assert (found["y"] == 2).all()


def test_groups_by_hand_are_checked():
    """A plan in which a wave runs with one that it depends on is refused."""
    module = vyre.parse(
        SCALE
        + """
vyre.megakernel @m {
  vyre.wave "a" @scale with {by = 2 : i32} group 0
  vyre.wave "b" @sum group 0
}
"""
    )
    with pytest.raises(InvalidProgram, match='depends on "a", which is not in an earlier'):
        FuseWavesPass().apply(vyre.context(), module)


@pytest.mark.parametrize("workgroup", ["[4, 1, 1]", "[2, 1, 1]"])
def test_waves_of_a_program_are_the_same_but_for_literals(workgroup: str):
    """The first, which begins with workgroup 0, and the second, with 1, are no others."""
    text = f"""
vyre.program @fill {workgroup} {{
  %x = vyre.buffer "x" write_only binding 0 : memref<9xi32>
  %n = vyre.param "n" : i32
  %at = vyre.param "at" : index
  vyre.store %n, %x[%at] : memref<9xi32>
}}
vyre.program @tile [4, 1, 1] {{
  %t = vyre.buffer "t" workgroup : memref<4xi32>
}}
vyre.megakernel @m {{
  vyre.wave "a" @fill grid [1, 1, 1] after [] with {{n = 1 : i32, at = 5 : index}}
  vyre.wave "b" @fill grid [1, 1, 1] after [] with {{n = 2 : i32, at = 6 : index}}
  vyre.wave "c" @fill grid [1, 1, 1] after [] with {{n = 3 : i32, at = 7 : index}}
  vyre.wave "d" @tile
}}
"""
    ops = fused_program(fuse(text)).body.block.ops
    regions = [op for op in ops if isinstance(op, RegionOp)]
    assert len({form_of([region]).key for region in regions[:3]}) == 1
