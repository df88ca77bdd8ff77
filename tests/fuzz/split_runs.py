"""
Is a program split into one that means the same?

The program runs as it is written, on the reference engine, and after `vyre-host-plan`, in
several orders of workgroups; and on the CPU engine. All buffers that it may write must be
the same, byte for byte but for the bits of NaNs; if it traps, the other must trap as well.
Without a grid both get the same one.
"""

import re
import signal
import traceback
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from random import Random
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from foreign_operations import CONTEXT, hidden
from grid_programs import GridProgram, Launch
from guarded_arrays import guarded, guarded_jobs
from native_runs import apart, compiled_once, executable, ways
from numpy.typing import NDArray
from program_coverage import features, split_features
from split_variants import VARIANTS
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

import vyre
from vyre.diagnostics import InvalidProgram
from vyre.interpreter.backend import ReferenceBackend
from vyre.interpreter.engine import Dispatch
from vyre.interpreter.frames import Lanes
from vyre.interpreter.memory import Memory
from vyre.lowering.cuda.passes.cuda_pipeline import CudaPipelinePass
from vyre.lowering.llvm.passes.cpu_pipeline import CpuPipelinePass
from vyre.passes.validate_split import Baseline
from vyre.runtime.config import DispatchConfig, Order
from vyre.runtime.cpu.native import load
from vyre.runtime.errors import InvalidArgument, Timeout, Trapped
from vyre.runtime.executable import Executable
from vyre.runtime.program_choice import find_program, find_unit
from vyre.validation import InvalidSplit

Kind = Literal[
    "invalid",
    "refused",
    "ill-formed",
    "unproved",
    "different",
    "ends",
    "printing",
    "crash",
]
"""
What can go wrong: the program itself is not valid, a pass refuses it, makes something that
does not verify, a schedule that the validator refuses, or something with other results,
another end, or another printed form; or an exception that nobody expects.
"""

Results: TypeAlias = dict[str, bytes] | None
"""The bytes of every buffer that a program may write; none if it has trapped."""

Run: TypeAlias = Callable[[Executable, GridProgram, Launch, Order], Results]
"""A way to run what was made from a generated program."""

ENGINES = (CpuPipelinePass(), CudaPipelinePass(), CudaPipelinePass(mode="native"))
"""Their passes include those of `vyre-host-plan`."""

SECONDS = 120
"""How long may be spent on a program; a second is usual."""


class Hang(BaseException):
    """Not an `Exception`, so that nothing takes it for one of its own."""


class Failure(Exception):
    """A program that shows a mistake, and where it did."""

    def __init__(self, kind: Kind, where: str, detail: str):
        super().__init__(kind, where, detail)
        self.kind: Kind = kind
        self.where = where
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.kind}, {self.where}: {self.detail}"

    @property
    def signature(self) -> str:
        """The same for failures that probably have one cause."""
        lines = self.detail.strip().split("\n")
        said = next((line for line in lines if "error:" in line), lines[-1])
        if self.kind == "different":
            said = ""
        return re.sub(r'[%@]?"?[\w.]*\d[\w.]*"?', "#", f"{self.kind} {self.where} {said}")


@dataclass(frozen=True)
class Options:
    """
    What to look at: the split program, every pass alone, programs that are changed a
    little, and native code.
    """

    split: bool = True
    stages: bool = False
    variants: bool = False
    native: bool = False


@dataclass
class Report:
    """What became of a program."""

    failure: Failure | None = None
    features: set[str] = field(default_factory=set[str])


def examine(program: GridProgram, options: Options = Options()) -> Report:
    """Run a program in all ways; the first failure ends it."""
    report = Report()
    try:
        with _alarm():
            _examine(program, options, report)
    except Failure as failure:
        report.failure = failure
    except Hang:
        where = "".join(traceback.format_exc().split("\n  File")[-3:])
        report.failure = Failure("ends", f"still running after {SECONDS} s", where)
    return report


def _examine(program: GridProgram, options: Options, report: Report) -> None:
    with _as_failure("invalid", "as it is written"):
        module = vyre.parse(program.text, ctx=CONTEXT)
    report.features = features(module)
    examination = Examination(program, module)
    if options.stages:
        examination.stages()
    if options.split:
        report.features |= split_features(examination.split())
    if options.variants and not program.foreign:
        examination.variants()
    if options.native and not program.foreign:
        examination.native()


