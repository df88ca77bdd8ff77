"""
Passes until nothing changes: how many there are, and that engine, mode and the way of the
dispatch make no difference.
"""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pytest
from counting_programs import ADD_ONE_UP_TO_3, counting
from engines import Closure, OwnMemory
from entries import ENTRIES, Entry, dispatch
from hypothesis import given, settings
from hypothesis import strategies as st
from megakernel_programs import EVERY_ENGINE
from numpy.typing import NDArray
from split_cases import SYNC, A, program

import vyre
from vyre.interpreter.backend import ReferenceBackend
from vyre.runtime.backend import same_elements
from vyre.runtime.config import DispatchConfig, Mode
from vyre.runtime.errors import InvalidArgument
from vyre.runtime.executable import Executable

ENGINES: dict[str, tuple[Callable[[], Any], Mode]] = {
    "reference, native": (ReferenceBackend, "native"),
    "reference, split": (ReferenceBackend, "split"),
    "closure": (Closure, "auto"),
    "own memory, split": (OwnMemory, "auto"),
    "own memory, native": (lambda: OwnMemory(grid_sync=True), "native"),
    "the host compares": (lambda: OwnMemory(stays=False), "auto"),
}


@pytest.fixture(params=ENGINES)
def compiled(request: pytest.FixtureRequest) -> Callable[[str], Executable]:
    """Compile a program for an engine and mode."""
    make, mode = ENGINES[request.param]
    return lambda text: vyre.compile(text, engine=make(), mode=mode)


WAITS_FOR_SEVEN = program(
    A,
    f"""
  scf.while : () -> () {{
    %v = vyre.load %a[%c0] : memref<?xi32>
    %below = arith.cmpi slt, %v, %i7 : i32
    {SYNC}
    scf.condition(%below)
  }} do {{
    %v = vyre.load %a[%c0] : memref<?xi32>
    %w = arith.addi %v, %i1 : i32
    {SYNC}
    vyre.store %w, %a[%c0] : memref<?xi32>
    {SYNC}
    scf.yield
  }}
""",
)
"""A loop with grid barriers that depends on what it computes."""


# Which numbers are passes


def test_no_number_is_one_pass(compiled: Callable[[str], Executable]):
    report = compiled(counting(2)).timed(a=np.zeros(1, np.int32)).report
    assert report.passes == 1
    assert DispatchConfig().passes == 1


@pytest.mark.parametrize("count", [0, -1, True, False, 1.5, "3", 2.0, 2**64])
@pytest.mark.parametrize("option", ["fixpoint_iterations", "check_interval"])
def test_counts_that_make_no_sense_are_refused(count: object, option: str):
    exe = vyre.compile(counting(2), engine=OwnMemory())
    zero = np.zeros(1, np.int32)
    options: dict[str, Any] = {option: count}
    with pytest.raises(InvalidArgument, match=f"{option} is {count}") as raised:
        exe(a=zero, **options)
    assert "Fix: " in str(raised.value)
    with pytest.raises(InvalidArgument, match=option):
        DispatchConfig(**options)
    with exe.resident(a=zero) as held, pytest.raises(InvalidArgument, match=option):
        held.run(**options)


@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_the_largest_counts(make: Callable[[], Any]):
    exe = vyre.compile(WAITS_FOR_SEVEN, engine=make(), mode="split")

    def passes(count: int, interval: int) -> int:
        options: dict[str, Any] = {"fixpoint_iterations": count}
        options["check_interval"] = interval
        results, report = exe.timed(a=np.zeros(1, np.int32), timeout=20, **options)
        assert results["a"] == 7
        return report.passes

    assert passes(2**64 - 1, 1) == 2
    assert passes(3, 2**64 - 1) == 3
    assert passes(3, 2**31) == 3


def test_a_large_number_of_passes_is_fine():
    exe = vyre.compile(counting(1, ADD_ONE_UP_TO_3))
    config = DispatchConfig(fixpoint_iterations=2**40, timeout=60.0)
    assert exe.timed(a=np.zeros(1, np.int32), config=config).report.passes == 4


# Exactness


FLOATS = """
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %next = vyre.buffer "next" read_only binding 1 : memref<?xf32>
  %count = vyre.buffer "count" read_write binding 2 kind persistent : memref<1xi32>
  %x = vyre.invocation_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : i32
  %v = vyre.load %a[%x] : memref<?xf32>
  %w = vyre.load %next[%x] : memref<?xf32>
  vyre.barrier grid_sync
  %sum = STEP %v, %w : f32
  vyre.store %sum, %a[%x] : memref<?xf32>
}
"""


