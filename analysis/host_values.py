"""
Which values of the spine the host has, and how it gets them.

When a program is split, its holders become control flow of the host. So the host must have
their conditions and bounds, which are grid-uniform: otherwise there would be no barrier in
them. In order of preference it gets a value by

1. having it: a buffer or parameter of the table, an induction variable, or what a loop or
   branch of the host passes on;
2. computing it: `arith` and sizes, over values that it has;
3. reading it: a load at a literal position of a buffer of the grid that nothing in the run
   writes, so that all invocations load the same, and reading after the launch gives that;
4. fetching it: the run that computes it stores it in `single` scratch, and the host reads
   that after the launch.

`math` is not computed by the host: its last places may differ between engines. What the
host has is passed to launches as parameters, which is cheaper than any memory. So the host
also takes over values that loops carry, such as counters, and values that cross, such as
strides, if it can compute them without a further read.
"""

from collections.abc import Callable, Iterable
from enum import Enum

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr
from xdsl.ir import BlockArgument, Operation, SSAValue

from vyre.analysis.buffer_sources import is_memref, is_workgroup_memory
from vyre.analysis.positions import Position, positions_of
from vyre.analysis.purity import PURE_OPS
from vyre.analysis.recomputation import Writers
from vyre.analysis.spine import TABLE_OPS, Spine, through_regions
from vyre.dialects.vyre import (
    BufferOp,
    LengthOp,
    LoadOp,
    RegionOp,
    TokenType,
    WorkgroupCountOp,
    WorkgroupSizeOp,
)
from vyre.dialects.vyre.buffers import memref_type

LONGEST_COMPUTATION = 32
"""Operations up to which the host computes a value instead of fetching it."""

NO_COMPUTATION = LONGEST_COMPUTATION + 1

_SIZES = (LengthOp, WorkgroupCountOp, WorkgroupSizeOp)


class Way(Enum):
    """How the host gets a value."""

    HAS = "has it"
    COMPUTES = "computes it"
    READS = "reads it from its buffer"
    FETCHES = "reads it back"


def is_device_leaf(op: Operation) -> bool:
    """What launches compute for themselves although the host knows it: constants, sizes."""
    return isinstance(op, arith.ConstantOp | LengthOp | WorkgroupCountOp | WorkgroupSizeOp)


