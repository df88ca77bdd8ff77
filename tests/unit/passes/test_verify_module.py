"""Modules are checked once, and again when they were changed."""

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, StringAttr

import vyre
from vyre.passes import verify_module as under_test
from vyre.passes.verify_module import verify_module

pytestmark = pytest.mark.core

PROGRAM = """
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %x = vyre.invocation_id x
  %one = arith.constant 1 : i32
  vyre.store %one, %a[%x] : memref<?xi32>
}
"""


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[ModuleOp]:
    """The modules whose operations are checked from now on."""
    found: list[ModuleOp] = []
    inner = under_test.verify_ops

    def watched(module: ModuleOp) -> None:
        found.append(module)
        inner(module)

    monkeypatch.setattr(under_test, "verify_ops", watched)
    return found


def test_a_module_that_was_parsed_is_not_checked_again(checked: list[ModuleOp]):
    module = vyre.parse(PROGRAM)
    vyre.compile(module)
    verify_module(module)
    assert checked == [module]


def test_a_module_that_was_changed_is(checked: list[ModuleOp]):
    module = vyre.parse(PROGRAM)
    constant = next(op for op in module.walk() if isinstance(op, arith.ConstantOp))
    constant.attributes["note"] = StringAttr("changed")
    verify_module(module)
    assert checked == [module, module]
    constant.detach()
    constant.erase(safe_erase=False)
    for _ in range(2):
        with pytest.raises(vyre.InvalidProgram):
            vyre.compile(module)


def test_a_copy_is(checked: list[ModuleOp]):
    module = vyre.parse(PROGRAM)
    copy = module.clone()
    verify_module(copy)
    assert checked == [module, copy]
