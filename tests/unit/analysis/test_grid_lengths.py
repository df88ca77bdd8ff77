"""Which buffers decide about a grid that the caller does not give."""

from collections.abc import Callable

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import vyre
from vyre.analysis.grid_lengths import grid_lengths
from vyre.dialects.vyre import ProgramOp, ScheduleOp
from vyre.passes.fuse_waves import FuseWavesPass
from vyre.passes.host_plan import HostPlanPass
from vyre.reading import context
from vyre.runtime.binding import BindingPlan
from vyre.runtime.config import DispatchConfig
from vyre.runtime.executable import Executable
from vyre.runtime.geometry import infer_grid
from vyre.runtime.program_choice import find_program

TABLE = """
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %m = vyre.buffer "m" read_write binding 2 : memref<?x?xi32>
  %t = vyre.buffer "t" workgroup : memref<64xi32>
  %n = vyre.param "n" : index
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %five = arith.constant 5 : i32
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  %g = vyre.workgroup_id x
  %width = vyre.workgroup_size x
  %groups = vyre.workgroup_count x
  %la = vyre.length %a, 0 : memref<?xi32>
  %lm = vyre.length %m, 1 : memref<?x?xi32>
"""


def program(code: str) -> str:
    """A program of this code, over the table above."""
    if "%stride" in code:
        code = f"%stride = arith.muli %width, %groups : index\n{code}"
    return f"vyre.program @p [64, 1, 1] {{{TABLE}{code}}}"


STORE = "vyre.store %five, %b[{}] : memref<?xi32>\n"
LOAD = "%v = vyre.load %a[{}] : memref<?xi32>\n"

CASES = {
    "written": (STORE.format("%i"), "b"),
    "read": (LOAD.format("%i"), "a"),
    "both": (LOAD.format("%i") + STORE.format("%i"), "a b"),
    "by an atomic": ("%o = vyre.atomic add %five, %b[%i] : memref<?xi32>", "b"),
    "nothing": ("", "one"),
    "elsewhere": (LOAD.format("%zero") + STORE.format("%l"), "one"),
    "elsewhere, for each workgroup": (STORE.format("%g"), ""),
    "elsewhere, by one of them": (
        f"%c = arith.cmpi eq, %i, %zero : index\nscf.if %c {{\n{STORE.format('%zero')}}}",
        "",
    ),
    "how many there are": (
        "%c = arith.index_cast %groups : index to i32\n"
        "vyre.store %c, %b[%zero] : memref<?xi32>",
        "",
    ),
    "counted by an atomic": ("%o = vyre.atomic add %five, %b[%zero] : memref<?xi32>", ""),
    "counted by ranks": ("vyre.all_reduce add %b : memref<?xi32>", ""),
    "by the linear id": ("%k = vyre.linear_id invocation\n" + STORE.format("%k"), "b"),
    "by its parts": (
        "%s = arith.muli %width, %g : index\n%k = arith.addi %l, %s : index\n"
        + STORE.format("%k"),
        "b",
    ),
    "by other parts": (
        "%s = arith.muli %two, %g : index\n%k = arith.addi %l, %s : index\n"
        + STORE.format("%k"),
        "",
    ),
    "twice the id": ("%k = arith.muli %i, %two : index\n" + STORE.format("%k"), ""),
    "through casts": (
        "%c = arith.index_cast %i : index to i32\n"
        "%k = arith.index_cast %c : i32 to index\n" + STORE.format("%k"),
        "b",
    ),
    "out of a region": (
        '%k = vyre.region "r" -> (index) {\n  vyre.yield %i : index\n}\n'
        + STORE.format("%k"),
        "b",
    ),
    "from a variable": (
        '%c = vyre.let "c" = %i : index\n%k = vyre.get %c : !vyre.cell<index>\n'
        + STORE.format("%k"),
        "b",
    ),
    "from a variable that varies": (
        '%c = vyre.let "c" = %zero : index\nvyre.assign %i, %c : !vyre.cell<index>\n'
        "%k = vyre.get %c : !vyre.cell<index>\n" + STORE.format("%k"),
        "",
    ),
    "a row": ("%v = vyre.load %m[%i, %zero] : memref<?x?xi32>", "m0"),
    "a column": ("%v = vyre.load %m[%zero, %i] : memref<?x?xi32>", "m1"),
    "the diagonal": ("%v = vyre.load %m[%i, %i] : memref<?x?xi32>", "m0 m1"),
    "workgroup memory": ("vyre.store %five, %t[%i] : memref<64xi32>", ""),
    "a loop to a length": (
        f"scf.for %k = %i to %la step %stride {{\n{STORE.format('%k')}}}",
        "a",
    ),
    "a loop to a parameter": (
        f"scf.for %k = %i to %n step %stride {{\n{STORE.format('%k')}}}",
        "b",
    ),
    "a loop with another step": (
        f"scf.for %k = %i to %la step %two {{\n{STORE.format('%k')}}}",
        "",
    ),
    "a loop from elsewhere": (
        f"scf.for %k = %zero to %la step %stride {{\n{STORE.format('%k')}}}",
        "",
    ),
    "below a length": (
        f"%c = arith.cmpi ult, %i, %la : index\nscf.if %c {{\n{STORE.format('%i')}}}",
        "a",
    ),
    "above the id": (
        f"%c = arith.cmpi sgt, %la, %i : index\nscf.if %c {{\n{STORE.format('%i')}}}",
        "a",
    ),
    "below two lengths": (
        "%c = arith.cmpi ult, %i, %la : index\n%d = arith.cmpi ult, %i, %lm : index\n"
        "%e = arith.andi %c, %d : i1\nscf.if %e {\nscf.if %e {\n"
        f'vyre.region "r" {{\n{STORE.format("%i")}}}}}}}',
        "a m1",
    ),
    "not below a length": (
        "%c = arith.cmpi ult, %i, %la : index\nscf.if %c {\n} else {\n"
        f"{STORE.format('%i')}}}",
        "b",
    ),
    "at most a length": (
        f"%c = arith.cmpi ule, %i, %la : index\nscf.if %c {{\n{STORE.format('%i')}}}",
        "b",
    ),
    "buffers that take turns": (
        "%u = vyre.load %m[%zero, %zero] : memref<?x?xi32>\n"
        "%r:2 = scf.for %k = %zero to %n step %two iter_args(%x = %a, %y = %b) "
        "-> (memref<?xi32>, memref<?xi32>) {\n"
        "%v = vyre.load %x[%i] : memref<?xi32>\n"
        "scf.yield %y, %x : memref<?xi32>, memref<?xi32>\n}",
        "a b",
    ),
}


