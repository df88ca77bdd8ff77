"""
Threads that execute the pool's code, one access to shared memory at a time.

Memory is that of x86: stores wait in a thread's buffer, in order, until they are seen, and
its own loads find them there. Read-modify-writes, sequentially consistent stores and system
calls come after all stores before them. What a thread does between two accesses is its own
business and happens at once.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from pool_frames import Frame, call_of, computed, drains, jumped, operands_of, target_of
from pool_text import Function, Functions, Instruction
from search import Broken

Address = int


class Thread(NamedTuple):
    """Its calls, innermost last; the stores that nobody sees yet; what it sleeps on."""

    frames: tuple[Frame, ...]
    stores: tuple[tuple[Address, int], ...] = ()
    asleep: Address | None = None


class State(NamedTuple):
    """All there is. None for a thread that was not started, or has ended."""

    memory: tuple[int, ...]
    threads: tuple[Thread | None, ...]


@dataclass(frozen=True)
class Setup:
    """
    What is explored: a text with functions, and what the threads of the program call, with
    which arguments. Threads of the pool come after those.
    """

    functions: Functions
    calls: tuple[tuple[str, tuple[int, ...]], ...]
    slots: tuple[int, ...]
    """Where the slots of the pool's threads are."""
    words: Mapping[Address, int]
    """What is in memory at first. Addresses without a value hold 0."""
    shared: frozenset[Address]
    """Words in which the order of accesses matters."""
    jobs: Mapping[Address, range]
    """Where jobs are, which go away when a dispatch has returned."""
    may_be_late: bool = False
    """Whether the deadline of jobs may have passed, whenever somebody looks."""
    naps: bool = False
    """Whether who sleeps for a limited time wakes up by itself."""
    wakes_for_nothing: bool = False
    """Whether the system may wake anybody at any time."""
    entries: Mapping[int, str] | None = None
    """Functions that have addresses."""


GIL = 8
"""Whether a thread has the lock of Python, as an address."""
_VISIBLE_CALLS = {
    "model.take_python", "model.is_late", "sleep_while", "wake", "model.gone",
    "model.start",
}  # fmt: skip
_MEMORY = {"load", "store", "rmw", "cmpxchg"}


