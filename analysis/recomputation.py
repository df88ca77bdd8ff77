"""
Which values can be computed again later, and at what cost.

A value may be recomputed in another run if that gives the same bits: its operation is pure
and exact (functions of `math` that are not exactly rounded may be computed differently from
one place to the next), or it is a load from a buffer of the grid that nothing writes from
the run of the load to the end of the value's life, both included. Either way the other run
must be able to name its buffer, if it has one. Atomics, and loads from workgroup memory,
are never executed again.

Costs are in units of half a byte of memory traffic of one invocation. To store or load a
value takes two units for each byte, and at least eight, if each invocation has its own, and
four if a workgroup or the grid shares one; to load an element of a buffer takes two units
for each byte, and at least eight. Another operation takes one unit, a division or root
eight. Everything counts as often as its run is executed, which is taken to be eight times
for each loop around it, up to four loops.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping

from xdsl.dialects import arith, math
from xdsl.ir import Operation, SSAValue

from vyre.analysis.buffer_sources import Declaration, is_workgroup_memory
from vyre.analysis.phases import written_buffers
from vyre.analysis.purity import EXACT_MATH, PURE_OPS, is_known, is_pure
from vyre.analysis.spine import Run, Spine
from vyre.analysis.uniformity import Level
from vyre.dialects.vyre import LoadOp
from vyre.dialects.vyre.attributes import byte_width, is_scalar

_SLOW = (
    arith.DivUIOp,
    arith.DivSIOp,
    arith.FloorDivSIOp,
    arith.CeilDivSIOp,
    arith.CeilDivUIOp,
    arith.RemUIOp,
    arith.RemSIOp,
    arith.DivfOp,
    math.SqrtOp,
    math.FmaOp,
    math.IPowIOp,
)

Sources = Mapping[SSAValue, tuple[Declaration, ...]]


def is_exact(op: Operation) -> bool:
    """Whether the operation is pure and gives the same bits wherever it is computed."""
    if type(op) in PURE_OPS:
        return type(op) in EXACT_MATH or op.dialect_name() != "math"
    return is_pure(op) and bool(op.results)


def operation_cost(op: Operation) -> int:
    """What it takes to execute the operation once."""
    if isinstance(op, LoadOp):
        return access_cost(op.value, Level.INVOCATION)
    return 8 if isinstance(op, _SLOW) else 1


def access_cost(value: SSAValue, level: Level) -> int:
    """What it takes to store or load the value once."""
    assert is_scalar(value.type)
    return 2 * max(4, byte_width(value.type)) if level is Level.INVOCATION else 4


def run_weight(run: Run) -> int:
    """How often a run is taken to be executed."""
    return 1 if run.loop is None else 8 ** min(run.loop.depth, 4)


class Writers:
    """Which runs write which buffers."""

    def __init__(self, spine: Spine, sources: Sources):
        self._spine = spine
        self._sources = sources
        self._runs: defaultdict[Declaration, list[int]] = defaultdict(list)
        declarations = {found: None for behind in sources.values() for found in behind}
        for run in spine.runs:
            for op in run.walk():
                if type(op) in PURE_OPS:
                    continue
                written = written_buffers(op, sources) if is_known(op) else declarations
                for declaration in written:
                    runs = self._runs[declaration]
                    if not runs or runs[-1] != run.index:
                        runs.append(run.index)

    def may_reload(self, op: LoadOp, first: int, last: int) -> bool:
        """Whether a load in run `first` can be done in any run up to `last`, alike."""
        return not self._spine.is_local(op.buffer) and not any(
            is_workgroup_memory(declaration)
            or self.first_write(declaration, first, last) is not None
            for declaration in self._sources.get(op.buffer, ())
        )

    def first_write(self, declaration: Declaration, first: int, last: int) -> int | None:
        """The first run of a range that writes a buffer, if any does."""
        runs = self._runs[declaration]
        at = bisect_left(runs, first)
        return runs[at] if at < len(runs) and runs[at] <= last else None
