"""
Does native code compute what the reference engine does?

It runs in a process of its own: code that is wrong may write anywhere.
"""

import os
import pickle
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from random import Random
from typing import NoReturn
from unittest.mock import patch

from vyre.runtime.config import DispatchConfig, Mode
from vyre.runtime.cpu import kernel
from vyre.runtime.cpu.backend import CpuBackend
from vyre.runtime.cpu.machine import object_code
from vyre.runtime.executable import Executable
from vyre.runtime.unit import Unit

WORKERS = (1, 2, 3, 8)


def ways(rng: Random) -> list[tuple[int, Mode]]:
    """
    How to run a program: as it is written with several numbers of workers, and split with
    one of them.
    """
    return [*((workers, "auto") for workers in WORKERS), (rng.choice(WORKERS), "split")]


def executable(unit: Unit, workers: int, mode: Mode) -> Executable:
    """
    A program on the CPU engine. Workers share out everything, however short. What cannot be
    split or run is refused now, as `vyre.compile` does; but verified it is already.
    """
    exe = Executable(unit, CpuBackend(workers, 0), DispatchConfig(mode=mode))
    route = exe.route(exe.config, None)
    route.variant.whole_kernel(route.unit)
    return exe


@contextmanager
def compiled_once(folder: str) -> Generator[None]:
    """
    Keep code in a folder, so that any number of workers finds what the first has compiled.
    A program that is split is mostly the same for LLVM, and compiled once as well.

    Example: `with TemporaryDirectory() as folder, compiled_once(folder): ...`
    """
    with (
        patch.dict(os.environ, VYRE_CACHE_DIR=folder),
        patch.object(kernel, object_code.__name__, cache(object_code)),
    ):
        yield


def apart(run: Callable[[], None]) -> BaseException | None:
    """What a function raises in a child process, also if that does not survive it."""
    receiving, sending = os.pipe()
    child = os.fork()
    if not child:
        _tell(run, sending)
    os.close(sending)
    try:
        with os.fdopen(receiving, "rb") as pipe:
            answer = pipe.read()
    except BaseException:
        os.kill(child, signal.SIGKILL)
        raise
    finally:
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status:
        return ChildProcessError(f"the process ends with {status}")
    return pickle.loads(answer)


def _tell(run: Callable[[], None], pipe: int) -> NoReturn:
    """Send what a function raises, and end the process."""
    raised = None
    try:
        run()
    except BaseException as error:
        raised = error
    with os.fdopen(pipe, "wb") as out:
        pickle.dump(raised, out)
    os._exit(0)
