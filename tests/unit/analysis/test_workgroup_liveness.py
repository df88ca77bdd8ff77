"""Which workgroup memory is saved and restored around the runs of a program."""

import pytest

import vyre
from vyre.analysis.buffer_sources import buffer_sources
from vyre.analysis.spine import Spine
from vyre.analysis.uniformity import uniformity
from vyre.analysis.workgroup_liveness import (
    lasting_workgroup_buffers,
    read_at_start,
    surviving_workgroup_memory,
)
from vyre.dialects.vyre import ProgramOp

TABLE = """
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %p = vyre.param "p" : i1
  %tile = vyre.buffer "tile" workgroup : memref<64xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %v = vyre.param "v" : i32
  %l = vyre.local_id x
  %y = vyre.local_id y
  %z = vyre.local_id z
  %id = vyre.linear_id local
"""

SYNC = "vyre.barrier grid_sync"
ALL = "vyre.store %v, %tile[%id] : memref<64xi32>"
FIRST = "vyre.store %v, %tile[%c0] : memref<64xi32>"
READ = "%r = vyre.load %tile[%c1] : memref<64xi32>"


def survival(
    code: str, workgroup: str = "[64, 1, 1]", shape: str = "64"
) -> tuple[list[int], list[int]]:
    """The runs that save the tile, and those that restore it."""
    text = f"vyre.program @p {workgroup} {{ {TABLE} {code} }}"
    module = vyre.parse(text.replace("memref<64xi32>", f"memref<{shape}xi32>"))
    (program,) = (op for op in module.walk() if isinstance(op, ProgramOp))
    found = surviving_workgroup_memory(
        Spine.of(program), buffer_sources(program), uniformity(program)
    )
    saves = [run for run, buffers in enumerate(found.saves) if buffers]
    restores = [run for run, buffers in enumerate(found.restores) if buffers]
    return saves, restores


def test_written_and_read_later():
    assert survival(f"{FIRST} {SYNC} {READ}") == ([0], [1])


def test_runs_between_do_nothing():
    assert survival(f"{FIRST} {SYNC} {SYNC} {SYNC} {READ}") == ([0], [3])


def test_not_read_later():
    assert survival(f"{FIRST} {SYNC} vyre.barrier acq_rel") == ([], [])


def test_not_written_before():
    assert survival(f"{READ} {SYNC} {READ.replace('%r', '%s')}") == ([], [])


def test_written_in_part_and_read_later():
    """What the second run does not write comes from the first."""
    assert survival(f"{ALL} {SYNC} {FIRST} {SYNC} {READ}") == ([0, 1], [1, 2])


def test_zeros_are_written_in_part_and_read_later():
    """Nothing was written before, so zeros are there anyway."""
    assert survival(f"{SYNC} {FIRST} {SYNC} {READ}") == ([1], [2])


def test_an_atomic_reads_and_writes():
    atomic = "%o = vyre.atomic add %v, %tile[%c0] : memref<64xi32>"
    assert survival(f"{FIRST} {SYNC} {atomic} {SYNC} {READ}") == ([0, 1], [1, 2])


def test_one_arm_reads():
    code = f"{FIRST} scf.if %p {{ {SYNC} {READ} }} {SYNC}"
    assert survival(code) == ([0], [2])


def test_one_arm_overwrites():
    """The other lets through what was there."""
    code = f"{FIRST} scf.if %p {{ {SYNC} {ALL} }} {READ}"
    assert survival(code) == ([0, 2], [3])


def test_from_trip_to_trip():
    loop = "scf.for %k = %c0 to %n step %c1"
    assert survival(f"{loop} {{ {READ} {SYNC} {FIRST} }}") == ([2], [1, 2])
    assert survival(f"{loop} {{ {ALL} {SYNC} {READ} }}") == ([1], [2])


