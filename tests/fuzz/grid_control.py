"""Any statement: branches, loops of certain shapes, and all that others write."""

from grid_loops import Carried, Loops, Trips, alike, arrow, assigned
from grid_memory import PING_PONG, SHARED, Level, Memref, Phase, Value
from grid_sequences import MOST_HEAT, Plan
from typing_extensions import override


class Control(Loops):
    """Writes any statement; `budget` is about how many are left."""

    budget = 0

    @override
    def statements(self, count: int) -> None:
        for _ in range(count):
            weights = dict(self.policy.weights)
            if self.budget <= 0 or self.depth >= 4:
                for name in ("if", "for", "while", "ping_pong", "converge", "pipeline"):
                    weights[name] = 0
            self.budget -= 1
            while not self._statement(kind := self.weighted(weights)):
                weights[kind] = 0

    def _statement(self, kind: str) -> bool:
        """Write a statement of this kind, unless nothing allows it here."""
        match kind:
            case "compute":
                self.compute()
            case "let":
                self.let()
            case "if":
                self.branch()
            case "for":
                self.count()
            case "while":
                self.repeat(None)
            case _:
                return bool(getattr(self, "end" if kind == "return" else kind)())
        return True

    # Branches

    def branch(self) -> None:
        level = self.inner_level()
        types = [self.policy.type(self.rng) for _ in range(self.rng.choice((0, 0, 1, 2)))]
        plans = [self.plan(level)]
        if self.chance(0.25):
            value = self.among(level)
            values = self.rng.sample(range(-1, 7), self.rng.choice((1, 2, 2, 3, 5)))
            gives = f" -> {', '.join(types)}" if types else ""
            head = f"scf.index_switch {value.name}{gives}\ncase {values[0]} {{"
            joints = [f"}}\ncase {each} {{" for each in values[1:]] + ["}\ndefault {"]
            self._arms(level, value, head, joints, plans, types)
            return
        condition = self.condition(level)
        joints = ["} else {"] if types or self.chance(0.4) else []
        head = f"scf.if {condition.name}{arrow(types)} {{"
        self._arms(level, condition, head, joints, plans, types)

    def _arms(
        self,
        level: Level,
        decider: Value,
        head: str,
        joints: list[str],
        plans: list[Plan],
        types: list[str],
    ) -> None:
        """Write the arms of a branch, with a line between any two."""
        for _ in joints:
            plans.append(self.plan(level) if self.chance(0.6) else Plan([1], 0, 0))
        end = self.phase_after(
            grid=bool(joints) and all(plan.grid_barriers for plan in plans),
            group=bool(joints) and all(plan.barriers for plan in plans),
        )
        results = [self.fresh() for _ in types]
        levels = [decider.level for _ in types]
        start = self.roles.phase
        for opening, plan in zip([assigned(results) + head, *joints], plans):
            self.line(opening)
            self.roles.phase = start
            with self.inside(level):
                self.sequence(plan, end)
                given = [self.value(type) for type in types]
                self.hand_on("scf.yield", [v.name for v in given], types)
                levels = [max(one, v.level) for one, v in zip(levels, given)]
        self.line("}")
        self.roles.phase = end
        self.block.values += map(Value, results, types, levels)

    # Loops of a certain shape

    def uniform_sum(self) -> bool:
        """A loop over elements that nobody writes, which gives everyone the same."""
        memrefs = self.memrefs(
            lambda m: (
                m.like.scope is Level.GRID
                and m.like.readable
                and m.like.layout == "flat"
                and m.like.element not in ("i1", "f16", "f32", "f64")
                and not any(buffer.lingers for buffer in m.sources)
                and self.roles.fits(m, SHARED)
            )
        )
        if not memrefs:
            return False
        memref = self.some(memrefs)
        self.roles.claim(memref, SHARED)
        type = memref.like.element
        start = self.value(type, Level.GRID)
        trips = Trips(
            (self.index(0), self.index(min(3, self.least_slots)), self.index(1)), 3
        )
        total, inner = (Carried((Value(self.fresh(), type, Level.GRID),), ()) for _ in "ab")
        counter = Value(self.fresh(), "index", Level.GRID)
        self.for_head(total, counter, trips, Carried((start,), ()), inner)
        with self.nested(Level.GRID):
            seen = self.load_at(memref, counter, uniform=True)
            op = self.rng.choice(("addi", "xori", "maxsi", "minui"))
            text = f"arith.{op} {inner.names[0]}, {seen.name} : {type}"
            self.line(f"scf.yield {self.hidden(text, type, Level.GRID).name} : {type}")
        self.line("}")
        total.show(self.block)
        return True

    def ping_pong(self) -> bool:
        """Two buffers that change places: one is read anywhere, the other is written."""
        free = self.memrefs(
            lambda m: (
                len(m.sources) == 1
                and m.like.readable
                and m.like.writable
                and not m.like.exact
                and m.like.scope is Level.GRID
                and self.roles.fits(m, PING_PONG)
            )
        )
        pairs = [
            (a, b) for a in free for b in free if a.sources != b.sources and alike(a, b)
        ]
        if not pairs or self.control is not Level.GRID or self.heat * 3 > MOST_HEAT:
            return False
        self._ping_pong(*self.rng.choice(pairs))
        return True

    def _ping_pong(self, one: Memref, other: Memref) -> None:
        sources = (one.like, other.like)
        self.roles.claim(Memref("", sources), PING_PONG)
        start, trips = self.roles.phase, self.trips(Level.GRID)
        inner = Carried((), tuple(Memref(self.fresh("m"), sources) for _ in "ab"))
        results = self.renamed(inner)
        counter = Value(self.fresh(), "index", Level.GRID)
        self.for_head(results, counter, trips, Carried((), (one, other)), inner)
        with self.inside(Level.GRID, trips.most):
            self.block.values.append(counter)
            for left in reversed(range(self.rng.choice((1, 1, 2)))):
                self._exchange(*self.rng.sample(inner.memrefs, 2))
                self.line("vyre.barrier grid_sync")
                self.roles.phase = start if left == 0 else self._new_phase()
            again = [inner.memrefs[1].name, inner.memrefs[0].name]
            self.hand_on("scf.yield", again, inner.types)
        self.line("}")
        results.show(self.block)

    def _new_phase(self) -> Phase:
        phase = Phase(self.roles.new_phase(), self.roles.new_phase())
        self.keep_flying(phase)
        return phase

    def _exchange(self, origin: Memref, target: Memref) -> None:
        """Read one buffer anywhere, and write the other at a slot of one's own."""
        self.roles.claim(origin, PING_PONG)
        type = origin.like.element
        seen = self.load_at(origin, self.readable_slot(origin, Level.LANE))
        other = self.load_at(origin, self.rng.choice(self.steady_slots))
        op = "xori" if type not in ("f16", "f32", "f64") else "addf"
        text = f"arith.{op} {seen.name}, {other.name} : {type}"
        value = (
            self.define(text, type, Level.LANE) if self.chance(0.7) else self.value(type)
        )
        self.store_at(target, self.rng.choice(self.steady_slots), value)

    def pipeline(self) -> bool:
        """A loop in which each trip waits for a copy that the one before has started."""
        if self.control is not Level.GRID or self.heat * 3 > MOST_HEAT:
            return False
        found = self.copy_operands(lingering=True)
        if found is None:
            return False
        source, target, slot = found
        self.roles.claim(source, SHARED)
        begin = self.some(self.slots(source.like))
        start, trips = self.roles.phase, self.trips(Level.GRID)
        token, inner, last = self.fresh("t"), self.fresh("t"), self.fresh("t")
        self.start_copy(token, source, begin, target, slot)
        low, high, step = (bound.name for bound in trips.bounds)
        self.line(
            f"{last} = scf.for {self.fresh()} = {low} to {high} step {step} "
            f"iter_args({inner} = {token}) -> (!vyre.token) {{"
        )
        flight = self.take_off(last, source, target, slot)
        with self.inside(Level.GRID, trips.most):
            self.line(f"vyre.async_wait {inner}")
            self.sequence(self.plan(Level.GRID), start)
            again = self.fresh("t")
            self.start_copy(again, source, begin, target, slot)
            self.line(f"scf.yield {again} : !vyre.token")
        self.line("}")
        if self.chance(0.4):
            self.land(flight, self.block)
        return True
