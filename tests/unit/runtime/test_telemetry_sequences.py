"""
Telemetry against engines that count for themselves, and against what calls are to count:
random sequences of calls, of which some fail.
"""

import random
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from cuda_devices import host_device
from engines import OwnMemory
from samples import sampled
from split_cases import SYNC

import vyre
from vyre import BatchStorage, Trapped, telemetry
from vyre.interpreter.backend import ReferenceBackend
from vyre.runtime.backend import Backend
from vyre.runtime.cuda.backend import CudaBackend
from vyre.testing import RecordingBackend

PROGRAM = f"""
vyre.program @p [4, 1, 1] {{
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi32>
  %seen = vyre.buffer "seen" write_only binding 1 output : memref<8xi32>
  %n = vyre.param "n" : i32
  %zero = arith.constant 0 : index
  %none = arith.constant 0 : i32
  %limit = arith.constant 1000 : i32
  %i = vyre.invocation_id x
  %traps = arith.cmpi eq, %n, %none : i32
  scf.if %traps {{
    vyre.trap "n is zero"
  }}
  scf.while : () -> () {{
    %v = vyre.load %x[%zero] : memref<?xi32>
    %goes_on = arith.cmpi slt, %v, %limit : i32
    {SYNC}
    scf.condition(%goes_on)
  }} do {{
    %v = vyre.load %x[%i] : memref<?xi32>
    %w = arith.addi %v, %limit : i32
    vyre.store %w, %x[%i] : memref<?xi32>
    {SYNC}
    scf.yield
  }}
  %v = vyre.load %x[%i] : memref<?xi32>
  %w = arith.addi %v, %n : i32
  vyre.store %w, %x[%i] : memref<?xi32>
  vyre.store %w, %seen[%i] : memref<8xi32>
}}
"""
"""Makes a trip or none through its loop, and changes all of `x`; traps if n is zero."""

SIZE = 8
BYTES = 4 * SIZE
SEGMENTS = 3

ENGINES: dict[str, Callable[[], Backend]] = {
    "five methods": lambda: OwnMemory(stays=False),
    "own memory": OwnMemory,
    "in place": lambda: RecordingBackend(ReferenceBackend(), in_place=True),
    "whole": lambda: RecordingBackend(CudaBackend(host_device())),
}


class Engine:
    """A program on an engine, which tells what the engine was asked to do."""

    def __init__(self, backend: Backend):
        self.backend = backend
        self.megakernel = vyre.Megakernel(PROGRAM, engine=backend)
        self.exe = self.megakernel.exe
        self.is_split = not backend.capabilities.grid_sync

    def moved(self) -> Counter[str]:
        """The bytes that have moved since the engine was made."""
        if isinstance(self.backend, OwnMemory):
            ups, downs = self.backend.uploaded_bytes, self.backend.downloaded_bytes
        else:
            assert isinstance(self.backend, RecordingBackend)
            ups, downs = self.backend.uploaded_bytes, self.backend.downloaded_bytes
        return Counter(uploaded_bytes=ups, downloaded_bytes=downs)

    def launches(self) -> int | None:
        """The launches since the engine was made; None if it makes passes by itself."""
        if isinstance(self.backend, OwnMemory | RecordingBackend):
            whole = self.backend.capabilities.whole
            return None if whole else len(self.backend.launches)
        return None


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Engine:
    return Engine(ENGINES[request.param]())