@contextmanager
def _alarm() -> Generator[None]:
    """Raise `Hang` after the time that no program may take."""

    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise Hang

    previous = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, SECONDS, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


@contextmanager
def _as_failure(kind: Kind, where: str) -> Generator[None]:
    """An error that Vyre reports is of this kind; any other exception is a crash."""
    try:
        yield
    except Failure:
        raise
    except (InvalidProgram, InvalidSplit) as error:
        raise Failure(kind, where, str(error)) from error
    except Timeout as error:
        raise Failure("ends", where, str(error)) from error
    except Exception as error:
        raise Failure("crash", where, traceback.format_exc()) from error


class Examination:
    """Compares what becomes of a program with its results as it is written."""

    def __init__(self, program: GridProgram, module: ModuleOp):
        self.program = program
        self.module = module
        self.rng = Random(program.seed)
        where = "as it is written"
        # Parsing has verified it already.
        exe = Executable(find_program(module, "p"), ReferenceBackend())
        with _as_failure("invalid", where):
            self.expected = [results(exe, program, each) for each in program.launches]
        self.grids = [inferred_grid(exe, program, each) for each in program.launches]
        self._compare(exe, "invalid", where, self._orders(1))

    def split(self, module: ModuleOp | None = None, before: str = "") -> ModuleOp:
        """What the host plan makes of the program, or of a module that means the same."""
        from vyre.passes.host_plan import HostPlanPass

        split = (module or self.module).clone()
        where = f"{before}vyre-host-plan"
        baseline = Baseline.of(split)
        self._step(HostPlanPass(), split, where, set())
        with _as_failure("unproved", where):
            baseline.check(split)
        return split

    def stages(self) -> None:
        """Every pass of every pipeline must keep the meaning."""
        from vyre.passes.host_plan import HostPlanPass

        # Engines refuse operations that they do not know.
        pipelines = (HostPlanPass(),) if self.program.foreign else ENGINES
        known = {str(self.module)}
        for pipeline in pipelines:
            module = self.module.clone()
            for step in pipeline.steps():
                where = f"{pipeline.spec()}, {step.name}"
                self._step(step, module, where, known)
        where = "mode='split'"
        with _as_failure("refused", where):
            exe = vyre.compile(self.module, mode="split", engine="reference")
        self._compare(exe, "different", where, self._orders(1))

    def variants(self) -> None:
        """The program with changes that keep its meaning, and these split."""
        for name, change in VARIANTS.items():
            module = self.module.clone()
            with _as_failure("refused", name):
                changed = change(module, self.rng)
            if changed:
                exe = _compiled(module, "ill-formed", name)
                self._compare(exe, "different", name, ("reversed", "random"))
                self._check_promises(module, name)
                self._check_promises(self.split(module, f"{name}, "), name)

    def native(self) -> None:
        """The CPU engine must give the same, with however many workers."""
        load()  # Once, and not in every child process.
        with (
            _as_failure("crash", "native code"),
            TemporaryDirectory(prefix="vyre-fuzz-") as folder,
        ):
            error = apart(partial(self._native, folder))
            if error is not None:
                raise error

    def _native(self, folder: str) -> None:
        """Each executable is dropped before the next runs, with all memory it has."""
        unit = find_unit(self.module, "p")
        with guarded_jobs(), compiled_once(folder):
            for workers, mode in ways(Random(self.program.seed)):
                with _as_failure("refused", "native code"):
                    exe = executable(unit, workers, mode)
                where = f"{workers} workers" + (", split" if mode == "split" else "")
                self._compare(exe, "different", where, ("lockstep",), results_in_place)

    def _step(
        self, step: ModulePass, module: ModuleOp, where: str, known: set[str]
    ) -> None:
        """Apply a pass, which must keep the meaning; what is known has been run."""
        with _as_failure("refused", where):
            step.apply(CONTEXT, module)
        text = str(module)
        if text in known:
            return
        known.add(text)
        exe = _compiled(module, "ill-formed", where)
        _check_printing(module, where)
        self._compare(exe, "different", where, ("lockstep", *self._orders(1)))
        for launch, expected in zip(self.program.launches, self.grids):
            grid = inferred_grid(exe, self.program, launch)
            if grid != expected:
                raise Failure("different", where, f"infers {grid} instead of {expected}")

    def _compare(
        self,
        exe: Executable,
        kind: Kind,
        where: str,
        orders: Sequence[Order],
        run: Run | None = None,
    ) -> None:
        """Run a program on all grids in these orders."""
        for launch, expected in zip(self.program.launches, self.expected):
            for order in orders:
                with _as_failure("ends", where):
                    found = (run or results)(exe, self.program, launch, order)
                if found != expected:
                    detail = f"{_differing(found, expected)} on {launch.grid}, {order}"
                    ends = expected is None or found is None
                    raise Failure("ends" if ends else kind, where, detail)

    def _check_promises(self, module: ModuleOp, where: str) -> None:
        """No access that is marked `inbounds` may leave its buffer."""
        exe = _compiled(module, "ill-formed", where)
        for launch in self.program.launches:
            watcher = PromiseWatcher()
            given = exe.bindings.check(known_arguments(exe, self.program, launch))
            config = DispatchConfig(grid=_grid(launch))
            grid = exe.plan(given, config).geometry.groups
            try:
                Dispatch(grid, observer=watcher).run(exe.program, given.storage())
            except Trapped:
                pass
            if watcher.broken is not None:
                raise Failure("different", where, f"not inside: {watcher.broken}")

    def _orders(self, count: int) -> list[Order]:
        return self.rng.sample(get_args(Order)[1:], count)


