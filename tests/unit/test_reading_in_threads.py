"""Programs can be read and split by several threads at once."""

import sys
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor

import pytest

import vyre

# The loops' terminators are not written: xDSL adds them in a way that is the process's.
LOOP = """
  scf.for %k = %zero to %n step %one {
    vyre.barrier grid_sync
    vyre.store %v, %a[%i] : memref<?xi32>
  }
"""
PROGRAM = f"""
vyre.program @p [4, 1, 1] {{
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %v = arith.constant 1 : i32
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  {LOOP * 30}
}}
"""


@pytest.fixture
def eager_threads() -> Generator[None]:
    """Threads take turns as often as they can."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("eager_threads")
def test_many_threads_read_and_split():
    def work(_: int) -> str:
        exe = vyre.compile(PROGRAM, mode="split")
        return str(exe.route(exe.config, None).unit.op)

    with ThreadPoolExecutor(4) as pool:
        found = set(pool.map(work, range(24)))
    assert len(found) == 1
