"""
`-t vyre-plan` of a megakernel: which waves run together, as text for a terminal.

```text
@four: 4 waves in 3 groups: 2 grid barriers; budget 107 B, of which 7 B are resident

                frontier  scratch  output  needed
  layer 0: 3 waves in 2 groups
    0  2 waves        90        0      10     107  100%  a, c
    1  1 wave         50        5      10      87   81%  b
  layer 1: 1 wave
    2  1 wave         10        1       6      27   25%  sum

  packing   barriers  frontier  scratch  output  readback  widest
  best             2        90        5      10        10       2  taken
  in order         3        60        5      10        10       1
```

`needed` is what counts against the budget: what is resident, and of the group its frontier,
four times its scratch, and its output. Figures of packings are the most that a group needs.
"""

from collections.abc import Iterator, Sequence

from vyre.tools.plan.text import WIDTH, plain
from vyre.tools.plan.wave_plan import WaveGroup, WavePlan, counted

FIGURES = {
    "global_barriers": "barriers",
    "peak_frontier_bytes": "frontier",
    "peak_scratch_bytes": "scratch",
    "peak_output_bytes": "output",
    "amortized_readback_bytes": "readback",
    "max_group_width": "widest",
}
"""The figures of a plan that are shown, and what they are called."""


def wave_table(plan: WavePlan) -> str:
    """
    The groups of a plan with their memory and the names of their waves, in ASCII.

    Example: `print(wave_table(WavePlan.of(megakernel)))`
    """
    title = f"@{plain(plan.name)}: {plan.summary}"
    if plan.budget is not None:
        title += f"; budget {plan.budget} B, of which {plan.graph} B are resident"
    blocks = [[title], list(_groups(plan)), list(_packings(plan))]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def packings(plan: WavePlan) -> list[tuple[str, dict[str, int]]]:
    """
    The plans whose figures are known, by how they pack; the one that is taken comes first.

    Example: `[("best", {...}), ("in order", {...})]`
    """
    if plan.in_order:
        return [("best", plan.figures), ("in order", plan.in_order)]
    return [("in order" if plan.budget is not None else "no budget", plan.figures)]


def _groups(plan: WavePlan) -> Iterator[str]:
    rows = [_cells(plan, group) for group in plan.groups]
    if not rows:
        return
    head = ["", "", *(_HEAD if any(g.bytes is not None for g in plan.groups) else ())]
    if plan.budget:
        head.append("")
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    if any(head):
        yield _line(head, widths, "")
    after = iter(rows)
    for layer in plan.layers:
        yield f"  {layer.label}"
        for group in layer.groups:
            yield _line(next(after), widths, _names(group))


_HEAD = ("frontier", "scratch", "output", "needed")


def _cells(plan: WavePlan, group: WaveGroup) -> list[str]:
    cells = [str(group.number), counted(len(group.waves), "wave")]
    needed = plan.needed(group)
    if group.bytes is not None:
        cells += [*map(str, group.bytes), str(needed)]
    if plan.budget and needed is not None:
        cells.append(f"{100 * needed // plan.budget}%")
    return cells


def _line(cells: Sequence[str], widths: Sequence[int], names: str) -> str:
    """Numbers below each other, and as many names as fit."""
    number, waves, *others = (f"{cell:>{width}}" for cell, width in zip(cells, widths))
    start = "  ".join((f"    {number}", waves.strip().ljust(widths[1]), *others))
    room = WIDTH - len(start) - 2
    return f"{start}  {plain(names, max(room, 12))}".rstrip()


def _names(group: WaveGroup) -> str:
    return ", ".join(wave.name for wave in group.waves)


def _packings(plan: WavePlan) -> Iterator[str]:
    found = packings(plan)
    shown = [name for name in FIGURES if any(name in figures for _, figures in found)]
    rows = [["packing", *(FIGURES[name] for name in shown)]]
    rows += [[how, *(str(of.get(name, "")) for name in shown)] for how, of in found]
    widths = [max(map(len, column)) for column in zip(*rows)]
    for index, (how, *figures) in enumerate(rows):
        cells = [f"{cell:>{width}}" for cell, width in zip(figures, widths[1:])]
        taken = ["taken"] if index == 1 and len(rows) > 2 else []
        yield "  " + "  ".join((how.ljust(widths[0]), *cells, *taken)).rstrip()
