"""
Operations that Vyre does not know: passes keep them where they are, and no engine gets one
to run.
"""

import ast
from collections.abc import Generator
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from split_cases import A, program
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

import vyre
from vyre.interpreter.device import FOREIGN, Gang
from vyre.interpreter.frames import Frame, Lanes
from vyre.passes import get_all_passes
from vyre.runtime.errors import UnsupportedFeature

ROOT = Path(__file__).parents[3]
FOLDERS = ("analysis", "dialects", "lowering", "passes", "runtime", "testing", "tools")
SEGMENTS = """
vyre.program @part [4, 1, 1] {
  "other.op"() : () -> ()
}
vyre.schedule @p {
  vyre.launch @part()
}
"""
WAVES = """
vyre.program @part [4, 1, 1] {
  "other.op"() : () -> ()
}
vyre.megakernel @p {
  vyre.wave "one" @part grid [2, 1, 1]
}
"""


def parsed(text: str) -> ModuleOp:
    ctx = vyre.context()
    ctx.allow_unregistered = True
    return vyre.parse(text, ctx=ctx)


@pytest.mark.parametrize("engine", ["reference", "cpu"])
@pytest.mark.parametrize(
    "code",
    [
        '"other.op"() : () -> ()',
        '"other.op"() ({ "other.end"() : () -> () }) : () -> ()',
        '"test.op"(%a) : (memref<?xi32>) -> ()',
        "%y = memref.load %a[%x] : memref<?xi32>",
        "%y = vector.broadcast %i1 : i32 to vector<4xi32>",
        '%y = "other.op"(%a) : (memref<?xi32>) -> i32',
        "scf.if %yes {\nvyre.return\n}\n%y = ub.poison : i32\nvyre.barrier grid_sync",
    ],
)
def test_no_engine_gets_an_unknown_operation(code: str, engine: str):
    module = parsed(program(A, code))
    with pytest.raises(UnsupportedFeature, match="no engine can run") as caught:
        vyre.compile(module, engine=engine)
    text = str(caught.value)
    assert text.startswith("<string>:")
    assert text.count("Fix:") == 1
    assert text.endswith("Fix: lower it to arith, math, scf and vyre operations first")


@pytest.mark.parametrize("text", [SEGMENTS, WAVES])
def test_it_is_found_in_what_is_launched(text: str):
    with pytest.raises(UnsupportedFeature, match=r"'other\.op': no engine"):
        vyre.compile(parsed(text), program="p")


def test_every_question_about_traits_says_what_holds_for_unregistered_operations():
    """xDSL's answer is yes: every unregistered operation would be a terminator."""
    asked: list[str] = []
    for path in (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and node.attr in ("has_trait", "get_trait"):
                asked.append(f"{path.name}:{node.lineno}")
            if isinstance(node, ast.keyword) and node.arg == "value_if_unregistered":
                asked.pop()
    assert not asked


@pytest.fixture
def ran() -> Generator[list[tuple[str, Lanes]]]:
    """Which lanes have executed which foreign operation, in order."""
    log: list[tuple[str, Lanes]] = []

    def execute(
        gang: Gang, op: Operation, frame: Frame
    ) -> Generator[Operation, None, None]:
        log.append((str(op.attributes["tag"]), frame.lanes))
        for region in op.regions:
            yield from gang.block(region.block, frame)
        for result in op.results:
            frame[result] = np.int32(len(log))

    def end(gang: Gang, op: Operation, frame: Frame) -> Generator[Operation, None, None]:
        yield from ()

    meanings = {"other.op": execute, "test.op": execute, "other.end": end}
    with patch.dict(FOREIGN, meanings):
        yield log


KEPT = program(
    A,
    """
    "other.op"() {tag = 0} : () -> ()
    %y = "other.op"() ({
      vyre.store %i7, %a[%x] : memref<?xi32>
      "test.op"() {tag = 1} : () -> ()
      "other.end"() : () -> ()
    }) {tag = 2} : () -> i32
    vyre.barrier grid_sync
    %unused = "test.op"(%a) {tag = 3} : (memref<?xi32>) -> i32
    scf.for %k = %c0 to %c2 step %c1 {
      scf.if %yes {
        "other.op"() {tag = 4} : () -> ()
      }
      vyre.barrier grid_sync
      "test.op"(%k) {tag = 5} : (index) -> ()
    }
    vyre.region "made" {
      "other.op"() {tag = 6} : () -> ()
      vyre.barrier grid_sync
      vyre.store %y, %a[%x] : memref<?xi32>
      "other.op"() {tag = 7} : () -> ()
    }
    """,
)


PREPARED = ("vyre-hoist-grid-sync",)
SPLIT = ("vyre-host-plan",)
TAKES_NO_BARRIER = "vyre-isolate-workgroup"
BEFORE = {
    "vyre-propagate-lets": PREPARED,
    "vyre-split-grid-sync": (*PREPARED, "vyre-propagate-lets"),
    "vyre-rewrite-access": SPLIT,
}


@pytest.mark.parametrize("name", [n for n in get_all_passes() if n != TAKES_NO_BARRIER])
def test_unknown_operations_run_once_and_in_order_after_every_pass(
    ran: list[tuple[str, Lanes]], name: str
):
    module = parsed(KEPT)
    for step in (*BEFORE.get(name, ()), name):
        get_all_passes()[step]()().apply(vyre.context(), module)
    exe = vyre.compile(module, program="p", engine="reference")
    results = exe(a=np.zeros(8, np.int32), grid=2)
    assert [tag.split()[0] for tag, _ in ran] == "0 2 1 3 4 5 4 5 6 7".split()
    assert all(len(lanes) == 8 for _, lanes in ran)
    assert results["a"].tolist() == [3] * 8
