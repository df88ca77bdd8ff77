"""
Whatever call of an engine fails, the right error is raised, nothing is leaked, and the
program can be run again.

Every form of a dispatch runs once to count the calls; then it fails at each of them in
turn, with each kind of error.
"""

import gc
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import vyre
from vyre.diagnostics import VyreError
from vyre.dialects.vyre import ProgramOp, ScheduleOp
from vyre.interpreter.backend import ReferenceBackend
from vyre.runtime.errors import (
    CompileFailed,
    DeviceLost,
    DispatchFailed,
    OutOfMemory,
    Timeout,
)
from vyre.runtime.executable import Executable
from vyre.runtime.program_choice import find_program
from vyre.runtime.variants import split_program
from vyre.testing import FaultyBackend, RecordingBackend

Array = NDArray[Any]

PROGRAM = """
vyre.program @work [4, 1, 1] {
  %input = vyre.buffer "input" read_only binding 0 : memref<?xi32>
  %state = vyre.buffer "state" read_write binding 1 : memref<?xi32>
  %kept = vyre.buffer "kept" read_write binding 2 kind persistent : memref<1xi32>
  %total = vyre.buffer "total" read_write binding 3 output : memref<2xi32>
  %rounds = vyre.param "rounds" : index
  %i = vyre.invocation_id x
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %yes = arith.constant 1 : i32
  %right = arith.addi %i, %one : index
  %first = vyre.load %input[%i] : memref<?xi32>
  scf.for %k = %zero to %rounds step %one {
    %mine = vyre.load %state[%i] : memref<?xi32>
    %other = vyre.load %state[%right] : memref<?xi32>
    vyre.barrier grid_sync
    %larger = arith.maxsi %mine, %other : i32
    %new = arith.maxsi %larger, %first : i32
    vyre.store %new, %state[%i] : memref<?xi32>
    vyre.barrier grid_sync
  }
  scf.while : () -> () {
    %count = vyre.load %total[%one] : memref<2xi32>
    %go = arith.cmpi slt, %count, %yes : i32
    scf.condition(%go)
  } do {
    %is_first = arith.cmpi eq, %i, %zero : index
    vyre.barrier grid_sync
    scf.if %is_first {
      %a = vyre.atomic add %yes, %total[%one] : memref<2xi32>
      %b = vyre.atomic add %yes, %kept[%zero] : memref<1xi32>
      vyre.store %b, %total[%zero] : memref<2xi32>
    }
    vyre.barrier grid_sync
    scf.yield
  }
}
"""
"""The first pass of a dispatch adds 1 to `kept`; the second one changes nothing."""

INPUT = np.array([5, 1, 4, 1, 5], np.int32)
STATE = np.array([9, 8, 7, 6, 0], np.int32)
AFTER = [9, 8, 7, 6, 5]
OPTIONS: dict[str, Any] = {"rounds": 1, "fixpoint_iterations": 3}


class Arguments(NamedTuple):
    """Fresh arrays of the caller."""

    input: Array
    state: Array

    def unchanged(self) -> bool:
        same = np.array_equal(self.input, INPUT) and np.array_equal(self.state, STATE)
        return bool(same)


Results = dict[str, Array]
Form = Callable[[Executable, Arguments], Results]


def call(exe: Executable, given: Arguments) -> Results:
    return exe(given._asdict(), **OPTIONS)


def call_twice(exe: Executable, given: Arguments) -> Results:
    """The second call starts with what the first one kept."""
    call(exe, given)
    return call(exe, given)


def timed(exe: Executable, given: Arguments) -> Results:
    return exe.timed(given._asdict(), **OPTIONS).results


def into(exe: Executable, given: Arguments) -> Results:
    storage = {"state": np.zeros(5, np.int32), "total": np.zeros(2, np.int32)}
    return exe(given._asdict(), into=storage, **OPTIONS)


def bind(exe: Executable, given: Arguments) -> Results:
    own = Arguments(given.input.copy(), given.state.copy())  # These it may change.
    with exe.bind(own._asdict(), **OPTIONS) as bound:
        return bound()


def resident(exe: Executable, given: Arguments) -> Results:
    with exe.resident(given._asdict(), **OPTIONS) as held:
        held.write("state", STATE[:2])
        held.run()
        return {name: held.read(name) for name in ("state", "kept", "total")}


FORMS: list[Form] = [call_twice, timed, into, bind, resident]


@cache
def program(mode: str) -> ProgramOp | ScheduleOp:
    whole = find_program(vyre.parse(PROGRAM), None)
    assert isinstance(whole, ProgramOp)
    return split_program(whole)[0] if mode == "split" else whole


def on_own_memory() -> FaultyBackend:
    return FaultyBackend(RecordingBackend(ReferenceBackend()))


def in_place() -> FaultyBackend:
    return FaultyBackend(ReferenceBackend())


