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
    ("queue", "workers", "max_width", "width", "groups"),
    [
        (1000, 64, 1024, 64, 16),
        (1000, 0, 1024, 1, 1),
        (0, 8, 1024, 8, 1),
        (10**9, 4096, 1024, 1024, 1024),
        (10**9, 16, 8, 8, 16),
        (17, 16, 1024, 16, 2),
    ],
)
def test_as_many_as_are_needed_and_there_are(
    queue: int, workers: int, max_width: int, width: int, groups: int
):
    found = LaunchGeometry.sized(queue, workers, max_width)
    assert (found.width, found.grid) == (width, (groups, 1, 1))


@pytest.mark.parametrize(
    ("work", "cause"),
    [
        (lambda: LaunchGeometry.sized(10, 4, 0), "max_width is 0"),
        (lambda: LaunchGeometry.sized(-1, 4, 8), "queue is -1"),
        (lambda: LaunchGeometry.sized(10, cast(Any, 2.5), 8), "workers is 2.5"),
        (lambda: LaunchGeometry(0, 256), "slots is 0"),
        (lambda: LaunchGeometry(4, 0), "width is 0"),
        (lambda: LaunchGeometry(4, cast(Any, "4")), "width is '4'"),
    ],
)
def test_wrong_numbers_are_named(work: Callable[[], object], cause: str):
    with pytest.raises(InvalidArgument) as caught:
        work()
    assert caught.value.cause == cause
