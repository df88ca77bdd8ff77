"""
Whatever is done with a program, in any order: calls, bound and resident programs, and
handles of a megakernel give what a model gives, and share what is kept between dispatches.
"""

import gc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from cuda_devices import host_device
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,  # pyright: ignore[reportUnknownVariableType]
)
from numpy.typing import NDArray
from samples import ALL, sampled

from vyre import InvalidArgument, Megakernel, Trapped
from vyre.interpreter.backend import ReferenceBackend
from vyre.runtime.backend import Backend
from vyre.runtime.cpu.backend import CpuBackend
from vyre.runtime.cuda.backend import CudaBackend
from vyre.testing import RecordingBackend

PROGRAM = """
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %kept = vyre.buffer "kept" read_write binding 1 kind persistent : memref<1xi32>
  %out = vyre.buffer "out" read_write binding 2 output : memref<4xi32>
  %n = vyre.param "n" : i32
  %i = vyre.invocation_id x
  %zero = arith.constant 0 : index
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %v = vyre.load %a[%i] : memref<?xi32>
  %new = arith.addi %v, %n : i32
  vyre.store %new, %a[%i] : memref<?xi32>
  %before = vyre.load %kept[%zero] : memref<1xi32>
  %o = vyre.load %out[%i] : memref<4xi32>
  %sum = arith.addi %new, %before : i32
  %shown = arith.addi %o, %sum : i32
  vyre.store %shown, %out[%i] : memref<4xi32>
  vyre.barrier grid_sync
  %is_first = arith.cmpi eq, %i, %zero : index
  scf.if %is_first {
    %next = arith.addi %before, %one : i32
    vyre.store %next, %kept[%zero] : memref<1xi32>
  }
  vyre.barrier grid_sync
  %bad = arith.cmpi slt, %n, %none : i32
  scf.if %bad {
    vyre.trap "negative" at %n : i32
  }
}
"""
"""Adds n to `a`, shows it with how often the program has run before, and traps below 0."""

SIZE = 4
Array = NDArray[np.int32]
ENGINES: dict[str, Callable[[], Backend]] = {
    "reference": ReferenceBackend,
    "own memory": lambda: RecordingBackend(ReferenceBackend()),
    "cpu": lambda: CpuBackend(3, 0),
    "cuda": lambda: CudaBackend(host_device(thread_order="random")),
}

values = st.lists(st.integers(-9, 9), min_size=SIZE, max_size=SIZE).map(
    lambda given: np.array(given, np.int32)
)
numbers = st.integers(-1, 5)
"""Minus one is a trap."""


@dataclass(eq=False)
class Thing:
    """A bound or resident program or a handle, what it should hold, and its number."""

    it: Any
    a: Array
    n: int
    is_open: bool = True
    out: Any = 0
    """What the output goes on from where memory is held; elsewhere it starts with zeros."""


