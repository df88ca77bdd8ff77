"""Plans: what is launched, in which order, and what it does with each buffer."""

from pathlib import Path

import pytest
from plan_programs import SEGMENTS, SMOOTH, plan_of, scheduled, split, straight_line
from worked_examples import EXAMPLES, ROOT

import vyre
from vyre.dialects.vyre import LaunchOp, ReadBackOp
from vyre.dialects.vyre.attributes import ScratchScope
from vyre.tools.plan.lives import lives
from vyre.tools.plan.model import Plan, plans_in
from vyre.tools.plan.parts import Access, Column, GroupKind, ReadBack, Row


def accesses(plan: Plan) -> dict[str, list[str]]:
    """What each step does with each row."""
    return {
        row.name: [str(step.accesses[index]) for step in plan.steps]
        for index, row in enumerate(plan.rows)
    }


def groups(plan: Plan) -> list[tuple[str, list[int]]]:
    return [(group.label, [step.step for step in group.steps]) for group in plan.groups]


def test_a_split_program():
    plan = plan_of(SMOOTH)
    assert plan.name == "smooth"
    assert [column.segment for column in plan.columns] == ["smooth.0", "smooth.1"]
    assert [column.label for column in plan.columns] == ["", "keep"]
    assert [c.place.line for c in plan.columns if c.place] == [10, 14]
    assert accesses(plan) == {"a": ["r", "w"], "mean_kept": ["w", "r"]}
    assert groups(plan) == [("for %k in 0 to %rounds", [0, 1])]
    assert plan.summary == "2 launches; scratch: 4 B per invocation"


def test_a_program_that_is_not_split_is_one_launch():
    (plan,) = plans_in(vyre.parse(SMOOTH))
    (column,) = plan.columns
    assert (column.segment, column.label, column.barriers) == ("smooth", "keep", 2)
    assert accesses(plan) == {"a": ["rw"]}
    assert plan.groups == []
    assert plan.summary == "1 launch with 2 grid barriers inside"


def test_rows():
    buffers = scheduled("")
    assert [row.about for row in buffers.rows] == [
        "?xi32",
        "?xi32",
        "1xi32",
        "4 B per invocation",
        "4 B per invocation",
    ]
    assert [row.output for row in buffers.rows] == [False, False, True, False, False]
    assert all(row.keeps is None for row in buffers.rows)
    mean = plan_of(SMOOTH).rows[1]
    assert mean == Row("mean_kept", "?xf32", 4, scope=ScratchScope.PER_INVOCATION)
    assert mean.keeps == "mean"


def test_saved_workgroup_memory_counts_as_a_whole():
    plan = plan_of("""
    vyre.program @p [4, 1, 1] {
      %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
      %tile = vyre.buffer "tile" workgroup : memref<64xf32>
      %i = vyre.invocation_id x
      %l = vyre.local_id x
      %v = vyre.load %a[%i] : memref<?xf32>
      vyre.store %v, %tile[%l] : memref<64xf32>
      vyre.barrier grid_sync
      %w = vyre.load %tile[%l] : memref<64xf32>
      vyre.store %w, %a[%i] : memref<?xf32>
    }""")
    assert accesses(plan) == {"a": ["r", "w"], "tile_kept": ["w", "r"]}
    assert plan.rows[1].about == "256 B per workgroup"
    assert plan.summary == "2 launches; scratch: 256 B per workgroup"


def test_atomics():
    shown = accesses(scheduled("vyre.launch @count(%a, %sum)\nvyre.launch @double(%a)"))
    assert shown["a"] == ["r", "rw"]
    assert shown["sum"] == ["a", "."]


def test_what_may_alias_is_shown_as_what_it_is():
    shown = accesses(scheduled("vyre.launch @shift(%a, %b)"))
    assert (shown["a"], shown["b"]) == (["r"], ["w"])


def test_an_operation_that_is_not_known_touches_everything():
    text = """
    vyre.program @p [1, 1, 1] {
      %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
      %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
      "test.op"() : () -> ()
    }"""
    ctx = vyre.context()
    ctx.allow_unregistered = True
    (plan,) = plans_in(vyre.parse(text, ctx=ctx))
    assert accesses(plan) == {"a": ["rw"], "b": ["rw"]}


