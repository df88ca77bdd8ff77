"""Megakernels on resident buffers: what dispatches give, and what they say they took."""

import gc
import threading
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from megakernel_programs import (
    COUNTING,
    ENDLESS,
    EVERY_ENGINE,
    PERSISTENT,
    PICKY,
    RESOURCES,
    numbers,
    resources,
)

import vyre
from vyre import (
    BatchStorage,
    InvalidArgument,
    Megakernel,
    OutOfMemory,
    Timeout,
    Trapped,
    VyreError,
    telemetry,
)
from vyre.runtime.backend import Backend
from vyre.runtime.cpu.backend import CpuBackend
from vyre.runtime.dispatch_statistics import NOTHING_DONE, Statistics

Make = Callable[[], Backend]


def counting(make: Make, **options: Any) -> Megakernel:
    return Megakernel(COUNTING, engine=make(), **options)


@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_dispatches_go_on_from_what_the_buffers_hold(make: Make):
    megakernel = counting(make)
    x = np.arange(10, dtype=np.int32)
    with megakernel.resident(x=x, seen=np.ones(10, np.int32), n=5) as handle:
        first, second = megakernel.dispatch(handle), megakernel.dispatch(handle)
        assert (first["x"] == x + 5).all()
        assert (first["seen"] == x[::-1] + 5).all()
        assert (second["x"] == x + 10).all()
        assert (second["seen"] == x[::-1] + 10).all()
        handle.write("x", numbers(-1, -2), start=3)
        third = megakernel.dispatch(handle)["x"]
        assert third[2:6].tolist() == [17, 4, 3, 20]
        assert (handle.read("x") == third).all()
    assert (x == np.arange(10)).all()


@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_every_kind_of_dispatch_gives_the_same(make: Make):
    megakernel = counting(make)

    def fresh(number: int = 1) -> Any:
        x = np.arange(number, 9, dtype=np.int32)
        return megakernel.resident(x=x, seen=np.zeros_like(x), n=number)

    wanted = [megakernel.dispatch(fresh(number)) for number in (1, 2, 3)]
    into = [{name: np.zeros_like(a) for name, a in row.items()} for row in wanted]
    handles = [fresh(number) for number in (1, 2, 3)]
    for handle, arrays in zip(handles, into):
        megakernel.into(handle, arrays)
    storage = BatchStorage()
    megakernel.many_with_scratch([fresh(1), fresh(2), fresh(3)], storage)
    many_into = [{name: np.zeros_like(a) for name, a in row.items()} for row in wanted]
    megakernel.many_into([fresh(1), fresh(2), fresh(3)], many_into)
    many = megakernel.many([fresh(1), fresh(2), fresh(3)])
    for found in (into, storage.batches, many_into, many):
        for row, right in zip(found, wanted, strict=True):
            assert row.keys() == right.keys()
            assert all((row[name] == right[name]).all() for name in right)


@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_statistics_of_one_dispatch(make: Make):
    megakernel = Megakernel(RESOURCES, engine=make())
    handle = megakernel.resident(resources(7))
    results, found = megakernel.observed(handle)
    assert results["debug_log"].tolist() == [7]
    assert found.latency_ns > 0
    assert found == Statistics(
        input_bytes=0,
        output_bytes=4,
        readback_bytes=4,
        bytes_moved=4,
        device_allocation_bytes=0,
        device_allocation_events=0,
        latency_ns=found.latency_ns,
        output_buffers=1,
        resident_resource_rows=1,
        resident_resource_handles=4,
        kernel_launches=1,
        sync_points=1,
        recovered_after_device_loss=False,
        passes=1,
        program_launches=1,
    )


@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_statistics_of_a_batch(make: Make):
    megakernel = Megakernel(RESOURCES, engine=make())
    handles = [megakernel.resident(resources(value)) for value in (0, 1)]
    rows, found = megakernel.many_observed(handles)
    assert [row["debug_log"].tolist() for row in rows] == [[0], [1]]
    assert found.resident_resource_rows == 2
    assert found.resident_resource_handles == 8
    assert found.kernel_launches == found.sync_points == 1
    assert found.program_launches == found.passes == found.output_buffers == 2
    assert found.output_bytes == found.readback_bytes == 8


@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_an_empty_batch_is_fine(make: Make):
    megakernel = counting(make)
    storage = BatchStorage()
    megakernel.many_with_scratch([_handle(megakernel)], storage)
    assert megakernel.many([]) == []
    assert megakernel.many_into([], []) == NOTHING_DONE
    assert megakernel.many_with_scratch([], storage) == NOTHING_DONE
    assert storage.batches == []
    assert storage.capacity == 1


