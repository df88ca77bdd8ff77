"""`vyre.compile` and what callers may pass."""

from typing import Any, cast

import numpy as np
import pytest
from xdsl.dialects.builtin import DenseArrayBase, i64

import vyre
from vyre.diagnostics import VyreError
from vyre.dialects.vyre import ProgramOp, ScheduleOp
from vyre.runtime.errors import InvalidArgument
from vyre.runtime.geometry import MAX_INVOCATIONS

pytestmark = pytest.mark.core

PROGRAM = """
vyre.program @p [4, 1, 1] {
  %in = vyre.buffer "in" read_only binding 0 : memref<?xi32>
  %acc = vyre.buffer "acc" read_write binding 1 : memref<?xi32>
  %out = vyre.buffer "out" write_only binding 2 output : memref<4xi32>
  %n = vyre.param "n" : i32
  %x = vyre.invocation_id x
  %a = vyre.load %in[%x] : memref<?xi32>
  %b = vyre.load %acc[%x] : memref<?xi32>
  %ab = arith.addi %a, %b : i32
  %s = arith.addi %ab, %n : i32
  vyre.store %s, %acc[%x] : memref<?xi32>
  vyre.store %s, %out[%x] : memref<4xi32>
}
"""


def arguments(**changes: Any) -> dict[str, Any]:
    usual = {"in": np.arange(4, dtype=np.int32), "acc": np.ones(4, np.int32), "n": 10}
    return {k: v for k, v in (usual | changes).items() if v is not None}


def refused(match: str, **changes: Any) -> str:
    options = {"grid": changes.pop("grid")} if "grid" in changes else {}
    with pytest.raises(InvalidArgument, match=match) as raised:
        vyre.compile(PROGRAM)(arguments(**changes), **options)
    assert "\nFix: " in str(raised.value)
    return str(raised.value)


def test_results_by_name_and_callers_arrays_untouched():
    given = arguments()
    before = {name: np.copy(value) for name, value in given.items()}
    result = vyre.compile(PROGRAM)(given)
    assert list(result) == ["acc", "out"]
    np.testing.assert_array_equal(result["out"], [11, 12, 13, 14])
    for name, value in before.items():
        np.testing.assert_array_equal(given[name], value)


def test_unsigned_in_unsigned_out():
    result = vyre.compile(PROGRAM)(arguments(acc=np.full(4, 2**32 - 1, np.uint32)))
    assert result["acc"].dtype == np.uint32
    assert result["out"].dtype == np.int32


def test_arguments_are_refused_by_name():
    refused("argument 'acc' is missing", acc=None)
    refused("argument 'n' is missing", n=None)
    assert "did you mean 'acc'?" in refused("no argument 'acc1'", acc1=1)
    refused(r"'acc' has dtype int64, expected int32 or uint32", acc=np.ones(4, np.int64))
    refused(
        r"'acc' has shape \(2, 2\), expected \(n,\) for any n",
        acc=np.ones((2, 2), np.int32),
    )
    refused(r"'out' has shape \(5,\), expected \(4,\)", out=np.ones(5, np.int32))
    refused("'acc' is strided", acc=np.ones(8, np.int32)[::2])
    refused("'acc' is a list, not an array", acc=[1, 2, 3, 4])
    refused("'n' is 1.5, expected a number for i32", n=1.5)
    refused("'n' is 4294967296", n=2**32)
    refused("'n' is 'ten'", n="ten")


def test_overlapping_arguments_are_refused_if_one_is_written():
    shared = np.zeros(8, np.int32)
    refused("'in' and 'acc' overlap", **{"in": shared[:4], "acc": shared[2:6]})


def test_overlapping_arguments_that_are_only_read_are_fine():
    text = PROGRAM.replace(
        "%n = vyre",
        '%more = vyre.buffer "more" read_only binding 3 : memref<?xi32>\n  %n = vyre',
    )
    given = arguments()
    vyre.compile(text)({**given, "more": given["in"]})


