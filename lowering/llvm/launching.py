"""What becomes of the launches of a schedule while code for it is planned."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from xdsl.ir import Operation

from vyre.analysis.walking import operations_of
from vyre.dialects import vyre


@dataclass
class Launching:
    """
    The launches of a schedule, and what they were before programs were divided and merged.

    Example: `Launching.of(schedule).by_program["p.0"]`
    """

    by_program: defaultdict[str, list[vyre.LaunchOp]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """The launches of each program."""
    names: dict[vyre.LaunchOp, str] = field(default_factory=dict[vyre.LaunchOp, str])
    """As what a launch is reported."""
    numbers: dict[vyre.LaunchOp, int] = field(default_factory=dict[vyre.LaunchOp, int])
    """The places of launches among those that were written."""
    heads: dict[vyre.LaunchOp, vyre.LaunchOp] = field(
        default_factory=dict[vyre.LaunchOp, vyre.LaunchOp]
    )
    """Launches for which nobody has to wait, and the ones before them that they join."""

    @staticmethod
    def of(schedule: vyre.ScheduleOp) -> "Launching":
        """The launches of a schedule, as they are written."""
        found = Launching()
        for op in operations_of(schedule):
            if isinstance(op, vyre.LaunchOp):
                name = op.segment.string_value()
                found.by_program[name].append(op)
                found.names[op] = name
                found.numbers[op] = len(found.numbers)
        return found

    def name(self, launch: vyre.LaunchOp) -> str:
        """As what a launch is reported, with those that it runs together with."""
        return self.names[self.head(launch)]

    def number(self, launch: vyre.LaunchOp) -> int:
        """Its place among those that were written, or that of the one that it joins."""
        return self.numbers[self.head(launch)]

    def head(self, launch: vyre.LaunchOp) -> vyre.LaunchOp:
        """The first of the launches that run together with this one."""
        return self.heads.get(launch, launch)

    def together(self, head: vyre.LaunchOp) -> list[vyre.LaunchOp]:
        """The launches that run together with the first of them; they follow it."""
        found = [head]
        following: Operation | None = head.next_op
        while isinstance(following, vyre.LaunchOp) and self.heads.get(following) is head:
            found.append(following)
            following = following.next_op
        return found


def erase_unlaunched(programs: Iterable[vyre.ProgramOp], launching: Launching) -> None:
    """Remove programs that are launched no more."""
    for program in programs:
        if not launching.by_program[program.sym_name.data]:
            program.detach()
            program.erase()