def _compiled(module: ModuleOp, kind: Kind, where: str) -> Executable:
    with _as_failure(kind, where):
        return vyre.compile(module, program="p", engine="reference")


def results(
    exe: Executable, program: GridProgram, launch: Launch, order: Order = "lockstep"
) -> Results:
    """What something gives back that was made from a generated program."""
    arguments = known_arguments(exe, program, launch)
    hidden.fill(0)
    try:
        found = exe(arguments, grid=_grid(launch), order=order, timeout=SECONDS / 2)
    except Trapped:
        return None
    own = {"hidden": hidden.tobytes()} if program.foreign else {}
    return own | {name: _bytes(array) for name, array in found.items()}


def inferred_grid(
    exe: Executable, program: GridProgram, launch: Launch
) -> tuple[int, int, int] | None:
    """The grid that a call gets which passes none; nothing if it has to pass one."""
    given = exe.bindings.check(known_arguments(exe, program, launch))
    try:
        return exe.plan(given, DispatchConfig()).geometry.groups
    except InvalidArgument:
        return None


def results_in_place(
    exe: Executable, program: GridProgram, launch: Launch, order: Order = "lockstep"
) -> Results:
    """The same, on arrays behind which nothing can be written."""
    known = known_arguments(exe, program, launch)
    arguments = {
        n: guarded(value) if np.ndim(value) else value for n, value in known.items()
    }
    bound = exe.bind(arguments, grid=_grid(launch), order=order, timeout=SECONDS / 2)
    try:
        bound()
    except Trapped:
        return None
    return {each.name: _bytes(arguments[each.name]) for each in exe.bindings.written}


def known_arguments(
    exe: Executable, program: GridProgram, launch: Launch
) -> dict[str, Any]:
    """The program's arguments without those that were removed from it."""
    arguments = program.arguments(launch)
    return {name: arguments[name] for name in exe.bindings.names}


def _grid(launch: Launch) -> object:
    return None if launch.is_inferred else launch.grid


def _differing(found: Results, expected: Results) -> str:
    if found is None or expected is None:
        return "traps in one way only"
    return ", ".join(name for name in found if found[name] != expected[name])


def _bytes(array: NDArray[Any]) -> bytes:
    """The bytes of an array with one NaN for all."""
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), np.array(np.nan, array.dtype), array)
    return array.tobytes()


def _check_printing(module: ModuleOp, where: str) -> None:
    """What is printed is read back as the same."""
    text = str(module)
    with _as_failure("printing", where):
        again = str(vyre.parse(text, ctx=CONTEXT))
    if again != text:
        raise Failure("printing", where, f"printed:\n{text}\nread back:\n{again}")


class PromiseWatcher:
    """Sees accesses that leave their buffers although they promise not to."""

    broken: Operation | None = None

    def outside(self, op: Operation, memory: Memory, lanes: Lanes) -> None:
        if "inbounds" in op.properties:
            self.broken = op

    def ignored(self, *_: object, **__: object) -> None:
        """Nothing else matters."""

    read = write = atomic = filled = started = landed = ignored
    workgroup_barrier = grid_barrier = ignored
