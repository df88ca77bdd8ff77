"""
Errors of dispatches: one hierarchy with numbers that stay, and whatever an engine raises
becomes one of them, with what can be done and the segment in which it happened.
"""

import inspect
from typing import Any

import numpy as np
import pytest
from counting_programs import counting
from engines import Closure, OwnMemory
from entries import ENTRIES, Entry, dispatch
from numpy.typing import NDArray
from split_cases import OUT, SYNC, program

import vyre
from vyre.diagnostics import InvalidProgram, LocatedError, Segment, VyreError
from vyre.runtime import errors
from vyre.runtime.backend import Launch
from vyre.runtime.errors import (
    CompileFailed,
    DeviceLost,
    DispatchFailed,
    DivergentBarrier,
    DoesNotFit,
    InvalidArgument,
    OutOfMemory,
    Timeout,
    Trapped,
    UnsupportedFeature,
    is_device_lost,
)

pytestmark = pytest.mark.core

NUMBERS: dict[type[VyreError], int] = {
    OutOfMemory: 1001,
    UnsupportedFeature: 1002,
    CompileFailed: 1004,
    DispatchFailed: 1005,
    InvalidProgram: 1006,
    InvalidArgument: 1006,
    DoesNotFit: 1007,
    DeviceLost: 1008,
    Trapped: 1009,
    Timeout: 1010,
    DivergentBarrier: 1011,
    VyreError: 1999,
}


def zeros(count: int = 4) -> NDArray[Any]:
    return np.zeros(count, np.int32)


def test_every_kind_has_its_number():
    defined = {
        kind
        for _, kind in inspect.getmembers(errors, inspect.isclass)
        if issubclass(kind, VyreError)
    }
    assert defined - {LocatedError} <= NUMBERS.keys()
    assert {kind: kind.number for kind in NUMBERS} == NUMBERS
    assert all(issubclass(kind, VyreError) for kind in NUMBERS)


def test_kinds_can_be_told_apart():
    """No kind is a special case of another, but for the general one."""
    for kind in NUMBERS.keys() - {VyreError}:
        for other in NUMBERS.keys() - {VyreError, kind}:
            assert not issubclass(kind, other)


@pytest.mark.parametrize(
    "error",
    [
        OutOfMemory("c", "f"),
        UnsupportedFeature("c", "f"),
        CompileFailed("c", "f"),
        DispatchFailed("c", "f"),
        InvalidArgument("c", "f"),
        DoesNotFit("c", "f", needed=2, limit=1),
        DeviceLost("c", "f"),
        Timeout("c", "f"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_say_what_is_wrong_where_and_what_to_do(error: VyreError):
    assert str(error) == "error: c\nFix: f"
    error.segment = Segment(1, 3, "p.1")
    assert str(error) == "error: c\nnote: in segment 1 of 3, @p.1\nFix: f"
    assert (error.cause, error.fix) == ("c", "f")


# What engines raise


class Raising(OwnMemory):
    """Raises an exception when it is to compile or launch a program of that name."""

    def __init__(self, error: BaseException, at: str, when: str = "launch"):
        super().__init__()
        self._error, self._at, self._when = error, at, when

    def _raise(self, name: str, when: str) -> None:
        if (name, when) == (self._at, self._when):
            raise self._error

    def compile(self, program: Any) -> Any:
        self._raise(program.sym_name.data, "compile")
        return program

    def launch(self, launch: Launch) -> Any:
        self._raise(launch.program.sym_name.data, "launch")
        return super().launch(launch)


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize(
    ("raised", "when", "kind"),
    [
        (RuntimeError("no such luck"), "launch", DispatchFailed),
        (RuntimeError("no such luck"), "compile", CompileFailed),
        (MemoryError(), "launch", OutOfMemory),
        (MemoryError(), "compile", OutOfMemory),
        (DeviceLost("it is gone", "buy another"), "launch", DeviceLost),
        (OSError(5, "no such luck"), "launch", DispatchFailed),
    ],
)
def test_errors_name_the_segment(
    entry: Entry, raised: Exception, when: str, kind: type[VyreError]
):
    engine = Raising(raised, "p.1", when)
    exe = vyre.compile(counting(3), engine=engine)
    with pytest.raises(kind) as caught:
        dispatch(exe, entry, {"a": [0]})
    assert caught.value.segment == Segment(1, 3, "p.1")
    assert "\nnote: in segment 1 of 3, @p.1\nFix: " in str(caught.value)
    assert caught.value is raised or caught.value.__cause__ is raised
    assert not engine.live_count


def test_an_error_of_an_unsplit_program_has_no_segment():
    engine = Raising(RuntimeError("no such luck"), "p")
    with pytest.raises(DispatchFailed, match="could not launch @p: RuntimeError") as caught:
        vyre.compile(counting(1), engine=engine)(a=zeros())
    assert caught.value.segment is None
    assert "note: " not in str(caught.value)


def test_segments_in_loops_are_those_of_the_text():
    """The second launch of the schedule fails in its third trip."""

    class Third(Closure):
        def __call__(self, program: Any, arguments: Any, geometry: Any) -> None:
            super().__call__(program, arguments, geometry)
            if len(self.programs) == 6:
                raise RuntimeError("no such luck")

    code = f"""
      scf.for %k = %c0 to %c5 step %c1 {{
        vyre.store %i1, %out[%x] : memref<?xi32>
        {SYNC}
        vyre.store %i2, %out[%x] : memref<?xi32>
        {SYNC}
      }}
    """
    exe = vyre.compile(program(OUT, code), engine=Third())
    with pytest.raises(DispatchFailed) as caught:
        exe(out=zeros())
    assert str(caught.value.segment) == "segment 1 of 2, @p.1"


def test_a_trap_names_its_segment_too():
    code = f"""
      vyre.store %i1, %out[%x] : memref<?xi32>
      {SYNC}
      %v = vyre.load %out[%x] : memref<?xi32>
      vyre.trap "odd" at %v : i32
    """
    exe = vyre.compile(program(OUT, code), engine=OwnMemory())
    with pytest.raises(Trapped, match="odd") as caught:
        exe(out=zeros())
    trap = caught.value
    assert (trap.tag, trap.invocation, trap.value) == ("odd", 0, 1)
    assert str(caught.value.segment) == "segment 1 of 2, @p.1"


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_what_is_no_error_of_the_engine_stays_as_it_is(error: type[BaseException]):
    engine = Raising(error(), "p.1")
    with pytest.raises(error):
        vyre.compile(counting(3), engine=engine)(a=zeros())
    assert not engine.live_count


@pytest.mark.parametrize(
    "text",
    [
        "Device Lost",
        "VK_ERROR_DEVICE_LOST",
        "DXGI_ERROR_DEVICE_REMOVED",
        "DXGI_ERROR_DEVICE_RESET",
        "DXGI_ERROR_DEVICE_HUNG",
        "DeviceLost",
        "the context lost its memory",
        "lost device 0",
        "adapter lost",
        "GPU reset",
        "stale pipeline",
        "invalid handle: timed out, device lost",
    ],
)
def test_words_of_drivers_say_that_the_device_is_lost(text: str):
    assert is_device_lost(DispatchFailed(f"engine 'x' could not: {text}", "..."))


def test_types_say_whether_the_device_is_lost():
    """Whatever the words are."""
    assert is_device_lost(DeviceLost("try again", "..."))
    assert not is_device_lost(DispatchFailed("invalid handle: timed out", "..."))
    for kind in (OutOfMemory, Timeout, CompileFailed, InvalidArgument):
        assert not is_device_lost(kind("device lost", "..."))
