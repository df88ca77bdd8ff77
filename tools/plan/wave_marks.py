"""Memory in the picture of a megakernel's plan: its parts, their colours, their numbers."""

from dataclasses import dataclass

from vyre.analysis.frontier import SCRATCH_COPIES
from vyre.tools.plan.layout import Span
from vyre.tools.plan.marks import Look
from vyre.tools.plan.svg import Svg
from vyre.tools.plan.wave_plan import WaveGroup, WavePlan

WAVE_LOOK = Look(
    light={
        "room": "fill:#e1e6ed",
        "graph": "fill:#a9b4c2",
        "frontier": "fill:#2f7fd6",
        "scratch": "fill:#2da46f",
        "output": "fill:#d9600f",
        "budget": "stroke:#c6303e",
        "budget-text": "fill:#b32734",
        "grid-barrier": "stroke:#8c9bad",
        "wave": "fill:#ffffff;stroke:#d1d9e0",
    },
    dark={
        "room": "fill:#262d37",
        "graph": "fill:#5b6675",
        "frontier": "fill:#4493f8",
        "scratch": "fill:#3fb27f",
        "output": "fill:#e07a2e",
        "budget": "stroke:#f4707b",
        "budget-text": "fill:#f4707b",
        "grid-barrier": "stroke:#5b6675",
        "wave": "fill:#12171f;stroke:#30363d",
    },
    fixed="""\
.wave{stroke-width:1}
.budget{stroke-width:1.5;stroke-dasharray:4 3;fill:none}
.budget-text{font-size:10.5px;font-weight:500;text-anchor:middle}
.grid-barrier{stroke-width:1.6;stroke-dasharray:7 4;fill:none}
.figure{font-size:11.5px;text-anchor:end}
.heading{font-size:9px;font-weight:600;letter-spacing:.06em}
.right{text-anchor:end}""",
)
"""What is in these pictures only."""

PARTS = {
    "graph": "resident graph",
    "frontier": "frontier",
    "scratch": f"scratch, counted {SCRATCH_COPIES} times",
    "output": "output",
}
"""The parts of a bar, from left to right, and what they are called."""

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def bytes_text(count: int) -> str:
    """
    Bytes for people.

    Example: `bytes_text(150_000)` is `"146.5 KiB"`.
    """
    unit = max(0, min((count.bit_length() - 1) // 10, len(_UNITS) - 1))
    value = count / 1024**unit
    return f"{value:.0f} {_UNITS[unit]}" if not unit else f"{value:.1f} {_UNITS[unit]}"


def parts_of(plan: WavePlan, group: WaveGroup) -> dict[str, int]:
    """What each part of a group's bar stands for, in bytes."""
    planned = group.bytes
    assert planned is not None
    frontier, scratch, output = planned
    return {
        "graph": plan.graph,
        "frontier": frontier,
        "scratch": SCRATCH_COPIES * scratch,
        "output": output,
    }


@dataclass(frozen=True)
class MemoryScale:
    """Where bytes are on the axis of memory."""

    span: Span
    most: int

    def width(self, count: int) -> float:
        """How long a number of bytes is."""
        return self.span.width * count / max(self.most, 1)

    def draw_bar(self, svg: Svg, parts: dict[str, int], y: float, height: float) -> None:
        """Parts side by side; what is there at all can be seen."""
        svg.rect("room", self.span.left, y, self.span.width, height, radius=3)
        x = self.span.left
        for kind, count in parts.items():
            if count:
                title = f"{PARTS[kind]}: {count} B"
                svg.rect(kind, x, y, max(self.width(count), 0.6), height, title=title)
                x += self.width(count)
