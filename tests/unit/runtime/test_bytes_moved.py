"""
What moves between host and engine, and what does not: resident programs move arguments and
results only, engines that work in place move nothing, and storage of the caller is really
used.
"""

from typing import Any

import numpy as np
import pytest
from counting_programs import counting, segments_of_two_buffers
from engines import Closure, OwnMemory, in_place
from numpy.typing import NDArray
from split_cases import OUT, SYNC, A, program

import vyre
from vyre.runtime import telemetry
from vyre.runtime.backend import Launch, is_buffer

Array = NDArray[Any]

MIXED = program(
    """
      %in = vyre.buffer "in" read_only binding 0 : memref<?xi32>
      %size = vyre.buffer "size" uniform binding 1 : memref<2xi64>
      %acc = vyre.buffer "acc" read_write binding 2 : memref<?xi32>
      %out = vyre.buffer "out" write_only binding 3 output : memref<8xi32>
      %n = vyre.param "n" : i32
    """,
    f"\n{SYNC}\n".join(
        """
          vyre.region {
            %v = vyre.load %in[%x] : memref<?xi32>
            %w = vyre.load %acc[%x] : memref<?xi32>
            %vw = arith.addi %v, %w : i32
            %sum = arith.addi %vw, %n : i32
            vyre.store %sum, %acc[%x] : memref<?xi32>
            vyre.store %sum, %out[%x] : memref<8xi32>
          }
        """
        for _ in range(300)
    ),
)
"""300 segments over buffers of every role."""


@pytest.mark.parametrize(("interval", "passes"), [(None, 10), (1, 2)])
def test_a_resident_dispatch_moves_arguments_and_results_only(
    interval: int | None, passes: int
):
    """Thousands of launches are between one upload and one download each."""
    engine = OwnMemory()
    exe = vyre.compile(MIXED, engine=engine)
    arrays: dict[str, Any] = {
        "in": np.arange(8, dtype=np.int32),
        "size": np.zeros(2, np.int64),
        "acc": np.ones(8, np.int32),
    }
    launches = 300 * passes
    options: Any = {"fixpoint_iterations": passes, "check_interval": interval}
    with exe.resident(arrays, n=1, **options) as held:
        report = held.run()
        results = [held.read("acc"), held.read("out")]
    assert (report.passes, report.launches, len(engine.launches)) == (
        passes,
        launches,
        launches,
    )
    assert [result.tolist() for result in results] == [
        [1 + launches * (k + 1) for k in range(8)]
    ] * 2
    assert engine.uploaded_bytes == sum(array.nbytes for array in arrays.values())
    assert engine.downloaded_bytes == sum(result.nbytes for result in results)
    assert not engine.live_count


def test_many_resident_runs_upload_once():
    engine = OwnMemory()
    exe = vyre.compile(counting(2), engine=engine)
    with exe.resident(a=np.zeros(100, np.int32)) as held:
        for _ in range(20):
            held.run()
        assert held.read("a", 0, 1).tolist() == [40]
    assert (engine.uploaded_bytes, engine.downloaded_bytes) == (400, 4)


def test_what_the_host_reads_to_go_on_is_one_element_each():
    """A loop that goes on while `a` says so: five reads for four trips."""
    code = """
      scf.while : () -> () {
        %v = vyre.load %a[%c0] : memref<?xi32>
        %go = arith.cmpi slt, %v, %i4 : i32
        scf.condition(%go)
      } do {
        vyre.barrier grid_sync
        %is_first = arith.cmpi eq, %x, %c0 : index
        scf.if %is_first {
          %w = vyre.load %a[%c0] : memref<?xi32>
          %more = arith.addi %w, %i1 : i32
          vyre.store %more, %a[%c0] : memref<?xi32>
        }
        vyre.barrier grid_sync
        scf.yield
      }
    """
    engine = OwnMemory()
    exe = vyre.compile(program(A, code), engine=engine)
    before = telemetry.snapshot()
    with exe.resident(a=np.zeros(100, np.int32), grid=25) as held:
        held.run()
        read_backs = (telemetry.snapshot() - before).read_backs
        assert held.read("a", 0, 1).tolist() == [4]
    assert read_backs == 5
    assert engine.uploaded_bytes == 400
    assert engine.downloaded_bytes == 5 * 4 + 4