def test_buffers_that_a_loop_passes_in_turn():
    plan = scheduled("""
      %end, %rest = scf.for %k = %c0 to %n step %c2 iter_args(%x = %a, %y = %b)
          -> (memref<?xi32>, memref<?xi32>) {
        vyre.launch @copy(%x, %y)
        scf.yield %y, %x : memref<?xi32>, memref<?xi32>
      }
      vyre.launch @count(%end, %sum)
      vyre.launch @shift(%a, %end)
    """)
    shown = accesses(plan)
    # The last launch reads %a in any case.
    assert shown["a"] == ["rw?", "r?", "rw"]
    assert shown["b"] == ["rw?", "r?", "w?"]
    assert shown["sum"] == [".", "a", "."]
    assert [(arg.name, arg.rows) for arg in plan.columns[0].in_turn] == [
        ("x", (0, 1)),
        ("y", (0, 1)),
    ]
    assert groups(plan) == [("for %k in 0 to %n step 2", [0])]


def test_loops_branches_and_read_backs():
    plan = scheduled("""
      scf.while : () -> () {
        vyre.launch @count(%a, %sum)
        %last = vyre.read_back %sum[0] : memref<1xi32>
        %zero = arith.constant 0 : i32
        %go = arith.cmpi eq, %last, %zero : i32
        scf.condition(%go)
      } do {
        scf.if %p {
          vyre.launch @copy(%a, %b)
        } else {
          scf.for %k = %c1 to %n step %c1 {
            vyre.launch @copy(%b, %a)
          }
        }
        scf.yield
      }
      scf.if %p {
      } else {
        vyre.launch @copy(%a, %b)
      }
    """)
    assert groups(plan) == [
        ("while %go", [0, 1, 2, 3]),
        ("test", [0, 1]),
        ("do", [2, 3]),
        ("if %p", [2]),
        ("else", [3]),
        ("for %k in 1 to %n", [3]),
        ("if not %p", [4]),
    ]
    (read_back,) = plan.read_backs
    assert (read_back.step, read_back.name, read_back.element) == (1, "last", "sum[0]")
    assert accesses(plan)["sum"] == ["a", "r", ".", ".", "."]
    assert [column.index for column in plan.columns] == [0, 1, 2, 3]
    assert plan.groups[0].height == 4


def test_groups_without_launches_are_left_out():
    plan = scheduled("scf.for %k = %c0 to %n step %c1 {\n}\nscf.if %p {\n}")
    assert plan.body == ()
    assert plan.summary == "0 launches; scratch: 8 B per invocation"


def test_conditions_that_are_constants_or_have_no_name():
    plan = scheduled("""
      %yes = arith.constant true
      scf.if %yes {
        vyre.launch @copy(%a, %b)
      }
      %0 = vyre.read_back %sum[0] : memref<1xi32>
      %1 = arith.cmpi eq, %0, %0 : i32
      scf.if %1 {
        vyre.launch @copy(%a, %b)
      }
    """)
    assert [group.label for group in plan.groups] == ["if true", "if _"]
    assert plan.read_backs[0].name == ""


def test_all_schedules_and_programs_of_their_own():
    module = vyre.parse(SMOOTH.replace("@smooth", "@other") + SEGMENTS)
    assert [plan.name for plan in plans_in(module)] == [
        "other",
        "copy",
        "count",
        "double",
        "shift",
    ]
    module = split(SMOOTH + "vyre.program @alone [1, 1, 1] {}")
    assert [plan.name for plan in plans_in(module)] == ["smooth", "alone"]


def test_access_together():
    read, write = Access(reads=True), Access(writes=True)
    assert str(read | write | Access(updates=True)) == "rwa"
    assert str(read.taken_in_turn() | write.taken_in_turn()) == "rw?"
    assert str(read.taken_in_turn() | write) == "rw"
    assert str(read.taken_in_turn() | Access()) == "r?"
    assert str(Access()) == "."
    assert not Access()


def row_lives(body: str) -> list[tuple[float, float]]:
    """When the scratch %s of a schedule counts."""
    return lives(scheduled(body), 3)


WRITE = "vyre.launch @copy(%a, %s)"
READ = "vyre.launch @copy(%s, %b)"
OTHER = "vyre.launch @copy(%a, %b)"
UPDATE = "vyre.launch @double(%s)"


def loop(*body: str) -> str:
    return "\n".join(["scf.for %k = %c0 to %n step %c1 {", *body, "}"])


def test_lives_on_a_straight_line():
    assert row_lives(OTHER) == []
    assert row_lives(WRITE) == []
    assert row_lives("\n".join([OTHER, WRITE, OTHER, READ, OTHER])) == [(1.5, 3.5)]
    assert row_lives("\n".join([WRITE, READ, OTHER, WRITE, READ])) == [
        (0.5, 1.5),
        (3.5, 4.5),
    ]
    assert row_lives("\n".join([WRITE, UPDATE, READ])) == [(0.5, 2.5)]
    # Zeros that nobody has written need no place until then.
    assert row_lives("\n".join([OTHER, READ])) == [(1, 1.5)]


