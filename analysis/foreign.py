"""Operations that have to be lowered before anything can run."""

from collections.abc import Container, Iterable
from itertools import chain

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from vyre.analysis.purity import is_known
from vyre.analysis.walking import operations_in, units_in
from vyre.diagnostics import invalid
from vyre.dialects.refusal import Refusal, name_of
from vyre.dialects.vyre import ProgramOp, ScheduleOp


def foreign_operations(units: Iterable[ProgramOp | ScheduleOp]) -> dict[str, Operation]:
    """
    The operations that Vyre does not know, each the first one of its name.

    Example: `foreign_operations([program])` is `{}` for a program of `arith` and `vyre`.
    """
    found: dict[str, Operation] = {}
    for op in chain.from_iterable(operations_in(unit.body) for unit in units):
        if not is_known(op):
            found.setdefault(name_of(op), op)
    return found


def refuse_foreign(found: dict[str, Operation], runs: Container[str] = ()) -> None:
    """
    Refuse the first operation that no engine runs; `runs` has the names of those that the
    engine at hand does.

    Example: `refuse_foreign(foreign_operations([program]))`
    """
    for name, op in found.items():
        if name not in runs:
            raise Refusal(
                "no engine can run this operation",
                fix="lower it to arith, math, scf and vyre operations first",
                at=op,
            )


def refuse_foreign_in(module: ModuleOp) -> None:
    """
    Refuse operations in programs and schedules that no engine runs.

    Raises `InvalidProgram` at the first of them.

    Example: `refuse_foreign_in(vyre.parse("reach.mlir"))`
    """
    for unit in units_in(module, ProgramOp, ScheduleOp):
        try:
            refuse_foreign(foreign_operations([unit]))
        except Refusal as refusal:
            raise invalid(unit, refusal) from None
