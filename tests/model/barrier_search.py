"""Goes through everything that may happen at a grid barrier."""

from collections import deque
from dataclasses import dataclass

from barrier_machine import Machine
from barrier_promise import Broken, check_end
from barrier_reduction import ReducedMachine
from barrier_state import Setup, State


@dataclass(frozen=True)
class Finding:
    """What came out, and how much there was to see."""

    states: int
    transitions: int
    broken: str | None = None
    """What is wrong, None if nothing."""
    path: tuple[State, ...] = ()
    """A way to where it goes wrong."""


def explore(setup: Setup, *, is_reduced: bool = True) -> Finding:
    """
    All states that can be reached, or all up to the first that must not be.

    Example: `explore(Setup(grid_barrier_steps(has_traps=False), blocks=2)).broken is None`
    """
    machine = Machine(setup)
    search = _Search(ReducedMachine(machine) if is_reduced else machine)
    broken = search.run()
    path = search.path() if broken else ()
    return Finding(len(search.numbers), len(search.edges), broken, path)


class _Search:
    def __init__(self, machine: Machine | ReducedMachine) -> None:
        self.machine = machine
        self.numbers: dict[State, int] = {}
        self.edges: list[tuple[int, int]] = []
        self.ends: list[int] = []
        self.current = 0
        self.waiting: deque[tuple[int, State]] = deque()

    def run(self) -> str | None:
        try:
            for state in self.machine.starts():
                self._number(state)
            while self.waiting:
                self.current, state = self.waiting.popleft()
                for after in self.machine.successors(state):
                    self.edges.append((self.current, self._number(after)))
        except Broken as broken:
            return str(broken)
        hopeless = self._without_end()
        self.current = max(hopeless, default=0)
        return "waits forever" if hopeless else None

    def path(self) -> tuple[State, ...]:
        """How the current state was found."""
        sources: dict[int, int] = {}
        for source, target in self.edges:
            sources.setdefault(target, source)
        states, number = list(self.numbers), self.current
        path = [states[number]] if states else []
        while sources.get(number, number) < number:
            number = sources[number]
            path.append(states[number])
        return tuple(reversed(path))

    def _number(self, state: State) -> int:
        if (known := self.numbers.get(state)) is not None:
            return known
        number = self.numbers[state] = len(self.numbers)
        self.waiting.append((number, state))
        if not any(state.threads):
            check_end(self.machine.setup, state)
            self.ends.append(number)
        return number

    def _without_end(self) -> set[int]:
        """From where no end can be reached: who waits there does so in vain."""
        before: list[list[int]] = [[] for _ in self.numbers]
        for source, target in self.edges:
            before[target].append(source)
        hopeless, waiting = set(range(len(self.numbers))), list(self.ends)
        hopeless.difference_update(self.ends)
        while waiting:
            for source in before[waiting.pop()]:
                if source in hopeless:
                    hopeless.remove(source)
                    waiting.append(source)
        return hopeless
