"""Memory that is held for many runs: reading, writing, running, and its end."""

from typing import Any

import numpy as np
import pytest
from counting_programs import counting
from engines import OwnMemory
from numpy.typing import NDArray

import vyre
from vyre.runtime.errors import InvalidArgument


def zeros(count: int = 4) -> NDArray[Any]:
    return np.zeros(count, np.int32)


def frozen(count: int) -> NDArray[Any]:
    array = zeros(count)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("start", "stop"),
    [(-1, 2), (0, 5), (5, None), (3, 2), (0.0, 2), ("0", None), (None, -1), (0, 1.5)],
)
def test_ranges_outside_of_a_buffer(start: Any, stop: Any):
    exe = vyre.compile(counting(2), engine=OwnMemory())
    with exe.resident(a=zeros()) as held:
        with pytest.raises(InvalidArgument, match="'a' has 4 elements") as caught:
            held.read("a", start, stop)
        assert "Fix: " in str(caught.value)


def test_ranges_of_a_buffer():
    exe = vyre.compile(counting(2), engine=OwnMemory())
    with exe.resident(a=np.arange(4, dtype=np.int32)) as held:
        assert held.read("a").tolist() == held.read("a", 0, 4).tolist() == [0, 1, 2, 3]
        assert held.read("a", 1, 3).tolist() == [1, 2]
        assert held.read("a", 2).tolist() == [2, 3]
        assert held.read("a", None, 1).tolist() == [0]
        assert held.read("a", 4).tolist() == held.read("a", 1, 1).tolist() == []
        one: Any = np.int64(1)
        assert held.read("a", one, 2).tolist() == [1]
        assert held.read("a", 0, one).tolist() == [0]
        held.write("a", np.array([7, 8], np.uint32), 2)
        held.write("a", np.array([[9]], np.int32), 0 * one)
        held.write("a", zeros(0), 4)
        storage = np.empty(4, np.uint32)
        assert held.read("a", into=storage) is storage
        assert storage.tolist() == [9, 1, 7, 8]


def test_buffers_of_several_dimensions_are_read_in_their_shape():
    text = """
vyre.program @p [1, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?x3xf32>
}
"""
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    with vyre.compile(text, engine=OwnMemory()).resident(a=array, grid=1) as held:
        assert held.read("a").tolist() == array.tolist()
        assert held.read("a", 1, 4).tolist() == [1, 2, 3]
        held.write("a", np.full((2, 2), 9, np.float32), 1)
        assert held.read("a").tolist() == [[0, 9, 9], [9, 9, 5]]


@pytest.mark.parametrize(
    ("data", "start", "text"),
    [
        (zeros(5), 0, "'a' has 4 elements"),
        (zeros(2), 3, "'a' has 4 elements"),
        (zeros(2), -1, "'a' has 4 elements"),
        (zeros(2), 0.5, "'a' has 4 elements"),
        (np.zeros(2, np.float32), 0, "'a' has dtype float32"),
        (zeros(8)[::2], 0, "'a' is strided"),
        ([1, 2], 0, "'a' is a list"),
        ([[1], [2, 3]], 0, "'a' is a list"),
        (None, 0, "'a' is None"),
    ],
)
def test_data_that_cannot_be_written_to_a_buffer(data: Any, start: Any, text: str):
    exe = vyre.compile(counting(2), engine=OwnMemory())
    with exe.resident(a=zeros()) as held:
        with pytest.raises(InvalidArgument, match=text) as caught:
            held.write("a", data, start)
        assert "Fix: " in str(caught.value)
        assert held.read("a").tolist() == [0] * 4


class Exported:
    """Something that is no NumPy array but speaks DLPack."""

    def __init__(self, array: NDArray[Any]):
        self._array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self._array.__dlpack_device__()


def test_anything_that_speaks_dlpack_can_be_written_to_a_buffer():
    exe = vyre.compile(counting(2), engine=OwnMemory())
    with exe.resident(a=Exported(zeros())) as held:
        held.write("a", Exported(np.array([5, 6], np.int32)), 1)
        assert held.read("a").tolist() == [0, 5, 6, 0]


def test_reads_into_unfit_storage():
    exe = vyre.compile(counting(2), engine=OwnMemory())
    with exe.resident(a=zeros()) as held:
        for storage in (zeros(3), np.zeros(4, np.int64), frozen(4), zeros(8)[::2], [0]):
            with pytest.raises(InvalidArgument, match="'a'"):
                held.read("a", into=storage)
        with pytest.raises(InvalidArgument, match="no buffer 'aa'") as caught:
            held.read("aa")
        assert "did you mean 'a'?" in caught.value.fix
        with pytest.raises(InvalidArgument, match="no buffer 'n'"):
            held.write("n", zeros())


def test_nothing_can_be_used_after_it_was_closed():
    engine = OwnMemory()
    exe = vyre.compile(counting(2), engine=engine)
    held, step = exe.resident(a=zeros()), exe.bind(a=zeros())
    held.close()
    held.close()
    with step:
        step()
    step.close()
    assert not engine.live_count
    uses = (
        held.run,
        lambda: held.read("a"),
        lambda: held.write("a", zeros()),
        step,
        step.run,
    )
    for use in uses:
        with pytest.raises(InvalidArgument, match="the memory was freed") as caught:
            use()
        assert "Fix: " in str(caught.value)


def test_memory_is_freed_when_nobody_needs_it():
    engine = OwnMemory()
    exe = vyre.compile(counting(2), engine=engine)
    held, step = exe.resident(a=zeros()), exe.bind(a=zeros())
    held.run()
    step()
    assert engine.live_count == 2
    del held, step
    assert not engine.live_count
