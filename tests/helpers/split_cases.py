"""
Small programs with grid barriers, run as they are written and after they are split.

A test writes a program, says what must come out, and is run both ways by the fixture
`behaves` of `tests/unit/passes/splitting/conftest.py`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

import vyre
from vyre.dialects.vyre import BarrierOp, LaunchOp, ProgramOp, ScheduleOp
from vyre.interpreter.checker import Finding
from vyre.passes import get_all_passes
from vyre.passes.verify_ops import verify_ops
from vyre.passes.verify_program import verify_programs
from vyre.runtime.config import Order
from vyre.runtime.executable import Executable

Inputs = Mapping[str, Any]
Results = dict[str, NDArray[Any]]

TIME_LIMIT = 30.0
"""Seconds after which a loop that a wrong split makes endless is given up."""

MAY_BE_FOUND_AFTER_SPLIT = frozenset({"never written"})
"""Workgroup memory is kept as a whole, also the elements that nobody has written."""

ORDERS: tuple[Order, ...] = ("lockstep", "reversed", "random")

OUT = '%out = vyre.buffer "out" read_write binding 0 : memref<?xi32>'
A = '%a = vyre.buffer "a" read_write binding 1 : memref<?xi32>'
B = '%b = vyre.buffer "b" read_write binding 2 : memref<?xi32>'
N = '%n = vyre.param "n" : index'
TILE = '%tile = vyre.buffer "tile" workgroup : memref<4xi32>'

SYNC = "vyre.barrier grid_sync"

_DECLARED_ON_USE = {
    "x": "vyre.invocation_id x",
    "l": "vyre.local_id x",
    "g": "vyre.workgroup_id x",
    "groups": "vyre.workgroup_count x",
    "x32": "arith.index_cast %x : index to i32",
    "l32": "arith.index_cast %l : index to i32",
    "g32": "arith.index_cast %g : index to i32",
    "yes": "arith.constant true",
    "no": "arith.constant false",
}


def program(*parts: str, workgroup: str = "[4, 1, 1]") -> str:
    """
    A program @p of declarations and code. What it uses and does not define is added: `%c7`
    is the index 7 and `%i7` the i32, `%x`, `%l` and `%g` are the ids of the invocation, in
    its workgroup and of that, and `%x32`, ... the same as i32.

    Example: `program(OUT, "vyre.store %i7, %out[%x] : memref<?xi32>")`
    """
    code = "\n".join(parts)
    for name, value in reversed(_DECLARED_ON_USE.items()):
        if re.search(rf"%{name}\b", code):
            code = f"%{name} = {value}\n{code}"
    for letter, type in (("c", "index"), ("i", "i32")):
        for number in sorted(set(re.findall(rf"%{letter}(\d+)\b", code)), key=int):
            code = f"%{letter}{number} = arith.constant {number} : {type}\n{code}"
    return f"vyre.program @p {workgroup} {{\n{code}\n}}\n"


@lru_cache(64)
def parsed(source: str) -> ModuleOp:
    """The program as it is written, for who does not change it."""
    return vyre.parse(source)


def split(source: str) -> ModuleOp:
    """The program after `vyre-host-plan`: verified, and without a grid barrier."""
    module = parsed(source).clone()
    host_plan = get_all_passes()["vyre-host-plan"]()
    host_plan().apply(vyre.context(), module)
    verify_ops(module)
    verify_programs(module)
    assert not grid_barriers(module), f"a grid barrier is left in\n{module}"
    return module


def grid_barriers(module: ModuleOp) -> list[BarrierOp]:
    """The grid barriers of all programs."""
    return [op for op in module.walk() if isinstance(op, BarrierOp) and op.is_grid_sync]


def segments(module: ModuleOp) -> list[ProgramOp]:
    """The programs of a module, in order."""
    return [op for op in module.walk() if isinstance(op, ProgramOp)]


def schedule_of(module: ModuleOp) -> ScheduleOp:
    """The only schedule of a module."""
    (schedule,) = (op for op in module.walk() if isinstance(op, ScheduleOp))
    return schedule


def launched(module: ModuleOp) -> list[str]:
    """The names of the segments that the schedule launches, in the order of its text."""
    found = [op for op in schedule_of(module).walk() if isinstance(op, LaunchOp)]
    return [launch.segment.string_value() for launch in found]


def run_split(
    text: str,
    inputs: Inputs,
    grid: object = None,
    order: Order = "lockstep",
    name: str = "p",
    **options: Any,
) -> Results:
    """Split the program and run the schedule of the given name."""
    exe = vyre.compile(split(text), program=name, engine="reference")
    return exe(as_arrays(inputs), grid=grid, order=order, **options)


def as_arrays(inputs: Inputs) -> dict[str, Any]:
    """Lists are arrays of i32; anything else stays."""
    return {
        name: np.array(value, np.int32) if isinstance(value, list) else value
        for name, value in inputs.items()
    }


@dataclass(frozen=True)
class Way:
    """A way to run programs: as they are written, or split."""

    name: Literal["as_written", "after_split"]

    def executable(self, text: str) -> Executable:
        return vyre.compile(
            parsed(text) if self.name == "as_written" else split(text),
            program="p",
            engine="reference",
        )

    def __call__(
        self,
        text: str,
        inputs: Inputs,
        *,
        gives: Inputs,
        grid: object = 2,
        findings: frozenset[str] = frozenset(),
        **options: Any,
    ) -> None:
        """
        Assert that the program gives exactly these results, whichever workgroup comes
        first; every buffer that it may write has to be named. The program must be valid,
        and stay so: the checker finds nothing but the kinds of `findings`.
        """
        arrays = as_arrays(inputs)
        exe = self.executable(text)
        found = exe.check(arrays, grid=grid, timeout=TIME_LIMIT)
        kinds = {finding.kind for finding in found}
        if self.name == "as_written":
            assert kinds == findings, texts_of(found)
        else:
            assert kinds <= findings | MAY_BE_FOUND_AFTER_SPLIT, texts_of(found)
        for order in ORDERS:
            results = exe(arrays, grid=grid, order=order, timeout=TIME_LIMIT, **options)
            assert results.keys() == gives.keys()
            for name, expected in gives.items():
                assert_same(results[name], expected, f"{name}, {self.name}, {order}")


def texts_of(findings: list[Finding]) -> str:
    """What the checker says, for a failing assertion."""
    return "\n".join(map(str, findings))


def assert_same(found: NDArray[Any], expected: Any, message: str) -> None:
    """Equal, also in the sign of zeros; any NaN equals any other."""
    wanted = np.asarray(expected, found.dtype)
    np.testing.assert_array_equal(found, wanted, message)
    if found.dtype.kind == "f":
        numbers = ~np.isnan(found)
        signs = np.signbit(found) == np.signbit(np.broadcast_to(wanted, found.shape))
        assert signs[numbers].all(), message