OVERWRITING = {
    "everyone at his place": ("[64, 1, 1]", "64", ALL),
    "local ids": (
        "[16, 4, 1]",
        "4x16",
        "vyre.store %v, %tile[%y, %l] : memref<64xi32>",
    ),
    "local ids in space": (
        "[8, 4, 2]",
        "2x4x8",
        "vyre.store %v, %tile[%z, %y, %l] : memref<64xi32>",
    ),
    "x and rows": (
        "[16, 4, 1]",
        "64",
        """
          %row = arith.muli %y, %c16 : index
          %e = arith.addi %row, %l : index
          vyre.store %v, %tile[%e] : memref<64xi32>
        """,
    ),
    "the first ones": (
        "[64, 1, 1]",
        "16",
        "%low = arith.cmpi ult, %l, %c16 : index scf.if %low { " + ALL + " }",
    ),
    "strides": (
        "[8, 1, 1]",
        "64",
        "scf.for %e = %l to %c64 step %c8 { vyre.store %v, %tile[%e] : memref<64xi32> }",
    ),
    "strides over rows": (
        "[8, 1, 1]",
        "4x16",
        """
          scf.for %e = %id to %c64 step %c8 {
            %column = arith.remui %e, %c16 : index
            %row = arith.divui %e, %c16 : index
            vyre.store %v, %tile[%row, %column] : memref<64xi32>
          }
        """,
    ),
    "strides by the sizes of the workgroup": (
        "[4, 2, 2]",
        "64",
        """
          %sx = vyre.workgroup_size x
          %sy = vyre.workgroup_size y
          %sz = vyre.workgroup_size z
          %sxy = arith.muli %sx, %sy : index
          %s = arith.muli %sxy, %sz : index
          scf.for %e = %id to %c64 step %s {
            vyre.store %v, %tile[%e] : memref<64xi32>
          }
        """,
    ),
    "in a region": ("[64, 1, 1]", "64", f"vyre.region {{ {ALL} }}"),
    "in both arms": ("[64, 1, 1]", "64", f"scf.if %p {{ {ALL} }} else {{ {ALL} }}"),
}

LEAVING_SOME = {
    "one element": ("[64, 1, 1]", "64", FIRST),
    "a larger buffer": ("[64, 1, 1]", "65", ALL),
    "a smaller guard": (
        "[64, 1, 1]",
        "64",
        "%low = arith.cmpi ult, %l, %c63 : index scf.if %low { " + ALL + " }",
    ),
    "a guard of another kind": (
        "[64, 1, 1]",
        "16",
        "%low = arith.cmpi ugt, %l, %c16 : index scf.if %low { " + ALL + " }",
    ),
    "x of more than one dimension": (
        "[16, 4, 1]",
        "64",
        "vyre.store %v, %tile[%l] : memref<64xi32>",
    ),
    "ids the other way round": (
        "[16, 4, 1]",
        "4x16",
        "vyre.store %v, %tile[%l, %y] : memref<64xi32>",
    ),
    "strides that are too long": (
        "[8, 1, 1]",
        "64",
        "scf.for %e = %l to %c64 step %c16 { vyre.store %v, %tile[%e] : memref<64xi32> }",
    ),
    "strides by the square of a size": (
        "[4, 2, 2]",
        "64",
        """
          %sx = vyre.workgroup_size x
          %s = arith.muli %sx, %sx : index
          scf.for %e = %id to %c64 step %s {
            vyre.store %v, %tile[%e] : memref<64xi32>
          }
        """,
    ),
    "strides by a size and a number": (
        "[4, 2, 2]",
        "64",
        """
          %sx = vyre.workgroup_size x
          %s = arith.muli %sx, %c8 : index
          scf.for %e = %id to %c64 step %s {
            vyre.store %v, %tile[%e] : memref<64xi32>
          }
        """,
    ),
    "strides that end early": (
        "[8, 1, 1]",
        "64",
        "scf.for %e = %l to %c63 step %c8 { vyre.store %v, %tile[%e] : memref<64xi32> }",
    ),
    "only sometimes": ("[64, 1, 1]", "64", f"scf.if %p {{ {ALL} }}"),
    "perhaps never": (
        "[64, 1, 1]",
        "64",
        f"scf.for %k = %c0 to %n step %c1 {{ {ALL} }}",
    ),
    "after it is read": (
        "[64, 1, 1]",
        "64",
        f"%q = vyre.load %tile[%id] : memref<64xi32> {ALL}",
    ),
    "read inside": (
        "[8, 1, 1]",
        "64",
        """
          scf.for %e = %l to %c64 step %c8 {
            %q = vyre.load %tile[%e] : memref<64xi32>
            vyre.store %q, %tile[%e] : memref<64xi32>
          }
        """,
    ),
}


