"""Loops, and what they carry: divergent ones, and uniform ones with barriers inside."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from grid_memory import FLAG, SHARED, Level, Memref, Value
from grid_sequences import MOST_HEAT, Plan, Sequences
from grid_statements import ATOMIC_TYPES
from grid_writer import Block

COUNTERS = ("index", "i32", "i64", "i8")


@dataclass(frozen=True)
class Carried:
    """Names of what a loop carries; each memref may stand for any of the loop's buffers."""

    values: tuple[Value, ...]
    memrefs: tuple[Memref, ...]

    @property
    def names(self) -> list[str]:
        return [one.name for one in (*self.values, *self.memrefs)]

    @property
    def types(self) -> list[str]:
        return [v.type for v in self.values] + [m.like.memref for m in self.memrefs]

    def show(self, block: Block, level: Level = Level.GRID) -> None:
        """Let others use the names; values are at least as divergent as the level."""
        block.values += [replace(v, level=max(v.level, level)) for v in self.values]
        block.memrefs += self.memrefs


@dataclass(frozen=True)
class Trips:
    """Bounds of a loop, and how often it runs at most."""

    bounds: tuple[Value, Value, Value]
    most: int

    @property
    def level(self) -> Level:
        return max(bound.level for bound in self.bounds)


class Loops(Sequences):
    """Writes loops of the usual forms."""

    trip_params: Sequence[tuple[Value, int]] = ()
    """Parameters that bound loops, and their values."""

    def inner_level(self) -> Level:
        """How uniform the control of a nested block shall be."""
        weights = {Level.GRID: 5, Level.GROUP: 1, Level.LANE: 2.5}
        return self.weighted(
            {level: weights[level] for level in Level if level >= self.control}
        )

    def hand_on(self, op: str, names: Sequence[str], types: Sequence[str]) -> None:
        if names:
            self.line(f"{op} {', '.join(names)} : {', '.join(types)}")
        elif op == "scf.yield":
            self.line(op)

    # What loops carry

    def _carried(self, level: Level) -> tuple[Carried, Carried]:
        """What a loop starts with, and the names that its body has for it."""
        types: list[str] = []
        for _ in range(self.rng.choice((0, 1, 1, 2, 2, 3))):
            again = types and self.chance(0.6)
            types.append(types[-1] if again else self.policy.type(self.rng))
        uniform = level is Level.GRID and self.control is Level.GRID
        levels = [Level.GRID if uniform and self.chance(0.4) else Level.LANE for _ in types]
        starts = tuple(map(self.value, types, levels))
        values = tuple(Value(self.fresh(), *both) for both in zip(types, levels))
        buffers = self._carried_buffers() if uniform else []
        sources = tuple(dict.fromkeys(b for memref in buffers for b in memref.sources))
        memrefs = tuple(Memref(self.fresh("m"), sources) for _ in buffers)
        return Carried(starts, tuple(buffers)), Carried(values, memrefs)

    def _carried_buffers(self) -> list[Memref]:
        """Two or three memrefs that are alike, rarely."""
        if not self.chance(0.7 if self.policy.prefers("carried buffers") else 0.12):
            return []
        visible = self.memrefs(lambda _: True)
        one = self.some(visible)
        others = [memref for memref in visible if alike(memref, one)]
        return self.rng.sample(others, min(len(others), self.rng.choice((2, 2, 3))))

    def renamed(self, carried: Carried) -> Carried:
        return Carried(
            tuple(replace(value, name=self.fresh()) for value in carried.values),
            tuple(Memref(self.fresh("m"), m.sources) for m in carried.memrefs),
        )

    def _passed_on(self, carried: Carried) -> list[str]:
        """What a trip hands to the next one: old or new values, often in other places."""
        handed: list[str] = []
        rotates = self.chance(0.4)
        for value in carried.values:
            alike = [
                v for v in carried.values if (v.type, v.level) == (value.type, value.level)
            ]
            following = alike[(alike.index(value) + 1) % len(alike)]
            if rotates and following is not value:
                handed.append(following.name)
            elif self.chance(0.2):
                handed.append(value.name)
            else:
                handed.append(self.value(value.type, value.level).name)
        memrefs = [memref.name for memref in carried.memrefs]
        way = self.weighted({"rotate": 6, "keep": 1, "twice": 1})
        if way == "rotate":
            memrefs = memrefs[1:] + memrefs[:1]
        elif way == "twice":
            memrefs = memrefs[:1] * len(memrefs)
        return handed + memrefs

    # Counted loops

    def count(self) -> None:
        level = self.inner_level()
        trips = self.trips(level)
        starts, arguments = self._carried(level)
        results, phase = self.renamed(arguments), self.roles.phase
        counter = Value(self.fresh(), "index", trips.level)
        self.for_head(results, counter, trips, starts, arguments)
        with self.inside(level, trips.most):
            arguments.show(self.block)
            self.block.values.append(counter)
            self.sequence(self.plan(level), phase)
            self.hand_on("scf.yield", self._passed_on(arguments), arguments.types)
        self.line("}")
        results.show(self.block, trips.level)

    def for_head(
        self,
        results: Carried,
        counter: Value,
        trips: Trips,
        starts: Carried,
        inner: Carried,
    ) -> None:
        low, high, step = (bound.name for bound in trips.bounds)
        pairs = [f"{a} = {b}" for a, b in zip(inner.names, starts.names)]
        carries = f" iter_args({', '.join(pairs)}){arrow(inner.types)}" if pairs else ""
        self.line(
            f"{assigned(results.names)}scf.for {counter.name} = {low} to {high} "
            f"step {step}{carries} {{"
        )

    def trips(self, level: Level) -> Trips:
        cap = 3 if self.heat == 1 else 2 if self.heat * 2 <= MOST_HEAT else 1
        low, step = self.index(0), self.index(1)
        params = [(param, most) for param, most in self.trip_params if most <= cap]
        match self.weighted(
            {"literal": 3, "param": 2 if params else 0, "data": 3, "odd": 1}
        ):
            case "literal":
                number = self.rng.randint(0 if self.chance(0.2) else 1, cap)
                return Trips((low, self.index(number), step), number)
            case "param":
                param, most = self.rng.choice(params)
                return Trips((low, param, step), most)
            case "data":
                number = self.value(self.rng.choice(("index", "index", "i32")), level)
                number = self.converted(number, "index")
                text = f"arith.remui {number.name}, {self.index(cap + 1).name} : index"
                return Trips((low, self.hidden(text, "index", number.level), step), cap)
            case _:
                begin, step = self.rng.randint(-3, 3), self.rng.choice((2, 3, 2**62))
                end = begin + self.rng.randint(-2, min(cap * step, 9))
                bounds = self.index(begin), self.index(end), self.index(step)
                return Trips(bounds, max(0, -((begin - end) // step)))

    # Loops with a condition

    def converge(self) -> bool:
        """A loop that goes on depending on what a trip has stored for all to see."""
        flags = self.memrefs(
            lambda m: (
                m.like.element in ATOMIC_TYPES
                and m.like.scope is Level.GRID
                and m.like.writable
                and m.like.readable
                and not m.like.exact
                and not any(buffer.lingers for buffer in m.sources)
                and self.roles.fits(m, SHARED)
            )
        )
        if not flags or self.control is not Level.GRID or self.heat * 3 > MOST_HEAT:
            return False
        flag = self.some(flags)
        self.roles.claim(flag, SHARED)
        self.repeat(flag)
        return True

    def repeat(self, flag: Memref | None) -> None:
        """A `while` with a counter; code, and barriers, before and after its condition."""
        level = self.inner_level() if flag is None else Level.GRID
        cap = 3 if self.heat == 1 else 2 if self.heat * 2 <= MOST_HEAT else 1
        starts, inner = self._carried(level)
        type = self.rng.choice(COUNTERS)
        zero, counter = self.constant(type, 0), Value(self.fresh(), type, Level.GRID)
        start = self.roles.phase
        plans = self._loop_plans(level, cap, flag)
        tested = self.phase_after(
            grid=all(plan.grid_barriers for plan in plans),
            group=all(plan.barriers for plan in plans),
        )
        head = len(self.lines)
        self.line("")
        with self.inside(level, cap + 1):
            inner.show(self.block)
            self.block.values.append(counter)
            self.sequence(plans[0], tested)
            condition = self._goes_on(level, counter, cap, flag)
            forwarded = self._forwarded(inner)
            given = [counter.name, *forwarded.names]
            types = [type, *forwarded.types]
            self.hand_on(f"scf.condition({condition.name})", given, types)
        number, after = Value(self.fresh(), type, Level.GRID), self.renamed(forwarded)
        results, total = (
            self.renamed(forwarded),
            Value(self.fresh(), type, condition.level),
        )
        pairs = zip([counter.name, *inner.names], [zero.name, *starts.names])
        self.lines[head] = (
            f"{assigned([total.name, *results.names])}scf.while "
            f"({', '.join(f'{a} = {b}' for a, b in pairs)}) : "
            f"({', '.join([type, *inner.types])}) -> ({', '.join(types)}) {{"
        )
        arguments = zip([number.name, *after.names], types)
        self.line("} do {\n^do(" + ", ".join(f"{a}: {t}" for a, t in arguments) + "):")
        with self.inside(level, cap):
            after.show(self.block)
            self.block.values.append(number)
            if flag is not None:
                plans[1].midway = lambda: self._raise(flag, number)
            self.sequence(plans[1], start)
            self._again(number, after, inner)
        self.line("}")
        self.roles.phase = tested
        results.show(self.block, condition.level)
        self.block.values.append(total)

    def _loop_plans(self, level: Level, cap: int, flag: Memref | None) -> list[Plan]:
        """What comes before the condition, and after it."""
        with self.inside(level, cap):
            after = self.plan(level, least=2 if flag is not None else 0)
            busy = flag is None and self.chance(0.4)
            return [
                self.plan(level) if busy else Plan([self.rng.randint(0, 1)], 0, 0),
                after,
            ]

    def _goes_on(
        self, level: Level, counter: Value, cap: int, flag: Memref | None
    ) -> Value:
        """Whether there is another trip; not too often, and mostly for another reason."""
        limit = self.constant(
            counter.type, self.rng.randint(0 if self.chance(0.1) else 1, cap)
        )
        text = f"arith.cmpi slt, {counter.name}, {limit.name} : {counter.type}"
        within = self.hidden(text, "i1", Level.GRID)
        if flag is not None:
            seen = self.load_at(flag, self.index(0), uniform=True)
            other = self.value(seen.type, Level.GRID)
            predicate = self.rng.choice(("ne", "ne", "sle", "ugt"))
            text = f"arith.cmpi {predicate}, {seen.name}, {other.name} : {seen.type}"
            reason = self.hidden(text, "i1", Level.GRID)
        elif self.chance(0.6):
            reason = self.condition(level)
        else:
            return within
        text = f"arith.andi {within.name}, {reason.name} : i1"
        return self.define(text, "i1", reason.level)

    def _forwarded(self, inner: Carried) -> Carried:
        """What the condition passes on: of the same types, and maybe one value more."""
        values = [
            self.value(value.type, value.level) if self.chance(0.4) else value
            for value in inner.values
        ]
        if self.chance(0.3):
            values.append(self.value(self.policy.type(self.rng)))
        memrefs = inner.memrefs
        return Carried(
            tuple(values), memrefs[1:] + memrefs[:1] if self.chance(0.3) else memrefs
        )

    def _again(self, number: Value, after: Carried, inner: Carried) -> None:
        """Add to the counter and hand on what the next trip needs."""
        one = self.constant(number.type, 1)
        text = f"arith.addi {number.name}, {one.name} : {number.type}"
        following = self.hidden(text, number.type, Level.GRID)
        # Values have become as divergent as they were declared, so take these levels.
        values = [replace(a, level=i.level) for a, i in zip(after.values, inner.values)]
        handed = self._passed_on(Carried(tuple(values), after.memrefs))
        types = [number.type, *inner.types]
        self.hand_on("scf.yield", [following.name, *handed], types)

    def _raise(self, flag: Memref, number: Value) -> None:
        if self.roles.fits(flag, FLAG):
            same = number.type == flag.like.element
            self.raise_flag(flag, number if same and self.chance(0.6) else None)


def alike(one: Memref, other: Memref) -> bool:
    """Whether a loop may carry two memrefs in one another's place."""
    return {replace(buffer, name="") for buffer in one.sources} == {
        replace(buffer, name="") for buffer in other.sources
    }


def assigned(names: Sequence[str]) -> str:
    return f"{', '.join(names)} = " if names else ""


def arrow(types: Sequence[str]) -> str:
    return f" -> ({', '.join(types)})" if types else ""
