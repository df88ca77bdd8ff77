"""
Invocations without anything to do are skipped many at once: never one that has something.
"""

import numpy as np
import pytest
from cpu_runs import Everywhere

import vyre
from vyre.dialects.vyre import ProgramOp
from vyre.lowering.llvm.sifting import conditions_ahead
from vyre.passes.host_plan import HostPlanPass

EFFECT = """
    scf.for %k = %zero to %three step %one {
      %old = vyre.atomic add %unit, %out[%x] : memref<?xi32>
    }"""

SHAPES = {
    "then": f"""
  %v = vyre.load %fresh[%x] : memref<?xi32>
  %c = arith.cmpi ne, %v, %none : i32
  scf.if %c {{ {EFFECT} }}""",
    "return": f"""
  %v = vyre.load %fresh[%x] : memref<?xi32>
  %c = arith.cmpi eq, %v, %none : i32
  scf.if %c {{ vyre.return }}
  {EFFECT}""",
    "two": f"""
  %v = vyre.load %fresh[%x] : memref<?xi32>
  %c = arith.cmpi ne, %v, %none : i32
  %w = vyre.load %weights[%x] : memref<?xf32>
  %d = arith.cmpf ogt, %w, %half : f32
  scf.if %c {{ scf.if %d {{ {EFFECT} }} }}""",
    "and": f"""
  %v = vyre.load %fresh[%x] : memref<?xi32>
  %c = arith.cmpi ne, %v, %none : i32
  %w = vyre.load %weights[%x] : memref<?xf32>
  %d = arith.cmpf ogt, %w, %half : f32
  %both = arith.andi %c, %d : i1
  scf.if %both {{ {EFFECT} }}""",
    "from another place": f"""
  %v = vyre.load %fresh[%x] : memref<?xi32>
  %there = arith.index_cast %v : i32 to index
  %w = vyre.load %fresh[%there] : memref<?xi32>
  %c = arith.cmpi ne, %w, %none : i32
  scf.if %c {{ {EFFECT} }}""",
}
"""With how many comparisons are known ahead."""
COUNTS = {"then": 1, "return": 1, "two": 2, "and": 2, "from another place": 1}

UNSIFTED = {
    "written before": f"""
  %v = vyre.load %fresh[%x] : memref<?xi32>
  %c = arith.cmpi ne, %v, %none : i32
  scf.if %c {{ vyre.store %none, %fresh[%x] : memref<?xi32> }}
  %w = vyre.load %fresh[%x] : memref<?xi32>
  %d = arith.cmpi eq, %w, %none : i32
  scf.if %d {{ {EFFECT} }}""",
    "else": f"""
  %v = vyre.load %fresh[%x] : memref<?xi32>
  %c = arith.cmpi ne, %v, %none : i32
  scf.if %c {{ {EFFECT} }} else {{ vyre.store %unit, %out[%x] : memref<?xi32> }}""",
    "the same along the row": f"""
  %v = vyre.load %fresh[%one] : memref<?xi32>
  %c = arith.cmpi ne, %v, %none : i32
  scf.if %c {{ {EFFECT} }}""",
    "vectorised": """
  %v = vyre.load %fresh[%x] : memref<?xi32>
  %c = arith.cmpi ne, %v, %none : i32
  scf.if %c { vyre.store %v, %out[%x] : memref<?xi32> }""",
}


def program(shape: str) -> str:
    return f"""
vyre.program @p [16, 1, 1] {{
  %fresh = vyre.buffer "fresh" read_write binding 0 : memref<?xi32>
  %weights = vyre.buffer "weights" read_only binding 1 : memref<?xf32>
  %out = vyre.buffer "out" read_write binding 2 : memref<?xi32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %none = arith.constant 0 : i32
  %unit = arith.constant 1 : i32
  %half = arith.constant 0.5 : f32
  %x = vyre.invocation_id x
  {shape}
}}"""


def conditions(shape: str) -> int:
    (op,) = [op for op in vyre.parse(program(shape)).ops if isinstance(op, ProgramOp)]
    return len(conditions_ahead(op))


@pytest.mark.parametrize("shape", SHAPES)
def test_conditions_of_all_effects_are_known_ahead(shape: str):
    assert conditions(SHAPES[shape]) == COUNTS[shape]


@pytest.mark.parametrize("shape", UNSIFTED)
def test_other_conditions_are_not(shape: str):
    assert conditions(UNSIFTED[shape]) == 0


