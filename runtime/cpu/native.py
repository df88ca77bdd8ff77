"""
The native part of the worker pool: LLVM IR, compiled by llvmlite.

The texts are `pool.ll`, `waking.ll`, `barrier.ll`, `pulse.ll` and `waiting.ll`, and what
they need of the processor and the operating system, of which there are variants. `$NAME` in
them is a word of `vyre.lowering.llvm.job` or `pool_words`, or a constant of this file.

`compile_object` turns them into object code and `load` makes this callable. The object
code fits every process on such a system, so it may be kept on disk.

The texts say themselves what is inlined, and there is little else for LLVM to optimise. So
it does not, which would take longer than all the rest: the first program waits for it.
"""

import ctypes
import platform
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from types import ModuleType

import llvmlite.binding as llvm

from vyre.lowering.llvm import job
from vyre.runtime.cpu import pool_words
from vyre.runtime.cpu.llvm_threads import (
    background,
    emitted,
    optimise,
    using_llvm,
)
from vyre.runtime.errors import UnsupportedFeature

EXPORTS = ("dispatch", "meet", "release", "pulse", "retire", "halt")

_PYTHON = ("PyEval_SaveThread", "PyEval_RestoreThread", "PyErr_CheckSignals")
_SYSTEM = (
    "clock_gettime",
    "pthread_create",
    "pthread_detach",
    "pthread_self",
    "pthread_sigmask",
    "sched_yield",
    "sigfillset",
)

_CORES = ("bcmp", "sched_getcpu", "sched_getaffinity", "sched_setaffinity")

_FUTEX = {"x86_64": 202, "aarch64": 98, "riscv64": 98, "ppc64le": 221, "s390x": 238}
_GETTID = {"x86_64": 186, "aarch64": 178, "riscv64": 178, "ppc64le": 207, "s390x": 236}
"""Numbers of system calls on Linux."""

_TUNING = {
    "FEW": 4,  # Workers that count their arrivals beside what they spin on.
    "POLLS": 16,  # Looks at a word before a look at the clock.
    "TURNS": 32,  # Times to let other workers run before falling asleep.
    "WAITS_WITHOUT_TURNS": 10_000,  # After a turn that took long.
    "AFFINITY_WORDS": 128,  # Of a set of cores: as many as Linux can have.
    "AFFINITY_CORES": 8192,
    "NAP": 20_000_000,  # Nanoseconds that worker 0 sleeps at most.
    "SIGNALS_EVERY": 30_000_000,  # Nanoseconds.
}


@dataclass(frozen=True)
class _Processor:
    text: str
    spin_ticks: int
    """For how long a thread without work waits before it sleeps: some tens of
    microseconds."""
    look_ticks: int
    """How often worker 0 looks at the clock: about a millisecond."""


_X86 = _Processor("x86.ll", 1 << 16, 1 << 21)
_PROCESSORS = {"x86_64": _X86, "amd64": _X86}
_ANY = _Processor("anycpu.ll", 50_000, 1_000_000)


@dataclass(frozen=True)
class Native:
    """
    The functions of the pool, and where those lie that generated code calls.

    Example: `load(compile_object()).addresses["meet"]`
    """

    addresses: dict[str, int]

    def function(self, name: str, arguments: int) -> Callable[..., int]:
        """
        A function of 64-bit words, to be called with the GIL held. Exceptions that it
        leaves behind are raised.

        Example: `native.function("retire", 1)(pool)`
        """
        prototype = ctypes.PYFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * arguments)
        return prototype(self.addresses[name])


_object: bytes | None = None
_loaded: Native | None = None


def is_loaded() -> bool:
    """Whether the pool's functions can be called already."""
    return _loaded is not None


def _constants(module: ModuleType) -> Iterator[tuple[str, int]]:
    for name, value in vars(module).items():
        if name.isupper() and isinstance(value, int):
            yield name, value


def _machine() -> str:
    return platform.machine().lower()


def _clock() -> int:
    """The clock that `time.monotonic` reads."""
    name = "CLOCK_UPTIME_RAW" if sys.platform == "darwin" else "CLOCK_MONOTONIC"
    return int(getattr(time, name))


