"""
Where everything is among the words of a job, after the header: sizes of the grid, memory,
passes, the buffers and parameters of the table, scratch, and what the code reports.

The one who emits code reserves words here, and the one who runs it fills them in. A layout
is plain data, so that it can be kept beside compiled code.
"""

from dataclasses import asdict, dataclass, field
from typing import Any

from vyre.lowering.llvm.job import HEADER_WORDS

# What everybody reads.
GROUPS = HEADER_WORDS
"""Workgroups along x, y and z."""
MEMORY = HEADER_WORDS + 3
"""Address of the first worker's memory."""
STRIDE = HEADER_WORDS + 4
"""Bytes from one worker's memory to the next."""
PASSES = HEADER_WORDS + 5
"""How often to run the program, at most."""
INTERVAL = HEADER_WORDS + 6
"""After how many passes each to compare one with the one before; 0 for never."""
TIMED = HEADER_WORDS + 7
"""Not 0 if launches shall be timed."""

# What is written while the code runs, on cache lines of its own.
TRAPPED = HEADER_WORDS + 16
"""Not 0 when an invocation has trapped."""
DIFFERS = HEADER_WORDS + 17
"""Not 0 when a pass has changed something."""
DONE = HEADER_WORDS + 18
"""How many passes were made."""
MARK = HEADER_WORDS + 19
"""The clock when the last launch ended."""
LATEST = HEADER_WORDS + 20
"""Where the ticks of the latest launch are, in bytes from the job's beginning."""
OTHER = HEADER_WORDS + 21
"""Ticks of what is no launch."""
FIRST_FREE = HEADER_WORDS + 32

# The record at the beginning of each worker's memory, in words.
TRAP = 0
"""The smallest invocation that trapped, with the number of the trap."""
TRAP_VALUE = 1
COUNTER = 2
"""The first workgroup of the worker's part that nobody has taken; see `dividing`."""
RECORD_BYTES = 64

EXHAUSTED = 2**62
"""A counter of a part that has nothing left."""


@dataclass
class BufferWords:
    """A buffer: its address, then its sizes."""

    name: str
    word: int
    rank: int


@dataclass
class WrittenWords:
    """
    What else there is about a buffer that the program may write: how many bytes it has, how
    many of them shall be zeros at first, and the address of a copy for comparison.
    """

    name: str
    word: int
    float_bytes: int
    """Of an element if it is a float, else 0."""


@dataclass
class ParamWords:
    """A parameter: its bits."""

    name: str
    word: int


@dataclass
class ScratchWords:
    """Scratch: its address, and how many bytes it has. A size of -1 depends on the grid."""

    scope: str
    word: int
    shape: list[int]
    item_bytes: int


@dataclass
class LaunchWords:
    """
    A launch, and its place among those of the schedule: how often it was made, and the
    ticks that it took.
    """

    segment: str
    number: int
    word: int


@dataclass
class Trap:
    """A trap: what it says, where it stands, and in which wave."""

    tag: str
    place: str
    wave: str | None
    has_value: bool


@dataclass
class Layout:
    """
    The words of a program's job.

    Example: `Layout("p").reserve(2)` is the first of two words.
    """

    name: str
    is_schedule: bool = False
    """Whether the program was a schedule before."""
    size: tuple[int, int, int] = (1, 1, 1)
    """Invocations of a workgroup along x, y and z."""
    buffers: list[BufferWords] = field(default_factory=list[BufferWords])
    written: list[WrittenWords] = field(default_factory=list[WrittenWords])
    params: list[ParamWords] = field(default_factory=list[ParamWords])
    scratch: list[ScratchWords] = field(default_factory=list[ScratchWords])
    launches: list[LaunchWords] = field(default_factory=list[LaunchWords])
    traps: list[Trap] = field(default_factory=list[Trap])
    memory_bytes: int = RECORD_BYTES
    """Memory that each worker needs."""
    cost: int = 0
    """Operations of the longest launch for each invocation, as far as one can tell."""
    words: int = FIRST_FREE
    """How many words there are, with the header."""

    def reserve(self, count: int) -> int:
        """The first of so many new words."""
        first = self.words
        self.words += count
        return first

    def as_data(self) -> dict[str, Any]:
        """As what JSON can hold."""
        return asdict(self)

    @staticmethod
    def from_data(data: dict[str, Any]) -> "Layout":
        """The layout that `as_data` was called on."""
        x, y, z = data["size"]
        return Layout(
            data["name"],
            data["is_schedule"],
            (x, y, z),
            [BufferWords(**each) for each in data["buffers"]],
            [WrittenWords(**each) for each in data["written"]],
            [ParamWords(**each) for each in data["params"]],
            [ScratchWords(**each) for each in data["scratch"]],
            [LaunchWords(**each) for each in data["launches"]],
            [Trap(**each) for each in data["traps"]],
            data["memory_bytes"],
            data["cost"],
            data["words"],
        )
