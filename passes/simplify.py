"""
`vyre-simplify`: what is known before a program runs is not computed.

Before:

```mlir
%i = vyre.invocation_id x
%inside = arith.cmpi sge, %i, %zero : index
%n = arith.muli %c2, %c3 : index
scf.if %inside {
  scf.for %k = %zero to %n step %one {
    vyre.store %v, %a[%k] : memref<?xi32>
  }
}
```

After:

```mlir
%n = arith.constant 6 : index
scf.for %k = %zero to %n step %one {
  vyre.store %v, %a[%k] : memref<?xi32>
}
```

Compilers of kernels do this, too. But they warn of comparisons that always hold, of
branches that are never taken, and of variables for which this leaves no use.

Why the meaning stays.

- An integer is replaced by a constant if `vyre.analysis.bounds` shows that it can be
  nothing else, or if its operands are constants; `vyre.passes.evaluation` knows what the
  language defines. Floats are rounded as their type says.
- A branch is replaced by the arm that its condition takes. It stays if an invocation may
  end in it, for nothing may follow the end of an invocation in its block.
- A loop whose end is not above its start makes no trip and gives what it is given.
- Operations whose results nobody uses go if they have no effect. A `scf.while` stays:
  whoever runs one that never ends shall see that.

Where a program has grid barriers, invocations that trap may go on without effects (see
`vyre-return-at-traps`). There nothing is concluded from their having ended.

All is done again until nothing changes: a constant may decide more. With `grid`, `sizes` or
`invocations`, the result is for such dispatches only; `sizes` say nothing about programs
that are launched by schedules of the module.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from operator import eq, ge, gt, le, lt, ne

from xdsl.context import Context
from xdsl.dialects import arith, math, scf
from xdsl.dialects.builtin import FloatAttr, ModuleOp
from xdsl.ir import Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from vyre.analysis.bounds import number_ranges
from vyre.analysis.extents import Setting
from vyre.analysis.facts import bits
from vyre.analysis.integer_ops import literal_of
from vyre.analysis.ranges import Range, wrapped
from vyre.analysis.spine import needs_cut
from vyre.analysis.walking import operations_in, units_in
from vyre.dialects.vyre import LaunchOp, ProgramOp, ReturnOp, TrapOp
from vyre.passes.dead_code import remove_dead_code
from vyre.passes.evaluation import evaluated, evaluated_floats
from vyre.passes.placing import constant, put_before
from vyre.passes.same_grids import same_grids
from vyre.passes.setting_pass import SettingPass

Ranges = Mapping[SSAValue, Range]

_HOLDS: tuple[Callable[[int, int], bool], ...] = (eq, ne, lt, le, gt, ge)
"""What predicates of `arith.cmpi` say about signed numbers."""

_ALWAYS: dict[type[Operation], int] = {
    arith.RemSIOp: 0,
    arith.RemUIOp: 0,
    math.IPowIOp: 1,
}
"""Operations on single bits that give the same for all of them."""


@dataclass(frozen=True)
class SimplifyPass(SettingPass):
    """Replaces what is known by constants, and removes what is not used any more."""

    name = "vyre-simplify"

    @same_grids
    def apply(self, ctx: Context, op: ModuleOp) -> None:
        setting = self.setting(op)
        launches = [each for each in operations_in(op.body) if isinstance(each, LaunchOp)]
        launched = {launch.segment.string_value() for launch in launches}
        for program in units_in(op, ProgramOp):
            # Sizes are of the schedule's buffers, whose names mean nothing here.
            is_launched = program.sym_name.data in launched
            _to_the_end(program, replace(setting, sizes={}) if is_launched else setting)


def _to_the_end(program: ProgramOp, setting: Setting) -> None:
    """Simplifies a program until nothing changes."""
    changes = True
    while changes:
        remove_dead_code(program.body.block, keeps_whiles=True)
        ranges = number_ranges(program, setting, traps_end=not needs_cut(program))
        ops = [op for op in program.body.walk() if not isinstance(op, arith.ConstantOp)]
        # A list, for nothing may be left out.
        changes = any([op.parent is not None and _simplify(op, ranges) for op in ops])


def _simplify(op: Operation, ranges: Ranges) -> bool:
    match op:
        case arith.SelectOp() if literal_of(op.cond) is not None:
            Rewriter.replace_op(op, [], [op.lhs if literal_of(op.cond) else op.rhs])
        case scf.IfOp() if literal_of(op.cond) is not None:
            return _take_arm(op, op.true_region if literal_of(op.cond) else op.false_region)
        case scf.ForOp() if _makes_no_trip(op, ranges):
            Rewriter.replace_op(op, [], list(op.iter_args))
        case arith.ShLIOp() | arith.ShRUIOp() | arith.ShRSIOp() if bits(op.lhs.type) == 1:
            Rewriter.replace_op(op, [], [op.lhs])
        case _ if (number := _known_float(op)) is not None:
            _replace_by(op.results[0], constant(number, op.results[0].type))
        case _:
            known = [(result, _known(op, result, ranges)) for result in op.results]
            found = [(r, n) for r, n in known if n is not None and r.first_use is not None]
            for result, number in found:
                _replace(result, number)
            return bool(found)
    return True


def _take_arm(op: scf.IfOp, arm: Region) -> bool:
    """Replace a branch by the arm that is taken, unless somebody ends in it."""
    if any(isinstance(inner, ReturnOp | TrapOp) for inner in arm.walk()):
        return False
    given: list[SSAValue] = []
    if arm.blocks:
        last = arm.block.last_op
        assert last is not None
        given = list(last.operands)
        Rewriter.erase_op(last)
        Rewriter.inline_block(arm.block, InsertPoint.before(op))
    Rewriter.replace_op(op, [], given)
    return True


def _makes_no_trip(op: scf.ForOp, ranges: Ranges) -> bool:
    start, end, step = (_range(value, ranges) for value in (op.lb, op.ub, op.step))
    if step is not None and step.hi < 1:
        return True
    return start is not None and end is not None and end.hi <= start.lo


def _known(op: Operation, result: SSAValue, ranges: Ranges) -> int | None:
    """The number that a result always is."""
    width = bits(result.type)
    if width is None or op.regions:
        return None
    found = ranges.get(result)
    if found is not None and found.lo == found.hi:
        return found.lo
    if len(op.operands) == 2:
        a, b = map(literal_of, op.operands)
        value = None if a is None or b is None else evaluated(op, a, b, width)
        if value is not None:
            return value
    match op:
        case arith.CmpiOp():
            return _compared(op, ranges)
        case arith.CmpfOp():
            return {0: 0, 15: 1}.get(op.predicate.value.data)
        case arith.MulSIExtendedOp() | arith.MulUIExtendedOp():
            return 0 if width == 1 and result is op.high else None
        case _:
            return _ALWAYS.get(type(op)) if width == 1 else None


def _known_float(op: Operation) -> float | None:
    """The float that an operation on literals gives."""
    operands: list[float] = []
    for operand in op.operands:
        owner = operand.owner
        value = owner.value if isinstance(owner, arith.ConstantOp) else None
        if not isinstance(value, FloatAttr):
            return None
        operands.append(value.value.data)
    return evaluated_floats(op, *operands) if operands and len(op.results) == 1 else None


def _compared(op: arith.CmpiOp, ranges: Ranges) -> int | None:
    """What a comparison gives, if all numbers of both ranges compare alike."""
    predicate = op.predicate.value.data
    a, b = (_range(operand, ranges) for operand in op.operands)
    if a is None or b is None:
        return None
    if predicate >= 6:
        # No unsigned number is below zero.
        if b.lo == b.hi == 0 and predicate in (6, 9):
            return int(predicate == 9)
        if a.lo == a.hi == 0 and predicate in (7, 8):
            return int(predicate == 7)
        if min(a.lo, b.lo) < 0:
            return None
        predicate -= 4
    if predicate < 2:
        if a == b and a.lo == a.hi:
            return 1 - predicate
        is_apart = a.hi < b.lo or b.hi < a.lo
        return predicate if is_apart else None
    # The order of two intervals shows at their ends.
    ways = {_HOLDS[predicate](x, y) for x, y in ((a.lo, b.hi), (a.hi, b.lo))}
    return int(ways.pop()) if len(ways) == 1 else None


def _range(value: SSAValue, ranges: Ranges) -> Range | None:
    number = literal_of(value)
    return ranges.get(value) if number is None else Range(number, number)


def _replace(result: SSAValue, number: int) -> None:
    width = bits(result.type)
    assert width is not None
    _replace_by(result, constant(wrapped(number, width), result.type))


def _replace_by(result: SSAValue, literal: arith.ConstantOp) -> None:
    op = result.owner
    assert isinstance(op, Operation)
    known = put_before(op, literal, result.name_hint)
    result.replace_all_uses_with(known.result)
