"""How long loops may run without a look at whether they shall stop."""

from collections.abc import Callable
from math import prod
from typing import TypeAlias

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation

from vyre.dialects import vyre

MostTrips: TypeAlias = Callable[[scf.ForOp], int | None]
"""How many trips a loop makes at most, if that is known."""

STRETCHES = (1 << 16, 1 << 6, 1 << 2, 1)
"""
Trips of a loop between two looks at whether it shall stop, by how deep loops are nested in
it: each may run that often without looking. All together that is 2^24 trips at most.
"""

LONGEST = 1 << 24
"""Trips of little cost that may be made at most without a look."""

_LITTLE = 16
"""Up to so much a trip costs little, in operations of the quick kind."""

_MEMORY = (vyre.LoadOp, vyre.AtomicOp, vyre.AtomicCasOp)
_MEMORY_COST = 16
_FUNCTION_COST = 64

FEW_TRIPS = 32
"""
Trips of a loop that are not counted, because that takes time in each invocation. Launches
look whether to stop after many invocations with so few (`costs.py` assumes 8).
"""


def stretch(op: Operation) -> int:
    """
    Trips of a loop that may be long, between two looks at whether it shall stop; fewer if
    they cost much.

    Example: of a loop in which there is no other, and little else, it is 65536.
    """
    return max(1, stretch_around(depth(op)) // weight(op))


def stretch_around(depth: int) -> int:
    """
    Trips of a loop between two looks, by how deep loops are nested, that one counted.

    Example: `stretch_around(1)` is 65536.
    """
    return STRETCHES[min(depth, len(STRETCHES)) - 1]


def weight(op: Operation) -> int:
    """
    For how many trips of little cost a trip of a loop counts, without loops inside it: a
    power of two.

    Example: `weight(loop)` is 64 if it has 16 operations such as `math.erf`.
    """
    return 1 << max(0, (_cost(op) // _LITTLE).bit_length() - 1)


def _cost(op: Operation) -> int:
    """The cost of what is in regions, all branches taken, but not inside loops."""
    cost = 0
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                if not isinstance(inner, scf.ForOp | scf.WhileOp):
                    cost += _own_cost(inner) + _cost(inner)
    return cost


def _own_cost(op: Operation) -> int:
    if isinstance(op, _MEMORY):
        return _MEMORY_COST
    return _FUNCTION_COST if op.name.startswith("math.") else 1


def is_in_loop(op: Operation) -> bool:
    """
    Whether an operation is inside a loop.

    Example: `is_in_loop(inner)` of one of two loops
    """
    around = op.parent_op()
    while around is not None and not isinstance(around, scf.ForOp | scf.WhileOp):
        around = around.parent_op()
    return around is not None


def short_trips(op: Operation) -> int:
    """
    How many trips of little cost all loops in an operation that are short make together
    at most.

    Example: `short_trips(program)` is 0 if there are none.
    """
    short = (loop for loop in _loops_in(op) if not _may_be_long(loop))
    return sum(_all_trips(loop, literal_trips) or 0 for loop in short)


def unseen_trips(op: Operation) -> int:
    """
    How many trips loops in an operation that may be long make together at most without a
    look at whether to stop.

    Example: `unseen_trips(program)` is 65536 if it has an `scf.while` and no other loops.
    """
    depths = [depth(loop) for loop in _loops_in(op) if _may_be_long(loop)]
    return prod(STRETCHES[: max(depths)]) if depths else 0


def has_long_loops(op: Operation) -> bool:
    """
    Whether there is a loop inside an operation that may be long.

    Example: `has_long_loops(program)` if it has an `scf.while`
    """
    return any(map(_may_be_long, _loops_in(op)))


def literal_trips(op: scf.ForOp) -> int | None:
    """
    How many trips a loop makes at most, if its bounds are literals.

    Example: of `scf.for %k = %c0 to %c16 step %c1` it is 16.
    """
    bounds: list[int] = []
    for value in (op.lb, op.ub):
        owner = value.owner
        literal = owner.value if isinstance(owner, arith.ConstantOp) else None
        if not isinstance(literal, IntegerAttr):
            return None
        bounds.append(literal.value.data)
    return max(0, bounds[1] - bounds[0])


def is_short(op: scf.ForOp, trips: MostTrips = literal_trips) -> bool:
    """
    Whether a loop and all in it make so few trips together, by what they cost, that nobody
    needs to stop it; `trips` says how many a loop makes at most.

    Example: `is_short(op, trips=lambda op: 16)` unless four of them are nested.
    """
    most = _all_trips(op, trips)
    return most is not None and most <= STRETCHES[0]


def _all_trips(op: Operation, trips: MostTrips) -> int | None:
    """
    The most trips of little cost that all loops count for together; None if one may make
    any number of them.
    """
    inner = [_all_trips(each, trips) for each in _loops_in(op)]
    known = [most for most in inner if most is not None]
    own = trips(op) if isinstance(op, scf.ForOp) else None
    if own is None or len(known) < len(inner):
        return None
    return own * max(weight(op), sum(known))


def depth(op: Operation) -> int:
    """How deep loops are nested, this one counted."""
    return 1 + max(map(depth, _loops_in(op)), default=0)


def _may_be_long(loop: Operation) -> bool:
    return not (isinstance(loop, scf.ForOp) and is_short(loop))


def _loops_in(op: Operation) -> list[Operation]:
    """The loops inside an operation that are in no other loop there."""
    found: list[Operation] = []
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                is_loop = isinstance(inner, scf.ForOp | scf.WhileOp)
                found += [inner] if is_loop else _loops_in(inner)
    return found