class HostValues:
    """
    The values that the host has, and how it gets each.

    `is_uniform` says whether a value that a holder passes on is the same in the whole
    grid. Without it, it is taken to be: whoever does so accepts no value that the host
    fetches, for what it computes from what it has is uniform.

    Example: `HostValues(spine, Writers(spine, sources)).ways[condition]`
    """

    def __init__(
        self,
        spine: Spine,
        writers: Writers,
        is_uniform: Callable[[SSAValue], bool] = lambda value: True,
    ):
        self.ways: dict[SSAValue, Way] = {}
        self.positions: dict[Position, None] = {}
        """The positions that are control flow of the host."""
        self.position_of: dict[SSAValue, Position] = {}
        self._spine = spine
        self._writers = writers
        self._is_uniform = is_uniform
        self._lengths: dict[SSAValue, int] = {}
        self._sources: dict[SSAValue, SSAValue] = {
            result: through_regions(result)
            for run in spine.runs
            for op in run.walk()
            if type(op) is RegionOp
            for result in op.results
        }
        self._outside: dict[SSAValue, SSAValue] = {}
        for op in (op for run in spine.runs for op in run.ops if type(op) is RegionOp):
            for result in op.results:
                # The first region that hands it out is in the run that computes it.
                self._outside.setdefault(self.source(result), result)
        self.positions_of = {holder: positions_of(holder) for holder in spine.holders}
        self._all = [p for found in self.positions_of.values() for p in found]
        for position in self._all:
            self.position_of.update(dict.fromkeys(position.values, position))
        for holder in spine.holders:
            if isinstance(holder, scf.ForOp):
                self.ways[holder.body.block.args[0]] = Way.HAS
        self._measure()
        for position in self._all:
            if is_memref(position.values[0]):
                self.need(*position.values)
        for holder in spine.holders:
            self.need(*_decisions(holder))
        self._take_what_is_free()
        self._known: dict[SSAValue, bool] = {}

    def source(self, value: SSAValue) -> SSAValue:
        """
        The value behind one that regions hand out, as it was when the analysis was made:
        rewrites may let a region hand out something else meanwhile.
        """
        return self._sources.get(value, value)

    def literal_position(self, op: LoadOp) -> list[int] | None:
        """Where a load reads, if that is written in numbers and inside the buffer."""
        position: list[int] = []
        for index, size in zip(op.indices, memref_type(op.buffer).get_shape()):
            constant = self.source(index).owner
            if not isinstance(constant, arith.ConstantOp):
                return None
            if not isinstance(constant.value, IntegerAttr):
                return None
            number = constant.value.value.data
            if number < 0 or (size != DYNAMIC_INDEX and number >= size):
                return None
            position.append(number)
        return position

    def has(self, value: SSAValue) -> bool:
        """Whether the host has the value, which may come out of a region."""
        value = self.source(value)
        return value in self.ways or isinstance(value.owner, TABLE_OPS)

    def passes(self, value: SSAValue) -> bool:
        """Whether launches get the value from the host instead of computing it."""
        value = self.source(value)
        owner = value.owner
        if isinstance(owner, Operation) and is_device_leaf(owner):
            return False
        return self.has(value) and self.name(value) is not None

    def takes(self, value: SSAValue) -> bool:
        """
        Whether the host passes the value, or from now on does because it can compute it
        from what it has.
        """
        if self.passes(value):
            return True
        if self.name(value) is None or not self._is_free(value, {}, self._known):
            return False
        self.need(value)
        return self.passes(value)

    def name(self, value: SSAValue) -> SSAValue | None:
        """The value as the spine sees it; None if it does not leave its region."""
        value = self.source(value)
        owner = value.owner
        if isinstance(owner, Operation) and isinstance(owner.parent_op(), RegionOp):
            return self._outside.get(value)
        return value

    def need(self, *values: SSAValue) -> None:
        """The host needs these values, and whatever it gets them from."""
        pending = [self.source(value) for value in reversed(values)]
        while pending:
            value = pending.pop()
            if value in self.ways:
                continue
            position = self.position_of.get(value)
            if position is not None:
                self.positions[position] = None
                self.ways.update(dict.fromkeys(position.values, Way.HAS))
                pending.extend(self.source(v) for v in reversed(position.inputs))
                continue
            self.ways[value] = way = self._way(value)
            if way in (Way.COMPUTES, Way.READS):
                assert isinstance(value.owner, Operation)
                operands = value.owner.operands
                used = operands[:1] if way is Way.READS else operands
                pending.extend(self.source(v) for v in reversed(used))

    def _way(self, value: SSAValue) -> Way:
        owner = value.owner
        if isinstance(owner, TABLE_OPS) or isinstance(value, BlockArgument):
            return Way.HAS
        if self._lengths.get(value, NO_COMPUTATION) > LONGEST_COMPUTATION:
            return Way.FETCHES
        return Way.READS if isinstance(owner, LoadOp) else Way.COMPUTES

    def _measure(self) -> None:
        """How many operations it takes the host to compute each value, if it can."""
        for run in self._spine.runs:
            for op in run.unconditional():
                if isinstance(op, LoadOp):
                    if self._is_readable(op, run.index):
                        self._lengths[op.value] = 1
                elif _is_host_operation(op):
                    length = 1 + sum(map(self._length, op.operands))
                    if length <= LONGEST_COMPUTATION:
                        self._lengths.update(dict.fromkeys(op.results, length))

    def _length(self, value: SSAValue) -> int:
        value = self.source(value)
        owner = value.owner
        if type(owner) in TABLE_OPS:
            # The host knows nothing of workgroup memory, not even its size.
            is_local = isinstance(owner, BufferOp) and is_workgroup_memory(owner)
            return NO_COMPUTATION if is_local else 0
        if value in self.position_of:
            return 0 if self._is_uniform(value) else NO_COMPUTATION
        if self.ways.get(value) is Way.HAS:
            return 0
        return self._lengths.get(value, NO_COMPUTATION)

    def _is_readable(self, op: LoadOp, run: int) -> bool:
        """Whether the host can read after a run what the run loads."""
        is_literal = self.literal_position(op) is not None
        return is_literal and self._writers.may_reload(op, run, run)

    def _take_what_is_free(self) -> None:
        """Carry what loops carry and branches give on the host if it has all of it."""
        candidates = {
            position: None
            for position in self._all
            if position not in self.positions
            and not isinstance(position.type, TokenType)
            and self._is_uniform(position.values[0])
        }
        changed = True
        while changed:
            known: dict[SSAValue, bool] = {}
            costly = [
                position
                for position in candidates
                if not all(self._is_free(v, candidates, known) for v in position.inputs)
            ]
            for position in costly:
                del candidates[position]
            changed = bool(costly)
        for position in candidates:
            self.need(*position.values)

    def _is_free(
        self,
        value: SSAValue,
        assumed: dict[Position, None],
        known: dict[SSAValue, bool],
    ) -> bool:
        """Whether the host has a value or can compute it, without reading anything."""
        value = self.source(value)
        if value in self.ways or self._length(value) == 0:
            position = self.position_of.get(value)
            return position is None or position in assumed or position in self.positions
        if value not in known:
            owner = value.owner
            known[value] = (
                self._length(value) <= LONGEST_COMPUTATION
                and isinstance(owner, Operation)
                and not isinstance(owner, LoadOp)
                and all(self._is_free(v, assumed, known) for v in owner.operands)
            )
        return known[value]


def _is_host_operation(op: Operation) -> bool:
    exact = type(op) in PURE_OPS and op.dialect_name() == "arith"
    return exact or isinstance(op, _SIZES)


def _decisions(holder: Operation) -> Iterable[SSAValue]:
    """What decides where control goes."""
    match holder:
        case scf.IfOp():
            return (holder.cond,)
        case scf.ForOp():
            return (holder.lb, holder.ub, holder.step)
        case scf.WhileOp():
            condition = holder.before_region.block.last_op
            assert isinstance(condition, scf.ConditionOp)
            return (condition.condition,)
        case _:
            return ()
