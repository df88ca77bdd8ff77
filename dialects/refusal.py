"""How Vyre says no: the cause, the remedy, and the place."""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import VerifyException


class Note(NamedTuple):
    """A second place that helps to understand a refusal."""

    at: Operation | SSAValue
    text: str


class Refusal(VerifyException):
    """
    A verifier or pass does not accept the program.

    `cause` says what is wrong, `fix` what the author can do about it. `at` is the
    operation or value at fault; left out, it is the operation being verified. `notes`
    point at other places that take part.

    Example:

    ```python
    raise Refusal(
        'buffer "a" is declared twice',
        fix="rename one of the two buffers",
        at=second,
        notes=[Note(first, "first declared here")],
    )
    ```
    """

    def __init__(
        self,
        cause: str,
        *,
        fix: str,
        at: Operation | SSAValue | None = None,
        notes: Sequence[Note] = (),
    ):
        super().__init__(f"{cause}\nFix: {fix}")
        self.cause = cause
        self.fix = fix
        self.at = at
        self.notes = tuple(notes)


def name_of(op: Operation) -> str:
    """The name of an operation, also of one that no dialect defines."""
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name
