"""
Mistakes of callers: every one is refused by name and with what can be done, before anything
is launched or changed.
"""

from typing import Any

import numpy as np
import pytest
from counting_programs import counting, segments_of_two_buffers
from engines import OwnMemory, in_place
from entries import ENTRIES, Entry, dispatch
from numpy.typing import NDArray
from split_cases import A, program

import vyre
from vyre.runtime.config import DispatchConfig
from vyre.runtime.errors import DoesNotFit, InvalidArgument, OutOfMemory


def zeros(count: int = 4) -> NDArray[Any]:
    return np.zeros(count, np.int32)


# Output limits


TWO_RESULTS = program(
    A,
    """
      %out = vyre.buffer "out" write_only binding 2 output range [4, 12] : memref<4xi32>
      %in = vyre.buffer "in" read_only binding 3 : memref<?xi32>
      vyre.store %i1, %out[%x] : memref<4xi32>
      vyre.barrier grid_sync
      vyre.store %i1, %a[%x] : memref<?xi32>
    """,
)


@pytest.mark.parametrize("entry", ["call", "into", "bind"])
def test_h30_the_limit_is_for_all_results_together(entry: Entry):
    """16 bytes of `a` and 8 of the range of `out`; inputs and segments do not count."""
    engine = OwnMemory()
    exe = vyre.compile(TWO_RESULTS, engine=engine)
    inputs = {"a": [0] * 4, "in": [0] * 100}
    dispatch(exe, entry, inputs, max_output_bytes=24)
    before = len(engine.launches)
    with pytest.raises(DoesNotFit, match="24 bytes, max_output_bytes is 23") as caught:
        dispatch(exe, entry, inputs, max_output_bytes=23)
    assert (caught.value.needed, caught.value.limit) == (24, 23)
    assert len(engine.launches) == before
    assert not engine.live_count


def test_the_limit_of_a_bound_program_may_change_from_call_to_call():
    exe = vyre.compile(counting(2), engine=OwnMemory())
    array = zeros()
    with exe.bind(a=array) as step:
        step(max_output_bytes=16)
        with pytest.raises(DoesNotFit):
            step(max_output_bytes=15)
    assert array.tolist() == [2, 0, 0, 0]


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("make", [OwnMemory, in_place])
def test_results_for_which_there_is_no_memory(entry: Entry, make: Any):
    """A thousand times what a machine can address."""
    text = f"""
vyre.program @p [4, 1, 1] {{
  %out = vyre.buffer "out" write_only binding 0 output : memref<{2**58}xi32>
}}
"""
    engine = make()
    with pytest.raises(OutOfMemory, match="'out'") as caught:
        dispatch(vyre.compile(text, engine=engine), entry, {}, grid=1)
    assert "Fix: " in str(caught.value)
    assert not engine.launches


# Names


@pytest.mark.parametrize("name", ["grid", "timeout", "seed", "config", "into", "trace"])
def test_an_argument_with_the_name_of_an_option_goes_in_a_dictionary(name: str):
    text = f"""
vyre.program @p [1, 1, 1] {{
  %b = vyre.buffer "{name}" read_write binding 0 : memref<1xi32>
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %old = vyre.atomic add %one, %b[%c0] : memref<1xi32>
}}
"""
    exe = vyre.compile(text, engine=OwnMemory())
    assert exe({name: zeros(1)}, grid=1)[name] == 1
    assert exe({name: zeros(1)}, into={name: zeros(1)}, grid=2, timeout=60.0)[name] == 2
    options: dict[str, Any] = {name: zeros(1)}
    with pytest.raises(InvalidArgument, match=f"'{name}'") as caught:
        exe(**options)
    assert "dictionary" in caught.value.fix


PARAMETER = """
vyre.program @p [1, 1, 1] grid_from {b = array<i64: 0>} {
  %b = vyre.buffer "b" read_write binding 0 : memref<1xi32>
  %n = vyre.param "grid" : i32
  %c0 = arith.constant 0 : index
  %old = vyre.atomic add %n, %b[%c0] : memref<1xi32>
}
"""


def test_held_programs_take_such_parameters_in_a_dictionary_too():
    exe = vyre.compile(PARAMETER, engine=OwnMemory())
    array = zeros(1)
    with exe.bind({"b": array, "grid": 3}) as step:
        step(grid=2)
        assert array == 6
        step({"grid": 5})
        assert array == 11
        step.run({"grid": 1}, grid=4)
        assert array == 15
    with exe.resident({"b": array, "grid": 3}) as held:
        held.run({"grid": 7}, grid=2)
        assert held.read("b") == 29


def test_arguments_that_are_not_given_by_name():
    exe: Any = vyre.compile(counting(2), engine=OwnMemory())
    for way in (exe, exe.timed, exe.bind, exe.resident, exe.check, exe.explain):
        with pytest.raises(InvalidArgument, match="is an ndarray, not a dictionary"):
            way(zeros())


