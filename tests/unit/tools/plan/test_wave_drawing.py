"""Plans of megakernels as pictures."""

import re
from io import StringIO
from itertools import pairwise
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
from plan_programs import SMOOTH
from plan_waves import FOUR, PROGRAM, many, waves_of
from worked_examples import ROOT

import vyre
from vyre.tools.plan.drawing import PlanDrawingTarget, wave_drawing
from vyre.tools.plan.wave_layout import WaveLayout
from vyre.tools.plan.wave_marks import bytes_text
from vyre.tools.plan.wave_plan import WavePlan

SVG = "{http://www.w3.org/2000/svg}"
RULES = (ROOT / "examples" / "rules.mlir").read_text()
BUDGET = {"budget": 150_000, "graph": 33_968}


def drawn(plan: WavePlan) -> Element:
    return ElementTree.fromstring(wave_drawing(plan))


def of_class(picture: Element, kind: str) -> list[Element]:
    return [e for e in picture.iter() if kind in e.get("class", "").split()]


def words(picture: Element, kind: str) -> list[str]:
    """The texts of a class, without what is shown on hover."""
    return [
        "".join([element.text or "", *(child.tail or "" for child in element)])
        for element in of_class(picture, kind)
    ]


def titles(picture: Element) -> list[str]:
    return [element.text or "" for element in picture.iter(f"{SVG}title")]


def title(element: Element) -> str:
    return element.findtext(f"{SVG}title", "")


def at(element: Element, name: str) -> float:
    return float(element.get(name, ""))


def bars(picture: Element, kind: str) -> list[Element]:
    """The parts of bars of a kind; what is in the legend has no title."""
    return [element for element in of_class(picture, kind) if title(element)]


def line_x(picture: Element) -> float:
    """Where the line of the budget is."""
    path = of_class(picture, "budget")[0].get("d", "")
    return float(path.split()[1])


def test_a_small_plan():
    picture = drawn(waves_of(FOUR, budget=107, graph=7, packing="best"))
    assert words(picture, "title") == ["@four"]
    assert words(picture, "subtitle") == ["4 waves in 3 groups: 2 grid barriers"]
    assert words(picture, "segment") == ["group 0", "group 1", "group 2"]
    assert words(picture, "label") == ["layer 0: 3 waves in 2 groups", "layer 1: 1 wave"]
    assert words(picture, "budget-text") == ["budget 107 B"]
    chips = [title(chip) for chip in of_class(picture, "wave")]
    assert chips == [
        '"a" @scale, bytes [60, 0, 0]',
        '"c" @scale, bytes [30, 0, 10]',
        '"b" @scale, bytes [50, 5, 10]',
        '"sum" @scale, grid [2, 1, 1], after a, b, bytes [10, 1, 6]',
    ]
    assert {"a @scale", "b @scale", "c @scale", "sum @scale"} <= set(words(picture, "note"))


def test_figures_of_both_packings():
    best = drawn(waves_of(FOUR, budget=107, graph=7, readback=2048, packing="best"))
    assert words(best, "heading") == [
        "MEMORY",
        "PACKING",
        "BARRIERS",
        "FRONTIER",
        "SCRATCH",
        "OUTPUT",
        "READBACK",
        "WIDEST",
    ]
    needed = ["107 B, 100%", "87 B, 81%", "27 B, 25%"]
    taken = ["2", "90 B", "5 B", "10 B", "2.0 KiB", "2"]
    in_order = ["3", "60 B", "5 B", "10 B", "2.0 KiB", "1"]
    assert words(best, "figure") == [*needed, *taken, *in_order]
    assert words(best, "name")[0] == "best (taken)"
    alone = drawn(waves_of(FOUR, budget=107, graph=7))
    assert words(alone, "name")[0] == "in order"
    assert "in order" not in words(drawn(waves_of(FOUR)), "name")


def test_bars_are_in_proportion_to_bytes():
    plan = waves_of(FOUR, budget=107, graph=7, packing="best")
    picture = drawn(plan)
    start = at(bars(picture, "graph")[0], "x")
    pixels_of_a_byte = (line_x(picture) - start) / 107
    expected = {
        "graph": [7, 7, 7],
        "frontier": [90, 50, 10],
        "scratch": [4 * 5, 4 * 1],
        "output": [10, 10, 6],
    }
    for kind, counts in expected.items():
        found = [at(bar, "width") for bar in bars(picture, kind)]
        wanted = [count * pixels_of_a_byte for count in counts]
        assert found == pytest.approx(wanted, abs=0.11), kind
    for group, y in zip(plan.groups, [at(bar, "y") for bar in bars(picture, "graph")]):
        row = [bar for kind in expected for bar in bars(picture, kind) if at(bar, "y") == y]
        for one, other in pairwise(row):
            assert at(one, "x") + at(one, "width") == pytest.approx(at(other, "x"), abs=0.2)
        end = at(row[-1], "x") + at(row[-1], "width")
        assert (end - start) / pixels_of_a_byte == pytest.approx(
            plan.needed(group), abs=0.2
        )


def test_a_full_group_ends_at_the_budget():
    picture = drawn(waves_of(FOUR, budget=107, graph=7, packing="best"))
    full = bars(picture, "output")[0]
    assert at(full, "x") + at(full, "width") == pytest.approx(line_x(picture), abs=0.2)


def test_barriers_stand_between_groups():
    plan = waves_of(FOUR, budget=107, graph=7)
    layout = WaveLayout(plan, 0)
    barriers = list(layout.barriers())
    assert len(barriers) == 3
    for y, (above, below) in zip(barriers, pairwise(layout.groups), strict=True):
        assert above.bottom < y < below.top
    picture = drawn(plan)
    assert titles(picture).count("grid barrier") == 3


