"""
Takes states together that differ in nothing that matters.

Up to where a thread touches memory that others use, what it does is its own business, and
comes to the same whenever it happens, as what is checked is knowledge and not time. So it
happens at once. What nobody can read any more is left out of memory, what everyone knows is
in every view, and blocks may change places.
"""

from collections.abc import Iterator

from barrier_machine import Machine
from barrier_state import State
from barrier_symmetry import in_order
from weak_memory import trimmed


class ReducedMachine:
    """
    Like the machine, with fewer states.

    Example: `ReducedMachine(Machine(setup)).successors(state)`
    """

    def __init__(self, machine: Machine) -> None:
        self.setup = machine.setup
        self._machine = machine

    def starts(self) -> list[State]:
        """How it may begin."""
        states = list(self._machine.starts())
        for block in range(self.setup.blocks):
            states = [after for state in states for after in self._settled(state, block)]
        return [in_order(self.setup, _trimmed(state)) for state in states]

    def successors(self, state: State) -> Iterator[State]:
        """What may be next, at places that matter to others."""
        yield from self._machine.stopped(state)
        for number in range(self.setup.threads):
            block = number // self.setup.block_threads
            for executed in self._machine.executed(state, number):
                for after in self._settled(executed, block):
                    if after != state:  # Most of them: it has looked in vain.
                        yield in_order(self.setup, _trimmed(after))

    def is_end(self, state: State) -> bool:
        """Whether all threads are gone, as they should be."""
        return self._machine.is_end(state)

    def _settled(self, state: State, block: int) -> Iterator[State]:
        """After all that a block's threads do on their own."""
        first = block * self.setup.block_threads
        for number in range(first, first + self.setup.block_threads):
            thread = state.threads[number]
            if thread and self._machine.is_own_business(number, thread):
                for after in self._machine.executed(state, number):
                    yield from self._settled(after, block)
                return
        meeting = next(self._machine.met(state, block), None)
        if meeting:
            yield from self._settled(meeting, block)
        else:
            yield state


def _trimmed(state: State) -> State:
    minds = [thread.mind for thread in state.threads if thread]
    memory, minds = trimmed(state.memory, minds)
    rest = iter(minds)
    threads = tuple(thread and thread._replace(mind=next(rest)) for thread in state.threads)
    return State(memory, threads, state.has_stopped)
