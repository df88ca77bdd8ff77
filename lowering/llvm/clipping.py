"""
Which invocations along x have anything to do.

Before, as a loop over invocations of a row:

```
for x in first .. end:
    if x < n:  a[x] = ...
```

After:

```
for x in first .. min(end, n):  a[x] = ...
```

A guard that leaves out a single invocation stays for the few around that one; those before
and behind go without. A comparison that is the same for a whole row is made once for it,
and the row is left out if it is false.

Where every effect of a program is guarded by a comparison of the invocation's x with a
number that is the same in the whole row, other invocations do nothing, and are left out:
the loop gets other bounds. Inside them the comparison is known to be true, and LLVM
vectorises the loop without masks.

Why the meaning stays: an invocation for which a guard of all effects is false has no
effect; what it computes is used by nobody. Guards of effects are `scf.if`s without another
arm, and the `scf.if`s around a `vyre.return` before the effect. Loops that may not end
count as effects.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from enum import Enum

from xdsl.dialects import arith, scf
from xdsl.ir import Block, Operation, SSAValue

from vyre.analysis.integer_ops import literal_of
from vyre.analysis.purity import PURE_OPS
from vyre.analysis.uniformity import Level, uniformity
from vyre.analysis.walking import operations_in
from vyre.dialects import vyre
from vyre.dialects.terminators import is_terminator
from vyre.dialects.vyre.attributes import LinearScope

_OPPOSITE = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt"}
_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
_SWAPPED = {s + one: s + other for s in "su" for one, other in _MIRRORED.items()} | {
    "eq": "eq",
    "ne": "ne",
}
_NEGATED = {s + one: s + other for s in "su" for one, other in _OPPOSITE.items()} | {
    "ne": "eq",
    "eq": "ne",
}

PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
"""Comparisons, as `arith.cmpi` numbers them."""
_HARMLESS = (vyre.LoadOp, vyre.LengthOp, vyre.BufferOp, vyre.ParamOp)
IDS = (
    vyre.InvocationIdOp,
    vyre.LocalIdOp,
    vyre.WorkgroupIdOp,
    vyre.WorkgroupCountOp,
    vyre.WorkgroupSizeOp,
    vyre.LinearIdOp,
    vyre.SubgroupLocalIdOp,
    vyre.SubgroupSizeOp,
)

_WITHOUT_EFFECT = PURE_OPS | {*_HARMLESS, *IDS}
_PLACES = (vyre.InvocationIdOp, vyre.LocalIdOp)
_DIVERGING = {
    vyre.AtomicOp,
    vyre.AtomicCasOp,
    vyre.AsyncLoadOp,
    vyre.AsyncStoreOp,
    vyre.ReturnOp,
    vyre.TrapOp,
    scf.WhileOp,
}


class Along(Enum):
    """What is compared: the invocation's x in the grid, or in its workgroup."""

    GRID = "grid"
    WORKGROUP = "workgroup"


@dataclass(frozen=True)
class Guard:
    """`x predicate bound` holds wherever there is an effect; `op` is the comparison."""

    along: Along
    predicate: str
    bound: SSAValue
    op: arith.CmpiOp
    is_negated: bool
    """Whether the comparison itself is false there."""


def guards(block: Block) -> list[Guard]:
    """
    The comparisons of x that guard all effects of a program's block.

    Example: for `scf.if %x_below_n { vyre.store ... }` the one comparison.
    """
    found = (
        _guard(op, is_negated)
        for op, is_negated in conditions_of_effects(block)
        if isinstance(op, arith.CmpiOp)
    )
    return [guard for guard in found if guard is not None]


Comparison = arith.CmpiOp | arith.CmpfOp
Condition = tuple[Comparison, bool]
"""A comparison, and whether it is its opposite that holds."""
Conditions = dict[Condition, None]


