"""What a case of the conformance suite is, and how it says what is wrong."""

import threading
import unittest
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from vyre.analysis.features import features
from vyre.diagnostics import VyreError
from vyre.dialects.vyre import BarrierOp, ProgramOp, ScheduleOp
from vyre.interpreter.backend import ReferenceBackend
from vyre.reading import parse
from vyre.runtime.backend import Backend, same_elements
from vyre.runtime.config import DispatchConfig, Mode
from vyre.runtime.errors import DoesNotFit
from vyre.runtime.executable import Executable
from vyre.runtime.geometry import programs_of
from vyre.runtime.program_choice import find_program
from vyre.testing.recording import RecordingBackend

Array = NDArray[Any]
Error = TypeVar("Error", bound=VyreError)
Result = TypeVar("Result")
Results = Mapping[str, Array]


PATIENCE = 30.0
"""Seconds that anything may take; a wrong engine may make loops endless."""


class Broken(AssertionError):
    """The engine does not do what the contract says."""


class Inapplicable(unittest.SkipTest):
    """The case needs what the engine says it lacks; pytest skips it then."""


@dataclass(frozen=True)
class Case:
    """
    One rule that engines keep to. Call it with an engine: it returns if the engine does,
    raises `Broken` if not, and `Inapplicable` if the rule is about what the engine lacks.

    Example: `case(MyBackend())`
    """

    name: str
    check: Callable[[Backend], None]

    def __call__(self, backend: Backend) -> None:
        self.check(backend)

    def __str__(self) -> str:
        return self.name


class Cases(list[Case]):
    """
    The cases of one part of the suite.

    Example: `@MEMORY.case` above `def clear(backend: Backend) -> None: ...`
    """

    def __init__(self, part: str):
        super().__init__()
        self.part = part

    def case(self, check: Callable[[Backend], None]) -> Callable[[Backend], None]:
        """Add a function as a case of its name."""
        self.add(check.__name__.strip("_"), check)
        return check

    def add(self, name: str, check: Callable[[Backend], None]) -> None:
        """Add a case."""
        self.append(Case(f"{self.part}.{name}", check))


def expect(holds: bool, otherwise: str) -> None:
    """Raise `Broken` unless something holds."""
    if not holds:
        raise Broken(otherwise)


def expect_same(what: str, found: Array, expected: Array) -> None:
    """Raise `Broken` unless two arrays are the same to the bit; NaNs are all alike."""
    found, expected = np.atleast_1d(found), np.atleast_1d(expected)
    kinds = [f"{array.dtype} of shape {array.shape}" for array in (found, expected)]
    expect(kinds[0] == kinds[1], f"{what} is {kinds[0]}, expected {kinds[1]}")
    if same_elements(found, expected):
        return
    bits = f"u{found.dtype.itemsize}"
    for index in np.argwhere(found.view(bits) != expected.view(bits)):
        one, other = (array[tuple(index)].reshape(1) for array in (found, expected))
        if not same_elements(one, other):
            place = f"{what}{[int(i) for i in index]}"
            raise Broken(f"{place} is {one[0]!r}, expected {other[0]!r}")


def expect_results(found: Results, expected: Results) -> None:
    """Raise `Broken` unless there are the same results by name."""
    names = [", ".join(results) for results in (found, expected)]
    expect(names[0] == names[1], f"there are {names[0]}, expected {names[1]}")
    for name, array in expected.items():
        expect_same(f"'{name}'", found[name], array)


@cache
def parsed(text: str) -> ProgramOp | ScheduleOp:
    """The program of a text; nobody changes it."""
    return find_program(parse(text), None)


def compiled(backend: Backend, text: str, mode: Mode = "auto") -> Executable:
    """A program on the engine, if the engine has all that it needs."""
    whole = parsed(text)
    for program in programs_of(whole):
        for feature in features(program):
            if feature in backend.capabilities.lacks:
                raise Inapplicable(f"it has no {feature.value}")
    return Executable(whole, backend, DispatchConfig(mode=mode, timeout=PATIENCE))


def reference_results(text: str, arguments: Mapping[str, Any], **options: Any) -> Results:
    """What the reference engine gives for a program as it is written."""
    return compiled(ReferenceBackend(), text)(arguments, **options)


def dispatched(exe: Executable, arguments: Mapping[str, Any], **options: Any) -> Results:
    """Results of a call, if the engine has room for it."""
    try:
        return exe(arguments, **options)
    except DoesNotFit as error:
        raise Inapplicable(error.cause) from error


def expect_error(kind: type[Error], run: Callable[[], object]) -> Error:
    """Raise `Broken` unless a call raises an error of this kind, and give the error."""
    try:
        run()
    except kind as error:
        return error
    except VyreError as error:
        raise Broken(f"there was {error!r}, expected {kind.__name__}") from error
    raise Broken(f"there was no error, expected {kind.__name__}")


def within_reason(run: Callable[[], Result]) -> Result:
    """The result of a function that must end soon; if it does not, its thread is left."""
    results: list[Result] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(run())
        except BaseException as error:
            errors.append(error)

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    worker.join(PATIENCE)
    if errors:
        raise errors[0]
    expect(bool(results), f"the program did not end in {PATIENCE} s")
    return results[0]


def check_program(
    backend: Backend,
    text: str,
    arguments: Mapping[str, Any],
    expected: Mapping[str, Any] | None = None,
    mode: Mode = "auto",
    **options: Any,
) -> None:
    """
    Run a program and compare its results with those expected, or with the reference
    engine's. It runs once as anybody would run it and once on memory that is full of dirt,
    where everything must have been given back in the end.
    """
    before = {name: np.copy(value) for name, value in arguments.items()}
    watched = RecordingBackend(backend)
    for engine in (backend, watched):
        exe = compiled(engine, text, mode)
        found = dispatched(exe, arguments, **options)
        expected = expected or reference_results(text, arguments, **options)
        expect_results(found, expected)
    for name, value in before.items():
        expect_same(f"after the run, argument '{name}'", np.asarray(arguments[name]), value)
    expect(not watched.live_count, f"{watched.live_count} allocations were never freed")
    expect_no_grid_barrier(watched)


def expect_no_grid_barrier(watched: RecordingBackend) -> None:
    """An engine without grid barriers must never have seen one."""
    if watched.capabilities.grid_sync:
        return
    seen = [*watched.compiled, *(launch.program for launch in watched.launches)]
    for program in seen:
        barriers = (op for op in program.body.walk() if isinstance(op, BarrierOp))
        name = program.sym_name.data
        met = any(barrier.is_grid_sync for barrier in barriers)
        expect(not met, f"there is a grid barrier in @{name}, and the engine has none")
