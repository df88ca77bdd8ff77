"""
`-t vyre-plan-svg`: a plan as a picture.

Launches are lanes from left to right, and the gaps between them are grid barriers. Buffers
are rows. What a launch reads stands at the left of its lane, what it writes at the right.
Boxes are loops and branches of the host, diamonds are what the host reads, and a band shows
from where to where scratch is needed. `wave_drawing` has the pictures of megakernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from typing import IO, Protocol

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from vyre.analysis.foreign import refuse_foreign_in
from vyre.tools.plan.layout import (
    LABEL_SIZE,
    MARGIN,
    NAME_SIZE,
    NOTE_SIZE,
    STRIP,
    Box,
    Layout,
    Span,
)
from vyre.tools.plan.legend import draw_legend
from vyre.tools.plan.lives import lives
from vyre.tools.plan.marks import (
    SCOPE,
    draw_access,
    draw_diamond,
    draw_loop_sign,
    style,
)
from vyre.tools.plan.model import Plan, plans_in
from vyre.tools.plan.parts import Access, Column, InTurn, ReadBack, Step
from vyre.tools.plan.svg import Svg, document, fitted, text_width, wrapped
from vyre.tools.plan.wave_drawing import WaveDrawing
from vyre.tools.plan.wave_marks import WAVE_LOOK
from vyre.tools.plan.wave_plan import WavePlan, wave_plans_in

_NARROWEST = 440.0


@dataclass(frozen=True)
class PlanDrawingTarget(Target):
    """
    Draws what is launched and what each launch does with each buffer; of a megakernel,
    which waves run together and the memory that they need.
    """

    name = "vyre-plan-svg"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        refuse_foreign_in(module)
        output.write(_document([*plans_in(module), *wave_plans_in(module)]))


def plan_drawing(plan: Plan, subtitle: str = "") -> str:
    """
    The picture of a plan, as the text of an SVG file.

    Example: `Path("plan.svg").write_text(plan_drawing(Plan.of(schedule)))`
    """
    return _document([plan], subtitle)


def wave_drawing(plan: WavePlan) -> str:
    """
    The picture of a megakernel's plan, as the text of an SVG file.

    Example: `Path("waves.svg").write_text(wave_drawing(WavePlan.of(megakernel)))`
    """
    return _document([plan])


class _Card(Protocol):
    """A picture that begins somewhere in a file."""

    width: float
    bottom: float

    def draw(self) -> None: ...


def _document(plans: Sequence[Plan | WavePlan], subtitle: str | None = None) -> str:
    """One file with the pictures below each other."""
    svg = Svg()
    y, width = 0.0, 0.0
    for plan in plans:
        card: _Card = (
            WaveDrawing(plan, svg, y)
            if isinstance(plan, WavePlan)
            else _Drawing(plan, plan.summary if subtitle is None else subtitle, svg, y)
        )
        card.draw()
        y = card.bottom + MARGIN
        width = max(width, card.width)
    names = ", ".join(f"@{plan.name}" for plan in plans)
    height = max(y - MARGIN, 1)
    has_waves = any(isinstance(plan, WavePlan) for plan in plans)
    look = style(WAVE_LOOK) if has_waves else style()
    return document(SCOPE, width, height, f"plan of {names}", look, svg)


class _Drawing:
    """One plan, below `top`."""

    def __init__(self, plan: Plan, subtitle: str, svg: Svg, top: float):
        self.plan = plan
        self.svg = svg
        self.top = top
        width = Layout(plan, 0).right
        self.width = max(width + MARGIN, _NARROWEST)
        self.subtitle = wrapped(subtitle, self.width - 2 * MARGIN, 12, 3)
        self.layout = Layout(plan, top + 44 + 17 * len(self.subtitle) + 14)
        self.bottom = self.layout.bottom

    def draw(self) -> None:
        legend = Svg()  # First, because the card ends where it does.
        self.bottom = draw_legend(
            legend, self.plan, self.layout.bottom + 30, self.width - MARGIN
        )
        height = self.bottom - self.top
        self.svg.rect("card", 0.5, self.top + 0.5, self.width - 1, height - 1, radius=10)
        self._titles()
        for box in self.layout.boxes:
            self._box(box)
        for column in self.plan.columns:
            self._lane(column)
        for column in self.plan.columns:
            self._header(column)
        self._rows()
        for step in self.plan.steps:
            self._step(step)
        self.svg.append(legend)

    def _titles(self) -> None:
        room = self.width - 2 * MARGIN
        title = f"@{self.plan.name}"
        self.svg.text("title", MARGIN, self.top + 38, fitted(title, room, 19), title=title)
        for line, text in enumerate(self.subtitle):
            self.svg.text("subtitle", MARGIN, self.top + 58 + 17 * line, text)

    def _box(self, box: Box) -> None:
        svg, span, label = self.svg, box.span, box.group.label
        is_loop = box.group.kind.is_loop
        svg.rect(
            "loop" if is_loop else "branch",
            span.left,
            box.top,
            span.width,
            box.bottom - box.top,
            radius=9,
            title=label,
        )
        x = span.left + 9
        if is_loop:
            draw_loop_sign(svg, x + 5, box.top + STRIP / 2 + 1)
            x += 15
            self._back_edge(box)
        text = fitted(label, span.right - x - 4, LABEL_SIZE)
        if text == label or len(text) > 2:
            svg.text("label", x, box.top + STRIP / 2 + 5, text, title=label)

    def _back_edge(self, box: Box) -> None:
        """An arrow head on the lower edge: from the end back to the beginning."""
        x, y = box.span.middle, box.bottom
        size = 4.0 if self.layout.scale.has_letters else 3.0
        self.svg.path("arrow", "M", x - size, y, "l", size * 2, -size, "v", size * 2, "z")

    def _lane(self, column: Column) -> None:
        layout, svg = self.layout, self.svg
        span = layout.spans[column.step]
        top, bottom = layout.lanes_top, layout.lanes_bottom
        kind = "lane" if layout.scale.lane > 10 else "thin-lane"
        about = _about(column)
        svg.rect(kind, span.left, top, span.width, bottom - top, radius=6, title=about)

    def _header(self, column: Column) -> None:
        layout, svg = self.layout, self.svg
        span = layout.spans[column.step]
        if layout.scale.has_words:
            self._words(column, span)
            return
        y = layout.rows_top - 8
        if not layout.scale.has_letters:
            if column.index % 10 == 0:
                svg.text("number", span.middle, y, str(column.index))
            return
        name = fitted(layout.short_name(column), span.width, 10)
        svg.text("number", span.middle, y, name, title=f"@{column.segment}")
        label = fitted(column.label, y - 26 - layout.lanes_top, NOTE_SIZE)
        svg.text("note", span.middle + 4, y - 16, label, up=True, title=column.label)

    def _words(self, column: Column, span: Span) -> None:
        layout, svg = self.layout, self.svg
        x, y = span.left + 9, layout.lanes_top + 20
        room = span.width - 18
        if column.place is not None:
            line = f"line {column.place.line}"
            svg.text("faint end", span.right - 9, y - 0.5, line)
            room -= text_width(line, NOTE_SIZE)
        name = fitted(layout.short_name(column), room, NAME_SIZE)
        svg.text("segment", x, y, name, title=f"@{column.segment}")
        for line in layout.header(column):
            y += 14
            svg.text("note", x, y, line, title=column.label)

    def _rows(self) -> None:
        layout, svg = self.layout, self.svg
        for index, (row, y) in enumerate(zip(self.plan.rows, layout.row_y)):
            is_first = index == 0 or self.plan.rows[index - 1].scope is None
            if row.scope is not None and is_first:
                caption = y - layout.scale.row / 2 - 5
                svg.text("caption", layout.names.left, caption, "SCRATCH")
            room = layout.names.width - layout.notes_width - 12
            name = fitted(row.name, room, NAME_SIZE)
            kind = "name" if row.scope is None else "kept"
            svg.text(kind, layout.names.left, y + 4.5, name, title=row.name)
            svg.text("about", layout.names.right, y + 4, row.about)
            svg.path("line", "M", layout.names.right + 12, y, "H", layout.right)
            if row.scope is not None:
                self._lives(index, y)

    def _lives(self, row: int, y: float) -> None:
        """Bands from where scratch is written to where it is last read."""
        height = self.layout.scale.row - 8
        name = self.plan.rows[row].keeps or self.plan.rows[row].name
        for start, end in lives(self.plan, row):
            first, last = self.layout.spans[int(start)], self.layout.spans[ceil(end) - 1]
            left = first.left if start.is_integer() else first.middle
            right = last.right if end.is_integer() else last.middle
            self.svg.rect(
                "life", left, y - height / 2, right - left, height, radius=6, title=name
            )

    def _step(self, step: Step) -> None:
        layout = self.layout
        span = layout.spans[step.step]
        if isinstance(step, ReadBack):
            self._read_back(step, span)
            return
        self._in_turn(step, span)
        for row, access in enumerate(step.accesses):
            if access:
                what = f'@{step.segment} {_verbs(access)} "{self.plan.rows[row].name}"'
                draw_access(self.svg, access, span, layout.row_y[row], layout.scale, what)

    def _in_turn(self, column: Column, span: Span) -> None:
        """Lines between the buffers that an argument stands for in turn."""
        reads = [argument for argument in column.in_turn if argument.access.reads]
        others = [argument for argument in column.in_turn if argument not in reads]
        for kind, arguments, part in (("read", reads, 0.25), ("write", others, 0.75)):
            for number, argument in enumerate(arguments):
                aside = (number + 1) / (len(arguments) + 1) - 0.5
                x = span.left + span.width * (part + aside * 0.4)
                self._joined(f"{kind}-turn", x, argument)

    def _joined(self, kind: str, x: float, argument: InTurn) -> None:
        """A line with a dot at each buffer that it joins; it passes behind others."""
        svg, scale = self.svg, self.layout.scale
        ys = [self.layout.row_y[row] for row in argument.rows]
        svg.path(kind, "M", x, min(ys), "V", max(ys), title=f"%{argument.name}")
        if scale.has_letters:
            edge = scale.row / 2 - 3.5
            for upper, lower in pairwise(sorted(ys)):
                svg.dot(f"{kind}-dot", x, upper + edge, 1.8)
                svg.dot(f"{kind}-dot", x, lower - edge, 1.8)

    def _read_back(self, step: ReadBack, span: Span) -> None:
        layout, svg = self.layout, self.svg
        rows = [row for row, access in enumerate(step.accesses) if access]
        lowest = max((layout.row_y[row] for row in rows), default=layout.rows_top)
        what = f"the host reads {step.element}"
        top = layout.lanes_top + 2
        svg.path("stem", "M", span.middle, lowest, "V", top, title=what)
        for row in rows:
            draw_diamond(svg, span.middle, layout.row_y[row], layout.scale.slot, what)
        if layout.scale.has_letters and step.name:
            room = layout.rows_top - top - 6
            text = fitted(f"%{step.name}", room, NOTE_SIZE)
            svg.text("stemtext", span.middle - 6, layout.rows_top - 4, text, up=True)


def _about(column: Column) -> str:
    parts = [f"@{column.segment}", column.label, str(column.place or "")]
    return ", ".join(filter(None, parts))


def _verbs(access: Access) -> str:
    verbs = ["reads"] * access.reads + ["writes"] * access.writes
    verbs += ["atomically updates"] * access.updates
    return " and ".join(verbs) + (", in turn," if access.in_turn else "")