def last_read(shape: str) -> str:
    zeros = ", ".join(["%c0"] * len(shape.split("x")))
    return f"%r = vyre.load %tile[{zeros}] : memref<64xi32>"


def first_write(shape: str) -> str:
    zeros = ", ".join(["%c0"] * len(shape.split("x")))
    return f"vyre.store %v, %tile[{zeros}] : memref<64xi32>"


@pytest.mark.parametrize(
    ("workgroup", "shape", "code"), OVERWRITING.values(), ids=OVERWRITING
)
def test_overwritten(workgroup: str, shape: str, code: str):
    whole = f"{first_write(shape)} {SYNC} {code} vyre.barrier acq_rel {last_read(shape)}"
    assert survival(whole, workgroup, shape) == ([], [])


@pytest.mark.parametrize(
    ("workgroup", "shape", "code"), LEAVING_SOME.values(), ids=LEAVING_SOME
)
def test_not_overwritten(workgroup: str, shape: str, code: str):
    whole = f"{first_write(shape)} {SYNC} {code} vyre.barrier acq_rel {last_read(shape)}"
    assert survival(whole, workgroup, shape) == ([0], [1])


# What is read of the zeros at the start


def reads_zeros(code: str) -> bool:
    text = f"vyre.program @p [64, 1, 1] {{ {TABLE} {code} }}"
    (program,) = (op for op in vyre.parse(text).walk() if isinstance(op, ProgramOp))
    return bool(read_at_start(program))


def test_zeros_that_are_read():
    barrier = "vyre.barrier acq_rel"
    assert reads_zeros(READ)
    assert reads_zeros(f"{FIRST} {barrier} {READ}")
    assert not reads_zeros(f"{ALL} {barrier} {READ}")
    loop = f"scf.for %k = %c0 to %n step %c1 {{ {ALL} {barrier} {READ} }}"
    assert not reads_zeros(loop)
    maybe = f"scf.for %k = %c0 to %n step %c1 {{ {ALL} {barrier} }} {READ}"
    assert reads_zeros(maybe)


def test_who_returns_does_not_overwrite():
    early = "%c = arith.cmpi ult, %l, %n : index scf.if %c { vyre.return }"
    assert reads_zeros(f"{early} {ALL} vyre.barrier acq_rel {READ}")


@pytest.mark.parametrize(
    ("code", "is_lasting"),
    [
        (f"{FIRST} {READ} {SYNC}", False),
        (f'{SYNC} vyre.region "r" {{ {FIRST} {READ} }}', False),
        (f"{FIRST} {SYNC} {READ}", True),
        (f"scf.for %k = %c0 to %n step %c1 {{ {READ} {FIRST} {SYNC} }}", True),
        (f"scf.for %k = %c0 to %n step %c1 {{ {READ} {FIRST} }} {SYNC}", False),
        (f"scf.if %p {{ {FIRST} {SYNC} }} {READ}", True),
    ],
)
def test_buffers_of_one_run_outside_loops_do_not_last(code: str, is_lasting: bool):
    module = vyre.parse(f"vyre.program @p [64, 1, 1] {{ {TABLE} {code} }}")
    (program,) = (op for op in module.walk() if isinstance(op, ProgramOp))
    found = lasting_workgroup_buffers(Spine.of(program), buffer_sources(program))
    assert [buffer.entry_name.data for buffer in found] == ["tile"] * is_lasting