def test_a_call_moves_arguments_and_results_once():
    engine = OwnMemory()
    exe = vyre.compile(segments_of_two_buffers(5), engine=engine)
    arrays = {name: np.zeros(16, np.int32) for name in "ab"}
    exe(arrays, fixpoint_iterations=3)
    assert (engine.uploaded_bytes, engine.downloaded_bytes) == (128, 128)
    assert engine.calls["upload"] == engine.calls["download"] == 2


def test_outputs_are_not_uploaded():
    """An array that is passed for one says how large it is, and no more."""
    text = """
vyre.program @p [4, 1, 1] {
  %out = vyre.buffer "out" write_only binding 0 output : memref<?xi32>
}
"""
    engine = OwnMemory()
    result = vyre.compile(text, engine=engine)(out=np.full(6, 9, np.int32))["out"]
    assert result.tolist() == [0] * 6
    assert (engine.uploaded_bytes, engine.downloaded_bytes) == (0, 24)
    assert engine.calls["download"] == 1


@pytest.mark.parametrize("mode", ["native", "split"])
def test_an_engine_that_works_in_place_moves_nothing(mode: Any):
    exe = vyre.compile(segments_of_two_buffers(3), engine=in_place(), mode=mode)
    arrays = {name: np.zeros(16, np.int32) for name in "ab"}
    before = telemetry.snapshot()
    exe(arrays)
    exe.bind(arrays)()
    moved = telemetry.snapshot() - before
    assert (moved.uploaded_bytes, moved.downloaded_bytes) == (0, 0)
    assert (moved.input_bytes, moved.output_bytes) == (256, 256)


# In place


READS_AND_WRITES = program(
    OUT,
    """
      %in = vyre.buffer "in" read_only binding 1 : memref<?xi32>
      %v = vyre.load %in[%x] : memref<?xi32>
      vyre.store %v, %out[%x] : memref<?xi32>
    """,
)


def seen_by(closure: Closure, name: str) -> list[Array]:
    return [np.asarray(arguments[name]) for arguments in closure.seen]


def test_inputs_are_not_copied_unless_written():
    closure = Closure()
    exe = vyre.compile(READS_AND_WRITES, engine=closure)
    given, old = np.arange(4, dtype=np.int32), np.full(4, 9, np.int32)
    result = exe({"in": given}, out=old)["out"]
    (read,), (written,) = seen_by(closure, "in"), seen_by(closure, "out")
    assert np.shares_memory(read, given)
    assert not np.shares_memory(written, old)
    assert np.shares_memory(written, result)
    assert (old.tolist(), result.tolist()) == ([9] * 4, [0, 1, 2, 3])


def test_all_segments_and_passes_see_the_same_arrays():
    closure = Closure()
    exe = vyre.compile(counting(2), engine=closure)
    exe(a=np.zeros(4, np.int32), fixpoint_iterations=3)
    addresses = {array.ctypes.data for array in seen_by(closure, "a")}
    assert (len(closure.seen), len(addresses)) == (6, 1)


def test_read_only_arrays_can_be_read():
    """Also for a buffer that is written: a call changes a copy."""
    given, out = np.arange(4, dtype=np.int32), np.zeros(4, np.int32)
    given.flags.writeable = out.flags.writeable = False
    for engine in (Closure(), OwnMemory(), in_place()):
        exe = vyre.compile(READS_AND_WRITES, engine=engine)
        assert exe({"in": given}, out=out)["out"].tolist() == [0, 1, 2, 3]
        assert out.tolist() == [0] * 4