def lengths(op: ProgramOp | ScheduleOp) -> str:
    """
    The names of buffers that decide, with the dimension if there are several; "one" if one
    workgroup is enough.
    """
    found = grid_lengths(op)
    if found == ():
        return "one"
    names = (f"{name}{dim}" if name == "m" else name for name, dim in found or ())
    return " ".join(names)


@pytest.mark.parametrize("case", CASES)
def test_what_decides(case: str):
    code, expected = CASES[case]
    assert lengths(find_program(vyre.parse(program(code)), None)) == expected


ACROSS = """
  %k = arith.addi %i, %zero : index
  %c = vyre.let "c" = %i : index
  scf.for %j = %zero to %n step %two {
    %v = vyre.load %b[%i] : memref<?xi32>
    vyre.barrier grid_sync
    %end = arith.cmpi eq, %v, %five : i32
    scf.if %end {
      vyre.return
    }
    %at = vyre.get %c : !vyre.cell<index>
    %next = arith.addi %at, %two : index
    vyre.store %v, %m[%zero, %i] : memref<?x?xi32>
    vyre.assign %next, %c : !vyre.cell<index>
  }
  scf.for %q = %i to %la step %stride {
    vyre.store %five, %b[%q] : memref<?xi32>
  }
  vyre.barrier grid_sync
"""
BEFORE_A_BARRIER = "vyre.barrier grid_sync\n"


def entry(module: ModuleOp) -> ProgramOp | ScheduleOp:
    return find_program(module, "p")


@pytest.mark.parametrize(
    "code", [ACROSS, *(BEFORE_A_BARRIER + code for code, _ in CASES.values())]
)
def test_passes_keep_what_decides(code: str):
    """Also if the text of what they give is read again."""
    module = vyre.parse(program(code))
    expected = grid_lengths(entry(module))
    for step in HostPlanPass().steps():
        step.apply(context(), module)
        assert grid_lengths(entry(module)) == expected, step.name
        assert grid_lengths(entry(vyre.parse(str(module)))) == expected, step.name
    assert isinstance(entry(module), ScheduleOp)


SCATTER = """
vyre.program @scatter [64, 1, 1] {
  %keys = vyre.buffer "keys" read_only binding 0 : memref<?xi32>
  %out = vyre.buffer "out" read_write binding 1 : memref<?xi32>
  %i = vyre.invocation_id x
  %key = vyre.load %keys[%i] : memref<?xi32>
  %at = arith.index_cast %key : i32 to index
  vyre.store %key, %out[%at] : memref<?xi32>
}
"""


