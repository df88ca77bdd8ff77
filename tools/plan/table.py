"""
`-t vyre-plan`: a plan as text for a terminal.

```text
@smooth: 2 launches; scratch: 4 B per invocation; smooth.mlir

  for %k in 0 to %rounds
    0  @smooth.0  line 12
    1  @smooth.1  line 18

                                             0  1
                                            [----]
  a          read_write  ?xf32               r  w
  mean_kept  scratch     4 B per invocation  w  r

  r reads, w writes, [] loop
```

Plans with many steps are shown without their middle, and the table goes on below where the
terminal ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from vyre.analysis.foreign import refuse_foreign_in
from vyre.tools.plan.model import Plan, plans_in
from vyre.tools.plan.parts import Column, Group, GroupKind, Node, ReadBack, Row, Step
from vyre.tools.plan.text import WIDTH, plain
from vyre.tools.plan.wave_plan import wave_plans_in
from vyre.tools.plan.wave_table import wave_table

_FIRST, _LAST = 32, 16
"""Steps that are shown of a plan that has more."""

_GAP = "  "


@dataclass(frozen=True)
class PlanTarget(Target):
    """
    Says what is launched and what each launch does with each buffer; of a megakernel, which
    waves run together.
    """

    name = "vyre-plan"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        refuse_foreign_in(module)
        tables = [plan_table(plan) for plan in plans_in(module)]
        tables += [wave_table(plan) for plan in wave_plans_in(module)]
        output.write("\n".join(tables))


def plan_table(plan: Plan) -> str:
    """
    The order of launches, and a table of what each does with each buffer, in ASCII.

    Example: `print(plan_table(Plan.of(schedule)))`
    """
    shown = _shown(plan.steps)
    key = ", ".join(_key(plan))
    files = _files(plan)
    title = f"@{plain(plan.name)}: {plan.summary}"
    blocks = [
        [f"{title}; {plain(files[0])}" if len(files) == 1 else title],
        _Outline(plan, shown).lines(),
        *_matrix(plan, shown),
        [_GAP + key] if key else [],
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _files(plan: Plan) -> list[str]:
    """The files that the plan's places are in."""
    return list(dict.fromkeys(step.place.file for step in plan.steps if step.place))


def _shown(steps: Sequence[Step]) -> list[Step | None]:
    """The steps that are shown, with None for those that are left out."""
    if len(steps) <= _FIRST + _LAST:
        return list(steps)
    return [*steps[:_FIRST], None, *steps[-_LAST:]]


# The order of launches.


@dataclass(frozen=True)
class _Line:
    """A line of the outline: what comes first, and what stands below each other."""

    start: str
    label: str = ""
    place: str = ""


class _Outline:
    """The order of the host, loops and branches by indentation."""

    def __init__(self, plan: Plan, shown: Sequence[Step | None]):
        self.plan = plan
        self.shown = {step.step for step in shown if step is not None}
        self.digits = len(str(max(len(plan.columns) - 1, 0)))
        self.one_file = len(_files(plan)) == 1

    def lines(self) -> list[str]:
        lines = list(self._lines(self.plan.body, _GAP))
        aligned = [line for line in lines if line.label or line.place]
        starts = max((len(line.start) for line in aligned), default=0)
        labels = max((len(line.label) for line in lines), default=0)
        text: list[str] = []
        for line in lines:
            label = f"{_GAP}{line.label:<{labels}}" if labels else ""
            text.append(f"{line.start:<{starts}}{label}{_GAP}{line.place}".rstrip())
        return text

    def _lines(self, nodes: Iterable[Node], indent: str) -> Iterator[_Line]:
        left_out = 0
        for node in nodes:
            steps = node.steps if isinstance(node, Group) else [node]
            if self.shown.isdisjoint(step.step for step in steps):
                left_out += len(steps)
                continue
            yield from _left_out(left_out, indent)
            left_out = 0
            if isinstance(node, Group):
                yield _Line(indent + plain(node.label))
                yield from self._lines(node.body, indent + _GAP)
            else:
                yield from self._step_lines(node, indent)
        yield from _left_out(left_out, indent)

    def _step_lines(self, step: Step, indent: str) -> Iterator[_Line]:
        place = self._place(step)
        if isinstance(step, ReadBack):
            name = f"%{step.name} = " if step.name else ""
            text = plain(f"reads {name}{step.element}")
            yield _Line(f"{indent}{'h':>{self.digits}}  {text}", place=place)
            return
        start = f"{indent}{step.index:>{self.digits}}  "
        yield _Line(start + plain(f"@{step.segment}", 40), plain(step.label), place)
        for argument in step.in_turn:
            names = " or ".join(self.plan.rows[row].name for row in argument.rows)
            name = f"%{argument.name}" if argument.name else "an argument"
            yield _Line(" " * len(start) + plain(f"{name} is {names}"))

    def _place(self, step: Step) -> str:
        if step.place is None:
            return ""
        if self.one_file:
            return f"line {step.place.line}"
        return f"{plain(step.place.file)}:{step.place.line}"


