"""Where loops look whether they shall stop."""

import re

import vyre

PROGRAM = """
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %x = vyre.invocation_id x
  %v = vyre.load %a[%x] : memref<?xi32>
  CODE
}
"""

INNER = """
  %sum = scf.for %k = %zero to %n step %one iter_args(%s = %v) -> (i32) {
    %next = arith.addi %s, %s : i32
    scf.yield %next : i32
  }
  vyre.store %sum, %a[%x] : memref<?xi32>
"""

NESTED = f"scf.for %j = %zero to %x step %one {{ {INNER} }}"


def source(code: str) -> str:
    exe = vyre.compile(PROGRAM.replace("CODE", code), engine="cpu")
    return exe.sources["p.ll"]


def blocks(text: str, name: str) -> int:
    """How many blocks have a name, but for a number at its end."""
    return len(re.findall(rf"^{name}(?:\.\d+)?:", text, re.M))


def test_a_loop_that_may_be_vectorised_has_stretches():
    text = source(INNER)
    assert blocks(text, "stretches") == blocks(text, "for") >= 1


def test_a_loop_around_another_looks_itself():
    alone, nested = source(INNER), source(NESTED)
    assert blocks(nested, "stretches") == blocks(alone, "stretches")
    assert blocks(nested, "for") == blocks(alone, "for") + 1
    pulses = re.findall(r"call preserve_mostcc i64 .*", nested)
    assert len(pulses) > len(re.findall(r"call preserve_mostcc i64 .*", alone))


def test_loops_that_look_have_no_second_version():
    pulses = re.findall(r"call preserve_mostcc i64 .*", source(NESTED))
    assert pulses
    assert all(call.endswith(" convergent") for call in pulses)
