"""`vyre.compile`: a program that can be called with arrays."""

import threading
import weakref
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from vyre.analysis.foreign import refuse_foreign
from vyre.diagnostics import VyreError, kind_of
from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre import ProgramOp, ScheduleOp
from vyre.passes.verify_module import verify_module
from vyre.reading import parse
from vyre.runtime.backend import Backend, Buffer
from vyre.runtime.backends import find_backend
from vyre.runtime.binding import Arguments, BindingPlan, Role
from vyre.runtime.bound import Bound
from vyre.runtime.calls import Call, Kind, kind_of_call, remember
from vyre.runtime.config import OPTIONS, DispatchConfig, Mode
from vyre.runtime.device import Device, check_buffer_size
from vyre.runtime.device_buffer import importer_of
from vyre.runtime.errors import (
    InvalidArgument,
    UnsupportedFeature,
    blaming_engine,
    labelled,
)
from vyre.runtime.geometry import (
    Extent,
    Geometry,
    check_size,
    checked_grid,
    checked_workgroup,
    infer_grid,
)
from vyre.runtime.held import NOTHING
from vyre.runtime.passes import Report
from vyre.runtime.program_choice import find_unit
from vyre.runtime.resident import Resident
from vyre.runtime.results import Results, check_output_size
from vyre.runtime.route import Route, choose_route
from vyre.runtime.session import DispatchPlan, Session
from vyre.runtime.sources import sources_of
from vyre.runtime.trace import Trace, saved_trace
from vyre.runtime.unit import Unit
from vyre.runtime.variants import Variants

if TYPE_CHECKING:
    from vyre.interpreter.checker import Finding

Array = NDArray[Any]


def compile(
    source: ModuleOp | str | PathLike[str],
    *,
    program: str | None = None,
    engine: str | Backend | Callable[..., None] = "auto",
    mode: Mode = "auto",
) -> "Executable":
    """
    Make a program callable.

    `source` is a module, a file or program text. If it holds several programs, `program`
    names the one to run; a schedule or megakernel goes before its programs. `engine` is a
    name, a `Backend`, or any function that runs a program; see `vyre.runtime.host_memory`.
    `mode` says how grid barriers are run; results are the same in every mode.

    Example:

    ```python
    exe = vyre.compile("scale.mlir")
    result = exe(x=np.ones(1000, np.float32), a=2.0)
    result["x"]
    ```
    """
    if isinstance(source, ModuleOp):
        module, says = source, verify_module(source)
    else:
        module, says = parse(source), None
    unit = find_unit(module, program, says)
    backend = find_backend(engine)
    exe = Executable(unit, backend, DispatchConfig(mode=mode))
    # What cannot be split or run is refused now.
    route = exe.route(exe.config, None)
    if backend.capabilities.whole:
        route.variant.whole_kernel(route.unit)
    return exe


class Timed(NamedTuple):
    """Results of a call, and what it took."""

    results: dict[str, Array]
    report: Report


