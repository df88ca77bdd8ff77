"""
Processes that run a script, each as if it had been started for that alone. They are forked
by a process with one thread, which has imported once what they need.

Example: `outcome("import sys; sys.exit(3)") == (3, "")`
"""

import atexit
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from select import select
from typing import Self

NURSERY = """
import os, socket, sys, warnings
from contextlib import suppress
import numpy, pool_jobs, vyre, vyre.runtime.cpu.backend
from vyre.runtime import kernel_cache

def born(control):
    "Forks for each request; returns in the children, with what they run."
    while True:
        request, handles, _, _ = socket.recv_fds(control, 1 << 20, 3)
        with suppress(ChildProcessError):  # Those that have ended, which counts their time.
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not request:
            os._exit(0)
        if not os.fork():
            break
        for handle in handles:
            os.close(handle)
    control.close()
    status, *streams = handles
    child = os.fork()
    if child:  # Whose exit code is told here.
        for number, handle in enumerate(streams, 1):
            os.close(number)
            os.close(handle)
        os.write(status, b"%d\\n" % child)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        os.write(status, b"%d\\n" % code)
        os._exit(0)
    os.setsid()
    os.close(status)
    for number, handle in enumerate(streams, 1):
        os.dup2(handle, number)
        os.close(handle)
    return request.decode().split("\\0")

warnings.simplefilter("ignore")
script, *sys.argv[1:] = born(socket.socket(fileno=int(sys.argv[1])))
exec(script)
"""


class Child:
    """A process that runs a script; it is killed at the end of a `with` block."""

    def __init__(self, script: str, *arguments: str):
        request = "\0".join((script, *arguments)).encode()
        pipes = [os.pipe() for _ in range(3)]
        socket.send_fds(_nursery(), [request], [theirs for _, theirs in pipes])
        for _, theirs in pipes:
            os.close(theirs)
        self._status, self.stdout, self._stderr = (
            os.fdopen(ours, encoding="utf-8") for ours, _ in pipes
        )
        self.pid = int(self._status.readline())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        for stream in (self._status, self.stdout, self._stderr):
            stream.close()

    def kill(self) -> None:
        """Leaves nothing behind, no child of it either."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)

    def wait(self, seconds: float = 100) -> tuple[int, str]:
        """Returns its exit code and its complaints, when it has ended."""
        ended, _, _ = select([self._status], [], [], seconds)
        assert ended, "the process does not end"
        code = int(self._status.readline())
        self.kill()
        return code, self._stderr.read()


def outcome(script: str, *arguments: str) -> tuple[int, str]:
    """Returns the exit code of a process, and its complaints."""
    with Child(script, *arguments) as child:
        return child.wait()


@cache
def _nursery() -> socket.socket:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    process = subprocess.Popen(
        [sys.executable, "-c", NURSERY, str(theirs.fileno())],
        env={
            **os.environ,
            "PYTHONPATH": str(Path(__file__).parent),
            "PYTHONUNBUFFERED": "1",
        },
        pass_fds=[theirs.fileno()],
        start_new_session=True,
    )
    theirs.close()

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours
