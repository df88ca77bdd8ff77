"""
Random programs with grid barriers that are valid by construction.

The method of CLsmith (Lidbury and others, "Many-Core Compiler Fuzzing", 2015), for a whole
grid: each invocation owns a slot of each array, given by a permutation of the invocations;
after a barrier another permutation may hold. So invocations communicate, and yet nobody can
tell in which order they ran. `grid_memory.py` has the other ways to share an array.

A program depends on the seed and its number alone.

Example: `generate(seed=0, number=7).text`
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
from grid_expressions import WIDTHS
from grid_memory import Level, Phase, Value
from grid_policies import FLOATS, Policy
from grid_tables import Extent, Tables
from numpy.typing import NDArray

DTYPES: Mapping[str, Any] = {
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


@dataclass(frozen=True)
class Launch:
    """A grid to run a program on, and the shapes of its buffers there."""

    grid: Extent
    is_inferred: bool
    """Whether the grid is left out, and found by the runtime."""
    shapes: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class GridProgram:
    """A program and what to run it on."""

    text: str
    seed: str
    """Of what buffers hold at the start."""
    launches: tuple[Launch, ...]
    params: Mapping[str, Any]
    elements: Mapping[str, str]
    """Element types of the buffers that are passed."""
    fills: Mapping[str, str]
    """Buffers that start with small numbers or zeros, not with anything."""
    feature: str = ""
    tolerates: frozenset[str] = field(default_factory=frozenset[str])
    """Kinds of findings that the program may have on purpose."""
    foreign: bool = False
    """Whether it has operations of `foreign_operations.py`, which no engine runs."""

    def arguments(self, launch: Launch) -> dict[str, Any]:
        """Arrays and parameters by name."""
        arrays = {
            name: contents(
                f"{self.seed}:{name}", type, launch.shapes[name], self.fills.get(name, "")
            )
            for name, type in self.elements.items()
        }
        return {**arrays, **self.params}


def contents(seed: str, type: str, shape: tuple[int, ...], fill: str) -> NDArray[Any]:
    """An array of small numbers, with odd ones among them if nothing else is said."""
    dtype = np.dtype(DTYPES[type])
    if fill == "zeros":
        return np.zeros(shape, dtype)
    rng = np.random.default_rng(Random(seed).getrandbits(64))
    if type == "i1":
        bits = rng.integers(0, 2, shape).astype(np.uint8)
        # Any byte but 0 is true.
        return np.where(bits, rng.integers(1, 256, shape, np.uint8), bits).view(dtype)
    array = rng.integers(-4, 12, shape).astype(dtype)
    if fill == "small":
        return array
    odd: list[Any]
    if type in FLOATS:
        array += rng.choice(np.array([0, 0.5, 0.125], dtype), shape)
        info = np.finfo(dtype)
        odd = [np.nan, np.inf, -np.inf, -0.0, info.max, info.smallest_subnormal]
    else:
        limits = np.iinfo(dtype)
        odd = [limits.min, limits.max, -1, limits.max // 3]
    odds = rng.choice(np.array(odd, dtype), shape)
    return np.where(rng.random(shape) < 0.2, odds, array)


def generate(seed: int, number: int, feature: str | None = None) -> GridProgram:
    """The program of this number, rich in something if that is given."""
    rng = Random(f"{seed}:{number}")
    return _Program(rng, Policy.choose(rng, feature)).write(f"{seed}:{number}")


class _Program(Tables):
    """Writes a whole program."""

    def write(self, seed: str) -> GridProgram:
        self.budget = self.policy.size
        self.returns_left = 4 if self.policy.prefers("returns") else self.rng.randint(0, 2)
        self.declare_parameters()
        self.declare_buffers()
        self.declare_tiles()
        self.count_invocations()
        if not self.policy.reads_zeros:
            self.initialise()
        barriers = self._barriers()
        if "collective" in barriers:
            # Other ranks would wait for whoever has returned.
            self.returns_left = 0
        self.sequence(self.planned(barriers), None)
        self._observe()
        if self.is_inferred:
            self._decide()
        body = "\n".join([*self.head, *self.lines])
        return GridProgram(
            f"vyre.program @p [{', '.join(map(str, self.workgroup))}] {{\n{body}\n}}\n",
            seed,
            tuple(
                Launch(grid, self.is_inferred, shapes)
                for grid, shapes in zip(self.grids, self.shapes)
            ),
            self.params,
            self.elements,
            self.fills,
            self.policy.feature,
            self._tolerated(),
        )

    def _decide(self) -> None:
        """Let at least one access decide about the grid, which splitting may remove."""
        element = self.elements["input"]
        self.lines += [
            "%decider = vyre.invocation_id x",
            f"%decided = vyre.load %input[%decider] : memref<?x{element}>",
        ]

    def _barriers(self) -> list[str]:
        least = 0 if self.chance(0.15) else 1
        kinds = ["grid"] * self.rng.randint(least, self.policy.barriers)
        others = {"collective": 0.12, "group": 0.4 if self.has_tiles else 0.1}
        for kind, probability in others.items():
            if self.chance(probability):
                kinds.insert(self.rng.randrange(len(kinds) + 1), kind)
        return kinds

    def _tolerated(self) -> frozenset[str]:
        if self.policy.leaves_bounds:
            return frozenset(("outside", "never written"))
        return frozenset(("never written",) if self.policy.reads_zeros else ())

    def _observe(self) -> None:
        """Mix values from all over the program into an output."""
        slot = self.own_slot(self.out)
        if slot is None or self.chance(0.5):
            self.line("vyre.barrier grid_sync")
            self.roles.phase = Phase(self.roles.new_phase(), self.roles.new_phase())
            slot = self.own_slot(self.out)
        assert slot is not None
        divergent = [v for v in self.block.values if v.level is Level.LANE]
        values = self.rng.sample(divergent, min(3, len(divergent)))
        values += [self.rng.choice(self.block.values), self.block.values[-1]]
        total = self._bits(values[0])
        for value in values[1:]:
            factor = self.constant("i64", 31)
            scaled = self.hidden(
                f"arith.muli {total}, {factor.name} : i64", "i64", Level.LANE
            )
            text = f"arith.xori {scaled.name}, {self._bits(value)} : i64"
            total = self.hidden(text, "i64", Level.LANE).name
        self.store_at(self.out, slot, Value(total, "i64", Level.LANE))

    def _bits(self, value: Value) -> str:
        """The bits of a value as an i64."""
        name, type = value.name, value.type
        if type in FLOATS:
            bits = f"i{WIDTHS[type]}"
            name = self.hidden(
                f"arith.bitcast {name} : {type} to {bits}", bits, Level.LANE
            ).name
            type = bits
        if type == "i64":
            return name
        op = "index_cast" if type == "index" else "extui"
        return self.hidden(f"arith.{op} {name} : {type} to i64", "i64", Level.LANE).name
