"""Slots of work, and workgroups for them."""

from collections.abc import Callable
from typing import Any, cast

import pytest

from vyre import InvalidArgument, LaunchGeometry


def test_the_usual_one():
    usual = LaunchGeometry()
    assert (usual.slots, usual.width) == (256, 256)
    assert usual.grid == (1, 1, 1)


def test_what_a_dispatch_is_told():
    config = LaunchGeometry(1024, 128).config(timeout=2.5)
    assert config.grid == (8, 1, 1)
    assert config.workgroup == (128, 1, 1)
    assert config.timeout == 2.5


@pytest.mark.parametrize(("slots", "width"), [(255, 256), (257, 256)])
def test_slots_are_whole_workgroups(slots: int, width: int):
    with pytest.raises(InvalidArgument, match="not whole workgroups"):
        LaunchGeometry(slots, width)


@pytest.mark.parametrize(
    ("work", "cause"),
    [
        (lambda: LaunchGeometry(0, 256), "slots is 0"),
        (lambda: LaunchGeometry(4, 0), "width is 0"),
        (lambda: LaunchGeometry(4, cast(Any, "4")), "width is '4'"),
    ],
)
def test_wrong_numbers_are_named(work: Callable[[], object], cause: str):
    with pytest.raises(InvalidArgument) as caught:
        work()
    assert caught.value.cause == cause
