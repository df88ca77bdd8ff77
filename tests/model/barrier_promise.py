"""
What a grid barrier promises.

Who goes on knows all that any thread did before the barrier. A trap that was recorded
before it makes all leave there, and nothing else does, except the host or the watchdog.
Nobody is a barrier behind. In the end the words are as good as new.
"""

from barrier_state import Setup, State, Thread
from search import Broken

from vyre.lowering.cuda.grid_protocol import Word


def check_going_on(setup: Setup, state: State, thread: Thread) -> None:
    """A thread goes on after the barrier."""
    if _shall_leave(setup, thread.round):
        raise Broken("goes on in spite of a trap")
    known = thread.mind.known[len(Word) :]
    for other, work in zip(state.threads, known, strict=True):
        # Who was told to leave is not waited for, and nobody reads what it did.
        if work <= thread.round and (other or not state.shall_stop):
            raise Broken("goes on without knowing all that was done")


def check_generation(setup: Setup, thread: Thread, value: int) -> None:
    """A leader goes on because of this generation."""
    if setup.counts_generations and value != setup.generation(thread.round + 1):
        raise Broken("goes on in the wrong generation")


def check_leaving(setup: Setup, state: State, thread: Thread) -> None:
    """A thread leaves at the barrier."""
    if not state.shall_stop and not _shall_leave(setup, thread.round):
        raise Broken("leaves without a reason")


def check_end(setup: Setup, state: State) -> None:
    """All threads are gone."""
    if state.shall_stop:
        return
    if state.newest(Word.ARRIVED):
        raise Broken("leaves a count behind")
    if setup.counts_generations:
        expected = setup.generation(setup.rounds)
        if setup.trap:
            expected = setup.generation(setup.trap[1] + 1) + 1
        if state.newest(Word.GENERATION) != expected:
            raise Broken("leaves a wrong generation behind")


def _shall_leave(setup: Setup, round: int) -> bool:
    return setup.trap is not None and setup.trap[1] <= round
