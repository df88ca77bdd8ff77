"""
What a schedule's launches tell about the programs that they run.

A program that a schedule launches gets its buffers and parameters from there: the number
of a trip, the length of a buffer, scratch with an element for each invocation. What is
known about an argument at every launch is known about the entry of the program's table.
Facts that compare arguments are kept by name: if the schedule passes `%k`, which is below
the length of `%a`, and passes `%a` too, then the program's parameter is below the length
of the program's buffer.

This holds for a program that runs as part of schedules only, which is what launched
programs are made for.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import SSAValue

from vyre.analysis.extents import Extents, Size
from vyre.analysis.facts import Extent, Facts, GridNumber, Summary, Symbol, Term, bits
from vyre.analysis.ranges import Range
from vyre.dialects.vyre import BufferOp, LaunchOp, ParamOp, ProgramOp


@dataclass(frozen=True)
class Arguments:
    """What is known about the arguments of one launch."""

    sizes: Mapping[Extent, Size]
    params: Mapping[SSAValue, Summary]


@dataclass(frozen=True)
class Numbers:
    """The numbers that are passed to a program, by the places of arguments."""

    sizes: Sequence[tuple[int, Extent]]
    """Each `?` of the program's table."""
    params: Sequence[tuple[int, SSAValue]]

    @staticmethod
    def of(program: ProgramOp) -> "Numbers":
        """What all launches of a program pass."""
        table = list(enumerate(program.launch_table))
        return Numbers(
            [
                (place, Extent(entry.memref, dim))
                for place, entry in table
                if isinstance(entry, BufferOp)
                for dim, size in enumerate(entry.type.get_shape())
                if size == DYNAMIC_INDEX
            ],
            [
                (place, entry.value)
                for place, entry in table
                if isinstance(entry, ParamOp) and bits(entry.value.type) is not None
            ],
        )


def arguments(
    launch: LaunchOp, numbers: Numbers, facts: Facts, extents: Extents
) -> Arguments:
    """What is known about a launch's arguments, in terms of the program that it runs."""
    given = launch.operands
    sizes: dict[Extent, Size] = {}
    names: dict[Symbol, Symbol] = {}
    for place, extent in numbers.sizes:
        term = extents.size(given[place], extent.dim)
        fixed = term.symbol is None or isinstance(term.symbol, GridNumber)
        sizes[extent] = Size(facts.range(term), term if fixed else None)
        if not fixed and term.offset == 0:
            assert term.symbol is not None
            names.setdefault(term.symbol, extent)
    params = {
        value: _renamed(facts.summary(facts.term(given[place])), names)
        for place, value in numbers.params
    }
    return Arguments(sizes, params)


def _renamed(summary: Summary, names: Mapping[Symbol, Symbol]) -> Summary:
    """A summary without the symbols that the program does not know."""

    if summary.term is not None and summary.term.symbol is None:
        return summary  # A literal has no limits.

    def renamed(symbol: Symbol) -> Symbol | None:
        return symbol if isinstance(symbol, GridNumber) else names.get(symbol)

    limits: dict[Symbol, int] = {}
    for symbol, constant in summary.limits.items():
        name = renamed(symbol)
        if name is not None:
            limits[name] = constant
    term = summary.term
    if term is not None and term.symbol is not None:
        name = renamed(term.symbol)
        term = None if name is None else Term(name, term.offset)
    return Summary(summary.range, limits, term)


def _only(launched: Size | None, declared: int) -> int | None:
    """The size along a dimension, if there is only one that it can be."""
    if declared != DYNAMIC_INDEX:
        return declared
    if launched is None or launched.range.lo != launched.range.hi:
        return None
    return launched.range.lo


class Launches:
    """What the launches of each program have in common."""

    def __init__(self) -> None:
        self._seen: defaultdict[ProgramOp, list[Arguments]] = defaultdict(list)

    def add(self, program: ProgramOp, arguments: Arguments) -> None:
        self._seen[program].append(arguments)

    def knows(self, program: ProgramOp) -> bool:
        """Whether a schedule launches the program."""
        return program in self._seen

    def setting(
        self, program: ProgramOp
    ) -> tuple[dict[str, tuple[int, ...]], dict[str, Range]]:
        """
        The sizes of a program's buffers that are the same in all launches, and what its
        parameters can be, by name.
        """
        known = self.sizes(program)
        sizes: dict[str, tuple[int, ...]] = {}
        for entry in program.launch_table:
            if isinstance(entry, BufferOp):
                found = [
                    _only(known.get(Extent(entry.memref, dim)), size)
                    for dim, size in enumerate(entry.type.get_shape())
                ]
                certain = tuple(size for size in found if size is not None)
                if len(certain) == len(found):
                    sizes[entry.entry_name.data] = certain
        seen = [launch.params for launch in self._seen.get(program, ())]
        params = {
            entry.entry_name.data: reduce(
                Range.joined, (params[entry.value].range for params in seen)
            )
            for entry in program.launch_table
            if isinstance(entry, ParamOp) and seen and entry.value in seen[0]
        }
        return sizes, params

    def sizes(self, program: ProgramOp) -> dict[Extent, Size]:
        """The sizes that the launches pass for each `?` of a program's table."""
        seen = [launch.sizes for launch in self._seen.get(program, ())]
        return {
            extent: reduce(Size.joined, (sizes[extent] for sizes in seen))
            for extent in (seen[0] if seen else ())
        }

    def define_params(self, program: ProgramOp, facts: Facts) -> None:
        """Make known what all launches tell about a program's parameters."""
        seen = [launch.params for launch in self._seen.get(program, ())]
        for param in seen[0] if seen else ():
            facts.assign(param, reduce(facts.joined, (params[param] for params in seen)))