@pytest.mark.parametrize("shape", [*SHAPES, *UNSIFTED])
def test_nobody_is_left_out(shape: str):
    """Rows longer and shorter than a block, of few, many and no invocations that act."""
    everywhere = Everywhere(
        program({**SHAPES, **UNSIFTED}[shape]), workers=(1, 3), modes=("native",)
    )
    random = np.random.default_rng(7)
    for size in (1, 15, 63, 64, 65, 127, 128, 200):
        for share in (0, 0.03, 0.5, 1):
            given = {
                "fresh": (random.random(size) < share).astype(np.int32),
                "weights": random.random(size, np.float32),
                "out": np.zeros(size, np.int32),
            }
            everywhere.check(given, grid=-(-size // 16))


@pytest.mark.parametrize("size", [1, 63, 64, 65, 130])
def test_the_first_and_last_of_each_block_act(size: int):
    everywhere = Everywhere(program(SHAPES["then"]), workers=(1,), modes=("native",))
    for place in {0, 62, 63, 64, 65, 127, 128, size - 1}:
        fresh = np.zeros(size, np.int32)
        fresh[min(place, size - 1)] = 5
        given = {"fresh": fresh, "weights": np.zeros(1, np.float32), "out": fresh * 0}
        everywhere.check(given, grid=-(-size // 16))


def test_an_invocation_that_traps_ahead_of_its_condition_is_not_skipped():
    text = program(
        """
  %w = vyre.load %weights[%x] : memref<?xf32>
  %d = arith.cmpf ogt, %w, %half : f32
  scf.if %d { vyre.trap "heavy" at %x : index }
  """
        + SHAPES["then"]
    )
    everywhere = Everywhere(text, workers=(1, 3), modes=("native",))
    weights = np.zeros(100, np.float32)
    weights[77] = 1
    given = {"fresh": np.zeros(100, np.int32), "weights": weights}
    everywhere.check({**given, "out": np.zeros(100, np.int32)}, grid=7)


@pytest.mark.parametrize("ends", ["scf.if %outside { vyre.return }", ""])
def test_what_is_inside_only_where_one_comes_to_it_is_compared_ahead(ends: str):
    """The second load is proved to be inside by the condition around it, or before it."""
    inner = f"""
    %w = vyre.load %fresh[%there] : memref<?xi32>
    %c = arith.cmpi ne, %w, %none : i32
    scf.if %c {{ {EFFECT} }}"""
    text = program(f"""
  %v = vyre.load %far[%x] : memref<?xi64>
  %there = arith.index_cast %v : i64 to index
  %length = vyre.length %fresh, 0 : memref<?xi32>
  %inside = arith.cmpi ult, %there, %length : index
  %outside = arith.cmpi uge, %there, %length : index
  {ends + inner if ends else f"scf.if %inside {{ {inner} }}"}""").replace(
        '%out = vyre.buffer "out" read_write binding 2 : memref<?xi32>',
        '%out = vyre.buffer "out" read_write binding 2 : memref<?xi32>\n'
        '%far = vyre.buffer "far" read_only binding 3 : memref<?xi64>',
    )
    far = np.arange(100, dtype=np.int64) * 2**40
    far[::7] = np.arange(0, 100, 7)
    given = {"fresh": np.ones(100, np.int32), "weights": np.zeros(1, np.float32)}
    everywhere = Everywhere(text, workers=(1, 3), modes=("native",))
    everywhere.check({**given, "out": np.zeros(100, np.int32), "far": far}, grid=7)


@pytest.mark.parametrize(
    "made",
    [
        """%m = vyre.region "r" -> (memref<?xf32>) {
    %w = vyre.load %fresh[%y] : memref<?xi32>
    %again = arith.addi %w, %unit : i32
    vyre.yield %weights : memref<?xf32>
  }""",
        """%m, %t = scf.for %k = %zero to %three step %one
      iter_args(%a = %weights, %b = %zero) -> (memref<?xf32>, index) {
    %c = arith.addi %b, %y : index
    scf.yield %a, %c : memref<?xf32>, index
  }""",
    ],
)
def test_the_length_of_a_buffer_that_control_flow_gives_is_not_asked_ahead(made: str):
    shape = f"""
  %y = arith.muli %x, %three : index
  {made}
  %length = vyre.length %m, 0 : memref<?xf32>
  %v = vyre.load %fresh[%x] : memref<?xi32>
  %there = arith.index_cast %v : i32 to index
  %is_there = arith.cmpi ult, %there, %length : index
  scf.if %is_there {{ {EFFECT.replace("%k", "%l")} }}"""
    assert conditions(shape) == 0
    everywhere = Everywhere(program(shape), workers=(1,), modes=("native",))
    given = {"fresh": np.arange(100, dtype=np.int32), "out": np.zeros(100, np.int32)}
    everywhere.check({**given, "weights": np.zeros(50, np.float32)}, grid=7)


def test_early_returns_are_conditions_after_planning():
    """They have become selections from literals then."""
    module = vyre.parse(program(SHAPES["return"]))
    HostPlanPass().apply(vyre.context(), module)
    (op,) = [op for op in module.ops if isinstance(op, ProgramOp)]
    assert [is_negated for _, is_negated in conditions_ahead(op)] == [True]
