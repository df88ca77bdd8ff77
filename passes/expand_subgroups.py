"""
`vyre-expand-subgroups`: subgroups exchange values through workgroup memory.

Before:

```mlir
%sum = vyre.subgroup_reduce add %v : i32
%left = vyre.subgroup_shuffle %v, %other : i32
```

After, for workgroups of 64 (`%lane` is the linear local id, `%first` that of the first
lane of its subgroup):

```mlir
vyre.store %v, %lanes[%lane] : memref<64xi32>
vyre.barrier acq_rel
scf.if %serves {                                // the first lanes, one for each subgroup
  %sum = scf.for %k = %begin to %end step %one iter_args(%part = %zero) -> (i32) {
    %w = vyre.load %lanes[%k] : memref<64xi32>
    ...
  }
  vyre.store %sum, %totals[%lane] : memref<2xi32>
}
vyre.barrier acq_rel
%sum = vyre.load %totals[%subgroup] : memref<2xi32>

vyre.store %v, %lanes[%lane] : memref<64xi32>
vyre.barrier acq_rel
%left = vyre.load %lanes[%place] : memref<64xi32>
```

`vyre.subgroup_ballot` collects bits as a reduction does. `vyre.subgroup_local_id` and
`vyre.subgroup_size` need no exchange and stay.

Why the meaning stays.

- Subgroup operations stand in workgroup-uniform control, so barriers may stand there too.
- Who has ended takes no part. So if the program has returns, `vyre-predicate-returns` is
  run first: then all lanes come, and those that would have ended give what changes nothing.
  (Lanes that trap end the dispatch.)
- Sums and products of floats are combined along the tree of the operation, in place; what
  is above the last lane of a subgroup takes no part. All other reductions give the same
  in any order.
- A shuffle from a lane that is absent is a load outside the buffer, which gives zero.
- Buffers are used again. A reduction reads `lanes` between its two barriers and writes
  `totals` there, and only there; values come into `lanes` and out of `totals` outside. A
  shuffle reads `lanes` after its barrier, so the next value must not come there in the same
  phase: shuffles take turns with two buffers, and where that does not help (in a loop
  around a single shuffle, say) one more barrier follows.

The result is for workgroups of the size that the program is written with.
"""

from collections import defaultdict
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, MemRefType, ModuleOp
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from vyre.analysis.meetings import SUBGROUP_OPS
from vyre.analysis.phases import workgroup_phases
from vyre.analysis.walking import operations_in, units_in
from vyre.diagnostics import invalid
from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre import (
    BarrierOp,
    BufferOp,
    LinearIdOp,
    LoadOp,
    ProgramOp,
    StoreOp,
    SubgroupBallotOp,
    SubgroupReduceOp,
    SubgroupShuffleOp,
)
from vyre.dialects.vyre.attributes import Access, LinearScope, Ordering
from vyre.passes.code_writer import CodeWriter
from vyre.passes.expand_switches import expand_switches
from vyre.passes.predicate_returns import predicate_returns
from vyre.passes.subgroup_totals import Members, write_total
from vyre.passes.tables import first_code, free_name

SUBGROUP_SIZE = 32


@dataclass(frozen=True)
class ExpandSubgroupsPass(ModulePass):
    """Replaces `ballot`, `reduce` and `shuffle` by workgroup memory and barriers."""

    name = "vyre-expand-subgroups"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expand_switches(op)
        for program in units_in(op, ProgramOp):
            try:
                expand_subgroups(program)
            except Refusal as refusal:
                raise invalid(program, refusal) from None


def expand_subgroups(program: ProgramOp) -> None:
    """
    Let the subgroups of a program exchange values through workgroup memory.

    Example: `expand_subgroups(program)`
    """
    if not any(type(op) in SUBGROUP_OPS for op in operations_in(program.body)):
        return
    predicate_returns(program)
    _Expansion(program).run()


