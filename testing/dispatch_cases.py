"""Whole dispatches: grid barriers, fixpoints, buffers that stay, threads."""

import gc
import threading
from functools import partial
from typing import Any

import numpy as np

from vyre.dialects.vyre import ProgramOp
from vyre.interpreter.backend import ReferenceBackend
from vyre.runtime.backend import Backend
from vyre.runtime.config import Mode
from vyre.runtime.geometry import Geometry
from vyre.runtime.unit import Unit
from vyre.testing import programs
from vyre.testing.case import (
    Cases,
    Inapplicable,
    check_program,
    compiled,
    expect,
    expect_results,
    expect_same,
    parsed,
    reference_results,
)
from vyre.testing.programs import OUT, SYNC, program
from vyre.testing.recording import RecordingBackend

DISPATCH = Cases("dispatch")

MODES: tuple[Mode, ...] = ("auto", "split", "native")


def _random(seed: int, low: int, high: int, *shape: int) -> Any:
    return np.random.default_rng(seed).integers(low, high, shape).astype(np.int32)


def _graph() -> dict[str, Any]:
    """A few edges from each of 30 nodes to later ones."""
    counts = _random(1, 0, 3, 30)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    sources = np.repeat(np.arange(30), counts)
    targets = (sources + _random(2, 1, 6, len(sources))).astype(np.int32)
    reached = np.zeros(64, np.int32)
    reached[0] = 1
    return {"offsets": offsets, "targets": targets, "reached": reached}


def _examples() -> dict[str, tuple[str, dict[str, Any], dict[str, Any]]]:
    """Programs with arguments and options, by name."""
    smooth = {"a": _random(3, -99, 99, 50).astype(np.float32), "rounds": 6}
    scan = {"a": _random(4, -99, 99, 90), "sums": np.zeros(90, np.int32)}
    multiply = {
        "a": _random(5, -9, 9, 6, 11).astype(np.float32),
        "b": _random(6, -9, 9, 11, 7).astype(np.float32),
        "c": np.zeros((6, 7), np.float32),
    }
    return {
        "smooth": (programs.SMOOTH, smooth, {}),
        "reach": (programs.REACH, _graph(), {"grid": 16}),
        "scan": (programs.SCAN, scan, {}),
        "multiply": (programs.MULTIPLY, multiply, {"grid": (2, 2)}),
        "sort": (programs.SORT, {"a": _random(7, -99, 99, 64)}, {}),
        "spread": (programs.SPREAD, {"a": _random(8, -9, 9, 25)}, {}),
    }


def _needs_grid_sync(backend: Backend, mode: Mode, text: str = SYNC) -> None:
    needed = mode == "native" and SYNC in text
    if needed and not backend.capabilities.grid_sync:
        raise Inapplicable("it has no grid barriers")


def examples(name: str, mode: Mode, backend: Backend) -> None:
    """A whole program gives what the reference engine gives, in each mode."""
    text, given, options = _examples()[name]
    _needs_grid_sync(backend, mode, text)
    check_program(backend, text, given, mode=mode, **options)


for _name in _examples():
    for _mode in MODES:
        DISPATCH.add(f"examples[{_name}, {_mode}]", partial(examples, _name, _mode))

CROSSING = (
    OUT,
    """
  %a = vyre.buffer "a" read_write binding 1 : memref<?xi32>
  %count = vyre.buffer "count" read_write binding 2 output : memref<1xi32>
  %tile = vyre.buffer "tile" workgroup : memref<4xi32>
  %mine = vyre.load %a[%x] : memref<?xi32>
  %ticket = vyre.atomic add %i1, %count[%c0] : memref<1xi32>
  vyre.store %mine, %tile[%l] : memref<4xi32>
  %ends = arith.cmpi eq, %l, %c2 : index
  scf.if %ends {
    vyre.return
  }""",
    SYNC,
    """
  vyre.store %i0, %a[%x] : memref<?xi32>
  %next = arith.addi %l, %c1 : index
  %theirs = vyre.load %tile[%next] : memref<4xi32>
  %sum = arith.addi %mine, %theirs : i32
  %came = vyre.load %count[%c0] : memref<1xi32>
  %hundreds = arith.muli %came, %i100 : i32
  %all = arith.addi %sum, %hundreds : i32
  vyre.store %all, %out[%x] : memref<?xi32>""",
)


def crossing(mode: Mode, backend: Backend) -> None:
    """
    Values, workgroup memory and who has ended survive a grid barrier, and everyone has
    come there before anyone goes on.
    """
    _needs_grid_sync(backend, mode)
    given = {"out": np.full(12, -1, np.int32), "a": _random(9, 10, 99, 12)}
    i = np.arange(12)
    a = np.append(given["a"], 0)
    theirs = np.where(i % 4 == 3, 0, a[i + 1])
    ended = i % 4 == 2
    expected = {
        "out": np.where(ended, -1, 1200 + a[:12] + theirs).astype(np.int32),
        "a": np.where(ended, a[:12], 0).astype(np.int32),
        "count": np.array([12], np.int32),
    }
    check_program(backend, program(*CROSSING), given, expected, mode)


