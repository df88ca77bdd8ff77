"""
Vyre against its peers on ten workloads: `make bench`, or `python -m benchmarks.run`.

Every workload has a small size, in which phases take a microsecond or less, and a large
one. For each, all peers get the same arrays, their results are checked against NumPy, and
then they take turns. Times are medians of single runs, through a bound program with its
arrays in place; what a run changed is put back outside the time. C measures itself.

Peers are described in `benchmarks/peers`. What is not installed is shown as absent.
"""

import argparse
import json
import os
from collections.abc import Iterable
from pathlib import Path

from benchmarks.machine import is_busy, machine
from benchmarks.measuring import measure, processes
from benchmarks.peers.catalogue import PEERS
from benchmarks.report import CaseReport, summary
from benchmarks.workloads.case import Size
from benchmarks.workloads.catalogue import CASES

SIZES: tuple[Size, ...] = ("small", "large")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    several = "may be given several times; all if left out"
    parser.add_argument("--workload", action="append", choices=CASES, help=several)
    parser.add_argument("--size", choices=SIZES, help="both if left out")
    parser.add_argument("--peer", action="append", choices=PEERS, help=several)
    parser.add_argument("--engine", default="cpu", help="Vyre's engine")
    parser.add_argument("--repeat", type=int, default=15, help="turns of each peer")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write figures here")
    return parser.parse_args()


def measured(
    workloads: Iterable[str], sizes: Iterable[Size], peers: list[str], repeat: int
) -> list[CaseReport]:
    reports: list[CaseReport] = []
    with processes(peers) as found:
        for size in sizes:
            for workload in workloads:
                case = CASES[workload](size)
                report = CaseReport(case, measure(case, found, repeat))
                print("\n".join(report.lines()), flush=True)
                reports.append(report)
    return reports


def main() -> None:
    args = arguments()
    os.environ["VYRE_BENCH_ENGINE"] = args.engine  # Processes of peers inherit it.
    about = machine()
    print("\n".join(f"{key}: {value}" for key, value in about.items()))
    if is_busy():
        print("NOTE: the machine is busy with something else; do not trust the figures")
    sizes: tuple[Size, ...] = (args.size,) if args.size else SIZES
    reports = measured(args.workload or CASES, sizes, args.peer or list(PEERS), args.repeat)
    print("\n".join(summary(reports)))
    if args.json:
        data = {"machine": about, "cases": [report.data() for report in reports]}
        args.json.write_text(json.dumps(data, indent=1) + "\n")


if __name__ == "__main__":
    main()
