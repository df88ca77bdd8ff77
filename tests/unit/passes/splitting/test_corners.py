"""
Corners of the splitter, a program each: carried values of every level that are exchanged
or used late, what tests of loops pass on, results of regions, carried buffers, workgroup
memory, copies in flight and collectives, with loops that make no trip up to three.

What must come out is what the program gives as it is written.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from samples import ALL
from split_cases import MAY_BE_FOUND_AFTER_SPLIT, ORDERS, TIME_LIMIT, split, texts_of
from xdsl.dialects.builtin import ModuleOp

import vyre
from vyre.dialects.vyre import BufferOp, ProgramOp
from vyre.dialects.vyre.attributes import Access

TEXT = Path(__file__).with_name("corners.mlir").read_text(encoding="utf-8")
PROGRAMS = {
    re.findall(r"@(\w+)", text)[0]: text for text in re.split(r"(?m)^// -----$", TEXT)
}
ELEMENTS = 16
"""As many as a `?` stands for: twice as many as there are invocations."""

DTYPES = {"i32": np.int32, "f16": np.float16}


def program_of(module: ModuleOp) -> ProgramOp:
    (program,) = (op for op in module.walk() if isinstance(op, ProgramOp))
    return program


def inputs_of(program: ProgramOp, trips: int) -> dict[str, Any]:
    """Small numbers in every buffer, and `n` trips for loops."""
    rng = np.random.default_rng(trips)
    inputs: dict[str, Any] = {}
    for entry in program.table:
        if not isinstance(entry, BufferOp):
            inputs[entry.entry_name.data] = trips
        elif entry.access.data is not Access.WORKGROUP:
            shape = [ELEMENTS if size < 0 else size for size in entry.type.get_shape()]
            dtype = DTYPES[str(entry.type.element_type)]
            inputs[entry.entry_name.data] = rng.integers(0, 5, shape).astype(dtype)
    return inputs


@cache
def split_corner(name: str) -> ModuleOp:
    return split(PROGRAMS[name])


@pytest.mark.parametrize("name", PROGRAMS)
def test_means_the_same(name: str):
    module = vyre.parse(PROGRAMS[name])
    program = program_of(module)
    grid = 2 if program.workgroup[1:] == (1, 1) else (2, 2, 2)
    as_written = vyre.compile(module, engine="reference")
    after_split = vyre.compile(split_corner(name), program=name, engine="reference")
    for trips in range(4):
        inputs = inputs_of(program, trips)
        assert not as_written.check(inputs, grid=grid), "the program itself is not valid"
        found = after_split.check(inputs, grid=grid, timeout=TIME_LIMIT)
        assert {f.kind for f in found} <= MAY_BE_FOUND_AFTER_SPLIT, texts_of(found)
        expected = as_written(inputs, grid=grid)
        for order in ORDERS if ALL else [ORDERS[trips % len(ORDERS)]]:
            result = after_split(inputs, grid=grid, order=order, timeout=TIME_LIMIT)
            assert result.keys() == expected.keys()
            for buffer, array in expected.items():
                message = f"{buffer}, {trips} trips, {order}"
                np.testing.assert_array_equal(result[buffer], array, message)


@pytest.mark.parametrize("name", PROGRAMS)
def test_is_split_once(name: str):
    """Another time changes nothing, and the text says everything."""
    text = str(split_corner(name))
    assert str(vyre.parse(text)) == text
    assert str(split(text)) == text
