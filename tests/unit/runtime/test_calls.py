"""
Calls of a kind that was checked before only run, and nobody can tell: the same results,
counters and refusals as on the long way, which `exe.timed` always takes.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from called_again import (
    STEPS,
    SUM,
    Array,
    assert_same,
    compiled,
    counted,
    ints,
    long_calls,
    summed,
)
from split_cases import OUT, A, program, split

import vyre
from vyre.diagnostics import VyreError
from vyre.runtime import telemetry
from vyre.runtime.arguments import address_of
from vyre.runtime.config import DispatchConfig
from vyre.runtime.cpu.jobs import Job
from vyre.runtime.errors import InvalidArgument

SHARED = ints(3, 1, 4, 1, 5)
NINE = np.zeros(9, np.int32)

CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "a loop": (STEPS, {"a": ints(1, 2, 3, 4, 5, 6, 7, 8), "n": 3}),
    "unsigned": (STEPS, {"a": ints(1, 2, 2**32 - 1, dtype=np.uint32), "n": 2}),
    "empty": (STEPS, {"a": ints(), "n": 2}),
    "passes": (STEPS, {"a": ints(1, 2), "n": 2, "fixpoint_iterations": 5, "grid": (2, 1)}),
    "a schedule": (split(STEPS), {"a": ints(1, 2, 3, 4, 5), "n": 4}),
    "a dictionary": (STEPS, {"": {"a": ints(1, 2), "n": 1}, "grid": 1}),
    "all roles": (SUM, summed()),
    "an unsigned output": (SUM, summed(out=ints(7, 7, 7, 7, 7, dtype=np.uint32))),
    "an output that is passed": (SUM, summed(fixed=ints(9, 9, 9, 9))),
    "inputs that share memory": (SUM, summed(a=SHARED, b=SHARED)),
    "a NumPy number": (SUM, summed(s=np.float64(0.5))),
    "a number in an array": (SUM, summed(s=np.array(3, np.int8))),
    "a time": (SUM, summed(timeout=60.0, max_output_bytes=1000, label="sum")),
    "another size": (SUM, summed(workgroup=8, mode="split")),
}


def passed(given: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What to call with: "" is the dictionary."""
    named = {name: value for name, value in given.items() if name}
    return ((given[""],) if "" in given else ()), named


@pytest.mark.parametrize("case", CASES)
def test_results_and_counters_are_those_of_the_long_way(case: str):
    source, given = CASES[case]
    exe, engine = compiled(source)
    dictionaries, named = passed(given)
    arrays: list[Array] = [
        value
        for value in [*named.values(), *given.get("", {}).values()]
        if isinstance(value, np.ndarray)
    ]
    before = [array.tobytes() for array in arrays]
    (wanted, _), counts = counted(lambda: exe.timed(*dictionaries, **named))
    earlier: list[Array] = []
    for number in range(6):
        long = engine.long
        found, now = counted(lambda: exe(*dictionaries, **named))
        assert engine.long - long == (number == 0)
        assert_same(found, wanted)
        assert now == counts
        for array in found.values():
            assert not any(np.shares_memory(array, other) for other in arrays + earlier)
        earlier += found.values()
    assert [array.tobytes() for array in arrays] == before
    assert engine.long == 2


def test_arguments_are_those_of_each_call():
    exe, engine = compiled(STEPS)
    for number in range(20):
        start = np.arange(8, dtype=np.int32) * number
        found = exe(a=start, n=number)["a"]
        assert found.tolist() == (start + number).tolist()
    assert engine.long == 1


