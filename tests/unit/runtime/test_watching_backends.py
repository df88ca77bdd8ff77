"""Engines around another one: what they count, change and break."""

import numpy as np
import pytest

import vyre
from vyre.interpreter.backend import ReferenceBackend
from vyre.runtime.backend import Bytes
from vyre.runtime.errors import DispatchFailed
from vyre.runtime.times import Times
from vyre.testing import FaultyBackend, RecordingBackend, WrappedBackend

PROGRAM = """
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %out = vyre.buffer "out" read_write binding 1 output : memref<8xi32>
  %i = vyre.invocation_id x
  %v = vyre.load %a[%i] : memref<?xi32>
  vyre.store %v, %out[%i] : memref<8xi32>
  vyre.barrier grid_sync
  %w = vyre.load %out[%i] : memref<8xi32>
  %twice = arith.addi %w, %w : i32
  vyre.store %twice, %out[%i] : memref<8xi32>
}
"""
A = np.arange(6, dtype=np.int32)
OUT = [0, 2, 4, 6, 8, 10, 0, 0]


def test_a_recording_counts_what_moves():
    recording = RecordingBackend(ReferenceBackend())
    vyre.compile(PROGRAM, engine=recording, mode="native")(a=A)
    assert (recording.uploaded_bytes, recording.downloaded_bytes) == (24, 32)
    assert recording.launched == ["p"]
    assert [op.sym_name.data for op in recording.compiled] == ["p"]
    assert recording.calls["allocate"] == recording.calls["free"] == 2
    assert recording.allocated_bytes == recording.peak_bytes == 24 + 32
    assert (recording.live_count, recording.live_bytes) == (0, 0)


def test_a_recording_forgets():
    recording = RecordingBackend(ReferenceBackend())
    exe = vyre.compile(PROGRAM, engine=recording, mode="split")
    with exe.resident(a=A) as held:
        held.run()
        in_use = recording.live_bytes
        recording.forget()
        held.run()
        assert recording.launched == ["p.0", "p.1"]
        assert recording.uploaded_bytes == recording.allocated_bytes == 0
        assert recording.live_bytes == recording.peak_bytes == in_use == 56
    assert recording.live_count == 0


def test_a_recording_works_in_place_if_it_is_told_to():
    recording = RecordingBackend(ReferenceBackend(), in_place=True)
    vyre.compile(PROGRAM, engine=recording, mode="native")(a=A)
    assert recording.uploaded_bytes == recording.downloaded_bytes == 0
    assert recording.calls["adopt"] == 2
    cannot = RecordingBackend(RecordingBackend(ReferenceBackend()), in_place=True)
    assert cannot.adopt(A) is None


def test_fresh_memory_is_dirty():
    recording = RecordingBackend(ReferenceBackend())
    found = np.zeros(5, np.uint8)
    recording.download(recording.allocate(5, 1), 0, found)
    assert found.tolist() == [255] * 5


def test_launches_report_the_times_that_were_given():
    recording = RecordingBackend(ReferenceBackend(), times=Times(1, 2, None))
    exe = vyre.compile(PROGRAM, engine=recording, mode="split")
    results, report = exe.timed(a=A)
    assert results["out"].tolist() == OUT
    assert (report.device, report.enqueue, report.wait) == (2, 4, None)


def test_memory_is_freed_once():
    watched = WrappedBackend(ReferenceBackend())
    memory: Bytes = watched.allocate(8, 8)
    watched.free(memory)
    with pytest.raises(AssertionError, match="freed before"):
        watched.free(memory)


def test_a_fault_happens_once_unless_it_is_for_good():
    faulty = FaultyBackend(ReferenceBackend(), 1, ValueError("loose contact"))
    exe = vyre.compile(PROGRAM, engine=faulty, mode="split")
    with pytest.raises(DispatchFailed, match=r"in place: ValueError: loose contact"):
        exe(a=A)
    assert faulty.failed_in == "adopt"
    assert exe(a=A)["out"].tolist() == OUT
    faulty.arm(0, for_good=True)
    for _ in range(2):
        with pytest.raises(DispatchFailed, match="told to fail"):
            exe(a=A)
    faulty.arm(None)
    exe(a=A)
    assert faulty.failed_in is None
