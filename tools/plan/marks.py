"""The signs in a plan's picture, and their colours on light and dark pages."""

from dataclasses import dataclass

from vyre.tools.plan.layout import Scale, Span
from vyre.tools.plan.parts import Access
from vyre.tools.plan.svg import Svg

_LIGHT = {
    "card": "fill:#ffffff;stroke:#d1d9e0",
    "title": "fill:#1f2328",
    "subtitle": "fill:#59636e",
    "lane": "fill:#ffffff;stroke:#d1d9e0",
    "thin-lane": "fill:#f3f5f8",
    "loop": "fill:#6e7f96;fill-opacity:.10;stroke:#8c9bad",
    "branch": "fill:#6e7f96;fill-opacity:.06;stroke:#8c9bad",
    "arrow": "fill:#8c9bad",
    "sign": "stroke:#57657a",
    "label": "fill:#3d4a5c",
    "segment": "fill:#1f2328",
    "note": "fill:#59636e",
    "number": "fill:#59636e",
    "faint": "fill:#818b98",
    "name": "fill:#1f2328",
    "kept": "fill:#1b6b4a",
    "about": "fill:#818b98",
    "caption": "fill:#1b6b4a",
    "line": "stroke:#d9dfe6",
    "life": "fill:#cdebdc",
    "read": "fill:#e6f1fd;stroke:#2f7fd6",
    "read-text": "fill:#1a62b0",
    "write": "fill:#d9600f;stroke:#d9600f",
    "write-text": "fill:#ffffff",
    "atomic": "fill:#8250df;stroke:#8250df",
    "atomic-text": "fill:#ffffff",
    "read-turn-text": "fill:#1a62b0",
    "read-turn-dot": "fill:#2f7fd6",
    "write-turn-dot": "fill:#d9600f",
    "read-turn": "fill:#f5faff;stroke:#2f7fd6",
    "write-turn": "fill:#fdebdf;stroke:#d9600f",
    "write-turn-text": "fill:#b04c08",
    "atomic-turn": "fill:#f1eafd;stroke:#8250df",
    "atomic-turn-text": "fill:#6a3cc4",
    "host": "fill:#1f2328;stroke:#ffffff",
    "stem": "stroke:#59636e",
    "stemtext": "fill:#3d4a5c",
}
_DARK = {
    "card": "fill:#0d1117;stroke:#30363d",
    "title": "fill:#f0f6fc",
    "subtitle": "fill:#9198a1",
    "lane": "fill:#12171f;stroke:#30363d",
    "thin-lane": "fill:#161c25",
    "loop": "fill:#8b9db5;fill-opacity:.11;stroke:#5b6675",
    "branch": "fill:#8b9db5;fill-opacity:.06;stroke:#5b6675",
    "arrow": "fill:#5b6675",
    "sign": "stroke:#9aa7b8",
    "label": "fill:#c3ccd6",
    "segment": "fill:#f0f6fc",
    "note": "fill:#9198a1",
    "number": "fill:#9198a1",
    "faint": "fill:#6e7681",
    "name": "fill:#e6edf3",
    "kept": "fill:#6fcf9f",
    "about": "fill:#7d8590",
    "caption": "fill:#6fcf9f",
    "line": "stroke:#262c36",
    "life": "fill:#1d4734",
    "read": "fill:#10233c;stroke:#4493f8",
    "read-text": "fill:#79b8ff",
    "write": "fill:#e07a2e;stroke:#e07a2e",
    "write-text": "fill:#14100c",
    "atomic": "fill:#a978f5;stroke:#a978f5",
    "atomic-text": "fill:#120d1a",
    "read-turn-text": "fill:#79b8ff",
    "read-turn-dot": "fill:#4493f8",
    "write-turn-dot": "fill:#e07a2e",
    "read-turn": "fill:#0f1a29;stroke:#4493f8",
    "write-turn": "fill:#2e1c0e;stroke:#e07a2e",
    "write-turn-text": "fill:#f0a066",
    "atomic-turn": "fill:#20163a;stroke:#a978f5",
    "atomic-turn-text": "fill:#c7a6fb",
    "host": "fill:#e6edf3;stroke:#0d1117",
    "stem": "stroke:#7d8590",
    "stemtext": "fill:#c3ccd6",
}
_FIXED = """\
.title{font-size:19px;font-weight:600}
.subtitle{font-size:12px}
.loop,.lane,.card,.read,.write,.atomic{stroke-width:1}
.branch{stroke-width:1;stroke-dasharray:4 3}
.sign{fill:none;stroke-width:1.4;stroke-linecap:round;stroke-linejoin:round}
.label{font-size:11px;font-weight:500}
.segment{font-size:13px;font-weight:600}
.note,.stemtext{font-size:10.5px}
.faint{font-size:10px}
.number{font-size:10px;text-anchor:middle}
.name,.kept{font-size:13px}
.about{font-size:10.5px;text-anchor:end}
.caption{font-size:9px;font-weight:600;letter-spacing:.09em}
.line,.stem{stroke-width:1;fill:none}
.stem{stroke-dasharray:1.5 2.5}
.read-turn,.write-turn,.atomic-turn{stroke-dasharray:2.5 2}
.word{font-size:10px;font-weight:500;text-anchor:middle}
.host{stroke-width:1.5}
.faint.end{text-anchor:end}"""

