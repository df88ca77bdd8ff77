"""Programs with fewer barriers compute the same, and no more barriers can go."""

from pathlib import Path
from random import Random

import numpy as np
import pytest
from worked_examples import EXAMPLES, example_of, fault_size
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import InsertPoint, Rewriter

import vyre
from vyre.dialects.vyre import BarrierOp
from vyre.passes.remove_barriers import RemoveBarriersPass

GRID = "vyre.barrier grid_sync\n"
TYPE = "memref<8xi32>"
BUFFERS = ("a", "b", "c")
IN_FLIGHT = "d"
"""What copies write that are not waited for at once; no condition depends on it."""


def remove_barriers(module: ModuleOp) -> None:
    RemoveBarriersPass().apply(vyre.context(), module)


def barriers(module: ModuleOp) -> list[BarrierOp]:
    return [op for op in module.walk() if isinstance(op, BarrierOp)]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_need_all_their_barriers(path: Path):
    module = vyre.parse(path)
    before = str(module)
    remove_barriers(module)
    assert str(module) == before


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_copies_of_barriers_go(path: Path):
    module = vyre.parse(path)
    original = barriers(module)
    for barrier in original:
        if barrier.is_grid_sync:
            Rewriter.insert_op(barrier.clone(), InsertPoint.before(barrier))
            Rewriter.insert_op(barrier.clone(), InsertPoint.after(barrier))
    remove_barriers(module)
    assert len(barriers(module)) == len(original)
    example = example_of(path, fault_size(path))
    example.verify(
        vyre.compile(module, engine="reference")(example.inputs, grid=example.grid(3))
    )


def test_barriers_are_not_judged_by_neighbours_alone():
    module = vyre.parse("""
vyre.program @p [4, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi32>
  %y = vyre.buffer "y" read_write binding 1 : memref<?xi32>
  %z = vyre.buffer "z" read_write binding 2 : memref<?xi32>
  %one = arith.constant 1 : i32
  %last = arith.constant 31 : index
  %i = vyre.invocation_id x
  %mirrored = arith.subi %last, %i : index
  vyre.store %one, %x[%i] : memref<?xi32>
  vyre.barrier grid_sync
  vyre.store %one, %y[%i] : memref<?xi32>
  vyre.barrier grid_sync
  %v = vyre.load %x[%mirrored] : memref<?xi32>
  vyre.store %v, %z[%i] : memref<?xi32>
}
""")
    remove_barriers(module)
    assert len(barriers(module)) == 1
    arrays = {name: np.zeros(32, np.int32) for name in "xyz"}
    exe = vyre.compile(module, engine="reference")
    assert exe.check(arrays, grid=8) == []
    assert exe(arrays, grid=8, order="in_order")["z"].all()


