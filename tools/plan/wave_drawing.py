"""
A megakernel's plan as a picture.

Time goes from top to bottom: groups of waves, in frames for their layers, with a grid
barrier between two groups. The bars at the right are the memory that counts while a group
runs, and a line shows the budget. Below are the figures of the plan, and of the plan that
packs waves in order, if there is another one.
"""

from __future__ import annotations

from collections.abc import Iterator

from vyre.tools.plan.layout import MARGIN, NOTE_SIZE, STRIP
from vyre.tools.plan.svg import Svg, fitted, text_width
from vyre.tools.plan.wave_layout import (
    BAR_HEIGHT,
    CHIP_HEIGHT,
    Chip,
    GroupPlace,
    LayerPlace,
    WaveLayout,
    more,
)
from vyre.tools.plan.wave_marks import PARTS, MemoryScale, bytes_text, parts_of
from vyre.tools.plan.wave_plan import Wave, WavePlan, counted
from vyre.tools.plan.wave_table import FIGURES, packings

_LINE = 22.0
_CELL = 84.0


class WaveDrawing:
    """The picture of one plan, below `top`."""

    def __init__(self, plan: WavePlan, svg: Svg, top: float):
        self.plan = plan
        self.svg = svg
        self.top = top
        self.layout = WaveLayout(plan, top + 76)
        self.width = self.layout.right + MARGIN
        self.bottom = self.layout.bottom
        most = max((plan.needed(group) or 0 for group in plan.groups), default=0)
        self.scale = MemoryScale(self.layout.memory, max(most, plan.budget or 0))

    def draw(self) -> None:
        """Draw all of it."""
        rest = Svg()  # First, because the card ends where it does.
        end = self._packings(rest, self.layout.bottom + 30)
        self.bottom = self._legend(rest, end + 16) + MARGIN
        height = self.bottom - self.top
        self.svg.rect("card", 0.5, self.top + 0.5, self.width - 1, height - 1, radius=10)
        self._titles()
        for layer in self.layout.layers:
            self._layer(layer)
        for place in self.layout.groups:
            self._group(place)
        for y in self.layout.barriers():
            self._barrier(y)
        self._budget()
        self.svg.append(rest)

    def _titles(self) -> None:
        room = self.width - 2 * MARGIN
        title = f"@{self.plan.name}"
        self.svg.text("title", MARGIN, self.top + 38, fitted(title, room, 19), title=title)
        summary = fitted(self.plan.summary, room, 12)
        self.svg.text("subtitle", MARGIN, self.top + 58, summary)

    def _layer(self, place: LayerPlace) -> None:
        svg, right = self.svg, self.layout.right
        height = place.bottom - place.top
        svg.rect("loop", MARGIN, place.top, right - MARGIN, height, radius=9)
        svg.text("label", MARGIN + 10, place.top + STRIP / 2 + 5, place.layer.label)

    def _group(self, place: GroupPlace) -> None:
        svg, group = self.svg, place.group
        x, y = MARGIN + 12, place.middle
        svg.text("segment", x, y - 2, f"group {group.number}")
        svg.text("note", x, y + 12, counted(len(group.waves), "wave"))
        for chip in self.layout.chips(place):
            self._chip(chip)
        needed = self.plan.needed(group)
        if needed is not None:
            parts = parts_of(self.plan, group)
            self.scale.draw_bar(svg, parts, y - BAR_HEIGHT / 2, BAR_HEIGHT)
            text = bytes_text(needed)
            if self.plan.budget:
                text += f", {100 * needed // self.plan.budget}%"
            svg.text("note figure", self.layout.figures, y + 4, text, title=f"{needed} B")

    def _chip(self, chip: Chip) -> None:
        svg, span = self.svg, chip.span
        first, *others = chip.waves
        text = self.layout.text(first)
        title = _about(first)
        if others:
            text = more(len(chip.waves))
            title = ", ".join(wave.name for wave in chip.waves)
        svg.rect(
            "wave", span.left, chip.top, span.width, CHIP_HEIGHT, radius=5, title=title
        )
        shown = fitted(text, span.width - 8, NOTE_SIZE)
        svg.text("note", span.left + 7, chip.top + CHIP_HEIGHT / 2 + 4, shown, title=title)

    def _barrier(self, y: float) -> None:
        left, right = MARGIN + 12, self.layout.right - 12
        self.svg.path("grid-barrier", "M", left, y, "H", right, title="grid barrier")

    def _budget(self) -> None:
        layout, svg = self.layout, self.svg
        if not layout.has_memory:
            return
        svg.text("note heading", layout.memory.left, layout.top - 10, "MEMORY")
        budget = self.plan.budget
        if budget is None:
            return
        x = layout.memory.left + self.scale.width(budget)
        label = f"budget {bytes_text(budget)}"
        svg.path("budget", "M", x, layout.top - 6, "V", layout.bottom, title=f"{budget} B")
        svg.text("budget-text", x, layout.top - 12, label, title=f"{budget} B")

    def _packings(self, svg: Svg, top: float) -> float:
        """A table of the figures; return where it ends."""
        found = packings(self.plan)
        shown = [name for name in FIGURES if any(name in figures for _, figures in found)]
        first = MARGIN + 104
        svg.text("note heading", MARGIN, top, "PACKING")
        for column, name in enumerate(shown, 1):
            heading = FIGURES[name].upper()
            svg.text("note heading right", first + column * _CELL, top, heading)
        y = top
        for number, (how, figures) in enumerate(found):
            y += _LINE
            taken = " (taken)" if number == 0 and len(found) > 1 else ""
            svg.text("name", MARGIN, y, how + taken)
            for column, name in enumerate(shown, 1):
                text = _figure(name, figures)
                svg.text("name figure", first + column * _CELL, y, text)
        return y

    def _legend(self, svg: Svg, top: float) -> float:
        """What the signs mean, on as many lines as it takes; return where it ends."""
        x, y = MARGIN, top + _LINE
        for kind, text in self._signs():
            width = 28 + text_width(text, NOTE_SIZE) + 18
            if x > MARGIN and x + width > self.width - MARGIN:
                x, y = MARGIN, y + _LINE
            if kind == "grid-barrier":
                svg.path(kind, "M", x, y - 4, "h", 20)
            elif kind == "budget":
                svg.path(kind, "M", x + 10, y - 11, "v", 14)
            else:
                svg.rect(kind, x, y - 10, 20, 12, radius=3)
            svg.text("note", x + 28, y, text)
            x += width
        return y

    def _signs(self) -> Iterator[tuple[str, str]]:
        plan = self.plan
        counts = [parts_of(plan, group) for group in plan.groups if group.bytes is not None]
        for kind, text in PARTS.items():
            if any(parts[kind] for parts in counts):
                yield kind, text
        if counts and plan.budget is not None:
            yield "budget", "budget"
        if len(plan.groups) > 1:
            yield "grid-barrier", "grid barrier"


def _about(wave: Wave) -> str:
    """What is shown of a wave on hover."""
    parts = [f'"{wave.name}" @{wave.program}']
    if wave.grid is not None:
        parts.append(f"grid {list(wave.grid)}")
    if wave.after:
        parts.append(f"after {', '.join(wave.after)}")
    if wave.bytes is not None:
        parts.append(f"bytes {list(wave.bytes)}")
    return ", ".join(parts)


def _figure(name: str, figures: dict[str, int]) -> str:
    if name not in figures:
        return ""
    return bytes_text(figures[name]) if name.endswith("bytes") else str(figures[name])
