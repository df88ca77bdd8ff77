"""
Random bodies of programs that keep what they have read in memory of their own.

Each use of a memory reads what is there before it writes, so that what another wave, or
another workgroup of the same wave, has left there shows. Memory is that of a workgroup, or
scratch of invocations, of workgroups or of the grid; an invocation has elements of its own
there, or all of a workgroup add to one and read it behind a barrier.
"""

from dataclasses import dataclass
from random import Random

MOST_LOCAL = 16
"""Invocations of the largest workgroup."""

TYPES = ("i32", "i64", "i16")


@dataclass
class _Memory:
    """A declared memory: its type, the indices of an element, and whether all share it."""

    name: str
    declaration: str
    type: str
    element: str
    indices: str
    is_shared: bool


class MemoryBody:
    """
    The text of a body, which ends with a store to "y".

    Example: `MemoryBody(Random(7)).text`
    """

    def __init__(self, rng: Random):
        self._rng = rng
        self._lines: list[str] = []
        self._values = 0
        memories = [self._memory(n) for n in range(rng.randint(1, 3))]
        self.needs_workgroup = any(
            memory.is_shared or "%l" in memory.indices for memory in memories
        )
        """Whether all programs with such a body must have one size of workgroups."""
        self._declare(memories)
        total = self._value("vyre.load %x[%me] : memref<?xi32>")
        for _ in range(rng.randint(1, 4)):
            total = self._step(rng.choice(memories), total)
        self._lines.append(f"vyre.store {total}, %y[%me] : memref<?xi32>")
        self.text = "\n  ".join(["", *self._lines, ""])

    def _declare(self, memories: list[_Memory]) -> None:
        self._lines += [memory.declaration for memory in memories]
        self._lines += [
            "%l = vyre.linear_id local",
            "%g = vyre.linear_id workgroup",
            *(f"%c{n} = arith.constant {n} : index" for n in range(3)),
        ]

    def _memory(self, number: int) -> _Memory:
        name, element = f"%m{number}", self._rng.choice(TYPES)
        inner = self._rng.choice(((), (2,), (1, 3)))
        rest = "".join(f", %c{extent - 1}" for extent in inner)
        shape = "".join(f"{extent}x" for extent in inner)
        match self._rng.randrange(6):
            case 0:
                type = f"memref<?x{shape}{element}>"
                return _scratch("per_invocation", name, type, element, f"%me{rest}")
            case 1:
                type = f"memref<?x{MOST_LOCAL}x{shape}{element}>"
                return _scratch("per_workgroup", name, type, element, f"%g, %l{rest}")
            case 2:
                type = f"memref<?x{shape}i32>"
                return _scratch("per_workgroup", name, type, "i32", f"%g{rest}", True)
            case 3:
                type = f"memref<9x{shape}{element}>"
                return _scratch("single", name, type, element, f"%me{rest}")
            case 4:
                type = f"memref<{MOST_LOCAL}x{shape}{element}>"
                return _tile(name, type, element, f"%l{rest}", False)
            case _:
                return _tile(name, f"memref<2x{shape}i32>", "i32", f"%c1{rest}", True)

    def _value(self, operation: str) -> str:
        self._values += 1
        name = f"%v{self._values}"
        self._lines.append(f"{name} = {operation}")
        return name

    def _step(self, memory: _Memory, total: str) -> str:
        """The sum of a value and of what is in memory, to which it is added."""
        if self._rng.random() < 0.15:
            length = self._value(f"vyre.length {memory.name}, 0 : {memory.type}")
            total = self._sum(
                total, self._value(f"arith.index_cast {length} : index to i32")
            )
        if not memory.is_shared and self._rng.random() < 0.3:
            return self._looped(memory, total)
        place = f"{memory.name}[{memory.indices}] : {memory.type}"
        if memory.is_shared:
            self._value(f"vyre.atomic add {total}, {place}")
            self._lines.append("vyre.barrier acq_rel")
            found = self._value(f"vyre.load {place}")
            self._lines.append("vyre.barrier acq_rel")
            return self._sum(total, found)
        total = self._added_to(memory, total)
        again = self._value(f"vyre.load {place}")
        return self._sum(total, self._converted(again, memory.element, "i32"))

    def _added_to(self, memory: _Memory, value: str) -> str:
        place = f"{memory.name}[{memory.indices}] : {memory.type}"
        before = self._converted(self._value(f"vyre.load {place}"), memory.element, "i32")
        total = self._sum(value, before)
        kept = self._converted(total, "i32", memory.element)
        self._lines.append(f"vyre.store {kept}, {place}")
        return total

    def _looped(self, memory: _Memory, total: str) -> str:
        """What was there is added once or twice, which depends on the invocation."""
        start = self._value("arith.remui %me, %c2 : index")
        outer, self._lines = self._lines, []
        inside = self._added_to(memory, "%so_far")
        body, self._lines = self._lines, outer
        found = self._value(
            f"scf.for %j = {start} to %c2 step %c1 iter_args(%so_far = {total}) -> (i32) {{"
        )
        self._lines += [*(f"  {line}" for line in body), f"  scf.yield {inside} : i32", "}"]
        return found

    def _sum(self, one: str, other: str) -> str:
        return self._value(f"arith.addi {one}, {other} : i32")

    def _converted(self, value: str, source: str, target: str) -> str:
        bits, wanted = int(source[1:]), int(target[1:])
        if bits == wanted:
            return value
        cast = "extsi" if bits < wanted else "trunci"
        return self._value(f"arith.{cast} {value} : {source} to {target}")


def _scratch(
    scope: str, name: str, type: str, element: str, indices: str, is_shared: bool = False
) -> _Memory:
    text = f"{name} = vyre.scratch {scope} : {type}"
    return _Memory(name, text, type, element, indices, is_shared)


def _tile(name: str, type: str, element: str, indices: str, is_shared: bool) -> _Memory:
    text = f'{name} = vyre.buffer "{name[1:]}" workgroup : {type}'
    return _Memory(name, text, type, element, indices, is_shared)
