"""The code of one invocation: ids, accesses, copies, ends and traps."""

from __future__ import annotations

from collections.abc import Callable, Container, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce

from llvmlite import ir
from typing_extensions import override
from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from vyre.dialects import vyre
from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre.attributes import LinearScope
from vyre.lowering.llvm.accesses import AccessCode
from vyre.lowering.llvm.clipping import Condition
from vyre.lowering.llvm.context import Context
from vyre.lowering.llvm.control import ControlCode, Registers
from vyre.lowering.llvm.counting import counted, smaller
from vyre.lowering.llvm.loop_bounds import loop_accesses
from vyre.lowering.llvm.loop_versions import LoopVersions
from vyre.lowering.llvm.metadata import Parallel, seldom
from vyre.lowering.llvm.shifted_rows import Shift
from vyre.lowering.llvm.spending import Spending
from vyre.lowering.llvm.trips import Trips
from vyre.lowering.llvm.values import INDEX, Environment
from vyre.lowering.loops import FEW_TRIPS, STRETCHES, is_in_loop, stretch, stretch_around

SUBGROUP_SIZE = 32

Three = Sequence[ir.Value]
"""Registers for x, y and z."""


@dataclass(frozen=True)
class Position:
    """
    Which invocation it is, in registers: its place in the grid, and the number and place
    of its workgroup.
    """

    groups: Three
    sizes: Three
    group: ir.Value
    group_ids: Three
    ids: Three

    def local_id(self, builder: ir.IRBuilder, axis: int) -> ir.Value:
        before = builder.mul(self.group_ids[axis], self.sizes[axis])
        return builder.sub(self.ids[axis], before)

    def linear_local_id(self, builder: ir.IRBuilder) -> ir.Value:
        local_ids = [self.local_id(builder, axis) for axis in range(3)]
        return _linear(builder, local_ids, self.sizes)

    def linear_id(self, builder: ir.IRBuilder) -> ir.Value:
        """Number of the invocation in the grid, x fastest."""
        extents = [builder.mul(g, s) for g, s in zip(self.groups, self.sizes)]
        return _linear(builder, self.ids, extents)

    def in_grid_of(self, builder: ir.IRBuilder, groups: Three, group: ir.Value) -> Position:
        """
        The same invocation in a grid where its workgroup, here the only one, has a number.
        """
        group_ids = coordinates(builder, group, groups)
        ids = [
            builder.add(builder.mul(before, size), id)
            for before, size, id in zip(group_ids, self.sizes, self.ids)
        ]
        return Position(groups, self.sizes, group, group_ids, ids)


@dataclass(frozen=True)
class Exits:
    """
    Where an invocation goes when it ends, where all go if the launch is to stop, and the
    traps that were emitted, by their number.
    """

    following: ir.Block
    over: ir.Block
    traps: list[vyre.TrapOp]
    ended: ir.Value | None = None
    """The address of a byte to set when the invocation traps, if it has more to do."""
    spending: Spending | None = None
    """Trips of loops that may be long, by all invocations; if there are such loops."""


