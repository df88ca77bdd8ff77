"""How runs of native code end early: traps, time limits, Ctrl-C; and that others go on."""

import signal
import threading
from typing import Any

import numpy as np
import pytest
from cpu_runs import CPUS, MODES, Everywhere
from fresh_processes import outcome
from split_cases import OUT, TILE, A, program

import vyre
from vyre.runtime.config import Mode
from vyre.runtime.errors import Timeout, Trapped

FAR = "%far = arith.constant 1000000000000000 : index"
STEP = """
  %v = vyre.load %out[%x] : memref<?xi32>
  %w = arith.muli %v, %i7 : i32
  vyre.store %w, %out[%x] : memref<?xi32>"""

ENDLESS = {
    "while": """
  scf.while : () -> () {
    vyre.store %i1, %out[%x] : memref<?xi32>
    scf.condition(%yes)
  } do {
    scf.yield
  }""",
    "while without effects": """
  scf.while : () -> () { scf.condition(%yes) } do { scf.yield }""",
    "long for": f"scf.for %k = %c0 to %far step %c1 {{ {STEP} }}",
    "for of everyone": """
  %s = scf.for %k = %c0 to %far step %c1 iter_args(%q = %i1) -> (i32) {
    %k32 = arith.index_cast %k : index to i32
    %m = arith.muli %q, %i7 : i32
    %z = arith.xori %m, %k32 : i32
    scf.yield %z : i32
  }
  vyre.store %s, %out[%x] : memref<?xi32>""",
    "nested for": f"""
  %many = arith.constant 40000 : index
  scf.for %k = %c0 to %many step %c1 {{
    scf.for %j = %c0 to %many step %c1 {{
      scf.for %m = %c0 to %many step %c1 {{ {STEP} }}
    }}
  }}""",
    "while with grid barriers": """
  scf.while : () -> () {
    vyre.barrier grid_sync
    %f = vyre.load %out[%c0] : memref<?xi32>
    %more = arith.cmpi ne, %f, %i7 : i32
    scf.condition(%more)
  } do {
    vyre.barrier grid_sync
    vyre.store %i1, %out[%x] : memref<?xi32>
    scf.yield
  }""",
    "for with grid barriers": f"""
  scf.for %k = %c0 to %far step %c1 {{
    {STEP}
    vyre.barrier grid_sync
  }}""",
    "while with workgroup barriers": """
  scf.while : () -> () {
    vyre.store %i1, %tile[%l] : memref<4xi32>
    scf.condition(%yes)
  } do {
    vyre.barrier acq_rel
    scf.yield
  }""",
    "for with workgroup barriers": """
  scf.for %k = %c0 to %far step %c1 {
    vyre.store %i1, %tile[%l] : memref<4xi32>
    vyre.barrier acq_rel
  }""",
    "copies": """
  scf.for %k = %c0 to %far step %c1 {
    %t = vyre.async_store %a[%c0], %out[%c0], %far : memref<?xi32>, memref<?xi32>
    vyre.async_wait %t
  }""",
}


def endless(name: str) -> str:
    """It ends at once if `stop` is not 0."""
    table = f'{OUT}\n{A}\n{TILE}\n%stop = vyre.param "stop" : index'
    leave = """
  %stops = arith.cmpi ne, %stop, %c0 : index
  scf.if %stops {
    vyre.return
  }"""
    return program(table, FAR, leave, ENDLESS[name])


GIVEN = {"out": np.zeros(40, np.int32), "a": np.ones(40, np.int32)}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ENDLESS)
def test_time_limits(name: str, mode: Mode):
    """And the same executable can be used again."""
    for workers in (1, 3):
        exe = vyre.compile(endless(name), engine=CPUS[workers], mode=mode)
        exe(GIVEN, stop=1, grid=5, timeout=60)
        for _ in range(2):
            with pytest.raises(Timeout):
                exe(GIVEN, stop=0, grid=5, timeout=0.02)
            exe(GIVEN, stop=1, grid=5, timeout=60)


