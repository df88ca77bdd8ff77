"""Vyre's walk and effects are xDSL's."""

from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.parser import Parser
from xdsl.traits import get_effects

import vyre
from vyre.analysis.purity import effects_of
from vyre.analysis.walking import operations_in, operations_of, units_in
from vyre.dialects.vyre import ProgramOp, ScheduleOp

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.mlir"))

BLOCKS = """
"t.outer"() ({
^b0:
  "t.a"() : () -> ()
  "t.b"() ({
  ^b1:
  }, {
  ^b2:
    "t.c"() : () -> ()
    "t.br"()[^b3] : () -> ()
  ^b3:
    "t.d"() ({
      "t.e"() : () -> ()
    }) : () -> ()
  }) : () -> ()
}, {
  "t.f"() : () -> ()
}) : () -> ()
"""


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_operations_of_examples_come_in_the_order_of_the_text(path: Path):
    module = vyre.parse(path)
    assert list(operations_in(module.body)) == list(module.body.walk())
    assert list(operations_of(module)) == list(module.walk())


def test_regions_and_blocks_come_in_the_order_of_the_text():
    context = Context(allow_unregistered=True)
    context.load_dialect(Builtin)
    module = Parser(context, BLOCKS).parse_module()
    found = list(operations_of(module))
    assert len(found) == 9
    assert found == list(module.walk())


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_effects_are_those_that_traits_give(path: Path):
    for op in vyre.parse(path).walk():
        assert effects_of(op) == get_effects(op)


def test_units_are_found_in_modules_inside_modules():
    text = """
    vyre.program @a [1, 1, 1] {}
    builtin.module {
      vyre.program @b [1, 1, 1] {}
      vyre.schedule @c { vyre.launch @b() }
    }
    vyre.program @d [1, 1, 1] {}
    """
    module = vyre.parse(text)
    programs = units_in(module, ProgramOp)
    assert [op.sym_name.data for op in programs] == ["a", "b", "d"]
    units = units_in(module, ProgramOp, ScheduleOp)
    assert units == [op for op in module.walk() if isinstance(op, ProgramOp | ScheduleOp)]