class Executable:
    """
    A program on an engine. Call it with buffers and parameters by name; it gives back
    every buffer that the program may write, and never changes the caller's arrays.

    Outputs and `write_only` buffers start as zeros; an array passed for one only says how
    large it is. The fields of `DispatchConfig` can be passed by name too, or as `config`.
    It may be used from several threads at once.

    | call | what it does |
    |---|---|
    | `exe(...)` | runs, and gives results by name |
    | `exe(..., into={...})` | the same, with results in the caller's arrays |
    | `exe.timed(...)` | the same, and how long each part took |
    | `exe.bind(...)` | runs on the caller's arrays in place, many times |
    | `exe.resident(...)` | keeps the buffers on the engine, for many runs |
    | `exe.check(...)` | looks for races and other faults |
    | `exe.explain(...)` | says how the program would run, and why |
    | `exe.passes()` | has the IR after each pass on the way to the engine |
    | `exe.sources` | has the text that the engine generates |
    """

    def __init__(
        self,
        program: ProgramOp | ScheduleOp | Unit,
        backend: Backend | None = None,
        config: DispatchConfig = DispatchConfig(),
    ):
        self.unit = program if isinstance(program, Unit) else Unit.snapshot(program)
        self.backend = backend or find_backend("auto")
        self.imported = importer_of(self.backend)
        self.config = config
        _refuse_foreign(self.unit, self.backend)
        self.bindings = BindingPlan.of_table(self.unit.outline.table)
        self.kept: dict[str, Buffer] = {}
        """Persistent buffers as the last dispatch left them."""
        self._variants = Variants(self.unit, self.backend)
        self.keeps = any(b.role is Role.PERSISTENT for b in self.bindings.declared)
        can = self.backend.capabilities
        self._calls: dict[Kind, Call] = {}
        self._has_kinds = can.whole and can.in_place and not self.keeps
        self._keep_lock = threading.RLock()
        self._keeper = Device(self.backend)
        weakref.finalize(self, self._keeper.abandon)

    def __call__(
        self,
        arguments: Mapping[str, object] = NOTHING,
        /,
        *,
        config: DispatchConfig | None = None,
        into: Mapping[str, object] = NOTHING,
        trace: Trace | str | PathLike[str] | None = None,
        **named: Any,
    ) -> dict[str, Array]:
        """
        Run the program. Arguments are passed by name, or as a dictionary if a name is not
        one that Python can pass or is the name of an option.

        `into` holds arrays that results are written to; they are given back among the
        results. `trace` is a `Trace`, or a file to be written.

        Example: `exe(x=array, n=5, grid=4)["x"]`
        """
        kind = None
        if self._has_kinds and config is None and into is NOTHING and trace is None:
            kind = kind_of_call(arguments, named)
            call = None if kind is None else self._calls.get(kind)
            if call is not None:
                given = {**named, **arguments} if arguments else named
                results = call.results(given)
                if results is not None:
                    return results
        return self._call(arguments, config, into, trace, named, kind=kind).results

    def timed(
        self,
        arguments: Mapping[str, object] = NOTHING,
        /,
        *,
        config: DispatchConfig | None = None,
        into: Mapping[str, object] = NOTHING,
        trace: Trace | str | PathLike[str] | None = None,
        **named: Any,
    ) -> Timed:
        """
        Run the program as a call does, and measure.

        Example: `results, report = exe.timed(x=array); report.wall`
        """
        return self._call(arguments, config, into, trace, named, timed=True)

    def _call(
        self,
        arguments: Mapping[str, object],
        config: DispatchConfig | None,
        into: Mapping[str, object],
        trace: Trace | str | PathLike[str] | None,
        named: Mapping[str, Any],
        *,
        timed: bool = False,
        kind: Kind | None = None,
    ) -> Timed:
        """Check, plan and run; calls of a kind need only run the next time."""
        given, settings = self.sorted_out(arguments, config, named)
        with labelled(settings.label):
            checked = self.checked(given)
            with saved_trace(trace) as recorder, self.keeping():
                session = Session(self, checked, settings, recorder)
                results = Results(session, into)
                with session.device, session.dispatching():
                    results.lay_out()
                    work = session.work(timed=timed, may_be_kept=kind is not None)
                    work.run()
                    found = results.fetched()
                    session.keep_persistent()
        if kind is not None and work.prepared is not None:
            remember(self._calls, kind, session, given, found, work)
        return Timed(found, work.report(session.started))

    def bind(
        self,
        arguments: Mapping[str, object] = NOTHING,
        /,
        *,
        config: DispatchConfig | None = None,
        trace: Trace | None = None,
        **named: Any,
    ) -> Bound:
        """
        Fix the arguments, for many runs on the caller's own arrays.

        Example: `step = exe.bind(u=field); step()`
        """
        given, settings = self.sorted_out(arguments, config, named)
        with labelled(settings.label):
            return Bound(self, self.checked(given), settings, trace)

    def resident(
        self,
        arguments: Mapping[str, object] = NOTHING,
        /,
        *,
        config: DispatchConfig | None = None,
        trace: Trace | None = None,
        **named: Any,
    ) -> Resident:
        """
        Upload the arguments, for many runs on the engine.

        Example: `with exe.resident(u=field) as held: held.run()`
        """
        given, settings = self.sorted_out(arguments, config, named)
        with labelled(settings.label):
            return Resident(self, self.checked(given), settings, trace)

    def check(
        self,
        arguments: Mapping[str, object] = NOTHING,
        /,
        *,
        config: DispatchConfig | None = None,
        kinds: Collection[str] | None = None,
        **named: Any,
    ) -> "list[Finding]":
        """
        Run the program on the reference engine and report races, divergent barriers,
        dependence on the order of atomics, reads of elements that were never written, and
        accesses outside buffers; or those of them that are among `kinds`. A program is
        valid on its input if no finding is an error. Those of the last kind are warnings.

        Example: `assert not exe.check(x=array, kinds=["race", "order"])`
        """
        # What few callers need is not imported by all.
        from vyre.interpreter.checker import KINDS, check

        given, settings = self.sorted_out(arguments, config, named)
        checked = self.checked(given)
        plan = self.plan(checked, settings)
        route = plan.route
        unit = route.unit if settings.mode == "split" else route.variant.unit
        groups, timeout = plan.geometry.groups, settings.timeout
        wanted = KINDS if kinds is None else kinds
        what = f"check @{self.unit.name}"
        with labelled(settings.label), blaming_engine("reference", what):
            return check(unit.op, checked.storage, groups, timeout, wanted)

    def explain(
        self,
        arguments: Mapping[str, object] = NOTHING,
        /,
        *,
        config: DispatchConfig | None = None,
        **named: Any,
    ) -> str:
        """
        How the program would run with these arguments, and why; without arguments, how it
        would if the grid fits.

        Example: `print(exe.explain(x=array, grid=4))`
        """
        from vyre.tools.explanation import explanation

        given, settings = self.sorted_out(arguments, config, named)
        if not given and self.bindings.names:
            return explanation(self, self.route(settings, None))
        checked = self.checked(given)
        plan = self.plan(checked, settings)
        return explanation(self, plan.route, plan.geometry, checked)

    def passes(self) -> list[tuple[str, str]]:
        """
        The passes that the program goes through for its engine, with the IR after each; the
        first one is the program as it is written, under no name.

        Example: `dict(exe.passes())["vyre-split-grid-sync"]`
        """
        from vyre.tools.explanation import passes_of

        return passes_of(self.route(self.config, None))

    @property
    def sources(self) -> dict[str, str]:
        """
        What the engine generates for the program, by names of files; empty if it generates
        no text.

        Example: `vyre.compile("scan.mlir", engine="cpu").sources["scan.ll"]`
        """
        return sources_of(self.route(self.config, None))

    @property
    def program(self) -> ProgramOp | ScheduleOp:
        """What runs, before it is split; waves are fused."""
        return self.unit.op

    @property
    def workgroup(self) -> Extent:
        """Invocations per workgroup along x, y and z, as the program says."""
        return self.unit.outline.workgroup

    def sorted_out(
        self,
        arguments: Mapping[str, object],
        config: DispatchConfig | None,
        named: Mapping[str, Any],
        held: Collection[str] = (),
    ) -> tuple[dict[str, object], DispatchConfig]:
        """Arguments of the program, but for those that are held, and how to run it."""
        _check_kinds(arguments, config)
        for name in arguments.keys() & (named.keys() - OPTIONS):
            raise InvalidArgument(
                f"argument '{name}' is given twice", "pass it in the dictionary or by name"
            )
        options = {name: value for name, value in named.items() if name in OPTIONS}
        others = {name: value for name, value in named.items() if name not in OPTIONS}
        expected = set(self.bindings.names) - arguments.keys() - set(held)
        for name in options.keys() & expected:
            raise InvalidArgument(
                f"'{name}' is the name of an option and of an argument",
                f"pass the argument in a dictionary: exe({{'{name}': ...}})",
            )
        settings = (config or self.config).with_options(options)
        if settings.mode is None:
            settings = settings.with_options({"mode": self.config.mode or "auto"})
        return {**arguments, **others}, settings

    def checked(self, given: Mapping[str, object]) -> Arguments:
        """The arguments of a dispatch, which may be in the engine's memory already."""
        return self.bindings.check(given, self.imported)

    def plan(self, arguments: Arguments, config: DispatchConfig) -> DispatchPlan:
        """How a dispatch with these arguments will run."""
        size = None if config.workgroup is None else checked_workgroup(config.workgroup)
        workgroup = size or self.workgroup
        if config.grid is None:
            lengths = self.unit.outline.lengths
            groups = infer_grid(workgroup, lengths, arguments.shapes())
        else:
            groups = checked_grid(config.grid)
        geometry = Geometry(groups, workgroup)
        check_size(geometry)
        check_output_size(arguments, config.max_output_bytes)
        self._check_abilities(arguments, config)
        return DispatchPlan(config, geometry, self.route(config, geometry))

    def route(self, config: DispatchConfig, geometry: Geometry | None) -> Route:
        """What runs, in which way, and why."""
        size = None if config.workgroup is None else checked_workgroup(config.workgroup)
        return choose_route(self._variants.of(size), config.mode or "auto", geometry)

    def _check_abilities(self, arguments: Arguments, config: DispatchConfig) -> None:
        can, name = self.backend.capabilities, self.backend.name
        if config.order != "lockstep" and not can.orders:
            raise UnsupportedFeature(
                f"engine '{name}' cannot be told the order '{config.order}'",
                "leave the order out, or use engine 'reference'",
            )
        for binding in self.bindings.declared:
            size = binding.size_of(arguments.shape(binding))
            check_buffer_size(self.backend, binding.name, size)

    def keeping(self) -> AbstractContextManager[object]:
        """Dispatches that keep something for the next one come one after the other."""
        return self._keep_lock if self.keeps else nullcontext()

    def keep(self, buffer: Buffer) -> None:
        """Let the next dispatch start with what a persistent buffer holds now."""
        copy = self._keeper.buffer(buffer.name, buffer.shape, buffer.dtype)
        try:
            self._keeper.copy(buffer, copy)
        except BaseException:
            with suppress(VyreError):  # What went wrong first is what counts.
                self._keeper.free(copy)
            raise
        before = self.kept.get(buffer.name)
        self.kept[buffer.name] = copy
        if before is not None:
            self._keeper.free(before)


def _check_kinds(arguments: object, config: object) -> None:
    """Refuse what was passed in the place of something else."""
    if not isinstance(arguments, Mapping):
        raise InvalidArgument(
            f"the first argument is {kind_of(arguments)}, not a dictionary",
            "pass arguments by name",
        )
    check_config(config)


def check_config(config: object) -> None:
    """Refuse what is no configuration of a dispatch."""
    if config is not None and not isinstance(config, DispatchConfig):
        raise InvalidArgument(
            f"'config' is {kind_of(config)}, not a DispatchConfig",
            "make one, or pass options by name; an argument of the program that is called "
            "'config' goes in a dictionary",
        )


def _refuse_foreign(unit: Unit, backend: Backend) -> None:
    """Refuse operations that neither Vyre nor the engine knows."""
    try:
        refuse_foreign(unit.foreign, backend.capabilities.operations)
    except Refusal as refusal:
        at = refusal.at if isinstance(refusal.at, Operation) else None
        raise UnsupportedFeature(refusal.cause, refusal.fix, at) from None
