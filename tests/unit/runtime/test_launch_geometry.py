"""Slots of work, and workgroups for them."""

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


@pytest.mark.parametrize(("slots", "width"), [(0, 256), (255, 256), (257, 256), (4, 0)])
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
