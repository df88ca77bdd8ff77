"""The worker pool and its process: fork, exit, signals, and limits."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import fresh_processes
import pytest
from fresh_processes import Child
from samples import sampled

PRELUDE = """
import os, signal, sys, threading, time
from pool_jobs import OWN, make_job, run, works
from vyre.lowering.llvm.job import *
from vyre.runtime.cpu.pool import WorkerPool

pool = WorkerPool(3)

def endless(workers, looper=1, waits=1, name="endless"):
    return make_job(pool, name, workers, looper, waits)

def in_thread(words, daemon):
    "Run a job in a thread; returns when it runs."
    thread = threading.Thread(target=run, args=(pool, words), daemon=daemon)
    thread.start()
    while words[OWN + 2] != words[WORKERS]:
        time.sleep(1e-3)
    return thread

def code_of(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
"""


def outcome(script: str, *arguments: str) -> tuple[int, str]:
    """The exit code of a process with a pool, and its complaints."""
    return fresh_processes.outcome(PRELUDE + script, *arguments)


def test_fork_gives_a_fresh_pool():
    script = """
assert works(pool, 3)
child = os.fork()
if not child:
    assert pool.threads == 0
    assert works(pool, 3)
    assert pool.threads == 2
    sys.exit(5)
assert code_of(child) == 5
assert pool.threads == 2
assert works(pool, 3)
"""
    assert outcome(script) == (0, "")


def test_fork_while_another_thread_dispatches():
    script = """
words = endless(3)
thread = in_thread(words, daemon=False)
child = os.fork()
if not child:
    assert works(pool, 3)
    words[STOP] = 0
    assert run(pool, make_job(pool, "trap", 3, 1, 1000)) == STATUS_TRAPPED
    sys.exit(5)
assert code_of(child) == 5
assert words[STOP] == 0
words[STOP] = STATUS_TRAPPED
thread.join()
assert works(pool, 3)
"""
    assert outcome(script) == (0, "")


def test_fork_at_any_moment_of_a_dispatch():
    script = """
over = False
def busy():
    words = make_job(pool, "phases", 3, 3)
    while not over:
        assert run(pool, words) == STATUS_DONE
threads = [threading.Thread(target=busy) for _ in range(2)]
for thread in threads:
    thread.start()
for _ in range(int(sys.argv[1])):
    child = os.fork()
    if not child:
        os._exit(5 if all(works(pool, 3) for _ in range(20)) else 6)
    assert code_of(child) == 5
over = True
for thread in threads:
    thread.join()
assert works(pool, 3)
"""
    assert outcome(script, str(sampled(8, 50))) == (0, "")


@pytest.mark.parametrize("looper", [0, 1])
def test_fork_by_a_signal_handler(looper: int):
    """The parent's job goes on. The child has nobody to go on with."""
    script = """
child = None
def handle(number, frame):
    global child
    child = os.fork()
signal.signal(signal.SIGALRM, handle)
signal.setitimer(signal.ITIMER_REAL, 0.1)
words = endless(3, looper=int(sys.argv[1]))
words[DEADLINE] = time.monotonic_ns() + 500_000_000
status = run(pool, words)
assert works(pool, 3)
if not child:
    sys.exit(40 + status)
assert status == STATUS_TIMEOUT, status
assert code_of(child) == 40 + STATUS_CLOSED
"""
    assert outcome(script, str(looper)) == (0, "")


def test_child_hears_signals_if_another_thread_forked_it():
    script = """
def fork():
    global child
    child = os.fork()
    if not child:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        try:
            run(pool, endless(2))
        except ZeroDivisionError:
            os._exit(5)
        os._exit(6)
signal.signal(signal.SIGALRM, lambda number, frame: 1 / 0)
thread = threading.Thread(target=fork)
thread.start()
thread.join()
assert code_of(child) == 5
"""
    assert outcome(script) == (0, "")


def test_exit_with_threads_asleep():
    assert outcome("assert works(pool, 3)") == (0, "")


@pytest.mark.covering(2)
@pytest.mark.parametrize("workers", ["1", "2", "3"])
@pytest.mark.parametrize("looper", ["0", "1"])
@pytest.mark.parametrize("name", ["endless", "deaf"])
def test_exit_while_a_daemon_thread_dispatches(workers: str, looper: str, name: str):
    """Even if that job does not listen."""
    script = """
workers, looper = int(sys.argv[1]), int(sys.argv[2])
in_thread(endless(workers, looper % workers, name=sys.argv[3]), daemon=True)
"""
    assert outcome(script, workers, looper, name) == (0, "")


@pytest.mark.parametrize("delay", ["0", "0.001", "0.01"])
def test_exit_while_daemon_threads_dispatch_again_and_again(delay: str):
    script = """
def busy(workers):
    words = make_job(pool, "phases", workers, 3)
    while True:
        run(pool, words)
for workers in (1, 2, 3):
    threading.Thread(target=busy, args=(workers,), daemon=True).start()
time.sleep(float(sys.argv[1]))
"""
    assert outcome(script, delay) == (0, "")


def test_dispatch_after_the_pool_was_closed_at_exit():
    """What other modules do when Python exits still works, without threads."""
    script = """
words = make_job(pool, "phases", 3, 10)
address, dispatch = words.ctypes.data, pool.dispatch
class Late:
    def __del__(self):
        os._exit(40 + dispatch(address) + int(words[OWN + 3]))
assert works(pool, 3)
late = Late()
"""
    assert outcome(script) == (41, "")


@pytest.mark.parametrize("workers", ["1", "2", "3"])
@pytest.mark.parametrize("looper", ["0", "1"])
def test_ctrl_c_in_a_process(workers: str, looper: str):
    script = """
workers, looper = int(sys.argv[1]), int(sys.argv[2])
print("now")
try:
    run(pool, endless(workers, looper % workers))
except KeyboardInterrupt:
    assert works(pool, 3)
    raise
"""
    with Child(PRELUDE + script, workers, looper) as process:
        assert process.stdout.readline() == "now\n"
        os.kill(process.pid, signal.SIGINT)
        code, errors = process.wait()
    assert code == -signal.SIGINT
    assert errors.rstrip().endswith("KeyboardInterrupt")


def test_exit_by_a_signal_handler():
    script = """
signal.signal(signal.SIGALRM, lambda number, frame: sys.exit(7))
signal.setitimer(signal.ITIMER_REAL, 0.1)
run(pool, endless(3))
"""
    assert outcome(script) == (7, "")


@pytest.mark.skipif(sys.platform != "linux", reason="limits work differently")
def test_no_room_for_threads():
    """
    Then there are fewer workers. The process is no forked one, which keeps the stacks of
    threads that it has had.
    """
    script = """
import resource
words = make_job(pool, "phases", 3, 10)
works(pool, 1)
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + (1 << 20), resource.RLIM_INFINITY))
assert run(pool, words) == STATUS_DONE
assert words[OWN + 3] == 1
assert pool.threads == 0
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
assert works(pool, 3)
"""
    environment = {**os.environ, "PYTHONPATH": str(Path(fresh_processes.__file__).parent)}
    command = [sys.executable, "-W", "ignore", "-c", PRELUDE + script]
    subprocess.run(command, check=True, env=environment, timeout=100)


def test_object_code_of_another_process(tmp_path: Path):
    path = tmp_path / "pool.o"
    script = """
from vyre.runtime.cpu import native
open(sys.argv[1], "wb").write(native.compile_object())
"""
    assert outcome(script, str(path)) == (0, "")
    script = """
from vyre.runtime.cpu import native
native._loaded = None
native.compile_object = lambda: 1 / 0
pool = WorkerPool(3, object_code=open(sys.argv[1], "rb").read())
assert works(pool, 3)
"""
    assert outcome(script, str(path)) == (0, "")
