"""Text of a program as it is written: lines, blocks, and the values that are visible."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from grid_memory import Buffer, Flight, Level, Memref, Roles, Value
from grid_policies import FLOATS, Policy

T = TypeVar("T")

LIMITS = {"i8": 7, "i16": 15, "i32": 31, "i64": 63, "index": 63}
SPECIAL_FLOATS = {
    "f16": ("0x7E00", "0x7C00", "0xFC00", "0x8000", "0x0001", "0x7BFF"),
    "f32": ("0x7FC00000", "0x7F800000", "0xFF800000", "0x80000000", "0x00000001"),
    "f64": ("0x7FF8000000000000", "0x7FF0000000000000", "0x8000000000000000"),
}
"""NaN, infinities, the negative zero, the smallest and the largest numbers."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A variable; only values and control of its level may assign it."""

    name: str
    type: str
    level: Level


@dataclass
class Block:
    """What a block defines, and what it still has to do before it ends."""

    is_region: bool = False
    values: list[Value] = field(default_factory=list[Value])
    slots: list[Value] = field(default_factory=list[Value])
    """Numbers below the number of invocations."""
    members: list[Value] = field(default_factory=list[Value])
    """Numbers below the size of a workgroup."""
    memrefs: list[Memref] = field(default_factory=list[Memref])
    cells: list[Cell] = field(default_factory=list[Cell])
    flights: list[Flight] = field(default_factory=list[Flight])
    """Copies to be waited for."""
    after_barrier: list[Callable[[], None]] = field(
        default_factory=list[Callable[[], None]]
    )


class Writer:
    """Writes lines into nested blocks and knows what is visible."""

    def __init__(self, rng: Random, policy: Policy):
        self.rng = rng
        self.policy = policy
        self.roles = Roles()
        self.head: list[str] = []
        """The table, sizes and constants, above everything else."""
        self.lines: list[str] = []
        self.blocks = [Block()]
        self.control = Level.GRID
        """Across what it is the same whether the present code runs."""
        self.heat = 1
        """How often the present code may run, because of the loops around it."""
        self.kept: dict[str, int] = {}
        """Values that were read from memory, and the phase in which they were."""
        self._count = 0
        self._constants: dict[tuple[str, str], Value] = {}

    @property
    def block(self) -> Block:
        return self.blocks[-1]

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def weighted(self, weights: dict[T, float]) -> T:
        return self.rng.choices(list(weights), list(weights.values()))[0]

    def line(self, text: str) -> None:
        self.lines.append(text)

    def fresh(self, letter: str = "v") -> str:
        self._count += 1
        return f"%{letter}{self._count}"

    def define(self, text: str, type: str, level: Level) -> Value:
        """A new value that other code may use from now on."""
        value = Value(self.fresh(), type, level)
        self.line(f"{value.name} = {text}")
        self.block.values.append(value)
        return value

    def hidden(self, text: str, type: str, level: Level) -> Value:
        """A new value that only who gets it here may use."""
        value = Value(self.fresh(), type, level)
        self.line(f"{value.name} = {text}")
        return value

    @contextmanager
    def nested(self, control: Level, trips: int = 1) -> Generator[Block]:
        """Inside a block that runs under this control, up to so many times."""
        before = self.control, self.heat
        self.control, self.heat = max(control, self.control), self.heat * max(trips, 1)
        self.blocks.append(Block())
        yield self.block
        self.blocks.pop()
        self.control, self.heat = before

    # What is visible

    def visible(self, type: str, level: Level = Level.LANE) -> list[Value]:
        return [
            value
            for block in self.blocks
            for value in block.values
            if value.type == type and value.level <= level
        ]

    def pick(self, type: str, level: Level = Level.LANE) -> Value | None:
        """A visible value, rather one that has to be kept, and a recent one."""
        found = self.visible(type, level)
        if self.chance(0.4):
            found = [value for value in found if self._was_read_before(value)] or found
        elif self.chance(0.5):
            found = [value for value in found if value.level is Level.LANE] or found
        return self.some(found) if found else None

    def _was_read_before(self, value: Value) -> bool:
        """Whether the value was read in another phase, and may be something else now."""
        phase = self.roles.phase.grid
        return self.kept.get(value.name, phase) != phase

    def some(self, found: Sequence[T]) -> T:
        return self.rng.choice(found[-3:] if self.chance(0.4) else found)

    def memrefs(self, fits: Callable[[Memref], bool]) -> list[Memref]:
        return [m for block in self.blocks for m in block.memrefs if fits(m)]

    def cells(self, fits: Callable[[Cell], bool]) -> list[Cell]:
        return [cell for block in self.blocks for cell in block.cells if fits(cell)]

    def slots(self, buffer: Buffer, level: Level = Level.LANE) -> list[Value]:
        """Indices that lie inside a buffer."""
        local = buffer.scope is Level.GROUP
        return [
            slot
            for block in self.blocks
            for slot in (block.members if local else block.slots)
            if slot.level <= level
        ]

    # Constants

    def constant(self, type: str, literal: object) -> Value:
        """A constant, which stands above everything else unless it is made again."""
        key = (type, str(literal))
        text = f"arith.constant {literal}" + ("" if type == "i1" else f" : {type}")
        if self.chance(0.1):
            return self.hidden(text, type, Level.GRID)
        if key not in self._constants:
            value = Value(self.fresh("c"), type, Level.GRID)
            self.head.append(f"{value.name} = {text}")
            self._constants[key] = value
        return self._constants[key]

    def index(self, number: int) -> Value:
        return self.constant("index", number)

    def some_constant(self, type: str) -> Value:
        return self.constant(type, literal(self.rng, type))


def literal(rng: Random, type: str) -> str:
    """A literal: mostly a small number, now and then an extreme one."""
    if type == "i1":
        return rng.choice(("true", "false"))
    small = rng.random() < 0.7
    if type in FLOATS:
        if small:
            return f"{rng.randint(-8, 8) * rng.choice((0.5, 1, 3.25))!r}"
        return rng.choice(SPECIAL_FLOATS[type])
    if small:
        return str(rng.randint(-3, 7))
    top = 2 ** LIMITS[type]
    return str(rng.choice((-top, top - 1, -1, top // 2, 1 - top)))