class PoolMachine:
    """
    The threads of a setup.

    Example: `PoolMachine(setup).successors(state)`
    """

    def __init__(self, setup: Setup):
        self.setup = setup
        addresses = {GIL, *setup.shared, *setup.words}
        self._places: dict[Address, int] = {}
        self._initial: list[int] = []
        for address in sorted(addresses):
            self._place(address)
        for address, value in setup.words.items():
            self._initial[self._places[address]] = value

    def _place(self, address: Address) -> int:
        if address not in self._places:
            self._places[address] = len(self._places)
            self._initial.append(0)
        return self._places[address]

    def starts(self) -> Iterator[State]:
        """How it begins."""
        callers = [
            Thread((call_of(self.setup.functions[name], arguments),))
            for name, arguments in self.setup.calls
        ]
        threads = (*callers, *[None] * len(self.setup.slots))
        state = State(tuple(self._initial), threads)
        for number in range(len(callers)):
            state = self._settled(state, number)
        yield state

    def is_end(self, state: State) -> bool:
        """Whether all that the program called has returned, and no thread is at work."""
        return not any(state.threads)

    def successors(self, state: State) -> Iterator[State]:
        """What may be next, one access at a time."""
        for number, thread in enumerate(state.threads):
            if thread is None:
                continue
            if thread.stores:
                (address, value), *rest = thread.stores
                seen = _with(state, number, thread._replace(stores=tuple(rest)))
                yield self._stored(seen, address, value)
            for after in self._executed(state, number, thread):
                yield self._settled(after, number)

    # One instruction

    def _executed(self, state: State, number: int, thread: Thread) -> Iterator[State]:
        if thread.asleep is not None:
            return
        _, frame, instruction = self._next(thread)
        if instruction.name == "call":
            yield from self._model_call(state, number, thread, instruction)
            return
        values = operands_of(frame, instruction)
        self._check_alive(state, instruction, values)
        if drains(instruction) and thread.stores:
            return
        match instruction.name:
            case "load":
                result = self._seen(state, thread, values[0])
                yield self._went_on(state, number, result)
            case "store":
                yield self._store(state, number, thread, instruction, values)
            case _:
                yield self._exchanged(state, number, instruction, values)

    def _store(
        self,
        state: State,
        number: int,
        thread: Thread,
        instruction: Instruction,
        values: list[int],
    ) -> State:
        value, address = values
        if instruction.detail == "seq_cst" or address not in self.setup.shared:
            return self._went_on(self._stored(state, address, value), number, 0)
        waiting = thread._replace(stores=(*thread.stores, (address, value)))
        return self._went_on(_with(state, number, waiting), number, 0)

    def _exchanged(
        self, state: State, number: int, instruction: Instruction, values: list[int]
    ) -> State:
        address = values[0]
        before = state.memory[self._places[address]]
        if instruction.name == "cmpxchg":
            is_equal = before == values[1]
            after = values[2] if is_equal else before
            result = before << 1 | is_equal
        else:
            mask = (1 << instruction.bits) - 1
            kinds = {"add": before + values[1], "sub": before - values[1]}
            after, result = kinds.get(instruction.detail, values[1]) & mask, before
        return self._went_on(self._stored(state, address, after), number, result)

    def _model_call(
        self, state: State, number: int, thread: Thread, instruction: Instruction
    ) -> Iterator[State]:
        values = operands_of(thread.frames[-1], instruction)
        if thread.stores:
            return
        match instruction.detail:
            case "model.take_python":
                if not state.memory[self._places[GIL]]:
                    yield self._went_on(self._stored(state, GIL, 1), number, 0)
            case "model.is_late":
                yield self._went_on(state, number, 0)
                if self.setup.may_be_late:
                    yield self._went_on(state, number, 1)
            case "sleep_while":
                yield from self._sleeping(state, number, thread, values)
            case "wake":
                yield self._went_on(self._woken(state, values[0]), number, 0)
            case "model.gone":
                yield self._went_on(self._stored(state, values[0], -1), number, 0)
            case _:
                started = len(self.setup.calls) + self.setup.slots.index(values[0])
                live = Thread((call_of(self.setup.functions["live"], tuple(values)),))
                after = self._settled(_with(state, started, live), started)
                yield self._went_on(after, number, 0)

    def _sleeping(
        self, state: State, number: int, thread: Thread, values: list[int]
    ) -> Iterator[State]:
        address, seen, time = values
        if self._seen(state, thread, address) != seen:
            yield self._went_on(state, number, 0)
            return
        if self.setup.naps and time != -1:
            yield self._went_on(state, number, 0)
            return
        if self.setup.wakes_for_nothing:
            yield self._went_on(state, number, 0)
        yield _with(state, number, thread._replace(asleep=address))

    def _woken(self, state: State, address: Address) -> State:
        for number, thread in enumerate(state.threads):
            if thread is not None and thread.asleep == address:
                awake = thread._replace(asleep=None)
                state = self._settled(
                    self._went_on(_with(state, number, awake), number, 0), number
                )
        return state

    # What is a thread's own business

    def _settled(self, state: State, number: int) -> State:
        """After all that a thread does before its next access to shared memory."""
        for _ in range(10_000):
            thread = state.threads[number]
            if thread is None or thread.asleep is not None:
                return state
            after = self._alone(state, number, thread)
            if after is None:
                return state
            state = after
        raise Broken("never comes to an access")

    def _alone(self, state: State, number: int, thread: Thread) -> State | None:
        """After an instruction that is of no concern to others; None if it is."""
        function, frame, instruction = self._next(thread)
        if instruction.name == "call":
            return self._call(state, number, thread, function, instruction)
        values = operands_of(frame, instruction)
        if instruction.name in _MEMORY:
            if values[1 if instruction.name == "store" else 0] in self.setup.shared:
                return None
            self._check_alive(state, instruction, values)
            return next(self._executed(state, number, thread))
        if instruction.name == "return":
            return self._returned(state, number, thread, values[0] if values else 0)
        if instruction.name in ("branch", "jump", "switch"):
            target = target_of(instruction, values)
            moved = jumped(function, frame, target)
            return _with(state, number, _top(thread, moved))
        return self._went_on(state, number, computed(instruction, values))

    def _call(
        self,
        state: State,
        number: int,
        thread: Thread,
        function: Function,
        instruction: Instruction,
    ) -> State | None:
        values = operands_of(thread.frames[-1], instruction)
        name = instruction.detail
        if not name:
            assert self.setup.entries is not None
            name = self.setup.entries[values.pop()]
        if name in _VISIBLE_CALLS:
            return None
        match name:
            case "ticks" | "pthread_self":
                return self._went_on(state, number, 0)
            case "model.release_python":
                return self._went_on(self._stored(state, GIL, 0), number, 0)
            case "model.fail":
                raise Broken("goes on without knowing all that was done")
            case "llvm.umin.i64":
                return self._went_on(state, number, min(values))
            case "set_default_floats":
                return self._went_on(state, number, 0)
            case _:
                pass
        called = call_of(self.setup.functions[name], tuple(values))
        return _with(state, number, thread._replace(frames=(*thread.frames, called)))

    def _returned(self, state: State, number: int, thread: Thread, value: int) -> State:
        rest = thread.frames[:-1]
        if not rest:
            if thread.stores:
                # They are seen some time; that is of no concern here.
                for address, stored in thread.stores:
                    state = self._stored(state, address, stored)
            return _with(state, number, None)
        below = thread._replace(frames=rest)
        return self._went_on(_with(state, number, below), number, value)

    def _went_on(self, state: State, number: int, result: int) -> State:
        """With the next instruction, and the result of the one that was done."""
        thread = state.threads[number]
        assert thread is not None
        function, frame, instruction = self._next(thread)
        registers = dict(frame.registers)
        if instruction.result:
            registers[instruction.result] = result
        live = function.live[frame.at + 1] if frame.at + 1 < len(function.code) else ()
        kept = tuple(sorted((name, registers[name]) for name in live if name in registers))
        return _with(state, number, _top(thread, Frame(frame.function, frame.at + 1, kept)))

    # Memory

    def _seen(self, state: State, thread: Thread, address: Address) -> int:
        for stored, value in reversed(thread.stores):
            if stored == address:
                return value
        if address not in self._places:
            raise Broken("reads where nothing is")
        return state.memory[self._places[address]]

    def _stored(self, state: State, address: Address, value: int) -> State:
        place = self._places.get(address)
        if place is None:
            return state  # Nobody reads it.
        memory = (*state.memory[:place], value, *state.memory[place + 1 :])
        return state._replace(memory=memory)

    def _check_alive(
        self, state: State, instruction: Instruction, values: list[int]
    ) -> None:
        address = values[1 if instruction.name == "store" else 0]
        for job, words in self.setup.jobs.items():
            if address in words and state.memory[self._places[job]] == -1:
                raise Broken("uses a job that is gone")

    def _next(self, thread: Thread) -> tuple[Function, Frame, Instruction]:
        frame = thread.frames[-1]
        function = self.setup.functions[frame.function]
        return function, frame, function.code[frame.at]


def _with(state: State, number: int, thread: Thread | None) -> State:
    threads = (*state.threads[:number], thread, *state.threads[number + 1 :])
    return state._replace(threads=threads)


def _top(thread: Thread, frame: Frame) -> Thread:
    return thread._replace(frames=(*thread.frames[:-1], frame))
