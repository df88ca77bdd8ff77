"""
Who may touch what: the model that makes generated programs free of races.

In each phase a buffer has one *role*, which all code of the phase keeps to:

| role | what invocations do with the buffer |
|---|---|
| `SHARED` | everyone reads anything, nobody writes |
| `owned(slot)` | everyone accesses only the elements at its own `slot`, a permutation |
| `updated(kind)` | everyone updates anything by atomics of one kind and drops old values |
| `single(n)` | only invocation n accesses it, anywhere |
| `FLAG` | whoever writes it writes the same value to the same element, and nobody reads |
| `PING_PONG` | everyone reads one of two carried buffers and owns slots of the other |
| `TICKETS` | everyone adds 1 to one element and gets a different number |

A phase is numbered as `vyre.analysis.phases` does it: what control can reach without a
barrier has one number. Workgroup memory goes by the phases between barriers of any kind.
"""

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TypeAlias


class Level(IntEnum):
    """Across what a value, or whether code runs, is the same."""

    GRID = 0
    GROUP = 1
    LANE = 2


@dataclass(frozen=True, slots=True)
class Value:
    """An SSA value of a program."""

    name: str
    type: str
    level: Level


@dataclass(frozen=True, slots=True)
class Buffer:
    """
    An array with at least one slot for each invocation of the grid, or in workgroup memory
    for each of the workgroup. A slot has `width` elements: neighbours in one dimension
    (`flat`), or the elements of a row or a column in two.
    """

    name: str
    element: str
    memref: str
    width: int
    layout: str
    scope: Level
    readable: bool = True
    writable: bool = True
    lingers: bool = False
    """Whether copies to it may be in flight for long; then no load from it is uniform."""
    exact: bool = False
    """Whether it only ever gets small whole numbers, so that sums of floats are exact."""


@dataclass(frozen=True, slots=True)
class Memref:
    """A buffer, or a value that may stand for several: all are alike."""

    name: str
    sources: tuple[Buffer, ...]

    @property
    def like(self) -> Buffer:
        """What holds for each source."""
        return self.sources[0]


Role: TypeAlias = tuple[str, ...]

SHARED: Role = ("shared",)
FLAG: Role = ("flag",)
TICKETS: Role = ("tickets",)
PING_PONG: Role = ("ping-pong",)
EXCLUSIVE = (FLAG, TICKETS, PING_PONG)
"""Roles that only one statement of a phase may give a buffer."""


def owned(slot: Value) -> Role:
    return "owned", slot.name


def updated(kind: str) -> Role:
    return "updated", kind


def single(number: int) -> Role:
    return "single", str(number)


@dataclass(frozen=True, slots=True)
class Phase:
    """Where code stands: its phase of the grid, and its phase of the workgroup."""

    grid: int
    group: int


@dataclass(frozen=True, slots=True)
class Flight:
    """An asynchronous copy, and the roles that its buffers keep until it has landed."""

    token: str
    holds: tuple[tuple[Memref, Role], ...]

    @property
    def buffers(self) -> list[Buffer]:
        return [buffer for memref, _ in self.holds for buffer in memref.sources]


@dataclass
class Roles:
    """The role of every buffer in every phase, and who is in the air."""

    phase: Phase = field(default_factory=lambda: Phase(0, 0))
    in_flight: list[Buffer] = field(default_factory=list[Buffer])
    """Buffers that copies read or write until they are waited for."""
    _phases: int = 0
    _roles: dict[tuple[Level, int, Buffer], Role] = field(
        default_factory=dict[tuple[Level, int, Buffer], Role]
    )

    def new_phase(self) -> int:
        """The number of a phase that nothing has happened in."""
        self._phases += 1
        return self._phases

    def role(self, memref: Memref, phase: Phase | None = None) -> Role | None:
        """The role of a memref's sources in a phase, by default in the present one."""
        keys = self._keys(memref, phase)
        found = [self._roles[key] for key in keys if key in self._roles]
        return found[0] if found else None

    def fits(self, memref: Memref, role: Role) -> bool:
        """Whether the sources may be accessed in this role now."""
        flying = any(buffer in self.in_flight for buffer in memref.sources)
        taken = role in EXCLUSIVE and self.role(memref) is not None
        return not flying and not taken and self.may_have(memref, role, self.phase)

    def may_have(self, memref: Memref, role: Role, phase: Phase) -> bool:
        """Whether the sources have this role in a phase, or none yet."""
        return all(self._roles.get(key, role) == role for key in self._keys(memref, phase))

    def claim(self, memref: Memref, role: Role, phase: Phase | None = None) -> None:
        """From now on the sources have this role in the phase."""
        for key in self._keys(memref, phase):
            assert self._roles.get(key, role) == role, (key, role)
            self._roles[key] = role

    def _keys(self, memref: Memref, phase: Phase | None) -> list[tuple[Level, int, Buffer]]:
        at = phase or self.phase
        return [
            (buffer.scope, at.grid if buffer.scope is Level.GRID else at.group, buffer)
            for buffer in memref.sources
        ]
