"""Takes the steps of a protocol apart, and changes them."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from vyre.lowering.cuda.grid_protocol import If, IfLeader, Sometimes, Spin, Step, Steps


def every_step(steps: Steps) -> Iterator[Step]:
    """All steps, those inside others too, in the order of the text."""
    for step in steps:
        yield step
        for inner in _inner_steps(step):
            yield from every_step(inner)


def changed(steps: Steps, change: Callable[[Step], Steps]) -> Steps:
    """
    Each step replaced by what it becomes, those inside others before these.

    Example: `changed(steps, lambda step: (step, step))` does everything twice.
    """
    return tuple(new for step in steps for new in change(_changed_inside(step, change)))


def replaced(steps: Steps, replacements: dict[Step, Steps]) -> Steps:
    """
    Some steps replaced by others, or by nothing.

    Example: `replaced(steps, {fence: ()})`
    """
    return changed(steps, lambda step: replacements.get(step, (step,)))


def _inner_steps(step: Step) -> tuple[Steps, ...]:
    match step:
        case If():
            return step.then, step.otherwise
        case IfLeader() | Sometimes():
            return (step.then,)
        case Spin():
            return (step.body,)
        case _:
            return ()


def _changed_inside(step: Step, change: Callable[[Step], Steps]) -> Step:
    match step:
        case If():
            then, otherwise = changed(step.then, change), changed(step.otherwise, change)
            return replace(step, then=then, otherwise=otherwise)
        case IfLeader() | Sometimes():
            return replace(step, then=changed(step.then, change))
        case Spin():
            return replace(step, body=changed(step.body, change))
        case _:
            return step
