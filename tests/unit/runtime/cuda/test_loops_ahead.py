"""Which loops of a schedule can run ahead of the host, and how the device decides."""

from typing import Any

import numpy as np
import pytest
from cuda_devices import host_device
from cuda_kernels import kernel_of
from worked_examples import EXAMPLES, example_of, fault_size
from xdsl.dialects import scf

import vyre
from vyre.dialects.vyre.host import programs_in
from vyre.lowering.cuda.programs import USUAL
from vyre.runtime.cuda.backend import CudaBackend
from vyre.runtime.cuda.loops_ahead import LoopAhead, loop_ahead

SCHEDULE = """
vyre.schedule @s {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %out = vyre.buffer "out" read_write binding 2 : memref<4xi32>
  %n = vyre.param "n" : i32
  %most = vyre.param "most" : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  LOOP
}
vyre.program @count [2, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %by = vyre.param "by" : i32
  %i = vyre.invocation_id x
  %zero = arith.constant 0 : index
  %is_first = arith.cmpi eq, %i, %zero : index
  scf.if %is_first {
    %v = vyre.load %a[%zero] : memref<?xi32>
    %w = arith.addi %v, %by : i32
    vyre.store %w, %a[%zero] : memref<?xi32>
  }
}
vyre.program @show [2, 1, 1] {
  %out = vyre.buffer "out" read_write binding 2 : memref<4xi32>
  %v = vyre.param "v" : i32
  %at = vyre.param "at" : index
  vyre.store %v, %out[%at] : memref<4xi32>
}
vyre.program @look [2, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
}
"""

PLAIN = """
  scf.while : () -> () {
    %v = vyre.read_back %a[0] : memref<?xi32>
    %go = arith.cmpi slt, %v, %n : i32
    scf.condition(%go)
  } do {
    vyre.launch @count(%a, %one)
    scf.yield
  }
"""
COUNTER = """
  %end = scf.while (%k = %zero) : (i32) -> i32 {
    %v = vyre.read_back %a[0] : memref<?xi32>
    %twice = arith.addi %k, %k : i32
    %same = arith.cmpi eq, %v, %twice : i32
    %short = arith.cmpi slt, %k, %n : i32
    %go = arith.andi %same, %short : i1
    scf.condition(%go) %k : i32
  } do {
  ^bb0(%k: i32):
    vyre.launch @count(%a, %one)
    vyre.launch @look(%a)
    vyre.launch @count(%a, %one)
    %next = arith.addi %k, %one : i32
    scf.yield %next : i32
  }
  vyre.launch @show(%out, %end, %c0)
"""
CARRIED = """
  %v0 = vyre.read_back %a[0] : memref<?xi32>
  %end, %last = scf.while (%k = %zero, %seen = %v0) : (i32, i32) -> (i32, i32) {
    %go = arith.cmpi slt, %seen, %n : i32
    scf.condition(%go) %k, %seen : i32, i32
  } do {
  ^bb0(%k: i32, %seen: i32):
    vyre.launch @count(%a, %one)
    %now = vyre.read_back %a[0] : memref<?xi32>
    vyre.launch @count(%b, %k)
    %next = arith.addi %k, %one : i32
    scf.yield %next, %now : i32, i32
  }
  vyre.launch @show(%out, %end, %c0)
  vyre.launch @show(%out, %last, %c1)
"""
PING_PONG = """
  %last, %end, %other = scf.while (%k = %zero, %p = %a, %q = %b)
      : (i32, memref<?xi32>, memref<?xi32>) -> (i32, memref<?xi32>, memref<?xi32>) {
    %v = vyre.read_back %out[3] : memref<4xi32>
    %go = arith.cmpi slt, %v, %n : i32
    scf.condition(%go) %k, %p, %q : i32, memref<?xi32>, memref<?xi32>
  } do {
  ^bb0(%k: i32, %p: memref<?xi32>, %q: memref<?xi32>):
    vyre.launch @count(%p, %k)
    %next = arith.addi %k, %one : i32
    vyre.launch @show(%out, %next, %c3)
    scf.yield %next, %q, %p : i32, memref<?xi32>, memref<?xi32>
  }
  vyre.launch @count(%end, %one)
"""
INNER = """
  scf.while : () -> () {
    %v = vyre.read_back %a[0] : memref<?xi32>
    %go = arith.cmpi slt, %v, %n : i32
    scf.condition(%go)
  } do {
    scf.for %j = %c0 to %c3 step %c1 {
      vyre.launch @count(%a, %one)
    }
    scf.yield
  }
"""
IN_BEFORE = """
  %end = scf.while (%k = %zero) : (i32) -> i32 {
    vyre.launch @count(%a, %one)
    %v = vyre.read_back %a[0] : memref<?xi32>
    %go = arith.cmpi slt, %v, %n : i32
    scf.condition(%go) %k : i32
  } do {
  ^bb0(%k: i32):
    vyre.launch @count(%b, %one)
    %next = arith.addi %k, %one : i32
    scf.yield %next : i32
  }
  vyre.launch @show(%out, %end, %c0)
"""
OUT_OF_BOUNDS = (
    PLAIN.replace("%a[0]", "%b[50]")
    .replace("vyre.launch @count(%a, %one)", "vyre.launch @count(%b, %one)")
    .replace("slt, %v", "sgt, %v")
)
AHEAD = {
    "plain": PLAIN,
    "counter": COUNTER,
    "carried": CARRIED,
    "ping-pong": PING_PONG,
    "inner loop": INNER,
    "launches in both parts": IN_BEFORE,
    "out of bounds": OUT_OF_BOUNDS,
}