@pytest.mark.parametrize("grid", [0, -1, (1, 2, 3, 4), (), "3", 1.5, (0, 1)])
def test_grids_that_make_no_sense(grid: object):
    refused("the grid is", grid=grid)


def test_grids_that_are_too_large():
    refused("more than 2", grid=(MAX_INVOCATIONS, MAX_INVOCATIONS, 1))


class OnDevice:
    def __init__(self):
        self.__cuda_array_interface__ = {"shape": (4,)}


def test_arrays_on_a_gpu_are_refused():
    refused("'acc' is in a GPU's memory", acc=OnDevice())


class Exported:
    """Something that is no NumPy array but speaks DLPack."""

    def __init__(self, array: Any):
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


def test_dlpack_is_accepted():
    result = vyre.compile(PROGRAM)(arguments(acc=Exported(np.ones(4, np.int32))))
    np.testing.assert_array_equal(result["out"], [11, 12, 13, 14])


def test_outputs_start_as_zeros_and_take_their_size_from_an_array():
    text = """
vyre.program @p [4, 1, 1] {
  %out = vyre.buffer "out" read_write binding 0 output : memref<?xi32>
  %x = vyre.invocation_id x
  %one = arith.constant 1 : i32
  %old = vyre.atomic add %one, %out[%x] : memref<?xi32>
}
"""
    exe = vyre.compile(text)
    np.testing.assert_array_equal(exe(out=np.full(3, 7, np.int32))["out"], [1, 1, 1])
    with pytest.raises(InvalidArgument, match="'out' is missing"):
        exe()


def test_output_range_is_what_comes_back():
    text = """
vyre.program @p [4, 1, 1] {
  %out = vyre.buffer "out" write_only binding 0 output range [4, 12] : memref<4xi32>
  %x = vyre.invocation_id x
  %v = arith.index_cast %x : index to i32
  vyre.store %v, %out[%x] : memref<4xi32>
}
"""
    np.testing.assert_array_equal(vyre.compile(text)()["out"], [1, 2])


def test_persistent_buffers_are_kept_between_dispatches():
    text = """
vyre.program @p [1, 1, 1] {
  %kept = vyre.buffer "kept" read_write binding 0 kind persistent : memref<1xi32>
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %v = vyre.load %kept[%c0] : memref<1xi32>
  %w = arith.addi %v, %one : i32
  vyre.store %w, %kept[%c0] : memref<1xi32>
}
"""
    exe = vyre.compile(text)
    assert [int(exe()["kept"][0]) for _ in range(3)] == [1, 2, 3]
    exe()["kept"][0] = 100
    assert exe()["kept"] == 5
    assert int(vyre.compile(text)()["kept"][0]) == 1


# Grids


def test_grids_of_other_dimensions_must_be_given():
    text = PROGRAM.replace("[4, 1, 1]", "[4, 4, 1]")
    with pytest.raises(InvalidArgument, match="the grid is missing"):
        vyre.compile(text)(arguments())


# Programs, engines, fixpoints


def test_choosing_a_program():
    two = "vyre.program @a [1, 1, 1] {}\nvyre.program @b [1, 1, 1] {}"
    with pytest.raises(InvalidArgument, match="has 2 programs"):
        vyre.compile(two)
    with pytest.raises(InvalidArgument, match="no program 'c'"):
        vyre.compile(two, program="c")
    assert vyre.compile(two, program="b").program.sym_name.data == "b"
    with pytest.raises(InvalidArgument, match="has 0 programs"):
        vyre.compile("builtin.module {}")


def test_unknown_engines_and_modes():
    with pytest.raises(InvalidArgument, match="did you mean 'reference'"):
        vyre.compile(PROGRAM, engine="referenc")
    with pytest.raises(InvalidArgument, match="no mode 'splt'"):
        vyre.compile(PROGRAM, mode=cast(Any, "splt"))


