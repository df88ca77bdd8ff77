"""
Memory effects of `vyre` ops, per buffer.

xDSL's own passes only ask *whether* an op reads or writes; Vyre's ask *what*. Each op
therefore lists its effects with the buffer they fall on. Effects that fall on no buffer
name a resource instead, so that a workgroup barrier is not mistaken for an access to
every buffer of the program while xDSL's passes still leave it where it is.
"""

from abc import ABC, abstractmethod
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind, Resource


@dataclass(frozen=True)
class Fence(Resource):
    """The order of memory accesses: what barriers change."""

    def name(self) -> str:
        return "<vyre.fence>"


@dataclass(frozen=True)
class Invocation(Resource):
    """The set of running invocations: what `vyre.return` changes."""

    def name(self) -> str:
        return "<vyre.invocation>"


@dataclass(frozen=True)
class Interface(Resource):
    """The table of buffers and parameters, which the caller sees."""

    def name(self) -> str:
        return "<vyre.interface>"


def reads(value: SSAValue) -> EffectInstance:
    """The effect of reading elements of `value`."""
    return EffectInstance(MemoryEffectKind.READ, value)


def writes(value: SSAValue) -> EffectInstance:
    """The effect of writing elements of `value`."""
    return EffectInstance(MemoryEffectKind.WRITE, value)


class EffectfulOp(IRDLOperation, ABC):
    """An op that lists its effects itself, from its operands."""

    @abstractmethod
    def effects(self) -> AbstractSet[EffectInstance]:
        """What this op does to memory."""


class ListedEffects(MemoryEffect):
    """The effects are those that `EffectfulOp.effects` lists."""

    @classmethod
    def get_effects(cls, op: Operation) -> AbstractSet[EffectInstance]:
        assert isinstance(op, EffectfulOp)
        return op.effects()


_DECLARES = frozenset((EffectInstance(MemoryEffectKind.ALLOC, resource=Interface()),))
_FENCES = frozenset(
    EffectInstance(kind, resource=Fence())
    for kind in (MemoryEffectKind.READ, MemoryEffectKind.WRITE)
)
_ENDS_INVOCATION = frozenset(
    (EffectInstance(MemoryEffectKind.WRITE, resource=Invocation()),)
)
_ASKS_INVOCATIONS = frozenset(
    (EffectInstance(MemoryEffectKind.READ, resource=Invocation()),)
)


class DeclaresInterface(MemoryEffect):
    """
    Part of the interface: neither removed when unused nor merged with its like, because
    callers bind to it.
    """

    @classmethod
    def get_effects(cls, op: Operation) -> AbstractSet[EffectInstance]:
        return _DECLARES


class OrdersMemory(MemoryEffect):
    """No access moves across this op."""

    @classmethod
    def get_effects(cls, op: Operation) -> AbstractSet[EffectInstance]:
        return _FENCES


class ChangesInvocations(MemoryEffect):
    """Fewer invocations run after this op than before it."""

    @classmethod
    def get_effects(cls, op: Operation) -> AbstractSet[EffectInstance]:
        return _ENDS_INVOCATION


class AsksInvocations(MemoryEffect):
    """
    The result depends on which invocations still run: two such ops are equal only if
    none ended between them, and none may be moved into or out of a loop or branch.
    """

    @classmethod
    def get_effects(cls, op: Operation) -> AbstractSet[EffectInstance]:
        return _ASKS_INVOCATIONS
