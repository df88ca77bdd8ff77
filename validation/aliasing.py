"""Arguments of launches that may be one and the same storage."""

from itertools import combinations

from xdsl.ir import SSAValue

from vyre.dialects.vyre import BufferOp, LaunchOp
from vyre.validation.footprints import is_memref
from vyre.validation.report import Mismatch
from vyre.validation.scratch import Places
from vyre.validation.segments import Segment
from vyre.validation.terms import SYMBOL, Term


def check_arguments(side: Places, op: LaunchOp, segment: Segment) -> None:
    """Arguments that may be one storage are marked, and no slot is passed twice."""
    memrefs = [
        (side.env[argument], declared)
        for argument, declared in zip(op.arguments, segment.table, strict=True)
        if is_memref(argument)
    ]
    slots = [term for term, _ in memrefs if term in side.slots]
    if len(set(slots)) != len(slots):
        raise Mismatch("one place is passed under two names", op)
    sources = side.shared.sources
    found = [(term, value, sources[term]) for term, value in memrefs if term in sources]
    count = sum(len(behind) for _, _, behind in found)
    if count == len({memory for _, _, behind in found for memory in behind}):
        return
    for (one, value, behind), (other, again, also) in combinations(found, 2):
        if set(behind).isdisjoint(also) or _marks(value) & _marks(again):
            continue
        if not _is_apart(side, one, other):
            raise Mismatch("two arguments may be one buffer, and are not marked", op)


def _marks(declared: SSAValue) -> set[int]:
    entry = declared.owner
    return storage_of(entry) if isinstance(entry, BufferOp) else set()


def _is_apart(side: Places, one: Term, other: Term) -> bool:
    """
    Whether two memrefs that a loop carries are always different buffers: it starts with
    different ones and only permutes them, which its end has to show.
    """
    loop_of = side.equality.loop_of
    if one is other or one.kind is not SYMBOL or other.kind is not SYMBOL:
        return False
    loop = loop_of[one]
    if loop is not loop_of[other]:
        return False
    sources = side.shared.sources
    carried = {symbol: loop.starts[symbol] for symbol in loop.starts if symbol in sources}
    starts = list(carried.values())
    if len(set(starts)) != len(starts) or any(sources[s] != (s,) for s in starts):
        return False
    loop.permuted = list(carried)
    return True


def storage_of(entry: BufferOp) -> set[int]:
    """The numbers of storage that a buffer may have in common with others."""
    return set() if entry.may_alias is None else set(entry.may_alias.get_values())
