"""The code of one invocation: ids, accesses, barriers and ends."""

from collections.abc import Iterable, Iterator

from typing_extensions import override
from xdsl.ir import Operation, SSAValue

from vyre.analysis.buffer_sources import Declaration
from vyre.dialects import vyre
from vyre.dialects.refusal import Refusal
from vyre.lowering.cuda.copies import CopyCode
from vyre.lowering.cuda.grid_barrier import grid_barrier_call
from vyre.lowering.cuda.ids import Ids
from vyre.lowering.cuda.literals import integer_literal
from vyre.lowering.cuda.names import Names
from vyre.lowering.cuda.needs import Needs
from vyre.lowering.cuda.scalar_code import ScalarCode, converted
from vyre.lowering.cuda.subgroups import SubgroupCode
from vyre.lowering.cuda.types import INT, LONG, width

MAX_TRAPS = 65536
"""A trap record has room for so many numbers of traps."""


class InvocationCode(CopyCode, SubgroupCode):
    """
    Writes the operations of an invocation.

    Example: `InvocationCode(names, scalars, needs, folded, ids, sources).block(body)`
    """

    def __init__(
        self,
        names: Names,
        scalars: ScalarCode,
        needs: Needs,
        folded: set[SSAValue],
        ids: Ids,
        sources: dict[SSAValue, tuple[Declaration, ...]],
        *,
        has_traps: bool,
        traps_end: bool,
        has_full_subgroups: bool,
        has_watchdog: bool,
    ):
        super().__init__(names, scalars, needs, folded)
        self.has_full_subgroups = has_full_subgroups
        self.traps_end = traps_end
        self.ids = ids
        self.sources = sources
        self.traps: list[vyre.TrapOp] = []
        self._has_traps = has_traps
        self._has_watchdog = has_watchdog
        self.meetings: list[Operation] = []
        """Where the whole grid waits."""

    @override
    def effect(self, op: Operation) -> None:
        match op:
            case vyre.BufferOp() | vyre.ParamOp() | vyre.ScratchOp() | vyre.AsyncWaitOp():
                pass
            case vyre.LoadOp():
                self.load(op)
            case vyre.StoreOp():
                self.store(op)
            case vyre.AtomicOp():
                self.atomic(op)
            case vyre.AtomicCasOp():
                self.atomic_cas(op)
            case vyre.LengthOp():
                sizes = self.values.sizes(op.buffer)
                self.define([op.length], [sizes[op.dim.value.data]])
            case vyre.ReturnOp():
                self.writer.line("return;")
            case vyre.TrapOp():
                self._trap(op)
            case vyre.AsyncLoadOp() | vyre.AsyncStoreOp():
                self.copy(op)
            case _:
                self._together(op)

    def _together(self, op: Operation) -> None:
        """What invocations do with each other."""
        match op:
            case vyre.BarrierOp():
                self.barrier(op)
            case vyre.SubgroupBallotOp():
                self.ballot(op)
            case vyre.SubgroupShuffleOp():
                self.shuffle(op)
            case vyre.SubgroupReduceOp():
                self.reduce(op)
            case (
                vyre.AllReduceOp()
                | vyre.AllGatherOp()
                | vyre.ReduceScatterOp()
                | vyre.BroadcastOp()
            ):
                self._meet_if_any(_ops_before(op), op)
                self.collective(op)
                self._meet_if_any(_ops_after(op), op)
            case _:
                self._id(op)

    def _meet_if_any(self, others: Iterable[Operation], at: Operation) -> None:
        """Wait for the grid, unless nothing is done on the other side."""
        if any(other in self.needs.ops for other in others):
            self.meet(at)

    def barrier(self, op: vyre.BarrierOp) -> None:
        """Wait for the workgroup, or for the grid unless everyone shall leave."""
        if op.is_grid_sync:
            self.meet(op)
        else:
            self.writer.line("__syncthreads();")

    def meet(self, at: Operation) -> None:
        """Wait for the whole grid."""
        self.meetings.append(at)
        number = len(self.meetings) if self._has_watchdog else None
        call = grid_barrier_call(has_traps=self._has_traps, barrier=number)
        self.writer.line(f"if (!{call}) return;")

    def _id(self, op: Operation) -> None:
        number = self.ids.number(op)
        if number is None:
            raise Refusal(
                f"'{op.name}' has no CUDA C++ here",
                fix="lower it to arith, math, scf and vyre operations",
                at=op,
            )
        self.define(op.results, [number])

    def _trap(self, op: vyre.TrapOp) -> None:
        """Remember it if no smaller invocation trapped; end this one."""
        if len(self.traps) == MAX_TRAPS:
            raise Refusal(
                f"the program has more than {MAX_TRAPS} traps", fix="share traps", at=op
            )
        value = integer_literal(0, INT)
        if op.value is not None:
            value = self.values.scalar(op.value)
            if value.type.bits == width(op.value.type):
                value = converted(value, LONG if value.type.bits == 64 else INT)
        function = self.scalars.library.use("vyre_record_trap")
        if op.invocation is None:
            me = f"{self.scalars.library.use('vyre_invocation')}()"
        else:
            me = self.values.scalar(op.invocation).text
        self.writer.line(f"{function}(vyre_trap, {me}, {len(self.traps)}, {value.text});")
        if self.traps_end:
            self.writer.line("return;")
        self.traps.append(op)


def _ops_before(op: Operation) -> Iterator[Operation]:
    while (before := op.prev_op) is not None:
        yield before
        op = before


def _ops_after(op: Operation) -> Iterator[Operation]:
    while (after := op.next_op) is not None:
        yield after
        op = after
