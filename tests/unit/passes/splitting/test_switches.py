"""`scf.index_switch`: in every pass, on every engine, around all that an `if` may hold."""

from collections.abc import Mapping
from io import StringIO
from typing import Any, TypeAlias

import numpy as np
import pytest
from cuda_engines import on_host
from split_cases import OUT, TILE, A, N, Way, program

import vyre
from vyre.passes import get_all_passes
from vyre.passes.verify_ops import verify_ops
from vyre.passes.verify_program import verify_programs
from vyre.runtime.errors import Trapped
from vyre.universe import VYRE_UNIVERSE

DIVERGENT = program(
    OUT,
    A,
    """
    %m = arith.remui %x, %c3 : index
    %v = vyre.load %a[%x] : memref<?xi32>
    %r = scf.index_switch %m -> i32
    case 0 {
      scf.yield %v : i32
    }
    case 1 {
      scf.yield %i7 : i32
    }
    default {
      scf.yield %i9 : i32
    }
    vyre.store %r, %out[%x] : memref<?xi32>
    scf.index_switch %m
    case 0 {
      vyre.store %r, %a[%x] : memref<?xi32>
    }
    default {
    }
    """,
)
BARRIERS = program(
    OUT,
    A,
    N,
    """
    %v = vyre.load %a[%x] : memref<?xi32>
    scf.index_switch %n
    case 0 {
      vyre.barrier grid_sync
      vyre.store %v, %out[%x] : memref<?xi32>
    }
    case 1 {
      %d = arith.addi %v, %i1 : i32
      vyre.store %d, %a[%x] : memref<?xi32>
      vyre.barrier grid_sync
      %e = vyre.load %a[%c0] : memref<?xi32>
      vyre.barrier grid_sync
      %s = arith.addi %d, %e : i32
      vyre.store %s, %out[%x] : memref<?xi32>
    }
    case 2 {
      vyre.store %i3, %out[%x] : memref<?xi32>
    }
    default {
      vyre.barrier grid_sync
      vyre.barrier grid_sync
      vyre.store %i4, %out[%x] : memref<?xi32>
    }
    """,
)
GIVEN = program(
    OUT,
    A,
    N,
    """
    %v = vyre.load %a[%x] : memref<?xi32>
    %r = scf.index_switch %n -> i32
    case 0 {
      vyre.barrier grid_sync
      scf.yield %v : i32
    }
    case 1 {
      scf.yield %i7 : i32
    }
    default {
      scf.yield %x32 : i32
    }
    vyre.barrier grid_sync
    vyre.store %r, %out[%x] : memref<?xi32>
    """,
)
LOOPS = program(
    OUT,
    A,
    """
    %t = scf.for %k = %c0 to %c4 step %c1 iter_args(%u = %i0) -> (i32) {
      %w = scf.index_switch %k -> i32
      case 0 {
        vyre.store %i5, %a[%x] : memref<?xi32>
        vyre.barrier grid_sync
        scf.yield %u : i32
      }
      case 1 {
        %y = vyre.load %a[%c0] : memref<?xi32>
        vyre.barrier grid_sync
        %z = arith.addi %u, %y : i32
        scf.yield %z : i32
      }
      default {
        %q = arith.addi %u, %i1 : i32
        scf.yield %q : i32
      }
      scf.yield %w : i32
    }
    vyre.store %t, %out[%x] : memref<?xi32>
    """,
)
WORKGROUPS = program(
    OUT,
    TILE,
    """
    scf.index_switch %g
    case 0 {
      vyre.store %l32, %tile[%l] : memref<4xi32>
      vyre.barrier acq_rel
      %i = arith.subi %c3, %l : index
      %b = vyre.load %tile[%i] : memref<4xi32>
      vyre.store %b, %out[%x] : memref<?xi32>
    }
    default {
      vyre.store %i7, %out[%x] : memref<?xi32>
    }
    """,
)
LETS = program(
    OUT,
    N,
    """
    %cell = vyre.let "v" = %i1 : i32
    scf.index_switch %n
    case 0 {
      vyre.assign %x32, %cell : !vyre.cell<i32>
      vyre.barrier grid_sync
    }
    case 1 {
      vyre.assign %i2, %cell : !vyre.cell<i32>
    }
    default {
    }
    %h = vyre.get %cell : !vyre.cell<i32>
    vyre.barrier grid_sync
    vyre.store %h, %out[%x] : memref<?xi32>
    """,
)
RETURNS = program(
    OUT,
    A,
    """
    %m = arith.remui %x, %c3 : index
    scf.index_switch %m
    case 0 {
      vyre.return
    }
    case 1 {
      vyre.store %i1, %out[%x] : memref<?xi32>
    }
    default {
      vyre.store %i2, %out[%x] : memref<?xi32>
      vyre.return
    }
    vyre.barrier grid_sync
    vyre.store %i3, %a[%x] : memref<?xi32>
    """,
)
SCHEDULE = f"""
vyre.program @add [4, 1, 1] {{
  {OUT}
  {N}
  %x = vyre.invocation_id x
  %v = vyre.load %out[%x] : memref<?xi32>
  %i = arith.index_cast %n : index to i32
  %w = arith.addi %v, %i : i32
  vyre.store %w, %out[%x] : memref<?xi32>
}}
vyre.schedule @p {{
  {OUT}
  {N}
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  scf.index_switch %n
  case 0 {{
    vyre.launch @add(%out, %one)
  }}
  case 1 {{
    vyre.launch @add(%out, %one)
    vyre.launch @add(%out, %two)
  }}
  default {{
  }}
}}
"""
X = list(range(8))
Case: TypeAlias = tuple[str, dict[str, Any], dict[str, list[int]]]
ROW = {"out": [0] * 8, "a": X}
CASES: list[Case] = [
    (
        DIVERGENT,
        {},
        {"out": [0, 7, 9, 3, 7, 9, 6, 7], "a": X},
    ),
    (BARRIERS, {"n": 0}, {"out": X, "a": X}),
    (BARRIERS, {"n": 1}, {"out": [x + 2 for x in X], "a": [x + 1 for x in X]}),
    (BARRIERS, {"n": 2}, {"out": [3] * 8, "a": X}),
    (BARRIERS, {"n": 3}, {"out": [4] * 8, "a": X}),
    (GIVEN, {"n": 0}, {"out": X, "a": X}),
    (GIVEN, {"n": 1}, {"out": [7] * 8, "a": X}),
    (GIVEN, {"n": -1}, {"out": X, "a": X}),
    (LOOPS, {}, {"out": [7] * 8, "a": [5] * 8}),
    (WORKGROUPS, {}, {"out": [3, 2, 1, 0, 7, 7, 7, 7]}),
    (LETS, {"n": 0}, {"out": X}),
    (LETS, {"n": 1}, {"out": [2] * 8}),
    (LETS, {"n": 2}, {"out": [1] * 8}),
    (RETURNS, {}, {"out": [0, 1, 2] * 2 + [0, 1], "a": [0, 3, 2, 3, 3, 5, 6, 3]}),
]


