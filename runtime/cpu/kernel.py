"""A program on the CPU engine: its code for the sizes that it is run with, and its jobs."""

import threading
from collections.abc import Generator, Hashable
from contextlib import contextmanager
from weakref import WeakValueDictionary

from vyre.analysis.extents import Setting
from vyre.dialects.vyre import ProgramOp, ScheduleOp
from vyre.lowering.llvm.entries import ENTRY
from vyre.runtime.backend import Whole, is_buffer
from vyre.runtime.cpu.compiler import Plan
from vyre.runtime.cpu.jobs import WORTH_SHARING, Code, Job
from vyre.runtime.cpu.machine import Linked, Processor, object_code
from vyre.runtime.cpu.pool import WorkerPool

_compiling = threading.Lock()
_codes: WeakValueDictionary[str, Code] = WeakValueDictionary()
"""All code that is in use, by its IR."""


class CpuKernel:
    """
    A program, its code and its jobs. Code is shared by all sizes for which the same
    accesses are proved; jobs are used again by dispatches of the same sizes.

    Example: `with CpuKernel(program).job(whole, pool) as job: ...`
    """

    def __init__(self, unit: ProgramOp | ScheduleOp, worth_sharing: int = WORTH_SHARING):
        self._plan = Plan(unit)
        self._worth_sharing = worth_sharing
        self._lock = threading.Lock()
        self._codes: dict[Hashable, Code] = {}
        self._idle: dict[Hashable, list[Job]] = {}

    @contextmanager
    def job(self, whole: Whole, pool: WorkerPool) -> Generator[Job]:
        """A job for a launch, which nobody else uses."""
        key = _sizes(whole)
        with self._lock:
            idle = self._idle.setdefault(key, [])
            job = idle.pop() if idle else None
        if job is None:
            job = self.new_job(whole, pool)
        yield job
        with self._lock:
            idle.append(job)

    def new_job(self, whole: Whole, pool: WorkerPool) -> Job:
        """A job for launches of these sizes."""
        code = self.code(whole)
        most = pool.count if self._is_shared(code, whole) else 1
        return Job(code, pool, whole.geometry, most)

    def _is_shared(self, code: Code, whole: Whole) -> bool:
        """Whether it is faster with several workers; results are the same anyway."""
        operations = code.layout.cost * whole.geometry.invocation_count
        return operations >= self._worth_sharing

    def code(self, whole: Whole) -> Code:
        """The code for the sizes of a launch."""
        key = _sizes(whole)
        with self._lock:
            code = self._codes.get(key)
            if code is None:
                code = self._codes[key] = self._compiled(_setting(whole))
            return code

    def _compiled(self, setting: Setting) -> Code:
        source = self._plan.source(setting)
        with _compiling:
            code = _codes.get(source.text)
            if code is None:
                compiled = object_code(source.text, Processor.host())
                code = Code(Linked(compiled, ENTRY), source.layout)
                _codes[source.text] = code
            return code


def _sizes(whole: Whole) -> Hashable:
    shapes = tuple(value.shape for value in whole.arguments if is_buffer(value))
    return whole.geometry, shapes


def _setting(whole: Whole) -> Setting:
    """What accesses are to be proved for."""
    buffers = (value for value in whole.arguments if is_buffer(value))
    return Setting(whole.geometry.groups, {buffer.name: buffer.shape for buffer in buffers})
