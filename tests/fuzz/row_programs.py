"""
Small random programs whose accesses are inside their buffers for a part of a row only.

Indices are sums, differences and small multiples of places along x, low bits of these and
parameters. Guards clip rows, or leave one invocation out. Each invocation writes an element
of its own, so there are no races.
"""

from dataclasses import dataclass
from random import Random

PLACES = ("%i", "%l")


@dataclass(frozen=True)
class RowProgram:
    """A program with buffers `a`, `b`, `c` and parameters `s`, `t`, `k` and `mask`."""

    text: str
    width: int
    height: int
    """Of a workgroup."""


class _Indices:
    """Writes expressions, one operation a line."""

    def __init__(self, rng: Random):
        self._rng = rng
        self.lines: list[str] = []
        self.place = rng.choice(PLACES)
        mask = "%mask" if rng.random() < 0.6 else self._add("subi", "%mask", "%one")
        self._low = self._add("andi", self.place, mask)

    def _add(self, name: str, left: str, right: str) -> str:
        result = f"%v{len(self.lines)}"
        self.lines.append(f"{result} = arith.{name} {left}, {right} : index")
        return result

    def expression(self, depth: int) -> str:
        """A random index."""
        choice = self._rng.choice
        if not depth or self._rng.random() < 0.25:
            return choice(
                [self.place, "%i", self._low, self._low, "%s", "%t", "%one", "%y"]
            )
        kind = choice(["addi", "addi", "subi", "subi", "shli", "muli"])
        left = self.expression(depth - 1)
        match kind:
            case "shli":
                right = choice(["%one", "%two"])
            case "muli":
                right = choice(["%two", "%three"])
            case _:
                right = self.expression(depth - 1)
        return self._add(kind, left, right)


def row_program(rng: Random) -> RowProgram:
    """
    A program that is valid for all sizes and parameters.

    Example: `row_program(Random(1)).text`
    """
    width, height = rng.choice([1, 3, 8, 16, 33]), rng.choice([1, 1, 2])
    indices = _Indices(rng)
    one, other = indices.expression(3), indices.expression(3)
    body = f"""
    %p = vyre.load %a[{one}] : memref<?xi32>
    %q = vyre.load %b[%y, {other}] : memref<?x?xi32>
    %sum = arith.addi %p, %q : i32
    %old = vyre.load %c[%y, %i] : memref<?x?xi32>
    %new = arith.addi %sum, %old : i32
    vyre.store %new, %c[%y, %i] : memref<?x?xi32>"""
    place = rng.choice(["%i", indices.place])
    for predicate, bound in (("ult", "%s"), ("ne", "%k")):
        if rng.random() < 0.5:
            guard = f"%{predicate} = arith.cmpi {predicate}, {place}, {bound} : index"
            body = f"\n    {guard}\n    scf.if %{predicate} {{{body}\n    }}"
    lines = "\n    ".join(indices.lines)
    text = f"""
vyre.program @p [{width}, {height}, 1] {{
    %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
    %b = vyre.buffer "b" read_only binding 1 : memref<?x?xi32>
    %c = vyre.buffer "c" read_write binding 2 : memref<?x?xi32>
    %s = vyre.param "s" : index
    %t = vyre.param "t" : index
    %k = vyre.param "k" : index
    %mask = vyre.param "mask" : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %three = arith.constant 3 : index
    %i = vyre.invocation_id x
    %l = vyre.local_id x
    %y = vyre.invocation_id y
    {lines}{body}
}}"""
    return RowProgram(text, width, height)
