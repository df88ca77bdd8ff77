"""The CPU engine as a backend: programs as native code on all cores."""

from collections.abc import Sequence

from typing_extensions import override

from vyre.dialects.vyre import ProgramOp, ScheduleOp
from vyre.lowering.llvm.passes.cpu_pipeline import CpuPipelinePass
from vyre.passes.pipeline import Pipeline
from vyre.runtime.backend import Capabilities, Whole
from vyre.runtime.cpu.ahead import Ahead
from vyre.runtime.cpu.jobs import WORTH_SHARING, Job
from vyre.runtime.cpu.kernel import CpuKernel
from vyre.runtime.cpu.llvm_threads import using_llvm
from vyre.runtime.cpu.machine import Processor
from vyre.runtime.cpu.native import compile_object, is_loaded, native_text
from vyre.runtime.cpu.pool import WorkerPool
from vyre.runtime.host_memory import HostBackend
from vyre.runtime.kernel_cache import KernelCache, key_of
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
    def pipeline(
        self, unit: Unit, *, is_split: bool
    ) -> tuple[ProgramOp | ScheduleOp, Pipeline]:
        return unit.condensed, CpuPipelinePass()

    @override
    def compile_whole(self, unit: Unit) -> CpuKernel:
        self._compile_pool_ahead()
        return CpuKernel(unit, self._worth_sharing, self._cache)

    @override
    def sources(self, kernel: CpuKernel) -> dict[str, str]:
        return {f"{kernel.name}.ll": kernel.source()}

    @override
    def prepare(self, whole: Whole, zeros: Sequence[str] = ()) -> Job:
        kernel: CpuKernel = whole.kernel
        job = kernel.job(whole, lambda: self.pool)
        job.fill(whole.arguments, zeros)
        job.repeat(whole.passes, whole.check_interval, timed=whole.timed)
        return job
