"""
Random megakernels: waves of all kinds that share buffers, with and without grids.

Every program is valid on every input: its invocations write elements of their own, add
atomically, or have a barrier between them. Indices may lie outside of buffers. Some
programs do nothing, and some keep values in memory of their own.
"""

from dataclasses import dataclass
from random import Random

from wave_memory_programs import MemoryBody

BUFFERS = "abcdef"
SIZES = ((8, 1, 1), (4, 2, 1), (2, 2, 2), (16, 1, 1))

HEAD = """
  %x = vyre.buffer "x" read_only binding 0 : memref<?xi32>
  %y = vyre.buffer "y" read_write binding 1 : memref<?xi32>
  %k = vyre.param "k" : index
  %me = vyre.linear_id invocation
"""

MAP = """
  %at = arith.muli %me, %k : index
  %v = vyre.load %x[%at] : memref<?xi32>
  %old = vyre.load %y[%me] : memref<?xi32>
  %sum = arith.addi %v, %old : i32
  vyre.store %sum, %y[%me] : memref<?xi32>
"""

WHO = """
  %ix = vyre.invocation_id x
  %iy = vyre.invocation_id y
  %gz = vyre.workgroup_id z
  %gx = vyre.workgroup_id x
  %cy = vyre.workgroup_count y
  %sz = vyre.workgroup_size z
  %l = vyre.linear_id local
  %g = vyre.linear_id workgroup
  %seven = arith.constant 7 : index
  %h0 = arith.muli %ix, %seven : index
  %h1 = arith.addi %h0, %iy : index
  %h2 = arith.muli %h1, %seven : index
  %h3 = arith.addi %h2, %gz : index
  %h4 = arith.muli %h3, %seven : index
  %h5 = arith.addi %h4, %cy : index
  %h6 = arith.muli %h5, %seven : index
  %h7 = arith.addi %h6, %l : index
  %h8 = arith.muli %h7, %seven : index
  %h9 = arith.addi %h8, %g : index
  %h10 = arith.muli %h9, %sz : index
  %h11 = arith.addi %h10, %gx : index
  %h = arith.index_cast %h11 : index to i32
  %v = vyre.load %x[%me] : memref<?xi32>
  %w = arith.addi %h, %v : i32
  vyre.store %w, %y[%me] : memref<?xi32>
"""

RETURN = """
  %stop = arith.cmpi ult, %k, %me : index
  scf.if %stop {
    vyre.return
  }
  %zero = arith.constant 0 : i32
  %sum = vyre.let "sum" = %zero : i32
  %from = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %j = %from to %k step %one {
    %v = vyre.load %x[%j] : memref<?xi32>
    %so_far = vyre.get %sum : !vyre.cell<i32>
    %next = arith.addi %so_far, %v : i32
    vyre.assign %next, %sum : !vyre.cell<i32>
    %enough = arith.cmpi slt, %next, %zero : i32
    scf.if %enough {
      vyre.store %next, %y[%me] : memref<?xi32>
      vyre.return
    }
  }
  %all = vyre.get %sum : !vyre.cell<i32>
  vyre.store %all, %y[%me] : memref<?xi32>
"""

ATOMIC = """
  %three = arith.constant 3 : index
  %at = arith.remui %me, %three : index
  %v = vyre.load %x[%me] : memref<?xi32>
  %old = vyre.atomic add %v, %y[%at] : memref<?xi32>
"""

TILE = """
  %tile = vyre.buffer "tile" workgroup : memref<3x4xi32>
  %l = vyre.linear_id local
  %three = arith.constant 3 : index
  %row = arith.remui %l, %three : index
  %column = arith.divui %l, %three : index
  %v = vyre.load %x[%me] : memref<?xi32>
  %zero = arith.constant 0 : i32
  %is_kept = arith.cmpi sgt, %v, %zero : i32
  scf.if %is_kept {
    vyre.store %v, %tile[%row, %column] : memref<3x4xi32>
  }
  vyre.barrier acq_rel
  %back = arith.addi %row, %k : index
  %other = arith.remui %back, %three : index
  %seen = vyre.load %tile[%other, %column] : memref<3x4xi32>
  %old = vyre.load %y[%me] : memref<?xi32>
  %sum = arith.addi %seen, %old : i32
  vyre.store %sum, %y[%me] : memref<?xi32>
"""

SUBGROUP = """
  %v = vyre.load %x[%me] : memref<?xi32>
  %sum = vyre.subgroup_reduce add %v : i32
  vyre.store %sum, %y[%me] : memref<?xi32>
"""

