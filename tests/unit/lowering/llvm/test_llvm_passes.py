"""What is done once in a pass is no part of the entry, and LLVM does not optimise it."""

import re

import pytest

import vyre

PROGRAM = """
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xTYPE>
  %x = vyre.invocation_id x
  %v = vyre.load %a[%x] : memref<?xTYPE>
  vyre.store %v, %a[%x] : memref<?xTYPE>
}
"""


def heads(type: str) -> dict[str, str]:
    """The functions of the program's code, by their names."""
    exe = vyre.compile(PROGRAM.replace("TYPE", type), engine="cpu")
    found = re.finditer(r'^define .*?@"([^"]+)"\(.*', exe.sources["p.ll"], re.M)
    return {head[1]: head[0] for head in found}


@pytest.mark.parametrize(("type", "compared"), [("i32", "compare.0"), ("f32", "compare.4")])
def test_the_end_of_a_pass_is_left_as_written(type: str, compared: str):
    """But for the comparison of floats, which goes through them one by one."""
    functions = heads(type)
    for name in ("passed", "clear", "remember"):
        assert "optnone" in functions[name]
    assert ("optnone" in functions[compared]) == (type == "i32")
    assert "optnone" not in functions["vyre.entry"]
