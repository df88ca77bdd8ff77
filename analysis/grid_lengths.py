"""
Which buffers decide how many workgroups a program needs, if its caller does not say.

In a grid of one dimension, invocation i mostly works on element i, and perhaps on the
elements i + n, i + 2 n, ... where n is the number of all invocations. So the length of a
buffer along a dimension decides if an access has there, as its index,

- the number of the invocation: `vyre.invocation_id x`, `vyre.linear_id invocation`, or
  `workgroup_id * workgroup_size + local_id`;
- the induction variable of an `scf.for` that begins with this number, and whose step is
  `workgroup_count * workgroup_size`.

If such a loop ends at a `vyre.length`, or an `scf.if` around the access asks whether the
index is smaller than one, that length decides instead: further elements are not accessed.
Indices are seen through casts, results of `vyre.region` and variables without assignment.

If there is no such access, and all workgroups do the same, because nothing depends on which
one it is or how many there are, one is enough. Otherwise the caller has to say.

What decides for a schedule is what decides for the programs that it launches. Splitting
may hide an index, because it is kept in scratch or passed by the host; then `grid_from`
says what decided before: see `vyre.passes.same_grids`.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    DenseArrayBase,
    DictionaryAttr,
    IntegerType,
    StringAttr,
    i64,
)
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.utils.hints import isa

from vyre.analysis.buffer_sources import Declaration, is_workgroup_memory, named_buffers
from vyre.analysis.phases import COLLECTIVES
from vyre.analysis.purity import is_known
from vyre.analysis.walking import operations_in
from vyre.dialects.vyre import (
    AssignOp,
    AtomicCasOp,
    AtomicOp,
    BufferOp,
    GetOp,
    InvocationIdOp,
    LaunchOp,
    LengthOp,
    LetOp,
    LinearIdOp,
    LoadOp,
    LocalIdOp,
    ProgramOp,
    RegionOp,
    ScheduleOp,
    ScratchOp,
    StoreOp,
    WorkgroupCountOp,
    WorkgroupIdOp,
    WorkgroupSizeOp,
)
from vyre.dialects.vyre.attributes import Axis, LinearScope
from vyre.dialects.vyre.host import programs_in


class Length(NamedTuple):
    """
    The length of a buffer along a dimension.

    Example: `Length("x", 0)`
    """

    buffer: str
    dim: int


Decision: TypeAlias = tuple[Length, ...] | None
"""Lengths that decide, in declaration order; none if one workgroup is enough. None if the
caller has to say."""

_Lengths: TypeAlias = tuple[Length, ...]
_Number: TypeAlias = OpResult | BlockArgument | str
"""What an index is: the number of the invocation, or the variable of a loop from there."""

_ID = "id"
_ACCESSES = (LoadOp, StoreOp, AtomicOp, AtomicCasOp)
_SMALLER = {2: 0, 6: 0, 4: 1, 8: 1}
"""Which side is smaller if the predicate of an `arith.cmpi` holds: slt, ult; sgt, ugt."""


def grid_lengths(op: ProgramOp | ScheduleOp) -> Decision:
    """
    The lengths that decide how large a grid is.

    Example: `grid_lengths(program)` is `(Length("x", 0),)`.
    """
    found: set[Length] | None
    match op.grid_from:
        case DictionaryAttr() as listed:
            found = set(_listed(listed))
        case None if isinstance(op, ProgramOp):
            found = _Indices(op).found or (set() if _is_alike(op) else None)
        case None if isinstance(op, ScheduleOp):
            found = _launched(op)
        case _:
            found = None
    if found is None:
        return None
    order = {entry.entry_name.data: place for place, entry in enumerate(op.table)}
    return tuple(sorted(found, key=lambda each: (order[each.buffer], each.dim)))


def together(decisions: Iterable[Decision]) -> set[Length] | None:
    """
    What decides for parts of a program, taken together.

    Example: `together([(Length("x", 0),), None])` is `{Length("x", 0)}`.
    """
    known = list(decisions)
    found = {length for each in known for length in each or ()}
    return None if None in known and not found else found


def grid_from(decision: Iterable[Length] | None) -> DictionaryAttr | StringAttr:
    """
    A decision as an attribute of a program or schedule.

    Example: `str(grid_from((Length("x", 0),)))` is `{x = array<i64: 0>}`.
    """
    if decision is None:
        return StringAttr("caller")
    dims: dict[str, list[int]] = {}
    for name, dim in sorted(decision):
        dims.setdefault(name, []).append(dim)
    return DictionaryAttr({n: DenseArrayBase.from_list(i64, d) for n, d in dims.items()})


def _listed(attribute: DictionaryAttr) -> Iterator[Length]:
    for name, dims in attribute.data.items():
        assert isa(dims, DenseArrayBase[IntegerType])
        for dim in dims.get_values():
            yield Length(name, dim)


def _launched(schedule: ScheduleOp) -> set[Length] | None:
    """What decides for the programs that a schedule launches, by its own names."""
    if schedule.parent is None:
        return None
    programs = programs_in(schedule.parent)
    names = named_buffers(schedule)
    known: dict[ProgramOp, Decision] = {}
    found: list[Decision] = []
    for launch in operations_in(schedule.body):
        if not isinstance(launch, LaunchOp):
            continue
        program = programs[launch.segment.string_value()]
        if program not in known:
            known[program] = grid_lengths(program)
        entries = (entry.entry_name.data for entry in program.launch_table)
        passed = dict(zip(entries, launch.arguments))
        found += [
            tuple(_lengths(names.get(passed[length.buffer], ()), length.dim))
            for length in known[program] or ()
        ]
        found.append(() if known[program] is not None else None)
    return together(found)


_TELLS_INVOCATIONS_APART = (InvocationIdOp, WorkgroupIdOp, LinearIdOp, WorkgroupCountOp)
_COUNTS_INVOCATIONS = (AtomicOp, AtomicCasOp, ScratchOp, *COLLECTIVES)


def _is_alike(program: ProgramOp) -> bool:
    """Whether all workgroups do the same, and it makes no difference how many do."""
    for op in operations_in(program.body):
        if isinstance(op, _TELLS_INVOCATIONS_APART):
            is_local = isinstance(op, LinearIdOp) and op.scope.data is LinearScope.LOCAL
            if op.id.first_use is not None and not is_local:
                return False
        elif isinstance(op, _COUNTS_INVOCATIONS) or not is_known(op):
            return False
    return True


def _lengths(declarations: Iterable[Declaration], dim: int) -> Iterator[Length]:
    """The length of each buffer that callers pass."""
    for each in declarations:
        if isinstance(each, BufferOp) and not is_workgroup_memory(each):
            yield Length(each.entry_name.data, dim)


class _Indices:
    """One walk over a program, which looks at the indices of all accesses."""

    def __init__(self, program: ProgramOp):
        self.found: set[Length] = set()
        self._names = named_buffers(program)
        self._below: dict[Block, Mapping[_Number, _Lengths]] = {}
        """The lengths that numbers are smaller than in a block."""
        for op in operations_in(program.body):
            if isinstance(op, scf.IfOp):
                self._branch(op)
            elif isinstance(op, _ACCESSES):
                self._access(op)

    def _branch(self, op: scf.IfOp) -> None:
        around = self._in_block(op.parent)
        inside = dict(around)
        for condition in _all_of(op.cond):
            comparison = self._comparison(condition)
            if comparison is not None:
                number, lengths = comparison
                inside[number] = (*inside.get(number, ()), *lengths)
        for region in op.regions:
            for block in region.blocks:
                self._below[block] = inside if region is op.true_region else around

    def _in_block(self, block: Block | None) -> Mapping[_Number, _Lengths]:
        """What is known in a block, which may stand in loops and regions."""
        inner = block
        while block is not None and block not in self._below:
            block = block.parent_block()
        known: Mapping[_Number, _Lengths] = {} if block is None else self._below[block]
        if inner is not None:
            self._below[inner] = known
        return known

    def _comparison(self, condition: Operation) -> tuple[_Number, _Lengths] | None:
        if not isinstance(condition, arith.CmpiOp):
            return None
        predicate = condition.predicate.value.data
        if predicate not in _SMALLER:
            return None
        sides = condition.lhs, condition.rhs
        smaller = _SMALLER[predicate]
        number = _number(sides[smaller])
        lengths = self._length(sides[1 - smaller])
        return (number, lengths) if number is not None and lengths else None

    def _length(self, value: SSAValue) -> _Lengths:
        """The lengths that a value may be, if it is a length."""
        owner = _origin(value).owner
        if not isinstance(owner, LengthOp):
            return ()
        declarations = self._names.get(owner.buffer, ())
        return tuple(_lengths(declarations, owner.dim.value.data))

    def _access(self, op: LoadOp | StoreOp | AtomicOp | AtomicCasOp) -> None:
        for dim, index in enumerate(op.indices):
            number = _number(index)
            if number is None:
                continue
            own = tuple(_lengths(self._names.get(op.buffer, ()), dim))
            if own:
                self.found.update(self._limits(number, op.parent) or own)

    def _limits(self, number: _Number, block: Block | None) -> _Lengths:
        """The lengths that a number is known to be smaller than."""
        known = self._in_block(block).get(number)
        if known is None and isinstance(number, BlockArgument):
            loop = number.block.parent_op()
            assert isinstance(loop, scf.ForOp)
            known = self._length(loop.ub)
        return known or ()


def _all_of(condition: SSAValue) -> Iterator[Operation]:
    """The operations that must all give true for a condition to be true."""
    pending = [condition]
    while pending:
        owner = pending.pop().owner
        if isinstance(owner, arith.AndIOp):
            pending += owner.operands
        elif isinstance(owner, Operation):
            yield owner


def _origin(value: SSAValue) -> SSAValue:
    """What a value is a copy of."""
    while True:
        match value.owner:
            case arith.IndexCastOp() | arith.ExtUIOp() | arith.ExtSIOp() as cast:
                value = cast.input
            case RegionOp() as region if isinstance(value, OpResult):
                terminator = region.body.block.last_op
                assert terminator is not None
                value = terminator.operands[value.index]
            case GetOp() as read if _is_constant(read.cell):
                assert isinstance(read.cell.owner, LetOp)
                value = read.cell.owner.initial
            case _:
                return value


def _is_constant(cell: SSAValue) -> bool:
    """Whether nothing is ever assigned to a variable."""
    return not any(isinstance(use.operation, AssignOp) for use in cell.uses)


def _number(index: SSAValue) -> _Number | None:
    """Which number of the invocation's an index is, if it is one."""
    value = _origin(index)
    if _is_id(value):
        return _ID
    if not isinstance(value, BlockArgument):
        return None
    loop = value.block.parent_op()
    if not isinstance(loop, scf.ForOp) or value.index != 0:
        return None
    from_here = _is_id(_origin(loop.lb)) and _is_invocation_count(_origin(loop.step))
    return value if from_here else None


