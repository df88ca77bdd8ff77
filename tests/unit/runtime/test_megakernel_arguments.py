"""What a megakernel is given that it cannot take: each error names the argument."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from megakernel_programs import MAKERS, PICKY, numbers

import vyre
from vyre import BatchStorage, InvalidArgument, InvalidProgram, Megakernel

WRONG: list[tuple[Callable[[Any, Any], object], str]] = [
    (lambda m, h: m.dispatch(None), "'handle' is None"),
    (lambda m, h: m.observed("h"), "'handle' is a str"),
    (lambda m, h: m.into(None, {}), "'handle' is None"),
    (lambda m, h: m.into(h, None), "'outputs' is None"),
    (lambda m, h: m.into(h, [1]), "'outputs' is a list"),
    (lambda m, h: m.many(None), "'handles' is None"),
    (lambda m, h: m.many(h), "'handles' is a Handle"),
    (lambda m, h: m.many([h, 3]), "'handle' is an int"),
    (lambda m, h: m.many_observed([None]), "'handle' is None"),
    (lambda m, h: m.many_into([h], None), "'outputs' is None"),
    (lambda m, h: m.many_into([h], [None]), "'outputs' is None"),
    (lambda m, h: m.many_with_scratch([h], None), "'storage' is None"),
    (lambda m, h: m.many_with_scratch(None, BatchStorage()), "'handles' is None"),
]


@pytest.mark.parametrize(("work", "cause"), WRONG)
def test_the_argument_is_named(work: Callable[[Any, Any], object], cause: str):
    megakernel = Megakernel(PICKY, engine="reference")
    with megakernel.resident(x=numbers(0), n=1) as handle:
        with pytest.raises(InvalidArgument) as caught:
            work(megakernel, handle)
        assert caught.value.cause == cause
        assert megakernel.dispatch(handle)["x"] == 1


WAVES = """
vyre.program @fill [1, 1, 1] {
  %x = vyre.buffer "x" write_only binding 0 output : memref<4xi32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : i32
  vyre.store %one, %x[%zero] : memref<4xi32>
}
vyre.megakernel @m {
  vyre.wave "a" @fill
}
"""


def test_the_plan_is_the_callers():
    """What is read back is part of the plan, too."""
    megakernel = Megakernel(WAVES, engine="reference", budget=64, graph=8, readback=24)
    assert dict(megakernel.plan) == {
        "global_barriers": 0,
        "peak_frontier_bytes": 0,
        "peak_scratch_bytes": 0,
        "peak_output_bytes": 16,
        "amortized_readback_bytes": 24,
        "max_group_width": 1,
        "resident_graph_bytes": 8,
        "budget_bytes": 64,
    }
    with pytest.raises(InvalidArgument, match="the readback is -1"):
        Megakernel(WAVES, engine="reference", budget=64, readback=-1)


HUGE = """
vyre.program @huge [4, 1, 1] {
  %out = vyre.buffer "out" read_write binding 0 : memref<4xi32>
  %w = vyre.DECLARED : memref<SHAPExi32>
}
"""


@pytest.mark.parametrize("engine", ["reference", "cpu", "cuda"])
def test_buffers_that_no_memory_can_hold(engine: str):
    """They are refused when they are compiled, by name; what could be is out of memory."""
    declared = {
        'buffer "w" workgroup': f"{2**61}",
        'buffer "w" read_only binding 1': f"{2**70}",
        "scratch per_invocation": f"?x{2**61}",
    }
    for text, shape in declared.items():
        program = HUGE.replace("DECLARED", text).replace("SHAPE", shape)
        with pytest.raises(InvalidProgram, match="is larger than 2\\*\\*63 - 1 bytes"):
            vyre.compile(vyre.parse(program), engine=MAKERS[engine]())


def test_workgroup_buffers_of_a_grid_that_no_memory_can_hold():
    text = HUGE.replace("DECLARED", 'buffer "w" workgroup').replace("SHAPE", f"{2**60}")
    exe = vyre.compile(vyre.parse(text), engine="reference")
    with pytest.raises(vyre.OutOfMemory, match="not enough memory for 'w'"):
        exe(out=np.zeros(4, np.int32), grid=4)
