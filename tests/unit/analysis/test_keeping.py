"""
What is kept and what is recomputed: as the costs say, never unsound, never without end.

The costs are those of `vyre.analysis.recomputation`.
"""

from random import Random

import numpy as np
import pytest
from split_cases import ORDERS, split
from xdsl.dialects.builtin import ModuleOp

import vyre
from vyre.analysis.keeping import MOST_RECOMPUTED
from vyre.dialects.vyre import AtomicOp, ProgramOp
from vyre.passes.propagate_lets import planned_crossing

TABLE = """
  %r = vyre.buffer "r" read_only binding 0 : memref<?xi32>
  %a = vyre.buffer "a" read_write binding 1 : memref<?xi32>
  %w = vyre.buffer "w" read_write binding 2 : memref<?xi32>
  %n = vyre.param "n" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = vyre.invocation_id x
"""

SYNC = "vyre.barrier grid_sync"
LOAD = "%x0 = vyre.load %r[%i] : memref<?xi32>"
LOAD_CHANGED = """
  %x0 = vyre.load %a[%i] : memref<?xi32>
  vyre.store %x0, %a[%n] : memref<?xi32>
"""


def program(code: str) -> str:
    return f"vyre.program @p [4, 1, 1] {{ {TABLE} {code} }}"


def kept(code: str) -> list[str | None]:
    """The names of the values that are kept."""
    module = vyre.parse(program(code))
    (found,) = (op for op in module.walk() if isinstance(op, ProgramOp))
    return [value.name_hint for value in planned_crossing(found).kept]


def sums(count: int, op: str = "addi") -> str:
    """Values %x1, %x2, ..., each computed from the one before by one operation."""
    lines = [f"%x{k + 1} = arith.{op} %x{k}, %x{k} : i32" for k in range(count)]
    return "\n".join(lines)


def store(name: str, buffer: str = "w") -> str:
    return f"vyre.store {name}, %{buffer}[%i] : memref<?xi32>"


# To keep an i32 takes 8 units to store it and 8 to load it. To load it again takes 8, and
# one for the index; every addition takes one.


@pytest.mark.parametrize("additions", [0, 1, 6, 7])
def test_short_computations_are_repeated(additions: int):
    code = f"{LOAD} {sums(additions)} {SYNC} {store(f'%x{additions}')}"
    assert kept(code) == []


@pytest.mark.parametrize("additions", [8, 9, 20])
def test_long_computations_are_kept(additions: int):
    code = f"{LOAD} {sums(additions)} {SYNC} {store(f'%x{additions}')}"
    assert kept(code) == [f"x{additions}"]


def test_division_is_slow():
    assert kept(f"{LOAD} {sums(1, 'divui')} {SYNC} {store('%x1')}") == ["x1"]
    assert kept(f"{LOAD} {sums(1, 'muli')} {SYNC} {store('%x1')}") == []


def test_what_cannot_be_loaded_again_is_kept():
    """And what follows from it is computed from that if several are needed."""
    code = f"{LOAD_CHANGED} {sums(3)} {SYNC}"
    assert kept(f"{code} {store('%x0')}") == ["x0"]
    assert kept(f"{code} {store('%x3')}") == ["x3"]
    assert kept(f"{code} {store('%x0')} {store('%x3')}") == ["x0"]


def test_nothing_is_loaded_again_in_a_run_that_writes_it():
    """Others of the run may have written already."""
    code = f"%x0 = vyre.load %a[%i] : memref<?xi32> {SYNC} {store('%x0')}"
    assert kept(code) == []
    assert kept(f"{code} {store('%x0', 'a')}") == ["x0"]


def test_two_are_kept_if_what_lies_between_is_long():
    code = f"{LOAD_CHANGED} {sums(20)} {SYNC} {store('%x0')} {store('%x20')}"
    assert kept(code) == ["x0", "x20"]


def test_the_store_is_shared_by_the_runs_that_load():
    """Each of three runs pays a third of the store: 8 and 2 against 9 and 3."""
    uses = f"{SYNC} {store('%x3')}"
    assert kept(f"{LOAD} {sums(3)} {uses}") == []
    assert kept(f"{LOAD} {sums(3)} {uses * 3}") == ["x3"]


