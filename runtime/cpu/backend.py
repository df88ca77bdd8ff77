"""The CPU engine as a backend: programs as native code on all cores."""

import time
from collections.abc import Sequence

import numpy as np
from typing_extensions import override
from xdsl.dialects.builtin import StringAttr

from vyre.diagnostics import VyreError
from vyre.dialects.vyre import ProgramOp, ScheduleOp, TrapOp
from vyre.locations import place_of
from vyre.lowering.llvm.job import STATUS_DONE, STATUS_TIMEOUT, STATUS_TRAPPED
from vyre.lowering.llvm.layout import Trap
from vyre.runtime.backend import Capabilities, Launch, Outcome, Prepared, Whole
from vyre.runtime.cpu.ahead import Ahead
from vyre.runtime.cpu.jobs import WORTH_SHARING, Job
from vyre.runtime.cpu.kernel import CpuKernel
from vyre.runtime.cpu.llvm_threads import using_llvm
from vyre.runtime.cpu.machine import Processor
from vyre.runtime.cpu.native import compile_object, is_loaded, native_text
from vyre.runtime.cpu.pool import WorkerPool
from vyre.runtime.deadline import Deadline
from vyre.runtime.errors import DispatchFailed, Trapped
from vyre.runtime.host_memory import HostBackend
from vyre.runtime.kernel_cache import KernelCache, key_of
from vyre.runtime.schedule_host import segments_of
from vyre.runtime.times import Times
from vyre.runtime.unit import Unit


class CpuBackend(HostBackend):
    """
    Compiles programs with LLVM and runs them on all cores, with grid barriers.

    There are `workers` threads, as many as cores if it is not said. Launches of fewer than
    `worth_sharing` operations stay on one of them.

    Example: `vyre.compile(file, engine="cpu")`
    """

    name = "cpu"
    capabilities = Capabilities(
        grid_sync=True, loops=True, in_place=True, whole=True, lasting=True
    )

    def __init__(self, workers: int | None = None, worth_sharing: int = WORTH_SHARING):
        self._workers = workers
        self._worth_sharing = worth_sharing
        self._cache = KernelCache.default()
        self._pool: WorkerPool | None = None
        self._is_ahead = False

    @property
    def pool(self) -> WorkerPool:
        """The workers, which start when they are first needed."""
        if self._pool is None:
            # A lock of its own might be taken when the process forks.
            with using_llvm():
                if self._pool is None:
                    code = self._pool_code()
                    self._pool = WorkerPool(self._workers, object_code=code)
        return self._pool

    def _pool_code(self) -> bytes:
        """The native part of the pool, which is the same for all programs."""
        code = self._found_pool_code()
        if code is None:
            code = compile_object()
            if self._cache is not None:
                self._cache.keep(key_of("cpu pool", native_text()), code)
        return code

    def _found_pool_code(self) -> bytes | None:
        if self._cache is None:
            return None
        return self._cache.find(key_of("cpu pool", native_text()))

    def _compile_pool_ahead(self) -> None:
        """Let LLVM make the pool while Python plans the first program."""
        if self._is_ahead or is_loaded():
            return
        self._is_ahead = True
        if self._found_pool_code() is None:
            Processor.host()  # The program asks for it next, and would wait for LLVM.
            Ahead(compile_object)

    @override
    def compile(self, program: ProgramOp) -> CpuKernel:
        return self.compile_whole(Unit(program))

    @override
    def compile_whole(self, unit: Unit) -> CpuKernel:
        self._compile_pool_ahead()
        return CpuKernel(unit, self._worth_sharing, self._cache)

    @override
    def sources(self, kernel: CpuKernel) -> dict[str, str]:
        return {f"{kernel.name}.ll": kernel.source()}

    @override
    def launch(self, launch: Launch) -> Times:
        return self.run(
            Whole(
                Unit(launch.program),
                launch.kernel,
                launch.arguments,
                launch.geometry,
                launch.deadline,
                timed=launch.timed,
            )
        ).times

    @override
    def run(self, whole: Whole) -> Outcome:
        kernel: CpuKernel = whole.kernel
        with kernel.job(whole, lambda: self.pool) as job:
            job.fill(whole.arguments)
            job.repeat(whole.passes, whole.check_interval, timed=whole.timed)
            start = time.perf_counter_ns()
            _run(job, whole.unit, whole.deadline)
            return job.outcome(time.perf_counter_ns() - start)

    @override
    def prepare(self, whole: Whole, zeros: Sequence[str]) -> Prepared:
        kernel: CpuKernel = whole.kernel
        job = kernel.take_job(whole, lambda: self.pool)
        job.fill(whole.arguments, zeros)
        job.repeat(whole.passes, whole.check_interval, timed=False)
        return _PreparedJob(job, whole.unit)


class _PreparedJob(Prepared):
    """A job that is filled in."""

    def __init__(self, job: Job, unit: Unit):
        self._job = job
        self._unit = unit

    @override
    def run(self, deadline: Deadline) -> tuple[int, int]:
        _run(self._job, self._unit, deadline)
        return self._job.counts()

    @override
    def rebind(self, arguments: Sequence[int | np.generic]) -> None:
        self._job.refill(arguments)


def _run(job: Job, unit: Unit, deadline: Deadline) -> None:
    """Run a job that is filled in, and raise what went wrong."""
    try:
        status = job.run(deadline.end_ns)
    except BaseException:
        job.reset()
        raise
    if status != STATUS_DONE:
        latest = job.latest()
        error = _failure(job, unit, deadline, status)
        if latest is not None and isinstance(unit.op, ScheduleOp):
            error.segment = list(segments_of(unit.op).values())[latest]
        raise error


def _failure(job: Job, unit: Unit, deadline: Deadline, status: int) -> VyreError:
    """What to raise for a status other than success."""
    if status == STATUS_TRAPPED:
        report = job.trap()
        op = _trap_op(unit.op, report.trap)
        return Trapped(op, report.trap.tag, report.invocation, report.value)
    job.reset()
    if status == STATUS_TIMEOUT:
        return deadline.error()
    return DispatchFailed(
        "the dispatch was stopped because Python exits", "wait for it before the end"
    )


def _trap_op(program: ProgramOp | ScheduleOp, trap: Trap) -> TrapOp:
    """The operation that the code knows by what it says, its wave and its place."""
    module = program.get_toplevel_object()
    wave = None if trap.wave is None else StringAttr(trap.wave)
    traps = [
        op
        for op in module.walk()
        if isinstance(op, TrapOp) and op.tag.data == trap.tag and op.wave == wave
    ]
    return next((op for op in traps if str(place_of(op)) == trap.place), traps[0])