ERRORS: dict[type[BaseException], Callable[[], BaseException]] = {
    RuntimeError: lambda: RuntimeError("broken cable"),
    MemoryError: MemoryError,
    DeviceLost: lambda: DeviceLost("the device is gone", "plug it in"),
    Timeout: lambda: Timeout("too slow", "wait"),
    KeyboardInterrupt: KeyboardInterrupt,
}


def expected_error(kind: type[BaseException], call: str | None) -> type[BaseException]:
    if kind is RuntimeError:
        return CompileFailed if call == "compile" else DispatchFailed
    return OutOfMemory if kind is MemoryError else kind


def dispatches_of(form: Form) -> int:
    return 2 if form is call_twice else 1


def kept_count(exe: Executable) -> int:
    """How many dispatches got so far that something was kept."""
    if not exe.kept:
        return 0
    found = np.zeros(4, np.uint8)
    exe.backend.download(exe.kept["kept"].memory, 0, found)
    return int(found.view(np.int32)[0])


def check_results(results: Results, dispatches: int) -> None:
    """Right results of the dispatch of this number, counted from 1."""
    assert results["state"].tolist() == AFTER
    assert results["kept"].tolist() == [dispatches]
    assert results["total"].tolist() == [dispatches - 1, 1]


def check_error(
    error: BaseException, kind: type[BaseException], failed_in: str | None, mode: str
) -> None:
    assert type(error) is expected_error(kind, failed_in), (failed_in, error)
    if not isinstance(error, VyreError):
        return
    assert "Fix: " in str(error)
    in_segment = mode == "split" and failed_in in ("launch", "compile")
    assert (error.segment is not None) == in_segment, failed_in
    if error.segment is not None:
        assert 0 <= error.segment.index < error.segment.count
        assert error.segment.name == f"work.{error.segment.index}"


def error_of(form: Form, exe: Executable, given: Arguments) -> BaseException:
    try:
        form(exe, given)
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


def run_with_fault(form: Form, backend: FaultyBackend, mode: str, kind: type) -> str:
    """Let one call fail, as the engine was told; gives its name."""
    exe = Executable(program(mode), backend)
    given = Arguments(INPUT.copy(), STATE.copy())
    error = error_of(form, exe, given)
    failed_in = backend.failed_in
    assert failed_in is not None
    check_error(error, kind, failed_in, mode)
    assert backend.live_count == len(exe.kept), failed_in
    assert given.unchanged()

    backend.arm(None)
    before = kept_count(exe)
    check_results(form(exe, given), before + dispatches_of(form))
    assert backend.live_count == 1
    return failed_in


@pytest.mark.covering(1)
@pytest.mark.parametrize("kind", list(ERRORS))
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("make", "mode"), [(on_own_memory, "split"), (in_place, "split"), (in_place, "native")]
)
def test_every_call_may_fail(
    form: Form,
    make: Callable[[], FaultyBackend],
    mode: str,
    kind: type[BaseException],
):
    clean = make()
    exe = Executable(program(mode), clean)
    check_results(form(exe, Arguments(INPUT, STATE)), dispatches_of(form))
    count = clean.calls
    del exe

    failed: set[str] = set()
    backends = [clean]
    for number in range(count):
        backends.append(make())
        backends[-1].arm(number, ERRORS[kind]())
        failed.add(run_with_fault(form, backends[-1], mode, kind))
    # The program makes the engine do everything that it can.
    usual = {"allocate", "free", "clear", "copy", "equal", "compile", "launch", "finish"}
    assert usual <= failed

    # What was kept for the next dispatch goes with the program.
    gc.collect()
    assert [backend.live_count for backend in backends] == [0] * len(backends)


@pytest.mark.covering(1)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("make", [on_own_memory, in_place])
def test_the_first_failure_is_reported_when_everything_fails(
    form: Form, make: Callable[[], FaultyBackend]
):
    clean = make()
    exe = Executable(program("split"), clean)
    form(exe, Arguments(INPUT, STATE))
    for number in range(clean.calls):
        backend = make()
        exe = Executable(program("split"), backend)
        backend.arm(number, RuntimeError("gone"), for_good=True)
        error = error_of(form, exe, Arguments(INPUT, STATE))
        failed_in = backend.failed_in
        check_error(error, RuntimeError, failed_in, "split")
        assert isinstance(error, VyreError)
        assert (" free " in error.cause) == (failed_in == "free"), error
        assert backend.live_count == len(exe.kept)
        backend.arm(None)


@pytest.mark.parametrize("open_it", [Executable.resident, Executable.bind])
def test_what_nobody_closes_is_freed(open_it: Callable[..., object]):
    backend = on_own_memory()
    exe = Executable(program("split"), backend)
    held = open_it(exe, Arguments(INPUT.copy(), STATE.copy())._asdict(), **OPTIONS)
    assert backend.live_count
    del held
    gc.collect()
    assert not backend.live_count
