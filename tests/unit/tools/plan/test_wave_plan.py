"""Plans of megakernels: which waves run together, and that as text."""

import re
from io import StringIO

import pytest
from plan_waves import FOUR, PROGRAM, many, waves_of
from worked_examples import MEGAKERNELS

import vyre
from vyre.analysis.frontier import WaveBytes
from vyre.diagnostics import InvalidProgram
from vyre.tools.plan.model import plans_in
from vyre.tools.plan.table import PlanTarget
from vyre.tools.plan.text import WIDTH
from vyre.tools.plan.wave_plan import WavePlan, wave_plans_in
from vyre.tools.plan.wave_table import wave_table


def names(plan: WavePlan) -> list[list[list[str]]]:
    """Names of waves, by layer and group."""
    return [
        [[wave.name for wave in group.waves] for group in layer.groups]
        for layer in plan.layers
    ]


def test_a_budget_cuts_layers_into_groups():
    plan = waves_of(FOUR, budget=107, graph=7)
    assert names(plan) == [[["a"], ["b"], ["c"]], [["sum"]]]
    best = waves_of(FOUR, budget=107, graph=7, packing="best")
    assert names(best) == [[["a", "c"], ["b"]], [["sum"]]]
    assert [layer.label for layer in best.layers] == [
        "layer 0: 3 waves in 2 groups",
        "layer 1: 1 wave",
    ]
    assert best.summary == "4 waves in 3 groups: 2 grid barriers"
    assert (best.figures["global_barriers"], best.in_order["global_barriers"]) == (2, 3)


def test_memory_of_a_group_counts_the_graph_and_scratch_four_times():
    plan = waves_of(FOUR, budget=200, graph=7)
    first, last = plan.groups
    assert first.bytes == WaveBytes(140, 5, 20)
    assert plan.needed(first) == 7 + 140 + 4 * 5 + 20
    assert plan.needed(last) == 7 + 20
    assert (plan.budget, plan.graph) == (200, 7)


def test_without_a_budget_dependencies_make_the_groups():
    plan = waves_of(FOUR)
    assert names(plan) == [[["a", "b", "c"]], [["sum"]]]
    assert plan.budget is None
    assert plan.figures == {"global_barriers": 1, "max_group_width": 3}
    (unplanned,) = wave_plans_in(vyre.parse(FOUR))
    assert unplanned == plan


def test_derived_dependencies_and_sizes():
    text = f"""{PROGRAM}
    vyre.megakernel @m {{
      vyre.wave "one" @scale
      vyre.wave "two" @scale grid [3, 1, 1] with {{x = "y", y = "z"}}
    }}"""
    one, two = (group.waves[0] for group in waves_of(text).groups)
    assert (one.after, two.after) == ((), ("one",))
    assert (one.grid, two.grid) == (None, (3, 1, 1))
    assert (one.bytes, two.bytes) == (WaveBytes(32, 8, 32), WaveBytes(32, 24, 32))


def test_bytes_that_are_known_only_at_dispatch():
    text = PROGRAM.replace("8xi32", "?xi32")
    plan = waves_of(text + 'vyre.megakernel @m { vyre.wave "a" @scale }')
    assert plan.groups[0].bytes is None
    assert plan.needed(plan.groups[0]) is None
    assert wave_table(plan) == (
        "@m: 1 wave in 1 group: 0 grid barriers\n\n"
        "  layer 0: 1 wave\n"
        "    0  1 wave  a\n\n"
        "  packing    barriers  widest\n"
        "  no budget         0       1\n"
    )


def test_groups_by_hand_and_figures_that_make_no_sense():
    """What people write is shown as it is, but barriers are counted."""
    text = f"""{PROGRAM}
    vyre.megakernel @m plan {{global_barriers = 9, budget_bytes = -1, x = "y"}} {{
      vyre.wave "a" @scale after [] bytes [1, 0, 0] group 7
      vyre.wave "b" @scale after [] bytes [1, 0, 0] group 2
      vyre.wave "c" @scale after ["b"] bytes [1, 0, 0] group 7
    }}"""
    (plan,) = wave_plans_in(vyre.parse(text))
    assert [group.number for group in plan.groups] == [2, 7]
    assert names(plan) == [[["b"]], [["a", "c"]]]
    assert plan.figures == {"global_barriers": 1, "max_group_width": 2}
    assert "%" not in wave_table(plan)


def test_a_circle_is_refused():
    text = f"""{PROGRAM}
    vyre.megakernel @m {{
      vyre.wave "a" @scale after ["b"]
      vyre.wave "b" @scale after ["a"]
    }}"""
    with pytest.raises(InvalidProgram, match='"a" -> "b" -> "a" is a circle'):
        wave_plans_in(vyre.parse(text))


def test_a_table_with_both_packings():
    assert (
        wave_table(waves_of(FOUR, budget=107, graph=7, packing="best"))
        == """\
@four: 4 waves in 3 groups: 2 grid barriers; budget 107 B, of which 7 B are resident

                frontier  scratch  output  needed
  layer 0: 3 waves in 2 groups
    0  2 waves        90        0      10     107  100%  a, c
    1  1 wave         50        5      10      87   81%  b
  layer 1: 1 wave
    2  1 wave         10        1       6      27   25%  sum

  packing   barriers  frontier  scratch  output  readback  widest
  best             2        90        5      10        10       2  taken
  in order         3        60        5      10        10       1
"""
    )


def test_names_that_do_not_fit():
    text = wave_table(waves_of(many(500, "grün ")))
    assert text.isascii()
    assert max(map(len, text.splitlines())) <= WIDTH
    assert r"gr\xfcn 0, gr\xfcn 1" in text
    assert text.splitlines()[4].endswith("...")


def test_no_waves():
    plan = waves_of("vyre.megakernel @none {}")
    assert plan.groups == []
    assert wave_table(plan).startswith("@none: 0 waves in 0 groups: 0 grid barriers\n")


def test_programs_of_waves_have_no_plan_of_their_own():
    module = vyre.parse(f"{FOUR}\n{PROGRAM.replace('@scale', '@alone')}")
    assert [plan.name for plan in plans_in(module)] == ["alone"]
    output = StringIO()
    PlanTarget().emit(vyre.context(), module, output)
    titles = re.findall(r"^@(\w+):", output.getvalue(), re.MULTILINE)
    assert titles == ["alone", "four"]


@pytest.mark.parametrize("path", MEGAKERNELS, ids=lambda path: path.stem)
def test_examples(path: object):
    (plan,) = wave_plans_in(vyre.parse(str(path)))
    text = wave_table(plan)
    assert max(map(len, text.splitlines())) <= WIDTH
    assert all(f"\n  {layer.label}\n" in text for layer in plan.layers)


def test_large_counts_are_no_trouble():
    """Sums that do not fit in 64 bits are refused by the planner, and shown here."""
    most = 2**63 - 1
    text = f"""{PROGRAM}
    vyre.megakernel @m {{
      vyre.wave "a" @scale after [] bytes [{most}, {most}, {most}]
      vyre.wave "b" @scale after [] bytes [{most}, 0, 0]
    }}"""
    plan = waves_of(text)
    assert plan.needed(plan.groups[0]) == 7 * most
    assert str(7 * most) in wave_table(plan)


def test_waves_that_need_nothing_have_a_table():
    """No bytes are a number, too, and not what is unknown."""
    text = 'vyre.program @no [1, 1, 1] {} vyre.megakernel @m { vyre.wave "a" @no }'
    assert "frontier  scratch  output  needed" in wave_table(waves_of(text))