class Sequence:
    """Random calls on an engine, and what they are expected to count."""

    def __init__(self, engine: Engine, seed: int):
        self.engine = engine
        self.exe, self.megakernel = engine.exe, engine.megakernel
        self.random = random.Random(seed)
        self.expected: Counter[str] = Counter()
        self.steps: list[str] = []
        self.storage = BatchStorage()
        self.first = self.random.choice([0, 2000])
        """What `x` starts with, which decides whether there is a trip through the loop."""
        self.failed = False

    def array(self) -> Any:
        return np.full(SIZE, self.first, np.int32)

    def n(self) -> int:
        return self.random.choice([0, 1, 1, 1, 1])

    def ran(self, dispatches: int = 1, passes: int = 1, failed: bool = False) -> None:
        """Expect dispatches; launches and read-backs are what the engine counts itself."""
        self.expected["dispatches"] += dispatches
        if self.engine.is_split:
            self.expected["grid_sync_splits"] += dispatches
            self.expected["grid_sync_segments"] += SEGMENTS * dispatches
            self.expected["grid_sync_points"] += (SEGMENTS - 1) * dispatches
        self.expected["failures"] += failed
        self.expected["passes"] += 0 if failed else dispatches * passes
        self.failed |= failed

    def gave(self, storage: str, arrays: int, size: int | None = None) -> None:
        """Expect results."""
        self.expected[f"storage_{storage}"] += arrays
        self.expected["output_bytes"] += BYTES * arrays if size is None else size

    def run(self, work: Callable[[], object], fails: bool) -> None:
        if not fails:
            work()
            return
        with pytest.raises(Trapped):
            work()

    # Kinds of calls

    def call(self) -> None:
        n, passes = self.n(), self.random.choice([1, 1, 2, 4])
        interval = self.random.choice([None, 1, 2])
        into = {"x": self.array()} if self.random.random() < 0.5 else {}
        options: Any = {"fixpoint_iterations": passes, "check_interval": interval}
        arrays: Any = {"x": self.array(), "n": n}
        self.run(lambda: self.exe(arrays, into=into, grid=2, **options), n == 0)
        self.expected["input_bytes"] += BYTES
        self.ran(1, passes, n == 0)
        if n:
            self.gave("reused", len(into))
            self.gave("moved", 2 - len(into))

    def bind(self) -> None:
        n = self.n()
        with self.exe.bind(x=self.array(), n=n, grid=2) as step:
            for _ in range(self.random.randrange(3)):
                self.run(step, n == 0)
                self.expected["input_bytes"] += BYTES
                self.ran(failed=n == 0)
                self.gave("reused", 2 if n else 0)

    def resident(self) -> None:
        self.expected["input_bytes"] += BYTES
        with self.exe.resident(x=self.array(), n=1, grid=2) as held:
            for _ in range(self.random.randrange(3)):
                n = self.n()
                self.run(lambda: held.run(n=n), n == 0)
                self.ran(failed=n == 0)
            self.reads_and_writes(held)

    def reads_and_writes(self, held: Any) -> None:
        for _ in range(self.random.randrange(3)):
            begin = self.random.randrange(SIZE)
            end = self.random.randrange(begin, SIZE + 1)
            if self.random.random() < 0.5:
                held.write("x", np.full(end - begin, self.first, np.int32), begin)
                self.expected["input_bytes"] += 4 * (end - begin)
            else:
                held.read("x", begin, end)
                self.gave("moved", 1, 4 * (end - begin))

    def handle(self) -> None:
        n = self.n()
        self.expected["input_bytes"] += BYTES
        with self.megakernel.resident(x=self.array(), n=n, grid=2) as handle:
            for _ in range(self.random.randrange(4)):
                if self.random.random() < 0.5:
                    self.run(lambda: self.megakernel.dispatch(handle), n == 0)
                    self.gave("moved", 2 if n else 0)
                else:
                    into = {"seen": self.array()}
                    self.run(lambda: self.megakernel.into(handle, into), n == 0)
                    self.gave("reused", 1 if n else 0)
                self.ran(failed=n == 0)
                self.reads_and_writes(handle)

    def batch(self) -> None:
        """Rows before the one that fails have ended, and those after it have not begun."""
        numbers = [self.n() for _ in range(self.random.randrange(1, 4))]
        self.expected["input_bytes"] += BYTES * len(numbers)
        handles = [self.megakernel.resident(x=self.array(), n=n, grid=2) for n in numbers]
        fails = 0 in numbers
        ended = numbers.index(0) if fails else len(numbers)
        if self.random.random() < 0.5:
            self.run(lambda: self.megakernel.many(handles), fails)
            self.gave("moved", 0 if fails else 2 * ended)
        else:
            storage = self.storage
            self.run(lambda: self.megakernel.many_with_scratch(handles, storage), fails)
            self.gave("reused", 0 if fails else 2 * ended)
        self.ran(ended)
        if fails:
            self.ran(1, failed=True)
        for handle in handles:
            handle.close()

    def borrowed(self) -> None:
        n = self.n()
        self.expected["input_bytes"] += BYTES
        arrays: Any = {"x": self.array(), "n": n, "grid": 2}
        self.run(lambda: self.megakernel.borrowed(**arrays), n == 0)
        self.ran(failed=n == 0)
        self.gave("moved", 2 if n else 0)

    def checkpoint(self) -> None:
        """What is remembered for a recovery is no result."""
        self.expected["input_bytes"] += BYTES
        with self.megakernel.resident(x=self.array(), n=1, grid=2) as handle:
            handle.checkpoint()

    def refused(self) -> None:
        """What is refused before anything runs is not counted."""
        with suppress(vyre.InvalidArgument):
            self.exe(x=self.array(), m=1)

    def make(self, count: int) -> None:
        kinds = [self.call, self.bind, self.resident, self.handle, self.batch]
        kinds += [self.borrowed, self.checkpoint, self.refused]
        for _ in range(count):
            kind = self.random.choice(kinds)
            self.steps.append(kind.__name__)
            kind()


@pytest.mark.parametrize("seed", range(sampled(6, 125)))
def test_random_sequences(engine: Engine, seed: int):
    sequence = Sequence(engine, seed)
    before, moved, launches = telemetry.snapshot(), engine.moved(), engine.launches()
    sequence.make(8)
    found = asdict(telemetry.snapshot() - before)
    expected = sequence.expected + engine.moved()
    expected.subtract(moved)
    made, read_backs = found.pop("launches"), found.pop("read_backs")
    assert found == {name: expected[name] for name in found}, sequence.steps
    assert bool(read_backs) == engine.is_split or not expected["passes"]
    now = engine.launches()
    if launches is not None and now is not None:
        # An engine also makes launches of dispatches that fail later.
        assert made == now - launches or (sequence.failed and made <= now - launches)