def _handle(megakernel: Megakernel, size: int = 4) -> Any:
    x = np.arange(size, dtype=np.int32)
    return megakernel.resident(x=x, seen=np.zeros(size, np.int32), n=1)


@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_nothing_goes_through_the_host(make: Make):
    """Only results are moved, and only where the host does not have them anyway."""
    megakernel = counting(make, reads=["seen"])
    handles = [_handle(megakernel), _handle(megakernel)]
    before = telemetry.snapshot()
    megakernel.dispatch(handles[0])
    megakernel.many(handles)
    moved = telemetry.snapshot() - before
    assert moved.uploaded_bytes == moved.input_bytes == 0
    in_place = megakernel.exe.backend.capabilities.in_place
    assert moved.downloaded_bytes == (0 if in_place else 3 * 16)
    assert moved.dispatches == 3
    assert moved.failures == 0


def test_a_grid_that_does_not_fit_is_split_on_resident_buffers():
    from megakernel_programs import on_small_host_cuda

    megakernel = counting(on_small_host_cuda)
    handle = _handle(megakernel)
    assert megakernel.exe.explain({"x": numbers(1), "seen": numbers(0), "n": 1})
    found = megakernel.observed(handle).statistics
    assert found.program_launches == 2
    assert found.kernel_launches == 1


@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_storage_of_batches_is_used_again(make: Make):
    megakernel = counting(make)
    storage = BatchStorage()
    handles = [_handle(megakernel), _handle(megakernel)]
    megakernel.many_with_scratch(handles, storage)
    first = [array for row in storage.batches for array in row.values()]
    megakernel.many_with_scratch(handles[:1], storage)
    assert len(storage.batches) == 1
    megakernel.many_with_scratch(handles, storage)
    again = [array for row in storage.batches for array in row.values()]
    assert all(one is other for one, other in zip(first, again, strict=True))
    megakernel.many_with_scratch([_handle(megakernel, 5)], storage)
    assert storage.batches[0]["x"].tolist() == [1, 2, 3, 4, 5]
    storage.clear()
    assert storage.batches == []
    assert storage.capacity == 2


def test_storage_has_no_results_of_a_batch_that_failed():
    megakernel = counting(CpuBackend)
    storage = BatchStorage()
    handle = _handle(megakernel)
    megakernel.many_with_scratch([handle], storage)
    handle.close()
    with pytest.raises(InvalidArgument, match="was freed"):
        megakernel.many_with_scratch([handle], storage)
    assert storage.batches == []


@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_only_results_that_there_are_arrays_for_are_read(make: Make):
    megakernel = counting(make)
    seen = np.zeros(4, np.uint32)
    found = megakernel.into(_handle(megakernel), {"seen": seen})
    assert seen.tolist() == [4, 3, 2, 1]
    assert found.output_buffers == 1
    assert found.output_bytes == 16
    assert megakernel.into(_handle(megakernel), {}).output_bytes == 0


def test_wrong_arrays_are_refused_before_anything_runs():
    megakernel = counting(CpuBackend)
    handle, other = _handle(megakernel), _handle(megakernel)
    array = np.zeros(4, np.int32)
    with pytest.raises(InvalidArgument, match="no result 'sen'"):
        megakernel.into(handle, {"sen": array})
    for wrong in (
        np.zeros(5, np.int32),
        np.zeros(4, np.float32),
        np.zeros(8, np.int32)[::2],
    ):
        with pytest.raises(InvalidArgument, match="'seen'"):
            megakernel.into(handle, {"seen": wrong})
    with pytest.raises(InvalidArgument, match="overlap"):
        megakernel.into(handle, {"x": array, "seen": array})
    with pytest.raises(InvalidArgument, match="overlap"):
        megakernel.many_into([handle, other], [{"x": array}, {"x": array}])
    with pytest.raises(InvalidArgument, match="2 handles, and outputs for 1"):
        megakernel.many_into([handle, other], [{"x": array}])
    with pytest.raises(InvalidArgument, match="twice"):
        megakernel.many([handle, other, handle])
    with pytest.raises(InvalidArgument, match="not one of this megakernel"):
        counting(CpuBackend).dispatch(handle)
    assert handle.read("x").tolist() == [0, 1, 2, 3]