def test_many_passes_have_a_time_limit():
    text = program(OUT, STEP.replace("%i7", "%i3"))
    exe = vyre.compile(text, engine=CPUS[3])
    out = np.ones(8, np.int32)
    for interval in (None, 10**9):
        with pytest.raises(Timeout):
            exe(
                out=out,
                grid=2,
                timeout=0.1,
                fixpoint_iterations=10**12,
                check_interval=interval,
            )


def test_short_passes_of_one_worker_have_a_time_limit():
    """Nothing in them takes long enough to look by itself, and nobody is waited for."""
    exe = vyre.compile(program(OUT, STEP.replace("%i7", "%i3")), engine="cpu")
    for size in (4, 4096):
        for interval in (1, None):
            with pytest.raises(Timeout):
                exe(
                    out=np.ones(size, np.int32),
                    grid=size // 4,
                    timeout=0.1,
                    fixpoint_iterations=10**15,
                    check_interval=interval,
                )


ADD = "%v = vyre.atomic add %i1, %out[%c0] : memref<?xi32>"
HUGE = {
    "a row": ("[1099511627776, 1, 1]", ADD),
    "a row with places": (
        "[1099511627776, 1, 1]",
        f"%b = arith.remui %l, %c2 : index\n{ADD.replace('%c0', '%b')}",
    ),
    "rows": ("[2, 549755813888, 1]", ADD),
    "subgroups": (
        "[1048576, 1, 1]",
        "%far = arith.constant 1000000000 : index\n"
        "scf.for %k = %c0 to %far step %c1 {\n"
        f"vyre.barrier acq_rel\n{ADD}\nvyre.barrier acq_rel\n}}",
    ),
}


@pytest.mark.parametrize("name", HUGE)
def test_huge_workgroups_have_a_time_limit(name: str):
    size, code = HUGE[name]
    text = program(OUT, code).replace("[4, 1, 1]", size)
    exe = vyre.compile(text, engine="cpu")
    with pytest.raises(Timeout):
        exe(out=np.zeros(4, np.int32), grid=1, timeout=0.1)


def test_loops_of_costly_trips_have_a_time_limit():
    costly = "\n".join(f"%e{k + 1} = math.erf %e{k} : f64" for k in range(64))
    text = program(
        'vyre.buffer "out" read_write binding 0 : memref<?xf64>'.join(["%out = ", ""]),
        f"""
    %many = arith.constant 60000 : index
    %w = vyre.load %out[%x] : memref<?xf64>
    scf.for %k = %c0 to %many step %c1 {{
      scf.for %j = %c0 to %many step %c1 {{
        %r = scf.for %m = %c0 to %many step %c1 iter_args(%e0 = %w) -> (f64) {{
          {costly}
          scf.yield %e64 : f64
        }}
        vyre.store %r, %out[%x] : memref<?xf64>
      }}
    }}""",
    )
    exe = vyre.compile(text, engine="cpu")
    with pytest.raises(Timeout):
        exe(out=np.zeros(4), grid=1, timeout=0.1)


def test_a_bound_call_goes_on_after_a_time_limit():
    exe = vyre.compile(endless("while with grid barriers"), engine=CPUS[3])
    out = np.zeros(20, np.int32)
    bound = exe.bind(out=out, a=np.ones(20, np.int32), stop=0, grid=5, timeout=0.1)
    with pytest.raises(Timeout):
        bound()
    out[0] = 7
    bound()
    assert out[0] == 7


# Traps

SWAPPED = """
  vyre.store %x32, %tile[%l] : memref<4xi32>
  vyre.barrier acq_rel
  %o = arith.xori %l, %c3 : index
  %v = vyre.load %tile[%o] : memref<4xi32>
  %less = arith.subi %i1, %v : i32
  %is_bad = arith.cmpi sgt, %v, %limit : i32
  scf.if %is_bad {
    vyre.trap "too large" at %less : i32
  }
  vyre.barrier acq_rel
  vyre.store %v, %out[%x] : memref<?xi32>"""


def test_traps_in_workgroups_have_values():
    limit = '%limit = vyre.param "limit" : i32'
    everywhere = Everywhere(program(OUT, TILE, limit, SWAPPED))
    for most in (-5, 7, 16, 100):
        given = {"out": np.zeros(20, np.int32), "limit": most}
        found = everywhere.check(given, grid=5)
        assert isinstance(found, tuple) == (most < 19)