def test_layers_hold_their_groups():
    layout = WaveLayout(waves_of(RULES, **BUDGET), 0)
    for frame in layout.layers:
        for place in layout.groups:
            holds = frame.top < place.top and place.bottom < frame.bottom
            assert holds == (place.group in frame.layer.groups)
    assert all(one.bottom < other.top for one, other in pairwise(layout.layers))
    assert all(one.bottom < other.top for one, other in pairwise(layout.groups))


def test_three_hundred_waves_are_named_and_do_not_overlap():
    plan = waves_of(RULES, **BUDGET, packing="best")
    picture = drawn(plan)
    shown = words(picture, "note")
    for group in plan.groups:
        assert f"group {group.number}" in words(picture, "segment")
        assert all(wave.name in shown for wave in group.waves)
    chips = [(at(chip, "x"), at(chip, "y")) for chip in of_class(picture, "wave")]
    assert len(set(chips)) == len(chips) == 300
    wide, high = at(of_class(picture, "wave")[0], "width"), 19
    for x, y in chips:
        assert not any(0 < a - x < wide and abs(b - y) < high for a, b in chips)
        assert not any(0 < b - y < high and a == x for a, b in chips)
    assert at(picture, "width") < 1200
    assert at(picture, "height") < 2000


def test_very_many_waves_are_shown_in_part_and_named_on_hover():
    picture = drawn(waves_of(many(3000)))
    chips = of_class(picture, "wave")
    assert len(chips) < 200
    rest = title(chips[-1]).split(", ")
    assert f"{len(rest)} more" in words(picture, "note")
    named = [title(chip).split('"')[1] for chip in chips[:-1]] + rest
    assert named == [f"w{k}" for k in range(3000)]
    assert at(picture, "height") < 700


def test_without_bytes_there_is_no_memory():
    text = (ROOT / "examples" / "flows_to.mlir").read_text()
    picture = drawn(waves_of(text))
    assert words(picture, "heading") == ["PACKING", "BARRIERS", "WIDEST"]
    assert not of_class(picture, "room")
    assert not of_class(picture, "budget")
    assert words(picture, "segment") == [f"group {k}" for k in range(5)]


def test_without_a_budget_there_is_no_line():
    picture = drawn(waves_of(FOUR))
    assert len(of_class(picture, "room")) == 2
    assert not of_class(picture, "budget")
    assert "budget" not in words(picture, "note")


def test_the_legend_has_what_is_there():
    legend = words(drawn(waves_of(FOUR, budget=200, graph=7)), "note")[-6:]
    assert legend == [
        "resident graph",
        "frontier",
        "scratch, counted 4 times",
        "output",
        "budget",
        "grid barrier",
    ]
    assert words(drawn(waves_of(many(2))), "note")[-2:] == ["frontier", "output"]


def test_names_are_escaped_and_shortened():
    name = r"<b>&\22x\22\00" + "y" * 100
    text = FOUR.replace('"a"', f'"{name}"').replace("@four", f'@"{name}"')
    picture = drawn(waves_of(text))
    shown = '<b>&"x"\ufffd' + "y" * 100
    assert f"@{shown}" in titles(picture)
    assert any(found.startswith(f'"{shown}" @scale') for found in titles(picture))
    assert any(found.endswith("…") for found in words(picture, "note"))


def test_no_waves():
    picture = drawn(waves_of("vyre.megakernel @none {}"))
    assert words(picture, "title") == ["@none"]
    assert not of_class(picture, "wave")


def test_pictures_of_programs_and_megakernels_stand_below_each_other():
    module = vyre.parse(f"{FOUR}\n{SMOOTH}")
    output = StringIO()
    PlanDrawingTarget().emit(vyre.context(), module, output)
    picture = ElementTree.fromstring(output.getvalue())
    assert words(picture, "title") == ["@smooth", "@four"]
    first, second = of_class(picture, "card")
    assert at(first, "y") + at(first, "height") < at(second, "y")
    assert at(second, "y") + at(second, "height") <= at(picture, "height")


def test_colours_for_light_and_dark_pages():
    """Whatever has a colour has one for each, and every class has a rule."""
    text = wave_drawing(waves_of(FOUR, budget=107, graph=7, packing="best"))
    style, elements = text.split("</style>")
    light, dark = style.split("@media (prefers-color-scheme:dark)")
    coloured = re.compile(r"\.([\w-]+)\{(?:fill|stroke):#")
    assert set(coloured.findall(light)) == set(coloured.findall(dark))
    for classes in re.findall(r'class="([^"]*)"', elements):
        assert all(f".{kind}{{" in light for kind in classes.split())


def test_bytes_for_people():
    counts = [0, 1, 1023, 1024, 150_000, 1 << 30, (1 << 64) - 1, 1 << 80]
    assert [bytes_text(count) for count in counts] == [
        "0 B",
        "1 B",
        "1023 B",
        "1.0 KiB",
        "146.5 KiB",
        "1.0 GiB",
        "16.0 EiB",
        "1048576.0 EiB",
    ]


def test_large_counts_are_no_trouble():
    most = 2**63 - 1
    wave = f'vyre.wave "a" @scale after [] bytes [{most}, {most}, {most}]'
    picture = drawn(waves_of(f"{PROGRAM}\nvyre.megakernel @m {{ {wave} }}"))
    widths = [at(bars(picture, kind)[0], "width") for kind in ("frontier", "scratch")]
    assert widths[1] == pytest.approx(4 * widths[0], abs=0.5)