def test_lives_in_loops():
    assert row_lives(loop(OTHER, WRITE, READ, OTHER)) == [(1.5, 2.5)]
    # Written before the loop, read in every trip.
    assert row_lives("\n".join([WRITE, loop(OTHER, READ, OTHER)])) == [(0.5, 4)]
    # One trip leaves it to the next.
    assert row_lives(loop(READ, OTHER, WRITE, OTHER)) == [(0, 0.5), (2.5, 4)]
    # Written in the last trip, read after the loop.
    assert row_lives("\n".join([loop(OTHER, WRITE), OTHER, READ])) == [(1.5, 3.5)]


def test_lives_in_deeply_nested_loops():
    body = WRITE
    for level in range(60):
        body = loop(READ, body).replace("%k ", f"%k{level} ")
    assert row_lives(body) == [(0, 59.5), (60.5, 61)]


def test_lives_in_branches():
    both = "\n".join(["scf.if %p {", WRITE, "} else {", WRITE, "}", READ])
    assert row_lives("\n".join([WRITE, READ, both])) == [
        (0.5, 1.5),
        (2.5, 3),
        (3.5, 4.5),
    ]
    one = "\n".join(["scf.if %p {", WRITE, "} else {", OTHER, "}", READ])
    assert row_lives("\n".join([WRITE, READ, one])) == [(0.5, 2), (2.5, 4.5)]
    without = "\n".join(["scf.if %p {", WRITE, "}", READ])
    assert row_lives("\n".join([WRITE, READ, without])) == [(0.5, 2), (2.5, 3.5)]


def test_lives_around_the_test_of_a_loop():
    body = f"""
      scf.while : () -> () {{
        {WRITE}
        scf.condition(%p)
      }} do {{
        {READ}
        {OTHER}
        scf.yield
      }}
    """
    assert row_lives(body) == [(0.5, 1.5)]
    assert row_lives(body + READ) == [(0.5, 1.5), (3, 3.5)]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path: Path):
    """Columns and read-backs are those of the IR, and accesses are those declared."""
    module = split(path.read_text())
    (plan,) = plans_in(module)
    launches = [op for op in module.walk() if isinstance(op, LaunchOp)]
    reads = [op for op in module.walk() if isinstance(op, ReadBackOp)]
    if launches:
        names = [op.segment.string_value() for op in launches]
        assert [column.segment for column in plan.columns] == names
    assert len(plan.read_backs) == len(reads)
    assert [step.step for step in plan.steps] == list(range(len(plan.steps)))
    for index, row in enumerate(plan.rows):
        touched = [step.accesses[index] for step in plan.steps]
        assert any(touched)
        if row.access is not None:
            assert row.access.writable or not any(a.writes or a.updates for a in touched)
            assert row.access.readable or not any(a.needs_contents for a in touched)
        else:
            assert lives(plan, index)


def test_the_reachability_example():
    plan = plan_of((ROOT / "examples" / "reachability.mlir").read_text())
    assert accesses(plan) == {
        "offsets": [".", ".", "r"],
        "targets": [".", ".", "r"],
        "reached": [".", "r", "a"],
        "seen": [".", "rw", "."],
        "fresh": [".", "w", "r"],
        "last_change": ["r", ".", "w"],
    }
    assert [column.label for column in plan.columns] == [
        "find new nodes",
        "mark their neighbours",
    ]
    kinds = [group.kind for group in plan.groups]
    assert kinds == [GroupKind.WHILE, GroupKind.TEST, GroupKind.DO]
    assert [type(step) for step in plan.steps] == [ReadBack, Column, Column]


def test_the_conjugate_gradient_example():
    plan = plan_of((ROOT / "examples" / "conjugate_gradient.mlir").read_text())
    assert groups(plan) == [
        ("while %go", [1, 2, 3, 4, 5, 6]),
        ("test", [1, 2, 3]),
        ("do", [4, 5, 6]),
    ]
    names = [row.name for row in plan.rows]
    assert lives(plan, names.index("before_kept")) == [(0.5, 4.5), (5.5, 7)]
    assert lives(plan, names.index("go_kept")) == [(2.5, 3.5)]


def test_a_long_plan():
    plan = plan_of(straight_line(300))
    assert len(plan.columns) == 300
    assert plan == plan_of(straight_line(300))
