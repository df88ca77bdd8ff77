"""Attributes by which passes tell each other what no program can say."""

from vyre.analysis.walking import operations_in
from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre import ProgramOp, ScheduleOp

INSTANCES = "vyre.instances"
"""Of regions: values of parameters, and the region is executed for each of them. The code
generator for CPUs believes it; see `vyre.lowering.llvm.condensing`."""


def verify_reserved(program: ProgramOp | ScheduleOp) -> None:
    """
    Refuse programs that bring such attributes with them.

    Example: `verify_reserved(program)`
    """
    for op in operations_in(program.body):
        if INSTANCES in op.attributes:
            raise Refusal(
                f"the attribute '{INSTANCES}' belongs to the code generator",
                fix="remove it",
                at=op,
            )
