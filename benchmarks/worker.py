"""
One peer in a process of its own: its threads, settings and crashes concern nobody else.

It reads commands from standard input, a line of JSON each, and answers in the same way:

| command | answer |
|---|---|
| `{"prepare": FILE}` | `{"same_algorithm": true}` if two runs gave the expected results |
| `{"runs": 10, "warm": 2}` | `{"nanoseconds": [...]}` |

An answer `{"absent": REASON}` means that this peer cannot do it.
"""

import gc
import json
import os
import pickle
import sys
import time
from pathlib import Path
from typing import Any, TextIO

from benchmarks.peers.catalogue import prepare
from benchmarks.peers.runner import Absent, Runner
from benchmarks.workloads.case import Case

CHECKED_RUNS = 2


def verify(runner: Runner, case: Case) -> None:
    """Run more than once: a second run shows whether everything was put back."""
    for _ in range(CHECKED_RUNS):
        runner.reset()
        runner.run()
        results = runner.results()
        for name in case.expected:
            difference = case.difference(name, results[name])
            if difference:
                raise Absent(f"wrong result: {difference}")


def prepared(peer: str, path: str) -> Runner:
    case: Case = pickle.loads(Path(path).read_bytes())
    try:
        runner = prepare(peer, case)
        verify(runner, case)
    except Absent:
        raise
    except Exception as error:  # Whatever a peer may raise is its reason.
        lines = str(error).strip().splitlines() or [""]
        raise Absent(f"{type(error).__name__}: {lines[0][:200]}") from error
    return runner


def timed(runner: Runner, runs: int, warm: int) -> list[int]:
    """Nanoseconds of each run, without putting back what it changed."""
    times: list[int] = []
    gc.collect()
    gc.disable()
    for number in range(warm + runs):
        runner.reset()
        start = time.perf_counter_ns()
        own = runner.run()
        elapsed = time.perf_counter_ns() - start
        if number >= warm:
            times.append(elapsed if own is None else own)
    gc.enable()
    return times


class Server:
    def __init__(self, peer: str):
        self.peer = peer
        self.runner: Runner | None = None

    def answer(self, command: dict[str, Any]) -> dict[str, Any]:
        if "prepare" in command:
            self.runner = None  # Frees what the last case held.
            try:
                self.runner = prepared(self.peer, command["prepare"])
            except Absent as reason:
                return {"absent": str(reason)}
            return {"same_algorithm": self.runner.same_algorithm}
        assert self.runner is not None
        return {"nanoseconds": timed(self.runner, command["runs"], command["warm"])}


def answers() -> TextIO:
    """Where answers go. What peers print to standard output goes to the error output."""
    own = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return own


def main() -> None:
    output = answers()
    server = Server(sys.argv[1])
    for line in sys.stdin:
        print(json.dumps(server.answer(json.loads(line))), file=output, flush=True)


if __name__ == "__main__":
    main()
