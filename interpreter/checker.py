"""
`--check`: is the program valid on this input?

The program runs once on the reference engine while every access is watched, and again
with invocations taking turns differently. Found are:

- *races*: two invocations access an element in one phase, at least one writes, not both by
  atomics, and no workgroup barrier orders them; plain stores of equal values are fine;
- *divergent barriers*, that only some invocations reach;
- results that depend on the *order* in which atomics are executed;
- reads of elements that were *never written*, in workgroup memory and outputs;
- accesses *outside* a buffer. What these do is defined, so they are only warnings.

A finding names the operations, their places and the invocations.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Operation

from vyre.diagnostics import LocatedError, VyreError, did_you_mean, kind_of
from vyre.dialects.refusal import Note
from vyre.dialects.vyre import AtomicCasOp, AtomicOp, ProgramOp, ScheduleOp
from vyre.dialects.vyre.attributes import AtomicKind
from vyre.interpreter.access_history import READ, UPDATE, WRITE, History
from vyre.interpreter.engine import Dispatch
from vyre.interpreter.frames import Lanes
from vyre.interpreter.grid import Extent, Grid
from vyre.interpreter.memory import Memory
from vyre.runtime.binding import BindingPlan
from vyre.runtime.config import Order
from vyre.runtime.deadline import Deadline
from vyre.runtime.errors import DivergentBarrier, InvalidArgument, Timeout, Trapped
from vyre.runtime.geometry import workgroup_of

Kind = Literal["race", "divergent barrier", "order", "never written", "outside"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""In the order in which they are reported."""

TURNS_UP_TO = 64
"""Workgroups up to which they are also run one after the other."""


class Finding(LocatedError):
    """
    Something that makes a program invalid, or is likely to be a mistake if it is a warning;
    its text is a complete diagnostic.
    """

    def __init__(
        self, kind: Kind, at: Operation, cause: str, fix: str, notes: tuple[Note, ...] = ()
    ):
        super().__init__(at, cause, fix, notes)
        self.kind: Kind = kind
        self.severity = "warning" if kind == "outside" else "error"


Storage = Mapping[str, NDArray[Any] | np.generic]
"""Arrays and numbers by name, which a run may write to."""


def check(
    program: ProgramOp | ScheduleOp,
    fresh: Callable[[], Storage],
    groups: Extent,
    timeout: float | None = None,
    kinds: Collection[str] = KINDS,
) -> list[Finding]:
    """
    Run the program on fresh storage, several times, and report what is wrong, of these
    kinds.
    """
    wanted = _checked_kinds(kinds)
    storage = fresh()
    unwritten = {b.name for b in BindingPlan.of(program).declared if b.starts_as_zeros}
    watcher = Watcher(Grid(groups, workgroup_of(program)), unwritten)
    deadline = Deadline(timeout)
    try:
        Dispatch(groups, observer=watcher, deadline=deadline).run(program, storage)
    except DivergentBarrier as error:
        watcher.add(Finding("divergent barrier", error.barrier, error.cause, error.fix))
    except (Timeout, Trapped):
        # A fault often leads there; then it is the fault that is worth telling.
        if not watcher.has_errors:
            raise
    if not watcher.has_errors and "order" in wanted:
        _check_orders(program, fresh, storage, groups, watcher, timeout)
    found = [each for each in watcher.findings.values() if each.kind in wanted]
    return sorted(found, key=lambda finding: KINDS.index(finding.kind))


def _checked_kinds(kinds: Collection[str]) -> set[str]:
    """The kinds of findings that a caller passed: one, or several."""
    if not isinstance(cast(object, kinds), Collection):
        raise InvalidArgument(
            f"the kinds of findings are {kind_of(kinds)}",
            f"pass some of {', '.join(KINDS)}",
        )
    wanted = {kinds} if isinstance(kinds, str) else set(kinds)
    for kind in sorted(wanted.difference(KINDS), key=str):
        raise InvalidArgument(
            f"there is no kind of finding '{kind}'",
            did_you_mean(kind, KINDS) or f"use {', '.join(KINDS)}",
        )
    return wanted


