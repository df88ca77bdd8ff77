"""The legend of a plan's picture: only of what is in it."""

from collections.abc import Callable, Iterator

from vyre.tools.plan.layout import MARGIN, Scale, Span
from vyre.tools.plan.marks import draw_diamond, draw_loop_sign, draw_mark
from vyre.tools.plan.model import Plan
from vyre.tools.plan.parts import GroupKind
from vyre.tools.plan.svg import Svg, text_width

_SIZE = 10.5
_LINE = 22.0
_SIGN = 32.0
_SMALL = Scale(0, 0, 0, 14, 22)

Entry = tuple[str, Callable[[Svg, float, float], None]]


def draw_legend(svg: Svg, plan: Plan, top: float, right: float) -> float:
    """Draw the legend, on as many lines as it takes; return where it ends."""
    entries = list(_entries(plan))
    widths = [text_width(text, _SIZE) for text, _ in entries]
    pitch = _SIGN + max(widths, default=0)
    columns = max(int((right - MARGIN + _SIGN) // pitch), 1)
    for index, (text, draw) in enumerate(entries):
        x = MARGIN + index % columns * pitch
        y = top + index // columns * _LINE
        draw(svg, x, y)
        svg.text("note", x + _SIGN - 4, y + 3.5, text)
    return top + max(len(entries) - 1, 0) // columns * _LINE + MARGIN


def _entries(plan: Plan) -> Iterator[Entry]:
    accesses = [access for step in plan.columns for access in step.accesses]
    kinds = {
        "read": any(access.reads for access in accesses),
        "write": any(access.writes for access in accesses),
        "atomic": any(access.updates for access in accesses),
    }
    words = {"read": "reads", "write": "writes", "atomic": "atomic updates"}
    for kind, occurs in kinds.items():
        if occurs:
            yield words[kind], _mark(kind, False)
    if any(access.in_turn for access in accesses):
        yield "one of these in turn", _mark("write", True)
    if any(row.scope is not None for row in plan.rows):
        yield "scratch is needed", _band
    if plan.read_backs:
        yield "read by the host", _diamond
    groups = {group.kind for group in plan.groups}
    if any(kind.is_loop for kind in groups):
        yield "loop", _loop
    if groups & {GroupKind.IF, GroupKind.ELSE}:
        yield "branch", _branch
    if len(plan.columns) > 1:
        yield "gap: grid barrier", _gap


def _mark(kind: str, in_turn: bool) -> Callable[[Svg, float, float], None]:
    def draw(svg: Svg, x: float, y: float) -> None:
        draw_mark(svg, kind, Span(x, 22), y, _SMALL, "", in_turn)

    return draw


def _band(svg: Svg, x: float, y: float) -> None:
    svg.rect("life", x, y - 6, 22, 12, radius=5)


def _diamond(svg: Svg, x: float, y: float) -> None:
    draw_diamond(svg, x + 11, y, 15, "")


def _loop(svg: Svg, x: float, y: float) -> None:
    draw_loop_sign(svg, x + 11, y)


def _branch(svg: Svg, x: float, y: float) -> None:
    svg.rect("branch", x, y - 6, 22, 12, radius=4)


def _gap(svg: Svg, x: float, y: float) -> None:
    svg.rect("lane", x + 1, y - 6, 8, 12, radius=2)
    svg.rect("lane", x + 13, y - 6, 8, 12, radius=2)
