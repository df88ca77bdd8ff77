"""How programs end that do not come to their end: by a trap or a timeout."""

from functools import partial

import numpy as np

from vyre.runtime.backend import Backend
from vyre.runtime.errors import Timeout, Trapped
from vyre.testing.case import (
    Cases,
    compiled,
    dispatched,
    expect,
    expect_error,
    within_reason,
)
from vyre.testing.programs import OUT, SYNC, program
from vyre.testing.recording import RecordingBackend

ENDING = Cases("ending")

TRAP = """
  %is_bad = arith.cmpi uge, %x32, %first : i32
  scf.if %is_bad {
    %shown = arith.addi %x32, %i100 : i32
    vyre.trap "too far" at %shown : i32
  }
  vyre.store %i1, %out[%x] : memref<?xi32>
"""
FIRST = '%first = vyre.param "first" : i32'


@ENDING.case
def trap(backend: Backend) -> None:
    """A trap is raised with the smallest invocation, and the engine goes on working."""
    watched = RecordingBackend(backend)
    exe = compiled(watched, program(OUT, FIRST, TRAP))
    out = np.zeros(16, np.int32)
    for first in (15, 5, 4, 0):
        given = {"out": out, "first": first}
        error = expect_error(Trapped, partial(dispatched, exe, given))
        expect_invocation(error, first)
        expect(error.tag == "too far", f"the tag is {error.tag!r}")
        value = int(str(error.value))
        expect(value == 100 + first, f"the value is {value}, expected {100 + first}")
        expect(not watched.live_count, "memory was not freed after a trap")
    found = dispatched(exe, {"out": out, "first": 16})["out"]
    expect(bool(np.all(found == 1)), f"after a trap the results are {found}")


@ENDING.case
def trap_in_two_dimensions(backend: Backend) -> None:
    """Invocations are numbered along x first, over the whole grid."""
    text = program(
        OUT,
        FIRST,
        """
  %y = vyre.invocation_id y
  %y32 = arith.index_cast %y : index to i32
  %row = arith.muli %y32, %i6 : i32
  %me = arith.addi %row, %x32 : i32
  %is_bad = arith.cmpi uge, %me, %first : i32
  scf.if %is_bad {
    vyre.trap "here"
  }
""",
        workgroup="[3, 2, 1]",
    )
    exe = compiled(backend, text)
    for first in (23, 14, 9, 7):
        given = {"out": np.zeros(1, np.int32), "first": first}
        error = expect_error(Trapped, partial(dispatched, exe, given, grid=(2, 2)))
        expect_invocation(error, first)


@ENDING.case
def trap_of_a_wave(backend: Backend) -> None:
    """A trap may say as which invocation it is reported; the smallest one is."""
    text = program(
        OUT,
        FIRST,
        """
  %is_bad = arith.cmpi ule, %x32, %first : i32
  scf.if %is_bad {
    %most = arith.constant 40 : index
    %back = arith.subi %most, %x : index
    vyre.trap "here" invocation %back wave "w"
  }
""",
    )
    exe = compiled(backend, text)
    for first in (0, 5, 15):
        given = {"out": np.zeros(16, np.int32), "first": first}
        error = expect_error(Trapped, partial(dispatched, exe, given, grid=4))
        expect_invocation(error, 40 - first)
        expect(error.wave == "w", f"the wave is {error.wave!r}")


@ENDING.case
def trap_before_a_grid_barrier(backend: Backend) -> None:
    """The dispatch stops at the next grid barrier."""
    text = program(OUT, FIRST, TRAP, SYNC, 'vyre.trap "never here"')
    exe = compiled(backend, text)
    given = {"out": np.zeros(16, np.int32), "first": 6}
    error = expect_error(Trapped, lambda: dispatched(exe, given))
    expect_invocation(error, 6)
    expect(error.tag == "too far", f"the tag is {error.tag!r}")


def expect_invocation(error: Trapped, first: int) -> None:
    found = error.invocation
    expect(found == first, f"invocation {found} is reported, expected {first}")


ENDLESS = """
  scf.while : () -> () {
    %v = vyre.load %out[%c0] : memref<?xi32>
    %go = arith.cmpi ne, %v, %i5 : i32
    scf.condition(%go)
  } do {
    BODY
    scf.yield
  }
"""


@ENDING.case
def timeout(backend: Backend) -> None:
    """A program that does not end is ended when its time is over."""
    _check_timeout(backend, program(OUT, ENDLESS.replace("BODY", "")))


@ENDING.case
def timeout_with_grid_barriers(backend: Backend) -> None:
    """The same for a loop with grid barriers, which the host may have to end."""
    step = f"{SYNC}\nvyre.store %i1, %out[%x] : memref<?xi32>\n{SYNC}"
    _check_timeout(backend, program(OUT, ENDLESS.replace("BODY", step)))


def _check_timeout(backend: Backend, text: str) -> None:
    watched = RecordingBackend(backend)
    exe = compiled(watched, text)
    out = np.zeros(8, np.int32)
    within_reason(lambda: expect_error(Timeout, lambda: exe(out=out, timeout=0.2)))
    expect(not watched.live_count, "memory was not freed after a timeout")
    found = within_reason(lambda: exe(out=np.full(8, 5, np.int32)))["out"]
    expect(bool(np.all(found == 5)), f"after a timeout the results are {found}")