def _check_orders(
    program: ProgramOp | ScheduleOp,
    fresh: Callable[[], Storage],
    expected: Storage,
    groups: Extent,
    watcher: "Watcher",
    timeout: float | None,
) -> None:
    few = watcher.grid.group_count <= TURNS_UP_TO
    orders: tuple[Order, ...] = ("mirrored", "reversed", "random")
    for order in orders if few else orders[:1]:
        other, deadline = fresh(), Deadline(timeout)
        try:
            Dispatch(groups, order=order, deadline=deadline).run(program, other)
        except (DivergentBarrier, Timeout, Trapped) as error:
            watcher.add(_ending_finding(program, error))
            return
        for binding in BindingPlan.of(program).written:
            name = binding.name
            runs = [binding.result_of(np.asarray(run[name])) for run in (expected, other)]
            differs = _bits(runs[0]) != _bits(runs[1])
            if differs.any():
                element = [int(i) for i in np.argwhere(differs)[0]]
                watcher.add(_order_finding(program, watcher.contended, name, element))
                return


def _ending_finding(program: ProgramOp | ScheduleOp, error: VyreError) -> Finding:
    return Finding(
        "order",
        program,
        f"ends differently when invocations run in another order: {error.cause}",
        "make the result independent of who comes first",
    )


def _order_finding(
    program: ProgramOp | ScheduleOp,
    atomics: list[AtomicOp | AtomicCasOp],
    name: str,
    element: list[int],
) -> Finding:
    """The atomics on which several invocations met, and whose order can be seen."""
    at, *others = atomics or [program]
    return Finding(
        "order",
        at,
        f'"{name}"{element} depends on the order in which invocations come here'
        if atomics
        else f'"{name}"{element} depends on the order in which invocations run',
        "make the result independent of who comes first, or sort it afterwards",
        tuple(Note(other, "or here") for other in others),
    )


def _bits(array: NDArray[Any]) -> NDArray[Any]:
    """For comparison: any NaN equals any NaN, and -0 differs from 0."""
    if array.dtype.kind != "f":
        return array
    return np.where(np.isnan(array), -1, array.view(f"i{array.dtype.itemsize}"))