PHASES = """
  %v = vyre.load %x[%me] : memref<?xi32>
  vyre.store %v, %y[%me] : memref<?xi32>
  vyre.barrier grid_sync
  %at = arith.addi %me, %k : index
  %w = vyre.load %y[%at] : memref<?xi32>
  vyre.barrier grid_sync
  vyre.store %w, %y[%me] : memref<?xi32>
"""

RETURN_BEFORE_BARRIER = """
  %tile = vyre.buffer "tile" workgroup : memref<1xi32>
  %stop = arith.cmpi ult, %k, %me : index
  scf.if %stop {
    vyre.return
  }
  %zero = arith.constant 0 : index
  %v = vyre.load %x[%me] : memref<?xi32>
  %old = vyre.atomic add %v, %tile[%zero] : memref<1xi32>
  vyre.barrier acq_rel
  %sum = vyre.load %tile[%zero] : memref<1xi32>
  vyre.store %sum, %y[%me] : memref<?xi32>
"""

EMPTY = ""
"""A program that has nothing, not even a table."""

SIDE_BY_SIDE = (MAP, WHO, RETURN, ATOMIC)
IN_WORKGROUPS = (TILE, TILE, SUBGROUP, RETURN_BEFORE_BARRIER)


@dataclass
class Wave:
    """A wave as it is written, and what is needed to run its program alone."""

    name: str
    program: str
    names: dict[str, str]
    k: int
    is_constant: bool
    grid: tuple[int, int, int] | None
    after: list[str] | None
    bytes: tuple[int, int, int]

    @property
    def text(self) -> str:
        if not self.names:
            return f'vyre.wave "{self.name}" @{self.program}{self._clauses}'
        names = [f'{entry} = "{name}"' for entry, name in self.names.items()]
        names += [f"k = {self.k} : index"] if self.is_constant else []
        return (
            f'vyre.wave "{self.name}" @{self.program}{self._clauses} '
            f"with {{{', '.join(names)}}}"
        )

    @property
    def _clauses(self) -> str:
        grid = "" if self.grid is None else f" grid {list(self.grid)}"
        quoted = ", ".join(f'"{name}"' for name in self.after or ())
        after = "" if self.after is None else f" after [{quoted}]"
        return f"{grid}{after} bytes {list(self.bytes)}"


@dataclass
class Megakernel:
    """Programs and the waves that run them."""

    programs: str
    waves: list[Wave]

    @property
    def text(self) -> str:
        waves = "\n  ".join(wave.text for wave in self.waves)
        return f"{self.programs}\nvyre.megakernel @fused {{\n  {waves}\n}}\n"


def random_megakernel(rng: Random) -> Megakernel:
    """
    A megakernel of a few waves.

    Example: `random_megakernel(Random(7)).text`
    """
    shared = rng.choice(SIZES)
    programs = [_program(rng, shared) for _ in range(rng.randint(1, 4))]
    texts = (
        f"vyre.program @p{n} {list(program.size)} {{{program.body and HEAD}{program.body}}}"
        for n, program in enumerate(programs)
    )
    waves: list[Wave] = []
    for n in range(rng.randint(1, 9)):
        number = rng.randrange(len(programs))
        waves.append(_wave(rng, n, number, programs[number]))
    return Megakernel("\n".join(texts), waves)


@dataclass
class _Program:
    """A body, its workgroups, and whether a wave of it may have a grid of its own."""

    body: str
    size: tuple[int, int, int]
    may_have_grid: bool = True


def _program(rng: Random, shared: tuple[int, int, int]) -> _Program:
    """A program whose workgroups are those that all share, if it needs its own."""
    kind = rng.random()
    if kind < 0.3:
        return _Program(rng.choice(SIDE_BY_SIDE), rng.choice((shared, *SIZES)))
    if kind < 0.55:
        return _Program(rng.choice(IN_WORKGROUPS), shared)
    if kind < 0.85:
        body = MemoryBody(rng)
        size = shared if body.needs_workgroup else rng.choice((shared, *SIZES))
        return _Program(body.text, size)
    if kind < 0.9:
        return _Program(EMPTY, rng.choice((shared, *SIZES)))
    return _Program(PHASES, shared, may_have_grid=False)


def _wave(rng: Random, number: int, place: int, program: _Program) -> Wave:
    x, y = rng.sample(BUFFERS, 2)
    grid = None
    if program.may_have_grid and rng.random() < 0.6:
        grid = rng.randint(1, 6), rng.choice((1, 1, 2)), rng.choice((1, 1, 2))
    return Wave(
        f"w{number}",
        f"p{place}",
        {"x": x, "y": y} if program.body else {},
        rng.randint(0, 12),
        rng.random() < 0.5,
        grid,
        None,
        (rng.randint(0, 9), rng.randint(0, 2), rng.randint(0, 9)),
    )