def float_passes(
    compiled: Callable[[str], Executable], step: str, start: float, other: float
) -> tuple[int, NDArray[Any]]:
    """Passes of at most 6, and what `a` holds then."""
    exe = compiled(FLOATS.replace("STEP", step))
    results, report = exe.timed(
        a=np.full(4, start, np.float32),
        next=np.full(4, other, np.float32),
        fixpoint_iterations=6,
    )
    return report.passes, results["a"]


def test_a_buffer_that_keeps_being_nan_has_converged(compiled: Callable[[str], Executable]):
    passes, a = float_passes(compiled, "arith.subf", np.inf, np.inf)
    assert passes == 2
    assert np.isnan(a).all()


def test_zeros_of_other_signs_are_a_change(compiled: Callable[[str], Executable]):
    """0 * -1 is -0, and that times -1 is 0 again: equal numbers, and never the same."""
    passes, a = float_passes(compiled, "arith.mulf", 0.0, -1.0)
    assert passes == 6
    assert not np.signbit(a).any()


def test_numbers_go_on_until_infinity_stays(compiled: Callable[[str], Executable]):
    """2e38, 3e38, infinity, and infinity again."""
    assert float_passes(compiled, "arith.addf", 1e38, 1e38)[0] == 4


@pytest.mark.parametrize("width", [16, 32, 64])
def test_what_counts_as_the_same(width: int):
    """Bits, but for NaNs, of which any is like any other."""
    dtype = np.dtype(f"f{width // 8}")
    numbers = np.array([1.5, -0.0, 0.0, np.inf, np.nan], dtype)
    other_nan = numbers.copy()
    other_nan.view(f"u{width // 8}")[4] ^= (1 << (width - 1)) | 1
    assert np.isnan(other_nan[4])
    assert numbers.tobytes() != other_nan.tobytes()
    assert same_elements(numbers, other_nan)
    for place in range(5):
        changed = numbers.copy()
        changed[place] = -changed[place] if place < 4 else 1.5
        assert not same_elements(numbers, changed)
        assert not same_elements(changed, numbers)


FLIPS = program(
    A,
    """
      %v = vyre.load %a[%x] : memref<?xi32>
      vyre.barrier grid_sync
      %flipped = arith.subi %i1, %v : i32
      vyre.store %flipped, %a[%x] : memref<?xi32>
    """,
)


def test_a_pass_is_compared_with_the_one_just_before(compiled: Callable[[str], Executable]):
    """A state that comes back every other pass never stays."""
    exe = compiled(FLIPS)
    for interval in (1, 2, 3):
        report = exe.timed(
            a=np.zeros(4, np.int32), fixpoint_iterations=7, check_interval=interval
        ).report
        assert report.passes == 7


def test_buffers_that_are_kept_count_and_inputs_do_not():
    """A persistent counter changes in every pass, so none is the last before its time."""
    text = """
vyre.program @p [1, 1, 1] {
  %in = vyre.buffer "in" read_only binding 0 : memref<1xi32>
  %kept = vyre.buffer "kept" read_write binding 1 kind persistent : memref<1xi32>
  %limit = vyre.param "limit" : i32
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %v = vyre.load %kept[%c0] : memref<1xi32>
  %more = arith.addi %v, %one : i32
  %top = arith.minsi %more, %limit : i32
  vyre.store %top, %kept[%c0] : memref<1xi32>
}
"""
    exe = vyre.compile(text, engine=OwnMemory())
    given = {"in": np.zeros(1, np.int32)}
    assert exe.timed(given, limit=100, fixpoint_iterations=5).report.passes == 5
    assert exe.timed(given, limit=8, fixpoint_iterations=9).report.passes == 4
    assert exe.timed(given, limit=8, fixpoint_iterations=9).report.passes == 2


def test_a_program_that_writes_nothing_stays_as_it_is():
    text = """
vyre.program @p [1, 1, 1] {
  %in = vyre.buffer "in" read_only binding 0 : memref<1xi32>
}
"""
    given = {"in": np.zeros(1, np.int32)}
    assert vyre.compile(text).timed(given, fixpoint_iterations=9).report.passes == 2


# Intervals


@pytest.mark.covering(2)
@pytest.mark.parametrize(
    ("interval", "passes"),
    [(1, 4), (2, 4), (3, 6), (4, 4), (5, 5), (7, 7), (10, 10)],
)
@pytest.mark.parametrize("entry", ENTRIES)
def test_comparisons_are_made_every_so_many_passes(
    compiled: Callable[[str], Executable], entry: Entry, interval: int, passes: int
):
    """Pass 3 reaches the end, pass 4 changes nothing; who looks later stops later."""
    exe = compiled(counting(1, ADD_ONE_UP_TO_3))
    options = {"fixpoint_iterations": 10, "check_interval": interval}
    results, report = dispatch(exe, entry, {"a": [0]}, **options)
    assert (report.passes, results["a"].tolist()) == (passes, [3])