def test_calls_of_another_kind_are_told_apart():
    """Sizes, types, names and options; those that compare equal too."""
    exe, engine = compiled(STEPS)
    kinds: list[Callable[[], Any]] = [
        lambda: exe(a=ints(1, 2, 3, 4, 5), n=1),
        lambda: exe(a=ints(1, 2, 3, 4), n=1),
        lambda: exe(a=ints(1, 2, 3, 4, dtype=np.uint32), n=1),
        lambda: exe(a=ints(1, 2, 3, 4, 5, 6, 7, 8), n=1, grid=1),
        lambda: exe(a=ints(1, 2, 3, 4, 5, 6, 7, 8), n=1, grid=(2, 1)),
        lambda: exe({"a": ints(1, 2, 3, 4)}, n=1),
        lambda: exe(a=ints(1, 2, 3, 4), n=1, fixpoint_iterations=3, check_interval=None),
    ]
    wanted = [work()["a"].tolist() for work in kinds]
    assert wanted == [
        [2, 3, 4, 5, 6],
        [2, 3, 4, 5],
        [2, 3, 4, 5],
        [2, 3, 4, 5, 5, 6, 7, 8],
        [2, 3, 4, 5, 6, 7, 8, 9],
        [2, 3, 4, 5],
        [4, 5, 6, 7],
    ]
    for _ in range(3):
        assert [work()["a"].tolist() for work in kinds] == wanted
    assert engine.long == len(kinds)
    for grid in (1.0, "1", (1.0, 1)):
        with pytest.raises(InvalidArgument, match="the grid is"):
            exe(a=ints(1, 2, 3, 4, 5, 6, 7, 8), n=1, grid=grid)


def test_an_array_as_an_option_is_looked_at_each_time():
    exe, _ = compiled(STEPS)
    for groups in (1, 2, 1, 2, 1, 2):
        found = exe(a=ints(*[0] * 8), n=1, grid=np.array([groups, 1, 1]))["a"]
        assert found.sum() == 4 * groups


def test_an_argument_with_the_name_of_an_option():
    text = program(
        OUT, '%s = vyre.param "seed" : i32', "vyre.store %s, %out[%x] : memref<?xi32>"
    )
    exe, engine = compiled(text)
    for number in range(5):
        found = exe({"seed": number}, out=ints(0, 0), seed=7)["out"]
        assert found.tolist() == [number, number]
    assert engine.long == 1


WRONG: dict[str, dict[str, Any]] = {
    "unknown": {"c": 1},
    "a list": {"a": [1, 2, 3, 4, 5]},
    "a dtype": {"a": np.zeros(5)},
    "the other byte order": {"a": np.zeros(5, ">i4")},
    "a rank": {"a": np.zeros((5, 1), np.int32)},
    "a shape": {"fixed": ints(1, 2, 3)},
    "strides": {"a": np.zeros(10, np.int32)[::2]},
    "not aligned": {"a": np.zeros(21, np.uint8)[1:].view(np.int32)},
    "masked": {"a": np.ma.masked_array(np.zeros(5, np.int32))},
    "overlap": {"out": SHARED, "a": SHARED},
    "partial overlap": {"out": NINE[:5], "a": NINE[4:]},
    "no number": {"s": "2.5"},
    "a number that is too large": {"s": 1e39},
    "many numbers": {"s": np.array([1.0])},
    "an option": {"grid": 0},
    "an option of no type": {"fixpoint_iterations": True},
    "a limit": {"max_output_bytes": 10},
}


def refusal(work: Callable[[], object]) -> tuple[type, str]:
    with pytest.raises(VyreError) as raised:
        work()
    return type(raised.value), str(raised.value)


@pytest.mark.parametrize("case", WRONG)
def test_refusals_are_those_of_the_long_way(case: str):
    exe, engine = compiled(SUM)
    given = summed(**WRONG[case])
    wanted = refusal(lambda: exe.timed(**given)), refusal(lambda: exe.timed(given))
    for _ in range(3):
        exe(summed())
        exe(**summed())
    for _ in range(3):
        before = telemetry.snapshot()
        assert refusal(lambda: exe(**given)) == wanted[0]
        assert refusal(lambda: exe(given)) == wanted[1]
        assert telemetry.snapshot() == before
    assert long_calls(engine, lambda: exe(summed())) == 0


