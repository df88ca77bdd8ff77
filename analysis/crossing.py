"""
Which values cross from one run to another, and the cheapest sound way for each.

After a program is cut, a run can use a value of another one only if the host passes it, if
it is recomputed, or if it is kept in scratch: for each invocation, once per workgroup if it
is the same there, or once if it is the same in the whole grid. Values that loops carry and
branches give are variables in scratch (see `vyre.analysis.variables`), unless the host has
them (see `vyre.analysis.host_values`).

Which values are kept and which are recomputed is decided by minimum cuts; see
`vyre.analysis.keeping`.

Why it is sound: a value is recomputed only where this gives the same bits in every run that
needs it; a kept value is stored in the run that computes it, which dominates all its uses,
and by nothing else until the last of them (see `vyre.analysis.slots`). Effects are never
executed again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue

from vyre.analysis.buffer_sources import buffer_sources, is_memref
from vyre.analysis.host_values import HostValues
from vyre.analysis.keeping import Keeping
from vyre.analysis.positions import Role
from vyre.analysis.recomputation import Writers
from vyre.analysis.spine import TABLE_OPS, Holder, Spine
from vyre.analysis.uniformity import Level, Uniformity
from vyre.analysis.variables import Placing, Variable
from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre import TokenType
from vyre.dialects.vyre.attributes import is_scalar


@dataclass(eq=False)
class Kept:
    """A value in scratch: stored in run `home` and loaded in others."""

    value: SSAValue
    home: int
    level: Level


@dataclass(eq=False)
class Crossing:
    """
    What crosses where in a program whose runs are separated by grid barriers.

    Example: `Crossing(spine, uniformity(program)).kept`
    """

    spine: Spine
    facts: Uniformity
    host: HostValues = field(init=False)
    variables: list[Variable] = field(init=False, default_factory=list[Variable])
    variable_of: dict[SSAValue, Variable] = field(init=False, default_factory=dict)
    uses: list[dict[SSAValue, None]] = field(init=False)
    """The values from elsewhere that the operations of each run use."""
    needs: list[dict[SSAValue, None]] = field(init=False)
    """The values from elsewhere that each run needs for itself and for variables."""
    kept: dict[SSAValue, Kept] = field(init=False, default_factory=dict[SSAValue, Kept])
    loaded: list[set[SSAValue]] = field(init=False, default_factory=list[set[SSAValue]])
    """The kept values that each run loads; it recomputes others."""
    tokens: dict[SSAValue, int] = field(init=False, default_factory=dict[SSAValue, int])
    """Copies that are waited for elsewhere, and the run that starts each."""
    _origins: dict[SSAValue, SSAValue] = field(
        init=False, default_factory=dict[SSAValue, SSAValue]
    )

    def __post_init__(self) -> None:
        self.sources = buffer_sources(self.spine.program)
        self.writers = Writers(self.spine, self.sources)
        self.host = HostValues(self.spine, self.writers, self._is_uniform)
        self.passed_on: set[SSAValue] = set()
        self._collect_uses()
        self._collect_variables()
        keeping = Keeping(self)
        for run in range(len(self.spine.runs)):
            loaded = keeping.loaded_in(run)
            self.loaded.append(set(loaded))
            for value in loaded:
                if value not in self.kept:
                    home, level = self.home_to_keep(value), self.facts.level(value)
                    self.kept[value] = Kept(value, home, level)

    def _is_uniform(self, value: SSAValue) -> bool:
        return self.facts.level(value) is Level.GRID

    # Where values come from

    def origin(self, value: SSAValue) -> SSAValue:
        """
        The value behind one that a region hands out, or that the test of a `while` passes
        on and the host does not have. It stays the same when the program is rewritten.
        """
        if value not in self._origins:
            self._origins[value] = self._find_origin(value)
        return self._origins[value]

    def _find_origin(self, value: SSAValue) -> SSAValue:
        while True:
            value = self.host.source(value)
            position = self.host.position_of.get(value)
            if position is None or position.role is not Role.PASSED:
                return value
            if self.host.has(value):
                return value
            value = self.host.source(position.inputs[0])
            if self.spine.home(value) is not None:
                self.passed_on.add(value)

    def is_at_hand(self, value: SSAValue, run: int) -> bool:
        """Whether a run has a value: from its own operations, the table or the host."""
        home = self.spine.home(value)
        return (home is not None and home.index == run) or self.host.takes(value)

    def home_of(self, value: SSAValue) -> int:
        """The first run in which a value is there."""
        home = self.spine.home(value)
        if home is not None:
            return home.index
        position = self.host.position_of.get(value)
        if position is None:
            return 0
        holder = position.holder
        if value.owner is holder:
            block = holder.parent
            assert block is not None
            gap = self.spine.before[holder].index
            return next(r.index for r in self.spine.blocks[block] if r.index > gap)
        return self.spine.loops[holder].first

    def is_readable(self, value: SSAValue, run: int) -> bool:
        """Whether a run can read a variable's name from the variable itself."""
        variable = self.variable_of[value]
        holder = variable.position.holder
        if variable.position.role is Role.CHOSEN or value.owner is holder:
            return True
        loop = self.spine.loops[holder]
        return run <= variable.readable_until or run > loop.last

    def supply(self, value: SSAValue, run: int) -> Kept | Variable | None:
        """From where in scratch a run takes a value that it needs; None: recomputed."""
        variable = self.variable_of.get(value)
        if variable is not None and self.is_readable(value, run):
            return variable
        return self.kept[value] if value in self.loaded[run] else None

    def reads(self) -> dict[Kept | Variable, list[int]]:
        """For each kept value and variable, the runs that read it from scratch."""
        found: dict[Kept | Variable, list[int]] = {}
        for kept in self.kept.values():
            found[kept] = []
        for variable in self.variables:
            found[variable] = []
        for run, values in enumerate(self._loaded()):
            for tenant in values:
                found[tenant].append(run)
        return found

    def _loaded(self) -> Iterator[dict[Kept | Variable, None]]:
        """What each run loads: what it needs, or what that is recomputed from."""
        stored: defaultdict[int, list[SSAValue]] = defaultdict(list)
        for kept in self.kept.values():
            if kept.value in self.variable_of:
                stored[kept.home].append(kept.value)
        for run, needs in enumerate(self.needs):
            loaded: dict[Kept | Variable, None] = {}
            pending = [*needs, *stored[run]]
            seen = set(pending)
            for value in pending:
                tenant = self.supply(value, run)
                if tenant is not None:
                    loaded[tenant] = None
                    continue
                assert isinstance(value.owner, Operation)
                for operand in map(self.origin, value.owner.operands):
                    if operand not in seen and not self.is_at_hand(operand, run):
                        seen.add(operand)
                        pending.append(operand)
            yield loaded

    # What runs use

    def _collect_uses(self) -> None:
        self.uses = [{} for _ in self.spine.runs]
        for run in self.spine.runs:
            for _, _, operand in self.spine.outer_operands(run):
                self._use(operand, run.index)
        for position in dict.fromkeys(self.host.position_of.values()):
            if isinstance(position.type, TokenType):
                for value in position.inputs:
                    self._token(value)

    def _use(self, value: SSAValue, run: int) -> None:
        if isinstance(value.type, TokenType):
            self._token(value)
        elif not isinstance(value.owner, TABLE_OPS) and not is_memref(value):
            self.uses[run][value] = None

    def _token(self, value: SSAValue) -> None:
        home = self.spine.home(value)
        if home is not None:
            self.tokens[value] = home.index

    # Variables

    def _collect_variables(self) -> None:
        self.needs = [{} for _ in self.spine.runs]
        direct = [dict.fromkeys(map(self.origin, uses)) for uses in self.uses]
        last_read: dict[Variable, int] = {}
        for run, values in enumerate(direct):
            for variable in filter(None, map(self._variable, values)):
                self._read(variable, run, last_read)
        # What flows into a variable that is used is used as well; the list grows.
        for variable in self.variables:
            for value in variable.inputs:
                source = self._variable(value)
                if (
                    source is not None
                    and source.position.holder is not variable.position.holder
                ):
                    self._read(
                        source, self._last_run_in(variable.position.holder), last_read
                    )
        placing = Placing(self.spine, self.variable_of, self.home_of, last_read)
        for variable in self.variables:
            placing.place(variable)
        self._collect_needs(direct)

    def _read(self, variable: Variable, run: int, last_read: dict[Variable, int]) -> None:
        """A run reads a variable; what counts is the last one in the variable's loop."""
        loop = self.spine.loops.get(variable.position.holder)
        if loop is not None and loop.first <= run <= loop.last:
            last_read[variable] = max(run, last_read.get(variable, run))

    def _last_run_in(self, holder: Holder) -> int:
        regions = [region for region in holder.regions if region.blocks]
        return self.spine.blocks[regions[-1].block][-1].index

    def _collect_needs(self, direct: list[dict[SSAValue, None]]) -> None:
        for run, values in enumerate(direct):
            for value in values:
                self._need(value, run)
        for variable in self.variables:
            for value, run in variable.writes:
                self._need(value, run)

    def _variable(self, value: SSAValue) -> Variable | None:
        """The variable behind a value, if it is one; made when it is first asked for."""
        position = self.host.position_of.get(value)
        if position is None or self.host.has(value):
            return None
        if value not in self.variable_of:
            level = self.facts.level(position.values[0])
            inputs = tuple(map(self.origin, position.inputs))
            variable = Variable(position, level, inputs)
            self.variables.append(variable)
            self.variable_of.update(dict.fromkeys(position.values, variable))
        return self.variable_of[value]

    def _need(self, value: SSAValue, run: int) -> None:
        if self.is_at_hand(value, run):
            return
        if not is_scalar(value.type):
            raise Refusal(
                f"a value of type {value.type} is used across a cut, and cannot be kept",
                fix="use it in the phase that makes it",
                at=value,
            )
        self.needs[run][value] = None

    def home_to_keep(self, value: SSAValue) -> int:
        """The run that stores a value, if it is kept."""
        variable = self.variable_of.get(value)
        if variable is None:
            return self.home_of(value)
        # A name of a variable that is needed after the variable has changed.
        regions = variable.position.holder.regions
        runs = [run for region in regions for run in self.spine.blocks[region.block]]
        return max(r.index for r in runs if r.index <= variable.readable_until)
