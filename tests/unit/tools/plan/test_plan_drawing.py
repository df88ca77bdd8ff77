"""Plans as pictures."""

import re
from io import StringIO
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
from plan_programs import SMOOTH, plan_of, scheduled, split, straight_line
from worked_examples import EXAMPLES

import vyre
from vyre.tools.plan.drawing import PlanDrawingTarget, plan_drawing
from vyre.tools.plan.layout import Layout
from vyre.tools.plan.model import Plan, plans_in
from vyre.tools.plan.svg import fitted, number, text_width, wrapped

SVG = "{http://www.w3.org/2000/svg}"


def drawn(plan: Plan, subtitle: str = "") -> Element:
    return ElementTree.fromstring(plan_drawing(plan, subtitle))


def of_class(picture: Element, kind: str) -> list[Element]:
    return [element for element in picture.iter() if element.get("class") == kind]


def words(picture: Element, kind: str) -> list[str]:
    """The texts of a class, without what is shown on hover."""
    return [
        "".join([element.text or "", *(child.tail or "" for child in element)])
        for element in of_class(picture, kind)
    ]


def titles(picture: Element) -> list[str]:
    return [element.text or "" for element in picture.iter(f"{SVG}title")]


def left(element: Element) -> float:
    return float(element.get("x", ""))


def right(element: Element) -> float:
    return left(element) + float(element.get("width", ""))


def test_a_small_plan():
    picture = drawn(plan_of(SMOOTH), subtitle="split into 2 segments")
    assert words(picture, "title") == ["@smooth"]
    assert words(picture, "subtitle") == ["split into 2 segments"]
    assert words(picture, "segment") == ["0", "1"]
    assert words(picture, "name") == ["a"]
    assert words(picture, "kept") == ["mean_kept"]
    assert words(picture, "label") == ["for %k in 0 to %rounds"]
    assert len(of_class(picture, "lane")) == 2 + 2  # And two in the legend.
    (loop,) = of_class(picture, "loop")
    lanes = of_class(picture, "lane")[:2]
    assert left(loop) < left(lanes[0]) < right(lanes[0]) < left(lanes[1])
    assert right(lanes[1]) < right(loop)
    assert {
        '@smooth.0 reads "a"',
        '@smooth.0 writes "mean_kept"',
        '@smooth.1 reads "mean_kept"',
        '@smooth.1 writes "a"',
    } <= set(titles(picture))


def test_reads_stand_left_and_writes_right():
    picture = drawn(plan_of(SMOOTH))
    lanes = of_class(picture, "lane")[:2]
    for kind, lane, is_left in (("read", 0, True), ("write", 1, False)):
        middle = (left(lanes[lane]) + right(lanes[lane])) / 2
        marks = [
            mark
            for mark in of_class(picture, kind)
            if left(lanes[lane]) < left(mark) < right(lanes[lane])
        ]
        assert marks
        assert all((right(mark) < middle) == is_left for mark in marks)


def test_a_band_from_the_write_to_the_last_read():
    picture = drawn(plan_of(SMOOTH))
    band = of_class(picture, "life")[0]
    first, second = of_class(picture, "lane")[:2]
    assert left(band) == pytest.approx((left(first) + right(first)) / 2)
    assert right(band) == pytest.approx((left(second) + right(second)) / 2)


def test_every_sign_and_its_legend():
    plan = scheduled("""
      %end, %rest = scf.for %k = %c0 to %n step %c1 iter_args(%x = %a, %y = %b)
          -> (memref<?xi32>, memref<?xi32>) {
        vyre.launch @copy(%x, %y)
        scf.yield %y, %x : memref<?xi32>, memref<?xi32>
      }
      %last = vyre.read_back %sum[0] : memref<1xi32>
      scf.if %p {
        vyre.launch @count(%a, %sum)
        vyre.launch @copy(%a, %s)
      } else {
        vyre.launch @copy(%s, %b)
      }
    """)
    picture = drawn(plan)
    assert words(picture, "label") == ["for %k in 0 to %n", "if %p", "else"]
    assert words(picture, "stemtext") == ["%last"]
    assert "the host reads sum[0]" in titles(picture)
    assert words(picture, "note") == [
        "reads",
        "writes",
        "atomic updates",
        "one of these in turn",
        "scratch is needed",
        "read by the host",
        "loop",
        "branch",
        "gap: grid barrier",
    ]
    assert len(of_class(picture, "arrow")) == 1
    assert len(of_class(picture, "host")) == 2
    assert '@copy reads and writes, in turn, "a"' in titles(picture)
    assert {"%x", "%y"} <= set(titles(picture))


def test_a_test_that_launches_nothing_has_no_box():
    loop = """
      scf.while : () -> () {{
        {}
        %last = vyre.read_back %sum[0] : memref<1xi32>
        scf.condition(%p)
      }} do {{
        vyre.launch @copy(%a, %b)
        scf.yield
      }}
    """
    assert words(drawn(scheduled(loop.format(""))), "label") == ["while %p"]
    launches = loop.format("vyre.launch @count(%a, %sum)")
    assert words(drawn(scheduled(launches)), "label") == ["while %p", "test", "do"]