@pytest.mark.parametrize("entry", ENTRIES)
def test_nobody_compares_without_an_interval(
    compiled: Callable[[str], Executable], entry: Entry
):
    exe = compiled(counting(1, ADD_ONE_UP_TO_3))
    options = {"fixpoint_iterations": 9, "check_interval": None}
    assert dispatch(exe, entry, {"a": [0]}, **options)[1].passes == 9


def test_only_what_is_compared_is_remembered():
    """With an interval of 3 only every third pass is compared with the one before."""

    class Comparing(OwnMemory):
        def copy(self, source: int, target: int, size: int) -> None:
            log.append(f"copy after {len(self.launches)}")
            super().copy(source, target, size)

        def equal(self, one: Any, other: Any) -> bool:
            log.append(f"equal after {len(self.launches)}")
            return super().equal(one, other)

    log: list[str] = []
    exe = vyre.compile(counting(1), engine=Comparing())
    exe(a=np.zeros(1, np.int32), fixpoint_iterations=7, check_interval=3)
    assert log == ["copy after 2", "equal after 3", "copy after 5", "equal after 6"]


def test_the_last_pass_is_not_compared():
    """There is nothing left to decide."""

    class Silent(OwnMemory):
        def copy(self, source: int, target: int, size: int) -> None:
            raise AssertionError

        def equal(self, one: Any, other: Any) -> bool:
            raise AssertionError

    exe = vyre.compile(counting(1), engine=Silent())
    zero = np.zeros(1, np.int32)
    for passes, interval in ((1, 1), (2, 1), (3, 3), (5, 6), (4, 4)):
        config = DispatchConfig(fixpoint_iterations=passes, check_interval=interval)
        assert exe(a=zero, config=config)["a"] == passes


def test_runs_of_a_resident_program_are_fixpoints_of_their_own():
    """The last pass of one run is not the one before the first of the next."""
    exe = vyre.compile(counting(1, ADD_ONE_UP_TO_3), engine=OwnMemory())
    with exe.resident(a=np.zeros(1, np.int32), fixpoint_iterations=10) as held:
        assert [held.run().passes for _ in range(3)] == [4, 2, 2]
        held.write("a", np.zeros(1, np.int32))
        assert held.run(check_interval=5).passes == 5
        held.write("a", np.ones(1, np.int32))
        assert held.run().passes == 3


# Against a model


Step = Literal["saturate", "rotate", "halve"]
STEPS: dict[Step, str] = {
    "saturate": """
      %more = arith.addi %v, %i1 : i32
      %next = arith.minsi %more, %i9 : i32
    """,
    "rotate": """
      %more = arith.addi %v, %i1 : i32
      %next = arith.remsi %more, %i3 : i32
    """,
    "halve": "%next = arith.shrsi %v, %i1 : i32",
}


def stepped(step: Step, state: list[int]) -> list[int]:
    """What a pass makes of the elements."""
    match step:
        case "saturate":
            return [min(v + 1, 9) for v in state]
        case "rotate":
            return [(v + 1) % 3 for v in state]
        case "halve":
            return [v // 2 for v in state]


def model(
    step: Step, state: list[int], limit: int, interval: int | None
) -> tuple[int, list[int]]:
    """How many passes there are, and what is left, straight from the definition."""
    before: list[int] | None = None
    for number in range(1, limit + 1):
        state, before = stepped(step, state), state if number > 1 else None
        if interval is not None and number % interval == 0 and state == before:
            return number, state
    return limit, state


def text_of(step: Step) -> str:
    code = f"""
      %v = vyre.load %a[%x] : memref<?xi32>
      {STEPS[step]}
      vyre.barrier grid_sync
      vyre.store %next, %a[%x] : memref<?xi32>
    """
    return program(A, code)


EXECUTABLES: list[dict[Step, Executable]] = [
    {step: vyre.compile(text_of(step), engine=make(), mode=mode) for step in STEPS}
    for make, mode in ENGINES.values()
]


@settings(deadline=None, max_examples=60)
@given(
    step=st.sampled_from(list(STEPS)),
    state=st.lists(st.integers(0, 200), min_size=1, max_size=6),
    limit=st.integers(1, 14),
    interval=st.none() | st.integers(1, 6),
    entry=st.sampled_from(ENTRIES),
)
def test_every_engine_and_mode_makes_the_passes_of_the_model(
    step: Step, state: list[int], limit: int, interval: int | None, entry: Entry
):
    if step == "rotate":
        state = [value % 3 for value in state]
    expected = model(step, state, limit, interval)
    options = {"fixpoint_iterations": limit, "check_interval": interval}
    for executables in EXECUTABLES:
        results, report = dispatch(executables[step], entry, {"a": state}, **options)
        assert (report.passes, results["a"].tolist()) == expected
