"""
Where the parts of a plan's picture are.

Launches stand side by side as lanes, and rows go across them. What the host reads stands
between lanes. A box goes around the lanes of a loop or branch; boxes inside it are smaller.
Lanes get narrower where there are many, and then have less text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vyre.tools.plan.model import Plan
from vyre.tools.plan.parts import Column, Group, GroupKind, Node, ReadBack
from vyre.tools.plan.svg import text_width, wrapped

MARGIN = 24.0
NAME_SIZE, NOTE_SIZE, LABEL_SIZE = 13.0, 10.5, 11.0
STRIP = 23.0
"""Height of the strip at the top of a box, which holds its label."""

_ALL_LANES = 1000.0
_LONGEST_NAME = 190.0
_CAPTION = 24.0


@dataclass(frozen=True)
class Scale:
    """Sizes that depend on how many launches there are."""

    lane: float
    gap: float
    pad: float
    slot: float
    row: float

    @staticmethod
    def of(columns: int) -> Scale:
        widest = 150.0 if columns <= 3 else 120.0
        lane = min(max(_ALL_LANES / max(columns, 1), 6.0), widest)
        if lane >= 80:
            return Scale(lane, 14, 11, 18, 28)
        if lane >= 18:
            return Scale(lane, 7, 7, 20, 24)
        return Scale(lane, 2, 4, 9, 20)

    @property
    def has_words(self) -> bool:
        """Whether there is room for words in a lane."""
        return self.lane >= 80

    @property
    def has_letters(self) -> bool:
        """Whether there is room for single letters, and for text that is turned."""
        return self.lane >= 18


@dataclass(frozen=True)
class Span:
    """From where to where something reaches, from left to right."""

    left: float
    width: float

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def middle(self) -> float:
        return self.left + self.width / 2


@dataclass(frozen=True)
class Box:
    """The frame of a loop or branch."""

    group: Group
    span: Span
    top: float
    bottom: float


class Layout:
    """
    The places of a plan's parts.

    Example: `Layout(plan, top=60).spans[0].left` is where the first launch begins.
    """

    def __init__(self, plan: Plan, top: float):
        self.plan = plan
        self.scale = Scale.of(len(plan.columns))
        self.spans: dict[int, Span] = {}
        self.boxes: list[Box] = []
        self.names = Span(MARGIN, self._names_width())
        self.body = _simplified(plan.body)
        heights = [node.height for node in self.body if isinstance(node, Group)]
        self.levels = max(heights, default=0)
        self.lanes_top = top + self.levels * STRIP
        self.rows_top = self.lanes_top + self._header_height()
        self.row_y = self._row_places()
        last = self.row_y[-1] if self.row_y else self.rows_top
        self.lanes_bottom = last + self.scale.row / 2 + 6
        self.bottom = self.lanes_bottom + self.levels * self._foot
        self.right = self._place(self.body, self.names.right + 26)

    @property
    def _foot(self) -> float:
        """How much further down a box reaches than those inside it."""
        return 10.0 if self.scale.has_letters else 6.0

    def _names_width(self) -> float:
        rows = self.plan.rows
        names = max((text_width(row.name, NAME_SIZE) for row in rows), default=0)
        notes = max((text_width(row.about, NOTE_SIZE) for row in rows), default=0)
        self.notes_width = notes
        return max(min(names, _LONGEST_NAME) + 16 + notes, 80)

    def header(self, column: Column) -> list[str]:
        """The lines under the number of a launch."""
        lines = wrapped(column.label, self.scale.lane - 16, NOTE_SIZE, 3)
        if column.barriers:
            lines.append(f"{column.barriers} grid barrier{'s' * (column.barriers > 1)}")
        return lines

    def short_name(self, column: Column) -> str:
        """The name of a segment without that of the program."""
        return column.segment.removeprefix(f"{self.plan.name}.")

    def _header_height(self) -> float:
        columns = self.plan.columns
        if self.scale.has_words:
            lines = max((len(self.header(column)) for column in columns), default=0)
            return max(38 + 14 * lines, self._read_back_height())
        if self.scale.has_letters:
            labels = max(text_width(column.label, NOTE_SIZE) for column in columns)
            return max(min(labels, 140) + 36, self._read_back_height())
        return 24

    def _read_back_height(self) -> float:
        names = (text_width(f"%{step.name}", NOTE_SIZE) for step in self.plan.read_backs)
        return min(max(names, default=0), 90) + 10

    def _row_places(self) -> list[float]:
        """The middle of each row; scratch stands a little apart."""
        places: list[float] = []
        y = self.rows_top + self.scale.row / 2
        for row, before in zip(self.plan.rows, (None, *self.plan.rows)):
            if row.scope is not None and before is not None and before.scope is None:
                y += _CAPTION
            places.append(y)
            y += self.scale.row
        return places

    def _place(self, nodes: Sequence[Node], left: float) -> float:
        """Give each step its span, and each group its box; return where they end."""
        x = left
        for position, node in enumerate(nodes):
            x += self.scale.gap if position else 0
            width = self._width(node)
            if isinstance(node, Group):
                self._place_group(node, Span(x, width))
            else:
                self.spans[node.step] = Span(x, width)
            x += width
        return x

    def _place_group(self, group: Group, span: Span) -> None:
        top = self.lanes_top - group.height * STRIP
        bottom = self.lanes_bottom + group.height * self._foot
        self.boxes.append(Box(group, span, top, bottom))
        inner = self._widths(group.body)
        self._place(group.body, span.left + (span.width - inner) / 2)

    def _width(self, node: Node) -> float:
        match node:
            case Column():
                return self.scale.lane
            case ReadBack():
                return self.scale.slot
            case Group():
                width = self._widths(node.body) + 2 * self.scale.pad
                label = text_width(node.label, LABEL_SIZE) + 2 * self.scale.pad + 20
                return max(width, min(label, 260) if self.scale.has_letters else 0)

    def _widths(self, nodes: Sequence[Node]) -> float:
        widths = [self._width(node) for node in nodes]
        return sum(widths) + self.scale.gap * (len(widths) - 1)


def _simplified(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """Loops without a box for a test that launches nothing."""
    simple: list[Node] = []
    for node in nodes:
        if not isinstance(node, Group):
            simple.append(node)
            continue
        body = node.body
        first = body[0]
        if isinstance(first, Group) and first.kind is GroupKind.TEST:
            if not any(isinstance(step, Column) for step in first.steps):
                parts = (p.body if isinstance(p, Group) else (p,) for p in body)
                body = tuple(inner for part in parts for inner in part)
        simple.append(Group(node.kind, node.label, _simplified(body)))
    return tuple(simple)