@pytest.mark.parametrize("make", [Closure, OwnMemory, in_place])
def test_results_go_into_the_callers_storage(make: Any):
    exe = vyre.compile(counting(2), engine=make())
    storage = np.full(4, 77, np.int32)
    address = storage.ctypes.data
    for start in (0, 5):
        given = np.full(4, start, np.int32)
        results = exe(a=given, into={"a": storage})
        assert results["a"] is storage
        assert storage.ctypes.data == address
        assert storage.tolist() == [start + 2, start, start, start]
        assert given.tolist() == [start] * 4


def test_storage_of_the_caller_is_what_the_engine_works_on():
    closure = Closure()
    storage = np.empty(4, np.int32)
    vyre.compile(counting(2), engine=closure)(a=np.zeros(4, np.int32), into={"a": storage})
    assert [a.ctypes.data for a in seen_by(closure, "a")] == [storage.ctypes.data] * 2


@pytest.mark.parametrize("make", [Closure, OwnMemory, in_place])
def test_an_argument_may_be_the_storage_of_its_own_result(make: Any):
    exe = vyre.compile(counting(2), engine=make())
    array = np.zeros(4, np.int32)
    for k in range(1, 4):
        assert exe(a=array, into={"a": array})["a"] is array
        assert array[0] == 2 * k


@pytest.mark.parametrize("make", [Closure, OwnMemory, in_place])
def test_storage_for_a_range_takes_the_range(make: Any):
    text = """
vyre.program @p [4, 1, 1] {
  %out = vyre.buffer "out" write_only binding 0 output range [4, 12] : memref<4xi32>
  %x = vyre.invocation_id x
  %v = arith.index_cast %x : index to i32
  vyre.store %v, %out[%x] : memref<4xi32>
}
"""
    exe = vyre.compile(text, engine=make())
    storage = np.full(2, 9, np.uint32)
    assert exe(into={"out": storage})["out"] is storage
    assert storage.tolist() == [1, 2]
    assert exe.bind()()["out"].tolist() == [1, 2]
    with exe.resident() as held:
        held.run()
        assert held.read("out").tolist() == [1, 2]
        assert held.read("out", 0, 4).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("make", [Closure, OwnMemory, in_place])
def test_bound_programs_work_on_the_callers_arrays(make: Any):
    exe = vyre.compile(READS_AND_WRITES, engine=make())
    given, out = np.arange(4, dtype=np.int32), np.full(4, 9, np.int32)
    with exe.bind({"in": given}, out=out) as step:
        for k in range(20):
            given[1] = k
            assert step()["out"] is out
            assert out.tolist() == [0, k, 2, 3]


def test_bound_programs_see_the_same_memory_in_every_call():
    closure = Closure()
    array = np.zeros(4, np.int32)
    with vyre.compile(counting(2), engine=closure).bind(a=array) as step:
        for _ in range(10):
            step()
    assert array.tolist() == [20, 0, 0, 0]
    assert {a.ctypes.data for a in seen_by(closure, "a")} == {array.ctypes.data}


COUNTS_UP = """
vyre.program @p [4, 1, 1] {
  %out = vyre.buffer "out" read_write binding 0 output : memref<?xi32>
  %c1 = arith.constant 1 : i32
  %x = vyre.invocation_id x
  %old = vyre.atomic add %c1, %out[%x] : memref<?xi32>
}
"""


@pytest.mark.parametrize("make", [Closure, OwnMemory, in_place])
def test_outputs_start_as_zeros_in_every_call(make: Any):
    exe = vyre.compile(COUNTS_UP, engine=make())
    array = np.full(5, 9, np.int32)
    with exe.bind(out=array) as step:
        for _ in range(3):
            assert exe(out=array)["out"].tolist() == [1] * 5
            assert exe(out=array, into={"out": array})["out"].tolist() == [1] * 5
            assert step()["out"].tolist() == [1] * 5
    with exe.resident(out=array) as held:
        for k in range(1, 4):
            held.run()
            assert held.read("out").tolist() == [k] * 5


