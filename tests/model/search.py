"""Goes through everything that may happen in a model."""

from collections import deque
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

S = TypeVar("S", bound=Hashable)


class Broken(Exception):
    """What is modelled does not keep its promise."""


class Model(Protocol[S]):
    """States, and what may come after each."""

    def starts(self) -> Iterable[S]:
        """How it may begin."""
        ...

    def successors(self, state: S) -> Iterable[S]:
        """What may be next."""
        ...

    def is_end(self, state: S) -> bool:
        """Whether nothing is left to be done. Raises `Broken` if that is wrong."""
        ...


@dataclass(frozen=True)
class Finding(Generic[S]):
    """What came out, and how much there was to see."""

    states: int
    transitions: int
    broken: str | None = None
    """What is wrong, None if nothing."""
    path: tuple[S, ...] = ()
    """A way to where it goes wrong."""


def search(model: Model[S]) -> Finding[S]:
    """
    All states that can be reached, or all up to the first that must not be.

    Example: `search(Machine(setup)).broken is None`
    """
    found = _Search(model)
    broken = found.run()
    path = found.path() if broken else ()
    return Finding(len(found.numbers), len(found.edges), broken, path)


class _Search(Generic[S]):
    def __init__(self, model: Model[S]) -> None:
        self.model = model
        self.numbers: dict[S, int] = {}
        self.edges: list[tuple[int, int]] = []
        self.ends: list[int] = []
        self.current = 0
        self.waiting: deque[tuple[int, S]] = deque()

    def run(self) -> str | None:
        try:
            for state in self.model.starts():
                self._number(state)
            while self.waiting:
                self.current, state = self.waiting.popleft()
                for after in self.model.successors(state):
                    self.edges.append((self.current, self._number(after)))
        except Broken as broken:
            return str(broken)
        hopeless = self._without_end()
        self.current = max(hopeless, default=0)
        return "waits forever" if hopeless else None

    def path(self) -> tuple[S, ...]:
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

    def _number(self, state: S) -> int:
        if (known := self.numbers.get(state)) is not None:
            return known
        number = self.numbers[state] = len(self.numbers)
        self.waiting.append((number, state))
        if self.model.is_end(state):
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
