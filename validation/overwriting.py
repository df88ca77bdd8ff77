"""
Stores that leave nothing of what was in a workgroup buffer.

They are at an index that goes through all elements while the invocations of a workgroup go
through theirs: at the own local id, in a loop that strides over the buffer from there, or
by as many lanes as the buffer has elements. It goes by the workgroup size that the program
is written with.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any

from xdsl.dialects import arith, scf

from vyre.dialects.vyre import LocalIdOp, StoreOp, WorkgroupSizeOp
from vyre.dialects.vyre.attributes import Axis, LinearScope
from vyre.validation.equality import Effect, Loop
from vyre.validation.terms import TILE, Term, Terms, number_of

_BELOW = (2, 6)
"""The predicates `slt` and `ult`."""


class Overwriting:
    """
    Example: `Overwriting(terms, (64, 1, 1)).is_own_element([linear_id], (64,))`
    """

    def __init__(self, terms: Terms, workgroup: tuple[int, ...]):
        self._terms = terms
        self._workgroup = workgroup

    def is_own_element(self, indices: Sequence[Term], shape: tuple[int, ...]) -> bool:
        """Whether each invocation has one element of its own, and none is left."""
        if len(indices) == 1 and self.is_linear(indices[0]):
            return shape[0] == prod(self._workgroup)
        axes = list(Axis)[: len(indices)][::-1]
        sizes = [self._workgroup[axis.position] for axis in axes]
        rest = prod(self._workgroup[len(indices) :])
        are_ids = len(axes) == len(indices) and all(map(_is_local_id, indices, axes))
        return are_ids and list(shape) == sizes and rest == 1

    def by_loop(self, loop: Loop, shapes: Mapping[Term, tuple[int, ...]]) -> Iterator[Term]:
        """The tiles that a loop fills which strides over them."""
        if not isinstance(loop.op, scf.ForOp) or loop.counter is None:
            return
        lower, upper, step = loop.control
        end = number_of(upper)
        if end is None or not self.is_linear(lower) or not self._is_stride(step):
            return
        for tile, indices in _stores(loop.bodies[0]):
            shape = shapes[tile]
            if prod(shape) <= end and indices == self._terms.place(loop.counter, shape):
                yield tile

    def by_lanes(
        self,
        condition: Term,
        effects: Sequence[Effect],
        shapes: Mapping[Term, tuple[int, ...]],
    ) -> Iterator[Term]:
        """The tiles that the first lanes fill, each its own element."""
        details: Any = condition.kind.details
        if condition.kind.op_type is not arith.CmpiOp:
            return
        lane, bound = condition.children
        end = number_of(bound)
        if details["predicate"].value.data not in _BELOW or not self.is_linear(lane):
            return
        lanes = min(end or 0, prod(self._workgroup))
        for tile, indices in _stores(effects):
            is_own = len(indices) == 1 and self.is_linear(indices[0])
            if is_own and shapes[tile][0] <= lanes:
                yield tile

    def is_linear(self, term: Term) -> bool:
        """The number of an invocation in its workgroup, as it may be written."""
        if term is self._terms.linear[LinearScope.LOCAL]:
            return True
        if self._workgroup[1:] == (1, 1):
            return _is_local_id(term, Axis.X)
        if term.kind.op_type is not arith.AddiOp or self._workgroup[2] != 1:
            return False
        return any(_is_local_id(x, Axis.X) and self._is_row(row) for x, row in _both(term))

    def _is_row(self, term: Term) -> bool:
        if term.kind.op_type is not arith.MuliOp:
            return False
        return any(
            _is_local_id(y, Axis.Y)
            and (number_of(width) == self._workgroup[0] or _size_axes(width) == [Axis.X])
            for y, width in _both(term)
        )

    def _is_stride(self, step: Term) -> bool:
        """Whether the trips of a workgroup leave no element out."""
        axes = _size_axes(step)
        if axes:
            return len(set(axes)) == len(axes)
        return 0 < (number_of(step) or 0) <= prod(self._workgroup)


def _stores(effects: Sequence[Effect]) -> Iterator[tuple[Term, tuple[Term, ...]]]:
    """The stores to tiles among effects, and where they store."""
    for effect in effects:
        if effect.term is not None and effect.term.kind.op_type is StoreOp:
            _, memref, *indices = effect.term.children
            if memref.kind is TILE:
                yield memref, tuple(indices)


def _both(term: Term) -> tuple[tuple[Term, Term], tuple[Term, Term]]:
    one, other = term.children
    return (one, other), (other, one)


def _is_local_id(term: Term, axis: Axis) -> bool:
    details: Any = term.kind.details
    return term.kind.op_type is LocalIdOp and details["axis"].data is axis


def _size_axes(term: Term, depth: int = 2) -> list[Axis]:
    """The axes whose sizes a product multiplies; none if it has other factors."""
    details: Any = term.kind.details
    if term.kind.op_type is WorkgroupSizeOp:
        return [details["axis"].data]
    if term.kind.op_type is not arith.MuliOp or not depth:
        return []
    one, other = (_size_axes(factor, depth - 1) for factor in term.children)
    return [*one, *other] if one and other else []
