"""
Shapes that chance alone makes rarely, and that are easy to split in a wrong way: buffers
that plain code gives, buffers of different access that one loop carries, regions that hand
out what was there before, and values that a loop outdates.
"""

from collections.abc import Callable

from grid_branches import Branches
from grid_expressions import COMPARE_FLOATS, COMPARE_INTEGERS, conversion
from grid_loops import Carried, Shape, Trips, kind_of
from grid_memory import SHARED, Level, Memref, Value
from grid_policies import FLOATS, TYPES
from grid_sequences import MOST_HEAT
from grid_writer import Block

SHAPES = ("given_buffer", "two_families", "outdated")
"""Those that have statements inside."""


class Shapes(Branches):
    """Writes such shapes, and lets the values in question show."""

    # How a value shows

    def use(self, value: Value) -> None:
        """Store a value, or go by it where control or an access goes."""
        is_integer = value.type not in FLOATS
        ways: dict[str, float] = {"store": 3, "index": 2 if is_integer else 0, "decide": 1}
        match self.weighted(ways):
            case "index":
                self._store_something(self._load_by(value) or value)
            case "decide" if self._decides(value):
                self._decide(value)
            case _:
                self._store_something(value)

    def _store_something(self, value: Value) -> None:
        """Store a value in whatever memory may take it."""
        memrefs = [
            memref
            for memref in self.writable(*TYPES)
            if (self.roles.role(memref) or ("owned",))[0] == "owned"
            and (
                memref.like.element == value.type
                or conversion(value.type, memref.like.element)
            )
        ]
        if memrefs:
            memref = self.some(memrefs)
            self.store_to(memref, self.converted(value, memref.like.element))

    def _load_by(self, value: Value) -> Value | None:
        """A load at an index that an integer gives."""
        memrefs = self.memrefs(
            lambda m: (
                m.like.readable
                and m.like.scope is Level.GRID
                and self.roles.fits(m, SHARED)
            )
        )
        if not memrefs:
            return None
        memref = self.some(memrefs)
        self.roles.claim(memref, SHARED)
        slot = self.in_range(self.converted(value, "index"))
        return self.load_at(memref, slot, uniform=True)

    def _holds_barriers(self) -> bool:
        """Whether a loop with grid barriers may stand here."""
        is_uniform = self.control is Level.GRID
        return is_uniform and self.depth < 4 and self.heat * 3 <= MOST_HEAT

    def _decides(self, value: Value) -> bool:
        return value.level is Level.GRID and self._holds_barriers()

    def _decide(self, value: Value) -> None:
        """Control with a grid barrier in it that goes by a uniform value."""
        if value.type in (*FLOATS, "i1") or self.chance(0.5):
            self.branch(self._test(value))
        else:
            self.count(Shape(Level.GRID, trips=self.trips_by(value), barriers=1))

    def _test(self, value: Value) -> Value:
        if value.type == "i1":
            return value
        is_float = value.type in FLOATS
        predicate = self.rng.choice(COMPARE_FLOATS if is_float else COMPARE_INTEGERS)
        op = f"arith.cmp{'f' if is_float else 'i'} {predicate}"
        other = self.constant(value.type, "1.0" if is_float else self.rng.randint(0, 5))
        text = f"{op}, {value.name}, {other.name} : {value.type}"
        return self.define(text, "i1", Level.GRID)

    def _use_late(self, value: Value) -> None:
        """Use a value behind a grid barrier, or where it decides about one."""
        if self._decides(value) and self.chance(0.5):
            self._decide(value)
        elif self.rest.grid_barriers == 0 and self._holds_barriers():
            self.count(Shape(Level.GRID, barriers=2, midway=lambda: self.use(value)))
        self.block.later.append(lambda: self.use(value))

    def touch(self, memref: Memref) -> None:
        """Read or write a buffer, if its role allows it."""
        reads = memref.like.readable and (not memref.like.writable or self.chance(0.5))
        if reads:
            self.load_from(memref)
        elif memref in self.writable(*TYPES):
            self.store_to(memref)

    # Buffers that plain code gives

    def given_buffer(self) -> bool:
        """Read from what a loop without barriers, or a region, gives."""
        family = self._pair(lambda m: m.like.readable)
        if self.control is not Level.GRID or not family:
            return False
        memref = self._given(family)
        value = self._read(memref)
        if value is not None:
            self._use_late(value)
        return True

    def _given(self, family: tuple[Memref, ...]) -> Memref:
        match self.weighted({"for": 3, "while": 2, "region": 2}):
            case "for":
                shape = Shape(Level.GRID, families=(family,), is_plain=True)
                memref = self.rng.choice(self.count(shape).memrefs)
            case "while":
                shape = Shape(Level.GRID, families=(family,), is_plain=True)
                memref = self.rng.choice(self.repeat(None, shape).memrefs)
            case _:
                return self._handed(self.rng.choice(family))
        return self._handed(memref) if self.chance(0.3) else memref

    def _handed(self, memref: Memref) -> Memref:
        """The buffer as a region hands it out."""
        result = Memref(self.fresh("m"), memref.sources)
        self._write_region([result.name], [memref.like.memref], [memref.name])
        self.block.memrefs.append(result)
        return result

    def _read(self, memref: Memref) -> Value | None:
        way = self.weighted({"length": 1.5, "literal": 2, "uniform": 2, "own": 2})
        if way == "length":
            return self.length_of(memref)
        if way == "literal" and self.roles.fits(memref, SHARED):
            self.roles.claim(memref, SHARED)
            return self.load_at(memref, self.index(0), uniform=True)
        level = Level.LANE if way == "own" else memref.like.scope
        return self.load_from(memref, level) or self.load_from(memref)

    def _pair(self, fits: Callable[[Memref], bool]) -> tuple[Memref, ...]:
        """A family of different buffers, if there is one."""
        kinds: dict[object, list[Memref]] = {}
        for memref in self.memrefs(fits):
            kinds.setdefault(kind_of(memref), []).append(memref)
        pairs = [f for f in kinds.values() if len({m.sources for m in f}) > 1]
        if not pairs:
            return ()
        family = self.rng.choice(pairs)
        return tuple(self.rng.sample(family, min(len(family), self.rng.choice((2, 2, 3)))))

    # Families of buffers

    def two_families(self) -> bool:
        """A loop around barriers that carries buffers of different access."""
        if not self._holds_barriers():
            return False
        first = self._pair(lambda m: not m.like.writable)
        second = self._pair(lambda m: m.like.writable)
        if not first or not second:
            return False
        both = (first, second) if self.chance(0.5) else (second, first)

        def begin(carried: Carried) -> None:
            for memref in (*carried.memrefs, *first, *second):
                if self.chance(0.7):
                    self.touch(memref)

        shape = Shape(Level.GRID, both, barriers=1, begin=begin)
        if self.chance(0.7):
            self.count(shape)
        else:
            self.repeat(None, shape)
        return True

    # Regions

    def hand_out(self) -> bool:
        """A region that gives what there was before the last barrier, again."""
        values = [v for block in self.blocks for v in block.values if self.is_old(v)]
        memrefs = self.memrefs(lambda m: m.name.startswith("%m") and self.is_old(m))
        everything = [*values, *memrefs]
        given_again = [one for one in everything if one.name in self.handed_out]
        read = [value for value in values if value.name in self.kept]
        pools = [pool for pool in (values, memrefs, given_again, read) if pool]
        if not pools:
            return False
        given = [self.some(self.rng.choice(pools)) for _ in range(self.rng.randint(1, 3))]
        results = [self._renamed(one) for one in given]
        self._write_region(
            [one.name for one in results],
            [one.type if isinstance(one, Value) else one.like.memref for one in given],
            [one.name for one in given],
        )
        for one in results:
            if isinstance(one, Memref):
                self.block.memrefs.append(one)
            elif self.chance(0.75):
                self.block.values.append(one)
                if self.chance(0.5):
                    self.use(one)
        return True

    def _renamed(self, one: Value | Memref) -> Value | Memref:
        if isinstance(one, Memref):
            return Memref(self.fresh("m"), one.sources)
        return Value(self.fresh(), one.type, one.level)

    def _write_region(self, names: list[str], types: list[str], given: list[str]) -> None:
        """A region with little in it that hands these out, maybe out of another one."""
        self.handed_out.update(names)
        self.line(self.region_head(names, types))
        self.blocks.append(Block(is_region=True))
        if self.chance(0.4):
            self.compute()
        if self.chance(0.2):
            inner = [self.fresh("r") for _ in given]
            self.line(self.region_head(inner, types))
            self.line(f"vyre.yield {', '.join(given)} : {', '.join(types)}\n}}")
            given = inner
        self.blocks.pop()
        self.line(f"vyre.yield {', '.join(given)} : {', '.join(types)}\n}}")

    # Values that a loop outdates

    def outdated(self) -> bool:
        """Values read before a loop, and in each trip, that the loop overwrites then."""
        if not self._holds_barriers():
            return False
        memrefs = [m for m in self.writable(*TYPES) if m.like.readable]
        if self.chance(0.4):
            memrefs = [m for m in memrefs if m.like.scope is Level.GROUP] or memrefs
        memref = self.some(memrefs) if memrefs else None
        value = None if memref is None else self._read_somehow(memref)
        if memref is None or value is None:
            return False

        def begin(carried: Carried) -> Value | None:
            self.use(self.rng.choice((value, carried.values[0])))
            again = self.load_from(memref, value.level)
            return again if self.chance(0.7) else None

        shape = Shape(
            Level.GRID,
            trips=self._several_trips(),
            barriers=2,
            first=value,
            begin=begin,
            midway=lambda: self._overwrite(memref),
        )
        results = self.count(shape) if self.chance(0.7) else self.repeat(None, shape)
        self.use(self.rng.choice((value, results.values[0])))
        return True

    def _read_somehow(self, memref: Memref) -> Value | None:
        level = memref.like.scope if self.chance(0.4) else Level.LANE
        return self.load_from(memref, level) or self.load_from(memref)

    def _several_trips(self) -> Trips | None:
        if self.chance(0.5):
            return None
        bounds = self.index(0), self.index(self.most_trips()), self.index(1)
        return Trips(bounds, self.most_trips())

    def _overwrite(self, memref: Memref) -> None:
        """Write all elements of a buffer that belong to somebody."""
        slot = self.own_slot(memref)
        if slot is not None:
            for part in range(memref.like.width):
                self.store_at(memref, slot, self.value(memref.like.element), part)
