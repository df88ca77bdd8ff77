"""Scalars of every type: as parameters, in buffers, and what operations make of them."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vyre.runtime.backend import Backend
from vyre.testing.case import Cases, check_program
from vyre.testing.programs import program

SCALARS = Cases("scalars")

DTYPES: dict[str, Any] = {
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "index": np.int64,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
}
INTEGERS = ("i8", "i16", "i32", "i64", "index")
FLOATS = ("f16", "f32", "f64")


def awkward_values(type: str) -> NDArray[Any]:
    """Values of a type that engines get wrong."""
    dtype = DTYPES[type]
    if type == "i1":
        return np.array([False, True, True, False], dtype)
    if type in FLOATS:
        info = np.finfo(dtype)
        limits = [info.max, -info.max, info.tiny, info.smallest_subnormal, info.eps]
        usual = [0.0, -0.0, 1, -1, 0.5, 1.5, -2.5, 0.1, 3, 1e3, np.inf, -np.inf, np.nan]
        return np.array([*usual, *limits], dtype)
    limits = np.iinfo(dtype)
    near = [limits.min, limits.min + 1, limits.max - 1, limits.max]
    return np.array([0, 1, -1, 2, -2, 3, 7, -7, 31, 33, 64, *near], dtype)


def pairs(type: str) -> dict[str, NDArray[Any]]:
    """All pairs of awkward values."""
    values = awkward_values(type)
    return {"a": np.repeat(values, len(values)), "b": np.tile(values, len(values))}


def every_type(check: Callable[[Backend, str], None]) -> None:
    """Add a case for each type."""
    for type in DTYPES:
        name = f"{check.__name__}[{type}]"
        SCALARS.add(name, partial(_with_type, check, type))


def _with_type(check: Callable[[Backend, str], None], type: str, backend: Backend) -> None:
    check(backend, type)


@every_type
def parameters(backend: Backend, type: str) -> None:
    """A parameter has the value that was passed, to the bit."""
    text = program(
        f"""
  %before = vyre.param "before" : i8
  %p = vyre.param "p" : {type}
  %after = vyre.param "after" : i64
  %out = vyre.buffer "out" write_only binding 0 output : memref<3x{type}>
  %others = vyre.buffer "others" write_only binding 1 output : memref<2xi64>
  %wide = arith.extsi %before : i8 to i64
  vyre.store %p, %out[%x] : memref<3x{type}>
  vyre.store %wide, %others[%c0] : memref<2xi64>
  vyre.store %after, %others[%c1] : memref<2xi64>
"""
    )
    for value in awkward_values(type):
        expected = {
            "out": np.full(3, value, DTYPES[type]),
            "others": np.array([-3, -(2**63)]),
        }
        given = {"before": -3, "p": value, "after": -(2**63)}
        check_program(backend, text, given, expected, grid=1)


@every_type
def elements(backend: Backend, type: str) -> None:
    """An element is loaded and stored to the bit."""
    text = program(
        f"""
  %a = vyre.buffer "a" read_only binding 0 : memref<?x{type}>
  %out = vyre.buffer "out" read_write binding 1 : memref<?x{type}>
  %n = vyre.length %a, 0 : memref<?x{type}>
  %last = arith.subi %n, %c1 : index
  %other = arith.subi %last, %x : index
  %v = vyre.load %a[%other] : memref<?x{type}>
  vyre.store %v, %out[%x] : memref<?x{type}>
"""
    )
    values = awkward_values(type)
    padded = np.concatenate([values[::-1], values[:1]])
    given = {"a": values, "out": np.tile(values[:1], len(values) + 1)}
    check_program(backend, text, given, {"out": padded})


@every_type
def workgroup_elements(backend: Backend, type: str) -> None:
    """The same in workgroup memory."""
    text = program(
        f"""
  %a = vyre.buffer "a" read_only binding 0 : memref<?x{type}>
  %out = vyre.buffer "out" read_write binding 1 : memref<?x{type}>
  %tile = vyre.buffer "tile" workgroup : memref<5x{type}>
  %v = vyre.load %a[%x] : memref<?x{type}>
  vyre.store %v, %tile[%l] : memref<5x{type}>
  vyre.barrier acq_rel
  %other = arith.subi %c3, %l : index
  %w = vyre.load %tile[%other] : memref<5x{type}>
  vyre.store %w, %out[%x] : memref<?x{type}>
"""
    )
    values = awkward_values(type)
    values = values[: len(values) // 4 * 4]
    expected = {"out": np.ascontiguousarray(values.reshape(-1, 4)[:, ::-1].reshape(-1))}
    given = {"a": values, "out": np.zeros_like(values)}
    check_program(backend, text, given, expected)


def _computed(operations: dict[str, str], inputs: str) -> str:
    """A program that stores the result of each operation in a buffer of its own."""
    code = f"""
  %a_all = vyre.buffer "a" read_only binding 0 : memref<?x{inputs}>
  %b_all = vyre.buffer "b" read_only binding 1 : memref<?x{inputs}>
"""
    for binding, (name, operation) in enumerate(operations.items(), 2):
        result = operation.rsplit(" -> ", 1)[1]
        memref = f"memref<?x{result}>"
        access = f"read_write binding {binding} : {memref}"
        code += f'%{name}_all = vyre.buffer "{name}" {access}\n'
    code += f"%a = vyre.load %a_all[%x] : memref<?x{inputs}>\n"
    code += f"%b = vyre.load %b_all[%x] : memref<?x{inputs}>\n"
    for name, operation in operations.items():
        text, result = operation.rsplit(" -> ", 1)
        code += f"%{name} = {text}\n"
        code += f"vyre.store %{name}, %{name}_all[%x] : memref<?x{result}>\n"
    return program(code)


def check_operations(
    backend: Backend, operations: dict[str, str], type: str, values: dict[str, Any]
) -> None:
    """Compare all results with the reference engine's. Operations: `text -> type`."""
    count = len(values["a"])
    rooms = {
        name: np.zeros(count, DTYPES[operation.rsplit(" -> ", 1)[1]])
        for name, operation in operations.items()
    }
    check_program(backend, _computed(operations, type), {**values, **rooms})


