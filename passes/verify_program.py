"""
Rules about whole programs.

What one operation can tell about itself, its verifier checks. What takes the whole
program is here, one rule a function, run once after parsing by the tools and by the
library. A rule raises `Refusal` with the operation at fault.
"""

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from vyre.diagnostics import invalid
from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre import ProgramOp, ScheduleOp
from vyre.passes.rules.barriers import verify_barriers
from vyre.passes.rules.dominance import verify_dominance
from vyre.passes.rules.literal_indices import verify_literal_indices
from vyre.passes.rules.memrefs import verify_memrefs
from vyre.passes.rules.reserved import verify_reserved
from vyre.passes.rules.scalars import verify_scalars
from vyre.passes.rules.tokens import verify_tokens

Rule = Callable[[ProgramOp | ScheduleOp], None]

RULES: tuple[Rule, ...] = (
    verify_dominance,
    verify_scalars,
    verify_memrefs,
    verify_tokens,
    verify_literal_indices,
    verify_barriers,
    verify_reserved,
)
"""In this order: later rules rely on what earlier ones have established."""


def verify_programs(module: ModuleOp) -> None:
    """
    Check every program and schedule of a module whose operations verify.

    Raises `InvalidProgram` at the first broken rule.

    Example: `verify_programs(vyre.parse("reach.mlir"))`
    """
    for op in module.walk():
        if not isinstance(op, ProgramOp | ScheduleOp):
            continue
        for rule in RULES:
            try:
                rule(op)
            except Refusal as refusal:
                raise invalid(op, refusal) from None


@dataclass(frozen=True)
class VerifyProgramPass(ModulePass):
    """
    `vyre-verify-program` checks the rules about whole programs and changes nothing.

    Refused, because `%x` does not dominate its use:

    ```mlir
    vyre.program @p [64, 1, 1] {
      %out = vyre.buffer "out" write_only binding 0 output : memref<64xi32>
      %i = vyre.invocation_id x
      vyre.store %x, %out[%i] : memref<64xi32>
      %x = arith.constant 1 : i32
    }
    ```
    """

    name = "vyre-verify-program"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        verify_programs(op)
