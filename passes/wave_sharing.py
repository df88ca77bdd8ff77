"""
A wave whose invocations or workgroups are shared out among those of the fused program.

They are numbered from 0, and a loop runs over the numbers that are for this invocation or
workgroup. What the wave says of itself is computed from the number.
"""

from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith, scf
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import Rewriter

from vyre.analysis.walking import operations_in
from vyre.dialects.vyre import (
    LinearIdOp,
    ProgramOp,
    TrapOp,
    WaveOp,
    WorkgroupCountOp,
    WorkgroupSizeOp,
)
from vyre.dialects.vyre.attributes import LinearScope
from vyre.passes.dead_code import remove_dead_code
from vyre.passes.index_code import IndexCode, Number
from vyre.passes.wave_ids import Triple, WaveIds, each_axis
from vyre.passes.wave_memory import clear, clear_if
from vyre.passes.wave_scratch import WaveScratch


def move_body(program: ProgramOp, block: Block) -> None:
    """
    Move the program's code to the end of a block.

    Example: `move_body(program, loop.body.block)`
    """
    for op in list(program.body.block.ops):
        op.detach()
        block.add_op(op)


def name_traps(wave: WaveOp, program: ProgramOp) -> None:
    """
    Let traps say of which wave they are.

    Example: `name_traps(wave, program)`, then `trap.wave.data` is `wave.label.data`.
    """
    for trap in _traps(program):
        trap.wave = wave.label


def _traps(program: ProgramOp) -> list[TrapOp]:
    return [op for op in operations_in(program.body) if isinstance(op, TrapOp)]


@dataclass
class SharedOut:
    """
    A wave whose invocations or workgroups are shared out by number.

    Example: `SharedOut(wave, program, False, scratch, [], False).write(code, None)`
    """

    wave: WaveOp
    program: ProgramOp
    by_workgroup: bool
    scratch: WaveScratch
    tiles: list[SSAValue]
    """Its workgroup memory."""
    were_used: bool
    """Whether an earlier wave has used some of it."""

    def write(self, code: IndexCode, taken: SSAValue | None) -> None:
        """
        Write a loop over the numbers that are for this invocation or workgroup, beginning
        behind the workgroups that are taken.
        """
        here = each_axis(WorkgroupCountOp, code)
        groups: Triple = here if self.wave.workgroups is None else self._grid
        step, count = code.product(here), code.product(groups)
        offset: Number = 0 if taken is None else taken
        if not self.by_workgroup:
            width = code.product(each_axis(WorkgroupSizeOp, code))
            step, offset = code.times(step, width), code.times(offset, width)
            count = code.times(count, prod(self.program.workgroup))
        first = self._first(code, offset, step)
        loop = Block(arg_types=[first.type])
        self._fill(loop, IndexCode(code.code.at_end(loop)), first, groups)
        end, stride = code.value(count), code.value(step)
        code.code.run(scf.ForOp(first, end, stride, [], [loop]))

    def _fill(self, loop: Block, code: IndexCode, first: SSAValue, groups: Triple) -> None:
        """The work of one invocation or workgroup of the wave."""
        number = loop.args[0]
        memory = [*self.tiles, *self.scratch.memory]
        if self.were_used:
            clear(code, memory)
        elif memory:
            clear_if(code, code.code.put(arith.CmpiOp(number, first, "ne")), memory)
        x, y, z = self.program.workgroup
        size = each_axis(WorkgroupSizeOp, code) if self.by_workgroup else (x, y, z)
        ids = WaveIds(code, number, groups, size, self.by_workgroup)
        self.scratch.replace(ids)
        for trap in _traps(self.program):
            me = code.value(ids.linear(LinearScope.INVOCATION))
            said = TrapOp(trap.tag.data, trap.value, invocation=me, wave=trap.wave)
            said.location = trap.location
            Rewriter.replace_op(trap, said)
        ids.replace_in(self.program.body)
        remove_dead_code(loop)
        move_body(self.program, loop)
        code.code.run(scf.YieldOp())

    @property
    def _grid(self) -> Triple:
        assert self.wave.workgroups is not None
        x, y, z = self.wave.workgroups
        return x, y, z

    def _first(self, code: IndexCode, offset: Number, step: Number) -> SSAValue:
        """The number that is first for this one: its own less the offset, modulo all."""
        scope = LinearScope.WORKGROUP if self.by_workgroup else LinearScope.INVOCATION
        me = code.code.put(LinearIdOp(scope))
        if offset == 0:
            return me
        back = code.minus(step, code.modulo(offset, step))
        return code.value(code.modulo(code.plus(me, back), step))
