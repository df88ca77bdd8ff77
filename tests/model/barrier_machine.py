"""A grid of threads that come to a barrier again and again, in weak memory."""

import operator
from collections.abc import Callable, Iterator
from functools import reduce

from barrier_code import (
    LOADED,
    Branch,
    BranchUnlessLeader,
    Choice,
    Exit,
    Instruction,
    Jump,
    Trap,
    Work,
    barrier_code,
)
from barrier_promise import check_end, check_generation, check_going_on, check_leaving
from barrier_state import POSITIONS, Setup, State, Thread
from weak_memory import (
    Message,
    Mind,
    Outcome,
    additions,
    fenced,
    initial_memory,
    joined,
    loads,
    moved,
    stores,
    taught,
    worked,
)

from vyre.lowering.cuda.grid_protocol import (
    NO_TRAP,
    AtomicAdd,
    Fence,
    GoOnIfEven,
    Operand,
    Plus,
    Set,
    Store,
    SyncThreads,
    Word,
)

_RELATIONS: dict[str, Callable[[int, int], bool]] = {"==": operator.eq, "!=": operator.ne}


class Machine:
    """
    The threads of a setup.

    Example: `Machine(setup).successors(state)`
    """

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.code = barrier_code(setup.steps, looks_at_stop=setup.threads_look)
        names = {step.name for step in self.code if isinstance(step, Set)}
        self._variables = {name: place for place, name in enumerate(sorted(names))}
        self._no_values = (0,) * len(names)
        self._changing = {Word.ARRIVED, Word.GENERATION}
        self._changing |= {step.word for step in self.code if isinstance(step, Store)}
        self._changing |= {Word.TRAPPED} if setup.trap else set()
        self._changing |= {Word.STOP} if setup.host_stops else set()

    def starts(self) -> tuple[State]:
        """How it begins."""
        threads = self.setup.threads
        values = {Word.GENERATION: self.setup.first_generation, Word.TRAPPED: NO_TRAP}
        memory = initial_memory(tuple(values.get(word, 0) for word in Word), threads)
        nothing = memory[0][0].carried
        thread = Thread(0, 0, self._no_values, Mind(nothing, nothing, nothing))
        return (State(memory, (thread,) * threads, False),)

    def successors(self, state: State) -> Iterator[State]:
        """What may be next, one instruction at a time."""
        yield from self.stopped(state)
        for number in range(self.setup.threads):
            yield from self.executed(state, number)
        for block in range(self.setup.blocks):
            yield from self.met(state, block)

    def is_end(self, state: State) -> bool:
        """Whether all threads are gone, as they should be."""
        if any(state.threads):
            return False
        check_end(self.setup, state)
        return True

    def is_own_business(self, number: int, thread: Thread) -> bool:
        """Whether a thread's next instruction is of no concern to others."""
        if self._lingers(number, thread):
            return False
        match self.code[thread.at]:
            case GoOnIfEven():
                return not self.setup.end_meets
            case SyncThreads() | Store():
                return False
            case Trap():
                return (number, thread.round) != self.setup.trap
            case Set(_, Word() as word):
                return word not in self._changing
            case Set(_, AtomicAdd()):
                return False
            case _:
                return True

    def stopped(self, state: State) -> Iterator[State]:
        """After the host has set the stop word, if it does that."""
        if state.has_stopped or not self.setup.host_stops:
            return
        position = POSITIONS[Word.STOP]
        nothing = (0,) * len(state.memory[0][0].carried)
        carried = (*nothing[:position], 1, *nothing[position + 1 :])
        messages = (*state.memory[position], Message(1, carried, False))
        memory = (*state.memory[:position], messages, *state.memory[position + 1 :])
        yield State(memory, state.threads, True)

    def executed(self, state: State, number: int) -> Iterator[State]:
        """After a thread's next instruction, unless it is gone or waits for its block."""
        thread = state.threads[number]
        if not thread or self._waits(thread):
            return
        instruction = self.code[thread.at]
        outcomes = self._outcomes(state, number, thread)
        if self._lingers(number, thread):
            looks = loads(state.memory, thread.mind, POSITIONS[Word.STOP])
            if any(look.value for look in looks):
                yield _with_thread(state, number, None)
        elif outcomes is not None:
            for outcome in outcomes:
                yield self._accessed(state, number, outcome)
        elif isinstance(instruction, GoOnIfEven):
            yield self._after_meeting(state, {number: thread})
        elif isinstance(instruction, Exit) or self._is_missing(number, thread):
            yield _with_thread(state, number, None)
        else:
            for after in self._alone(instruction, number, thread):
                yield _with_thread(state, number, after)

    def _outcomes(
        self, state: State, number: int, thread: Thread
    ) -> Iterator[Outcome] | None:
        """What an access to memory may come to, None if there is none."""
        memory, mind = state.memory, thread.mind
        match self.code[thread.at]:
            case Store(word, value):
                return stores(memory, mind, POSITIONS[word], self._value(thread, value))
            case Trap() if (number, thread.round) == self.setup.trap:
                return stores(memory, mind, POSITIONS[Word.TRAPPED], number)
            case Set(_, Word() as word):
                return loads(memory, mind, POSITIONS[word])
            case Set(_, AtomicAdd(word, amount)):
                return additions(memory, mind, POSITIONS[word], amount)
            case _:
                return None

    def _accessed(self, state: State, number: int, outcome: Outcome) -> State:
        """After an access of a thread to a word."""
        threads = state.threads
        if outcome.moved:
            threads = tuple(each and _with_moved(each, *outcome.moved) for each in threads)
        thread = threads[number]
        assert thread
        instruction = self.code[thread.at]
        if isinstance(instruction, Set):
            thread = self._with_value(thread, instruction.name, outcome.value)
        thread = thread._replace(at=thread.at + 1, mind=outcome.mind)
        after = State(outcome.memory, threads, state.has_stopped)
        return _with_thread(after, number, thread)

    def _alone(self, own: Instruction, number: int, thread: Thread) -> Iterator[Thread]:
        """After an instruction that does not touch memory."""
        next = thread._replace(at=thread.at + 1)
        match own:
            case Work():
                counter = len(Word) + number
                yield next._replace(mind=worked(thread.mind, counter))
            case Fence():
                yield next._replace(mind=fenced(thread.mind))
            case Set(name, source):
                assert not isinstance(source, (Word, AtomicAdd))
                yield self._with_value(next, name, self._value(thread, source))
            case Branch():
                yield self._branched(thread, own)
            case BranchUnlessLeader(skip):
                is_leader = self._is_leader(number)
                yield next if is_leader else next._replace(at=next.at + skip)
            case Choice(skip):
                yield next
                yield next._replace(at=next.at + skip)
            case Jump(skip):
                yield next._replace(at=next.at + skip)
            case _:
                yield next

    def _is_leader(self, number: int) -> bool:
        return number % self.setup.block_threads == 0

    def _is_missing(self, number: int, thread: Thread) -> bool:
        block = number // self.setup.block_threads
        return thread.at == 0 and (block, thread.round) == self.setup.missing

    def _lingers(self, number: int, thread: Thread) -> bool:
        """Whether a thread is in a loop that only the stop word ends."""
        block = number // self.setup.block_threads
        return thread.at == 0 and (block, thread.round) == self.setup.lingering

    def _waits(self, thread: Thread) -> bool:
        instruction = self.code[thread.at]
        if isinstance(instruction, GoOnIfEven):
            return self.setup.end_meets
        return isinstance(instruction, SyncThreads)

    def _branched(self, thread: Thread, branch: Branch) -> Thread:
        left = thread.variables[self._variables[branch.name]]
        holds = _RELATIONS[branch.relation](left, self._value(thread, branch.right))
        if branch.name == LOADED:  # Nobody needs it any more: forget it.
            thread = self._with_value(thread, LOADED, 0)
        return thread._replace(at=thread.at + 1 + (0 if holds else branch.skip))

    def _value(self, thread: Thread, operand: Operand) -> int:
        match operand:
            case Plus(name, amount):
                return (self._value(thread, name) + amount) % 2**32
            case "blocks":
                return self.setup.blocks
            case "barrier":
                return 1
            case str():
                return thread.variables[self._variables[operand]]
            case int():
                return operand

    def _with_value(self, thread: Thread, name: str, value: int) -> Thread:
        place, old = self._variables[name], thread.variables
        return thread._replace(variables=(*old[:place], value, *old[place + 1 :]))

    def met(self, state: State, block: int) -> Iterator[State]:
        """After a block's threads, those that are not gone, have come to the same place."""
        first = block * self.setup.block_threads
        threads = state.threads[first : first + self.setup.block_threads]
        here = {first + place: thread for place, thread in enumerate(threads) if thread}
        is_here = len({thread.at for thread in here.values()}) == 1
        if is_here and self._waits(next(iter(here.values()))):
            yield self._after_meeting(state, here)

    def _after_meeting(self, state: State, block: dict[int, Thread]) -> State:
        known = reduce(joined, (thread.mind.known for thread in block.values()))
        block = {
            number: thread._replace(mind=taught(thread.mind, known))
            for number, thread in block.items()
        }
        after: dict[int, Thread | None]
        match self.code[next(iter(block.values())).at]:
            case GoOnIfEven(name):
                after = self._decided(state, block, name)
            case _:
                after = {n: each._replace(at=each.at + 1) for n, each in block.items()}
        threads = tuple(after.get(n, each) for n, each in enumerate(state.threads))
        return state._replace(threads=threads)

    def _decided(
        self, state: State, block: dict[int, Thread], name: str
    ) -> dict[int, Thread | None]:
        """After the end of the barrier, which must have kept its promise."""
        values = {number: self._value(thread, name) for number, thread in block.items()}
        if all(value % 2 for value in values.values()):
            for thread in block.values():
                check_leaving(self.setup, state, thread)
            return dict.fromkeys(block)
        for number, thread in block.items():
            check_going_on(self.setup, state, thread)
            if self._is_leader(number):
                check_generation(self.setup, thread, values[number])
        return {number: self._in_next_round(thread) for number, thread in block.items()}

    def _in_next_round(self, thread: Thread) -> Thread | None:
        if thread.round + 1 == self.setup.rounds:
            return None
        return Thread(thread.round + 1, 0, self._no_values, thread.mind)


def _with_moved(thread: Thread, word: int, position: int) -> Thread:
    """After a message was inserted before others."""
    return thread._replace(
        mind=Mind(*(moved(view, word, position) for view in thread.mind))
    )


def _with_thread(state: State, number: int, thread: Thread | None) -> State:
    old = state.threads
    return state._replace(threads=(*old[:number], thread, *old[number + 1 :]))
