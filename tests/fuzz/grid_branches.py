"""Branches, also with barriers inside."""

from grid_loops import Loops, arrow, assigned
from grid_memory import Level, Value
from grid_sequences import Plan


class Branches(Loops):
    """Writes branches of the usual form."""

    def branch(self, decides: Value | None = None) -> None:
        """Any branch; or one with a grid barrier, that depends on a uniform value."""
        level = self.inner_level() if decides is None else Level.GRID
        condition = decides or self.condition(level)
        types = [self.policy.type(self.rng) for _ in range(self.rng.choice((0, 0, 1, 2)))]
        plans = [self.plan(level, least=0 if decides is None else 1)]
        if types or self.chance(0.4):
            plans.append(self.plan(level) if self.chance(0.6) else Plan([1], 0, 0))
        both = len(plans) == 2
        end = self.phase_after(
            grid=both and all(plan.grid_barriers for plan in plans),
            group=both and all(plan.barriers for plan in plans),
        )
        results = [self.fresh() for _ in types]
        levels = [condition.level for _ in types]
        self.line(assigned(results) + f"scf.if {condition.name}{arrow(types)} {{")
        start = self.roles.phase
        for number, plan in enumerate(plans):
            if number == 1:
                self.line("} else {")
            self.roles.phase = start
            with self.inside(level):
                self.sequence(plan, end)
                given = [self.value(type) for type in types]
                self.hand_on("scf.yield", [v.name for v in given], types)
                levels = [max(one, v.level) for one, v in zip(levels, given)]
        self.line("}")
        self.roles.phase = end
        self.block.values += map(Value, results, types, levels)
