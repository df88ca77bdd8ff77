"""What the model of the grid barrier is about: threads, words, and what is explored."""

from dataclasses import dataclass
from typing import NamedTuple

from weak_memory import Memory, Mind

from vyre.lowering.cuda.grid_protocol import Steps, Word

POSITIONS = {word: position for position, word in enumerate(Word)}
"""Of the words in memory, and in views."""


class Thread(NamedTuple):
    """Where a thread is and what it knows."""

    round: int
    at: int
    variables: tuple[int, ...]
    mind: Mind


class State(NamedTuple):
    """Everything at a moment. A thread that is gone is None."""

    memory: Memory
    threads: tuple[Thread | None, ...]
    has_stopped: bool
    """Whether the host wants all to leave."""

    def newest(self, word: Word) -> int:
        """What a word holds in the end if nobody stores to it any more."""
        return self.memory[POSITIONS[word]][-1].value

    @property
    def shall_stop(self) -> bool:
        """Whether the host or a watchdog wants all to leave."""
        return self.has_stopped or self.newest(Word.GAVE_UP) != 0


@dataclass(frozen=True)
class Setup:
    """
    What is explored.

    Example: `Setup(grid_barrier_steps(has_traps=False), blocks=2, rounds=2)`
    """

    steps: Steps
    blocks: int
    block_threads: int = 1
    rounds: int = 1
    trap: tuple[int, int] | None = None
    """The thread that traps, and in which round."""
    missing: tuple[int, int] | None = None
    """A block that does not come to the barrier, and in which round."""
    lingering: tuple[int, int] | None = None
    """One that stays in a loop until it sees the stop word, and in which round."""
    host_stops: bool = False
    """Whether the host sets the stop word, at any moment."""
    threads_look: bool = False
    """Whether also a thread's own work looks at the stop word."""
    first_generation: int = 0
    counts_generations: bool = True
    """Whether the protocol keeps the generation word."""
    end_meets: bool = True
    """Whether the end of the barrier is a `__syncthreads`."""

    @property
    def special_blocks(self) -> set[int]:
        """Those that are not like all others."""
        trapping = {self.trap[0] // self.block_threads} if self.trap else set[int]()
        return trapping | {each[0] for each in (self.missing, self.lingering) if each}

    @property
    def threads(self) -> int:
        """In the whole grid."""
        return self.blocks * self.block_threads

    def generation(self, barriers: int) -> int:
        """After so many barriers."""
        return (self.first_generation + 2 * barriers) % 2**32
