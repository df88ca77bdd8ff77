"""
How blocks wait for each other in a native kernel, as data.

The steps of the protocol are written here once. `grid_barrier.py` renders them as CUDA
C++, and the model checker in `tests/model` executes them in every order and with every
delay that the memory model allows: what is checked is what is emitted.

One thread of each block, its leader, takes part; the block's other threads wait for it. It
counts its block in `ARRIVED`. The block that completes the count sets it back to zero,
decides whether the kernel goes on, and publishes that by a new value of `GENERATION`, on
which all others wait: two more than before if all go on, three more (an odd value) if all
leave. So decision and release are one store, and all blocks take the same decision. Values
are only compared with the one before, so they may wrap around.

Why everything is seen that was written before: `__syncthreads` orders it before the
leader's fence, that fence before the block's arrival, the next fence all arrivals before
the release, the last fence the release before the second `__syncthreads`, and that before
what follows. A fence orders what a thread has learned from others like what it did itself.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Literal


class Word(Enum):
    """What leaders share. The first three are words of `vyre_grid`."""

    ARRIVED = "arrived"
    """How many blocks wait; zero between barriers."""
    GENERATION = "generation"
    """Grows by two with each barrier; odd once all shall leave."""
    GAVE_UP = "gave_up"
    """The barrier, from 1, at which a block's watchdog stopped the kernel; zero if none."""
    STOP = "vyre_stop"
    """
    Not zero if the host, or a watchdog, wants all to leave; it is in the host's memory, and
    slow.
    """
    TRAPPED = "trapped"
    """The smallest invocation that trapped, all ones if none did."""


LINE_WORDS = 32
"""On a line of the cache. Each word has its own: spinning does not disturb counting."""

WORD_POSITIONS = {
    Word.ARRIVED: 0,
    Word.GENERATION: LINE_WORDS,
    Word.GAVE_UP: 2 * LINE_WORDS,
}
"""Where they are in `vyre_grid`."""

GRID_WORDS = 3 * LINE_WORDS
"""How many 32-bit words `vyre_grid` points to."""

NO_TRAP = 2**64 - 1
"""What `TRAPPED` holds if nobody trapped."""


@dataclass(frozen=True)
class Plus:
    """A variable plus a constant, modulo 2^32."""

    name: str
    amount: int


@dataclass(frozen=True)
class AtomicAdd:
    """The old value of a word to which a constant is added. Orders nothing else."""

    word: Word
    amount: int


Operand = int | str | Plus
"""
A constant, a variable, or their sum. Variables are each thread's own, but `blocks` is how
many there are, and `barrier` which barrier this is.
"""

Source = Operand | Word | AtomicAdd
"""What a variable may be set to. A word is loaded."""


@dataclass(frozen=True)
class Let:
    """Defines a variable."""

    name: str
    source: Source
    why: str = ""
    is_const: bool = True


@dataclass(frozen=True)
class Set:
    """Gives a variable a new value."""

    name: str
    source: Source
    why: str = ""


@dataclass(frozen=True)
class Store:
    """Stores to a word, without any order among stores to different words."""

    word: Word
    value: Operand
    why: str = ""


@dataclass(frozen=True)
class Fence:
    """`__threadfence`: what the thread did or learned comes before what it does next."""

    why: str


@dataclass(frozen=True)
class SyncThreads:
    """`__syncthreads`: the block's threads wait for each other and share what they know."""

    why: str


@dataclass(frozen=True)
class GoOnIfEven:
    """Ends with a `__syncthreads`: the block goes on if a thread's variable is even."""

    name: str
    why: str


@dataclass(frozen=True)
class If:
    """Compares a variable, or what was in a word, with something."""

    left: Source
    relation: Literal["==", "!="]
    right: Operand
    then: "Steps"
    otherwise: "Steps" = ()
    why: str = ""


@dataclass(frozen=True)
class IfLeader:
    """What only the block's first thread does."""

    then: "Steps"
    why: str = ""


@dataclass(frozen=True)
class Sometimes:
    """What is done now and then; correct code does not depend on when."""

    condition: str
    """In CUDA C++, about counters."""
    then: "Steps"
    why: str = ""


@dataclass(frozen=True)
class Spin:
    """
    Repeats its steps until `Leave`, and counts in `spins`, from 1. Between the rounds it
    sleeps a little, which leaves the memory, and a host that plays the device, to others.
    """

    body: "Steps"
    why: str = ""


@dataclass(frozen=True)
class Leave:
    """Ends the `Spin` around it."""

    why: str = ""


Step = (
    Let
    | Set
    | Store
    | Fence
    | SyncThreads
    | GoOnIfEven
    | If
    | IfLeader
    | Sometimes
    | Spin
    | Leave
)
Steps = tuple[Step, ...]


def grid_barrier_steps(*, has_traps: bool, watchdog: int | None = None) -> Steps:
    """
    What each thread does at a grid barrier.

    Example: `grid_barrier_steps(has_traps=False)[1]` is a `SyncThreads`.
    """
    return (
        Let(
            "now",
            1,
            "The new generation. Odd: leave, which is right also if the leader is gone.",
            is_const=False,
        ),
        SyncThreads("The whole block is here. Its writes come before the leader's fence."),
        IfLeader(
            (
                Let("before", Word.GENERATION),
                Fence("Release: they come before its arrival."),
                If(
                    AtomicAdd(Word.ARRIVED, 1),
                    "==",
                    Plus("blocks", -1),
                    then=_release(has_traps, watchdog),
                    otherwise=_wait(watchdog),
                ),
            ),
        ),
        GoOnIfEven("now", "The block learns what its leader knows."),
    )


def _release(has_traps: bool, watchdog: int | None) -> Steps:
    """What the last block does that arrives."""
    decisions: list[Step] = []
    if has_traps:
        decisions.append(If(Word.TRAPPED, "!=", NO_TRAP, (Set("now", Plus("before", 3)),)))
    if watchdog is not None:
        decisions.append(If(Word.GAVE_UP, "!=", 0, (Set("now", Plus("before", 3)),)))
    return (
        Store(
            Word.ARRIVED,
            0,
            "The last block. All others wait, nobody counts until the release.",
        ),
        Fence(
            "Acquire and release: all arrivals, what came before them, and the zero above\n"
            "come before the new generation, and before the look at the traps."
        ),
        Set("now", Plus("before", 2)),
        *decisions,
        Sometimes(
            "before % 32 == 30",
            (If(Word.STOP, "!=", 0, (Set("now", Plus("before", 3)),)),),
            "Also a loop in which nobody waits long must stop when the host wants it.",
        ),
        Store(Word.GENERATION, "now"),
    )


def _wait(watchdog: int | None) -> Steps:
    """What all others do."""
    gives_up: Steps = ()
    if watchdog is not None:
        gives_up = (
            Sometimes(
                f"spins == {watchdog}u",
                (
                    Store(Word.GAVE_UP, "barrier"),
                    Store(
                        Word.STOP, 1, "Also for those who are in a loop and do not come."
                    ),
                    Set("now", Plus("before", 1)),
                    Leave(),
                ),
                "The watchdog: rather stop than hang.",
            ),
        )
    return (
        Spin(
            (
                Set("now", Word.GENERATION),
                If("now", "!=", "before", (Leave(),)),
                Sometimes(
                    "spins % 256 == 0",
                    (
                        If(
                            Word.STOP,
                            "!=",
                            0,
                            (Set("now", Plus("before", 1)), Leave()),
                        ),
                    ),
                    "Rarely, since the host's memory is far away.",
                ),
                *gives_up,
            )
        ),
        Fence("Acquire: the release comes before what the block does next."),
    )
