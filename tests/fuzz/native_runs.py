"""
Does native code compute what the reference engine does?

It runs in a process of its own: code that is wrong may write anywhere.
"""

import os
import pickle
import signal
from collections.abc import Callable
from random import Random
from typing import NoReturn

import vyre
from vyre.runtime.cpu.backend import CpuBackend
from vyre.runtime.executable import Executable

WORKERS = (1, 2, 3, 8)


def executables(text: str, rng: Random) -> dict[str, Executable]:
    """
    A program on the CPU engine by what to call that: as it is written with several numbers
    of workers, and split with one of them. They share out everything, however short.
    """
    split = rng.choice(WORKERS)
    found = {
        f"{workers} workers": vyre.compile(text, engine=CpuBackend(workers, 0))
        for workers in WORKERS
    }
    engine = CpuBackend(split, 0)
    found[f"{split} workers, split"] = vyre.compile(text, engine=engine, mode="split")
    return found


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
