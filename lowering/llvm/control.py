"""
Structured control flow, straight to blocks of LLVM IR.

Values that control flow carries become phis; there is no detour over memory. Code that
ends an invocation branches to a block of the caller.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from llvmlite import ir
from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue

from vyre.dialects.vyre import LaunchOp, RegionOp, YieldOp
from vyre.lowering.llvm.folding import literal
from vyre.lowering.llvm.metadata import keep_rolled
from vyre.lowering.llvm.scalars import EMITTERS, emit_scalar
from vyre.lowering.llvm.trips import Trips
from vyre.lowering.llvm.values import INDEX, Environment, register_types
from vyre.lowering.loops import depth, is_short, stretch, stretch_around, weight

Registers = list[ir.Value]

_TERMINATORS = (scf.YieldOp, scf.ConditionOp, YieldOp)


class ControlCode(ABC):
    """Emits blocks; what operations with effects become is up to the subclass."""

    def __init__(self, builder: ir.IRBuilder, values: Environment):
        self.builder = builder
        self.values = values
        self.settled: dict[Operation, ir.Value] = {}
        """Operations whose result is known already."""

    @abstractmethod
    def effect(self, op: Operation) -> bool:
        """
        Emit an operation that is neither pure nor control flow. Whether the code goes on
        after it.
        """

    @abstractmethod
    def poll(self) -> None:
        """Emit a look at whether the code shall stop, in loops that may never end."""

    def block(self, block: Block) -> Registers | None:
        """
        Emit a block; gives the registers that its terminator passes on, or None if its end
        is never reached.
        """
        for op in block.ops:
            if isinstance(op, _TERMINATORS):
                return self.values.registers(op.operands)
            if not self.operation(op):
                return None
        return []

    def operation(self, op: Operation) -> bool:
        """Emit an operation; whether the code goes on after it."""
        if op in self.settled:
            self.values.bind(op.results, [self.settled[op]])
            return True
        if type(op) in EMITTERS:
            operands = [self.values.scalar(operand) for operand in op.operands]
            results = emit_scalar(self.builder, op, operands)
            self.values.bind(op.results, results)
            return True
        match op:
            case scf.IfOp():
                return self._if(op)
            case scf.ForOp():
                self._for(op)
            case scf.WhileOp():
                self._while(op)
            case RegionOp():
                registers = self.block(op.body.block)
                if registers is None:
                    return False
                self.values.bind(op.outputs, registers)
            case _:
                return self.effect(op)
        return True

    def _if(self, op: scf.IfOp) -> bool:
        builder = self.builder
        known = literal(self.values.scalar(op.cond))
        if known is not None:
            registers = self._arm(op.true_region if known else op.false_region)
            if registers is None:
                return False
            self.values.bind(op.output, registers)
            return True
        arms = [builder.append_basic_block(name) for name in ("then", "else")]
        joined = builder.append_basic_block("joined")
        builder.cbranch(self.values.scalar(op.cond), *arms)
        ways: list[tuple[Registers, ir.Block]] = []
        for arm, region in zip(arms, (op.true_region, op.false_region)):
            builder.position_at_end(arm)
            registers = self._arm(region)
            if registers is not None:
                ways.append((registers, builder.block))
                builder.branch(joined)
        builder.position_at_end(joined)
        if not ways:
            builder.unreachable()
            return False
        self.values.bind(op.output, self.merged(op.output, ways))
        return True

    def _arm(self, region: Region) -> Registers | None:
        return [] if region.blocks.first is None else self.block(region.block)

    def merged(
        self, values: Sequence[SSAValue], ways: Sequence[tuple[Registers, ir.Block]]
    ) -> Registers:
        """What values are that come from several blocks, in the block where these meet."""
        if len(ways) == 1:
            return ways[0][0]
        phis = self.phis(values)
        for registers, origin in ways:
            come_from(phis, registers, origin)
        return list(phis)

    def phis(self, values: Sequence[SSAValue]) -> list[ir.PhiInstr]:
        """Registers for values that come from several blocks."""
        types = register_types([value.type for value in values])
        return [self.builder.phi(type) for type in types]

    def _for(self, op: scf.ForOp) -> None:
        """
        A loop that may be long looks now and then whether it shall stop. One that may be
        vectorised is a loop over stretches of trips, so that it looks between them.
        """
        bounds = [self.values.scalar(value) for value in (op.lb, op.ub, op.step)]
        trips = Trips.of(self.builder, op, *bounds)
        carried = self.values.registers(op.iter_args)
        self.values.bind(op.res, self.loop(op, trips, carried))

    def made_trips(self, op: Operation, trips: ir.Value) -> None:
        """Emit what follows a loop that may be long, after so many trips."""
        many = ir.Constant(INDEX, stretch(op))
        with self.builder.if_then(self.builder.icmp_unsigned(">", trips, many)):
            self.poll()

    def loop(self, op: scf.ForOp, trips: Trips, carried: Registers) -> Registers:
        """Emit the trips of a loop, in one version or several; gives what they carry on."""
        return self.trips(op, trips, carried, is_bounded=is_short(op))

    def trips(
        self, op: scf.ForOp, trips: Trips, carried: Registers, *, is_bounded: bool
    ) -> Registers:
        """One version of a loop; `is_bounded` says that it is known to end in time."""
        if not is_bounded and _may_be_vectorised(op):
            registers = self._stretches(op, trips, carried)
        else:
            registers = self._stretch(
                op, trips, trips.first, trips.end, carried, is_polled=not is_bounded
            )
        if not is_short(op):
            # In each version: LLVM keeps them apart only if each goes on by itself.
            self.made_trips(op, trips.count(self.builder))
        return registers

    def _stretches(self, op: scf.ForOp, trips: Trips, carried_in: Registers) -> Registers:
        builder = self.builder
        head, body, after = self._append("stretches", "stretch", "done")
        before = builder.block
        builder.branch(head)
        builder.position_at_end(head)
        first = builder.phi(trips.first.type)
        carried = self.phis(op.iter_args)
        come_from([first, *carried], [trips.first, *carried_in], before)
        builder.cbranch(trips.is_before(builder, first, trips.end), body, after)
        builder.position_at_end(body)
        end = self._end_of_stretch(op, trips, first)
        following = self._stretch(op, trips, first, end, list(carried))
        with builder.if_then(trips.is_before(builder, end, trips.end)):
            self.poll()
        come_from([first, *carried], [end, *following], builder.block)
        builder.branch(head)
        builder.position_at_end(after)
        return list(carried)

    def _end_of_stretch(self, op: scf.ForOp, trips: Trips, first: ir.Value) -> ir.Value:
        """Where a stretch ends that begins before the last trip has ended."""
        builder = self.builder
        left = builder.sub(trips.end, first)
        longest = stretch(op)
        if not _goes_so_far(left.type, longest):
            return trips.end
        length = ir.Constant(left.type, longest)
        is_last = builder.icmp_unsigned("<=", left, length)
        return builder.select(is_last, trips.end, builder.add(first, length))

    def _stretch(
        self,
        op: scf.ForOp,
        trips: Trips,
        first: ir.Value,
        end: ir.Value,
        carried_in: Registers,
        *,
        is_polled: bool = False,
    ) -> Registers:
        """
        The trips from one to another; gives what the last one carries on. `is_polled` says
        that they look themselves whether to stop.
        """
        builder = self.builder
        head, body, after = self._append("for", "trip", "end")
        before = builder.block
        builder.branch(head)
        builder.position_at_end(head)
        counter = builder.phi(first.type)
        carried = self.phis(op.iter_args)
        come_from([counter, *carried], [first, *carried_in], before)
        builder.cbranch(trips.is_before(builder, counter, end), body, after)
        builder.position_at_end(body)
        number = trips.number(builder, counter)
        self.values.bind(op.body.block.args, [number, *carried])
        registers = self.block(op.body.block)
        if registers is not None:
            following = trips.after(builder, counter)
            if is_polled:
                self.poll_every(stretch(op), following)
            come_from([counter, *carried], [following, *registers], builder.block)
            back_edge = builder.branch(head)
            if not is_short(op):
                keep_rolled(back_edge, builder.module)
        builder.position_at_end(after)
        return list(carried)

    def _append(self, *names: str) -> list[ir.Block]:
        return [self.builder.append_basic_block(name) for name in names]

    def _while(self, op: scf.WhileOp) -> None:
        builder = self.builder
        carried_in = self.values.registers(op.arguments)
        head, body, after = self._append("while", "do", "done")
        before = builder.block
        builder.branch(head)

        builder.position_at_end(head)
        trip = builder.phi(INDEX)
        carried = self.phis(op.arguments)
        come_from([trip, *carried], [ir.Constant(INDEX, 0), *carried_in], before)
        self.values.bind(op.before_region.block.args, carried)
        registers = self.block(op.before_region.block)
        if registers is None:
            builder.position_at_end(after)
            self.values.bind(op.res, self._undefined(op.res))
            return
        goes_on, *passed = registers
        builder.cbranch(goes_on, body, after)

        builder.position_at_end(body)
        self.values.bind(op.after_region.block.args, passed)
        again = self.block(op.after_region.block)
        if again is not None:
            following = builder.add(trip, ir.Constant(INDEX, 1))
            trips = max(1, stretch_around(depth(op) + 1) // weight(op))
            self.poll_every(trips, following)
            come_from([trip, *carried], [following, *again], builder.block)
            builder.branch(head)

        builder.position_at_end(after)
        self.values.bind(op.res, passed)
        self.made_trips(op, trip)

    def poll_every(self, trips: int, number: ir.Value) -> None:
        """
        Look whether to stop after so many trips of a loop, a power of two; they are
        numbered. If there cannot be so many, nobody looks.
        """
        builder = self.builder
        if not _goes_so_far(number.type, trips):
            return
        rest = builder.and_(number, ir.Constant(number.type, trips - 1))
        is_time = builder.icmp_unsigned("==", rest, ir.Constant(number.type, 0))
        with builder.if_then(is_time):
            self.poll()

    def _undefined(self, values: Sequence[SSAValue]) -> Registers:
        """For code that is never reached."""
        types = register_types([value.type for value in values])
        return [ir.Constant(type, ir.Undefined) for type in types]


def _may_be_vectorised(op: scf.ForOp) -> bool:
    """Whether nothing in a loop keeps LLVM from taking several trips at once."""
    return depth(op) == 1 and not any(isinstance(each, LaunchOp) for each in op.walk())


def _goes_so_far(type: ir.Type, trips: int) -> bool:
    """Whether numbers of a type, which are signed, can count so many trips."""
    assert isinstance(type, ir.IntType)
    return not trips >> (type.width - 1)


def come_from(
    phis: Sequence[ir.PhiInstr], registers: Sequence[ir.Value], origin: ir.Block
) -> None:
    """Let registers be what phis are for those who come from a block."""
    for phi, register in zip(phis, registers, strict=True):
        phi.add_incoming(register, origin)
