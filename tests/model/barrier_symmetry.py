"""
Blocks that change places make no difference, as they all do the same.

So states are kept with their blocks in an order that depends on what they do and know. Of
states that are the same but for the places of blocks most become equal; that it is not all
of them costs time, but no correctness.
"""

from barrier_state import Setup, State, Thread
from weak_memory import Message, Mind, View

from vyre.lowering.cuda.grid_protocol import Word


def in_order(setup: Setup, state: State) -> State:
    """The state with its blocks in order, except special ones, which stay in place."""
    size = setup.block_threads
    free = [block for block in range(setup.blocks) if block not in setup.special_blocks]
    ranks = {block: _rank(state, block * size, size) for block in free}
    order = dict(zip(free, sorted(free, key=ranks.__getitem__), strict=True))
    if all(block == old for block, old in order.items()):
        return state
    sources = [
        order.get(block, block) * size + place
        for block in range(setup.blocks)
        for place in range(size)
    ]
    return _rearranged(state, sources)


_Rank = tuple[tuple[object, ...], ...]


def _rank(state: State, first: int, size: int) -> _Rank:
    threads = state.threads[first : first + size]
    return tuple(_thread_rank(thread, place) for place, thread in enumerate(threads, first))


def _thread_rank(thread: Thread | None, place: int) -> tuple[object, ...]:
    if not thread:
        return ()
    views = tuple((view[: len(Word)], view[len(Word) + place]) for view in thread.mind)
    return (thread.round, thread.at, thread.variables, *views)


def _rearranged(state: State, sources: list[int]) -> State:
    """With each thread where its source was."""

    def rearrange(view: View) -> View:
        work = view[len(Word) :]
        return (*view[: len(Word)], *(work[source] for source in sources))

    def moved(thread: Thread | None) -> Thread | None:
        return thread and thread._replace(mind=Mind(*map(rearrange, thread.mind)))

    memory = tuple(
        tuple(
            Message(message.value, rearrange(message.carried), message.is_atomic)
            for message in messages
        )
        for messages in state.memory
    )
    threads = tuple(moved(state.threads[source]) for source in sources)
    return State(memory, threads, state.has_stopped)