def _is_id(value: SSAValue) -> bool:
    match value.owner:
        case InvocationIdOp() as op:
            return op.axis.data is Axis.X
        case LinearIdOp() as op:
            return op.scope.data is LinearScope.INVOCATION
        case arith.AddiOp() as op:
            one, other = _origin(op.lhs), _origin(op.rhs)
            return (_is_start(one) and _is_local_id(other)) or (
                _is_start(other) and _is_local_id(one)
            )
        case _:
            return False


def _is_local_id(value: SSAValue) -> bool:
    match value.owner:
        case LocalIdOp() as op:
            return op.axis.data is Axis.X
        case LinearIdOp() as op:
            return op.scope.data is LinearScope.LOCAL
        case _:
            return False


def _is_workgroup_id(value: SSAValue) -> bool:
    match value.owner:
        case WorkgroupIdOp() as op:
            return op.axis.data is Axis.X
        case LinearIdOp() as op:
            return op.scope.data is LinearScope.WORKGROUP
        case _:
            return False


def _is_along_x(value: SSAValue, kind: type[WorkgroupCountOp | WorkgroupSizeOp]) -> bool:
    return isinstance(value.owner, kind) and value.owner.axis.data is Axis.X


def _factors(value: SSAValue) -> tuple[SSAValue, SSAValue] | None:
    """What is multiplied by the size of a workgroup, and that size."""
    if not isinstance(value.owner, arith.MuliOp):
        return None
    one, other = _origin(value.owner.lhs), _origin(value.owner.rhs)
    return (other, one) if _is_along_x(one, WorkgroupSizeOp) else (one, other)


def _is_start(value: SSAValue) -> bool:
    """Whether a value is the number of the workgroup's first invocation."""
    factors = _factors(value)
    return (
        factors is not None
        and _is_workgroup_id(factors[0])
        and _is_along_x(factors[1], WorkgroupSizeOp)
    )


def _is_invocation_count(value: SSAValue) -> bool:
    factors = _factors(value)
    return (
        factors is not None
        and _is_along_x(factors[0], WorkgroupCountOp)
        and _is_along_x(factors[1], WorkgroupSizeOp)
    )
