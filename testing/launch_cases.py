"""Launches: who gets which argument, who runs where, and what they see of each other."""

from typing import Any

import numpy as np

from vyre.runtime.backend import Backend
from vyre.testing.case import Cases, check_program, compiled, expect
from vyre.testing.programs import OUT, program

LAUNCH = Cases("launch")


@LAUNCH.case
def arguments(backend: Backend) -> None:
    """Buffers and parameters come in declaration order, without workgroup buffers."""
    text = program(
        """
  %b = vyre.buffer "b" read_only binding 3 : memref<?xi32>
  %s = vyre.param "s" : i32
  %tile = vyre.buffer "tile" workgroup : memref<4xi32>
  %out = vyre.buffer "out" read_write binding 1 : memref<?xi32>
  %t = vyre.param "t" : i32
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %i = vyre.param "i" : index
  %from_a = vyre.load %a[%i] : memref<?xi32>
  %from_b = vyre.load %b[%i] : memref<?xi32>
  vyre.store %from_a, %out[%c0] : memref<?xi32>
  vyre.store %from_b, %out[%c1] : memref<?xi32>
  vyre.store %s, %out[%c2] : memref<?xi32>
  vyre.store %t, %out[%c3] : memref<?xi32>
""",
        workgroup="[1, 1, 1]",
    )
    a, b, out = (np.array(v, np.int32) for v in ([1, 2, 3], [4, 5, 6], [7, 7, 7, 7, 7]))
    given = {"a": a, "b": b, "out": out, "s": 50, "t": 70, "i": 2}
    expected = {"out": np.array([3, 6, 50, 70, 7], np.int32)}
    check_program(backend, text, given, expected, grid=1)


@LAUNCH.case
def many_arguments(backend: Backend) -> None:
    """A program may have dozens of buffers and parameters."""
    count = 24
    table, code = "", ""
    given: dict[str, Any] = {}
    expected: dict[str, Any] = {}
    for k in range(count):
        access = f"read_write binding {count - k} : memref<?xi32>"
        table += f'%b{k} = vyre.buffer "b{k}" {access}\n%p{k} = vyre.param "p{k}" : i32\n'
        code += f"vyre.store %p{k}, %b{k}[%x] : memref<?xi32>\n"
        given[f"b{k}"] = np.full(k + 1, -1, np.int32)
        given[f"p{k}"] = 1000 + k
        expected[f"b{k}"] = np.full(k + 1, 1000 + k, np.int32)
    check_program(backend, program(table, code), given, expected, grid=6)


_OF_AXES = "invocation_id workgroup_id local_id workgroup_count workgroup_size".split()
IDS = [
    *(f"vyre.{kind} {axis}" for kind in _OF_AXES for axis in "xyz"),
    *(f"vyre.linear_id {scope}" for scope in ("invocation", "workgroup", "local")),
]

GRIDS: list[tuple[tuple[int, int, int], tuple[int, int, int]]] = [
    ((1, 1, 1), (1, 1, 1)),
    ((4, 1, 1), (5, 1, 1)),
    ((1, 1, 1), (7, 1, 1)),
    ((4, 2, 1), (3, 2, 1)),
    ((1, 5, 1), (2, 3, 1)),
    ((2, 3, 2), (2, 2, 3)),
    ((1, 1, 4), (1, 2, 5)),
    ((64, 1, 1), (70, 1, 1)),
]


def _ids_program(size: tuple[int, int, int]) -> str:
    """Every invocation stores all its ids in its row."""
    code = '%ids = vyre.buffer "ids" write_only binding 0 output : memref<?x?xindex>\n'
    code += "%me = vyre.linear_id invocation\n"
    for number, operation in enumerate(IDS):
        code += f"%id_{number} = {operation}\n"
        code += f"vyre.store %id_{number}, %ids[%me, %c{number}] : memref<?x?xindex>\n"
    return program(code, workgroup=str(list(size)))