class Watcher:
    """Watches every access of a dispatch and collects findings, one per pair of places."""

    def __init__(self, grid: Grid, zero_outputs: set[str]):
        self.grid = grid
        self.findings: dict[tuple[object, ...], Finding] = {}
        self.contended: list[AtomicOp | AtomicCasOp] = []
        self._zero_outputs = zero_outputs
        self._histories: dict[Memory, History] = {}
        self._epochs = np.zeros(grid.group_count, np.int64)
        self._phase = 0

    @property
    def has_errors(self) -> bool:
        """Whether something was found that makes the program invalid."""
        return any(found.severity == "error" for found in self.findings.values())

    def add(self, finding: Finding) -> None:
        assert finding.at is not None
        others = tuple(note.at for note in finding.notes)
        self.findings.setdefault((finding.kind, finding.at, *others), finding)

    # What the reference engine reports

    def grid_barrier(self) -> None:
        self._phase += 1

    def workgroup_barrier(self, lanes: Lanes) -> None:
        self._epochs[np.unique(self.grid.group(lanes))] += 1

    def outside(self, op: Operation, memory: Memory, lanes: Lanes) -> None:
        self.add(
            Finding(
                "outside",
                op,
                f"invocation {self.grid.describe(int(lanes[0]))} accesses "
                f'"{memory.name}" outside its bounds',
                f"guard the access, or make the buffer larger than {list(memory.shape)}",
            )
        )

    def filled(self, memory: Memory, count: int) -> None:
        self._history(memory).written[:count] = True

    def started(self, op: Operation) -> None:
        for history in self._histories.values():
            history.flights.start(op)

    def landed(self, op: Operation, lanes: Lanes) -> None:
        for history in self._histories.values():
            history.flights.land(op, lanes)

    def read(self, op: Operation, memory: Memory, lanes: Lanes, elements: Any) -> None:
        history = self._history(memory)
        self._meets_copy(op, memory, lanes, elements, writes=False)
        self._races(op, memory, lanes, elements, (WRITE, UPDATE))
        missing = ~history.written[elements]
        if missing.any():
            first = int(np.argmax(missing))
            self.add(
                Finding(
                    "never written",
                    op,
                    f"invocation {self.grid.describe(int(lanes[first]))} reads element "
                    f'{memory.index_of(int(elements[first]))} of "{memory.name}", which '
                    "was never written",
                    "write the element first; do not rely on it being zero",
                )
            )
        self._record(op, READ, memory, lanes, elements)

    def write(
        self, op: Operation, memory: Memory, lanes: Lanes, elements: Any, values: Any
    ) -> None:
        history = self._history(memory)
        self._meets_copy(op, memory, lanes, elements, writes=True)
        self._races(op, memory, lanes, elements, (READ, UPDATE))
        for lane, other_lane, other_op, element in history.unequal_stores(
            op, lanes, elements, _bits(values), self._epochs, self._phase
        ):
            self._race(op, memory, lane, other_lane, other_op, element)
        self._record(op, WRITE, memory, lanes, elements)
        history.written[elements] = True

    def atomic(self, op: Operation, memory: Memory, lanes: Lanes, elements: Any) -> None:
        history = self._history(memory)
        self._meets_copy(op, memory, lanes, elements, writes=True)
        self._races(op, memory, lanes, elements, (READ, WRITE))
        contended = len(np.unique(elements)) < len(elements)
        contended |= history.touched(UPDATE, elements, self._phase)
        assert isinstance(op, AtomicOp | AtomicCasOp)
        if contended and op not in self.contended and _order_may_show(op):
            self.contended.append(op)
        self._record(op, UPDATE, memory, lanes, elements)
        history.written[elements] = True

    def _history(self, memory: Memory) -> History:
        history = self._histories.get(memory)
        if history is None:
            starts_written = not memory.per_group and memory.name not in self._zero_outputs
            history = History(self.grid, memory.data.size, starts_written)
            self._histories[memory] = history
        return history

    def _record(
        self, op: Operation, kind: int, memory: Memory, lanes: Lanes, elements: Any
    ) -> None:
        history = self._history(memory)
        history.record(op, kind, lanes, elements, self._epochs, self._phase)

    def _races(
        self,
        op: Operation,
        memory: Memory,
        lanes: Lanes,
        elements: Any,
        against: tuple[int, ...],
    ) -> None:
        history = self._history(memory)
        for kind in against:
            for lane, other_lane, other_op, element in history.conflicts(
                kind, lanes, elements, self._epochs, self._phase
            ):
                self._race(op, memory, lane, other_lane, other_op, element)

    def _meets_copy(
        self, op: Operation, memory: Memory, lanes: Lanes, elements: Any, *, writes: bool
    ) -> None:
        """An element that a copy is reading or writing until it is waited for."""
        flights = self._history(memory).flights
        met = flights.touch(op, lanes, elements, writes)
        if met is not None:
            lane, other_lane, other_op, element = met
            self._race(op, memory, lane, other_lane, other_op, element)

    def _race(
        self,
        op: Operation,
        memory: Memory,
        lane: int,
        other_lane: int,
        other_op: Operation,
        element: int,
    ) -> None:
        here, there = self.grid.describe(lane), self.grid.describe(other_lane)
        alone = lane == other_lane
        who = (
            f"invocation {here} accesses"
            if alone
            else f"invocations {here} and {there} access"
        )
        when = "while it is being copied" if alone else "at the same time"
        self.add(
            Finding(
                "race",
                op,
                f'{who} element {memory.index_of(element)} of "{memory.name}" {when}',
                "put a barrier between the two accesses, use atomics for both, or let "
                "only one invocation access the element",
                (Note(other_op, f"invocation {there} accesses it here"),),
            )
        )


def _order_may_show(op: AtomicOp | AtomicCasOp) -> bool:
    """Whether the order of this atomic can be seen at all."""
    if isinstance(op, AtomicCasOp) or op.kind.data is AtomicKind.EXCHANGE:
        return True
    return bool(op.old.uses) or isinstance(op.old.type, AnyFloat)
