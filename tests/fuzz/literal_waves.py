"""
Random megakernels whose waves run one or two programs with other literals.

Waves write elements of their own, `REACH` apart, and read those of waves that they come
after. So those of a group have nothing to do with each other, and every megakernel is valid
on every input.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from random import Random
from typing import Any

import numpy as np
from literal_uses import Body, Param, compared, random_param, used

Extent = tuple[int, int, int]

MOST_WAVES = 16
REACH = 80
"""Elements of a wave, which has at most as many invocations."""
SIZE = MOST_WAVES * REACH

WORKGROUPS: tuple[Extent, ...] = ((8, 1, 1), (4, 2, 1), (2, 2, 2), (16, 1, 1), (5, 1, 1))
GRIDS: tuple[Extent, ...] = (
    (1, 1, 1),
    (2, 1, 1),
    (5, 1, 1),
    (2, 2, 1),
    (1, 2, 2),
    (1, 1, 3),
)
LABELS = ("w{}", "w{}.a0", "a{}.begin", "w{} b")
IDS = (
    "workgroup_id x",
    "workgroup_id y",
    "invocation_id y",
    "invocation_id z",
    "local_id x",
    "workgroup_count x",
    "workgroup_count z",
    "linear_id local",
    "linear_id workgroup",
)
ATOMICS = ("add", "xor", "or", "and", "min", "umax")

HEAD = f"""\
  %x = vyre.buffer "x" read_only binding 0 : memref<64xi64>
  %out = vyre.buffer "out" read_write binding 1 : memref<{SIZE}xi64>
  %sums = vyre.buffer "sums" read_write binding 2 : memref<{SIZE}xi64>
  %slot = vyre.param "slot" : i32
  %from = vyre.param "from" : i32
"""

START = f"""\
  %me = vyre.linear_id invocation
  %me32 = arith.index_cast %me : index to i32
  %at32 = arith.addi %me32, %slot : i32
  %at = arith.index_cast %at32 : i32 to index
  %before32 = arith.addi %me32, %from : i32
  %before = arith.index_cast %before32 : i32 to index
  %given = vyre.load %x[%me] : memref<64xi64>
  %old = vyre.load %out[%before] : memref<{SIZE}xi64>
"""

TILE = """\
  %l = vyre.linear_id local
  vyre.store {value}, %tile[%l] : memref<{members}xi64>
  vyre.barrier acq_rel
  %last = arith.constant {last} : index
  %other = arith.subi %last, %l : index
  %seen = vyre.load %tile[%other] : memref<{members}xi64>
"""

SUBGROUP = """\
  %seen = vyre.subgroup_reduce add {value} : i64
"""

ATOMIC = """\
  %three = arith.constant 3 : i32
  %part = arith.remui %me32, %three : i32
  %sum32 = arith.addi %part, %slot : i32
  %sum = arith.index_cast %sum32 : i32 to index
  %unordered = vyre.atomic {kind} {value}, %sums[%sum] : memref<{size}xi64>
  %seen = arith.extsi %part : i32 to i64
"""

RETURN = f"""\
  scf.if {{stop}} {{{{
    vyre.store {{value}}, %out[%at] : memref<{SIZE}xi64>
    vyre.return
  }}}}
