"""What kind of failure an error is."""

import pytest

from vyre.runtime.errors import (
    CompileFailed,
    DeviceLost,
    DispatchFailed,
    InvalidArgument,
    OutOfMemory,
    Timeout,
    UnsupportedFeature,
)
from vyre.runtime.failure_class import FailureClass, failure_class

LOST, TRANSIENT, PROGRAM, UNKNOWN = FailureClass


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        (DeviceLost, LOST),
        (OutOfMemory, TRANSIENT),
        (Timeout, TRANSIENT),
        (CompileFailed, PROGRAM),
        (InvalidArgument, PROGRAM),
        (UnsupportedFeature, PROGRAM),
    ],
)
def test_types_say_it(kind: type[Exception], found: FailureClass):
    """Whatever the words are."""
    assert failure_class(kind("device lost, try again, invalid", "...")) is found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Device Lost", LOST),
        ("VK_ERROR_DEVICE_LOST", LOST),
        ("DXGI_ERROR_DEVICE_REMOVED", LOST),
        ("DXGI_ERROR_DEVICE_RESET", LOST),
        ("DXGI_ERROR_DEVICE_HUNG", LOST),
        ("DeviceLost", LOST),
        ("the context lost its memory", LOST),
        ("lost device 0", LOST),
        ("adapter lost", LOST),
        ("GPU reset", LOST),
        ("stale pipeline", LOST),
        ("queue full", TRANSIENT),
        ("backpressure", TRANSIENT),
        ("temporarily unavailable", TRANSIENT),
        ("Try Again", TRANSIENT),
        ("would block", TRANSIENT),
        ("timed out", TRANSIENT),
        ("timeout", TRANSIENT),
        ("out of memory", TRANSIENT),
        ("unsupported format", PROGRAM),
        ("invalid binding", PROGRAM),
        ("no further words", UNKNOWN),
    ],
)
def test_words_say_it(text: str, found: FailureClass):
    assert failure_class(DispatchFailed(f"engine 'x' could not: {text}", "...")) is found


def test_a_lost_device_comes_first():
    text = "invalid handle: timed out, device lost"
    assert failure_class(DispatchFailed(text, "...")) is LOST
    assert failure_class(DispatchFailed("invalid handle: timed out", "...")) is TRANSIENT
