"""How many trips loops make without a look at whether they shall stop."""

import pytest
from xdsl.dialects import scf

import vyre
from vyre.lowering.loops import (
    has_long_loops,
    is_short,
    short_trips,
    stretch,
    unseen_trips,
    weight,
)
from vyre.runtime.program_choice import find_program


def loops(end: str, *inner: str) -> str:
    """Loops in each other, the outermost first."""
    body = loops(*inner) if inner else ""
    return f"scf.for %k{len(inner)} = %zero to {end} step %one {{ {body} }}"


PROGRAMS = {
    "none": ("", 0, 0),
    "short": (loops("%ten"), 10, 0),
    "short ones": (loops("%ten", "%ten") + loops("%ten"), 110, 0),
    "long": (loops("%n"), 0, 1 << 16),
    "long in long": (loops("%n", "%n"), 0, 1 << 22),
    "short in long": (loops("%n", "%ten"), 0, 1 << 22),
    "many in each other": (loops("%n", "%n", "%n", "%n", "%n"), 0, 1 << 24),
    "short before long": (loops("%ten") + loops("%n"), 10, 1 << 16),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_trips_between_looks(name: str):
    code, short, unseen = PROGRAMS[name]
    text = f"""
    vyre.program @p [1, 1, 1] {{
      %n = vyre.param "n" : index
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %ten = arith.constant 10 : index
      {code}
    }}"""
    program = find_program(vyre.parse(text), None)
    assert short_trips(program) == short
    assert unseen_trips(program) == unseen
    assert has_long_loops(program) == (unseen > 0)


@pytest.mark.parametrize(("functions", "counts_for"), [(0, 1), (1, 4), (8, 32)])
def test_costly_trips_count_for_more(functions: int, counts_for: int):
    code = "\n".join(f"%e{k + 1} = math.erf %e{k} : f64" for k in range(functions))
    text = f"""
    vyre.program @p [1, 1, 1] {{
      %e = vyre.param "e" : f64
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %many = arith.constant 20000 : index
      %r = scf.for %k = %zero to %many step %one iter_args(%e0 = %e) -> (f64) {{
        {code}
        scf.yield %e{functions} : f64
      }}
    }}"""
    program = find_program(vyre.parse(text), None)
    (loop,) = (op for op in program.walk() if isinstance(op, scf.ForOp))
    assert weight(loop) == counts_for
    assert stretch(loop) == (1 << 16) // counts_for
    assert is_short(loop) == (counts_for == 1)
