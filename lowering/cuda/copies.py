"""
Asynchronous copies, and collectives among one rank.

A copy happens when it starts, which is one of the moments when it may. Only elements inside
the destination's row are gone through, however many were asked for.
"""

from vyre.dialects import vyre
from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre.buffers import memref_type
from vyre.lowering.cuda.accesses import AccessCode, is_below, zero
from vyre.lowering.cuda.expressions import (
    Expression,
    choice,
    conjunction,
    name,
)
from vyre.lowering.cuda.ids import Ids
from vyre.lowering.cuda.literals import integer_literal
from vyre.lowering.cuda.loops import LoopCode
from vyre.lowering.cuda.scalar_code import combined, converted
from vyre.lowering.cuda.types import BOOL, LONG, ULONG, register_type
from vyre.lowering.loops import STRETCHES

Copy = vyre.AsyncLoadOp | vyre.AsyncStoreOp
Collective = vyre.AllReduceOp | vyre.AllGatherOp | vyre.ReduceScatterOp | vyre.BroadcastOp


class CopyCode(LoopCode, AccessCode):
    """Writes copies."""

    ids: Ids

    def copy(self, op: Copy) -> None:
        """Copy a row of elements, each invocation its own."""
        source = self.values.scalars(op.source_indices)
        target = self.values.scalars(op.destination_indices)
        sizes = self.values.sizes(op.destination)
        begin = target[-1] if target else integer_literal(0, LONG)
        size = sizes[-1] if sizes else integer_literal(1, LONG)
        bounds = [begin, self.values.scalar(op.count), size]
        operands = [converted(bound, LONG) for bound in bounds]
        library = self.scalars.library
        first = library.call("vyre_copy_begin", operands[:1], ULONG)
        end = self.statements.constant(
            "copy_end", library.call("vyre_copy_end", operands, ULONG)
        )
        with self.statements.names.scope():
            k = name(self.statements.names.new("k"), ULONG)
            start = f"unsigned long long {k.text} = {first.text}"
            condition = f"{k.text} < {end.text}"
            with self.statements.block(f"for ({start}; {condition}; ++{k.text})"):
                self.look(k.text, STRETCHES[0], counts=False)
                self._copy_element(op, source, target, k)

    def _copy_element(
        self, op: Copy, source: list[Expression], target: list[Expression], k: Expression
    ) -> None:
        source, target = _moved(source, k), _moved(target, k)
        source = [self.statements.constant("from", index) for index in source]
        place = self.values.place(op.source)
        value = self.element(op.source, source)
        if source:
            inside = conjunction([is_below(i, s) for i, s in zip(source, place.sizes)])
            element = memref_type(op.source).element_type
            value = choice(inside, value, zero(element, value.type), value.type)
        sizes = self.values.sizes(op.destination)
        outer = [is_below(i, s) for i, s in zip(target[:-1], sizes)]
        condition = conjunction(outer) if outer else None
        self.guarded(condition, self.stored(op.destination, target, value))

    def collective(self, op: Collective) -> None:
        """Among one rank: a copy of as many elements as both buffers have, or nothing."""
        match op:
            case vyre.AllGatherOp() | vyre.ReduceScatterOp():
                self._gather(op)
            case vyre.BroadcastOp() if op.root.value.data != 0:
                raise Refusal(
                    f"there is no rank {op.root.value.data}: the program runs on one rank",
                    fix="use root 0",
                    at=op,
                )
            case _:
                pass

    def _gather(self, op: vyre.AllGatherOp | vyre.ReduceScatterOp) -> None:
        places = [self.values.place(buffer) for buffer in (op.source, op.destination)]
        counts = [_product(place.sizes) for place in places]
        names = self.statements.names
        with names.scope():
            k = name(names.new("k"), ULONG)
            conditions = conjunction([is_below(k, count) for count in counts])
            use = self.scalars.library.use
            head = f"unsigned long long {k.text} = {use('vyre_invocation')}()"
            step = f"{k.text} += {use('vyre_invocations')}()"
            with self.statements.block(f"for ({head}; {conditions.text}; {step})"):
                source, target = (place.pointer.text for place in places)
                is_bit = register_type(memref_type(op.source).element_type) == BOOL
                value = f"{source}[{k.text}]" + " != 0" * is_bit
                self.writer.line(f"{target}[{k.text}] = {value};")


def _moved(indices: list[Expression], k: Expression) -> list[Expression]:
    """The indices of an element further along the last dimension."""
    return [*indices[:-1], combined(indices[-1], "+", k, ULONG)] if indices else []


def _product(sizes: tuple[Expression, ...]) -> Expression:
    found = integer_literal(1, ULONG)
    for size in sizes:
        found = size if found.number == 1 else combined(found, "*", size, ULONG)
    return found
