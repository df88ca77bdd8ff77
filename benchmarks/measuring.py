"""Runs peers in turns, so that whatever else the machine does falls on all of them."""

import json
import pickle
import select
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.workloads.case import Case

TURN_SECONDS = 0.05
"""About how long the runs of a turn take together, unless one takes longer."""
MOST_RUNS = 200
PEER_SECONDS = 20.0
"""A peer that takes longer for all its turns has fewer of them, but at least three."""
LONGEST_WAIT = 600.0
SETTLE_SECONDS = 0.02
"""Threads that spin after a run have gone to sleep by then."""


class Gone(Exception):
    """A process ended, or did not answer."""


class Process:
    """A peer that answers commands; it is started when it is first needed."""

    def __init__(self, peer: str):
        self.peer = peer
        self._process: subprocess.Popen[str] | None = None
        self._errors = tempfile.TemporaryFile()

    def ask(self, command: dict[str, Any]) -> dict[str, Any]:
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            print(json.dumps(command), file=process.stdin, flush=True)
            ready, _, _ = select.select([process.stdout], [], [], LONGEST_WAIT)
            line = process.stdout.readline() if ready else None
        except BrokenPipeError:
            line = ""
        if not line:
            self.close()
            raise Gone(self._last_words(process.returncode, timed_out=line is None))
        return json.loads(line)

    def _start(self) -> subprocess.Popen[str]:
        self._errors = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.worker", self.peer],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            cwd=Path(__file__).parents[1],
        )
        return self._process

    def _last_words(self, status: int, *, timed_out: bool) -> str:
        if timed_out:
            return f"no answer in {LONGEST_WAIT:.0f} s"
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return f"ended with status {status}: {lines[-1][:200] if lines else ''}"

    def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()


@contextmanager
def processes(peers: list[str]) -> Generator[dict[str, Process]]:
    """A process for each peer; all have ended when the block does."""
    found = {peer: Process(peer) for peer in peers}
    try:
        yield found
    finally:
        for process in found.values():
            process.close()


@dataclass
class Measurement:
    """What a peer took for a case, or why it has not run."""

    peer: str
    absent: str | None = None
    same_algorithm: bool = True
    nanoseconds: list[int] = field(default_factory=list[int])

    @property
    def median(self) -> float:
        """Microseconds of a run."""
        return statistics.median(self.nanoseconds) / 1000

    def quantile(self, part: float) -> float:
        ordered = sorted(self.nanoseconds)
        return ordered[round(part * (len(ordered) - 1))] / 1000


@dataclass
class Turns:
    """How a peer takes its turns."""

    count: int
    runs: int
    warm: int


def measure(case: Case, found: dict[str, Process], repeat: int) -> list[Measurement]:
    """Check every peer's results, and then time them in turns."""
    rows = [Measurement(peer) for peer in found]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "case.pickle")
        path.write_bytes(pickle.dumps(case))
        for row in rows:
            prepare(row, found[row.peer], path)
    present = [row for row in rows if row.absent is None]
    turns = {row.peer: plan_turns(row, found[row.peer], repeat) for row in present}
    for turn in range(repeat):
        for row in present:
            if turn < turns[row.peer].count and row.absent is None:
                take_turn(row, found[row.peer], turns[row.peer])
    return rows


def prepare(row: Measurement, process: Process, path: Path) -> None:
    try:
        answer = process.ask({"prepare": str(path)})
    except Gone as reason:
        row.absent = str(reason)
        return
    row.absent = answer.get("absent")
    row.same_algorithm = answer.get("same_algorithm", True)


def plan_turns(row: Measurement, process: Process, repeat: int) -> Turns:
    seconds = max(take_turn(row, process, Turns(1, 1, 1)), 1e-6)
    row.nanoseconds.clear()
    runs = max(1, min(MOST_RUNS, int(TURN_SECONDS / seconds)))
    most = max(3, int(PEER_SECONDS / (seconds * (runs + 1))))
    return Turns(min(repeat, most), runs, max(1, runs // 10))


def take_turn(row: Measurement, process: Process, turns: Turns) -> float:
    """Seconds of the fastest run of this turn."""
    time.sleep(SETTLE_SECONDS)
    try:
        answer = process.ask({"runs": turns.runs, "warm": turns.warm})
    except Gone as reason:
        row.absent = str(reason)
        return 0.0
    row.nanoseconds += answer["nanoseconds"]
    return min(answer["nanoseconds"]) / 1e9
