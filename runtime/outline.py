"""
What has to be known of a program before it runs, without its code: its name, the buffers
and parameters that are passed, the size of workgroups, and how grids are chosen for it.
"""

import json
from dataclasses import dataclass
from functools import cached_property

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.ir import Block, Region

from vyre.analysis.grid_lengths import Decision, Length, grid_lengths
from vyre.analysis.walking import operations_in
from vyre.dialects import get_all_dialects
from vyre.dialects.vyre import BarrierOp, BufferOp, ParamOp, ProgramOp, ScheduleOp
from vyre.runtime.geometry import Extent, workgroup_of
from vyre.source import SourceParser


@dataclass(frozen=True)
class Outline:
    """
    A program or schedule as its callers see it.

    Example: `Outline.of(program).workgroup`
    """

    name: str
    table: tuple[BufferOp | ParamOp, ...]
    """What is passed, in declaration order; no workgroup memory."""
    workgroup: Extent
    has_grid_barrier: bool
    lengths: Decision
    """What decides about the grid; see `vyre.runtime.geometry.infer_grid`."""
    is_schedule: bool = False

    @staticmethod
    def of(op: ProgramOp | ScheduleOp) -> "Outline":
        """The outline of a program or schedule that is there."""
        is_program = isinstance(op, ProgramOp)
        return Outline(
            op.sym_name.data,
            tuple(op.launch_table if is_program else op.table),
            workgroup_of(op),
            is_program and _has_grid_barrier(op),
            grid_lengths(op),
            not is_program,
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of what is passed."""
        return tuple(entry.entry_name.data for entry in self.table)

    def as_bytes(self) -> bytes:
        """As an entry of a cache: a program of the table alone, and what it cannot say."""
        entries = [entry.clone() for entry in self.table]
        facts = {
            "program": str(ProgramOp(self.name, self.workgroup, Region(Block(entries)))),
            "has_grid_barrier": self.has_grid_barrier,
            "lengths": self.lengths,
        }
        return json.dumps(facts).encode()

    @staticmethod
    def from_bytes(data: bytes) -> "Outline":
        """What `as_bytes` gave for a program."""
        facts = json.loads(data)
        text = facts.pop("program")
        lengths = facts.pop("lengths")
        module = SourceParser(_context(), text, "<outline>").parse_module()
        program = module.body.block.first_op
        assert isinstance(program, ProgramOp)
        return Outline(
            program.sym_name.data,
            tuple(program.launch_table),
            workgroup_of(program),
            lengths=None if lengths is None else tuple(Length(*each) for each in lengths),
            **facts,
        )


def _has_grid_barrier(program: ProgramOp) -> bool:
    ops = operations_in(program.body)
    return any(isinstance(op, BarrierOp) and op.is_grid_sync for op in ops)


def _context() -> Context:
    context = Context()
    context.load_dialect(Builtin)
    for name, dialect in get_all_dialects().items():
        context.register_dialect(name, dialect)
    return context