def fixpoints(mode: Mode, backend: Backend) -> None:
    """Passes over a program: as many, with the same results, as on the reference engine."""
    _needs_grid_sync(backend, mode)
    own = compiled(RecordingBackend(backend), programs.SPREAD, mode)
    reference = compiled(ReferenceBackend(), programs.SPREAD)
    a = np.zeros(10, np.int32)
    a[0] = 1
    for most, interval in ((1, 1), (3, 1), (10, 1), (40, 1), (40, 3), (40, 4), (12, None)):
        options: dict[str, Any] = {"fixpoint_iterations": most, "check_interval": interval}
        found, report = own.timed(a=a, **options)
        expected, wanted = reference.timed(a=a, **options)
        said = f"{report.passes} passes with {options}, expected {wanted.passes}"
        expect(report.passes == wanted.passes, said)
        expect_results(found, expected)


for _mode in MODES:
    DISPATCH.add(f"crossing[{_mode}]", partial(crossing, _mode))
    DISPATCH.add(f"fixpoints[{_mode}]", partial(fixpoints, _mode))


@DISPATCH.case
def fitting_grids(backend: Backend) -> None:
    """As many workgroups as the engine promises can wait for each other."""
    _needs_grid_sync(backend, "native")
    text = program(OUT, SYNC, "vyre.store %x32, %out[%x] : memref<?xi32>", SYNC)
    whole = parsed(text)
    assert isinstance(whole, ProgramOp)
    geometry = Geometry((1, 1, 1), (4, 1, 1))
    is_whole = backend.capabilities.whole
    kernel = backend.compile_whole(Unit(whole)) if is_whole else backend.compile(whole)
    limit = backend.resident_groups(kernel, geometry)
    fits = limit is None or limit >= 1
    expect(fits, f"resident_groups gives {limit}, expected a positive number or None")
    count = min(limit or 500, 5000)
    out = np.arange(4 * count, dtype=np.int32)
    given = {"out": np.zeros_like(out)}
    check_program(backend, text, given, {"out": out}, "native", grid=count)


@DISPATCH.case
def results_in_place(backend: Backend) -> None:
    """Results go to arrays of the caller, and programs run on arrays of the caller."""
    a = _random(10, -99, 99, 16)
    expected = reference_results(programs.SORT, {"a": a})
    exe = compiled(backend, programs.SORT)
    storage = np.zeros_like(a)
    found = exe(a=a, into={"a": storage})["a"]
    expect(found is storage, "the result is not the caller's array")
    expect_same("'a'", storage, expected["a"])
    own = a.copy()
    with exe.bind(a=own) as bound:
        for _ in range(2):
            bound()
            expect_same("the bound array", own, expected["a"])
            own[:] = a


@DISPATCH.case
def resident_buffers(backend: Backend) -> None:
    """Buffers are uploaded once, keep what runs leave in them, and are read in parts."""
    watched = RecordingBackend(backend)
    exe = compiled(watched, programs.SMOOTH)
    a = _random(11, -99, 99, 40).astype(np.float32)
    expected = reference_results(programs.SMOOTH, {"a": a, "rounds": 7})["a"]
    with exe.resident(a=a, rounds=3) as held:
        held.run()
        held.run(rounds=4)
        expect_same("the buffer", held.read("a"), expected)
        expect_same("a part of it", held.read("a", 5, 12), expected[5:12])
        held.write("a", a[:9], 20)
        again = np.concatenate([expected[:20], a[:9], expected[29:]])
        expect_same("the overwritten buffer", held.read("a"), again)
        held.run(rounds=1)
        after = reference_results(programs.SMOOTH, {"a": again, "rounds": 1})["a"]
        expect_same("the buffer after another run", held.read("a"), after)
    expect(not watched.live_count, "the memory of a closed program was not freed")
    moved = watched.uploaded_bytes
    expect(moved == a.nbytes + 36, f"{moved} bytes were uploaded, not {a.nbytes + 36}")


@DISPATCH.case
def persistent_buffers(backend: Backend) -> None:
    """A persistent buffer keeps its contents from one dispatch to the next."""
    text = program(
        OUT,
        """
  %kept = vyre.buffer "kept" read_write binding 1 kind persistent : memref<4xi32>
  %old = vyre.load %kept[%x] : memref<4xi32>
  %new = arith.addi %old, %i3 : i32
  vyre.store %new, %kept[%x] : memref<4xi32>
  vyre.store %new, %out[%x] : memref<?xi32>
""",
    )
    watched = RecordingBackend(backend)
    exe = compiled(watched, text)
    for run in range(1, 4):
        found = exe(out=np.zeros(4, np.int32))["out"]
        expect_same("'out'", found, np.full(4, 3 * run, np.int32))
    del exe
    gc.collect()
    expect(not watched.live_count, "what was kept was not freed with the program")


@DISPATCH.case
def threads(backend: Backend) -> None:
    """One engine, and one program on it, can be used by several threads at once."""
    exe = compiled(backend, programs.SMOOTH)
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for k in range(5):
                own = exe if k % 2 else compiled(backend, programs.SMOOTH)
                a = _random(100 * number + k, -99, 99, 24 + number).astype(np.float32)
                given = {"a": a, "rounds": 2 + k}
                expect_results(own(given), reference_results(programs.SMOOTH, given))
        except BaseException as error:
            failures.append(error)

    workers = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if failures:
        raise failures[0]