def test_a_program_in_one_launch():
    (plan,) = plans_in(vyre.parse(SMOOTH))
    picture = drawn(plan)
    assert words(picture, "segment") == ["smooth"]
    assert words(picture, "note")[:2] == ["keep", "2 grid barriers"]


def test_names_are_escaped():
    name = r"<b>&\22x\22\00\0A]]>"
    text = SMOOTH.replace('"a"', f'"{name}"').replace('"keep"', f'"{name}"')
    text = text.replace("@smooth", f'@"{name}"')
    picture = drawn(plan_of(text), subtitle='a "<b>" & c')
    shown = '<b>&"x"\ufffd\ufffd]]>'
    assert words(picture, "title") == [f"@{shown}"]
    assert words(picture, "name") == [shown]
    assert shown.replace("\ufffd\ufffd", "\ufffd ") in words(picture, "note")
    assert words(picture, "subtitle") == ['a "<b>" & c']
    assert picture.get("aria-label") == f"plan of @{shown}"


def test_long_names_are_shortened_and_shown_on_hover():
    name = "a_name_that_goes_on_and_on" * 5
    picture = drawn(
        plan_of(SMOOTH.replace('"a"', f'"{name}"').replace('"keep"', f'"{name}"'))
    )
    (shown,) = words(picture, "name")
    assert shown.endswith("…")
    assert name in titles(picture)
    assert any(text.endswith("…") for text in words(picture, "note"))


@pytest.mark.parametrize("segments", [1, 2, 8, 13, 40, 60, 120, 300])
def test_any_number_of_launches(segments: int):
    plan = plan_of(straight_line(segments))
    picture = drawn(plan)
    named = " ".join(titles(picture))
    assert all(f"@{column.segment}" in named for column in plan.columns)
    width = float(picture.get("width", ""))
    assert width < 300 + 10 * max(segments, 140)
    assert all(0 <= left(mark) < right(mark) < width for mark in of_class(picture, "read"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path: Path):
    plan = plan_of(path.read_text())
    text = plan_drawing(plan, plan.summary)
    picture = ElementTree.fromstring(text)
    named = titles(picture)
    assert all(row.name in named for row in plan.rows)
    assert all(f"@{column.segment}" in named for column in plan.columns)
    assert all(
        group.label in named or group.label in ("test", "do") for group in plan.groups
    )
    assert text == plan_drawing(plan_of(path.read_text()), plan.summary)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_nothing_overlaps(path: Path):
    """Lanes and what the host reads stand apart, boxes hold what is theirs."""
    plan = plan_of(path.read_text())
    layout = Layout(plan, 0)
    spans = [layout.spans[step.step] for step in plan.steps]
    assert all(one.right < other.left for one, other in pairwise(spans))
    assert spans[0].left > layout.names.right
    assert spans[-1].right <= layout.right
    for box in layout.boxes:
        inside = {step.step for step in box.group.steps}
        for step, span in layout.spans.items():
            holds = box.span.left < span.left and span.right < box.span.right
            apart = span.right < box.span.left or box.span.right < span.left
            assert holds if step in inside else apart


def test_several_plans_stand_below_each_other():
    text = SMOOTH + SMOOTH.replace("@smooth", "@other")
    tops = [
        float(card.get("y", ""))
        for card in of_class(ElementTree.fromstring(_target(text)), "card")
    ]
    assert tops[0] < tops[1]


def test_no_plans_and_plans_of_nothing():
    assert ElementTree.fromstring(_target("builtin.module {}")).tag == f"{SVG}svg"
    nothing = ElementTree.fromstring(_target("vyre.schedule @p {}"))
    assert words(nothing, "title") == ["@p"]
    assert words(nothing, "subtitle") == ["0 launches"]


def _target(text: str) -> str:
    output = StringIO()
    PlanDrawingTarget().emit(vyre.context(), split(text), output)
    return output.getvalue()


def test_colours_for_light_and_dark_pages():
    """Whatever has a colour has one for each, and every class has a rule."""
    text = plan_drawing(plan_of(SMOOTH))
    style, elements = text.split("</style>")
    light, dark = style.split("@media (prefers-color-scheme:dark)")
    coloured = re.compile(r"\.([\w-]+)\{(?:fill|stroke):#")
    assert set(coloured.findall(light)) == set(coloured.findall(dark))
    for classes in re.findall(r'class="([^"]*)"', elements):
        assert all(f".{kind}{{" in light for kind in classes.split())
    rules = re.findall(r"[^{}\n]+(?=\{[a-z-]+:)", style.split("<style>")[1])
    selectors = [selector for rule in rules for selector in rule.split(",")]
    assert all(selector.startswith(".vyre-plan .") for selector in selectors)


def test_text_that_fits():
    assert fitted("short", 100, 11) == "short"
    cut = fitted("a rather long text", 60, 11)
    assert cut.endswith("…")
    assert text_width(cut, 11) <= 60
    assert fitted("text", 0, 11) == ""
    assert wrapped("", 60, 11, 3) == []
    assert wrapped("one two three four", 50, 11, 2) == ["one two", "three f…"]
    assert wrapped("one two", 500, 11, 1) == ["one two"]


def test_numbers():
    assert [number(value) for value in (1, 0.25, -0.01, 10.04, 1234.56)] == [
        "1",
        "0.2",
        "0",
        "10",
        "1234.6",
    ]