"""

MEETINGS = {"tile": TILE, "subgroup": SUBGROUP, "atomic": ATOMIC}


@dataclass(frozen=True)
class Program:
    """A program, and the parameters for which waves have literals."""

    name: str
    params: Sequence[Param]
    text: str


@dataclass(frozen=True)
class Wave:
    """A wave as it is written, where it writes, and whose elements it may read."""

    label: str
    program: str
    grid: Extent | None
    after: Sequence[str]
    given: Mapping[str, str]
    slot: int
    seen: frozenset[int]

    @property
    def text(self) -> str:
        grid = "" if self.grid is None else f" grid {list(self.grid)}"
        after = ", ".join(f'"{label}"' for label in self.after)
        given = ", ".join(f'"{entry}" = {text}' for entry, text in self.given.items())
        return (
            f'vyre.wave "{self.label}" @{self.program}{grid} after [{after}] '
            f"with {{{given}}}"
        )


@dataclass(frozen=True)
class Megakernel:
    """The text of a megakernel, and what it is called with besides buffers."""

    text: str
    params: Mapping[str, Any]
    grid: Extent


def random_literal_waves(rng: Random) -> Megakernel:
    """
    A megakernel of 3 to 16 waves of one or two programs.

    Example: `random_literal_waves(Random(7)).text`
    """
    shared = rng.choice(WORKGROUPS)
    programs = [
        _program(rng, f"p{number}", rng.choice((shared, shared, *WORKGROUPS)))
        for number in range(rng.randint(1, 2))
    ]
    writer = _Waves(rng, programs)
    waves = "\n  ".join(wave.text for wave in writer.waves)
    texts = "\n".join(program.text for program in programs)
    text = f"{texts}\nvyre.megakernel @m {{\n  {waves}\n}}\n"
    return Megakernel(text, writer.params, rng.choice(GRIDS))


def _program(rng: Random, name: str, workgroup: Extent) -> Program:
    """A program that computes a number from its ids and parameters, and stores it."""
    params = [random_param(rng, number) for number in range(rng.choice((1, 2, 2, 3, 4)))]
    body = Body(rng)
    value = body.define("arith.addi %given, %old : i64")
    for id in rng.sample(IDS, rng.randint(0, 2)):
        found = body.define(f"vyre.{id}")
        number = body.define(f"arith.index_cast {found} : index to i64")
        value = body.mixed(value, number)
    for param in params:
        value = used(body, param, value)
    if rng.random() < 0.3:
        stop = compared(body, rng.choice(params), value)
        body.text += RETURN.format(stop=stop, value=value)
    kind = rng.choice(("", "", *MEETINGS))
    if kind:
        members = prod(workgroup)
        body.text += MEETINGS[kind].format(
            value=value,
            members=members,
            last=members - 1,
            kind=rng.choice(ATOMICS),
            size=SIZE,
        )
        value = body.mixed(value, "%seen")
    tile = f'  %tile = vyre.buffer "tile" workgroup : memref<{prod(workgroup)}xi64>\n'
    table = [HEAD, tile if kind == "tile" else "", *(param.text for param in params)]
    store = f"  vyre.store {value}, %out[%at] : memref<{SIZE}xi64>\n"
    text = f"{''.join(table)}{START}{body.text}{store}"
    return Program(name, params, f"vyre.program @{name} {list(workgroup)} {{\n{text}}}")


class _Waves:
    """Writes waves in up to three groups, and collects what the caller passes."""

    def __init__(self, rng: Random, programs: Sequence[Program]):
        self.waves: list[Wave] = []
        self.params: dict[str, Any] = {}
        self._types: dict[str, str] = {}
        self._rng = rng
        count = rng.randint(3, MOST_WAVES)
        self._slots = rng.sample(range(0, SIZE, REACH), count)
        self._labels = [rng.choice(LABELS).format(number) for number in range(count)]
        grids = rng.sample(GRIDS, rng.choice((1, 1, 1, 2)))
        self._grids = [*grids, *grids, rng.choice((None, *grids))]
        groups = rng.choice((1, 1, 1, 2, 3))
        self._is_mixed = {
            (program.name, param.name): rng.random() < 0.2
            for program in programs
            for param in program.params
        }
        for number in range(count):
            first = number * groups // count
            earlier = [n for n in range(number) if n * groups // count == first - 1]
            self.waves.append(self._wave(number, rng.choice(programs), earlier))

    def _wave(self, number: int, program: Program, earlier: Sequence[int]) -> Wave:
        rng, slot, label = self._rng, self._slots[number], self._labels[number]
        before = [self.waves[n] for n in rng.sample(earlier, min(len(earlier), 2))]
        seen = frozenset[int]().union(*(wave.seen | {wave.slot} for wave in before))
        read = rng.choice(sorted(seen or {slot}))
        given = {"slot": f"{slot} : i32", "from": f"{read} : i32", **self._buffers()}
        for param in program.params:
            text = self._given(label, param, self._is_mixed[program.name, param.name])
            given |= {param.name: text} if text else {}
        after, grid = [wave.label for wave in before], rng.choice(self._grids)
        return Wave(label, program.name, grid, after, given, slot, seen)

    def _buffers(self) -> dict[str, str]:
        """Other buffers than those of most waves."""
        return {
            entry: f'"{other}"'
            for entry, other in (("x", "y"), ("out", "more"))
            if self._rng.random() < 0.08
        }

    def _given(self, label: str, param: Param, is_mixed: bool) -> str:
        """A literal; or for some a name, or nothing, and a value that the caller passes."""
        kind = self._rng.random() if is_mixed else 1
        value = self._rng.choice(param.pool)
        if kind > 0.4:
            return param.literal(value)
        name = f"{label}.{param.name}"
        if kind > 0.1:
            odd = f"{self._labels[0]}.{param.name}"
            name = self._rng.choice((f"common {param.type}", odd))
        if self._types.setdefault(name, param.type) != param.type:
            return param.literal(value)
        self.params.setdefault(name, np.dtype(param.dtype).type(value))
        return f'"{name}"' if kind > 0.1 else ""