def test_in_a_loop_the_store_outside_counts_little():
    loop = f"scf.for %k = %c0 to %n step %c1 {{ {SYNC} {store('%x3')} }}"
    assert kept(f"{LOAD} {sums(3)} {loop}") == ["x3"]


def test_places_that_are_shared_cost_less():
    """One place for all takes 4 units each way."""
    uniform = "%x0 = vyre.load %r[%n] : memref<?xi32>"
    assert kept(f"{uniform} {sums(1)} {SYNC} {store('%x1')}") == ["x1"]
    assert kept(f"{LOAD} {sums(1)} {SYNC} {store('%x1')}") == []


def test_wide_values_cost_more():
    wide = "%wide = arith.extsi %x0 : i32 to i64"
    use = "%back = arith.trunci %wide : i64 to i32"
    assert kept(f"{LOAD_CHANGED} {wide} {SYNC} {use} {store('%back')}") == ["x0"]


def operations(module: ModuleOp) -> int:
    return sum(1 for _ in module.walk())


@pytest.mark.parametrize("seed", range(10))
def test_what_is_recomputed_is_bounded(seed: int):
    """Each run repeats at most so many operations for each value that it needs."""
    rng = Random(seed)
    lines, needed = [LOAD], 0
    for k in range(120):
        lines.append(f"%x{k + 1} = arith.addi %x{k}, %x{rng.randint(0, k)} : i32")
    for _ in range(6):
        lines.append(SYNC)
        for name in rng.sample(range(1, 121), rng.randint(1, 3)):
            lines.append(store(f"%x{name}"))
            needed += 1
    text = program(" ".join(lines))
    before, after = operations(vyre.parse(text)), operations(split(text))
    # For each value at most its slice, with a constant or id for each operand, and what
    # it takes to keep it: declarations, a store, loads and positions.
    assert after <= before + needed * (3 * MOST_RECOMPUTED + 12)


def random_program(rng: Random) -> str:
    """
    Loads, stores and sums of elements that belong to the invocation, in a line with grid
    barriers between, and loops around some of it.
    """
    lines = ["%x0 = vyre.load %r[%i] : memref<?xi32>"]
    depths, count = [1], 1
    for _ in range(rng.randint(10, 40)):
        kind = rng.random()
        if kind < 0.3:
            buffer = rng.choice("raw")
            lines.append(f"%x{count} = vyre.load %{buffer}[%i] : memref<?xi32>")
            count += 1
        elif kind < 0.5:
            one, other = rng.randrange(count), rng.randrange(count)
            lines.append(f"%x{count} = arith.addi %x{one}, %x{other} : i32")
            count += 1
        elif kind < 0.55:
            value = rng.randrange(count)
            lines.append(f"%x{count} = vyre.atomic add %x{value}, %a[%i] : memref<?xi32>")
            count += 1
        elif kind < 0.75:
            lines.append(store(f"%x{rng.randrange(count)}", rng.choice("aw")))
        elif kind < 0.9 or len(depths) > 2:
            lines.append(SYNC)
        elif rng.random() < 0.5:
            lines.append(f"scf.for %k{len(lines)} = %c0 to %n step %c1 {{ {SYNC}")
            depths.append(count)
        elif len(depths) > 1:
            lines.append("}")
            count = depths.pop()
    return "\n".join([*lines, *["}"] * (len(depths) - 1)])


@pytest.mark.few(8)
@pytest.mark.parametrize("seed", range(40))
def test_nothing_is_loaded_again_after_it_has_changed(seed: int):
    """Otherwise some results would differ. No invocation touches what others do."""
    rng = Random(seed)
    text = program(random_program(rng))
    module = vyre.parse(text)
    cut = split(text)
    inputs = {name: np.arange(8, dtype=np.int32) * k for k, name in enumerate("raw", 3)}
    atomics = [sum(isinstance(op, AtomicOp) for op in m.walk()) for m in (module, cut)]
    assert atomics[0] == atomics[1]
    for trips in (0, 2):
        expected = vyre.compile(module, engine="reference")(inputs, n=trips, grid=2)
        for order in ORDERS:
            found = vyre.compile(cut, program="p", engine="reference")(
                inputs, n=trips, grid=2, order=order
            )
            for name, array in expected.items():
                np.testing.assert_array_equal(found[name], array, name)
