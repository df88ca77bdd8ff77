"""The code of one invocation: ids, accesses, copies, ends and traps."""

from collections.abc import Sequence
from dataclasses import dataclass

from llvmlite import ir
from typing_extensions import override
from xdsl.ir import Operation

from vyre.dialects import vyre
from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre.attributes import LinearScope
from vyre.lowering.llvm.accesses import AccessCode
from vyre.lowering.llvm.control import ControlCode
from vyre.lowering.llvm.counting import counted
from vyre.lowering.llvm.values import INDEX, Environment

SUBGROUP_SIZE = 32

Three = Sequence[ir.Value]
"""Registers for x, y and z."""


@dataclass(frozen=True)
class Position:
    """Which invocation it is, in registers."""

    groups: Three
    sizes: Three
    group: ir.Value
    group_ids: Three
    local_ids: Three

    def invocation_id(self, builder: ir.IRBuilder, axis: int) -> ir.Value:
        before = builder.mul(self.group_ids[axis], self.sizes[axis])
        return builder.add(before, self.local_ids[axis])

    def linear_local_id(self, builder: ir.IRBuilder) -> ir.Value:
        return _linear(builder, self.local_ids, self.sizes)

    def linear_id(self, builder: ir.IRBuilder) -> ir.Value:
        """Number of the invocation in the grid, x fastest."""
        extents = [builder.mul(g, s) for g, s in zip(self.groups, self.sizes)]
        ids = [self.invocation_id(builder, axis) for axis in range(3)]
        return _linear(builder, ids, extents)


@dataclass(frozen=True)
class Exits:
    """
    Where an invocation goes when it ends, the word that says that it shall stop, and the
    record of traps: the smallest invocation that trapped, and by which trap.
    """

    following: ir.Block
    stop: ir.Value
    traps: ir.Value


class InvocationCode(ControlCode):
    """
    Emits the operations of an invocation.

    Example: `InvocationCode(builder, values, position, exits, numbers).block(block)`
    """

    def __init__(
        self, builder: ir.IRBuilder, values: Environment, position: Position, exits: Exits
    ):
        super().__init__(builder, values)
        self._position = position
        self._exits = exits
        self._accesses = AccessCode(builder, values)
        self.traps: list[vyre.TrapOp] = []
        """All traps that were emitted, by their number."""

    @override
    def poll(self) -> None:
        """End the invocation if the launch shall stop."""
        builder = self.builder
        stop = builder.load_atomic(self._exits.stop, "monotonic", 8, typ=INDEX)
        is_over = builder.icmp_unsigned("!=", stop, ir.Constant(INDEX, 0))
        on = builder.append_basic_block("on")
        builder.cbranch(is_over, self._exits.following, on)
        builder.position_at_end(on)

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
                sizes = self.values.place(op.buffer).sizes
                self.values.bind([op.length], [sizes[op.dim.value.data]])
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
                found = position.invocation_id(builder, op.axis.data.position)
            case vyre.WorkgroupIdOp():
                found = position.group_ids[op.axis.data.position]
            case vyre.LocalIdOp():
                found = position.local_ids[op.axis.data.position]
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
        with counted(builder, first, end, "copy") as (offset, _):
            self.poll()
            value = self._accesses.element(op.source, _moved(builder, source, offset))
            self._accesses.put(op.destination, _moved(builder, target, offset), value)
        values.bind([op.token], [])

    def _trap(self, op: vyre.TrapOp) -> None:
        """Remember the smallest invocation that trapped, and end this one."""
        builder = self.builder
        linear = self._position.linear_id(builder)
        self.traps.append(op)
        builder.atomic_rmw("umin", self._exits.traps, linear, "seq_cst")
        builder.branch(self._exits.following)


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