class InvocationCode(ControlCode):
    """
    Emits the operations of an invocation. `trapped` emits where it is in the grid for those
    who read of its trap. Code that is rarely run has its loops in one version only.

    Example: `InvocationCode(builder, values, context, parallel, position, exits)`
    """

    def __init__(
        self,
        builder: ir.IRBuilder,
        values: Environment,
        context: Context,
        parallel: Parallel,
        position: Position,
        exits: Exits,
        *,
        trapped: Callable[[], Position],
        inside: Container[Operation] = (),
        is_rare: bool = False,
    ):
        super().__init__(builder, values)
        self._is_rare = is_rare
        self._context = context
        self._position = position
        self._exits = exits
        self._trapped = trapped
        self._accesses = AccessCode(builder, values, parallel, inside)

    @override
    def poll(self) -> None:
        on = self.builder.append_basic_block("on")
        is_over = self._context.is_over(self.builder)
        self.builder.cbranch(is_over, self._exits.over, on)
        self.builder.position_at_end(on)

    @override
    def made_trips(self, op: Operation, trips: ir.Value) -> None:
        spending = self._exits.spending
        if spending is None or is_in_loop(op):
            super().made_trips(op, trips)
            return
        builder = self.builder
        weight = ir.Constant(INDEX, stretch_around(1) // stretch(op))
        spent = builder.mul(trips, weight)
        is_much = builder.icmp_unsigned(">", spent, ir.Constant(INDEX, FEW_TRIPS))
        with seldom(builder, is_much):
            spending.add(builder, spent)
            with spending.when_due(builder):
                self.poll()

    def count_by(self, shift: Shift, places: Iterable[Operation]) -> None:
        """Say which operations give the place with something added, and address by that."""
        self._accesses.shift = shift
        self.settled |= dict.fromkeys(places, shift.shifted)

    def skip_if_ended(self) -> None:
        """Do nothing if the invocation has trapped in an earlier phase of its workgroup."""
        builder, ended = self.builder, self._exits.ended
        if ended is not None:
            byte = builder.load(ended, typ=ir.IntType(8))
            on = builder.append_basic_block("alive")
            is_alive = builder.icmp_unsigned("==", byte, ir.Constant(ir.IntType(8), 0))
            builder.cbranch(is_alive, on, self._exits.following)
            builder.position_at_end(on)

    def invariant(self, value: SSAValue) -> ir.Value:
        """Emit a value and what it is computed from, ahead of the loop over invocations."""
        self._emit_slice(value)
        return self.values.scalar(value)

    def holds(self, conditions: Sequence[Condition]) -> ir.Value:
        """Whether all conditions hold, ahead of the rest of the invocation."""
        terms: list[ir.Value] = []
        for op, is_negated in conditions:
            value = self.invariant(op.result)
            terms.append(self.builder.not_(value) if is_negated else value)
        return reduce(self.builder.and_, terms)

    def load_ahead(self, op: vyre.LoadOp) -> ir.Value:
        """An element that is loaded before one would come to it; zero if there is none."""
        indices = [self.invariant(index) for index in op.indices]
        found = self._accesses.element(op.buffer, indices)
        self.values.bind([op.value], [found])
        return found

    def _emit_slice(self, value: SSAValue) -> None:
        pending, entered = [value], set[Operation]()
        while pending:
            value = pending[-1]
            if self.values.has(value):
                pending.pop()
                continue
            owner = value.owner
            assert isinstance(owner, Operation)
            load = owner if isinstance(owner, vyre.LoadOp) else None
            if owner not in entered:
                entered.add(owner)
                pending += reversed(load.indices if load else owner.operands)
                continue
            pending.pop()
            if load and load not in self.settled:
                # It may be inside only for those who come to it.
                self.load_ahead(load)
            else:
                self.operation(owner)

    @override
    def loop(self, op: scf.ForOp, trips: Trips, carried: Registers) -> Registers:
        along = [] if self._is_rare else loop_accesses(op)
        if not along:
            return super().loop(op, trips, carried)
        return LoopVersions(self, self._accesses, op, trips, along).emit(carried)

    @override
    def effect(self, op: Operation) -> bool:
        match op:
            case vyre.BufferOp() | vyre.ParamOp() | vyre.AsyncWaitOp():
                pass
            case vyre.LoadOp():
                self._accesses.load(op)
            case vyre.StoreOp():
                self._accesses.store(op)
            case vyre.AtomicOp():
                self._accesses.atomic(op)
            case vyre.AtomicCasOp():
                self._accesses.atomic_cas(op)
            case vyre.AsyncLoadOp() | vyre.AsyncStoreOp():
                self._copy(op)
            case vyre.LengthOp():
                size = self.values.size(op.buffer, op.dim.value.data)
                self.values.bind([op.length], [size])
            case vyre.ReturnOp():
                self.builder.branch(self._exits.following)
                return False
            case vyre.TrapOp():
                self._trap(op)
                return False
            case _:
                self._id(op)
        return True

    def _id(self, op: Operation) -> None:
        builder, position = self.builder, self._position
        match op:
            case vyre.InvocationIdOp():
                found = position.ids[op.axis.data.position]
            case vyre.WorkgroupIdOp():
                found = position.group_ids[op.axis.data.position]
            case vyre.LocalIdOp():
                found = position.local_id(builder, op.axis.data.position)
            case vyre.WorkgroupCountOp():
                found = position.groups[op.axis.data.position]
            case vyre.WorkgroupSizeOp():
                found = position.sizes[op.axis.data.position]
            case vyre.LinearIdOp():
                found = self._linear_id(op.scope.data)
            case vyre.SubgroupLocalIdOp():
                mask = ir.Constant(INDEX, SUBGROUP_SIZE - 1)
                found = builder.and_(position.linear_local_id(builder), mask)
            case vyre.SubgroupSizeOp():
                found = ir.Constant(INDEX, SUBGROUP_SIZE)
            case _:
                raise Refusal(
                    f"'{op.name}' has no LLVM IR here",
                    fix="lower it to arith, math, scf and vyre operations",
                    at=op,
                )
        self.values.bind(op.results, [found])

    def _linear_id(self, scope: LinearScope) -> ir.Value:
        match scope:
            case LinearScope.INVOCATION:
                return self._position.linear_id(self.builder)
            case LinearScope.WORKGROUP:
                return self._position.group
            case LinearScope.LOCAL:
                return self._position.linear_local_id(self.builder)

    def _copy(self, op: vyre.AsyncLoadOp | vyre.AsyncStoreOp) -> None:
        """
        The copy happens now, which is one of the moments when it may. Only elements that
        are inside the destination's row are gone through, however many were asked for.
        """
        builder, values = self.builder, self.values
        source = [values.scalar(index) for index in op.source_indices]
        target = [values.scalar(index) for index in op.destination_indices]
        sizes = values.place(op.destination).sizes
        start = target[-1] if target else ir.Constant(INDEX, 0)
        size = sizes[-1] if sizes else ir.Constant(INDEX, 1)
        first, end = _copied(builder, start, values.scalar(op.count), size)
        with pieces(builder, first, end, STRETCHES[0]) as (piece, piece_end):
            self.poll()
            with counted(builder, piece, piece_end, "copy") as (offset, _):
                self._copy_element(op, source, target, offset)
        values.bind([op.token], [])

    def _copy_element(
        self,
        op: vyre.AsyncLoadOp | vyre.AsyncStoreOp,
        source: list[ir.Value],
        target: list[ir.Value],
        offset: ir.Value,
    ) -> None:
        builder = self.builder
        value = self._accesses.element(op.source, _moved(builder, source, offset))
        self._accesses.put(op.destination, _moved(builder, target, offset), value)

    def _trap(self, op: vyre.TrapOp) -> None:
        """Remember the smallest of the worker's invocations that trapped; end this one."""
        builder = self.builder
        if op.invocation is None:
            linear = self._trapped().linear_id(builder)
        else:
            linear = self.values.scalar(op.invocation)
        value: ir.Value = ir.Constant(INDEX, 0)
        if op.value is not None:
            value = self.values.scalar(op.value)
            value = value if value.type == INDEX else builder.sext(value, INDEX)
        self._context.trap(builder, linear, len(self._exits.traps), value)
        self._exits.traps.append(op)
        if self._exits.ended is not None:
            builder.store(ir.Constant(ir.IntType(8), 1), self._exits.ended)
        if self._exits.spending is not None and is_in_loop(op):
            self.poll()  # Nobody counts the trips of a loop that is left.
        builder.branch(self._exits.following)


def coordinates(builder: ir.IRBuilder, number: ir.Value, extents: Three) -> list[ir.Value]:
    """Where number `number` is, x fastest."""
    x = builder.urem(number, extents[0])
    rows = builder.udiv(number, extents[0])
    return [x, builder.urem(rows, extents[1]), builder.udiv(rows, extents[1])]


@contextmanager
def pieces(
    builder: ir.IRBuilder, first: ir.Value, end: ir.Value, longest: int
) -> Generator[tuple[ir.Value, ir.Value]]:
    """A loop over stretches of so many numbers: gives the first of each, and its end."""
    size = ir.Constant(INDEX, longest)
    rounded = builder.add(builder.sub(end, first), ir.Constant(INDEX, longest - 1))
    is_empty = builder.icmp_unsigned(">=", first, end)
    zero = ir.Constant(INDEX, 0)
    count = builder.select(is_empty, zero, builder.udiv(rounded, size))
    with counted(builder, zero, count, "piece") as (number, _):
        begin = builder.add(first, builder.mul(number, size))
        yield begin, smaller(builder, builder.add(begin, size), end)


def _linear(builder: ir.IRBuilder, ids: Three, extents: Three) -> ir.Value:
    """The number of a place, x fastest."""
    rows = builder.add(builder.mul(ids[2], extents[1]), ids[1])
    return builder.add(builder.mul(rows, extents[0]), ids[0])


def _moved(
    builder: ir.IRBuilder, indices: list[ir.Value], offset: ir.Value
) -> list[ir.Value]:
    """The indices of an element further along the last dimension."""
    return [*indices[:-1], builder.add(indices[-1], offset)] if indices else []


def _copied(
    builder: ir.IRBuilder, start: ir.Value, count: ir.Value, size: ir.Value
) -> tuple[ir.Value, ir.Value]:
    """
    The first of a copy's elements that lies inside a row of this size, and the end. A copy
    that starts before the row comes into it later.
    """
    zero, most = ir.Constant(INDEX, 0), ir.Constant(INDEX, 2**63 - 1)
    count = builder.select(builder.icmp_signed("<", count, zero), most, count)
    is_before = builder.icmp_signed("<", start, zero)
    first = builder.select(is_before, builder.neg(start), zero)
    is_after = builder.icmp_signed(">=", start, size)
    room = builder.select(is_after, zero, builder.sub(size, start))
    is_shorter = builder.icmp_unsigned("<", count, room)
    return first, builder.select(is_shorter, count, room)
