"""
Does an engine keep to the contract of `vyre.runtime.backend`?

In a test file of yours:

```python
import pytest
from vyre.testing import conformance_cases

from my_package import MyBackend


@pytest.mark.parametrize("case", conformance_cases(), ids=str)
def test_conformance(case):
    case(MyBackend())
```

or at a prompt, with the name of an installed engine or the place of a class:

```console
$ python -m vyre.testing my_package:MyBackend
```

Results are compared with known answers or with the reference engine's, to the bit. Cases
about what an engine says it lacks (`Capabilities.lacks`, its limits, no grid barriers) are
skipped.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from vyre.diagnostics import VyreError
from vyre.runtime.backend import Backend
from vyre.testing.case import Broken, Case, Inapplicable
from vyre.testing.dispatch_cases import DISPATCH
from vyre.testing.ending_cases import ENDING
from vyre.testing.group_cases import GROUPS
from vyre.testing.launch_cases import LAUNCH
from vyre.testing.memory_cases import MEMORY
from vyre.testing.scalar_cases import SCALARS

Status: TypeAlias = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True)
class Outcome:
    """What became of a case; `cause` says why it failed or was skipped."""

    case: Case
    status: Status
    cause: str = ""


@dataclass(frozen=True)
class ConformanceReport:
    """
    The outcomes of all cases; as text a table.

    Example: `assert check_backend(MyBackend).ok`
    """

    outcomes: tuple[Outcome, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing failed."""
        return not self.failed

    @property
    def passed(self) -> list[Outcome]:
        return self._with_status("passed")

    @property
    def failed(self) -> list[Outcome]:
        return self._with_status("failed")

    @property
    def skipped(self) -> list[Outcome]:
        return self._with_status("skipped")

    def _with_status(self, status: Status) -> list[Outcome]:
        return [outcome for outcome in self.outcomes if outcome.status == status]

    def __str__(self) -> str:
        width = max((len(outcome.case.name) for outcome in self.outcomes), default=0)
        lines = [
            f"{outcome.case.name:<{width}}  {outcome.status:<7}  {outcome.cause}".rstrip()
            for outcome in self.outcomes
        ]
        counts = [len(found) for found in (self.passed, self.failed, self.skipped)]
        lines.append("{} passed, {} failed, {} skipped".format(*counts))
        return "\n".join(lines)


def conformance_cases() -> list[Case]:
    """
    All cases, for `pytest.mark.parametrize`. Each takes an engine.

    Example: `conformance_cases()[0](MyBackend())`
    """
    return [*MEMORY, *LAUNCH, *SCALARS, *GROUPS, *ENDING, *DISPATCH]


def check_backend(
    make_backend: Callable[[], Backend], cases: Iterable[Case] | None = None
) -> ConformanceReport:
    """
    Run an engine through the suite, or through some cases of it. Every case gets an engine
    of its own.

    Example: `print(check_backend(MyBackend))`
    """
    chosen = conformance_cases() if cases is None else cases
    return ConformanceReport(tuple(_outcome(case, make_backend) for case in chosen))


def _outcome(case: Case, make_backend: Callable[[], Backend]) -> Outcome:
    try:
        case(make_backend())
    except Inapplicable as skip:
        return Outcome(case, "skipped", str(skip))
    except Broken as failure:
        return Outcome(case, "failed", str(failure))
    except VyreError as error:
        return Outcome(case, "failed", f"{type(error).__name__}: {error.cause}")
    except Exception as error:
        text = " ".join(str(error).split())
        return Outcome(case, "failed", f"{type(error).__name__}: {text}")
    return Outcome(case, "passed")
