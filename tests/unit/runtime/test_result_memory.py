"""Results that there is no memory for are `OutOfMemory`, whoever asks for them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from megakernel_programs import COUNTING, EVERY_ENGINE

import vyre
from vyre.runtime.backend import Backend


def full(*arguments: Any, **named: Any) -> Any:
    raise MemoryError


def arguments() -> dict[str, Any]:
    return {"x": np.arange(6, dtype=np.int32), "seen": np.zeros(6, np.int32), "n": 1}


@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_every_way_to_results(make: Callable[[], Backend], monkeypatch: pytest.MonkeyPatch):
    megakernel = vyre.Megakernel(COUNTING, engine=make())
    exe = megakernel.exe
    given, into = arguments(), {"x": np.zeros(6, np.int32)}
    for _ in range(3):  # Later calls of a kind are prepared.
        exe(given)
    held, handle = exe.resident(given), megakernel.resident(given)
    buffer = vyre.device_buffer(given["x"], engine=exe.backend)
    ways: list[Callable[[], object]] = [
        lambda: exe(given),
        lambda: exe.timed(given),
        lambda: exe(given, into=into),
        lambda: exe(given, fixpoint_iterations=5),
        lambda: exe.check(given),
        lambda: held.read("x"),
        lambda: handle.read("x"),
        handle.checkpoint,
        lambda: megakernel.dispatch(handle),
        lambda: megakernel.many([handle]),
        lambda: megakernel.borrowed(given),
        buffer.numpy,
    ]
    with monkeypatch.context() as patched:
        for name in ("zeros", "empty", "full"):
            patched.setattr(np, name, full)
        for way in ways:
            with pytest.raises(vyre.OutOfMemory):
                way()
    assert handle.read("x").tolist() == given["x"].tolist()
    assert exe(given)["x"].tolist() == [1, 2, 3, 4, 5, 6]
