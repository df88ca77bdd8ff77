"""
Memory in which stores are delayed and reordered, and loads too, as far as fences allow.

A word is the sequence of all values stored to it, its *messages*, oldest first. A thread
has a *view*: of each word the oldest message that it may still read. A load takes any
message that is not older. So others see a store at once, or later, or after younger stores
to other words, as if it waited in a buffer, and a load may be as early as it likes. What
narrows that down is knowledge, and it travels as views, too:

- `known`: what the thread has to respect. Its own accesses, and what a fence made binding.
- `heard`: that, and what the messages that it has read carried. A fence makes it binding.
- `told`: what it knew at its last fence. The messages that it leaves carry that.

So without a fence on either side the reader is free to miss stores. An atomic reads a
message and leaves the next one, nothing comes between them, and it passes on what the
message carried. A meeting of the threads of a block makes known to each what any of them
knows. These are the rules of C++ and PTX for relaxed accesses (`volatile` and `atomicAdd`)
with fences; CUDA's `__threadfence` and real hardware allow less.

Views also count each thread's pieces of work, as if they were stores: who has `n` there
knows that the first `n` happened before, with all they stored and read. No search is needed
for a load that sees too little: any lack of knowledge is an error.
"""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

View = tuple[int, ...]
"""For each word the position of a message, then for each thread how much work is known."""


class Message(NamedTuple):
    """A value that was stored, and what its reader hears."""

    value: int
    carried: View
    is_atomic: bool
    """Whether it replaced the message before it, so that nothing comes between them."""


class Mind(NamedTuple):
    """The views of a thread."""

    known: View
    heard: View
    told: View


Memory = tuple[tuple[Message, ...], ...]
"""The messages of each word."""


class Outcome(NamedTuple):
    """One way in which an access may go."""

    value: int
    mind: Mind
    memory: Memory
    moved: tuple[int, int] | None
    """A word whose messages from a position on moved up by one, to make room."""


def initial_memory(values: tuple[int, ...], threads: int) -> Memory:
    """Words that hold these values, as everyone knows."""
    nothing = (0,) * (len(values) + threads)
    return tuple((Message(value, nothing, False),) for value in values)


def loads(memory: Memory, mind: Mind, word: int) -> Iterator[Outcome]:
    """What a load may read."""
    for position in range(mind.known[word], len(memory[word])):
        message = memory[word][position]
        heard = joined(mind.heard, message.carried)
        read = Mind(_with(mind.known, word, position), heard, mind.told)
        yield Outcome(message.value, read, memory, None)


def stores(memory: Memory, mind: Mind, word: int, value: int) -> Iterator[Outcome]:
    """Where a store may come among those of others."""
    messages = memory[word]
    for position in range(mind.known[word] + 1, len(messages) + 1):
        if position == len(messages) or not messages[position].is_atomic:
            message = Message(value, mind.told, False)
            yield _left(memory, mind, word, position, message)


def additions(memory: Memory, mind: Mind, word: int, amount: int) -> Iterator[Outcome]:
    """What an atomic addition may read, and so replace."""
    messages = memory[word]
    for position in range(mind.known[word], len(messages)):
        if position + 1 < len(messages) and messages[position + 1].is_atomic:
            continue
        old = messages[position]
        heard = joined(mind.heard, old.carried)
        carried = joined(mind.told, old.carried)
        message = Message((old.value + amount) % 2**32, carried, True)
        after = _left(memory, mind._replace(heard=heard), word, position + 1, message)
        yield after._replace(value=old.value)


def fenced(mind: Mind) -> Mind:
    """After a fence."""
    return Mind(mind.heard, mind.heard, mind.heard)


def taught(mind: Mind, known: View) -> Mind:
    """After a meeting of the block's threads, who knew this."""
    return Mind(joined(mind.known, known), joined(mind.heard, known), mind.told)


def worked(mind: Mind, counter: int) -> Mind:
    """After a piece of work, which is counted there."""
    known = _with(mind.known, counter, mind.known[counter] + 1)
    return Mind(known, joined(mind.heard, known), mind.told)


def joined(one: View, other: View) -> View:
    """What is in either view."""
    return one if one == other else tuple(map(max, one, other))


def moved(view: View, word: int, position: int) -> View:
    """The view after a message was inserted at a position."""
    at = view[word]
    return _with(view, word, at + 1) if at >= position else view


def trimmed(memory: Memory, minds: list[Mind]) -> tuple[Memory, list[Mind]]:
    """
    The same without messages that none of these threads can read any more, and with what
    all of them know in every view: situations that differ in nothing else become equal.
    """
    words = len(memory)
    views = [mind.known for mind in minds]
    if not views:
        nothing = (0,) * len(memory[0][0].carried)
        return tuple((Message(each[-1].value, nothing, False),) for each in memory), []
    common = tuple(map(min, *views)) if views[1:] else views[0]
    start = (*common[:words], *(0,) * (len(common) - words))

    @cache
    def trim(view: View) -> View:
        return tuple(map(_from_start, view, common, start))

    after = tuple(
        tuple(
            Message(message.value, trim(message.carried), message.is_atomic and place > 0)
            for place, message in enumerate(messages[first:])
        )
        for messages, first in zip(memory, start, strict=False)
    )
    return after, [Mind(*map(trim, mind)) for mind in minds]


def _from_start(at: int, least: int, start: int) -> int:
    return (at if at > least else least) - start


def _left(
    memory: Memory, mind: Mind, word: int, position: int, message: Message
) -> Outcome:
    """After a message was left at a position."""
    move = None
    if position < len(memory[word]):
        move = word, position
        mind = Mind(*(moved(view, word, position) for view in mind))
        message = message._replace(carried=moved(message.carried, word, position))
        memory = tuple(
            tuple(
                each._replace(carried=moved(each.carried, word, position)) for each in old
            )
            for old in memory
        )
    message = message._replace(carried=_with(message.carried, word, position))
    messages = memory[word]
    after = (*messages[:position], message, *messages[position:])
    known = _with(mind.known, word, position)
    mind = Mind(known, joined(mind.heard, known), mind.told)
    return Outcome(0, mind, (*memory[:word], after, *memory[word + 1 :]), move)


def _with(view: View, place: int, value: int) -> View:
    return (*view[:place], value, *view[place + 1 :])