def conditions_of_effects(block: Block) -> Conditions:
    """
    The comparisons that hold wherever a program's block has an effect.

    Example: for `scf.if %is_fresh { vyre.store ... }` what gives `%is_fresh`.
    """
    common: Conditions | None = None
    for conditions in _guarded_effects(block, {}):
        if common is None:
            common = conditions
        common = {key: None for key in common if key in conditions}
    return common or {}


def row_conditions(block: Block) -> list[Condition]:
    """
    Those of them that are the same for all invocations of a row.

    Example: for `scf.if %y_below_n { vyre.store ... }` what gives `%y_below_n`.
    """
    return [
        (op, is_negated)
        for op, is_negated in conditions_of_effects(block)
        if is_same_along_x(op.result)
    ]


def _guarded_effects(block: Block, outer: Conditions) -> Iterator[Conditions]:
    """For each effect of a block, the comparisons that hold there."""
    holding = dict(outer)
    for op in block.ops:
        if type(op) in _WITHOUT_EFFECT:
            continue
        match op:
            case scf.IfOp() if _only_returns(op):
                holding |= dict.fromkeys(_conjuncts(op.cond, is_negated=True))
            case scf.IfOp() if _is_one_armed(op):
                inner = holding | dict.fromkeys(_conjuncts(op.cond, is_negated=False))
                yield from _guarded_effects(op.true_region.block, inner)
            case vyre.RegionOp():
                yield from _guarded_effects(op.body.block, holding)
            case _:
                if _has_effect(op):
                    yield holding


def _only_returns(op: scf.IfOp) -> bool:
    """Whether all that it does is to end some invocations."""
    first = op.true_region.block.first_op
    return op.false_region.blocks.first is None and isinstance(first, vyre.ReturnOp)


def _is_one_armed(op: scf.IfOp) -> bool:
    """Whether nothing happens if its condition is false."""
    other = op.false_region.blocks.first
    return other is None or not any(map(_has_effect, other.ops))


def _has_effect(op: Operation) -> bool:
    if type(op) in _WITHOUT_EFFECT:
        return False
    if is_terminator(op):
        return False
    if op.regions and isinstance(op, scf.IfOp | scf.ForOp | vyre.RegionOp):
        return any(
            _has_effect(inner) for r in op.regions for b in r.blocks for inner in b.ops
        )
    return True


def _conjuncts(condition: SSAValue, *, is_negated: bool) -> Iterator[Condition]:
    """
    Comparisons that hold if the condition does, or if it does not. Where invocations have
    returned it is often a selection from literals.
    """
    pending = [(condition, is_negated)]
    while pending:
        condition, is_negated = pending.pop()
        owner = condition.owner
        if isinstance(owner, Comparison):
            yield owner, is_negated
        elif isinstance(owner, arith.OrIOp if is_negated else arith.AndIOp):
            pending += [(operand, is_negated) for operand in reversed(owner.operands)]
        elif isinstance(owner, arith.SelectOp):
            # One of both values is not it, so the other one was selected.
            if _is_literally(owner.lhs, is_negated):
                pending += [(owner.rhs, is_negated), (owner.cond, True)]
            elif _is_literally(owner.rhs, is_negated):
                pending += [(owner.lhs, is_negated), (owner.cond, False)]


def _is_literally(value: SSAValue, truth: bool) -> bool:
    number = literal_of(value)
    return number is not None and (number != 0) is truth


def _guard(op: arith.CmpiOp, is_negated: bool) -> Guard | None:
    """The comparison as one of x with something that does not depend on x."""
    predicate: str | None = PREDICATES[op.predicate.value.data]
    if is_negated:
        predicate = _NEGATED.get(predicate)
    for number, bound in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        along = along_x(number)
        if along is not None and predicate in _SWAPPED and is_same_along_x(bound):
            return Guard(along, predicate, bound, op, is_negated)
        predicate = None if predicate is None else _SWAPPED.get(predicate)
    return None