def test_a_missing_argument_and_one_that_is_passed_twice():
    exe, _ = compiled(STEPS)
    array = ints(1, 2, 3, 4)
    for _ in range(4):
        assert exe(a=array, n=1)["a"][0] == 2
        with pytest.raises(InvalidArgument, match="'n' is missing"):
            exe(a=array)
        with pytest.raises(InvalidArgument, match="'n' is given twice"):
            exe({"n": 1}, a=array, n=1)


class Exporting:
    """Not an array of NumPy's, but one that can be imported."""

    def __init__(self, array: Array):
        self._array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self._array.__dlpack_device__()


def test_other_kinds_of_arrays_take_the_long_way(tmp_path: Path):
    exe, engine = compiled(STEPS)
    mapped = np.memmap(tmp_path / "a", np.int32, "w+", shape=4)
    for array in (Exporting(ints(0, 0, 0, 0)), mapped):
        for number in range(4):
            assert long_calls(engine, lambda: exe(a=array, n=number)) == 1
            assert exe(a=array, n=number)["a"].tolist() == [number] * 4
    assert not mapped.any()


def test_arrays_that_cannot_be_written_are_arguments_too():
    exe, engine = compiled(STEPS)
    array = ints(1, 2, 3, 4)
    array.flags.writeable = False
    for _ in range(4):
        assert exe(a=array, n=2)["a"].tolist() == [3, 4, 5, 6]
    assert engine.long == 1


def test_storage_traces_and_configurations_take_the_long_way():
    exe, engine = compiled(STEPS)
    array, into, trace = ints(1, 2, 3, 4), ints(0, 0, 0, 0), vyre.Trace()
    for _ in range(4):
        exe(a=array, n=1)
    options: list[dict[str, Any]] = [
        {"into": {"a": into}},
        {"trace": trace},
        {"config": DispatchConfig(fixpoint_iterations=2)},
    ]
    found: list[Array] = []
    for each in options:
        assert long_calls(engine, lambda: found.append(exe(a=array, n=1, **each)["a"])) == 1
    assert found[0] is into
    assert [array.tolist()[0] for array in found] == [2, 2, 3]


def test_what_is_kept_for_the_next_call_takes_the_long_way():
    kept = '%kept = vyre.buffer "kept" read_write binding 0 kind persistent : memref<1xi32>'
    text = program(
        kept,
        """
          %v = vyre.load %kept[%c0] : memref<1xi32>
          %w = arith.addi %v, %i1 : i32
          vyre.store %w, %kept[%c0] : memref<1xi32>
        """,
        workgroup="[1, 1, 1]",
    )
    exe, _ = compiled(text)
    assert [int(exe()["kept"][0]) for _ in range(5)] == [1, 2, 3, 4, 5]


ALIGNED = program(
    A.replace("read_write", "read_only").replace(" :", " align 64 :"),
    """
      %acc = vyre.buffer "acc" read_write binding 0 align 32 : memref<?xi32>
      %v = vyre.load %a[%x] : memref<?xi32>
      vyre.store %v, %acc[%x] : memref<?xi32>
    """,
)


def test_memory_is_aligned_as_the_program_says(monkeypatch: pytest.MonkeyPatch):
    """Whether arguments are or not, and new arrays."""
    places: list[Any] = []

    def noted(job: Job, arguments: Any) -> None:
        places.append(arguments)
        rebind(job, arguments)

    rebind = Job.rebind
    monkeypatch.setattr(Job, "rebind", noted)
    exe, engine = compiled(ALIGNED)
    room = np.zeros(64, np.int32)
    begin = -address_of(room) % 64 // 4
    acc = room[begin + 16 :][:4]
    for number in range(40):
        array = room[begin + number // 4 % 2 :][:4]
        array[:] = number
        assert exe(a=array, acc=acc)["acc"].tolist() == [number] * 4
    assert engine.long == 21
    assert all(a % 64 == 0 and out % 32 == 0 for a, out in places)