def test_arrays_are_checked_again_when_they_are_others():
    megakernel = counting(CpuBackend)
    handle = _handle(megakernel)
    outputs: dict[str, Any] = {"x": np.zeros(4, np.int32)}
    megakernel.into(handle, outputs)
    outputs["x"] = np.zeros(3, np.int32)
    with pytest.raises(InvalidArgument, match="'x'"):
        megakernel.into(handle, outputs)
    outputs["x"] = np.zeros(4, np.int32)
    megakernel.into(handle, outputs)
    assert outputs["x"].tolist() == [2, 3, 4, 5]


def test_what_is_read_back_can_be_chosen():
    megakernel = counting(CpuBackend, reads=["seen", "seen"])
    assert list(megakernel.dispatch(_handle(megakernel))) == ["seen"]
    with pytest.raises(InvalidArgument, match="no buffer 'se'"):
        counting(CpuBackend, reads=["se"])


@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_arrays_can_be_borrowed_for_one_dispatch(make: Make):
    megakernel = Megakernel(RESOURCES, engine=make())
    results, found = megakernel.borrowed(resources(9))
    assert results["debug_log"].tolist() == [9]
    assert found.input_bytes == 12
    assert found.output_bytes == 4
    assert found.bytes_moved == 16
    assert found.device_allocation_bytes == 16
    assert found.device_allocation_events == 4
    assert found.resident_resource_rows == found.resident_resource_handles == 0
    assert found.kernel_launches == found.sync_points == 1


def test_memory_does_not_grow():
    """Neither on the engine nor in Python, and no array is made."""
    megakernel = counting(CpuBackend)
    handles = [_handle(megakernel), _handle(megakernel)]
    outputs = {"x": np.zeros(4, np.int32), "seen": np.zeros(4, np.int32)}
    storage = BatchStorage()

    def work(times: int) -> None:
        for _ in range(times):
            megakernel.into(handles[0], outputs)
            megakernel.many_with_scratch(handles, storage)

    work(10)
    gc.collect()
    tracemalloc.start()
    try:
        work(10)
        before = tracemalloc.take_snapshot()
        work(1000)
        gc.collect()
        after = tracemalloc.take_snapshot()
    finally:
        tracemalloc.stop()
    grown = [each for each in after.compare_to(before, "lineno") if each.size_diff > 0]
    assert sum(each.size_diff for each in grown) < 2000, grown[:5]
    domain = np.lib.tracemalloc_domain
    arrays = [trace for trace in after.traces if trace.domain == domain]
    assert arrays == [trace for trace in before.traces if trace.domain == domain]


