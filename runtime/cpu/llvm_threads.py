"""
LLVM on several threads at once.

llvmlite lets one thread at a time into LLVM, whatever it does there. LLVM itself asks only
that what threads work on is in contexts of their own, so the two calls that take long are
made here without llvmlite's lock. Everything else is quick and goes through llvmlite.

A process must not fork while another thread is in LLVM or has llvmlite's lock: the child
would find locks taken, by a thread that it does not have. So each thread holds a lock while
it uses LLVM, and a fork waits for all of them: that of `using_llvm`, or of `background`.
Signal handlers of Python wait meanwhile, too.
"""

import ctypes
import os
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager

import llvmlite.binding as llvm
from llvmlite.binding import ffi

from vyre.runtime.cpu.kept_signals import signals_kept

_foreground = threading.RLock()
_background = {name: threading.RLock() for name in ("pool", "part")}


@contextmanager
def using_llvm() -> Generator[None]:
    """
    LLVM for one thread at a time, but for those that are in `background`.

    Example: `with using_llvm(): module = llvm.parse_assembly(text)`
    """
    with _foreground, signals_kept():
        yield


@contextmanager
def background(name: str) -> Generator[None]:
    """
    LLVM for one more thread, beside the one in `using_llvm`; it must not ask for that
    meanwhile. There is one thread at a time for each name, "pool" and "part".

    Example: `with background("pool"): ...`
    """
    with _background[name], signals_kept():
        yield


def _acquire_all() -> None:
    # Threads with the first lock may wait for others, never the other way round.
    for lock in (_foreground, *_background.values()):
        lock.acquire()


def _release_all() -> None:
    for lock in (_foreground, *_background.values()):
        lock.release()


if sys.platform != "win32":
    os.register_at_fork(
        before=_acquire_all, after_in_parent=_release_all, after_in_child=_release_all
    )


def optimise(module: llvm.ModuleRef, machine: llvm.TargetMachine, level: int) -> None:
    """
    Let LLVM optimise a module that has a context of its own.

    Example: `optimise(module, machine, 3)`
    """
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    builder = llvm.create_pass_builder(machine, options)
    manager = builder.getModulePassManager()
    try:
        _run(manager, module, builder)
    finally:
        # llvmlite never frees it: it finds the `_dispose` of another base class.
        ffi.lib.LLVMPY_DisposeNewModulePassManger(manager)
        manager.detach()


def emitted(module: llvm.ModuleRef, machine: llvm.TargetMachine) -> bytes:
    """
    The object code of a module that has a context of its own.

    Example: `emitted(module, machine)`
    """
    with ffi.OutputString() as error:
        buffer = _emit(machine, module, 1, error)
        if not buffer:
            raise RuntimeError(str(error))
    try:
        start = ffi.lib.LLVMPY_GetBufferStart(buffer)
        return ctypes.string_at(start, ffi.lib.LLVMPY_GetBufferSize(buffer))
    finally:
        ffi.lib.LLVMPY_DisposeMemoryBuffer(buffer)


_library = ctypes.CDLL(ffi.lib._name, handle=ffi.lib._handle)  # pyright: ignore[reportPrivateUsage]
"""That of llvmlite, whose functions take no lock."""

_run = _library.LLVMPY_RunNewModulePassManager
_run.argtypes = ffi.lib.LLVMPY_RunNewModulePassManager.argtypes
_run.restype = None
_emit = _library.LLVMPY_TargetMachineEmitToMemory
_emit.argtypes = ffi.lib.LLVMPY_TargetMachineEmitToMemory.argtypes
_emit.restype = ffi.lib.LLVMPY_TargetMachineEmitToMemory.restype
