"""Texts of programs in two parts, which are compiled apart."""

import ctypes
import re
from pathlib import Path

import pytest

import vyre
from vyre.lowering.llvm.parts import parts_of
from vyre.runtime.cpu.machine import Linked, Processor, object_code

EXAMPLES = Path(__file__).parents[4] / "examples"

TEXT = """
@"table" = internal constant [2 x i64] [i64 5, i64 7]
declare i64 @"llvm.smax.i64"(i64 %".1", i64 %".2")
define i64 @"run"(i64 %"n")
{
entry:
  %"a" = call i64 @"phase.a"(i64 %"n")
  %"b" = call i64 @"phase.b"(i64 %"a")
  ret i64 %"b"
}
define internal i64 @"phase.a"(i64 %"n") noinline
{
entry:
  %"r" = call i64 @"phase.c"(i64 %"n")
  %"s" = add i64 %"r", 1
  ret i64 %"s"
}
define internal i64 @"phase.b"(i64 %"n") noinline
{
entry:
  %"r" = call i64 @"phase.c"(i64 %"n")
  %"s" = mul i64 %"r", 10
  ret i64 %"s"
}
define internal i64 @"phase.c"(i64 %"n") noinline
{
entry:
  %"p" = getelementptr [2 x i64], ptr @"table", i64 0, i64 1
  %"v" = load i64, ptr %"p"
  %"w" = call i64 @"llvm.smax.i64"(i64 %"v", i64 %"n")
  ret i64 %"w"
}
"""


def defined(text: str) -> dict[str, str]:
    """What linkage the functions of a text have."""
    found = re.finditer(r'^define (\w+).*?@"([^"]+)"', text, re.M)
    return {head[2]: head[1] for head in found}


def test_parts_that_are_linked_do_what_the_whole_does():
    code = object_code(TEXT, Processor.host())
    assert len(code) == 2
    linked = Linked(code, "run")
    run = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(linked.address)
    assert [run(n) for n in (0, 7, 9)] == [80, 80, 100]


def test_phases_are_in_one_part_and_what_they_need_is_in_each():
    first, second = map(defined, parts_of(TEXT))
    assert "run" in first
    assert "run" not in second
    moved = {"phase.a", "phase.b"}
    assert (first.keys() & moved) ^ (second.keys() & moved) == moved
    assert {part[name] for part in (first, second) for name in part.keys() & moved} == {
        "hidden"
    }
    assert first["phase.c"] == second["phase.c"] == "internal"


def test_phases_of_the_other_part_are_declared():
    for part in parts_of(TEXT):
        for name in re.findall(r'call i64 @"(phase\..)"', part):
            assert re.search(rf'^(define|declare) \w+ i64 @"{name}"', part, re.M)


def test_what_can_be_written_is_never_there_twice():
    text = TEXT.replace("internal constant", "internal global")
    assert parts_of(text) == [text]


def test_one_part_if_there_are_no_phases():
    text = "define void @f() { ret void }"
    assert parts_of(text) == [text]


@pytest.mark.parametrize("name", ["rules", "conjugate_gradient", "heat_3d"])
def test_both_parts_of_an_example_have_phases(name: str):
    exe = vyre.compile(EXAMPLES / f"{name}.mlir", engine="cpu")
    text = exe.sources[f"{name}.ll"]
    whole = defined(text)
    first, second = map(defined, parts_of(text))
    assert first.keys() | second.keys() == whole.keys()
    for part in (first, second):
        assert "hidden" in part.values()