def test_arguments_that_are_given_twice():
    exe = vyre.compile(counting(2), engine=OwnMemory())
    with pytest.raises(InvalidArgument, match="'a' is given twice"):
        exe({"a": zeros()}, a=zeros())


def test_unknown_names():
    exe = vyre.compile(segments_of_two_buffers(2), engine=OwnMemory())
    given = {"a": zeros(), "b": zeros()}
    for way in (exe, exe.timed, exe.bind, exe.resident, exe.check, exe.explain):
        with pytest.raises(InvalidArgument, match="no argument 'timeut'") as caught:
            way(given, timeut=3)
        assert "Fix: " in str(caught.value)
    with exe.bind(given) as step, exe.resident(given) as held:
        for run in (step, step.run, held.run):
            with pytest.raises(InvalidArgument, match="no argument 'timeut'"):
                run(timeut=3)
            with pytest.raises(InvalidArgument, match="buffer 'a' is held already"):
                run(a=zeros())


def test_a_refused_option_leaves_the_arrays_of_a_bound_program_alone():
    """Outputs are cleared when a dispatch begins, and this one does not."""
    text = """
vyre.program @p [4, 1, 1] {
  %out = vyre.buffer "out" write_only binding 0 output : memref<?xi32>
  %n = vyre.param "n" : i32
  %x = vyre.invocation_id x
  vyre.store %n, %out[%x] : memref<?xi32>
}
"""
    array = zeros()
    with vyre.compile(text).bind(out=array, n=5) as step:
        step()
        wrong: list[dict[str, Any]] = [
            {"n": "five"},
            {"grid": 0},
            {"order": "odd"},
            {"m": 1},
        ]
        for named in wrong:
            with pytest.raises(InvalidArgument):
                step(**named)
            assert array.tolist() == [5] * 4


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "nativ"},
        {"order": "odd"},
        {"timeout": 0},
        {"timeout": -1.0},
        {"timeout": float("nan")},
        {"timeout": float("inf")},
        {"timeout": "1"},
        {"timeout": True},
        {"max_output_bytes": -1},
        {"max_output_bytes": 1.5},
        {"config": "fast"},
        {"config": {"grid": 2}},
        {"trace": 5},
        {"into": [1]},
    ],
    ids=str,
)
def test_options_that_make_no_sense(options: dict[str, Any]):
    exe = vyre.compile(counting(2), engine=OwnMemory())
    with pytest.raises(InvalidArgument) as caught:
        exe(a=zeros(), **options)
    assert "Fix: " in str(caught.value)


def test_options_win_over_the_config():
    exe = vyre.compile(counting(2), engine=OwnMemory())
    config = DispatchConfig(fixpoint_iterations=3, check_interval=None)
    assert exe(a=zeros(1), config=config)["a"] == 6
    assert exe(a=zeros(1), config=config, fixpoint_iterations=5)["a"] == 10
    with exe.resident(a=zeros(1), config=config) as held:
        assert held.run().passes == 3
        assert held.run(fixpoint_iterations=2).passes == 2
        assert held.run().passes == 3


# Storage for results


def frozen(count: int) -> NDArray[Any]:
    array = zeros(count)
    array.flags.writeable = False
    return array


SHARED = np.zeros(12, np.int32)


@pytest.mark.parametrize(
    ("into", "text"),
    [
        ({"a": zeros(5)}, r"'a' has shape \(5,\), expected \(4,\)"),
        ({"a": np.zeros((2, 2), np.int32)}, "'a' has shape"),
        ({"a": np.zeros(4, np.float32)}, "'a' has dtype float32"),
        ({"a": np.zeros(4, np.int64)}, "'a' has dtype int64"),
        ({"a": zeros(8)[::2]}, "'a' is strided"),
        ({"a": frozen(4)}, "'a' is read-only"),
        ({"a": [0, 0, 0, 0]}, "'a' is a list"),
        ({"in": zeros(4)}, "no result 'in'"),
        ({"aa": zeros(4)}, "no result 'aa'"),
        ({"a": SHARED[:4], "out": SHARED[2:4]}, "'a' and 'out' overlap"),
        ({"a": SHARED[8:12]}, "'in' and 'a' overlap"),
        ({"out": zeros(4)}, r"'out' has shape \(4,\), expected \(2,\)"),
    ],
)
def test_storage_that_cannot_take_a_result(into: dict[str, Any], text: str):
    engine = OwnMemory()
    exe = vyre.compile(TWO_RESULTS, engine=engine)
    with pytest.raises(InvalidArgument, match=text) as caught:
        exe({"in": SHARED[6:10]}, a=zeros(), into=into)
    assert "Fix: " in str(caught.value)
    assert not engine.launches
    assert not engine.uploaded_bytes


def test_arrays_that_a_bound_program_cannot_write():
    exe = vyre.compile(TWO_RESULTS, engine=OwnMemory())
    with pytest.raises(InvalidArgument, match="'a' is read-only"):
        exe.bind({"in": zeros()}, a=frozen(4))
    with exe.bind({"in": frozen(4)}, a=zeros()) as step:
        assert step()["a"].tolist() == [1] * 4