def _expected_ids(size: tuple[int, int, int], groups: tuple[int, int, int]) -> Any:
    extent = [s * g for s, g in zip(size, groups)]
    z, y, x = (axis.reshape(-1) for axis in np.indices(extent[::-1]))
    invocation = (x, y, z)
    workgroup = [i // s for i, s in zip(invocation, size)]
    local = [i % s for i, s in zip(invocation, size)]
    sizes = [np.full_like(x, number) for number in (*groups, *size)]
    linear = [
        np.arange(len(x)),
        (workgroup[2] * groups[1] + workgroup[1]) * groups[0] + workgroup[0],
        (local[2] * size[1] + local[1]) * size[0] + local[0],
    ]
    columns = [*invocation, *workgroup, *local, *sizes, *linear]
    return np.stack(columns, axis=1).astype(np.int64)


def _check_ids(
    backend: Backend, size: tuple[int, int, int], groups: tuple[int, int, int]
) -> None:
    expected = _expected_ids(size, groups)
    given = {"ids": np.zeros_like(expected)}
    check_program(backend, _ids_program(size), given, {"ids": expected}, grid=groups)


def _add_ids_case(size: tuple[int, int, int], groups: tuple[int, int, int]) -> None:
    shown = "x".join(map(str, size)), "x".join(map(str, groups))
    name = f"ids[{shown[0]} in {shown[1]}]"
    LAUNCH.add(name, lambda backend: _check_ids(backend, size, groups))


for _size, _groups in GRIDS:
    _add_ids_case(_size, _groups)


@LAUNCH.case
def another_workgroup(backend: Backend) -> None:
    """The caller may choose another size of workgroups than the program says."""
    expected = _expected_ids((3, 2, 1), (2, 2, 1))
    given = {"ids": np.zeros_like(expected)}
    text = _ids_program((8, 1, 1))
    options: dict[str, Any] = {"grid": (2, 2, 1), "workgroup": (3, 2, 1)}
    check_program(backend, text, given, {"ids": expected}, **options)


@LAUNCH.case
def partial_writes(backend: Backend) -> None:
    """What a program does not write stays as it was; outputs were zeros."""
    text = program(
        OUT,
        """
  %w = vyre.buffer "w" write_only binding 1 : memref<?xi32>
  %o = vyre.buffer "o" write_only binding 2 output : memref<6xi32>
  %twice = arith.muli %x, %c2 : index
  vyre.store %i9, %out[%twice] : memref<?xi32>
  vyre.store %i8, %w[%twice] : memref<?xi32>
  vyre.store %i7, %o[%twice] : memref<6xi32>
""",
    )
    given = {"out": np.arange(6, dtype=np.int32), "w": np.full(6, 5, np.int32)}
    expected = {
        "out": np.array([9, 1, 9, 3, 9, 5], np.int32),
        "w": np.array([8, 0] * 3, np.int32),
        "o": np.array([7, 0] * 3, np.int32),
    }
    check_program(backend, text, given, expected, grid=1)


@LAUNCH.case
def partial_writes_in_turn(backend: Backend) -> None:
    """The same for several launches: each keeps what the others have written."""
    text = """
vyre.schedule @p {
  %out = vyre.buffer "out" write_only binding 0 output : memref<9xi32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  scf.for %k = %zero to %two step %one {
    vyre.launch @part(%out, %k)
  }
}
vyre.program @part [4, 1, 1] {
  %out = vyre.buffer "out" write_only binding 0 : memref<9xi32>
  %k = vyre.param "k" : index
  %i = vyre.invocation_id x
  %two = arith.constant 2 : index
  %ten = arith.constant 10 : index
  %twice = arith.muli %i, %two : index
  %place = arith.addi %twice, %k : index
  %shown = arith.addi %place, %ten : index
  %v = arith.index_cast %shown : index to i32
  vyre.store %v, %out[%place] : memref<9xi32>
}
"""
    expected = np.append(np.arange(10, 18), 0).astype(np.int32)
    check_program(backend, text, {}, {"out": expected}, grid=1)


@LAUNCH.case
def order(backend: Backend) -> None:
    """A launch sees all that launches before it have written, in all of the grid."""
    text = """
vyre.schedule @p {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %k = %zero to %n step %one {
    vyre.launch @step(%a, %b, %k)
    vyre.launch @step(%b, %a, %k)
  }
}
vyre.program @step [4, 1, 1] {
  %from = vyre.buffer "from" read_only binding 0 : memref<?xi32>
  %to = vyre.buffer "to" write_only binding 1 : memref<?xi32>
  %k = vyre.param "k" : index
  %i = vyre.invocation_id x
  %n = vyre.length %from, 0 : memref<?xi32>
  %last = arith.constant -1 : index
  %shift = arith.addi %n, %last : index
  %other = arith.subi %shift, %i : index
  %v = vyre.load %from[%other] : memref<?xi32>
  %k32 = arith.index_cast %k : index to i32
  %w = arith.addi %v, %k32 : i32
  vyre.store %w, %to[%i] : memref<?xi32>
}
"""
    a = np.arange(50, dtype=np.int32)
    given = {"a": a, "b": np.zeros(50, np.int32), "n": 20}
    total = 2 * sum(range(20))
    expected = {"a": a + np.int32(total), "b": a[::-1] + np.int32(total - 19)}
    check_program(backend, text, given, {n: np.copy(v) for n, v in expected.items()})


@LAUNCH.case
def bounds(backend: Backend) -> None:
    """Outside a buffer loads give zero, stores are dropped, atomics do nothing."""
    text = program(
        OUT,
        """
  %m = vyre.buffer "m" read_write binding 1 : memref<?x?xi32>
  %minus = arith.constant -1 : index
  %huge = arith.constant 4611686018427387904 : index
  %a = vyre.load %out[%minus] : memref<?xi32>
  %b = vyre.load %out[%huge] : memref<?xi32>
  %c = vyre.load %m[%c0, %c3] : memref<?x?xi32>
  %d = vyre.load %m[%c2, %minus] : memref<?x?xi32>
  vyre.store %i1, %out[%minus] : memref<?xi32>
  vyre.store %i1, %out[%huge] : memref<?xi32>
  vyre.store %i1, %m[%c0, %c3] : memref<?x?xi32>
  vyre.store %i1, %m[%minus, %c5] : memref<?x?xi32>
  %e = vyre.atomic add %i1, %out[%minus] : memref<?xi32>
  %f = vyre.atomic_cas %i0, %i1, %m[%c1, %c3] : memref<?x?xi32>
  %ab = arith.ori %a, %b : i32
  %cd = arith.ori %c, %d : i32
  %ef = arith.ori %e, %f : i32
  %abcd = arith.ori %ab, %cd : i32
  %v = arith.ori %abcd, %ef : i32
  vyre.store %v, %out[%x] : memref<?xi32>
""",
    )
    m = np.arange(11, 17, dtype=np.int32).reshape(2, 3)
    expected = {"out": np.zeros(6, np.int32), "m": m}
    check_program(backend, text, {"out": np.full(6, -1, np.int32), "m": m}, expected)


@LAUNCH.case
def bytes_of_i1(backend: Backend) -> None:
    """Any byte but 0 is true, what is stored is 0 or 1, and the rest stays as it is."""
    text = program(
        """
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi1>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi1>
  %n = vyre.buffer "n" read_write binding 2 : memref<?xi32>
""",
        """
  %v = vyre.load %a[%x] : memref<?xi1>
  %w = vyre.load %b[%x] : memref<?xi1>
  %differ = arith.xori %v, %w : i1
  %both = arith.addi %v, %w : i1
  %number = arith.extui %both : i1 to i32
  vyre.store %number, %n[%x] : memref<?xi32>
  scf.if %differ {
    vyre.store %v, %b[%x] : memref<?xi1>
  }
""",
    )
    given = {
        "a": np.array([0, 0, 1, 2, 255, 0, 8], np.uint8),
        "b": np.array([0, 3, 0, 1, 4, 1, 0], np.uint8),
        "n": np.full(7, -1, np.int32),
    }
    expected = {
        "b": np.array([0, 0, 1, 1, 4, 0, 1], np.uint8),
        "n": np.array([0, 1, 1, 0, 0, 1, 1], np.int32),
    }
    check_program(backend, text, given, expected)


@LAUNCH.case
def empty_buffers(backend: Backend) -> None:
    """A buffer of length 0 is one: loads give zero, stores are dropped."""
    text = program(
        OUT,
        """
  %a = vyre.buffer "a" read_only binding 1 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 2 : memref<?x3xi32>
  %n = vyre.length %a, 0 : memref<?xi32>
  %rows = vyre.length %b, 0 : memref<?x3xi32>
  %v = vyre.load %a[%x] : memref<?xi32>
  %w = vyre.load %b[%x, %c0] : memref<?x3xi32>
  vyre.store %i1, %b[%x, %c0] : memref<?x3xi32>
  %sizes = arith.addi %n, %rows : index
  %sizes32 = arith.index_cast %sizes : index to i32
  %vw = arith.ori %v, %w : i32
  %r = arith.ori %vw, %sizes32 : i32
  vyre.store %r, %out[%x] : memref<?xi32>
""",
    )
    empty = {"a": np.zeros(0, np.int32), "b": np.zeros((0, 3), np.int32)}
    given = {"out": np.full(5, -1, np.int32), **empty}
    expected = {"out": np.zeros(5, np.int32), "b": empty["b"]}
    check_program(backend, text, given, expected, grid=2)


@LAUNCH.case
def shapes(backend: Backend) -> None:
    """Buffers have the shapes of the arrays, in row-major order; also none at all."""
    text = program(
        """
  %m = vyre.buffer "m" read_only binding 0 : memref<?x2x?xi32>
  %s = vyre.buffer "s" read_write binding 1 : memref<i32>
  %sizes = vyre.buffer "sizes" write_only binding 2 output : memref<3xindex>
  %d0 = vyre.length %m, 0 : memref<?x2x?xi32>
  %d1 = vyre.length %m, 1 : memref<?x2x?xi32>
  %d2 = vyre.length %m, 2 : memref<?x2x?xi32>
  vyre.store %d0, %sizes[%c0] : memref<3xindex>
  vyre.store %d1, %sizes[%c1] : memref<3xindex>
  vyre.store %d2, %sizes[%c2] : memref<3xindex>
  %v = vyre.load %m[%c2, %c1, %c3] : memref<?x2x?xi32>
  %old = vyre.load %s[] : memref<i32>
  %new = arith.addi %v, %old : i32
  vyre.store %new, %s[] : memref<i32>
""",
        workgroup="[1, 1, 1]",
    )
    m = np.arange(30, dtype=np.int32).reshape(3, 2, 5)
    expected = {"s": np.array(100 + m[2, 1, 3], np.int32), "sizes": np.array([3, 2, 5])}
    check_program(backend, text, {"m": m, "s": np.array(100, np.int32)}, expected, grid=1)


@LAUNCH.case
def divergent_control(backend: Backend) -> None:
    """Branches, loops and early ends may go differently for every invocation."""
    text = program(
        OUT,
        """
  %is_one = arith.cmpi eq, %x, %c1 : index
  scf.if %is_one {
    vyre.return
  }
  %sum = scf.for %k = %c0 to %x step %c2 iter_args(%s = %x32) -> (i32) {
    %t = arith.addi %s, %i10 : i32
    scf.yield %t : i32
  }
  %small = scf.while (%n = %sum) : (i32) -> (i32) {
    %big = arith.cmpi sgt, %n, %i20 : i32
    scf.condition(%big) %n : i32
  } do {
  ^again(%n: i32):
    %less = arith.subi %n, %i7 : i32
    scf.yield %less : i32
  }
  %even = arith.andi %x32, %i1 : i32
  %is_even = arith.cmpi eq, %even, %i0 : i32
  %v = scf.if %is_even -> (i32) {
    %twice = arith.addi %small, %small : i32
    scf.yield %twice : i32
  } else {
    scf.yield %small : i32
  }
  vyre.store %v, %out[%x] : memref<?xi32>
""",
    )
    check_program(backend, text, {"out": np.full(30, -1, np.int32)})


@LAUNCH.case
def times(backend: Backend) -> None:
    """A launch that is timed says how long it took in nanoseconds, or nothing."""
    text = program(OUT, "vyre.store %i1, %out[%x] : memref<?xi32>")
    _, report = compiled(backend, text).timed(out=np.zeros(8, np.int32))
    for name in ("device", "enqueue", "wait"):
        found = getattr(report, name)
        fits = found is None or (isinstance(found, int) and found >= 0)
        expect(fits, f"{name} is {found!r}, expected nanoseconds or None")