@pytest.mark.parametrize("engine", ["reference", "cpu"])
def test_a_scatter_has_an_invocation_for_each_key(engine: str):
    keys = (np.arange(1000, dtype=np.int32) * 7 + 900) % 1000 // 10
    keys[:900] = 0
    found = vyre.compile(SCATTER, engine=engine)(keys=keys, out=np.full(100, -1, np.int32))
    assert set(found["out"].tolist()) - {-1} == set(keys.tolist())


WAVES = """
vyre.program @up [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %v = vyre.load %x[%i] : memref<?xi32>
  vyre.store %v, %x[%i] : memref<?xi32>
}
vyre.program @narrow [32, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %v = vyre.load %x[%i] : memref<?xi32>
  vyre.store %v, %x[%i] : memref<?xi32>
}
vyre.megakernel @p {
  vyre.wave "one" @up with {x = "b"}
  vyre.wave "own" @up grid [4, 1, 1] with {x = "c"}
  OTHER
}
"""


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ("", [("b", 0)]),
        ('vyre.wave "two" @up with {x = "a"}', [("a", 0), ("b", 0)]),
        # One grid does not give both sizes of workgroups an invocation for each element.
        ('vyre.wave "two" @narrow with {x = "a"}', None),
    ],
)
def test_waves_on_the_grid_of_the_dispatch_decide(
    other: str, expected: list[tuple[str, int]] | None
):
    """Those with a grid of their own do not."""
    module = vyre.parse(WAVES.replace("OTHER", other))
    outline = vyre.compile(module).unit.outline
    FuseWavesPass().apply(context(), module)
    for found in (outline.lengths, grid_lengths(entry(module))):
        assert (None if found is None else sorted(found)) == expected


def inferred(text: str, **shapes: tuple[int, ...]) -> object:
    """The grid for buffers of these shapes, or what is said instead of one."""
    exe = Executable(find_program(vyre.parse(text), None))
    plan = BindingPlan.of(exe.program)
    given = {
        name: np.zeros(shape, plan.by_name[name].dtype) for name, shape in shapes.items()
    }
    try:
        return exe.plan(exe.checked({**given, "n": 0}), DispatchConfig()).geometry.groups
    except vyre.InvalidArgument as error:
        return str(error)


def test_lengths_that_need_equally_many_workgroups_agree():
    both = program(LOAD.format("%i") + STORE.format("%i"))
    assert inferred(both, a=(65,), b=(128,), m=(1, 1)) == (2, 1, 1)
    assert inferred(both, a=(0,), b=(1,), m=(0, 0)) == (1, 1, 1)


def on_tiles(text: str) -> str:
    return text.replace("[64, 1, 1]", "[16, 8, 1]")


@pytest.mark.parametrize(
    ("change", "code", "expected"),
    [
        (
            str,
            LOAD.format("%i") + STORE.format("%i"),
            "error: the grid is missing, and the buffers that are indexed by the "
            "invocation's number disagree\n"
            "Fix: pass grid=16 for a or grid=2 for b, counted in workgroups of 64",
        ),
        (
            str,
            "%v = vyre.load %m[%i, %i] : memref<?x?xi32>",
            "error: the grid is missing, and the buffers that are indexed by the "
            "invocation's number disagree\n"
            "Fix: pass grid=3 for m[0] or grid=5 for m[1], counted in workgroups of 64",
        ),
        (
            str,
            STORE.format("%g"),
            "error: the grid is missing, and no buffer is indexed by the invocation's "
            "number\n"
            "Fix: pass grid=16 for a or grid=2 for b or grid=704 for m, counted in "
            "workgroups of 64",
        ),
        (
            on_tiles,
            STORE.format("%i"),
            "error: the grid is missing, and workgroups of [16, 8, 1] are not "
            "one-dimensional\n"
            "Fix: pass grid=63 for a or grid=7 for b or grid=(19, 19, 1) for m, counted "
            "in workgroups of (16, 8, 1)",
        ),
    ],
)
def test_otherwise_the_grid_is_asked_for(
    change: Callable[[str], str], code: str, expected: str
):
    text = change(program(code))
    assert inferred(text, a=(1000,), b=(100,), m=(150, 300)) == expected


def test_without_buffers_there_is_nothing_to_propose():
    text = 'vyre.program @p [4, 1, 1] grid_from "caller" {}'
    with pytest.raises(vyre.InvalidArgument) as caught:
        vyre.compile(text, engine="reference")()
    assert caught.value.fix == "pass grid=, counted in workgroups of 4"


def test_no_more_than_four_grids_are_proposed():
    shapes = {f"x{n}": (64 * n,) for n in range(1, 9)}
    with pytest.raises(vyre.InvalidArgument) as caught:
        infer_grid((64, 1, 1), None, shapes)
    proposed = " or ".join(f"grid={n} for x{n}" for n in range(5, 9))
    assert caught.value.fix == f"pass {proposed}, counted in workgroups of 64"
