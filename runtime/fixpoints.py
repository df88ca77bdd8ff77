"""The rule of fixpoints, for all dispatches whose passes the host begins."""

from collections.abc import Callable


def passes_until_stable(
    most: int,
    interval: int | None,
    make_pass: Callable[[], None],
    is_same: Callable[[], bool],
    remember: Callable[[], None],
) -> int:
    """
    Make passes, at most so many, until one has changed nothing; gives how many there were.
    A pass is compared with the one before it, which was remembered for that, every
    `interval` passes, but for the last one.

    Example: `passes_until_stable(10, 1, make_pass, is_same, remember)`
    """
    for number in range(1, most):
        make_pass()
        if interval is None:
            continue
        if number > 1 and number % interval == 0 and is_same():
            return number
        if (number + 1) % interval == 0 and number + 1 < most:
            remember()
    make_pass()
    return most
