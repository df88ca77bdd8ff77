"""`pytest --costs`: which tests keep processors busy, in seconds."""

import os
from collections import defaultdict
from collections.abc import Generator

import pytest

SHOWN = int(os.environ.get("COSTS", "20"))


def busy() -> float:
    """Returns the processor seconds of this process and of its children that have ended."""
    return sum(os.times()[:4])


class Costs:
    """Notes with each report what was spent since the last, and sums that up."""

    def __init__(self) -> None:
        self._last = busy()
        self._files = defaultdict[str, float](float)
        self._tests = defaultdict[str, float](float)

    def pytest_runtestloop(self) -> None:
        self._last = busy()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self,
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        now = busy()
        report.user_properties.append(("costs", now - self._last))
        self._last = now
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, cost in report.user_properties:
            if name == "costs" and isinstance(cost, float):
                self._files[report.nodeid.partition("::")[0]] += cost
                self._tests[report.nodeid] += cost

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for what, costs in (("files", self._files), ("tests", self._tests)):
            terminalreporter.section(f"dearest {what}, in processor seconds")
            for name in sorted(costs, key=lambda name: -costs[name])[:SHOWN]:
                terminalreporter.line(f"{costs[name]:7.2f} {name}")
