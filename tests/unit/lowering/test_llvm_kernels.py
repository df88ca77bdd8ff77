"""Programs without workgroup barriers as native code, against the reference engine."""

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from native_launcher import NativeLauncher, TrapSeen
from worked_examples import EXAMPLES, example_of, fault_size
from xdsl.ir import Operation

import vyre
from vyre.dialects.vyre import (
    BarrierOp,
    ProgramOp,
    ScheduleOp,
    SubgroupBallotOp,
    SubgroupReduceOp,
    SubgroupShuffleOp,
)
from vyre.runtime.backend import same_elements
from vyre.runtime.geometry import programs_of

generator: Any = importlib.import_module("grid_programs")

_MEETING = (SubgroupBallotOp, SubgroupReduceOp, SubgroupShuffleOp, BarrierOp)

CHUNK = 30


def meets(program: ProgramOp | ScheduleOp) -> bool:
    """Whether invocations of a workgroup wait for each other in a segment."""
    ops: list[Operation] = [op for part in programs_of(program) for op in part.walk()]
    names = ("vyre.all_reduce", "vyre.broadcast", "vyre.all_gather", "vyre.reduce_scatter")
    return any(isinstance(op, _MEETING) or op.name in names for op in ops)


def native(source: Any, launcher: NativeLauncher) -> vyre.Executable | None:
    exe = vyre.compile(source, engine=launcher)
    return None if meets(exe.route(exe.config, None).unit) else exe


@pytest.fixture(scope="module")
def launcher() -> NativeLauncher:
    return NativeLauncher()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path: Path, launcher: NativeLauncher):
    exe = native(path, launcher)
    if exe is None:
        pytest.skip("invocations of a workgroup wait for each other")
    example = example_of(path, fault_size(path))
    example.verify(exe(example.inputs, grid=example.grid(3)))


@pytest.mark.parametrize("chunk", range(2))
@pytest.mark.parametrize("optimise", [True, False])
def test_random_programs(chunk: int, optimise: bool):
    """The same bytes as on the reference engine, traps included."""
    launcher = NativeLauncher(optimise)
    compared = 0
    for number in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        program = generator.generate(5, number)
        exe = native(program.text, launcher)
        if exe is None:
            continue
        reference = vyre.compile(program.text)
        for launch in program.launches:
            given = program.arguments(launch)
            given = {name: given[name] for name in exe.bindings.names}
            grid = None if launch.is_inferred else launch.grid
            expected = outcome(reference, given, grid)
            found = outcome(exe, given, grid)
            assert list(found) == list(expected), number
            for name, array in expected.items():
                assert same_elements(found[name], array), (number, name)
            compared += 1
    assert compared > 5


def outcome(exe: vyre.Executable, given: dict[str, Any], grid: Any) -> dict[str, Any]:
    """The results, or which invocation trapped first."""
    try:
        return exe(given, grid=grid, timeout=60)
    except vyre.Trapped as error:
        return {"trapped": np.array([error.invocation])}
    except vyre.DispatchFailed as error:
        if not isinstance(error.__cause__, TrapSeen):
            raise
        return {"trapped": np.array(error.__cause__.args)}


def test_an_endless_loop_ends_when_it_is_told():
    """The stop word is looked at now and then."""
    text = """
    vyre.program @p [1, 1, 1] {
      %out = vyre.buffer "out" read_write binding 0 : memref<1xindex>
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %most = arith.constant 9223372036854775807 : index
      %n = scf.for %k = %zero to %most step %one iter_args(%v = %zero) -> (index) {
        %old = vyre.load %out[%zero] : memref<1xindex>
        %new = arith.addi %old, %k : index
        vyre.store %new, %out[%zero] : memref<1xindex>
        scf.yield %new : index
      }
      vyre.store %n, %out[%zero] : memref<1xindex>
    }
    """
    exe = vyre.compile(text, engine=NativeLauncher(stopped=True))
    assert exe(out=np.full(1, 7))["out"][0] == 7
