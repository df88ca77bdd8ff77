"""Where an op may stand: inside a program, inside a schedule, last in its block."""

from dataclasses import dataclass
from typing import Literal

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.traits import IsTerminator, OpTrait  # noqa: TID251

from vyre.dialects.refusal import Note, Refusal, name_of

Home = Literal["vyre.program", "vyre.schedule"]


def enclosing_home(op: Operation) -> Operation | None:
    """The `vyre.program` or `vyre.schedule` that `op` is nested in, if any."""
    parent = op.parent_op()
    while parent is not None and parent.name not in ("vyre.program", "vyre.schedule"):
        parent = parent.parent_op()
    return parent


def _is_detached(op: Operation) -> bool:
    """Whether `op` is still under construction, outside any module."""
    parent: Operation | None = op
    while parent is not None:
        if isinstance(parent, ModuleOp):
            return False
        parent = parent.parent_op()
    return True


@dataclass(frozen=True)
class Inside(OpTrait):
    """The op is nested in the given kind of op, at any depth."""

    home: Home

    def verify(self, op: Operation) -> None:
        home = enclosing_home(op)
        if home is None:
            _require_home(op, f"'{self.home}'")
        elif home.name != self.home:
            raise Refusal(
                f"'{op.name}' belongs in a '{self.home}', not in a '{home.name}'",
                fix=_MISPLACED[self.home],
                notes=[Note(home, f"inside this '{home.name}'")],
            )


class InsideAny(OpTrait):
    """The op is nested in a program or in a schedule, at any depth."""

    def verify(self, op: Operation) -> None:
        if enclosing_home(op) is None:
            _require_home(op, "'vyre.program' or 'vyre.schedule'")


def _require_home(op: Operation, homes: str) -> None:
    if not _is_detached(op):
        raise Refusal(
            f"'{op.name}' stands outside any {homes}",
            fix=f"move it into the body of a {homes}",
        )


_MISPLACED: dict[Home, str] = {
    "vyre.program": "move it into a 'vyre.program' and launch that from the schedule",
    "vyre.schedule": "move it into a 'vyre.schedule': it is something the host does",
}


@dataclass(frozen=True)
class TopLevelOf(OpTrait):
    """The op stands directly in the body of one of the given kinds of op."""

    homes: tuple[Home, ...]

    def verify(self, op: Operation) -> None:
        parent = op.parent_op()
        if parent is None or parent.name in self.homes:
            return
        names = " or ".join(f"'{home}'" for home in self.homes)
        home = enclosing_home(op)
        nested = home is not None and home.name in self.homes
        way = f"out of the '{name_of(parent)}'" if nested else f"into a {names}"
        raise Refusal(
            f"'{op.name}' must stand at the top level of a {names}",
            fix=f"move it {way}",
            notes=[Note(parent, "nested in this operation")] if nested else (),
        )


class InModule(OpTrait):
    """Programs and schedules stand side by side, in a module or a `vyre.workgroups`."""

    def verify(self, op: Operation) -> None:
        parent = op.parent_op()
        if (
            parent is not None
            and not isinstance(parent, ModuleOp)
            and parent.name != "vyre.workgroups"
        ):
            raise Refusal(
                f"'{op.name}' is nested in a '{name_of(parent)}'",
                fix="move it out, directly into the module",
                notes=[Note(parent, f"inside this '{name_of(parent)}'")],
            )


class EndsInvocation(OpTrait):
    """Nothing but its block's terminator follows the op: it would never run."""

    def verify(self, op: Operation) -> None:
        following = op.next_op
        if following is None or following.has_trait(
            IsTerminator, value_if_unregistered=False
        ):
            return
        raise Refusal(
            f"'{name_of(following)}' follows a '{op.name}' in its block and never runs",
            fix=f"remove it, or move it before the '{op.name}'",
            at=following,
            notes=[Note(op, "every invocation that comes here ends")],
        )