def along_x(value: SSAValue) -> Along | None:
    """
    What of an invocation's place along x a value is, if it is one.

    Example: `along_x(id.id)` is `Along.GRID` for `vyre.invocation_id x`.
    """
    match value.owner:
        case vyre.InvocationIdOp(axis=axis) if axis.data.position == 0:
            return Along.GRID
        case vyre.LocalIdOp(axis=axis) if axis.data.position == 0:
            return Along.WORKGROUP
        case _:
            return None


def is_same_along_x(value: SSAValue, steady: Container[SSAValue] = ()) -> bool:
    """
    Whether a value is computed from nothing but the table, literals, sizes, places along y
    and z, the workgroup's place, and values that are known to be steady.

    Example: `is_same_along_x(length.length)`
    """
    pending, seen = [value], {value}
    for each in pending:
        owner = each.owner
        if each in steady:
            continue
        match owner:
            case vyre.ParamOp() | vyre.WorkgroupIdOp():
                continue
            case vyre.LengthOp() if isinstance(owner.buffer.owner, vyre.BufferOp):
                continue
            case vyre.WorkgroupCountOp() | vyre.WorkgroupSizeOp():
                continue
            case vyre.LinearIdOp() if owner.scope.data is LinearScope.WORKGROUP:
                continue
            case vyre.InvocationIdOp() | vyre.LocalIdOp():
                if owner.axis.data.position == 0:
                    return False
            case Operation() if type(owner) in PURE_OPS:
                pending += [o for o in owner.operands if o not in seen]
                seen.update(owner.operands)
            case _:
                return False
    return True


def effect_level(program: vyre.ProgramOp) -> Level:
    """
    Across what all effects of a program are the same: if all that invocations of the grid
    or of a workgroup do is to store the same values in the same places, one of them is
    enough.

    Example: `effect_level(program)` is `Level.GRID` if it stores a sum that everyone has.
    """
    stores: list[vyre.StoreOp] = []
    for op in operations_in(program.body):
        if type(op) is vyre.StoreOp:
            stores.append(op)
        elif type(op) in _DIVERGING:
            return Level.INVOCATION
    if not stores:
        return Level.GRID
    if any(_differs(value) for op in stores for value in (*op.operands, *_around(op))):
        return Level.INVOCATION
    facts = uniformity(program)
    return max(
        level
        for op in stores
        for level in (facts.control(op), *map(facts.level, op.operands))
    )


def _around(op: Operation) -> Iterator[SSAValue]:
    """The conditions of all branches that an operation is in."""
    parent = op.parent_op()
    while parent is not None:
        if isinstance(parent, scf.IfOp):
            yield parent.cond
        parent = parent.parent_op()


def _differs(value: SSAValue) -> bool:
    """
    Whether a value is computed from an invocation's place by pure operations alone. Such a
    value is divergent for `uniformity` as well, with the control that it decides, which
    takes longer to say so.
    """
    pending, seen = [value], {value}
    for each in pending:
        owner = each.owner
        if type(owner) in _PLACES:
            return True
        if type(owner) is vyre.LinearIdOp:
            if owner.scope.data is not LinearScope.WORKGROUP:
                return True
        elif isinstance(owner, Operation) and type(owner) in PURE_OPS:
            pending += [operand for operand in owner.operands if operand not in seen]
            seen.update(owner.operands)
    return False


def uses_workgroups(program: vyre.ProgramOp) -> bool:
    """
    Whether an invocation asks where it is in its workgroup along x, or which workgroup it
    is in; else a row of workgroups is one row of invocations.
    """
    for op in program.body.walk():
        match op:
            case vyre.LocalIdOp() | vyre.WorkgroupIdOp() if op.axis.data.position == 0:
                return True
            case vyre.LinearIdOp() if op.scope.data is not LinearScope.INVOCATION:
                return True
            case vyre.SubgroupLocalIdOp():
                return True
            case _:
                pass
    return False
