"""Tables and verdicts: is Vyre as fast as it promises to be?"""

from dataclasses import dataclass
from typing import Any

from benchmarks.measuring import Measurement
from benchmarks.peers.catalogue import PEERS
from benchmarks.workloads.case import Case

AGAINST_C = {"small": 1.0, "large": 1.25}
AGAINST_C_LARGE = {"matmul": 2.0, "radix_pass": 2.0}
AGAINST_PYTHON = 1.05
"""At most so many times as long as C with OpenMP, and as the best Python peer."""


@dataclass
class Bar:
    """A promise, and what was found."""

    against: str
    limit: float
    ratio: float

    @property
    def passed(self) -> bool:
        return self.ratio <= self.limit

    def __str__(self) -> str:
        verdict = "pass" if self.passed else "FAIL"
        return f"{self.ratio:.2f} x {self.against} (at most {self.limit:g}): {verdict}"


@dataclass
class CaseReport:
    """One workload at one size."""

    case: Case
    rows: list[Measurement]

    def row(self, peer: str) -> Measurement | None:
        """The measurement of a peer that has run."""
        found = [row for row in self.rows if row.peer == peer and row.absent is None]
        return found[0] if found else None

    @property
    def best_python(self) -> Measurement | None:
        """The fastest Python peer that runs the same algorithm."""
        rows = [
            row
            for row in self.rows
            if row.absent is None and row.same_algorithm and PEERS[row.peer].is_python
        ]
        return min(rows, key=lambda row: row.median, default=None)

    @property
    def bars(self) -> list[Bar]:
        vyre, c, python = self.row("vyre"), self.row("c-openmp"), self.best_python
        bars: list[Bar] = []
        if vyre and c:
            limit = AGAINST_C[self.case.size]
            if self.case.size == "large":
                limit = AGAINST_C_LARGE.get(self.case.workload, limit)
            bars.append(Bar("c-openmp", limit, vyre.median / c.median))
        if vyre and python:
            bars.append(Bar(python.peer, AGAINST_PYTHON, vyre.median / python.median))
        return bars

    def lines(self) -> list[str]:
        title = f"{self.case.workload}, {self.case.size}: {self.case.phases} phases"
        head = f"  {'':14}{'us a run':>12}{'us a phase':>12}{'to C/OpenMP':>13}"
        return ["", title, head, *map(self._line, self.rows), *self._verdicts()]

    def _line(self, row: Measurement) -> str:
        if row.absent is not None:
            return f"  {row.peer:14}  absent: {row.absent}"
        c = self.row("c-openmp")
        ratio = f"{row.median / c.median:13.2f}" if c else ""
        note = "" if row.same_algorithm else "  another algorithm"
        phase = row.median / self.case.phases
        return f"  {row.peer:14}{row.median:12.1f}{phase:12.3f}{ratio}{note}"

    def _verdicts(self) -> list[str]:
        return [f"  vyre: {bar}" for bar in self.bars]

    def data(self) -> dict[str, Any]:
        return {
            "workload": self.case.workload,
            "size": self.case.size,
            "phases": self.case.phases,
            "peers": {row.peer: self._row_data(row) for row in self.rows},
            "bars": [
                {
                    "against": bar.against,
                    "ratio": round(bar.ratio, 3),
                    "limit": bar.limit,
                    "passed": bar.passed,
                }
                for bar in self.bars
            ],
        }

    def _row_data(self, row: Measurement) -> dict[str, Any]:
        if row.absent is not None:
            return {"absent": row.absent}
        return {
            "median_us": round(row.median, 3),
            "us_per_phase": round(row.median / self.case.phases, 4),
            "tenth_us": round(row.quantile(0.1), 3),
            "nine_tenths_us": round(row.quantile(0.9), 3),
            "runs": len(row.nanoseconds),
            "same_algorithm": row.same_algorithm,
        }


def summary(reports: list[CaseReport]) -> list[str]:
    """A line for each case, in the end."""
    lines = ["", f"{'':28}{'vyre us':>12}{'to C':>9} {'to Python':>11}   best Python peer"]
    for report in reports:
        lines.append(_summary_line(report))
    bars = [bar for report in reports for bar in report.bars]
    passed = sum(bar.passed for bar in bars)
    return [*lines, "", f"{passed} of {len(bars)} bars passed"]


def _summary_line(report: CaseReport) -> str:
    name = f"{report.case.workload}, {report.case.size}"
    vyre, python = report.row("vyre"), report.best_python
    if vyre is None:
        return f"{name:28}{'absent':>12}"
    marks = {bar.against: bar for bar in report.bars}
    to_c = _ratio(marks.get("c-openmp"))
    to_python = _ratio(marks.get(python.peer)) if python else "-"
    peer = python.peer if python else "none"
    return f"{name:28}{vyre.median:12.1f}{to_c:>10}{to_python:>12}  {peer}"


def _ratio(bar: Bar | None) -> str:
    return "-" if bar is None else f"{bar.ratio:.2f}{' ' if bar.passed else '!'}"
