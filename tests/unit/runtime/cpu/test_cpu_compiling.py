"""Compiling beside other threads, in processes that fork, and without threads."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import vyre
from vyre.runtime.cpu import kernel, native
from vyre.runtime.cpu.backend import CpuBackend
from vyre.runtime.cpu.machine import Processor

DOUBLING = """
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %x = vyre.invocation_id x
  %v = vyre.load %a[%x] : memref<?xi32>
  %w = arith.addi %v, %v : i32
  vyre.store %w, %a[%x] : memref<?xi32>
}
"""


def test_a_child_of_a_process_that_compiles():
    """No lock of the thread that compiles is taken in the child."""
    script = f"""
import os, signal, sys, threading, time, numpy, vyre
sys.setswitchinterval(1e-5)
exe = vyre.compile({DOUBLING!r}, engine="cpu")
def call():
    found = exe(a=numpy.ones(100, numpy.int32))["a"]
    assert (found == 2).all()
thread = threading.Thread(target=call)
thread.start()
children = []
while thread.is_alive() and len(children) < 8:
    time.sleep(0.02)
    children.append(os.fork())
    if not children[-1]:
        signal.alarm(60)
        call()
        os._exit(0)
for child in children:
    assert os.waitpid(child, 0)[1] == 0
thread.join()
"""
    environment = {**os.environ, "VYRE_CACHE_DIR": ""}
    subprocess.run([sys.executable, "-c", script], check=True, env=environment)


def test_no_thread_to_compile_the_pool(monkeypatch: pytest.MonkeyPatch):
    """It is compiled when it is needed then."""

    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    monkeypatch.setattr(native, "_loaded", None)
    exe = vyre.compile(DOUBLING, engine=CpuBackend(1))
    assert exe(a=np.ones(3, np.int32))["a"].tolist() == [2, 2, 2]


def test_code_is_made_before_the_pool_is_waited_for(monkeypatch: pytest.MonkeyPatch):
    """Another thread compiles the pool meanwhile."""
    order: list[str] = []
    inner, pool_code = kernel.object_code, CpuBackend._pool_code  # pyright: ignore[reportPrivateUsage]

    def made(text: str, processor: Processor) -> list[bytes]:
        order.append("code")
        return inner(text, processor)

    def asked(backend: CpuBackend) -> bytes:
        order.append("pool")
        return pool_code(backend)

    monkeypatch.setenv("VYRE_CACHE_DIR", "")
    monkeypatch.setattr(kernel, "object_code", made)
    monkeypatch.setattr(CpuBackend, "_pool_code", asked)
    text = DOUBLING.replace("@p", "@pool_last").replace("addi %v, %v", "muli %v, %v")
    exe = vyre.compile(text, engine=CpuBackend(1))
    assert exe(a=np.full(3, 5, np.int32))["a"].tolist() == [25, 25, 25]
    assert order == ["code", "pool"]
