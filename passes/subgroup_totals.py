"""
Code by which one invocation combines what the lanes of a subgroup have left in memory.

Bits of a ballot are collected, and values are reduced, one after the other:

```mlir
%total = scf.for %k = %begin to %end step %one iter_args(%part = %neutral) -> (i32) {
  %v = vyre.load %lanes[%k] : memref<64xi32>
  %sum = arith.addi %part, %v : i32
  scf.yield %sum : i32
}
```

Sums and products of floats depend on the order, so these follow the tree of the operation:
at each distance d from 16 to 1 the element k gets what it makes with the element k + d, if
that belongs to a lane.

```mlir
scf.for %k = %begin to %middle step %one {
  %partner = arith.addi %k, %distance : index
  ...
  vyre.store %sum, %lanes[%k] : memref<64xf32>
}
```
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerType, i32
from xdsl.ir import Block, Operation, SSAValue

from vyre.dialects.vyre import LoadOp, StoreOp, SubgroupBallotOp, SubgroupReduceOp
from vyre.dialects.vyre.attributes import ReduceKind
from vyre.passes.code_writer import CodeWriter
from vyre.passes.contributions import neutral_element

Combine: TypeAlias = Callable[[SSAValue, SSAValue], Operation]

_INTEGERS: dict[ReduceKind, Combine] = {
    ReduceKind.ADD: arith.AddiOp,
    ReduceKind.MUL: arith.MuliOp,
    ReduceKind.AND: arith.AndIOp,
    ReduceKind.OR: arith.OrIOp,
    ReduceKind.XOR: arith.XOrIOp,
    ReduceKind.MIN: arith.MinSIOp,
    ReduceKind.MAX: arith.MaxSIOp,
    ReduceKind.UMIN: arith.MinUIOp,
    ReduceKind.UMAX: arith.MaxUIOp,
}
_FLOATS: dict[ReduceKind, Combine] = {
    ReduceKind.ADD: arith.AddfOp,
    ReduceKind.MUL: arith.MulfOp,
    ReduceKind.MIN: arith.MinnumfOp,
    ReduceKind.MAX: arith.MaxnumfOp,
}


@dataclass(frozen=True)
class Members:
    """Where the values of a subgroup's lanes are: in `lanes`, from `begin` to `end`."""

    lanes: SSAValue
    begin: SSAValue
    end: SSAValue
    count: int | None
    """How many there are, if that is the same for all subgroups."""


def write_total(
    code: CodeWriter, op: SubgroupBallotOp | SubgroupReduceOp, members: Members
) -> SSAValue:
    """
    Write code that gives the result of a ballot or reduction.

    Example: `total = write_total(code, reduction, Members(lanes, begin, end, 32))`
    """
    if isinstance(op, SubgroupBallotOp):
        return _bits(code, members)
    is_integer = isinstance(op.value.type, IntegerType | IndexType)
    combine = (_INTEGERS if is_integer else _FLOATS)[op.kind.data]
    if combine in (arith.AddfOp, arith.MulfOp):
        return _tree(code, combine, members)
    neutral = code.constant(neutral_element(op.kind.data, op.value.type), op.value.type)
    return _one_by_one(code, combine, neutral, members)


def _one_by_one(
    code: CodeWriter, combine: Combine, start: SSAValue, members: Members
) -> SSAValue:
    body = Block(arg_types=[IndexType(), start.type])
    k, part = body.args
    inner = code.at_end(body)
    value = inner.put(LoadOp(members.lanes, [k]))
    inner.run(scf.YieldOp(inner.put(combine(part, value))))
    return _loop(code, members.begin, members.end, [start], body).results[0]


def _bits(code: CodeWriter, members: Members) -> SSAValue:
    """A shift takes its amount modulo 32, and subgroups begin at multiples of that."""
    start = code.constant(0, i32)
    body = Block(arg_types=[IndexType(), i32])
    k, part = body.args
    inner = code.at_end(body)
    bit = inner.put(arith.ExtUIOp(inner.put(LoadOp(members.lanes, [k])), i32))
    amount = inner.put(arith.IndexCastOp(k, i32))
    shifted = inner.put(arith.ShLIOp(bit, amount))
    inner.run(scf.YieldOp(inner.put(arith.OrIOp(part, shifted))))
    return _loop(code, members.begin, members.end, [start], body).results[0]


def _tree(code: CodeWriter, combine: Combine, members: Members) -> SSAValue:
    lanes = members.lanes
    for distance in (16, 8, 4, 2, 1):
        middle = _end_of_partners(code, distance, members)
        if middle is None:
            continue
        body = Block(arg_types=[IndexType()])
        k = body.args[0]
        inner = code.at_end(body)
        partner = inner.put(arith.AddiOp(k, code.constant(distance, IndexType())))
        left, right = (inner.put(LoadOp(lanes, [place])) for place in (k, partner))
        inner.run(StoreOp(inner.put(combine(left, right)), lanes, [k]))
        inner.run(scf.YieldOp())
        _loop(code, members.begin, middle, [], body)
    return code.put(LoadOp(lanes, [members.begin]))


def _end_of_partners(code: CodeWriter, distance: int, members: Members) -> SSAValue | None:
    """
    The place up to which elements have a partner at a distance; None if none has. If lanes
    are missing it may lie before the beginning, and then none has, too.
    """
    if members.count is not None:
        pairs = min(members.count - distance, distance)
        if pairs <= 0:
            return None
        return code.put(arith.AddiOp(members.begin, code.constant(pairs, IndexType())))
    width = code.constant(distance, IndexType())
    middle = code.put(arith.AddiOp(members.begin, width))
    last = code.put(arith.SubiOp(members.end, width))
    return code.put(arith.MinSIOp(middle, last))


def _loop(
    code: CodeWriter, begin: SSAValue, end: SSAValue, starts: list[SSAValue], body: Block
) -> scf.ForOp:
    body.args[0].name_hint = "k"
    loop = scf.ForOp(begin, end, code.constant(1, IndexType()), starts, body)
    code.run(loop)
    return loop
