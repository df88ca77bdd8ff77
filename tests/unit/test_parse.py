"""`vyre.parse`: files and strings, contexts, and errors with places."""

from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects import test

import vyre

pytestmark = pytest.mark.core

PROGRAM = "vyre.program @p [1, 1, 1] {}"


def diagnostic(text: str) -> str:
    with pytest.raises(vyre.InvalidProgram) as raised:
        vyre.parse(text)
    return str(raised.value)


def test_reads_text_and_files(tmp_path: Path):
    path = tmp_path / "p.mlir"
    path.write_text(PROGRAM)
    expected = str(vyre.parse(PROGRAM))
    assert str(vyre.parse(path)) == expected
    assert str(vyre.parse(str(path))) == expected


def test_takes_a_context_of_the_caller():
    ctx: Context = vyre.context()
    ctx.allow_unregistered = True
    vyre.parse('"mine.op"() : () -> ()\n', ctx=ctx)
    assert test.Test.name in ctx.registered_dialect_names


def test_text_that_is_not_utf8(tmp_path: Path):
    path = tmp_path / "p.mlir"
    path.write_bytes(b"// ok\n// \xff\n" + PROGRAM.encode())
    with pytest.raises(vyre.InvalidProgram, match=r"p\.mlir:2: byte 9 is not UTF-8"):
        vyre.parse(path)


def test_syntax_error_shows_place_and_form():
    assert diagnostic("vyre.program @p [1, 1, 1] {\n  %i = vyre.invocation_id w\n}") == (
        "<string>:2:27: error: Expected `x`, `y`, or `z`.\n"
        "  %i = vyre.invocation_id w\n"
        "                          ^\n"
        "Fix: write it like `%i = vyre.invocation_id x`"
    )


def test_misspelt_operation():
    text = diagnostic("vyre.program @p [1, 1, 1] {\n  %i = vyre.invocaton_id x\n}")
    assert "<string>:2:8: error: Operation vyre.invocaton_id is not registered" in text
    assert "       ^~~~~~~~~~~~~~~~~\n" in text
    assert text.endswith("Fix: did you mean 'vyre.invocation_id'?")


def test_undefined_value_is_reported_at_its_first_use():
    text = diagnostic(
        "vyre.program @p [1, 1, 1] {\n"
        "  %here = vyre.invocation_id x\n"
        "  %j = arith.addi %there, %there : index\n"
        "}"
    )
    assert "<string>:3:19: error: %there is used but never defined" in text


def test_text_that_ends_too_early():
    text = diagnostic("vyre.program @p [1, 1, 1] {\n")
    assert "the text ends too early" in text


def test_errors_of_foreign_attributes_have_a_place():
    """xDSL raises a bare exception here, without a position."""
    text = diagnostic("vyre.program @p [1, 1, 1] {\n  %c = arith.constant 300 : i8\n}")
    assert text.startswith("<string>:2:8: error: Integer value 300 is out of range")


def test_nesting_is_limited():
    def nested(depth: int) -> str:
        opened = 'vyre.region "r" {\n' * (depth - 1)
        return f"vyre.program @p [1, 1, 1] {{\n{opened}{'}' * depth}"

    assert str(vyre.parse(nested(128)))
    assert "regions are nested more than 128 deep" in diagnostic(nested(129))


def test_deep_attributes_do_not_exhaust_the_stack():
    text = diagnostic('"test.op"() {a = ' + "[" * 100_000 + "} : () -> ()")
    assert "nested too deeply" in text


def test_long_lines_are_cut():
    padding = "        " * 1000
    text = diagnostic(f"vyre.program @p [1, 1, 1] {{ {padding}vyre.barrier relaxed }}")
    assert max(map(len, text.splitlines())) <= 121
    caret_line = text.splitlines()[2]
    assert text.splitlines()[1][caret_line.index("^") :].startswith("vyre.barrier")


def test_tabs_keep_the_caret_in_line():
    text = diagnostic("vyre.program @p [1, 1, 1] {\n\t\tvyre.barrier relaxed\n}")
    assert text.splitlines()[2] == "\t\t^~~~~~~~~~~~"


def test_a_while_loop_without_operands_as_mlir_writes_it():
    text = """
vyre.program @p [1, 1, 1] {
  %go = vyre.param "go" : i1
  scf.while LIST: () -> () {
    scf.condition(%go)
  } do {
    scf.yield
  }
}
"""
    assert str(vyre.parse(text.replace("LIST", ""))) == str(
        vyre.parse(text.replace("LIST", "() "))
    )
