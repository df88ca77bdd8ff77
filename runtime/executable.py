"""`vyre.compile`: a program that can be called with arrays."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from types import MappingProxyType
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from vyre.diagnostics import did_you_mean
from vyre.dialects.vyre import ProgramOp, ScheduleOp
from vyre.dialects.vyre.attributes import MemoryKind
from vyre.passes.host_plan import HostPlanPass
from vyre.passes.verify_ops import verify_ops
from vyre.passes.verify_program import verify_programs
from vyre.reading import context, parse
from vyre.runtime.arguments import Interface, Prepared
from vyre.runtime.checker import Finding, check
from vyre.runtime.errors import InvalidArgument, OutOfMemory
from vyre.runtime.geometry import check_size, checked_grid, infer_grid, workgroup_of
from vyre.runtime.reference.engine import Dispatch, Order
from vyre.source import deep_recursion

Mode = Literal["auto", "native", "split"]

ENGINES = ("reference",)
"""Engines by name; `auto` takes the first."""


def compile(
    source: ModuleOp | str | PathLike[str],
    *,
    program: str | None = None,
    engine: str = "auto",
    mode: Mode = "auto",
) -> "Executable":
    """
    Make a program callable.

    `source` is a module, a file or program text. If it holds several programs, `program`
    names the one to run; a schedule goes before the programs it launches. With
    `mode="split"` a program is split at its grid barriers into launches; the reference
    engine otherwise runs it as it is written, which gives the same.

    Example:

    ```python
    exe = vyre.compile("scale.mlir")
    result = exe(x=np.ones(1000, np.float32), a=2.0)
    result["x"]
    ```
    """
    if isinstance(source, ModuleOp):
        with deep_recursion():
            verify_ops(source)
            verify_programs(source)
        module = source
    else:
        module = parse(source)
    if engine not in ("auto", *ENGINES):
        raise InvalidArgument(
            f"there is no engine '{engine}'",
            did_you_mean(engine, ENGINES) or f"the engines are {', '.join(ENGINES)}",
        )
    if mode not in get_args(Mode):
        raise InvalidArgument(
            f"there is no mode '{mode}'", f"use {', '.join(get_args(Mode))}"
        )
    chosen = find_program(module, program)
    if mode == "split" and isinstance(chosen, ProgramOp):
        return Executable(split_program(chosen))
    return Executable(chosen)


def split_program(program: ProgramOp) -> ProgramOp | ScheduleOp:
    """
    The program as a schedule of launches, in a module of its own; a copy of the program
    if it has no grid barrier.
    """
    name = program.sym_name.data
    module = ModuleOp([program.clone()])
    with deep_recursion():
        HostPlanPass().apply(context(), module)
    return find_program(module, name)


def find_program(module: ModuleOp, name: str | None) -> ProgramOp | ScheduleOp:
    """The program or schedule of that name, or the only one there is."""
    found = [op for op in module.walk() if isinstance(op, ProgramOp | ScheduleOp)]
    names = [op.sym_name.data for op in found]
    if name is not None:
        if name not in names:
            raise InvalidArgument(
                f"there is no program '{name}'",
                did_you_mean(name, names) or f"the module has {', '.join(names) or 'none'}",
            )
        return found[names.index(name)]
    schedules = [op for op in found if isinstance(op, ScheduleOp)]
    candidates = schedules or found
    if len(candidates) != 1:
        raise InvalidArgument(
            f"the module has {len(candidates)} programs",
            f"choose one of {', '.join(names)}" if names else "write a 'vyre.program'",
        )
    return candidates[0]


@dataclass
class Executable:
    """
    A program on an engine. Call it with buffers and parameters by name; it gives back
    every buffer that the program may write, and never changes the caller's arrays.

    Outputs and `write_only` buffers start as zeros; an array passed for one only says how
    large it is. `grid` counts workgroups and is inferred if it is left out.
    """

    program: ProgramOp | ScheduleOp
    interface: Interface = field(init=False)
    persistent: dict[str, NDArray[Any]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.interface = Interface.of(self.program)

    def __call__(
        self,
        arguments: Mapping[str, object] = MappingProxyType({}),
        /,
        *,
        grid: object = None,
        order: Order = "lockstep",
        seed: int = 0,
        timeout: float | None = None,
        fixpoint_iterations: int | None = None,
        **named: object,
    ) -> dict[str, NDArray[Any]]:
        """
        Run the program. Arguments are passed by name, or as a dictionary if a name is not
        one that Python can pass.

        `order` lets workgroups take turns instead of running in lockstep, to show hidden
        dependence on it. `fixpoint_iterations` repeats the program on its own results
        until a pass changes nothing, at most that many times.
        """
        prepared = self.prepare(_joined(arguments, named))
        groups = self.resolve_grid(prepared, grid)
        dispatch = Dispatch(groups, order=order, seed=seed, timeout=timeout)
        for _ in self._passes(prepared, fixpoint_iterations):
            try:
                dispatch.run(self.program, prepared.storage)
            except MemoryError:
                raise OutOfMemory(
                    f"a grid of {groups} workgroups does not fit into memory",
                    "use a smaller grid, with a loop in the program",
                ) from None
        results = prepared.results()
        for name in self._persistent_names(arguments, named):
            self.persistent[name] = np.asarray(prepared.storage[name])
            results[name] = results[name].copy()
        return results

    def check(
        self,
        arguments: Mapping[str, object] = MappingProxyType({}),
        /,
        *,
        grid: object = None,
        timeout: float | None = None,
        **named: object,
    ) -> list[Finding]:
        """
        Run the program and report races, accesses outside buffers, reads of elements
        that were never written, divergent barriers and dependence on the order of
        atomics. A valid program has no findings on its input.
        """
        everything = _joined(arguments, named)
        groups = self.resolve_grid(self.prepare(everything), grid)
        return check(self.program, lambda: self.prepare(everything), groups, timeout)

    @property
    def workgroup(self) -> tuple[int, int, int]:
        """Invocations per workgroup along x, y and z."""
        return workgroup_of(self.program)

    def prepare(self, arguments: Mapping[str, object]) -> Prepared:
        """Check arguments and lay out storage for a run."""
        prepared = self.interface.prepare(arguments)
        for name in self._persistent_names(arguments):
            if name in self.persistent:
                prepared.storage[name] = self.persistent[name].copy()
        return prepared

    def _persistent_names(self, *given: Mapping[str, object]) -> list[str]:
        """Buffers that are kept between dispatches and were not passed this time."""
        passed = {name for arguments in given for name in arguments}
        return [
            buffer.entry_name.data
            for buffer in self.interface.buffers
            if buffer.memory_kind is MemoryKind.PERSISTENT
            and buffer.entry_name.data not in passed
        ]

    def resolve_grid(self, prepared: Prepared, grid: object) -> tuple[int, int, int]:
        """The grid that was passed, or the one that the arguments imply."""
        if grid is None:
            groups = infer_grid(self.program, prepared.element_counts())
        else:
            groups = checked_grid(grid)
        check_size(groups, workgroup_of(self.program))
        return groups

    def _passes(self, prepared: Prepared, iterations: Any) -> Iterator[None]:
        """One pass, or passes until one leaves all writable buffers as they were."""
        if iterations is not None and (not isinstance(iterations, int) or iterations < 1):
            raise InvalidArgument(
                f"fixpoint_iterations is {iterations}", "ask for at least one pass"
            )
        before: dict[str, bytes] | None = None
        for _ in range(iterations or 1):
            yield
            after = {
                buffer.entry_name.data: prepared.storage[buffer.entry_name.data].tobytes()
                for buffer in self.interface.buffers
                if buffer.access.data.writable
            }
            if after == before:
                return
            before = after


def _joined(
    arguments: Mapping[str, object], named: Mapping[str, object]
) -> dict[str, object]:
    for name in arguments.keys() & named.keys():
        raise InvalidArgument(
            f"argument '{name}' is given twice", "pass it in the dictionary or by name"
        )
    return {**arguments, **named}
