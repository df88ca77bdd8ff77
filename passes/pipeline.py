"""Lists of passes as passes."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any

from typing_extensions import override
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.utils.arg_spec import parse_pipeline

from vyre.analysis.walking import launches_in, units_in
from vyre.collector import paused_collector
from vyre.dialects.vyre import ProgramOp, ScheduleOp
from vyre.locations import inherit_locations
from vyre.source import deep_recursion


@dataclass(frozen=True)
class Pipeline(ModulePass):
    """
    A list of passes by name, some with options. Each gets those options of the list that
    it has.
    """

    @abstractmethod
    def names(self) -> Sequence[str]:
        """Returns the names and options of the passes, in order."""

    @abstractmethod
    def known(self) -> Mapping[str, Callable[[], type[ModulePass]]]:
        """Returns the passes that names can mean."""

    def steps(self) -> tuple[ModulePass, ...]:
        """Returns the passes with their options."""
        options = {field.name: getattr(self, field.name) for field in fields(self)}
        return passes_named(self.names(), self.known(), options)

    @override
    def apply(self, ctx: Context, op: ModuleOp) -> None:
        with paused_collector():
            for step in self.steps():
                step.apply(ctx, op)
            inherit_locations(op)


def passes_named(
    names: Iterable[str],
    known: Mapping[str, Callable[[], type[ModulePass]]],
    options: Mapping[str, object] = MappingProxyType({}),
) -> tuple[ModulePass, ...]:
    """
    The passes of these names; each gets those options that it has.

    Example: `passes_named(pipelines.HOST_PLAN, get_all_passes())`
    """
    specs = parse_pipeline(",".join(names))
    return tuple(
        _with_options(known[spec.name]().from_spec(spec), options) for spec in specs
    )


def _with_options(step: ModulePass, options: Mapping[str, Any]) -> ModulePass:
    own = {field.name for field in fields(step)}
    return replace(step, **{name: value for name, value in options.items() if name in own})


def expanded(passes: Iterable[ModulePass]) -> tuple[ModulePass, ...]:
    """
    Replaces pipelines by their passes.

    Example: `expanded([HostPlanPass()])[0].name` is `"vyre-expand-switches"`.
    """
    found: list[ModulePass] = []
    for each in passes:
        found += expanded(each.steps()) if isinstance(each, Pipeline) else [each]
    return tuple(found)


def own_module(unit: ProgramOp | ScheduleOp) -> ModuleOp:
    """
    A copy of a program, or of a schedule with what it launches, in a module of its own.

    Example: `own_module(program).verify()`
    """
    if isinstance(unit, ProgramOp):
        return ModuleOp([unit.clone()])
    module = unit.get_toplevel_object()
    assert isinstance(module, ModuleOp)
    copy = module.clone()
    pairs = zip(units_in(module, ScheduleOp), units_in(copy, ScheduleOp))
    schedule = next(other for one, other in pairs if one is unit)
    for other in units_in(copy, ScheduleOp):
        if other is not schedule:
            Rewriter.erase_op(other)
    needed = {schedule, *launches_in(copy)}
    for op in list(copy.ops):
        if op not in needed:
            Rewriter.erase_op(op)
    return copy


def ir_after_each(
    unit: ProgramOp | ScheduleOp, pipeline: Pipeline
) -> Iterator[tuple[str, str]]:
    """
    Runs passes on a copy of a program or schedule. Yields the text before the first pass,
    under no name, and the name of each pass with the text after it.

    Example: `dict(ir_after_each(program, HostPlanPass()))["vyre-split-grid-sync"]`
    """
    with deep_recursion(), paused_collector():
        module = own_module(unit)
        yield "", str(module)
        for step in expanded([pipeline]):
            step.apply(Context(), module)
            inherit_locations(module)
            yield step.name, str(module)