INTEGER_OPERATIONS = (
    "addi subi muli divsi divui remsi remui ceildivui ceildivsi floordivsi shli shrsi "
    "shrui andi ori xori minsi minui maxsi maxui"
).split()
COMPARISONS = "eq ne slt sle sgt sge ult ule ugt uge".split()
FLOAT_OPERATIONS = "addf subf mulf divf minimumf maximumf minnumf maxnumf".split()
FLOAT_FUNCTIONS = "absf ceil floor round roundeven sqrt trunc".split()
FLOAT_COMPARISONS = "oeq one olt ole ogt oge ord ueq une ult ule ugt uge uno".split()


def integers(backend: Backend, type: str) -> None:
    """Every operation on integers, for values that overflow, divide by zero, ..."""
    found = {op: f"arith.{op} %a, %b : {type} -> {type}" for op in INTEGER_OPERATIONS}
    for op in COMPARISONS:
        found[f"cmp_{op}"] = f"arith.cmpi {op}, %a, %b : {type} -> i1"
    check_operations(backend, found, type, pairs(type))


def floats(backend: Backend, type: str) -> None:
    """Every operation on floats that is exactly rounded, to the bit."""
    found = {op: f"arith.{op} %a, %b : {type} -> {type}" for op in FLOAT_OPERATIONS}
    found["negf"] = f"arith.negf %a : {type} -> {type}"
    found["copysign"] = f"math.copysign %a, %b : {type} -> {type}"
    found["fma"] = f"math.fma %a, %b, %a : {type} -> {type}"
    for op in FLOAT_FUNCTIONS:
        found[op] = f"math.{op} %a : {type} -> {type}"
    for op in FLOAT_COMPARISONS:
        found[f"cmp_{op}"] = f"arith.cmpf {op}, %a, %b : {type} -> i1"
    check_operations(backend, found, type, pairs(type))


def casts_from_float(backend: Backend, type: str) -> None:
    """Floats to integers: towards zero, as far as there is room; NaN gives 0."""
    found: dict[str, str] = {}
    for target in ("i8", "i32", "i64"):
        found[f"signed_{target}"] = f"arith.fptosi %a : {type} to {target} -> {target}"
        found[f"unsigned_{target}"] = f"arith.fptoui %a : {type} to {target} -> {target}"
    bits = f"i{8 * np.dtype(DTYPES[type]).itemsize}"
    found["bits"] = f"arith.bitcast %a : {type} to {bits} -> {bits}"
    values = awkward_values(type)
    check_operations(backend, found, type, {"a": values, "b": values})


def casts_from_integer(backend: Backend, type: str) -> None:
    """Integers to floats, rounded to the nearest."""
    found = {
        "signed": f"arith.sitofp %a : {type} to f32 -> f32",
        "unsigned": f"arith.uitofp %a : {type} to f32 -> f32",
    }
    values = awkward_values(type)
    check_operations(backend, found, type, {"a": values, "b": values})


@SCALARS.case
def widths(backend: Backend) -> None:
    """Extending, cutting off, and `index`, which has 64 bits."""
    found = {
        "wide": "arith.extsi %a : i32 to i64 -> i64",
        "unsigned": "arith.extui %a : i32 to i64 -> i64",
        "short": "arith.trunci %a : i32 to i8 -> i8",
        "bit": "arith.trunci %a : i32 to i1 -> i1",
        "index": "arith.index_cast %a : i32 to index -> index",
        "as_float": "arith.bitcast %a : i32 to f32 -> f32",
    }
    check_operations(backend, found, "i32", pairs("i32"))


@SCALARS.case
def division_by_zero(backend: Backend) -> None:
    """x / 0 is all ones, x % 0 is 0; MIN / -1 is MIN, MIN % -1 is 0."""
    text = program(
        """
  %a_all = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b_all = vyre.buffer "b" read_only binding 1 : memref<?xi32>
  %out = vyre.buffer "out" write_only binding 2 output : memref<4x4xi32>
  %a = vyre.load %a_all[%x] : memref<?xi32>
  %b = vyre.load %b_all[%x] : memref<?xi32>
  %du = arith.divui %a, %b : i32
  %ru = arith.remui %a, %b : i32
  %ds = arith.divsi %a, %b : i32
  %rs = arith.remsi %a, %b : i32
  vyre.store %du, %out[%x, %c0] : memref<4x4xi32>
  vyre.store %ru, %out[%x, %c1] : memref<4x4xi32>
  vyre.store %ds, %out[%x, %c2] : memref<4x4xi32>
  vyre.store %rs, %out[%x, %c3] : memref<4x4xi32>
"""
    )
    low = -(2**31)
    given = {
        "a": np.array([7, 0, low, -7], np.int32),
        "b": np.array([0, 0, -1, 2], np.int32),
    }
    rows = [[-1, 0, -1, 0], [-1, 0, -1, 0], [0, low, low, 0], [2**31 - 4, 1, -3, -1]]
    check_program(backend, text, given, {"out": np.array(rows, np.int32)}, grid=1)


for _check, _types in (
    (integers, INTEGERS),
    (floats, FLOATS),
    (casts_from_float, FLOATS),
    (casts_from_integer, INTEGERS[:4]),
):
    for _type in _types:
        SCALARS.add(f"{_check.__name__}[{_type}]", partial(_with_type, _check, _type))