def inputs(text: str, params: Mapping[str, Any]) -> dict[str, Any]:
    arrays = {name: np.array(values, np.int32) for name, values in ROW.items()}
    return {n: v for n, v in arrays.items() if f'"{n}"' in text} | dict(params)


@pytest.mark.parametrize(("text", "params", "expected"), CASES)
def test_switches_mean_the_same_when_split(
    behaves: Way, text: str, params: dict[str, Any], expected: dict[str, list[int]]
):
    behaves(text, inputs(text, params), gives=expected)


@pytest.mark.parametrize("engine", ["cpu", "cuda"])
@pytest.mark.parametrize(("text", "params", "expected"), CASES)
def test_switches_compute_the_same_in_kernels(
    engine: str, text: str, params: dict[str, Any], expected: dict[str, list[int]]
):
    backend = on_host()[1] if engine == "cuda" else engine
    exe = vyre.compile(text, engine=backend)
    results = exe(inputs(text, params), grid=2)
    assert {name: results[name].tolist() for name in expected} == expected


BEFORE = {
    "vyre-split-grid-sync": ["vyre-propagate-lets"],
    "vyre-isolate-workgroup": ["vyre-remove-barriers"],
}


@pytest.mark.parametrize("name", get_all_passes())
def test_every_pass_takes_switches(name: str):
    alone = name == "vyre-isolate-workgroup"
    text, params, expected = (WORKGROUPS, {}, {}) if alone else CASES[2]
    module = vyre.parse(text)
    for step in (*BEFORE.get(name, ()), name):
        get_all_passes()[step]()().apply(vyre.context(), module)
    verify_ops(module)
    verify_programs(module)
    if not alone:
        exe = vyre.compile(str(module), program="p", engine="reference")
        results = exe(inputs(text, params), grid=2)
        assert {name: results[name].tolist() for name in expected} == expected


@pytest.mark.parametrize("name", VYRE_UNIVERSE.all_targets)
@pytest.mark.parametrize("text", [BARRIERS, WORKGROUPS, SCHEDULE])
def test_every_target_takes_switches(name: str, text: str):
    output = StringIO()
    VYRE_UNIVERSE.all_targets[name]()().emit(vyre.context(), vyre.parse(text), output)
    assert output.getvalue()


@pytest.mark.parametrize("n", [0, 1, 2])
@pytest.mark.parametrize("engine", ["reference", "cpu", "cuda"])
def test_switches_in_schedules(engine: str, n: int):
    exe = vyre.compile(SCHEDULE, engine=on_host()[1] if engine == "cuda" else engine)
    results = exe(out=np.zeros(8, np.int32), n=n, grid=2)
    assert results["out"].tolist() == [[1] * 8, [3] * 8, [0] * 8][n]
    assert "if" in exe.explain()


@pytest.mark.parametrize("engine", ["reference", "cpu", "cuda"])
def test_switches_in_waves(engine: str):
    text = f"""{GIVEN}
    vyre.megakernel @all {{
      vyre.wave "one" @p
      vyre.wave "two" @p after ["one"]
    }}
    """
    exe = vyre.compile(text, engine=on_host()[1] if engine == "cuda" else engine)
    results = exe(inputs(GIVEN, {"one.n": 1, "two.n": 0}), grid=2)
    assert results["out"].tolist() == X


def test_a_trap_in_a_case_is_reported_where_it_stands():
    code = """
    scf.index_switch %x
    case 1 {
      vyre.trap "one"
    }
    default {
      vyre.store %i1, %out[%x] : memref<?xi32>
    }
    """
    for engine in ("reference", "cpu"):
        with pytest.raises(Trapped, match='invocation 1 trapped: "one"') as caught:
            vyre.compile(program(OUT, code), engine=engine)(out=np.zeros(4, np.int32))
        assert caught.value.place is not None


def test_nesting_does_not_grow_with_the_number_of_cases():
    """One `scf.if` in another for each case would be too deep for most compilers."""
    store = "vyre.store %i{0}, %out[%x] : memref<?xi32>"
    cases = "".join(f"case {n} {{\n{store.format(n)}\n}}\n" for n in range(300))
    text = program(OUT, f"scf.index_switch %x\n{cases} default {{\n}}")
    exe = vyre.compile(text, engine="cpu")
    results = exe(out=np.full(304, -1, np.int32))
    assert results["out"].tolist() == [*range(300), -1, -1, -1, -1]
