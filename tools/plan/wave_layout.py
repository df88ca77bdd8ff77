"""
Where the parts of a megakernel's picture are.

Groups are rows from top to bottom, in frames for their layers, with grid barriers between
them. In a row stand the number of the group, its waves on as many lines as they take, and
its memory. Very many waves of a group are shown in part.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from vyre.tools.plan.layout import MARGIN, NOTE_SIZE, STRIP, Span
from vyre.tools.plan.svg import text_width
from vyre.tools.plan.wave_plan import Layer, Wave, WaveGroup, WavePlan

CHIP_HEIGHT = 19.0
BAR_HEIGHT = 18.0

_NARROWEST = 416.0
_ALL_CHIPS = 560.0
_WIDEST_CHIP = 150.0
_CHIP_LINE = 23.0
_MOST_LINES = 12
_NUMBERS = 76.0
_MEMORY = 260.0
_FIGURES = 104.0
_PAD = 12.0
_BETWEEN = 15.0


@dataclass(frozen=True)
class GroupPlace:
    """Where a group is: the top of its row, and the first line of what stands in it."""

    group: WaveGroup
    top: float
    height: float

    @property
    def bottom(self) -> float:
        return self.top + self.height

    @property
    def middle(self) -> float:
        return self.top + self.height / 2


@dataclass(frozen=True)
class LayerPlace:
    """The frame of a layer."""

    layer: Layer
    top: float
    bottom: float


@dataclass(frozen=True)
class Chip:
    """The place of a wave, or of all that are not shown."""

    waves: tuple[Wave, ...]
    span: Span
    top: float


def more(count: int) -> str:
    """What is written in a chip that stands for waves that are not shown."""
    return f"{count} more"


class WaveLayout:
    """
    The places of a plan's parts.

    Example: `WaveLayout(plan, top=60).groups[0].top` is where the first group begins.
    """

    def __init__(self, plan: WavePlan, top: float):
        groups = plan.groups
        self.has_memory = any(plan.needed(group) is not None for group in groups)
        self.has_programs = sum(len(group.waves) for group in groups) <= 24
        self.pitch = self._pitch(groups)
        widest = max((len(group.waves) for group in groups), default=1)
        self.columns = max(1, min(widest, int(_ALL_CHIPS // self.pitch)))
        self.chips_left = MARGIN + _PAD + _NUMBERS
        after = self.chips_left + self.columns * self.pitch + 8
        self.memory = Span(after + 14, _MEMORY if self.has_memory else 0)
        self.figures = self.memory.right + (_FIGURES if self.has_memory else 0)
        self.right = max((self.figures if self.has_memory else after) + _PAD, _NARROWEST)
        self.groups: list[GroupPlace] = []
        self.layers: list[LayerPlace] = []
        self.top = top + (34 if self.has_memory else 8)
        self.bottom = self._place(plan)

    def _pitch(self, groups: list[WaveGroup]) -> float:
        """From one wave to the next; the same everywhere, so that they stand in columns."""
        texts = [self.text(wave) for group in groups for wave in group.waves]
        texts += [more(len(group.waves)) for group in groups]
        widths = [text_width(text, NOTE_SIZE) for text in texts]
        return min(max(widths, default=0) + 14, _WIDEST_CHIP) + 5

    def text(self, wave: Wave) -> str:
        """What is written in a chip: a plan with few waves also has room for programs."""
        same = wave.name == wave.program
        return (
            f"{wave.name} @{wave.program}" if self.has_programs and not same else wave.name
        )

    def _place(self, plan: WavePlan) -> float:
        y = self.top
        for layer in plan.layers:
            first = y
            y += STRIP + 4
            for number, group in enumerate(layer.groups):
                y += _BETWEEN if number else 0
                lines = -(-self._shown(group) // self.columns)
                height = max(lines * _CHIP_LINE - 4, 32)
                self.groups.append(GroupPlace(group, y, height))
                y += height
            y += 10
            self.layers.append(LayerPlace(layer, first, y))
            y += _BETWEEN
        return max(y - _BETWEEN, self.top)

    def _shown(self, group: WaveGroup) -> int:
        return min(len(group.waves), self.columns * _MOST_LINES)

    def chips(self, place: GroupPlace) -> Iterator[Chip]:
        """The waves of a group, line by line; the last chip may stand for many."""
        waves = place.group.waves
        shown = self._shown(place.group)
        alone = shown if shown == len(waves) else shown - 1
        lines = -(-shown // self.columns)
        top = place.middle - (lines * _CHIP_LINE - 4) / 2
        for number in range(shown):
            line, column = divmod(number, self.columns)
            left = self.chips_left + column * self.pitch
            held = waves[number : number + 1] if number < alone else waves[number:]
            yield Chip(held, Span(left, self.pitch - 5), top + line * _CHIP_LINE)

    def barriers(self) -> Iterator[float]:
        """The heights at which grid barriers stand: between one group and the next."""
        frames = {place.layer.groups[-1].number: place for place in self.layers}
        for place in self.groups[:-1]:
            frame = frames.get(place.group.number)
            yield (place.bottom if frame is None else frame.bottom) + _BETWEEN / 2
