"""
Symbolic execution: what code does, as a list of effects over terms.

One invocation is executed, with its ids as symbols, so what is equal for it is equal for
all. Values are terms, memory has versions (see `vyre.validation.memory`), and effects are
listed in order.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

from xdsl.dialects import arith, scf
from xdsl.ir import Operation, Region, SSAValue

from vyre.analysis.purity import PURE_OPS, is_known
from vyre.dialects.vyre import (
    AllGatherOp,
    AllReduceOp,
    AssignOp,
    AsyncLoadOp,
    AsyncStoreOp,
    AsyncWaitOp,
    AtomicCasOp,
    AtomicOp,
    BarrierOp,
    BroadcastOp,
    BufferOp,
    GetOp,
    InvocationIdOp,
    LengthOp,
    LetOp,
    LinearIdOp,
    LoadOp,
    LocalIdOp,
    ParamOp,
    ReduceScatterOp,
    RegionOp,
    ScratchOp,
    StoreOp,
    SubgroupBallotOp,
    SubgroupLocalIdOp,
    SubgroupReduceOp,
    SubgroupShuffleOp,
    SubgroupSizeOp,
    TrapOp,
    WorkgroupCountOp,
    WorkgroupIdOp,
    WorkgroupSizeOp,
    YieldOp,
)
from vyre.dialects.vyre.buffers import memref_type
from vyre.dialects.vyre.sync import AsyncCopyOp
from vyre.validation.equality import Effect
from vyre.validation.memory import Frame, Memory
from vyre.validation.report import Mismatch
from vyre.validation.terms import (
    CELL,
    OPEN,
    TILE,
    Kind,
    Term,
)

_COMPUTES = (PURE_OPS - {arith.SelectOp}) | {
    InvocationIdOp,
    LinearIdOp,
    LocalIdOp,
    SubgroupLocalIdOp,
    SubgroupSizeOp,
    WorkgroupCountOp,
    WorkgroupIdOp,
    WorkgroupSizeOp,
}
"""Operations whose results depend on their operands and the invocation only."""

SUBGROUP_OPS = (SubgroupBallotOp, SubgroupReduceOp, SubgroupShuffleOp)

BARRIER = Kind("vyre.barrier", BarrierOp, {})


class Execution(Memory):
    """Executes operations that follow each other."""

    def run(self, ops: Iterable[Operation]) -> None:
        """Execute operations that follow each other."""
        env, node, kind_of = self.env, self.terms.node, self.terms.kind_of
        handlers = self.HANDLERS
        for op in ops:
            op_type = type(op)
            if op_type in _COMPUTES:
                term = node(kind_of(op), *[env[operand] for operand in op.operands])
                results = op.results
                if len(results) == 1:
                    env[results[0]] = term
                else:
                    self._define(results, term)
            else:
                handler = handlers.get(op_type)
                if handler is not None:
                    handler(self, op)
                else:
                    self._unknown(op)

    def _define(self, results: Sequence[SSAValue], term: Term) -> None:
        for index, result in enumerate(results):
            self.env[result] = self.terms.node(self.terms.kind("result", index), term)

    def values(self, operands: Iterable[SSAValue]) -> list[Term]:
        """The terms of operands."""
        env = self.env
        return [env[operand] for operand in operands]

    def _skip(self, op: Operation) -> None:
        """Declarations are bound already, and terminators looked at by who knows them."""

    def _region(self, op: RegionOp) -> None:
        self.run(op.body.block.ops)

    def _yield(self, op: YieldOp) -> None:
        region = op.parent_op()
        assert region is not None
        for value, result in zip(op.values, region.results, strict=True):
            self.env[result] = self.env[value]

    def subgroup(self, op: Operation) -> None:
        """
        What a subgroup computes from its operands: who executes that is decided by control
        flow, which is compared anyway.
        """
        (result,) = op.results
        self.env[result] = self.terms.node(
            self.terms.kind_of(op), *self.values(op.operands)
        )

    def _select(self, op: arith.SelectOp) -> None:
        """A choice is one, whether values or branches make it."""
        self.env[op.result] = self.terms.choice(*self.values(op.operands))

    def _length(self, op: LengthOp) -> None:
        size = memref_type(op.buffer).get_shape()[op.dim.value.data]
        if size >= 0:
            self.env[op.length] = self.terms.index(size)
        else:
            kind = self.terms.kind_of(op)
            self.env[op.length] = self.terms.node(kind, self.env[op.buffer])

    def _let(self, op: LetOp) -> None:
        self.env[op.cell] = cell = self.terms.fresh(CELL)
        self.state[cell] = self.env[op.initial]

    def _get(self, op: GetOp) -> None:
        self.env[op.value] = self.state[self.env[op.cell]]

    def _assign(self, op: AssignOp) -> None:
        self.state[self.env[op.cell]] = self.env[op.value]

    def load(self, op: LoadOp) -> None:
        """A load is named by what it reads, and when."""
        memref, *indices = self.values(op.operands)
        self.env[op.value] = self.loaded(op, memref, indices)

    def loaded(self, op: LoadOp, memref: Term, indices: Sequence[Term]) -> Term:
        """The term of a load."""
        state = self.state
        versions = [state[memory] for memory in self.shared.sources[memref]]
        kind = self.terms.kind_of(op, ("inbounds",))
        return self.terms.node(kind, memref, *indices, *versions)

    def store(self, op: StoreOp) -> None:
        """A store is an effect."""
        value, memref, *indices = self.values(op.operands)
        self.stored(op, value, memref, indices)

    def stored(
        self, op: StoreOp, value: Term, memref: Term, indices: Sequence[Term]
    ) -> None:
        """Note a store."""
        if memref.kind is TILE:
            shape = self.shared.shapes[memref]
            if self.shared.overwriting.is_own_element(indices, shape):
                self.overwrite(memref)
        term = self.terms.node(self.terms.kind_of(op), value, memref, *indices)
        self.record(Effect(op, term), self.shared.sources[memref])

    def atomic(self, op: AtomicOp | AtomicCasOp) -> None:
        """An atomic is an effect, and a value that only this effect gives."""
        place = list(op.operands).index(op.buffer)
        operands = self.values(op.operands)
        self.updated(op, operands[:place], operands[place], operands[place + 1 :])

    def updated(
        self,
        op: AtomicOp | AtomicCasOp,
        values: Sequence[Term],
        memref: Term,
        indices: Sequence[Term],
    ) -> None:
        """Note an atomic."""
        sources = self.shared.sources[memref]
        versions = [self.state[memory] for memory in sources]
        moment = self.moment()
        kind = self.terms.kind_of(op)
        term = self.terms.node(kind, moment, *values, memref, *indices, *versions)
        self.env[op.old] = term
        self.record(Effect(op, term), sources)

    def copy(self, op: AsyncCopyOp) -> None:
        """An asynchronous copy is an effect; its token is the name of the moment."""
        self.started(
            op, self.values(op.source_indices), self.values(op.destination_indices)
        )

    def started(
        self, op: AsyncCopyOp, source: Sequence[Term], destination: Sequence[Term]
    ) -> None:
        """Note the start of a copy."""
        env = self.env
        term = self.terms.node(
            self.terms.kind_of(op, ("operandSegmentSizes",)),
            env[op.source],
            env[op.destination],
            env[op.count],
            *source,
            *destination,
        )
        env[op.token] = self.moment()
        self.record(Effect(op, term), self.shared.sources[env[op.destination]])

    def wait(self, op: AsyncWaitOp) -> None:
        """
        A wait for copies of this phase is an effect. Copies of earlier ones are done: the
        launch that starts them waits for them.
        """
        since = self.since
        tokens = [token for token in self.values(op.tokens) if token.birth >= since]
        if tokens:
            self.record(
                Effect(op, self.terms.node(self.terms.kind(op.name, 0), *tokens)),
                self.written,
            )

    def barrier(self, op: BarrierOp) -> None:
        """A barrier of a workgroup is an effect, if there is anything to be ordered."""
        if not op.is_grid_sync and self.written:
            self.record(Effect(op, self.terms.node(BARRIER)), self.written)

    def _act(self, op: Operation) -> None:
        """Traps and collectives."""
        term = self.terms.node(self.terms.kind_of(op), *self.values(op.operands))
        self.record(Effect(op, term), self.changes(op))

    def _unknown(self, op: Operation) -> None:
        """An operation that may do everything, so all before it has to be the same."""
        if is_known(op):
            raise Mismatch("the validator does not know this operation", op)
        kind = self.terms.kind_of_unknown(op)
        term = self.terms.node(kind, self.moment(), *self.values(op.operands))
        self._define(op.results, term)
        self.record(Effect(op, term), self.written)
        if op.regions:
            arms = [self._unknown_region(region, term) for region in op.regions]
            self.record(Effect(op, term, tuple(arms)), self.written)

    def _unknown_region(self, region: Region, whole: Term) -> list[Effect]:
        """What a region does, whenever and however often it is executed."""
        frame = self.frame
        arm = self.terms.node(self.terms.kind("region", frame.count), whole, frame.term)
        self.frame = Frame(arm, (*frame.chain, whole))
        for memory in self.written:
            self.state[memory] = self.version(OPEN, memory)
        for block in region.blocks:
            name = self.terms.kind("argument", len(self.frame.effects))
            self._define(block.args, self.terms.node(name, arm))
            self.run(block.ops)
        effects, self.frame = self.frame.effects, frame
        frame.count += 1
        return effects

    HANDLERS: ClassVar[dict[type[Operation], Callable[[Any, Any], None]]] = {
        **dict.fromkeys(SUBGROUP_OPS, subgroup),
        arith.SelectOp: _select,
        BufferOp: _skip,
        ParamOp: _skip,
        ScratchOp: _skip,
        scf.YieldOp: _skip,
        scf.ConditionOp: _skip,
        YieldOp: _yield,
        RegionOp: _region,
        LengthOp: _length,
        LetOp: _let,
        GetOp: _get,
        AssignOp: _assign,
        LoadOp: load,
        StoreOp: store,
        AtomicOp: atomic,
        AtomicCasOp: atomic,
        AsyncLoadOp: copy,
        AsyncStoreOp: copy,
        AsyncWaitOp: wait,
        BarrierOp: barrier,
        TrapOp: _act,
        AllReduceOp: _act,
        AllGatherOp: _act,
        ReduceScatterOp: _act,
        BroadcastOp: _act,
    }
