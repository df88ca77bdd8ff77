"""What a program works on: a geometry, parameters, buffers, and numbers of invocations."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import gcd, prod
from random import Random
from typing import Any

from grid_control import Control
from grid_memory import Buffer, Level, Memref, Value, owned
from grid_policies import FLOATS, Policy
from grid_statements import ATOMIC_TYPES

Extent = tuple[int, int, int]

SIZES = (1, 2, 2, 3, 4, 4, 5, 7, 8, 16)
LARGE_SIZES = (16, 33, 37, 40)
"""Of workgroups with several subgroups, or nearly so."""

KINDS: Mapping[str, float] = {
    "read_write": 10,
    "read_only": 1,
    "uniform": 0.5,
    "output": 1.5,
    "write_only": 1,
}


@dataclass(frozen=True)
class Form:
    """How slots lie in a buffer; `spare` ones belong to nobody."""

    layout: str = "flat"
    width: int = 1
    spare: int = 0
    is_static: bool = False

    def shape(self, count: int) -> tuple[int, ...]:
        slots = count + self.spare
        match self.layout:
            case "rows":
                return slots, self.width
            case "columns":
                return self.width, slots
            case _:
                return (slots * self.width,)

    def memref(self, count: int, element: str) -> str:
        sizes = [str(size) for size in self.shape(count)]
        if not self.is_static:
            sizes[1 if self.layout == "columns" else 0] = "?"
        return f"memref<{'x'.join([*sizes, element])}>"


class Tables(Control):
    """Declares a table, and counts invocations."""

    def __init__(self, rng: Random, policy: Policy):
        super().__init__(rng, policy)
        self.workgroup, self.grids = geometry(rng, large=policy.prefers("subgroups"))
        self.is_inferred = self.workgroup[1:] == (1, 1) and self.chance(0.15)
        if self.is_inferred:
            self.grids = [(grid[0], 1, 1) for grid in self.grids]
        self.member_count = prod(self.workgroup)
        self.counts = [prod(grid) * self.member_count for grid in self.grids]
        self.least_slots = min(self.counts)
        self.read_from = set()
        self.steady_slots = []
        self.permutations = set()
        self.shapes: list[dict[str, tuple[int, ...]]] = [{} for _ in self.grids]
        self.elements: dict[str, str] = {}
        self.fills: dict[str, str] = {}
        self.params: dict[str, Any] = {}
        self._forms: dict[str, Form] = {}
        self._zeroed: list[Memref] = []

    # Parameters

    def declare_parameters(self) -> None:
        self.never = self._parameter("never", "i1", False)
        trips = [self.rng.randint(0, 3) for _ in range(self.rng.randint(1, 2))]
        self.trip_params = [
            (self._parameter(f"trips{number}", "index", most), most)
            for number, most in enumerate(trips)
        ]
        for number in range(self.rng.randint(0, 2)):
            type = self.policy.type(self.rng)
            given = self.rng.randint(0, 1) if type == "i1" else self.rng.randint(-9, 9)
            self._parameter(f"given{number}", type, given / 2 if type in FLOATS else given)

    def _parameter(self, name: str, type: str, value: Any) -> Value:
        self.head.append(f'%{name} = vyre.param "{name}" : {type}')
        self.params[name] = value
        param = Value(f"%{name}", type, Level.GRID)
        self.block.values.append(param)
        return param

    # Buffers

    def declare_buffers(self) -> None:
        types = [self.policy.type(self.rng) for _ in range(self.rng.randint(2, 4))]
        types.append(self.rng.choice(ATOMIC_TYPES))
        twins = self.policy.prefers("ping-pong") or self.policy.prefers("carried buffers")
        for number, type in enumerate(types):
            name, kind, form = f"b{number}", self.weighted(dict(KINDS)), self._form()
            self._declare(name, type, kind, form)
            if self.chance(0.7 if twins else 0.15):
                self._declare(f"{name}twin", type, kind, form)
        self._declare("input", self.policy.type(self.rng), "read_only", self._form())
        kind = self.rng.choice(("output", "write_only", "read_write"))
        self.out = self._declare("out", "i64", kind, self._form())
        if self.chance(0.3):
            type = self.rng.choice(("f32", "f64"))
            self._declare("sums", type, "read_write", self._form(), "small")
        if self.chance(0.8 if self.policy.prefers("atomics") else 0.2):
            type = self.rng.choice(ATOMIC_TYPES)
            form = Form()
            self.counter = self._declare("counter", type, "read_write", form, "zeros")

    def _form(self) -> Form:
        if self.is_inferred:
            # The grid is as large as the largest buffer asks for.
            return Form()
        return Form(
            self.rng.choice(("flat", "flat", "flat", "rows", "columns")),
            self.rng.choice((1, 1, 1, 2, 3)),
            self.rng.choice((0, 0, 0, 1, 5)),
            self.chance(0.4),
        )

    def _declare(
        self, name: str, type: str, kind: str, form: Form, fill: str = ""
    ) -> Memref:
        """A buffer that is passed; with a `fill` only few statements may write it."""
        largest = max(self.counts)
        for shapes, count in zip(self.shapes, self.counts):
            shapes[name] = form.shape(largest if form.is_static else count)
        access = "read_write" if kind == "output" else kind
        output = " output" if kind == "output" or self._is_output(kind) else ""
        hints = ("", "", "", " live_out", " cache streaming", " align 16")
        hint = "" if output or kind in ("read_only", "uniform") else self.rng.choice(hints)
        memref = form.memref(largest, type)
        self.head.append(
            f'%{name} = vyre.buffer "{name}" {access} binding {len(self.elements)}'
            f"{output}{hint} : {memref}"
        )
        self.elements[name] = type
        if fill:
            self.fills[name] = fill
        buffer = Buffer(
            name,
            type,
            memref,
            form.width,
            form.layout,
            Level.GRID,
            readable=kind != "write_only",
            writable=kind not in ("read_only", "uniform") and fill != "zeros",
            lingers=self.chance(0.4),
            exact=fill == "small",
        )
        return self._shown(buffer, zeroed=kind == "output")

    def _is_output(self, kind: str) -> bool:
        return kind == "write_only" and self.chance(0.5)

    def _shown(self, buffer: Buffer, *, zeroed: bool) -> Memref:
        memref = Memref(f"%{buffer.name}", (buffer,))
        self.block.memrefs.append(memref)
        if zeroed:
            self._zeroed.append(memref)
        return memref

    def declare_tiles(self) -> None:
        """Workgroup memory."""
        often = 1.0 if self.policy.prefers("workgroup memory") else 0.3
        for name in ("tile", "wide", "third"):
            if not self.chance(often):
                return
            often /= 2.5
            element = self.rng.choice([*self.elements.values()])
            layout = self.rng.choice(("flat", "flat", "rows"))
            width = self.rng.choice((1, 1, 2))
            form = Form(layout, width, self.rng.choice((0, 0, 3)), is_static=True)
            memref = form.memref(self.member_count, element)
            self.head.append(f'%{name} = vyre.buffer "{name}" workgroup : {memref}')
            buffer = Buffer(
                name, element, memref, width, layout, Level.GROUP, lingers=self.chance(0.4)
            )
            self._shown(buffer, zeroed=True)
            self.has_tiles = True

    def initialise(self) -> None:
        """Write all memory that starts as zeros; to rely on these counts as a mistake."""
        for memref in self._zeroed:
            slot = self.rng.choice(
                [s for s in self.slots(memref.like) if s.name in self.permutations]
            )
            self.roles.claim(memref, owned(slot))
            for part in range(memref.like.width):
                self.store_at(memref, slot, self.value(memref.like.element, depth=0), part)

    # Numbers

    def count_invocations(self) -> None:
        """Number invocations, and permute the numbers."""
        if len(self.counts) == 1 and self.chance(0.3):
            self.slot_count = self.index(self.counts[0])
        else:
            self.slot_count = self._product("vyre.workgroup_count", "vyre.workgroup_size")
        self.number = self._linear("invocation", "vyre.invocation_id")
        local = self._linear("local", "vyre.local_id")
        self.block.values += [self.number, local, self.slot_count]
        self.group_number = self.define("vyre.workgroup_id x", "index", Level.GROUP)
        self.block.slots = [self.number, *self._permuted(self.number, self.slot_count)]
        self.block.members = [local]
        if self.has_tiles:
            self.block.members += self._permuted(local, self.index(self.member_count))
        self.steady_slots = list(self.block.slots)
        self.permutations = {s.name for s in (*self.block.slots, *self.block.members)}

    def _product(self, *ops: str) -> Value:
        """Of what the operations give along all axes that matter."""
        axes = "x" if self._is_flat() else "xyz"
        total, *others = (
            self.hidden(f"{op} {axis}", "index", Level.GRID) for op in ops for axis in axes
        )
        for factor in others:
            text = f"arith.muli {total.name}, {factor.name} : index"
            total = self.hidden(text, "index", Level.GRID)
        return total

    def _is_flat(self) -> bool:
        return all(extent[1:] == (1, 1) for extent in (self.workgroup, *self.grids))

    def _linear(self, scope: str, op: str) -> Value:
        """The number of this invocation in the grid or in its workgroup."""
        if self._is_flat() and self.chance(0.7):
            return self.hidden(f"{op} x", "index", Level.LANE)
        if self._is_flat() or scope == "local" or self.chance(0.6):
            return self.hidden(f"vyre.linear_id {scope}", "index", Level.LANE)
        # Another numbering that is as good: workgroup by workgroup.
        group = self.hidden("vyre.linear_id workgroup", "index", Level.GROUP)
        size = self._product("vyre.workgroup_size")
        local = self.hidden("vyre.linear_id local", "index", Level.LANE)
        text = f"arith.muli {group.name}, {size.name} : index"
        first = self.hidden(text, "index", Level.GROUP)
        text = f"arith.addi {first.name}, {local.name} : index"
        return self.hidden(text, "index", Level.LANE)

    def _permuted(self, number: Value, count: Value) -> list[Value]:
        counts = self.counts if count is self.slot_count else [self.member_count]
        many = self.rng.randint(1, 2)
        return [self._permutation(number, count, counts) for _ in range(many)]

    def _permutation(self, number: Value, count: Value, counts: list[int]) -> Value:
        """The numbers below one of these counts in another order."""

        def apply(op: str, a: Value, b: Value) -> Value:
            return self.hidden(
                f"arith.{op} {a.name}, {b.name} : index", "index", Level.LANE
            )

        powers = all(each & (each - 1) == 0 for each in counts)
        match self.rng.choice(("reversed", "affine", "affine", "flipped")):
            case "reversed":
                return apply("subi", apply("subi", count, number), self.index(1))
            case "flipped" if powers:
                return apply("xori", number, self.index(self.rng.randrange(min(counts))))
            case _:
                factors = [f for f in FACTORS if all(gcd(f, each) == 1 for each in counts)]
                scaled = apply("muli", number, self.index(self.rng.choice(factors)))
                moved = apply("addi", scaled, self.index(self.rng.randint(0, 9)))
                return apply("remui", moved, count)


FACTORS = (1, 3, 5, 7, 11, 13)


def geometry(rng: Random, *, large: bool) -> tuple[Extent, list[Extent]]:
    """The size of workgroups and one or two grids, with up to about 80 invocations."""
    axes = rng.choice((1, 1, 1, 2, 3))
    grids: list[Extent]
    if axes == 1:
        workgroup = (rng.choice(LARGE_SIZES if large else SIZES), 1, 1)
        choices = [n for n in (1, 2, 3, 4, 5, 7, 11) if n == 1 or n * workgroup[0] <= 80]
        grids = [(count, 1, 1) for count in rng.sample(choices, min(2, len(choices)))]
    else:
        x, y, z = (rng.choice((1, 2, 2, 3, 4)) for _ in range(3))
        workgroup = (x, y, z if axes == 3 and x * y <= 6 else 1)
        x, y, z = (rng.choice((1, 2, 3)) for _ in range(3))
        few = prod(workgroup) > 8
        grid = (x, 1 if few else y, z if axes == 3 and not few else 1)
        grids = [grid, (grid[0], grid[1] + 1, grid[2])]
    return workgroup, grids if rng.random() < 0.3 else grids[:1]