class Writer:
    """
    Writes random valid programs: each statement is free of races by itself, and a barrier
    follows it.
    """

    def __init__(self, seed: int):
        self.rng = Random(seed)
        self.count = 0

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def body(self, depth: int) -> str:
        return "".join(self.statement(depth) for _ in range(self.rng.randint(1, 3)))

    def statement(self, depth: int) -> str:
        kinds = [self.move, self.update, self.add, self.copy]
        kinds += [self.fill_tile, self.read_tile]
        nests = [self.branch, self.for_loop, self.while_loop]
        kind = self.rng.randrange(len(kinds) + (len(nests) if depth < 3 else 0))
        if kind < len(kinds):
            return kinds[kind]()
        return nests[kind - len(kinds)](depth + 1)

    def load(self, buffer: str, index: str) -> tuple[str, str]:
        name = self.name()
        return name, f"{name} = vyre.load %{buffer}[{index}] : {TYPE}\n"

    def move(self) -> str:
        source, target = self.rng.sample((*BUFFERS, IN_FLIGHT), 2)
        value, load = self.load(source, "%mirrored")
        store = f"vyre.store {value}, %{target}[%i] : {TYPE}\n"
        if self.rng.random() < 0.3:
            store = f"scf.if %early {{\n{store}}}\n"
        if self.rng.random() < 0.1:
            store += "scf.if %is_last {\nvyre.return\n}\n"
        return load + store + GRID

    def update(self) -> str:
        buffer = self.rng.choice(BUFFERS)
        value, load = self.load(buffer, "%i")
        more = self.name()
        compute = f"{more} = arith.addi {value}, %i32 : i32\n"
        return f"{load}{compute}vyre.store {more}, %{buffer}[%i] : {TYPE}\n{GRID}"

    def add(self) -> str:
        buffer = self.rng.choice(BUFFERS)
        add = f"vyre.atomic add %i32, %{buffer}[%at{self.rng.randrange(3)}] : {TYPE}\n"
        return f"{self.name()} = {add}{GRID}"

    def copy(self) -> str:
        source, target = self.rng.sample(BUFFERS, 2)
        token, between = self.name(), self.rng.choice(("", GRID, GRID + GRID))
        if between:
            target = IN_FLIGHT
        ranges = f"%{source}[%mirrored], %{target}[%i], %at1 : {TYPE}, {TYPE}"
        copy = f"{token} = vyre.async_load {ranges}\n"
        return f"{copy}{between}vyre.async_wait {token}\n{GRID}"

    def fill_tile(self) -> str:
        barrier = self.rng.choice(("vyre.barrier acq_rel\n", GRID))
        return f"vyre.store %i32, %tile[%l] : memref<4xi32>\n{barrier}"

    def read_tile(self) -> str:
        value, target = self.name(), self.rng.choice(BUFFERS)
        load = f"{value} = vyre.load %tile[%across] : memref<4xi32>\n"
        return f"{load}vyre.store {value}, %{target}[%i] : {TYPE}\n{GRID}"

    def condition(self) -> tuple[str, str]:
        """A uniform condition, from an element that others write in other phases."""
        value, load = self.load(self.rng.choice(BUFFERS), f"%at{self.rng.randrange(3)}")
        name = self.name()
        return name, f"{GRID}{load}{name} = arith.trunci {value} : i32 to i1\n"

    def branch(self, depth: int) -> str:
        name, code = self.condition()
        arms = f"scf.if {name} {{\n{self.body(depth)}}} else {{\n{self.body(depth)}}}\n"
        return code + GRID + arms

    def for_loop(self, depth: int) -> str:
        bound = self.rng.choice(("%at0", "%at1", "%at2"))
        loop = f"scf.for {self.name()} = %at0 to {bound} step %at1"
        return f"{loop} {{\n{self.body(depth)}}}\n"

    def while_loop(self, depth: int) -> str:
        """At most two trips, as long as an element is odd."""
        k, j, low, go, more = (self.name() for _ in range(5))
        name, code = self.condition()
        label = f"^bb{self.count}({j}: index):"
        return f"""{self.name()} = scf.while ({k} = %at0) : (index) -> (index) {{
{code}{low} = arith.cmpi ult, {k}, %at2 : index
{go} = arith.andi {low}, {name} : i1
scf.condition({go}) {k} : index
}} do {{
{label}
{GRID}{self.body(depth)}{more} = arith.addi {j}, %at1 : index
scf.yield {more} : index
}}
{GRID}"""

    def program(self) -> str:
        declarations = "".join(
            f'%{name} = vyre.buffer "{name}" read_write binding {n} : {TYPE}\n'
            for n, name in enumerate((*BUFFERS, IN_FLIGHT))
        )
        return f"""
vyre.program @p [4, 1, 1] {{
{declarations}%tile = vyre.buffer "tile" workgroup : memref<4xi32>
%at0 = arith.constant 0 : index
%at1 = arith.constant 1 : index
%at2 = arith.constant 2 : index
%three = arith.constant 3 : index
%seven = arith.constant 7 : index
%i = vyre.invocation_id x
%i32 = arith.index_cast %i : index to i32
%l = vyre.local_id x
%across = arith.subi %three, %l : index
%mirrored = arith.subi %seven, %i : index
%early = arith.cmpi ult, %i, %three : index
%is_last = arith.cmpi eq, %i, %seven : index
{self.fill_tile()}{self.body(0)}{self.body(0)}}}
"""


@pytest.mark.few(12)
@pytest.mark.parametrize("seed", range(100))
def test_random_programs(seed: int):
    module = vyre.parse(Writer(seed).program())
    rng = np.random.default_rng(seed)
    names = (*BUFFERS, IN_FLIGHT)
    arrays = {name: rng.integers(100, size=8).astype(np.int32) for name in names}
    assert vyre.compile(module, engine="reference").check(arrays, grid=2) == []
    expected = vyre.compile(module, engine="reference")(arrays, grid=2)

    remove_barriers(module)
    exe = vyre.compile(module, engine="reference")
    assert exe.check(arrays, grid=2) == []
    for name, result in exe(arrays, grid=2, order="reversed").items():
        np.testing.assert_array_equal(result, expected[name])
    before = str(module)
    remove_barriers(module)
    assert str(module) == before


def test_random_programs_lose_and_keep_barriers():
    modules = [vyre.parse(Writer(seed).program()) for seed in range(20)]
    before = sum(len(barriers(module)) for module in modules)
    for module in modules:
        remove_barriers(module)
    left = [barrier for module in modules for barrier in barriers(module)]
    assert before / 10 < len(left) < before * 9 / 10
    assert any(not barrier.is_grid_sync for barrier in left)