class _Expansion:
    def __init__(self, program: ProgramOp):
        self._program = program
        self._size = prod(program.workgroup)
        self._subgroups = -(-self._size // SUBGROUP_SIZE)
        start = first_code(program)
        assert start is not None
        top = CodeWriter(InsertPoint.before(start), start)
        self._lane_op = LinearIdOp(LinearScope.LOCAL)
        self._lane = top.put(self._lane_op, "lane")
        self._buffers: dict[tuple[str, Attribute, int], SSAValue] = {}
        self._turns: defaultdict[Attribute, int] = defaultdict(int)
        """Which of its two buffers the next exchange of a type uses."""
        self._stores: list[StoreOp] = []
        self._shuffled: list[LoadOp] = []

    def run(self) -> None:
        for op in list(operations_in(self._program.body)):
            match op:
                case SubgroupBallotOp() | SubgroupReduceOp():
                    self._total(op)
                case SubgroupShuffleOp():
                    self._shuffle(op)
                case _:
                    pass
        self._separate_shuffles()

    # Memory

    def _buffer(self, what: str, type: Attribute, size: int, turn: int = 0) -> SSAValue:
        key = what, type, turn
        if key not in self._buffers:
            name = free_name(self._program, f"{what}_{type}")
            buffer = BufferOp(name, Access.WORKGROUP, MemRefType(type, [size]))
            buffer.location = self._lane_op.location
            Rewriter.insert_op(buffer, InsertPoint.before(self._lane_op))
            self._buffers[key] = buffer.memref
        return self._buffers[key]

    def _give(self, code: CodeWriter, value: SSAValue) -> SSAValue:
        """Let all lanes leave a value; the buffer in which it is after the barrier."""
        turn = self._turns[value.type]
        lanes = self._buffer("lanes", value.type, self._size, turn)
        store = StoreOp(value, lanes, [self._lane])
        code.run(store)
        code.run(BarrierOp(Ordering.ACQ_REL))
        self._stores.append(store)
        return lanes

    # Operations

    def _total(self, op: SubgroupBallotOp | SubgroupReduceOp) -> None:
        code = CodeWriter(InsertPoint.before(op), op)
        lanes = self._give(code, op.operands[0])
        result = op.results[0]
        totals = self._buffer("totals", result.type, self._subgroups)
        count = code.constant(self._subgroups, IndexType())
        serves = code.put(arith.CmpiOp(self._lane, count, "ult"), "serves")
        body = Block()
        inner = code.at_end(body)
        total = write_total(inner, op, self._members(inner, lanes))
        inner.run(StoreOp(total, totals, [self._lane]))
        inner.run(scf.YieldOp())
        code.run(scf.IfOp(serves, [], [body]))
        code.run(BarrierOp(Ordering.ACQ_REL))
        found = code.put(LoadOp(totals, [self._subgroup(code)]), result.name_hint)
        Rewriter.replace_op(op, [], [found])

    def _subgroup(self, code: CodeWriter) -> SSAValue:
        """The number of the own subgroup."""
        if self._subgroups == 1:
            return code.constant(0, IndexType())
        bits = code.constant(SUBGROUP_SIZE.bit_length() - 1, IndexType())
        return code.put(arith.ShRUIOp(self._lane, bits), "subgroup")

    def _members(self, code: CodeWriter, lanes: SSAValue) -> Members:
        """The lanes of the subgroup that an invocation serves."""
        index = IndexType()
        size = code.constant(self._size, index)
        if self._subgroups == 1:
            return Members(lanes, code.constant(0, index), size, self._size)
        width = code.constant(SUBGROUP_SIZE, index)
        begin = code.put(arith.MuliOp(self._lane, width), "begin")
        end = code.put(arith.AddiOp(begin, width), "end")
        if self._size % SUBGROUP_SIZE == 0:
            return Members(lanes, begin, end, SUBGROUP_SIZE)
        return Members(lanes, begin, code.put(arith.MinUIOp(end, size), "end"), None)

    def _shuffle(self, op: SubgroupShuffleOp) -> None:
        code = CodeWriter(InsertPoint.before(op), op)
        lanes = self._give(code, op.value)
        self._turns[op.value.type] ^= 1
        load = LoadOp(lanes, [self._place(code, op.lane)])
        found = code.put(load, op.shuffled.name_hint)
        self._shuffled.append(load)
        Rewriter.replace_op(op, [], [found])

    def _place(self, code: CodeWriter, lane: SSAValue) -> SSAValue:
        """Where the value of a lane of the own subgroup is; outside if there is none."""
        if self._subgroups == 1:
            return lane
        index = IndexType()
        width = code.constant(SUBGROUP_SIZE, index)
        start = arith.AndIOp(self._lane, code.constant(-SUBGROUP_SIZE, index))
        first = code.put(start, "first")
        is_known = code.put(arith.CmpiOp(lane, width, "ult"), "is_known")
        place = code.put(arith.AddiOp(first, lane))
        outside = code.constant(self._size, index)
        return code.put(arith.SelectOp(is_known, place, outside), "place")

    def _separate_shuffles(self) -> None:
        """Let nobody give the next value before all have taken the last one."""
        phases = workgroup_phases(self._program).of
        given = {(store.buffer, phases[store]) for store in self._stores}
        for load in self._shuffled:
            if (load.buffer, phases[load]) in given:
                barrier = BarrierOp(Ordering.ACQ_REL)
                barrier.location = load.location
                Rewriter.insert_op(barrier, InsertPoint.after(load))
