"""
Why waves cannot be planned.

| error | when |
|---|---|
| `WrongArgument` | an argument is of a wrong kind, or too large |
| `InvalidWave` | a dependency names a wave that there is not |
| `SelfDependency` | a wave depends on itself |
| `Cycle` | waves wait for each other in a circle |
| `ByteCountOverflow` | a number of bytes does not fit in 64 bits |
| `GroupOverBudget` | something needs more memory than there is |

Python's integers have no bound, but devices count bytes in 64 bits, so sums beyond that are
mistakes of the caller and not plans.
"""

from collections.abc import Sequence

from vyre.diagnostics import VyreError

MAX_BYTES = 2**64 - 1


class WaveError(VyreError):
    """Waves, their dependencies or their sizes break a rule."""

    number = 1006

    wave: int | None = None
    """The number of the wave that it is about, if it is about one."""


class WrongArgument(WaveError):
    """An argument of a planner is nothing that it could plan."""

    def __init__(self, name: str, found: object, wanted: str):
        super().__init__(f"{name} is {found!r}", f"pass {wanted}")
        self.name = name


class InvalidWave(WaveError):
    """The dependency of `after` on `before` names a wave that there is not."""

    def __init__(self, wave_count: int, before: int, after: int):
        super().__init__(
            f"wave {after} depends on wave {before}, but there are {wave_count} waves",
            "number the waves from 0, and pass one entry for each",
        )
        self.wave_count = wave_count
        self.before = before
        self.after = after


class SelfDependency(WaveError):
    """A wave depends on itself."""

    def __init__(self, wave: int):
        super().__init__(
            f"wave {wave} depends on itself", "remove the dependency; a wave runs once"
        )
        self.wave = wave


class Cycle(WaveError):
    """
    Waves wait for each other: each wave of `waves` comes before the next one, and the last
    one before the first. `unscheduled_waves` counts all that can never run.
    """

    def __init__(self, waves: Sequence[int], unscheduled_waves: int):
        way = " -> ".join(str(wave) for wave in (*waves, waves[0]))
        super().__init__(
            f"{unscheduled_waves} waves can never run: {way} is a circle",
            "remove one of its dependencies",
        )
        self.waves = tuple(waves)
        self.unscheduled_waves = unscheduled_waves


class ByteCountOverflow(WaveError):
    """A number of bytes, named by `field`, is not one that 64 bits can hold."""

    def __init__(self, field: str, wave: int | None = None):
        super().__init__(
            f"{field} are not a number from 0 to 2**64 - 1",
            "check the sizes of the waves",
        )
        self.field = field
        self.wave = wave


class GroupOverBudget(WaveError):
    """`field` needs `required` bytes, and only `budget` are there for it."""

    number = 1007

    def __init__(self, required: int, budget: int, field: str, wave: int | None = None):
        what = "keep less on the device" if wave is None else "make the waves smaller"
        super().__init__(
            f"{field}: {required} bytes are needed, the budget has {budget}",
            f"raise the budget, or {what}",
        )
        self.wave = wave
        self.required = required
        self.budget = budget
        self.field = field


def checked_bytes(count: int, field: str, wave: int | None = None) -> int:
    """
    The number of bytes, of this wave if it is of one, if 64 bits can hold it.

    Example: `checked_bytes(frontier + output, "fused wave bytes")`
    """
    if not 0 <= count <= MAX_BYTES:
        raise ByteCountOverflow(field, wave)
    return count
