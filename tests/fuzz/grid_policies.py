"""
What a generated program is rich in.

A program that has a little of everything rarely has much of anything, so each program
prefers some types and one feature, whose statements it makes several times as often.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

INTEGERS = ("i1", "i8", "i16", "i32", "i64", "index")
FLOATS = ("f16", "f32", "f64")
TYPES = INTEGERS + FLOATS

STATEMENTS: Mapping[str, float] = {
    "compute": 2,
    "store": 6,
    "update": 2,
    "own_atomic": 1.5,
    "flag": 1.5,
    "single": 1,
    "let": 1.5,
    "assign": 2,
    "if": 3.5,
    "for": 3.5,
    "while": 2.5,
    "return": 1.2,
    "trap": 0.3,
    "copy": 0.9,
    "subgroup": 0.7,
    "tickets": 0.5,
    "ping_pong": 0.6,
    "converge": 0.6,
    "uniform_sum": 0.6,
    "pipeline": 0.25,
}
"""How often each statement is made, unless the feature says otherwise."""

FEATURES: Mapping[str, Mapping[str, float]] = {
    "a little of everything": {},
    "loops": {"for": 2.5},
    "whiles": {"while": 4, "for": 0.5},
    "branches": {"if": 2.5},
    "convergence": {"converge": 8, "flag": 4},
    "variables": {"let": 6, "assign": 6},
    "workgroup memory": {"store": 1.5},
    "returns": {"return": 8},
    "ping-pong": {"ping_pong": 8, "for": 1.5},
    "carried buffers": {"for": 2, "while": 2},
    "atomics": {"update": 4, "own_atomic": 4, "tickets": 5},
    "copies": {"copy": 9, "pipeline": 6},
    "subgroups": {"subgroup": 8},
    "regions": {},
    "values": {"compute": 4},
}
"""By how much each feature multiplies which statements."""

LONG = "many phases"
_LONG = {"compute": 3, "if": 0.3, "for": 0.3, "while": 0.3, "return": 0.2}
"""A feature of programs that are asked for, with more barriers and statements."""


@dataclass(frozen=True)
class Policy:
    """The choices that hold for a whole program."""

    feature: str
    types: tuple[str, ...]
    """Preferred types of buffers and values."""
    weights: Mapping[str, float]
    barriers: int
    """Most grid barriers in one sequence."""
    size: int
    """About how many statements."""
    reads_zeros: bool
    """Reads of memory that starts as zeros and was never written."""
    leaves_bounds: bool
    """Accesses outside buffers."""
    traps: bool
    """Traps that may be taken."""
    dies: bool
    """Code after a return that everyone reaches."""

    @staticmethod
    def choose(rng: Random, feature: str | None = None) -> "Policy":
        chosen = rng.choice(list(FEATURES))
        feature = feature or chosen
        is_long = feature == LONG
        factors = _LONG if is_long else FEATURES[feature]
        weights = {name: w * factors.get(name, 1) for name, w in STATEMENTS.items()}
        traps = rng.random() < 0.03
        weights["trap"] *= 20 if traps else 1
        types = tuple(rng.sample(TYPES, rng.randint(2, 5)))
        barriers, size = rng.choice((1, 2, 2, 3, 4)), rng.choice((5, 8, 12, 12, 18))
        return Policy(
            feature,
            types,
            weights,
            barriers=14 if is_long else barriers,
            size=50 if is_long else size,
            reads_zeros=rng.random() < 0.2,
            leaves_bounds=rng.random() < 0.12,
            traps=traps,
            dies=rng.random() < 0.05,
        )

    def prefers(self, feature: str) -> bool:
        return self.feature == feature

    def type(self, rng: Random, among: Sequence[str] = TYPES) -> str:
        """A type, mostly a preferred one."""
        preferred = [type for type in self.types if type in among]
        return rng.choice(preferred if preferred and rng.random() < 0.85 else among)
