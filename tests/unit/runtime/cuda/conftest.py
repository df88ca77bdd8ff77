"""What was not tested because there is no GPU must not go unnoticed."""

from typing import Any

import pytest
from cuda_devices import NO_GPU


def pytest_terminal_summary(terminalreporter: Any) -> None:
    skipped: list[pytest.TestReport] = terminalreporter.stats.get("skipped", [])
    count = sum(NO_GPU in str(report.longrepr) for report in skipped)
    if count:
        terminalreporter.write_line(f"{count} tests of engine 'cupy' skipped: {NO_GPU}")