def test_split_mode_leaves_the_caller_s_module_as_it_is():
    text = PROGRAM.rstrip().removesuffix("}") + "  vyre.barrier grid_sync\n}\n"
    module = vyre.parse(text)
    before = str(module)
    exe = vyre.compile(module, mode="split")
    assert isinstance(exe.route(exe.config, None).unit.op, ScheduleOp)
    assert str(module) == before
    whole = vyre.compile(PROGRAM, mode="split")
    assert isinstance(whole.route(whole.config, None).unit.op, ProgramOp)


def test_modules_are_verified():
    module = vyre.parse(PROGRAM)
    program = next(op for op in module.walk() if isinstance(op, ProgramOp))
    program.workgroup_size = DenseArrayBase.from_list(i64, [0, 1, 1])
    with pytest.raises(VyreError, match="workgroup size"):
        vyre.compile(module)


SATURATING = """
vyre.program @p [1, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<1xi32>
  %passes = vyre.buffer "passes" read_write binding 1 kind persistent : memref<1xi32>
  %limit = vyre.param "limit" : i32
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %v = vyre.load %a[%c0] : memref<1xi32>
  %w = arith.addi %v, %one : i32
  %m = arith.minsi %w, %limit : i32
  vyre.store %m, %a[%c0] : memref<1xi32>
}
"""


def test_fixpoints_stop_when_a_pass_changes_nothing():
    exe = vyre.compile(SATURATING)
    zero = np.zeros(1, np.int32)
    assert exe(a=zero, limit=2, fixpoint_iterations=10)["a"] == 2
    assert exe(a=zero, limit=100, fixpoint_iterations=4)["a"] == 4
    assert exe(a=zero, limit=100)["a"] == 1
    with pytest.raises(InvalidArgument, match="fixpoint_iterations is 0"):
        exe(a=zero, limit=1, fixpoint_iterations=0)


def test_arguments_with_names_that_are_taken():
    text = """
vyre.program @p [1, 1, 1] {
  %g = vyre.buffer "grid" read_write binding 0 : memref<1xi8>
}
"""
    array = np.array([5], np.int8)
    assert vyre.compile(text)({"grid": array}, grid=1)["grid"] == 5


PARAMS = """
vyre.program @p [1, 1, 1] {
  %b = vyre.param "b" : i1
  %h = vyre.param "h" : f16
  %f = vyre.param "f" : f32
}
"""


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("b", np.array([True])),
        ("b", np.array([])),
        ("b", 1.0),
        ("b", 2),
        ("h", 70000),
        ("f", 1e300),
        ("f", 10**400),
        ("f", 1j),
    ],
)
def test_numbers_that_a_parameter_cannot_hold(name: str, value: object):
    given = {"b": True, "h": 1.5, "f": float("-inf")}
    vyre.compile(PARAMS)(given)
    with pytest.raises(InvalidArgument, match=f"argument '{name}'"):
        vyre.compile(PARAMS)({**given, name: value})


class Unwilling:
    def __dlpack__(self, **options: object) -> object:
        raise BufferError("no")


def test_other_odd_arguments():
    refused("cannot be imported by DLPack", acc=Unwilling())
    refused("is a masked array", acc=np.ma.masked_array(np.ones(4, np.int32)))
    exe = vyre.compile(PROGRAM)
    assert list(exe(arguments(), grid=np.array([2, 1, 1]))) == ["acc", "out"]
    odd_options: list[dict[str, Any]] = [
        {"order": "foo"},
        {"timeout": float("nan")},
        {"fixpoint_iterations": 2.5},
        {"n": 1},
    ]
    for options in odd_options:
        with pytest.raises(InvalidArgument):
            exe(arguments(), **options)
    unknown: Any = "foo"
    with pytest.raises(InvalidArgument, match="there is no mode"):
        vyre.compile(PROGRAM, mode=unknown)
