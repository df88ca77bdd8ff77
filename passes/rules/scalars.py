"""
Programs compute with scalars.

`arith`, `math` and `scf` also know vectors, tensors and numbers of odd widths. No engine
has these, so they are refused where they first appear.
"""

from collections.abc import Iterator

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Operation, SSAValue

from vyre.analysis.walking import operations_in
from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre import ProgramOp, ScheduleOp
from vyre.dialects.vyre.attributes import SCALAR_NAMES, CellType, TokenType, is_scalar

_DIALECTS = ("arith.", "math.", "scf.")
"""Vyre's own operations have verifiers; what others give is their business."""


def verify_scalars(program: ProgramOp | ScheduleOp) -> None:
    """Refuse values of types that no engine computes with."""
    for op in operations_in(program.body):
        if not op.name.startswith(_DIALECTS):
            continue
        for value in _defined_values(op):
            if not _is_known(value.type):
                raise Refusal(
                    f"gives a value of type {value.type}", fix=f"use {SCALAR_NAMES}", at=op
                )


def _defined_values(op: Operation) -> Iterator[SSAValue]:
    yield from op.results
    for region in op.regions:
        for block in region.blocks:
            yield from block.args


def _is_known(type: Attribute) -> bool:
    return is_scalar(type) or isinstance(type, MemRefType | CellType | TokenType)
