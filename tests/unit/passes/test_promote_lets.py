"""Promoted programs compute the same as the ones with variables."""

from random import Random

import numpy as np
import pytest

import vyre
from vyre.dialects.vyre import AssignOp, GetOp, LetOp
from vyre.locations import is_unknown
from vyre.passes.promote_lets import PromoteLetsPass
from vyre.passes.verify_ops import verify_ops
from vyre.passes.verify_program import verify_programs

VARIABLES = ("p", "q", "r")


class Writer:
    """Writes random programs over three variables, with loops and branches that end."""

    def __init__(self, seed: int):
        self.rng = Random(seed)
        self.count = 0

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def get(self) -> tuple[str, str]:
        name, cell = self.name(), self.rng.choice(VARIABLES)
        return name, f"{name} = vyre.get %{cell} : !vyre.cell<i32>\n"

    def assign(self) -> str:
        (left, one), (right, two) = self.get(), self.get()
        name, op = self.name(), self.rng.choice(("addi", "subi", "xori"))
        target = self.rng.choice(VARIABLES)
        compute = f"{name} = arith.{op} {left}, {right} : i32\n"
        return f"{one}{two}{compute}vyre.assign {name}, %{target} : !vyre.cell<i32>\n"

    def condition(self) -> tuple[str, str]:
        value, load = self.get()
        name = self.name()
        return name, f"{load}{name} = arith.trunci {value} : i32 to i1\n"

    def body(self, depth: int) -> str:
        return "".join(self.statement(depth) for _ in range(self.rng.randint(1, 3)))

    def statement(self, depth: int) -> str:
        kinds = ["assign", "assign"] + (
            ["if", "for", "while", "region", "return"] * (depth < 3)
        )
        kind = self.rng.choice(kinds)
        if kind == "if":
            name, code = self.condition()
            other = f" else {{\n{self.body(depth + 1)}}}" if self.rng.random() < 0.5 else ""
            return f"{code}scf.if {name} {{\n{self.body(depth + 1)}}}{other}\n"
        if kind == "for":
            bound = self.rng.choice(("%none", "%x", "%three"))
            k = self.name()
            return (
                f"scf.for {k} = %none to {bound} step %one {{\n{self.body(depth + 1)}}}\n"
            )
        if kind == "while":
            return self.while_loop(depth)
        if kind == "region":
            return f'vyre.region "r" {{\n{self.body(depth + 1)}}}\n'
        if kind == "return":
            name, code = self.condition()
            return f"{code}scf.if {name} {{\n{self.assign()}vyre.return\n}}\n"
        return self.assign()

    def while_loop(self, depth: int) -> str:
        """At most two trips, counted by a value; variables change in both regions."""
        k, j, go, more, stop = (self.name() for _ in range(5))
        name, code = self.condition()
        return f"""{self.name()} = scf.while ({k} = %none) : (index) -> (index) {{
{self.body(depth + 1)}{code}{stop} = arith.cmpi ult, {k}, %two : index
{go} = arith.andi {stop}, {name} : i1
scf.condition({go}) {k} : index
}} do {{
^bb{self.count}({j}: index):
{self.body(depth + 1)}{more} = arith.addi {j}, %one : index
scf.yield {more} : index
}}
"""

    def program(self) -> str:
        lets = "".join(f'%{v} = vyre.let "{v}" = %x32 : i32\n' for v in VARIABLES)
        stores = ""
        for position, variable in enumerate(VARIABLES):
            value = self.name()
            stores += f"%at{position} = arith.constant {position} : index\n"
            stores += f"{value} = vyre.get %{variable} : !vyre.cell<i32>\n"
            stores += f"vyre.store {value}, %out[%x, %at{position}] : memref<8x3xi32>\n"
        return f"""
vyre.program @p [8, 1, 1] {{
%out = vyre.buffer "out" read_write binding 0 : memref<8x3xi32>
%none = arith.constant 0 : index
%one = arith.constant 1 : index
%two = arith.constant 2 : index
%three = arith.constant 3 : index
%x = vyre.invocation_id x
%x32 = arith.index_cast %x : index to i32
{lets}{self.body(0)}{self.body(0)}{stores}}}
"""


@pytest.mark.few(15)
@pytest.mark.parametrize("seed", range(150))
def test_same_results(seed: int):
    text = Writer(seed).program()
    module = vyre.parse(text)
    before = vyre.compile(module, engine="reference")(
        out=np.zeros((8, 3), np.int32), grid=1
    )["out"]
    PromoteLetsPass().apply(vyre.context(), module)
    verify_ops(module)
    verify_programs(module)
    assert not [op for op in module.walk() if isinstance(op, LetOp | GetOp | AssignOp)]
    assert not [op.name for op in module.walk() if is_unknown(op.location)]
    after = vyre.compile(module, engine="reference")(
        out=np.zeros((8, 3), np.int32), grid=1
    )["out"]
    np.testing.assert_array_equal(after, before)
