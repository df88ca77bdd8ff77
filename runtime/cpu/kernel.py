"""A program on the CPU engine: its code for the sizes that it is run with, and its jobs."""

from collections.abc import Callable, Hashable
from functools import cached_property
from weakref import WeakValueDictionary

from vyre.analysis.extents import Setting
from vyre.fork_locks import ForkLock
from vyre.lowering.llvm.entries import ENTRY
from vyre.lowering.llvm.sources import Source, Translation
from vyre.runtime.backend import Whole, is_buffer
from vyre.runtime.cpu.jobs import WORTH_SHARING, Code, Job, Sized
from vyre.runtime.cpu.machine import Linked, Processor, object_code
from vyre.runtime.cpu.pool import WorkerPool
from vyre.runtime.cpu.stored import Compiled, StoredCode
from vyre.runtime.kernel_cache import KernelCache
from vyre.runtime.unit import Unit

MOST_SIZES = 64
"""For how many sizes a program keeps code and idle jobs; the rest is made anew."""

_compiling = ForkLock()
_codes: WeakValueDictionary[str, Code] = WeakValueDictionary()
"""All code that is in use, by what it was made of."""


class CpuKernel:
    """
    A program, its code and its jobs. Code is shared by all sizes for which the same
    accesses are proved; jobs are used again by dispatches of the same sizes.

    Workers are asked for when the first job is made, so that LLVM can make the pool while
    Python plans the first program.

    Example: `CpuKernel(unit).job(whole, lambda: pool).close()`
    """

    def __init__(
        self,
        unit: Unit,
        worth_sharing: int = WORTH_SHARING,
        cache: KernelCache | None = None,
    ):
        self._unit = unit
        self._worth_sharing = worth_sharing
        self._stored = StoredCode(unit, cache)
        self._lock = ForkLock()
        self._known: dict[Hashable, Sized] = {}
        """By sizes; those that were used last are last."""
        if self._stored.is_known():
            self.proof = self._stored.proof()
        else:
            # What cannot be run is refused now.
            self.proof = self._translation.proof
            self._stored.note_known(self.proof)

    @cached_property
    def _translation(self) -> Translation:
        return Translation(self._unit.condensed)

    @property
    def name(self) -> str:
        """What the program is called."""
        return self._unit.name

    def source(self) -> str:
        """The program as LLVM IR, for all sizes."""
        with self._lock:
            return self._translation.source(Setting()).text

    def job(self, whole: Whole, pool: Callable[[], WorkerPool]) -> Job:
        """A job for dispatches of these sizes: an idle one, or a new one."""
        sized = self._found(whole)
        try:
            return sized.idle.pop()
        except IndexError:
            return self._new_job(sized, whole, pool())

    def _new_job(self, sized: Sized, whole: Whole, pool: WorkerPool) -> Job:
        most = pool.count if self._is_shared(sized.code, whole) else 1
        may_be_alone = self._worth_sharing > 0
        return Job(self._unit, sized, pool, whole.geometry, most, may_be_alone=may_be_alone)

    def _is_shared(self, code: Code, whole: Whole) -> bool:
        """Whether it is faster with several workers; results are the same anyway."""
        operations = code.layout.cost * whole.geometry.invocation_count
        return operations >= self._worth_sharing

    def _found(self, whole: Whole) -> Sized:
        """The code for the sizes of a dispatch, and idle jobs."""
        key = _sizes(whole)
        with self._lock:
            known = self._known.pop(key, None) or Sized(self._made(_setting(whole)), [])
            self._known[key] = known
            if len(self._known) > MOST_SIZES:
                del self._known[next(iter(self._known))]
            return known

    def _made(self, setting: Setting) -> Code:
        sizes = f"{setting.grid} {setting.sizes}"
        compiled = self._stored.find(sizes)
        if compiled is not None:
            return Code(Linked(compiled.code, ENTRY), compiled.layout)
        source = self._translation.source(setting)
        self._stored.keep_sizes(sizes, source)
        with _compiling:
            code = _codes.get(source.identity)
            if code is None:
                code = _codes[source.identity] = self._compiled(source)
            return code

    def _compiled(self, source: Source) -> Code:
        compiled = self._stored.find_code(source)
        if compiled is None:
            made = object_code(source.text, Processor.host())
            compiled = Compiled(made, source.layout)
            self._stored.keep_code(source, compiled)
        return Code(Linked(compiled.code, ENTRY), compiled.layout)


def _sizes(whole: Whole) -> Hashable:
    shapes = tuple(value.shape for value in whole.arguments if is_buffer(value))
    return whole.geometry, shapes


def _setting(whole: Whole) -> Setting:
    """What accesses are to be proved for."""
    buffers = (value for value in whole.arguments if is_buffer(value))
    return Setting(whole.geometry.groups, {buffer.name: buffer.shape for buffer in buffers})
