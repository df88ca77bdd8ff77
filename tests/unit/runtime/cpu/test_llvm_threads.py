"""LLVM on several threads, and forks meanwhile."""

import ctypes
import gc
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Generator
from functools import partial
from types import FrameType

import pytest

from vyre.runtime.cpu import llvm_threads
from vyre.runtime.cpu.ahead import Ahead
from vyre.runtime.cpu.llvm_threads import background, using_llvm
from vyre.runtime.cpu.machine import Processor, object_code

TEXT = """
define internal void @"phase.a"() noinline
{
  ret void
}
define void @"run"()
{
  call void @"phase.a"()
  ret void
}
"""


def test_another_thread_has_the_result():
    threads: list[int] = []

    def function() -> str:
        threads.append(threading.get_ident())
        return "result"

    assert Ahead(function).result() == "result"
    assert threads != [threading.get_ident()]


def test_exceptions_come_to_who_asks():
    later = Ahead(lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        later.result()


def refuse(thread: threading.Thread) -> None:
    """Start no thread."""
    raise RuntimeError("can't start new thread")


def test_without_threads_who_asks_does_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert Ahead(threading.get_ident).result() == threading.get_ident()


def test_if_threads_have_small_stacks_who_asks_does_it():
    """LLVM would end the process."""
    before = threading.stack_size(64 << 10)
    try:
        assert Ahead(threading.get_ident).result() == threading.get_ident()
    finally:
        threading.stack_size(before)


def test_if_the_thread_is_gone_who_asks_does_it():
    """As in a child that was forked before the thread came to it."""
    script = """
import os, threading
from vyre.runtime.cpu.ahead import Ahead
parent, never = os.getpid(), threading.Event()
later = Ahead(lambda: os.getpid() == parent and never.wait() or 5)
child = os.fork()
if not child:
    assert later.result() == 5
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
never.set()
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_parts_are_compiled_without_threads(monkeypatch: pytest.MonkeyPatch):
    expected = object_code(TEXT, Processor.host())
    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert object_code(TEXT, Processor.host()) == expected


def test_code_is_made_while_another_thread_makes_the_pool():
    begun, go_on = threading.Event(), threading.Event()

    def make_pool() -> None:
        with background("pool"):
            begun.set()
            go_on.wait()

    other = threading.Thread(target=make_pool)
    other.start()
    begun.wait()
    try:
        assert len(object_code(TEXT, Processor.host())) == 2
    finally:
        go_on.set()
        other.join()


@pytest.mark.parametrize(
    "lock", ["using_llvm()", 'background("pool")', 'background("part")']
)
def test_a_fork_waits_for_llvm(lock: str):
    """And all locks are free afterwards, in both processes."""
    script = f"""
import os, threading, time
from vyre.runtime.cpu.llvm_threads import background, using_llvm
begun, in_llvm = threading.Event(), [True]
def work():
    with {lock}:
        begun.set()
        time.sleep(0.1)
        in_llvm[0] = False
thread = threading.Thread(target=work)
thread.start()
begun.wait()
child = os.fork()
assert not in_llvm[0]
def take_all():
    with using_llvm(), background("pool"), background("part"):
        pass
taking = threading.Thread(target=take_all)
taking.start()
taking.join(10)
assert not taking.is_alive()
if not child:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


class Alarm(BaseException):
    """As `KeyboardInterrupt`, which pytest would hear."""


@pytest.fixture
def signals() -> Generator[None]:
    def alarm(number: int, frame: FrameType | None) -> None:
        raise Alarm

    before = signal.signal(signal.SIGUSR1, alarm)
    yield
    signal.signal(signal.SIGUSR1, before)


@pytest.mark.usefixtures("signals")
def test_signals_while_llvm_works_are_heard_afterwards(monkeypatch: pytest.MonkeyPatch):
    """The next instruction of Python is in a `__del__`, which would forget an exception."""
    handler = signal.getsignal(signal.SIGUSR1)
    raise_signal = partial(ctypes.CDLL(None)["raise"], signal.SIGUSR1)
    processor = Processor.host()
    with monkeypatch.context() as patch:
        patch.setattr(llvm_threads, "_run", raise_signal)
        for _ in range(20):
            with pytest.raises(Alarm):
                object_code(TEXT, processor)
            assert signal.getsignal(signal.SIGUSR1) is handler
    assert object_code(TEXT, processor)


@pytest.mark.usefixtures("signals")
def test_kept_signals_are_heard_once():
    heard = 0
    try:
        with using_llvm(), background("pool"):
            os.kill(os.getpid(), signal.SIGUSR1)
            os.kill(os.getpid(), signal.SIGUSR1)
    except Alarm:
        heard += 1
    assert heard == 1
    with using_llvm():
        pass


class Malloc(ctypes.Structure):
    """`struct mallinfo2`."""

    _fields_ = [(f"word_{number}", ctypes.c_size_t) for number in range(10)]


def allocated() -> int:
    """Bytes that native code has and has not given back."""
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = Malloc
    gc.collect()
    found = mallinfo()
    return found.word_4 + found.word_7


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="needs glibc 2.33")
def test_compilations_give_their_memory_back():
    """But for what llvmlite keeps; see `docs/cpu.md`."""
    for _ in range(3):
        object_code(TEXT, Processor.host())
    before = allocated()
    for _ in range(10):
        object_code(TEXT, Processor.host())
    assert (allocated() - before) / 10 < 10_000
