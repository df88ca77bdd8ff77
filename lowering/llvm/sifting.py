"""
Invocations that have nothing to do are found ahead, many at once.

Before, as a loop over invocations of a row:

```
for x in first .. end:
    if fresh[x] != 0:
        for edge in ...: ...
```

After:

```
for block of 64 in first .. end:
    for x in block:  flags[x] = fresh[x] != 0      # vectorised
    for x in block with flags[x]:                  # skips all others at once
        if fresh[x] != 0:
            for edge in ...: ...
```

LLVM does not vectorise a loop over invocations that has loops or atomics in it, so without
this it would look at each of them, though in programs on graphs few have anything to do.

Why the meaning stays: a condition that holds wherever there is an effect is computed ahead
for some invocations, from loads that no write of the same invocation precedes. One for
which it is false has no effect. For the others it is computed again, so that what an
invocation does follows from one load. No other invocation may write what is loaded before
the next barrier: that would be a data race. Loads ahead are compared with the sizes of
buffers even if they are `inbounds`, which says nothing about who does not come to them.
"""

from collections.abc import Container, Generator
from contextlib import AbstractContextManager, contextmanager

from llvmlite import ir
from xdsl.dialects import arith, scf
from xdsl.ir import Operation, SSAValue

from vyre.analysis.purity import PURE_OPS
from vyre.analysis.walking import operations_in
from vyre.dialects import vyre
from vyre.lowering.llvm.clipping import IDS, Condition, conditions_of_effects
from vyre.lowering.llvm.row_loads import loads_before_writes, row_loads
from vyre.lowering.llvm.row_parts import FEW, RowCode, parts
from vyre.lowering.llvm.values import INDEX

BLOCK = 64
"""Invocations that are looked at together: as many as a register has bits."""

_MOST_OPERATIONS = 16
"""What is computed twice where there is something to do."""

_NOT_VECTORISED = (scf.ForOp, scf.WhileOp, vyre.AtomicOp, vyre.AtomicCasOp)
_PLACES = (*IDS, vyre.ParamOp, vyre.BufferOp)
_SLOW = (
    arith.DivUIOp,
    arith.DivSIOp,
    arith.RemUIOp,
    arith.RemSIOp,
    arith.FloorDivSIOp,
    arith.CeilDivSIOp,
    arith.CeilDivUIOp,
)


def conditions_ahead(program: vyre.ProgramOp) -> list[Condition]:
    """
    What tells invocations apart that have nothing to do, if LLVM does not vectorise the
    loop over them; nothing if they all have, as far as one can tell.

    Example: `fresh[x] != 0`, if it is the condition of an `scf.if` around everything
    """
    if not any(isinstance(op, _NOT_VECTORISED) for op in operations_in(program.body)):
        return []
    loads = {load.value for load in loads_before_writes(program)}
    steady = {load.value for load in row_loads(program)}
    return [
        (op, is_negated)
        for op, is_negated in conditions_of_effects(program.body.block)
        if _is_known_ahead(op.result, loads, steady)
    ]


def _is_known_ahead(
    value: SSAValue, loads: Container[SSAValue], steady: Container[SSAValue]
) -> bool:
    """
    Whether a value is computed from loads, not all of them the same along a row, quickly
    and without effects.
    """
    pending, seen = [value], {value}
    differs = False
    for each in pending:
        owner = each.owner
        if each in loads:
            differs |= each not in steady
        elif isinstance(owner, _PLACES):
            continue
        elif isinstance(owner, vyre.LengthOp):
            if not isinstance(owner.buffer.owner, vyre.BufferOp):
                return False
            continue
        elif type(owner) not in PURE_OPS or isinstance(owner, _SLOW):
            return False
        assert isinstance(owner, Operation)
        pending += [operand for operand in owner.operands if operand not in seen]
        seen.update(owner.operands)
    return differs and len(pending) <= _MOST_OPERATIONS


def row_blocks(builder: ir.IRBuilder, row: RowCode) -> AbstractContextManager[RowCode]:
    """A loop over blocks of a row, the last of which may be shorter."""
    size = ir.Constant(INDEX, BLOCK)
    return parts(builder, row, "sift", lambda start: builder.add(start, size, flags=FEW))


class Flags:
    """
    A byte for each invocation of a block, on the stack.

    Example: `flags.set(block, x, condition)`, and then `with flags.each(block) as ...`
    """

    def __init__(self, builder: ir.IRBuilder):
        self._builder = builder
        with builder.goto_entry_block():
            self._bytes = builder.alloca(ir.IntType(8), BLOCK, "flags")
        self._bytes.align = BLOCK

    def set(self, block: RowCode, x: ir.Value, condition: ir.Value) -> ir.Instruction:
        """Note whether an invocation may have something to do; gives the store."""
        builder, byte = self._builder, ir.IntType(8)
        place = builder.gep(
            self._bytes, [builder.sub(x, block.start, flags=FEW)], source_etype=byte
        )
        return builder.store(builder.zext(condition, byte), place)

    @contextmanager
    def each(self, block: RowCode) -> Generator[tuple[ir.Value, ir.Block]]:
        """
        A loop over the invocations that may have something to do, in order: gives x, and
        the block to branch to for the next one.
        """
        builder = self._builder
        head, body, following, after = (
            builder.append_basic_block(f"sifted.{name}")
            for name in ("head", "body", "next", "done")
        )
        mask = self._mask(block)
        before = builder.block
        builder.branch(head)
        builder.position_at_end(head)
        left = builder.phi(INDEX)
        left.add_incoming(mask, before)
        is_done = builder.icmp_unsigned("==", left, ir.Constant(INDEX, 0))
        builder.cbranch(is_done, after, body)
        builder.position_at_end(body)
        number = builder.cttz(left, ir.Constant(ir.IntType(1), 1))
        yield builder.add(block.start, number, flags=FEW), following
        if not builder.block.is_terminated:
            builder.branch(following)
        builder.position_at_end(following)
        others = builder.and_(left, builder.sub(left, ir.Constant(INDEX, 1)))
        left.add_incoming(others, following)
        builder.branch(head)
        builder.position_at_end(after)

    def _mask(self, block: RowCode) -> ir.Value:
        """A bit for each invocation; those beyond the end of the block are 0."""
        builder = self._builder
        bytes = ir.VectorType(ir.IntType(8), BLOCK)
        found = builder.load(self._bytes, align=BLOCK, typ=bytes)
        bits = builder.icmp_unsigned("!=", found, ir.Constant(bytes, None))
        length = builder.sub(block.end, block.start, flags=FEW)
        beyond = builder.sub(ir.Constant(INDEX, BLOCK), length, flags=FEW)
        inside = builder.lshr(ir.Constant(INDEX, -1), beyond)
        return builder.and_(builder.bitcast(bits, INDEX), inside)
