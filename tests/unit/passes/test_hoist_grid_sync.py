"""Programs with divided regions compute the same, and each operation keeps its makers."""

from random import Random

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

import vyre
from vyre.dialects.vyre import BarrierOp, RegionOp, StoreOp
from vyre.locations import is_unknown
from vyre.passes.hoist_grid_sync import HoistGridSyncPass
from vyre.passes.verify_ops import verify_ops
from vyre.passes.verify_program import verify_programs

BARRIER = "vyre.barrier grid_sync\n"


class Writer:
    """Writes random programs of nested regions, with barriers in uniform control."""

    def __init__(self, seed: int):
        self.rng = Random(seed)
        self.count = 0

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def body(self, depth: int, values: list[str]) -> tuple[str, list[str]]:
        """Code, and the values that the code after it may use."""
        code, seen = "", list(values)
        for _ in range(self.rng.randint(1, 4)):
            piece, made = self.statement(depth, seen)
            code, seen = code + piece, seen + made
        return code, seen[len(values) :]

    def statement(self, depth: int, values: list[str]) -> tuple[str, list[str]]:
        nests = ["region", "region", "for", "if", "while"] * (depth < 4)
        match self.rng.choice(["compute", "store", "load", "constant", "barrier", *nests]):
            case "region":
                return self.region(depth, values)
            case "for":
                return self.for_loop(depth, values)
            case "while":
                return self.while_loop(depth, values)
            case "if":
                code, _ = self.body(depth + 1, values)
                other, _ = self.body(depth + 1, values)
                end = self.rng.choice(("", "scf.if %last {\nvyre.return\n}\n"))
                return f"scf.if %yes {{\n{code}}} else {{\n{other}}}\n{end}", []
            case "store":
                tag = self.name()[1:]
                where = f'%out[%x, %at{self.rng.randrange(4)}] {{tag = "{tag}"}}'
                value = self.rng.choice(values)
                return f"vyre.store {value}, {where} : memref<8x4xi32>\n", []
            case "barrier":
                return BARRIER, []
            case kind:
                return self.value(kind, values)

    def value(self, kind: str, values: list[str]) -> tuple[str, list[str]]:
        name, left, right = self.name(), self.rng.choice(values), self.rng.choice(values)
        column = self.rng.randrange(4)
        code = {
            "compute": f"arith.subi {left}, {right} : i32",
            "constant": f"arith.constant {self.count} : i32",
            "load": f"vyre.load %out[%x, %at{column}] : memref<8x4xi32>",
        }[kind]
        return f"{name} = {code}\n", [name]

    def region(self, depth: int, values: list[str]) -> tuple[str, list[str]]:
        code, inner = self.body(depth + 1, values)
        maker = f'"g{self.rng.randrange(5)}" from "s{self.rng.randrange(5)}"'
        given = self.rng.choice([*values, *inner])
        name = self.name()
        terminator = f"vyre.yield {given} : i32\n"
        return f"{name} = vyre.region {maker} -> (i32) {{\n{code}{terminator}}}\n", [name]

    def for_loop(self, depth: int, values: list[str]) -> tuple[str, list[str]]:
        name, k, carried = self.name(), self.name(), self.name()
        code, inner = self.body(depth + 1, [*values, carried])
        given = self.rng.choice([*values, *inner, carried])
        bounds = f"{k} = %at0 to %at2 step %at1"
        carries = f"iter_args({carried} = {self.rng.choice(values)}) -> (i32)"
        loop = f"scf.for {bounds} {carries}"
        return f"{name} = {loop} {{\n{code}scf.yield {given} : i32\n}}\n", [name]

    def while_loop(self, depth: int, values: list[str]) -> tuple[str, list[str]]:
        name, k, j, go, more = (self.name() for _ in range(5))
        before, _ = self.body(depth + 1, values)
        after, _ = self.body(depth + 1, values)
        return (
            f"{name} = scf.while ({k} = %at0) : (index) -> (index) {{\n{before}"
            f"{go} = arith.cmpi ult, {k}, %at2 : index\n"
            f"scf.condition({go}) {k} : index\n}} do {{\n^bb{self.count}({j}: index):\n"
            f"{after}{more} = arith.addi {j}, %at1 : index\nscf.yield {more} : index\n}}\n",
            [],
        )

    def program(self) -> str:
        positions = "".join(f"%at{k} = arith.constant {k} : index\n" for k in range(4))
        return f"""
vyre.program @p [4, 1, 1] {{
%out = vyre.buffer "out" read_write binding 0 : memref<8x4xi32>
%yes = vyre.param "yes" : i1
{positions}%x = vyre.invocation_id x
%x32 = arith.index_cast %x : index to i32
%last = arith.cmpi uge, %x, %at3 : index
{self.body(0, ["%x32"])[0]}{self.region(0, ["%x32"])[0]}}}
"""


def makers(op: Operation) -> list[tuple[StringAttr | None, StringAttr | None]]:
    """The generators and sources of the regions around an operation."""
    found: list[tuple[StringAttr | None, StringAttr | None]] = []
    parent = op.parent_op()
    while parent is not None:
        if isinstance(parent, RegionOp):
            found.append((parent.generator, parent.source))
        parent = parent.parent_op()
    return found


def makers_of_stores(module: ModuleOp) -> dict[str, object]:
    stores = [op for op in module.walk() if isinstance(op, StoreOp)]
    return {str(op.attributes["tag"]): makers(op) for op in stores}


@pytest.mark.few(15)
@pytest.mark.parametrize("seed", range(120))
def test_same_results(seed: int):
    module = vyre.parse(Writer(seed).program())
    start = np.arange(32, dtype=np.int32).reshape(8, 4)
    before = vyre.compile(module, engine="reference")(out=start, yes=seed % 2, grid=2)[
        "out"
    ]
    made_by = makers_of_stores(module)

    HoistGridSyncPass().apply(vyre.context(), module)
    verify_ops(module)
    verify_programs(module)
    after = vyre.compile(module, engine="reference")(out=start, yes=seed % 2, grid=2)["out"]
    np.testing.assert_array_equal(after, before)
    assert makers_of_stores(module) == made_by
    assert not [op.name for op in module.walk() if is_unknown(op.location)]
    for op in module.walk():
        if isinstance(op, BarrierOp):
            assert not makers(op)
        if isinstance(op, RegionOp):
            assert op.body.block.first_op is not op.body.block.last_op


def test_deep_nests_are_divided():
    depth = 100
    opening = "".join(f'vyre.region "r{k}" {{\n' for k in range(depth))
    store = "vyre.store %k, %out[%i] : memref<?xindex>\n"
    module = vyre.parse(f"""
vyre.program @p [4, 1, 1] {{
  %out = vyre.buffer "out" read_write binding 0 : memref<?xindex>
  %i = vyre.invocation_id x
  {opening} %k = arith.addi %i, %i : index
  {store} {BARRIER} {store} {"}" * depth}
}}
""")
    HoistGridSyncPass().apply(vyre.context(), module)
    verify_programs(module)
    stores = [op for op in module.walk() if isinstance(op, StoreOp)]
    assert [len(makers(op)) for op in stores] == [depth, depth]