class Machine(RuleBasedStateMachine):
    """One program on one engine, and what has become of it."""

    megakernel: Megakernel
    bound: Bundle[Thing] = Bundle("bound")
    held: Bundle[Thing] = Bundle("held")
    handles: Bundle[Thing] = Bundle("handles")

    @initialize()
    def begin(self) -> None:
        """What examples before have left is kept on."""
        self.exe = self.megakernel.exe
        self.things: list[Thing] = []
        with self.exe.resident(a=np.zeros(SIZE, np.int32), n=0) as held:
            self.kept = int(held.read("kept")[0])

    def _ran(self, thing: Thing, n: int, run: Callable[[], Any]) -> Any:
        """What a dispatch gives, if it should; the model afterwards."""
        if not thing.is_open:
            with pytest.raises(InvalidArgument, match="the memory was freed"):
                run()
            return None
        if n < 0:
            with pytest.raises(Trapped):
                run()
            return None
        thing.a = thing.a + np.int32(n)
        found = run()
        return found

    def _check(self, results: Any, a: Array, out: Any = 0) -> None:
        """Of a dispatch that was right: it counts."""
        assert results["a"].tolist() == a.tolist()
        assert results["out"].tolist() == (a + self.kept + out).tolist()
        self.kept += 1
        assert results["kept"].tolist() == [self.kept]

    @rule(a=values, n=numbers, into=st.booleans())
    def call(self, a: Array, n: int, into: bool) -> None:
        thing, before = Thing(None, a, n), a.copy()
        options: Any = {"into": {"a": np.empty(SIZE, np.int32)}} if into else {}
        found = self._ran(thing, n, lambda: self.exe(a=a, n=n, **options))
        assert (a == before).all()
        if found is not None:
            self._check(found, thing.a)
            assert not into or found["a"] is options["into"]["a"]

    @rule(target=bound, a=values, n=numbers)
    def bind(self, a: Array, n: int) -> Thing:
        return self._made(self.exe.bind(a=a, n=n), a, n)

    @rule(target=held, a=values, n=numbers)
    def hold(self, a: Array, n: int) -> Thing:
        return self._made(self.exe.resident(a=a, n=n), a, n)

    @rule(target=handles, a=values, n=st.integers(0, 5))
    def keep(self, a: Array, n: int) -> Thing:
        return self._made(self.megakernel.resident(a=a, n=n), a, n)

    def _made(self, it: Any, a: Array, n: int) -> Thing:
        self.things.append(Thing(it, a, n))
        return self.things[-1]

    @rule(thing=bound, n=st.none() | numbers)
    def step(self, thing: Thing, n: int | None) -> None:
        """A bound program works on the array itself."""
        array = thing.a
        options = {} if n is None else {"n": n}
        n = thing.n if n is None else n
        before = array.copy()
        found = self._ran(thing, n, lambda: thing.it(**options))
        if found is not None:
            assert array.tolist() == thing.a.tolist()
            self._check(thing.it.results, thing.a)
        else:
            array[:] = before  # After a trap it is not said what there is.
        thing.a = array

    @rule(thing=held, n=st.none() | numbers)
    def run(self, thing: Thing, n: int | None) -> None:
        options = {} if n is None else {"n": n}
        n = thing.n if n is None else n
        found = self._ran(thing, n, lambda: thing.it.run(**options))
        if found is not None:
            results = {name: thing.it.read(name) for name in ("a", "out", "kept")}
            self._check(results, thing.a, thing.out)
            thing.out = results["out"]
        elif thing.is_open:  # After a trap it is not said what there is.
            thing.it.write("a", thing.a)
            thing.it.write("out", np.zeros(SIZE, np.int32))
            thing.out = 0

    @rule(thing=handles)
    def dispatch(self, thing: Thing) -> None:
        found = self._ran(thing, thing.n, lambda: self.megakernel.dispatch(thing.it))
        if found is not None:
            self._check(found, thing.a, thing.out)
            thing.out = found["out"]

    @rule(some=st.lists(handles, min_size=1, max_size=3, unique_by=id))
    def many(self, some: list[Thing]) -> None:
        """Rows of a batch take turns for what is kept."""
        some = [thing for thing in some if thing.is_open]
        for thing in some:
            thing.a = thing.a + np.int32(thing.n)
        found = self.megakernel.many([thing.it for thing in some])
        kept = self.kept + len(some)
        for thing, results in zip(some, found, strict=True):
            assert results["a"].tolist() == thing.a.tolist()
            assert results["out"].tolist() == (thing.a + self.kept + thing.out).tolist()
            thing.out = results["out"]
            self.kept += 1
        assert self.kept == kept

    @rule(thing=st.one_of(held, handles), start=st.integers(0, SIZE), data=values)
    def write(self, thing: Thing, start: int, data: Array) -> None:
        part = data[start:]
        if thing.is_open:
            thing.it.write("a", part, start)
            thing.a = np.concatenate([thing.a[:start], part])
            assert thing.it.read("a", start).tolist() == part.tolist()
        else:
            with pytest.raises(InvalidArgument):
                thing.it.write("a", part, start)

    @rule(thing=bound, data=values)
    def change(self, thing: Thing, data: Array) -> None:
        """The caller may, between two calls."""
        thing.a[:] = data

    @rule(thing=st.one_of(held, handles), number=st.integers(0, 99))
    def set_kept(self, thing: Thing, number: int) -> None:
        if thing.is_open:
            thing.it.write("kept", np.array([number], np.int32))
            self.kept = number

    @rule(thing=st.one_of(bound, held, handles))
    def close(self, thing: Thing) -> None:
        """Twice is as once."""
        thing.it.close()
        thing.is_open = False

    @rule(thing=st.one_of(consumes(bound), consumes(held), consumes(handles)))
    def forget(self, thing: Thing) -> None:
        """Nobody closes it."""
        self.things.remove(thing)

    @invariant()
    def all_see_what_is_kept(self) -> None:
        for thing in self.things:
            if thing.is_open and hasattr(thing.it, "read"):
                assert thing.it.read("kept").tolist() == [self.kept]
                assert thing.it.read("a").tolist() == thing.a.tolist()

    def teardown(self) -> None:
        for thing in getattr(self, "things", []):
            thing.it.close()


@pytest.mark.parametrize("engine", ENGINES)
def test_any_sequence(engine: str):
    backend = ENGINES[engine]()

    class OnEngine(Machine):
        megakernel = Megakernel(PROGRAM, engine=backend)

    run_state_machine_as_test(
        OnEngine,
        settings=settings(
            max_examples=sampled(8, 150),
            stateful_step_count=25,
            deadline=None,
            derandomize=not ALL,
            database=None,
            # Few of its rules apply while nothing is held.
            suppress_health_check=[HealthCheck.filter_too_much],
        ),
    )
    gc.collect()
    if isinstance(backend, RecordingBackend):
        assert backend.live_count <= 1  # What is kept.
