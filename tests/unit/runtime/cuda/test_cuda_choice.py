"""Which engine `auto` takes."""

import ctypes
import importlib.util
import sys
from collections.abc import Generator
from typing import Any

import pytest
from counting_programs import counting

import vyre
from vyre.runtime import backends
from vyre.runtime.backends import backend_names, find_backend
from vyre.runtime.cuda import presence
from vyre.runtime.errors import UnsupportedFeature


class Driver:
    """NVIDIA's driver, as far as it is asked: one device of a capability, or none."""

    def __init__(self, capability: tuple[int, int] | None, status: int = 0):
        self._capability = capability
        self._status = status

    def cuInit(self, flags: int) -> int:
        return self._status

    def cuDeviceGet(self, place: Any, number: int) -> int:
        place._obj.value = 5 + number
        return 0 if self._capability else 101

    def cuDeviceGetAttribute(self, place: Any, attribute: int, device: int) -> int:
        assert device == 5
        assert self._capability
        place._obj.value = self._capability[(75, 76).index(attribute)]
        return 0


def is_there(name: str) -> object:
    """A package that can be imported."""
    return object()


def is_missing(name: str) -> None:
    """One that cannot."""


@pytest.fixture(autouse=True)
def forget(monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """Nobody has looked for a GPU yet, or hears of it later."""
    find_backend("cpu")  # It loads LLVM with what some tests replace.
    presence.has_gpu.cache_clear()
    monkeypatch.setattr(backends, "_made", {})
    yield
    presence.has_gpu.cache_clear()


def drive(monkeypatch: pytest.MonkeyPatch, driver: object) -> None:
    others = ctypes.CDLL

    def load(name: str) -> object:
        if name != "libcuda.so.1":
            return others(name)
        if driver is None:
            raise OSError("no such file")
        return driver

    monkeypatch.setattr(ctypes, "CDLL", load)


@pytest.mark.parametrize(
    ("driver", "capability"),
    [
        (None, 0),
        (Driver(None), 0),
        (Driver((9, 0), status=34), 0),  # A driver that is none, for those who build.
        (object(), 0),
        (Driver((6, 1)), 61),
        (Driver((7, 0)), 70),
        (Driver((12, 1)), 121),
    ],
)
def test_the_first_device_is_asked(
    monkeypatch: pytest.MonkeyPatch, driver: object, capability: int
):
    drive(monkeypatch, driver)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(presence, "find_spec", is_there)
    assert presence.first_capability() == capability
    assert presence.has_gpu() == (capability >= 70)


def test_without_a_driver_cupy_is_not_imported(monkeypatch: pytest.MonkeyPatch):
    drive(monkeypatch, None)
    monkeypatch.setitem(sys.modules, "cupy", None)
    monkeypatch.setattr(presence, "find_spec", is_there)
    assert find_backend("auto").name == "cpu"


def test_without_cupy_the_driver_is_not_loaded(monkeypatch: pytest.MonkeyPatch):
    def load(name: str) -> object:
        raise AssertionError(name)

    monkeypatch.setattr(ctypes, "CDLL", load)
    monkeypatch.setattr(presence, "find_spec", is_missing)
    assert not presence.has_gpu()


def test_with_a_gpu_it_is_taken(monkeypatch: pytest.MonkeyPatch):
    drive(monkeypatch, Driver((8, 6)))
    monkeypatch.setattr(presence, "find_spec", is_there)
    taken = object()
    own: Any = vars(backends)["_OWN"]
    monkeypatch.setitem(own, "cupy", lambda: taken)
    assert find_backend("auto") is taken


def test_it_can_be_asked_for_by_name(monkeypatch: pytest.MonkeyPatch):
    assert "cupy" in backend_names()
    if presence.has_gpu() and importlib.util.find_spec("cupy") is not None:
        pytest.skip("there is a GPU")
    with pytest.raises(UnsupportedFeature, match="engine 'cupy'"):
        vyre.compile(counting(1), engine="cupy")
