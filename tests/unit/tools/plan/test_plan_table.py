"""Plans as text."""

import re
from pathlib import Path

import pytest
from plan_programs import SMOOTH, plan_of, scheduled, straight_line
from worked_examples import EXAMPLES

import vyre
from vyre.passes.host_plan import HostPlanPass
from vyre.tools.plan.model import plans_in
from vyre.tools.plan.table import plan_table
from vyre.tools.plan.text import WIDTH

pytestmark = pytest.mark.core


def test_a_small_plan():
    module = vyre.parse(SMOOTH, name="smooth.mlir")
    HostPlanPass().apply(vyre.context(), module)
    (plan,) = plans_in(module)
    assert (
        plan_table(plan)
        == """\
@smooth: 2 launches; scratch: 4 B per invocation; smooth.mlir

  for %k in 0 to %rounds
    0  @smooth.0        line 10
    1  @smooth.1  keep  line 14

                                             0  1
                                            [----]
  a          read_write  ?xf32               r  w
  mean_kept  scratch     4 B per invocation  w  r

  r reads, w writes, [] loop
"""
    )


def test_every_sign():
    plan = scheduled("""
      %end, %rest = scf.for %k = %c0 to %n step %c1 iter_args(%x = %a, %y = %b)
          -> (memref<?xi32>, memref<?xi32>) {
        vyre.launch @copy(%x, %y)
        %last = vyre.read_back %sum[0] : memref<1xi32>
        scf.yield %y, %x : memref<?xi32>, memref<?xi32>
      }
      scf.if %p {
        vyre.launch @count(%a, %sum)
        vyre.launch @copy(%a, %s)
      } else {
        vyre.launch @copy(%a, %t)
      }
      scf.while : () -> () {
        vyre.launch @copy(%s, %a)
        scf.condition(%p)
      } do {
        vyre.launch @double(%b)
        scf.yield
      }
    """)
    outline, table, key = plan_table(plan).rstrip("\n").split("\n\n")[1:]
    assert [line.split("  line")[0].rstrip() for line in outline.splitlines()] == [
        "  for %k in 0 to %n",
        "    0  @copy",
        "       %x is a or b",
        "       %y is a or b",
        "    h  reads %last = sum[0]",
        "  if %p",
        "    1  @count",
        "    2  @copy",
        "  else",
        "    3  @copy",
        "  while %p",
        "    test",
        "      4  @copy",
        "    do",
        "      5  @double",
    ]
    assert table.splitlines() == [
        "                                       0    h  1  2  3  4  5",
        "                                      [------](----)(-)[-----]",
        "                                                       (-)(--)",
        "  a    read_write  ?xi32               rw?  .  r  r  r  w  .",
        "  b    read_write  ?xi32               rw?  .  .  .  .  .  rw",
        "  sum  read_write  1xi32 output        .    r  a  .  .  .  .",
        "  s    scratch     4 B per invocation  .    .  .  w  .  r  .",
        "  t    scratch     4 B per invocation  .    .  .  .  w  .  .",
    ]
    assert key == (
        "  r reads, w writes, a atomics, ? one of these in turn, h the host, [] loop, "
        "() branch, () test and body of a loop"
    )


def test_a_long_plan_is_shown_without_its_middle():
    lines = plan_table(plan_of(straight_line(300))).splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert len(lines) < 100
    assert "  ... 252 more" in lines
    numbers = [int(found[1]) for line in lines if (found := re.match(r" +(\d+)  @", line))]
    assert numbers == [*range(32), *range(284, 300)]
    heads = " ".join(line for line in lines if re.fullmatch(r"[ \d.]+", line)).split()
    assert heads == [*map(str, range(32)), "...", *map(str, range(284, 300))]


def test_a_loop_goes_on_below():
    launches = "\n".join(["vyre.launch @double(%a)"] * 40)
    plan = scheduled(f"scf.for %k = %c0 to %n step %c1 {{\n{launches}\n}}")
    brackets = [
        line.strip()
        for line in plan_table(plan).splitlines()
        if re.fullmatch(r" +[-\[\]]+", line)
    ]
    assert len(brackets) > 1
    assert brackets[0].startswith("[-")
    assert brackets[0].endswith("--")
    assert all(set(line) == {"-"} for line in brackets[1:-1])
    assert brackets[-1].startswith("--")
    assert brackets[-1].endswith("-]")


def test_names_in_ascii_and_of_any_length():
    name = "grün\n" + "x" * 100
    text = SMOOTH.replace('"a"', f'"{name}"'.replace("\n", "\\0A"))
    shown = plan_table(plan_of(text))
    assert shown.isascii()
    assert r"gr\xfcn\nxxx" in shown
    assert max(map(len, shown.splitlines())) <= WIDTH


def test_nothing_to_show():
    (plan,) = plans_in(vyre.parse("vyre.schedule @p {}"))
    assert plan_table(plan) == "@p: 0 launches\n"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path: Path):
    plan = plan_of(path.read_text())
    text = plan_table(plan)
    assert text.isascii()
    assert max(map(len, text.splitlines())) <= WIDTH
    assert all(row.name in text for row in plan.rows)
    assert all(f"@{column.segment}" in text for column in plan.columns)
    assert all(group.label in text for group in plan.groups)
    assert not any(line.endswith(" ") for line in text.splitlines())
