"""How it came to something that must not happen, for who has to find out why."""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from itertools import pairwise

from barrier_code import Branch, BranchUnlessLeader, Choice, Instruction, Jump, Trap
from barrier_machine import Machine
from barrier_state import State

_CONTROL = (Branch, BranchUnlessLeader, Choice, Jump, Trap)


def trace(machine: Machine, path: Sequence[State]) -> Iterator[str]:
    """
    A line for each step on the way that does more than to choose the next one.

    Example: `print(*trace(machine, explore(setup, is_reduced=False).path), sep="\\n")`
    """
    for before, after in pairwise(path):
        if after.has_stopped and not before.has_stopped:
            yield "host: sets the stop word"
        for number, thread in enumerate(before.threads):
            moved = after.threads[number]
            if not thread or (
                moved and (moved.at, moved.round) == (thread.at, thread.round)
            ):
                continue
            instruction = machine.code[thread.at]
            if not isinstance(instruction, _CONTROL):
                yield f"thread {number}, round {thread.round}: {_text(instruction)}"


def _text(instruction: Instruction) -> str:
    names = (field.name for field in fields(instruction) if field.name != "why")
    values = ", ".join(str(getattr(instruction, name)) for name in names)
    return f"{type(instruction).__name__}({values})"
