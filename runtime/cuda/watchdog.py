"""
A watchdog for grid barriers, for who looks for the reason of a hang: what it is set to, and
what it has found.

A workgroup that waits at a grid barrier looks so many times whether the others have come.
Then it gives up, and all end, instead of waiting for ever.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vyre.lowering.cuda.grid_protocol import WORD_POSITIONS, Word
from vyre.lowering.cuda.kernel import CudaKernel
from vyre.runtime.errors import DivergentBarrier, InvalidArgument

VARIABLE = "VYRE_CUDA_WATCHDOG"
"""The environment variable for engines that are not told otherwise."""

MOST = 2**32 - 1
"""Looks that a kernel can count."""


@dataclass(frozen=True, eq=False)
class WatchedLaunch:
    """A launch with a watchdog, its workgroups, and where the words of its barrier are."""

    kernel: CudaKernel
    groups: int
    words: int


def watchdog_of(looks: int | None, environ: Mapping[str, str] = os.environ) -> int | None:
    """
    How often a workgroup shall look, None for ever: what a caller says, who may leave it to
    the environment by None, and switch it off by 0.

    Example: `watchdog_of(None, {"VYRE_CUDA_WATCHDOG": "5000"})` is 5000.
    """
    text = environ.get(VARIABLE, "").strip() if looks is None else str(looks)
    if text and not (text.isdecimal() and int(text) <= MOST):
        raise InvalidArgument(
            f"the watchdog of grid barriers is {text!r}",
            f"say how often to look before giving up, at most {MOST} times; with 0, or "
            f"without {VARIABLE}, there is none",
        )
    return int(text or 0) or None


def stuck(words: NDArray[np.uint32], launch: WatchedLaunch) -> DivergentBarrier | None:
    """
    What to raise for the words that a launch has left; None if nobody gave up.

    Example: `stuck(words, WatchedLaunch(kernel, 64, address))`
    """
    number = int(words[WORD_POSITIONS[Word.GAVE_UP]])
    if number == 0:
        return None
    arrived = int(words[WORD_POSITIONS[Word.ARRIVED]])
    generation = int(words[WORD_POSITIONS[Word.GENERATION]])
    passed = generation // 2 - generation % 2  # The last one that comes makes it odd.
    came = (
        f"only {arrived} of {launch.groups} workgroups came to this grid barrier"
        if arrived
        else f"not all {launch.groups} workgroups came to this grid barrier in time"
    )
    return DivergentBarrier(
        f"{came} ({passed} were passed before); one gave up after "
        f"{launch.kernel.watchdog} looks",
        "see where the others stay: in an endless loop, or waiting for what comes after "
        "the barrier; if they are only slow, allow more looks",
        at=launch.kernel.meetings[number - 1],
    )