def test_the_smallest_invocation_is_named_though_it_comes_last():
    """Others have trapped long before, and nobody stops for that."""
    text = program(
        OUT,
        """
  %is_slow = arith.cmpi ult, %x, %c6 : index
  %long = arith.constant 3000000 : index
  %trips = arith.select %is_slow, %long, %c1 : index
  %s = scf.for %k = %c0 to %trips step %c1 iter_args(%q = %i1) -> (i32) {
    %k32 = arith.index_cast %k : index to i32
    %m = arith.muli %q, %i7 : i32
    %z = arith.xori %m, %k32 : i32
    scf.yield %z : i32
  }
  vyre.store %s, %out[%x] : memref<?xi32>
  %traps = arith.cmpi ugt, %x, %c4 : index
  scf.if %traps {
    vyre.trap "late" at %x : index
  }""",
    )
    for workers, cpu in CPUS.items():
        exe = vyre.compile(text, engine=cpu)
        with pytest.raises(Trapped) as trapped:
            exe(out=np.zeros(40, np.int32), grid=10, timeout=60)
        assert (trapped.value.invocation, trapped.value.value) == (5, 5), workers


def test_a_bound_call_goes_on_after_a_trap():
    """And knows nothing of the trap before."""
    text = program(
        OUT,
        "%v = vyre.load %out[%x] : memref<?xi32>",
        "%traps = arith.cmpi ne, %v, %i0 : i32",
        'scf.if %traps {\nvyre.trap "not zero" at %v : i32\n}',
        "vyre.store %i9, %out[%x] : memref<?xi32>",
    )
    out = np.zeros(20, np.int32)
    bound = vyre.compile(text, engine=CPUS[3]).bind(out=out, grid=5)
    for invocation in (3, 16, 7):
        out[:] = 0
        out[invocation] = -invocation
        with pytest.raises(Trapped) as trapped:
            bound()
        assert (trapped.value.invocation, trapped.value.value) == (invocation, -invocation)
    out[:] = 0
    bound()
    assert (out == 9).all()


# Threads and processes


def test_threads_use_one_executable_at_once():
    text = program(
        OUT,
        """
  scf.for %k = %c0 to %c50 step %c1 {
    %o = arith.xori %x, %c1 : index
    %v = vyre.load %out[%o] : memref<?xi32>
    vyre.barrier grid_sync
    %w = arith.addi %v, %i1 : i32
    vyre.store %w, %out[%x] : memref<?xi32>
    vyre.barrier grid_sync
  }""",
    )
    exe = vyre.compile(text, engine=CPUS[3])
    wrong: list[Any] = []

    def work(number: int) -> None:
        for turn in range(20):
            start = np.full(20, 100 * number + turn, np.int32)
            found = exe(out=start, grid=5)["out"]
            if not np.array_equal(found, start + 50):
                wrong.append((number, turn, found))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize(
    "name",
    ["while", "nested for", "for with grid barriers", "while with workgroup barriers"],
)
def test_ctrl_c(name: str, workers: int):
    exe = vyre.compile(endless(name), engine=CPUS[workers])
    exe(GIVEN, stop=1, grid=5)
    timer = threading.Timer(0.2, signal.raise_signal, (signal.SIGINT,))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        exe(GIVEN, stop=0, grid=5, timeout=60)
    timer.join()
    exe(GIVEN, stop=1, grid=5)


def test_a_child_process_runs_what_its_parent_has_compiled():
    script = f"""
import os, sys, numpy as np, vyre
from vyre.runtime.cpu.backend import CpuBackend
exe = vyre.compile({program(OUT, STEP)!r}, engine=CpuBackend(3, 0))
ones = np.ones(20, np.int32)
def works():
    return (exe(out=ones, grid=5, timeout=60)["out"] == 7).all()
assert works()
child = os.fork()
if not child:
    os._exit(0 if works() and works() else 1)
assert works()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert outcome(script) == (0, "")
