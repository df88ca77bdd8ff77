"""
What runs as a whole, by what callers and engines need of it.

Most dispatches need the outline of a program only, because its code is compiled already.
So the program of a megakernel, which takes long to make, is made when somebody asks for it
(`vyre.runtime.waves`).
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from vyre.analysis.digest import digest
from vyre.analysis.foreign import foreign_operations
from vyre.analysis.walking import operations_of
from vyre.dialects.vyre import ProgramOp, ScheduleOp, TrapOp
from vyre.locations import place_of
from vyre.passes.expand_switches import expand_switches
from vyre.runtime.geometry import programs_of
from vyre.runtime.outline import Outline


class Unit:
    """
    A program or schedule: `op` is the operation, `outline` what callers see of it.

    Example: `Unit(program).outline.workgroup`
    """

    def __init__(self, op: ProgramOp | ScheduleOp):
        self._op = op

    @staticmethod
    def snapshot(op: ProgramOp | ScheduleOp) -> "Unit":
        """
        A copy, in a module of its own: what happens to a caller's module later does not
        count, and does not come into caches under the digest of what was there before.
        """
        if isinstance(op, ProgramOp):
            copy = op.clone()
            ModuleOp([copy])
            return Unit(copy)
        module = op.get_toplevel_object()
        assert isinstance(module, ModuleOp)
        copies = module.clone()
        pairs = zip(module.walk(), copies.walk())
        copy = next(copy for each, copy in pairs if each is op)
        assert isinstance(copy, ScheduleOp)
        expand_switches(copies)  # Not every engine leaves schedules to the host.
        return Unit(copy)

    @property
    def op(self) -> ProgramOp | ScheduleOp:
        """The operation, in its module."""
        return self._op

    @property
    def condensed(self) -> ProgramOp | ScheduleOp:
        """
        The same for the code generator of CPUs, which may get equal waves once: see
        `vyre.lowering.llvm.condensing`.
        """
        return self._op

    @cached_property
    def outline(self) -> Outline:
        """What is known without looking at the code."""
        return Outline.of(self._op)

    @cached_property
    def foreign(self) -> dict[str, Operation]:
        """Operations that Vyre does not know, by name."""
        return foreign_operations(dict.fromkeys([self._op, *programs_of(self._op)]))

    @cached_property
    def digest(self) -> str:
        """The same for all units that do the same: see `vyre.analysis.digest`."""
        op = self._op
        if isinstance(op, ProgramOp):
            return digest_with_traps([op])
        module = op.get_toplevel_object()
        assert isinstance(module, ModuleOp)
        return f"{op.sym_name.data} {digest_with_traps([module])}"

    @property
    def name(self) -> str:
        """What the program is called."""
        return self._op.sym_name.data


def digest_with_traps(ops: Sequence[Operation]) -> str:
    """
    What operations say, and where their traps stand: compiled code knows these by their
    places.

    Example: `digest_with_traps([program])`
    """
    return " ".join([digest(ops), *trap_places(ops)])


def trap_places(ops: Iterable[Operation]) -> Iterator[str]:
    """
    Where the traps of operations stand.

    Example: `next(trap_places([program]))` is `"p.mlir:7:3"`.
    """
    traps = (op for each in ops for op in operations_of(each) if isinstance(op, TrapOp))
    return (str(place_of(trap)) for trap in traps)