def test_threads_take_turns():
    megakernel = counting(CpuBackend)
    handles = [_handle(megakernel) for _ in range(3)]

    def work(order: list[int]) -> None:
        for _ in range(200):
            megakernel.many([handles[number] for number in order])
            megakernel.dispatch(handles[order[0]])

    orders = ([0, 1, 2], [2, 1, 0], [1, 2, 0])
    threads = [threading.Thread(target=work, args=(order,)) for order in orders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive()
    assert [handle.read("x")[0] for handle in handles] == [800, 800, 800]


def test_geometry_is_that_of_the_dispatch():
    geometry = vyre.LaunchGeometry(8, 4)
    megakernel = counting(CpuBackend, config=geometry.config(timeout=60))
    handle = _handle(megakernel)
    assert handle.geometry.groups == (2, 1, 1)
    assert handle.geometry.size == (4, 1, 1)


# Batches that fail


def picky(megakernel: Megakernel, n: int, **options: Any) -> Any:
    return megakernel.resident(x=numbers(0), n=n, **options)


def failure(work: Callable[[], object]) -> VyreError:
    with pytest.raises(VyreError) as caught:
        work()
    return caught.value


@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_the_smallest_timeout_of_a_batch_counts(make: Make):
    megakernel = Megakernel(PICKY, engine=make())
    patient, hasty = (picky(megakernel, 1, timeout=seconds) for seconds in (600.0, 1e-9))
    for handles in ([patient, hasty], [hasty, patient], [patient, hasty, patient]):
        with pytest.raises(Timeout, match="longer than 1e-09 s"):
            megakernel.many(list(dict.fromkeys(handles)))
    megakernel.many([patient])


@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_a_batch_that_fails_says_in_which_row(make: Make):
    """Counters agree: what came before has ended well, what comes after is not started."""
    megakernel = Megakernel(PICKY, engine=make())
    good = [picky(megakernel, n, label=f"number {n}") for n in (1, 2)]
    trapping = picky(megakernel, 0, label="the bad one")
    before = telemetry.snapshot()
    error = failure(lambda: megakernel.many([good[0], trapping, good[1]]))
    found = telemetry.snapshot() - before
    assert isinstance(error, Trapped)
    assert "note: in row 1 of 3, 'the bad one'\n" in str(error)
    assert found == telemetry.Counters(dispatches=2, passes=1, launches=1, failures=1)
    error = failure(lambda: megakernel.many([*good, picky(megakernel, 0)]))
    assert "note: in row 2 of 3\n" in str(error)
    alone = failure(lambda: megakernel.dispatch(picky(megakernel, 0)))
    assert "row" not in str(alone)


@pytest.mark.parametrize("make", EVERY_ENGINE)
@pytest.mark.parametrize("program", [PICKY, ENDLESS], ids=["may trap", "never traps"])
def test_a_row_that_does_not_end_is_named(make: Make, program: str):
    megakernel = Megakernel(program, engine=make())
    megakernel.dispatch(picky(megakernel, 1))  # It is compiled in its own time.
    endless = picky(megakernel, -1, timeout=0.2, label="endless")
    rows = [picky(megakernel, 1), endless, picky(megakernel, 2)]
    before = telemetry.snapshot()
    error = failure(lambda: megakernel.many(rows))
    found = telemetry.snapshot() - before
    assert isinstance(error, Timeout)
    assert "note: in row 1 of 3, 'endless'\n" in str(error)
    assert found == telemetry.Counters(dispatches=2, passes=1, launches=1, failures=1)


@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_results_that_there_is_no_memory_for(make: Make, monkeypatch: pytest.MonkeyPatch):
    """It is known before anything runs, so that the buffers are as before."""
    megakernel = Megakernel(PICKY, engine=make())
    handles = [picky(megakernel, n) for n in (1, 2)]
    storage = BatchStorage()
    megakernel.many_with_scratch(handles[:1], storage)

    def full(*arguments: Any) -> Any:
        raise MemoryError

    ways: list[Callable[[], object]] = [
        lambda: megakernel.dispatch(handles[0]),
        lambda: megakernel.observed(handles[0]),
        lambda: megakernel.many(handles),
        lambda: megakernel.many_observed(handles),
        lambda: megakernel.many_with_scratch(handles, storage),
    ]
    for way in ways:
        with monkeypatch.context() as patched:
            for name in ("zeros", "empty"):
                patched.setattr(np, name, full)
            error = failure(way)
        assert isinstance(error, OutOfMemory)
        assert "not enough memory for 'x' of shape (1,)" in error.cause
    assert [handle.read("x")[0] for handle in handles] == [1, 0]
    assert (storage.capacity, storage.batches) == (1, [])


def test_storage_serves_several_megakernels():
    storage = BatchStorage()
    counts, picks = counting(CpuBackend), Megakernel(PICKY, engine="cpu")
    counts.many_with_scratch([_handle(counts)], storage)
    picks.many_with_scratch([picky(picks, 5)], storage)
    assert [row["x"].tolist() for row in storage.batches] == [[5]]


# Persistent buffers


@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_persistent_buffers_belong_to_the_program(make: Make):
    """Whoever dispatches it next goes on from what the last one has left."""
    megakernel = Megakernel(PERSISTENT, engine=make())
    h, g, bad = (megakernel.resident(n=n) for n in (1, 1, 0))
    seen = [megakernel.dispatch(each)["seen"][0] for each in (h, h, g, h, g)]
    assert seen == [1, 2, 3, 4, 5]
    assert [row["seen"][0] for row in megakernel.many([g, h])] == [6, 7]
    assert megakernel.exe(n=1)["seen"] == 8
    with megakernel.exe.resident(n=1) as held:
        held.run()
        assert [each.read("kept")[0] for each in (held, h, g)] == [9, 9, 9]
        h.write("kept", numbers(20))
        held.run()
    assert megakernel.dispatch(g)["seen"] == 22
    for work in (
        lambda: megakernel.dispatch(bad),
        lambda: megakernel.exe(n=0),
        lambda: megakernel.many([bad, g]),
    ):
        assert isinstance(failure(work), Trapped)
        assert g.read("kept") == 22
    failure(lambda: megakernel.many([g, bad, h]))
    assert h.read("kept") == 23  # The first row ended well.


@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_persistent_buffers_that_are_passed_belong_to_the_handle(make: Make):
    megakernel = Megakernel(PERSISTENT, engine=make())
    h, g = (megakernel.resident(n=1, kept=numbers(10 * k)) for k in (1, 2))
    seen = [megakernel.dispatch(each)["seen"][0] for each in (h, h, g, h, g)]
    assert seen == [11, 12, 21, 13, 22]
    assert megakernel.exe(n=1)["seen"] == 1
