"""
`-t vyre-explain`: what crosses the cuts of a program, and what becomes of it.

```text
program @shift: 2 runs
  run 0   shift.mlir:5
  run 1   shift.mlir:8

  value  type   from   to  way             why
  %x     f32    run 0  1   per_invocation  "a" is written in run 1
  %k     index  run 0  1   recomputed      3 operations, cheaper than to keep it
```
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.utils.target import Target

from vyre.analysis.buffer_sources import is_memref, is_workgroup_memory
from vyre.analysis.crossing import Crossing
from vyre.analysis.foreign import refuse_foreign_in
from vyre.analysis.host_values import Way
from vyre.analysis.keeping import is_leaf
from vyre.analysis.positions import Role
from vyre.analysis.purity import is_pure
from vyre.analysis.recomputation import is_exact
from vyre.analysis.spine import Run, needs_cut
from vyre.analysis.uniformity import Level
from vyre.analysis.variables import Variable
from vyre.analysis.workgroup_liveness import surviving_workgroup_memory
from vyre.diagnostics import invalid
from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre import AtomicCasOp, AtomicOp, BufferOp, LoadOp, ProgramOp
from vyre.locations import place_of
from vyre.passes.hoist_grid_sync import HoistGridSyncPass
from vyre.passes.predicate_returns import PredicateReturnsPass
from vyre.passes.promote_lets import PromoteLetsPass
from vyre.passes.propagate_lets import planned_crossing

_SCOPES = {
    Level.GRID: ("single", "the same in the whole grid"),
    Level.WORKGROUP: ("per_workgroup", "the same in its workgroup"),
    Level.INVOCATION: ("per_invocation", ""),
}


@dataclass(frozen=True)
class ExplainTarget(Target):
    """Says for each crossing value what was chosen and why."""

    name = "vyre-explain"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        refuse_foreign_in(module)
        for program in module.walk():
            if isinstance(program, ProgramOp):
                print(crossing_values(program), file=output)


def crossing_values(program: ProgramOp) -> str:
    """
    What crosses the grid barriers of a program, and what becomes of it.

    Example: `print(crossing_values(program))`
    """
    copy = ModuleOp([program.clone()])
    for step in (PromoteLetsPass(), PredicateReturnsPass(), HoistGridSyncPass()):
        step.apply(Context(), copy)
    (prepared,) = (op for op in copy.ops if isinstance(op, ProgramOp))
    return explanation(prepared)


def explanation(program: ProgramOp) -> str:
    """
    What crosses in a program that `vyre-hoist-grid-sync` has prepared. The program gets
    further barriers.

    Example: `print(explanation(program))`
    """
    name = program.sym_name.data
    if not needs_cut(program):
        return f"program @{name}: no grid barrier, nothing to split\n"
    try:
        crossing = planned_crossing(program)
    except Refusal as refusal:
        raise invalid(program, refusal) from None
    runs = [run for run in crossing.spine.runs if run.ops]
    lines = [f"program @{name}: {len(runs)} runs", *map(_run_line, runs), ""]
    rows = [("value", "type", "from", "to", "way", "why"), *_rows(crossing)]
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths)]
        lines.append("  " + "  ".join((*cells, row[5])).rstrip())
    if len(rows) == 1:
        lines[-1] = "  nothing crosses"
    return "\n".join(lines) + "\n"


def _run_line(run: Run) -> str:
    place = place_of(run.ops[0])
    where = "" if place is None else f"{place.file}:{place.line}"
    depth = 0 if run.loop is None else run.loop.depth
    around = f", in {depth} loop{'s' * (depth > 1)}" if depth else ""
    return f"  run {run.index:<4}{where}{around}"


Row = tuple[str, str, str, str, str, str]


def _rows(crossing: Crossing) -> Iterator[Row]:
    for value, runs in _crossing_values(crossing).items():
        way, why = _choice(crossing, value, runs)
        home = crossing.spine.home(value)
        origin = "" if home is None else f"run {home.index}"
        names = ", ".join(map(str, runs))
        yield _name(value), str(value.type), origin, names, way, why
    yield from _saved_rows(crossing)


def _crossing_values(crossing: Crossing) -> dict[SSAValue, list[int]]:
    """Values that runs use and other runs compute, or holders pass on; no constants."""
    found: dict[SSAValue, list[int]] = {}
    for run, uses in enumerate(crossing.uses):
        written = [v for w in crossing.variables for v, r in w.writes if r == run]
        for value in dict.fromkeys((*map(crossing.origin, uses), *written)):
            home = crossing.spine.home(value)
            if (home is None or home.index != run) and not is_leaf(value):
                found.setdefault(value, []).append(run)
    return found


def _saved_rows(crossing: Crossing) -> Iterator[Row]:
    survival = surviving_workgroup_memory(crossing.spine, crossing.sources, crossing.facts)
    buffers = dict.fromkeys(b for saves in survival.saves for b in saves)
    for buffer in buffers:
        saved = [
            f"run {run}" for run, saves in enumerate(survival.saves) if buffer in saves
        ]
        restored = [str(run) for run, b in enumerate(survival.restores) if buffer in b]
        yield (
            _name(buffer.memref),
            str(buffer.type),
            ", ".join(saved),
            ", ".join(restored),
            "saved",
            "workgroup memory does not outlive a launch, and is read later",
        )


def _choice(crossing: Crossing, value: SSAValue, runs: list[int]) -> tuple[str, str]:
    host = crossing.host
    if host.passes(value):
        way = host.ways.get(value, Way.HAS)
        return "parameter", f"the host {way.value}"
    variable = crossing.variable_of.get(value)
    if variable is not None and value not in crossing.kept:
        return _scope(variable.level, _carried(variable))
    kept = crossing.kept.get(value)
    if kept is not None:
        return _scope(kept.level, _why_kept(crossing, value))
    return "recomputed", f"{_operations(crossing, value)}, cheaper than to keep it"


def _scope(level: Level, why: str) -> tuple[str, str]:
    scope, because = _SCOPES[level]
    return scope, f"{because}; {why}" if because else why


def _carried(variable: Variable) -> str:
    verb = "gives" if variable.position.role is Role.CHOSEN else "carries"
    runs = ", ".join(str(run) for run in dict.fromkeys(r for _, r in variable.writes))
    return f"'{variable.position.holder.name}' {verb} it; written in run {runs}"


def _operations(crossing: Crossing, value: SSAValue) -> str:
    """How many operations it takes to compute a value again from what is kept."""
    pending, seen = [value], {value}
    loads = 0
    for current in pending:
        assert isinstance(current.owner, Operation)
        loads += isinstance(current.owner, LoadOp)
        for operand in map(crossing.origin, current.owner.operands):
            known = operand in seen or operand in crossing.kept
            if known or operand in crossing.variable_of or crossing.host.passes(operand):
                continue
            if isinstance(operand.owner, Operation):
                seen.add(operand)
                pending.append(operand)
    count = f"{len(pending)} operation{'s' * (len(pending) > 1)}"
    return count + (f", {loads} of them loads" if loads else "")


def _why_kept(crossing: Crossing, value: SSAValue) -> str:
    owner = value.owner
    if value in crossing.variable_of:
        return "needed after the loop has carried the next one"
    if value in crossing.passed_on:
        return "passed on by the test of a loop"
    assert isinstance(owner, Operation)
    if any(is_memref(o) and crossing.spine.is_local(o) for o in owner.operands):
        return "only its run has the buffer"
    match owner:
        case AtomicOp() | AtomicCasOp():
            return "an atomic is executed once"
        case LoadOp():
            return _why_not_loaded_again(crossing, owner)
        case _:
            if owner.regions:
                return f"the result of '{owner.name}' is not computed again"
            if is_pure(owner) and not is_exact(owner):
                return f"'{owner.name}' may differ in its last places elsewhere"
            return "cheaper than to compute it again"


def _why_not_loaded_again(crossing: Crossing, op: LoadOp) -> str:
    sources = crossing.sources.get(op.buffer, ())
    if any(map(is_workgroup_memory, sources)):
        return "loaded from workgroup memory"
    home = crossing.home_of(op.value)
    last = len(crossing.spine.runs) - 1
    for source in sources:
        run = crossing.writers.first_write(source, home, last)
        if run is not None and isinstance(source, BufferOp):
            return f'"{source.entry_name.data}" is written in run {run}'
    return "cheaper than to load it again"


def _name(value: SSAValue) -> str:
    return f"%{value.name_hint}" if value.name_hint else "(no name)"