NOT_AHEAD = {
    "what is read is passed on": PLAIN.replace("(%a, %one)", "(%a, %x)").replace(
        "vyre.launch", "%x = vyre.read_back %a[1] : memref<?xi32>\n    vyre.launch"
    ),
    "what is read decides about a branch": PLAIN.replace(
        "vyre.launch @count(%a, %one)",
        """%x = vyre.read_back %a[1] : memref<?xi32>
    %is = arith.cmpi eq, %x, %one : i32
    scf.if %is {
      vyre.launch @count(%a, %one)
    }""",
    ),
    "what is read is added up": """
  %end = scf.while (%sum = %zero) : (i32) -> i32 {
    %go = arith.cmpi slt, %sum, %n : i32
    scf.condition(%go) %sum : i32
  } do {
  ^bb0(%sum: i32):
    vyre.launch @count(%a, %one)
    %v = vyre.read_back %a[0] : memref<?xi32>
    %more = arith.addi %sum, %v : i32
    scf.yield %more : i32
  }
""",
    "what is read is written later": """
  %v0 = vyre.read_back %a[0] : memref<?xi32>
  %end = scf.while (%seen = %v0) : (i32) -> i32 {
    %go = arith.cmpi slt, %seen, %n : i32
    scf.condition(%go) %seen : i32
  } do {
  ^bb0(%seen: i32):
    vyre.launch @count(%a, %one)
    %now = vyre.read_back %a[0] : memref<?xi32>
    vyre.launch @count(%a, %one)
    scf.yield %now : i32
  }
""",
    "what is read may be written later": """
  %v0 = vyre.read_back %a[0] : memref<?xi32>
  %e, %f, %end = scf.while (%p = %a, %q = %b, %seen = %v0)
      : (memref<?xi32>, memref<?xi32>, i32) -> (memref<?xi32>, memref<?xi32>, i32) {
    %go = arith.cmpi slt, %seen, %n : i32
    scf.condition(%go) %p, %q, %seen : memref<?xi32>, memref<?xi32>, i32
  } do {
  ^bb0(%p: memref<?xi32>, %q: memref<?xi32>, %seen: i32):
    vyre.launch @count(%a, %one)
    %now = vyre.read_back %a[0] : memref<?xi32>
    vyre.launch @count(%p, %zero)
    scf.yield %q, %p, %now : memref<?xi32>, memref<?xi32>, i32
  }
""",
    "which buffer is read changes": """
  %e, %f = scf.while (%p = %a, %q = %b)
      : (memref<?xi32>, memref<?xi32>) -> (memref<?xi32>, memref<?xi32>) {
    %v = vyre.read_back %p[0] : memref<?xi32>
    %go = arith.cmpi slt, %v, %n : i32
    scf.condition(%go) %p, %q : memref<?xi32>, memref<?xi32>
  } do {
  ^bb0(%p: memref<?xi32>, %q: memref<?xi32>):
    vyre.launch @count(%a, %one)
    vyre.launch @count(%b, %one)
    scf.yield %q, %p : memref<?xi32>, memref<?xi32>
  }
""",
    "nothing is read": """
  %end = scf.while (%k = %zero) : (i32) -> i32 {
    %go = arith.cmpi slt, %k, %n : i32
    scf.condition(%go) %k : i32
  } do {
  ^bb0(%k: i32):
    vyre.launch @count(%a, %one)
    %next = arith.addi %k, %one : i32
    scf.yield %next : i32
  }
""",
    "the inner loop may be endless in a trip that does not take place": """
  %end = scf.while (%k = %c0) : (index) -> index {
    %v = vyre.read_back %a[0] : memref<?xi32>
    %go = arith.cmpi slt, %v, %n : i32
    scf.condition(%go) %k : index
  } do {
  ^bb0(%k: index):
    scf.for %j = %c0 to %k step %c1 {
      vyre.launch @count(%b, %one)
    }
    vyre.launch @count(%a, %one)
    %next = arith.addi %k, %c1 : index
    scf.yield %next : index
  }
""",
    "engines round the condition differently": PLAIN.replace(
        "%go = arith.cmpi slt, %v, %n : i32",
        """%f = arith.sitofp %v : i32 to f32
    %g = math.exp %f : f32
    %h = arith.sitofp %n : i32 to f32
    %go = arith.cmpf olt, %g, %h : f32""",
    ),
}


