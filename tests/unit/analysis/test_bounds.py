"""Accesses that are proved to be inside their buffers are, whatever runs."""

from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from indexing_programs import Writer, arguments
from samples import sampled
from worked_examples import EXAMPLES, example_of, fault_size
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

import vyre
from vyre.analysis import geometry
from vyre.dialects.vyre import (
    AtomicCasOp,
    AtomicOp,
    LoadOp,
    ProgramOp,
    ScheduleOp,
    StoreOp,
)
from vyre.interpreter.engine import Dispatch
from vyre.interpreter.grid import SUBGROUP_SIZE
from vyre.passes.host_plan import HostPlanPass
from vyre.passes.prove_inbounds import ProveInboundsPass
from vyre.runtime.binding import BindingPlan
from vyre.runtime.deadline import Deadline
from vyre.runtime.errors import Timeout
from vyre.runtime.geometry import MAX_INVOCATIONS, Extent, checked_grid


class Watcher:
    """Notes which accesses were executed, and which went outside a buffer."""

    def __init__(self) -> None:
        self.executed: set[Operation] = set()
        self.left: set[Operation] = set()

    def outside(self, op: Operation, *_: Any, **__: Any) -> None:
        self.executed.add(op)
        self.left.add(op)

    def read(self, op: Operation, *_: Any, **__: Any) -> None:
        self.executed.add(op)

    write = atomic = read

    def filled(self, *_: Any, **__: Any) -> None:
        pass

    started = landed = workgroup_barrier = grid_barrier = filled


def run(
    module: ModuleOp, given: Mapping[str, object], groups: Extent, watcher: Watcher
) -> None:
    # An executable would have operations of its own.
    ops = [op for op in module.walk() if isinstance(op, ProgramOp | ScheduleOp)]
    program = next((op for op in ops if isinstance(op, ScheduleOp)), ops[0])
    storage = BindingPlan.of(program).check(given).storage()
    dispatch = Dispatch(groups, observer=watcher, deadline=Deadline(5))
    try:
        dispatch.run(program, storage)
    except Timeout:
        pass  # What was seen until then counts.


def proved(module: ModuleOp, grid: tuple[int, ...] = (), sizes: str = "") -> set[Operation]:
    ProveInboundsPass(grid, sizes).apply(vyre.context(), module)
    return {
        op
        for op in module.walk()
        if isinstance(op, LoadOp | StoreOp | AtomicOp | AtomicCasOp) and op.inbounds
    }


def text_of(given: Mapping[str, Any]) -> str:
    """The sizes of all arrays, as the pass takes them."""
    shapes = {name: np.shape(value) for name, value in given.items()}
    return ",".join(
        f"{name}={'x'.join(map(str, shape))}" for name, shape in shapes.items() if shape
    )


def check_random(write: Callable[[Writer], str], seeds: range) -> None:
    tested = 0
    for seed in seeds:
        module = vyre.parse(write(Writer(seed)))
        watcher = Watcher()
        found = proved(module)
        for attempt in range(2):
            rng = Random(1000 * seed + attempt)
            groups = rng.choice(((1, 1, 1), (2, 1, 1), (3, 2, 1)))
            run(module, arguments(rng), groups, watcher)
        assert not [str(op) for op in found & watcher.left], f"seed {seed}"
        # The same again for one dispatch whose sizes are known.
        watcher = Watcher()
        rng = Random(seed)
        given = arguments(rng)
        found |= proved(module, (2, 2), text_of(given))
        run(module, given, (2, 2, 1), watcher)
        assert not [str(op) for op in found & watcher.left], f"seed {seed}, sizes known"
        tested += len(found & watcher.executed)
    assert tested > len(seeds)


def test_random_chains():
    check_random(Writer.chains, range(sampled(4, 12)))


def test_random_control_flow():
    check_random(Writer.anything, range(sampled(4, 20)))


@pytest.mark.covering(1)
@pytest.mark.parametrize("split", [False, True], ids=["native", "split"])
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path: Path, split: bool):
    example = example_of(path, fault_size(path))
    for sizes in ("", text_of(example.inputs)):
        module = vyre.parse(path)
        if split:
            HostPlanPass().apply(vyre.context(), module)
        found = proved(module, sizes=sizes)
        watcher = Watcher()
        run(module, example.inputs, checked_grid(example.grid(3)), watcher)
        assert found or not sizes
        assert not [str(op) for op in found & watcher.left]


def test_deep_nesting():
    """As deep as texts may be; each scope is left again."""
    opened = [
        f"scf.if %inside {{\nscf.for %k{depth} = %zero to %n step %one {{\n"
        for depth in range(50)
    ]
    module = vyre.parse(f"""
vyre.program @p [64, 1, 1] {{
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %i = vyre.invocation_id x
  %n = vyre.length %a, 0 : memref<?xi32>
  %inside = arith.cmpi ult, %i, %n : index
  {"".join(opened)}
  %v = vyre.load %a[%i] : memref<?xi32>
  {"}}" * len(opened)}
  %w = vyre.load %a[%i] : memref<?xi32>
}}
""")
    assert len(proved(module)) == 1


def test_limits_are_those_of_the_runtime():
    assert geometry.MAX_INVOCATIONS == MAX_INVOCATIONS
    assert geometry.SUBGROUP_SIZE == SUBGROUP_SIZE