def _knows_system_calls() -> bool:
    return sys.platform == "linux" and _machine() in _FUTEX


def _parking() -> str:
    return "futex.ll" if _knows_system_calls() else "polling.ll"


def _cores() -> str:
    return "linux_cores.ll" if _knows_system_calls() else "anycores.ll"


def native_text() -> str:
    """
    The IR of the pool for this machine.

    Example: `llvmlite.binding.parse_assembly(native_text())`
    """
    if sys.platform == "win32":
        raise UnsupportedFeature(
            "the CPU engine needs POSIX threads, which Windows has not",
            "use the engine 'reference', or Linux under Windows (WSL)",
        )
    processor = _PROCESSORS.get(_machine(), _ANY)
    constants = {
        **_TUNING,
        **dict(_constants(job)),
        **dict(_constants(pool_words)),
        "SPIN_TICKS": processor.spin_ticks,
        "SHORT_JOB": 64 * processor.spin_ticks,
        "SHORT_TICKS": processor.spin_ticks // 8,
        "LONG_TURN": 4 * processor.spin_ticks,
        "LONG_WAIT": 64 * processor.spin_ticks,
        "LOOK_TICKS": processor.look_ticks,
        "CLOCK": _clock(),
        "SIG_SETMASK": int(signal.SIG_SETMASK),
        "SYS_FUTEX": _FUTEX.get(_machine(), 0),
        "SYS_GETTID": _GETTID.get(_machine(), 0),
    }
    files = (
        processor.text,
        _parking(),
        _cores(),
        "waiting.ll",
        "pulse.ll",
        "barrier.ll",
        "waking.ll",
        "pool.ll",
    )
    texts = [Path(__file__).with_name(name).read_text("utf-8") for name in files]
    return Template("\n".join(texts)).substitute(constants)


@cache
def _target() -> llvm.Target:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_triple(llvm.get_process_triple())


def compile_object() -> bytes:
    """
    The object code of the pool, for every processor of this kind. It is made once in a
    process, and may be asked for ahead by another thread.

    Example: `WorkerPool(2, object_code=compile_object())`
    """
    global _object
    with using_llvm():
        target = _target()
    with background("pool"):
        if _object is None:
            _object = _compiled(target)
        return _object


def _compiled(target: llvm.Target) -> bytes:
    machine = target.create_target_machine(opt=2, reloc="pic", codemodel="small")
    module = llvm.parse_assembly(native_text(), llvm.create_context())
    module.triple = target.triple
    module.data_layout = str(machine.target_data)
    module.verify()
    # At this level it only inlines what is `alwaysinline`.
    optimise(module, machine, 0)
    return emitted(module, machine)


def _symbols() -> Iterator[tuple[str, int]]:
    """Functions of Python and the C library that the pool calls."""
    system = ctypes.CDLL(None)
    parking = "syscall" if _parking() == "futex.ll" else "usleep"
    cores = _CORES if _cores() == "linux_cores.ll" else ()
    used = (*_SYSTEM, parking, *cores)
    for library, names in ((ctypes.pythonapi, _PYTHON), (system, used)):
        for name in names:
            address = ctypes.cast(getattr(library, name), ctypes.c_void_p).value
            assert address is not None
            yield name, address


def load(object_code: bytes | None = None) -> Native:
    """
    Make object code callable, or what `compile_object` gives. It is loaded once and stays
    for as long as the process lives: threads may still run it when Python has cleared its
    modules.

    Example: `load(compile_object())`
    """
    global _loaded
    with using_llvm():
        if _loaded is None:
            _loaded = _link(compile_object() if object_code is None else object_code)
        return _loaded


def _link(object_code: bytes) -> Native:
    target = _target()
    machine = target.create_target_machine(opt=2, reloc="pic", codemodel="small")
    jit = llvm.create_lljit_compiler(machine, use_jit_link=True)
    library = llvm.JITLibraryBuilder().add_object_img(object_code)
    for name, address in _symbols():
        library.import_symbol(name, address)
    for name in EXPORTS:
        library.export_symbol(name)
    tracker = library.link(jit, "vyre_pool")
    addresses = {name: tracker[name] for name in EXPORTS}
    tracker.detach()
    jit.detach()
    return Native(addresses)