@pytest.mark.parametrize("make", [Closure, OwnMemory, in_place])
@pytest.mark.parametrize("size", [0, 1, 7])
def test_an_output_of_any_size_is_as_large_as_the_array(make: Any, size: int):
    exe = vyre.compile(COUNTS_UP, engine=make())
    given = np.empty(size, np.uint32)
    result = exe(out=given)["out"]
    assert (result.dtype, result.tolist()) == (np.uint32, [1] * size)


@pytest.mark.parametrize("make", [Closure, OwnMemory, in_place])
def test_unsigned_arrays_stay_unsigned(make: Any):
    exe = vyre.compile(counting(2), engine=make())
    top = 2**32 - 1
    given = np.array([top], np.uint32)
    assert exe(a=given)["a"].dtype == np.uint32
    assert exe(a=given)["a"].tolist() == [1]
    storage = np.zeros(1, np.int32)
    assert exe(a=given - np.uint32(2), into={"a": storage})["a"].tolist() == [-1]
    with exe.resident(a=given) as held:
        assert held.read("a").tolist() == [top]
        held.write("a", given - np.uint32(2))
        held.run()
        assert held.read("a").tolist() == [top]
    with exe.bind(a=given) as step:
        step()
    assert given.tolist() == [1]


# Alignment


ALIGNED = """
vyre.program @p [4, 1, 1] {
  %in = vyre.buffer "in" read_only binding 0 align 64 : memref<?xi32>
  %acc = vyre.buffer "acc" read_write binding 1 align 64 : memref<?xi32>
  %x = vyre.invocation_id x
  %v = vyre.load %in[%x] : memref<?xi32>
  %w = vyre.load %acc[%x] : memref<?xi32>
  %sum = arith.addi %v, %w : i32
  vyre.store %sum, %acc[%x] : memref<?xi32>
}
"""


def placed(values: list[int], offset: int) -> Array:
    """An array so many bytes after a multiple of 64."""
    room = np.zeros(len(values) * 4 + 128, np.uint8)
    begin = -room.ctypes.data % 64 + offset
    array = room[begin : begin + len(values) * 4].view(np.int32)
    array[:] = values
    return array


@pytest.mark.parametrize("offset", [0, 4, 60])
def test_engines_see_aligned_memory(offset: int):
    """Arrays of the caller in place if they are aligned, copies if not."""
    closure = Closure()
    exe = vyre.compile(ALIGNED, engine=closure)
    given, acc = placed([1, 2, 3, 4], offset), placed([10, 20, 30, 40], offset)
    assert exe({"in": given}, acc=acc)["acc"].tolist() == [11, 22, 33, 44]
    with exe.bind({"in": given}, acc=acc) as step:
        step()
        assert step()["acc"] is acc
    assert acc.tolist() == [12, 24, 36, 48]
    addresses = [a.ctypes.data for name in ("in", "acc") for a in seen_by(closure, name)]
    assert [address % 64 for address in addresses] == [0] * 6
    assert np.shares_memory(seen_by(closure, "in")[0], given) == (offset == 0)


def test_engines_with_their_own_memory_are_asked_for_aligned_memory():
    class Asked(OwnMemory):
        def allocate(self, size: int, alignment: int) -> int:
            asked.append((size, alignment))
            return super().allocate(size, alignment)

    asked: list[tuple[int, int]] = []
    given = np.zeros(4, np.int32)
    vyre.compile(ALIGNED, engine=Asked())({"in": given}, acc=given.copy())
    assert asked == [(16, 64)] * 2


def test_engines_get_the_dtypes_of_the_program():
    """Signless integers are signed arrays, whatever the caller passes."""
    dtypes: list[Any] = []

    class Typed(OwnMemory):
        def launch(self, launch: Launch) -> Any:
            dtypes.extend(a.dtype for a in launch.arguments if is_buffer(a))
            return super().launch(launch)

    vyre.compile(counting(1), engine=Typed())(a=np.zeros(1, np.uint32))
    assert dtypes == [np.int32]
