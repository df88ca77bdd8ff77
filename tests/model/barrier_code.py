"""What threads of the model execute: the protocol's steps in a row, with jumps."""

from dataclasses import dataclass

from vyre.lowering.cuda.grid_protocol import (
    Fence,
    GoOnIfEven,
    If,
    IfLeader,
    Leave,
    Let,
    Operand,
    Set,
    Sometimes,
    Spin,
    Step,
    Steps,
    Store,
    SyncThreads,
    Word,
)


@dataclass(frozen=True)
class Work:
    """A piece of the thread's own work between two barriers."""


@dataclass(frozen=True)
class Trap:
    """Records a trap, if the thread has one now."""


@dataclass(frozen=True)
class Exit:
    """Leaves the kernel."""


@dataclass(frozen=True)
class Branch:
    """Skips instructions unless a variable compares so."""

    name: str
    relation: str
    right: Operand
    skip: int


@dataclass(frozen=True)
class BranchUnlessLeader:
    """Skips instructions in all threads of a block but the first."""

    skip: int


@dataclass(frozen=True)
class Choice:
    """Skips instructions, or not."""

    skip: int


@dataclass(frozen=True)
class Jump:
    """Goes forward, or back, from the next instruction."""

    skip: int


Instruction = (
    Work
    | Trap
    | Exit
    | Branch
    | BranchUnlessLeader
    | Choice
    | Jump
    | Set
    | Store
    | Fence
    | SyncThreads
    | GoOnIfEven
)

LOADED = "loaded"
"""The variable for what an `If` compares."""


def barrier_code(steps: Steps, *, looks_at_stop: bool) -> tuple[Instruction, ...]:
    """
    A round: work, then the barrier. If `looks_at_stop`, a thread may find after its work
    that the host wants it to leave.
    """
    look = (Choice(3), Set(LOADED, Word.STOP), Branch(LOADED, "!=", 0, 1), Exit())
    return (Work(), Trap(), *(look if looks_at_stop else ()), *_flat(steps))


def _flat(steps: Steps) -> tuple[Instruction, ...]:
    return tuple(instruction for step in steps for instruction in _flat_step(step))


def _flat_step(step: Step) -> tuple[Instruction, ...]:
    match step:
        case If():
            return _flat_if(step)
        case IfLeader(steps):
            then = _flat(steps)
            return (BranchUnlessLeader(len(then)), *then)
        case Sometimes(_, steps):
            then = _flat(steps)
            return (Choice(len(then)), *then)
        case Spin(steps):
            return _flat_spin(steps)
        case Let(name, source):
            return (Set(name, source),)
        case Leave():
            return (_LEAVE,)
        case _:
            return (step,)


def _flat_if(step: If) -> tuple[Instruction, ...]:
    then, otherwise = _flat(step.then), _flat(step.otherwise)
    if otherwise:
        then = (*then, Jump(len(otherwise)))
    load = () if isinstance(step.left, str) else (Set(LOADED, step.left),)
    name = step.left if isinstance(step.left, str) else LOADED
    return (*load, Branch(name, step.relation, step.right, len(then)), *then, *otherwise)


_LEAVE = Jump(0)
"""Ends the spin around it: how far that is turns out when all of its body is there."""


def _flat_spin(body: Steps) -> tuple[Instruction, ...]:
    code = (*_flat(body), Jump(-len(_flat(body)) - 1))
    return tuple(
        Jump(len(code) - place - 1) if instruction is _LEAVE else instruction
        for place, instruction in enumerate(code)
    )