def _left_out(count: int, indent: str) -> Iterator[_Line]:
    if count:
        yield _Line(f"{indent}... {count} more")


# The table.


@dataclass(frozen=True)
class _Cells:
    """A column of the table: its head, and a cell for each row."""

    step: Step | None
    head: str
    cells: list[str]
    start: int = 0

    @property
    def width(self) -> int:
        return max(len(self.head), *map(len, self.cells), 1)


def _matrix(plan: Plan, shown: Sequence[Step | None]) -> Iterator[list[str]]:
    """Blocks of lines, each no wider than a terminal."""
    names = _row_names(plan.rows)
    margin = len(names[0]) if names else 0
    block: list[_Cells] = []
    start = margin + 2
    for step in shown:
        cells = _cells(step, len(plan.rows))
        if block and start + cells.width > WIDTH:
            yield _block(plan, names, margin, block)
            block, start = [], margin + 2
        block.append(_Cells(cells.step, cells.head, cells.cells, start))
        start += cells.width + len(_GAP)
    if names and block:
        yield _block(plan, names, margin, block)


def _cells(step: Step | None, rows: int) -> _Cells:
    if step is None:
        return _Cells(step, "...", ["..."] * rows)
    head = str(step.index) if isinstance(step, Column) else "h"
    return _Cells(step, head, [str(access) for access in step.accesses])


def _row_names(rows: Sequence[Row]) -> list[str]:
    """Name, access and type of each row, one below the other."""
    texts = [
        (
            plain(row.name, 32),
            str(row.access or "scratch"),
            row.about + (" output" if row.output else ""),
        )
        for row in rows
    ]
    widths = [max((len(text[part]) for text in texts), default=0) for part in range(3)]
    return [
        _GAP + _GAP.join(f"{part:<{width}}" for part, width in zip(text, widths))
        for text in texts
    ]


def _block(
    plan: Plan, names: Sequence[str], margin: int, block: Sequence[_Cells]
) -> list[str]:
    lines = [" " * margin + _placed(block, [cells.head for cells in block])[margin:]]
    lines += _brackets(plan, block)
    for row, name in enumerate(names):
        texts = [cells.cells[row] for cells in block]
        lines.append(name + _placed(block, texts)[margin:])
    return [line.rstrip() for line in lines]


def _placed(block: Sequence[_Cells], texts: Sequence[str]) -> str:
    line = ""
    for cells, text in zip(block, texts):
        line = line.ljust(cells.start) + text
    return line


def _brackets(plan: Plan, block: Sequence[_Cells]) -> list[str]:
    """A line for each level of loops and branches, over the columns that they hold."""
    height = max((node.height for node in plan.body if isinstance(node, Group)), default=0)
    lines = [""] * height
    _draw_brackets(plan.body, block, lines, 0)
    return [line for line in lines if line]


def _draw_brackets(
    nodes: Iterable[Node], block: Sequence[_Cells], lines: list[str], level: int
) -> None:
    for node in nodes:
        if not isinstance(node, Group):
            continue
        steps = node.steps
        first, last = steps[0].step, steps[-1].step
        inside = [c for c in block if c.step is None or first <= c.step.step <= last]
        held = [c for c in inside if c.step is not None]
        if held:
            opening, closing = ("[", "]") if node.kind.is_loop else ("(", ")")
            left = opening if _step(held[0]) == first else "-"
            right = closing if _step(held[-1]) == last else "-"
            start, end = held[0].start - 1, held[-1].start + held[-1].width
            lines[level] = lines[level].ljust(start) + left
            lines[level] += "-" * (end - start - 1) + right
        _draw_brackets(node.body, block, lines, level + 1)


def _step(cells: _Cells) -> int:
    assert cells.step is not None
    return cells.step.step


def _key(plan: Plan) -> Iterator[str]:
    """What the signs mean that occur."""
    accesses = [access for step in plan.steps for access in step.accesses]
    if any(access.reads for access in accesses):
        yield "r reads"
    if any(access.writes for access in accesses):
        yield "w writes"
    if any(access.updates for access in accesses):
        yield "a atomics"
    if any(access.in_turn for access in accesses):
        yield "? one of these in turn"
    if plan.read_backs:
        yield "h the host"
    kinds = {group.kind for group in plan.groups}
    if any(kind.is_loop for kind in kinds):
        yield "[] loop"
    if kinds & {GroupKind.IF, GroupKind.ELSE}:
        yield "() branch"
    if GroupKind.TEST in kinds:
        yield "() test and body of a loop"
