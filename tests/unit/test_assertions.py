"""Nothing depends on assertions: they only tell the type checker what is known anyway."""

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import outcomes
import pytest
from split_cases import OUT, program
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr

import vyre
from vyre.analysis.walking import operations_in, units_in
from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre import ProgramOp, RegionOp
from vyre.lowering.llvm.sources import Translation
from vyre.passes.rules.reserved import INSTANCES
from vyre.runtime.kernel_cache import build_stamp

ROOT = Path(__file__).parents[2]
NOT_PRODUCT = {"tests", "benchmarks", "build"}
NARROWING = {"isinstance", "issubclass", "isa", "is_scalar"}
"""What tells the type checker more, and computes nothing."""


def product() -> Iterator[Path]:
    for path in sorted(ROOT.rglob("*.py")):
        top = path.relative_to(ROOT).parts[0]
        if top not in NOT_PRODUCT and not top.startswith("."):
            yield path


def is_narrowing(condition: ast.expr, computed: set[str]) -> bool:
    """Whether a condition only tells the type of a value that is there already."""
    match condition:
        case ast.Compare(left=place, ops=[ast.IsNot()], comparators=[ast.Constant(None)]):
            pass
        case ast.Call(func=ast.Name(function), args=[place, *_]) if function in NARROWING:
            pass
        case _:
            return False
    while isinstance(place, ast.Attribute) and place.attr not in computed:
        place = place.value
    return isinstance(place, ast.Name)


def is_computed(function: ast.FunctionDef) -> bool:
    """Whether it is a property that does more than give a value back."""
    decorators = {ast.unparse(decorator) for decorator in function.decorator_list}
    body = function.body[1:] if ast.get_docstring(function) else function.body
    is_long = not all(isinstance(statement, ast.Return) for statement in body)
    return "cached_property" in decorators or ("property" in decorators and is_long)


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """All of them, without their expressions."""
    yield tree
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield from statements(child)


def found_in(trees: dict[str, ast.Module]) -> list[str]:
    nodes = [(name, node) for name, tree in trees.items() for node in statements(tree)]
    functions = [node for _, node in nodes if isinstance(node, ast.FunctionDef)]
    computed = {function.name for function in functions if is_computed(function)}
    return [
        f"{name}:{node.lineno}: {ast.unparse(node)}"
        for name, node in nodes
        if isinstance(node, ast.Assert) and not is_narrowing(node.test, computed)
    ]


def test_assertions_of_the_product_only_narrow_types():
    """No effect, no call, no condition on which soundness hangs: `raise` does that."""
    trees = {str(path.relative_to(ROOT)): ast.parse(path.read_text()) for path in product()}
    assert len(trees) > 300
    assert not found_in(trees), "\n".join(found_in(trees))


SAMPLE = """
class Kernel:
    @cached_property
    def plan(self): return compile()
    @property
    def slow(self):
        self.count += 1
        return self.count
    @property
    def name(self):
        "What it is called."
        return self._name
"""


@pytest.mark.parametrize(
    ("condition", "is_fine"),
    [
        ("op is not None", True),
        ("self.op.parent is not None", True),
        ("kernel.name is not None", True),
        ("isinstance(op.owner, Operation)", True),
        ("self.plan is not None", False),
        ("isinstance(self.plan.op, Plan)", False),
        ("self.slow is not None", False),
        ("found() is not None", False),
        ("isinstance(found(), Operation)", False),
        ("(op := found) is not None", False),
        ("count == 0", False),
        ("not left", False),
        ("verify(op)", False),
        ("a is not None and b is not None", False),
    ],
)
def test_what_narrows(condition: str, is_fine: bool):
    tree = ast.parse(f"{SAMPLE}\nassert {condition}")
    assert bool(found_in({"sample": tree})) != is_fine


def test_python_without_assertions_says_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """
    Programs are accepted and refused alike, also by this process after the other one, with
    the same cache of compiled code.
    """
    monkeypatch.setenv("VYRE_CACHE_DIR", str(tmp_path))
    found = subprocess.run(
        [sys.executable, "-O", outcomes.__file__],
        capture_output=True,
        text=True,
        check=True,
        env=dict(os.environ),
    )
    stamp, optimised = cast(tuple[str, dict[str, list[Any]]], json.loads(found.stdout))
    assert stamp == build_stamp().replace(", xdsl", " -O, xdsl", 1)
    usual = outcomes.outcomes()
    assert optimised == usual
    assert usual["refused late, cpu"][0] is False
    assert usual["rotated, cpu"] == usual["rotated, reference"]
    assert sum(len(outcome) == 2 for outcome in usual.values()) >= 4


def test_instances_stand_alone():
    """What stands beside a region with instances must not run once for each of them."""
    text = program(
        OUT,
        '%n = vyre.param "n" : index',
        """
        %odd = arith.cmpi ult, %x, %n : index
        scf.if %odd {
          vyre.return
        }
        vyre.region "each" {
          vyre.store %i7, %out[%x] : memref<?xi32>
        }
        vyre.store %i7, %out[%x] : memref<?xi32>
        """,
    )
    (unit,) = units_in(vyre.parse(text), ProgramOp)
    (region,) = (op for op in operations_in(unit.body) if isinstance(op, RegionOp))
    numbers = ArrayAttr([IntegerAttr.from_index_int_value(n) for n in (1, 2)])
    region.attributes[INSTANCES] = DictionaryAttr({"n": numbers})
    with pytest.raises(Refusal, match="a region with instances stands beside other"):
        Translation(unit)