SCOPE = "vyre-plan"
"""The class of the whole picture."""

_LETTERS = {"read": "r", "write": "w", "atomic": "a"}


@dataclass(frozen=True)
class Look:
    """Rules for classes: on light pages, on dark ones, and on both."""

    light: dict[str, str]
    dark: dict[str, str]
    fixed: str


_LOOK = Look(_LIGHT, _DARK, _FIXED)


def style(*more: Look) -> str:
    """The style sheet: colours for light pages, and for dark ones."""
    looks = (_LOOK, *more)
    fixed = [rule.split("{") for look in looks for rule in look.fixed.splitlines()]
    light = [f"{_scoped(names)}{{{rules}" for names, rules in fixed]
    light += [
        _coloured(name, rules) for look in looks for name, rules in look.light.items()
    ]
    dark = [_coloured(name, rules) for look in looks for name, rules in look.dark.items()]
    return "\n".join([*light, "@media (prefers-color-scheme:dark){", *dark, "}"])


def _coloured(name: str, rules: str) -> str:
    return f"{_scoped(f'.{name}')}{{{rules}}}"


def _scoped(names: str) -> str:
    """Selectors that leave a page alone into which the picture is copied."""
    return ",".join(f".{SCOPE} {name}" for name in names.split(","))


def draw_access(
    svg: Svg, access: Access, span: Span, y: float, scale: Scale, title: str
) -> None:
    """What a launch does with a row: reads at the left of its lane, others at the right."""
    kinds = ["read"] * access.reads + ["write"] * access.writes
    kinds += ["atomic"] * access.updates
    edge = 5.0 if scale.has_words else (2.5 if scale.has_letters else 0.6)
    between = 4.0 if scale.has_words else (1.5 if scale.has_letters else 0.4)
    parts = max(len(kinds), 2)
    width = (span.width - 2 * edge - between * (parts - 1)) / parts
    for place, kind in enumerate(kinds):
        if len(kinds) == 1 and kind != "read":
            place = 1
        x = span.left + edge + place * (width + between)
        draw_mark(svg, kind, Span(x, width), y, scale, title, access.in_turn)


def draw_mark(
    svg: Svg, kind: str, span: Span, y: float, scale: Scale, title: str, in_turn: bool
) -> None:
    """One of `read`, `write` and `atomic`, as a pill with as much text as fits."""
    height = scale.row - 10
    top = y - height / 2
    look = f"{kind}-turn" if in_turn else kind
    svg.rect(look, span.left, top, span.width, height, radius=5, title=title)
    if scale.has_letters:
        text = kind if scale.has_words else _LETTERS[kind]
        svg.text(f"word {look}-text", span.middle, y + 3.5, text, title=title)


def draw_diamond(svg: Svg, x: float, y: float, slot: float, title: str) -> None:
    """What the host reads."""
    r = min(slot / 2 - 1, 7.5)
    svg.path("host", "M", x - r, y, "l", r, -r, r, r, -r, r, "z", title=title)


def draw_loop_sign(svg: Svg, x: float, y: float) -> None:
    """A circle that is an arrow."""
    r = 4.2
    svg.path("sign", "M", x + r, y - 1, "A", r, r, "0 1 0", x + r - 0.8, y + 2.4)
    svg.path(
        "sign", "M", x + r + 1.2, y - 3.8, "L", x + r, y - 0.8, "L", x + r - 3, y - 1.6
    )
