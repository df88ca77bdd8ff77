"""
Megakernels of the IR as programs: their waves are planned and fused, in a copy.

Fusing many waves takes longer than all else that happens when a program starts whose code
is in the cache. So the outline of the fused program is in the cache, too, by the digest of
the waves and their programs, and waves are fused when somebody asks for the program itself:
to compile it, explain it, check it, or find the place of a trap. Fusing depends on nothing
but what the digest stands for and Vyre's own source, which is part of every key. So what is
found is what fusing would give, and a megakernel that would be refused is never found.

The outline is that of the condensed program, which is made in no time and refused if fusing
is (`vyre.lowering.llvm.condensing`), without the parameters that callers do not pass.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property

from typing_extensions import override
from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Operation

from vyre.analysis.foreign import foreign_operations
from vyre.analysis.walking import units_in
from vyre.collector import paused_collector
from vyre.diagnostics import invalid
from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre import MegakernelOp, ProgramOp
from vyre.fork_locks import ForkLock
from vyre.lowering.llvm.condensing import condensed_program
from vyre.lowering.llvm.passes.launch_instances import instance_params
from vyre.passes.expand_switches import expand_switches
from vyre.passes.fuse_waves import fused_program
from vyre.passes.plan_megakernel import PlanMegakernelPass
from vyre.runtime.errors import InvalidArgument
from vyre.runtime.kernel_cache import KernelCache, key_of
from vyre.runtime.outline import Outline
from vyre.runtime.unit import Unit, trap_places
from vyre.source import deep_recursion


def planned(
    module: ModuleOp, name: str | None, options: PlanMegakernelPass
) -> tuple[ModuleOp, Mapping[str, int]]:
    """
    A copy of a module whose waves have groups, and the figures of the plan of one of its
    megakernels. Groups that are there already are kept if there is no budget.

    Example: `planned(module, None, PlanMegakernelPass(budget=4096))[1]["global_barriers"]`
    """
    copy = module.clone()
    found = units_in(copy, MegakernelOp)
    chosen = [op for op in found if name in (None, op.sym_name.data)]
    if not chosen:
        if options.budget is not None:
            raise InvalidArgument(
                "there is a budget, but no 'vyre.megakernel' whose waves could be planned",
                "leave the budget out, or write the program as waves",
            )
        return module, {}
    is_planned = all(wave.group is not None for op in chosen for wave in op.waves)
    if options.budget is not None or not is_planned:
        options.apply(Context(), copy)
    return copy, _figures(chosen[0])


def _figures(megakernel: MegakernelOp) -> dict[str, int]:
    figures = () if megakernel.plan is None else megakernel.plan.data.items()
    return {name: n.value.data for name, n in figures if isinstance(n, IntegerAttr)}


class FusedUnit(Unit):
    """
    A megakernel whose waves are fused when the program is first needed. What happens to the
    megakernel later does not count; `says` is the digest of its module as it is now.

    Example: `FusedUnit(megakernel, None, digest([module])).name`
    """

    def __init__(self, megakernel: MegakernelOp, cache: KernelCache | None, says: str):
        self._megakernel = megakernel.clone()
        programs = [op.clone() for op in dict.fromkeys(megakernel.programs())]
        expand_switches(ModuleOp([*programs, self._megakernel]))
        name = megakernel.sym_name.data
        self._said = " ".join([name, says, *trap_places(programs)])
        self._cache = cache
        self._lock = ForkLock()
        self._fused: ProgramOp | None = None
        self._condensed: ProgramOp | None = None

    @property
    @override
    def op(self) -> ProgramOp:
        with self._lock:
            if self._fused is None:
                self._fused = self._made(fused_program)
            assert self._fused is not None
            return self._fused

    @property
    @override
    def condensed(self) -> ProgramOp:
        with self._lock:
            if self._condensed is None:
                self._condensed = self._made(condensed_program) or self.op
            return self._condensed

    def _made(self, make: Callable[[MegakernelOp], ProgramOp | None]) -> ProgramOp | None:
        """A program of the waves, in a module of its own."""
        try:
            with deep_recursion(), paused_collector():
                program = make(self._megakernel)
        except Refusal as refusal:
            raise invalid(self._megakernel, refusal) from None
        if program is not None:
            ModuleOp([program])  # Programs are always in a module.
        return program

    @property
    @override
    def name(self) -> str:
        return self._megakernel.sym_name.data

    @cached_property
    @override
    def outline(self) -> Outline:
        if self._cache is None:
            return self._outlined()
        key = key_of("outline", self.digest)
        known = self._cache.find(key)
        if known is not None:
            return Outline.from_bytes(known)
        outline = self._outlined()
        self._cache.keep(key, outline.as_bytes())
        return outline

    def _outlined(self) -> Outline:
        """The outline of the fused program, which has no parameters for instances."""
        outline = Outline.of(self.condensed)
        left_out = instance_params(self.condensed)
        table = (e for e in outline.table if e.entry_name.data not in left_out)
        return replace(outline, table=tuple(table))

    @cached_property
    @override
    def foreign(self) -> dict[str, Operation]:
        return foreign_operations(dict.fromkeys(self._megakernel.programs()))

    @cached_property
    @override
    def digest(self) -> str:
        return self._said