def ahead_of(text: str) -> LoopAhead | None:
    module = vyre.parse(SCHEDULE.replace("LOOP", text))
    (loop,) = (op for op in module.walk() if isinstance(op, scf.WhileOp))
    return loop_ahead(loop, programs_in(module.body.block))


@pytest.mark.parametrize("name", AHEAD)
def test_loops_that_run_ahead(name: str):
    found = ahead_of(AHEAD[name])
    assert found is not None
    found.condition.verify()
    host_device().compile(kernel_of(found.condition, USUAL).source, "condition_kernel", ())


@pytest.mark.parametrize("name", NOT_AHEAD)
def test_loops_that_do_not(name: str):
    assert ahead_of(NOT_AHEAD[name]) is None


def test_the_condition_as_a_program():
    found = ahead_of(COUNTER)
    assert found is not None
    text = str(found.condition)
    assert 'vyre.buffer "read_0" read_only' in text
    assert text.count("vyre.param") == 3  # The trip, `%twice` and `%short`.
    assert len(found.values) == 2
    assert len(found.read) == 1


@pytest.mark.covering(2)
@pytest.mark.parametrize("interval", [2, 3, 8, None])
@pytest.mark.parametrize("name", [*AHEAD, *NOT_AHEAD])
@pytest.mark.parametrize("n", [0, 1, 2, 5, 12])
def test_all_of_them_give_the_same(name: str, interval: int | None, n: int):
    text = SCHEDULE.replace("LOOP", {**AHEAD, **NOT_AHEAD}[name])
    given: Any = {
        "a": np.array([0, 1, 5], np.int32),
        "b": np.array([0, 2, 3], np.int32),
        "out": np.zeros(4, np.int32),
        "n": n,
        "most": 3,
    }
    expected = vyre.compile(text, engine="reference").timed(given, grid=1)
    exe = vyre.compile(text, engine=CudaBackend(host_device(thread_order="random")))
    found = exe.timed(given, grid=1, check_interval=interval)
    for buffer, array in expected.results.items():
        np.testing.assert_array_equal(found.results[buffer], array, err_msg=buffer)
    assert found.report.launches == expected.report.launches


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_look_less_often(path: Any):
    """All loops of the examples that read something run ahead, unless others do in them."""
    example = example_of(path, fault_size(path))
    grid: Any = example.grid(3)
    device = host_device(block_order="random", thread_order="random")
    exe = vyre.compile(str(path), engine=CudaBackend(device), mode="split")
    once = exe.timed(example.inputs, grid=grid)
    downloads = device.calls.count("download")
    device.calls.clear()
    seldom = exe.timed(example.inputs, grid=grid, check_interval=16)
    for name, array in once.results.items():
        np.testing.assert_array_equal(seldom.results[name], array, err_msg=name)
    assert seldom.report.launches == once.report.launches
    if downloads > 10:
        assert device.calls.count("download") < downloads
