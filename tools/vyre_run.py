"""
`vyre-run`: run a program of a file.

Inputs come from `.npy` files or are written on the command line; what is left out is made
of zeros, if its size is known. Outputs are printed as NumPy prints them, or saved.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from vyre.diagnostics import did_you_mean
from vyre.runtime.backends import backend_names
from vyre.runtime.config import DispatchConfig
from vyre.runtime.errors import InvalidArgument
from vyre.runtime.executable import Executable, compile
from vyre.runtime.passes import Report
from vyre.tools.failures import refused, report_failures
from vyre.tools.inputs import input_value, zeros_for
from vyre.tools.plan.drawing import plan_drawing
from vyre.tools.plan.model import Plan

if TYPE_CHECKING:
    from vyre.interpreter.checker import Finding


def main() -> None:
    """The `vyre-run` command."""
    sys.exit(report_failures(lambda: run(sys.argv[1:])))


def run(arguments: Sequence[str]) -> None:
    """Run the tool with these command-line arguments."""
    args = _parser().parse_args(arguments)
    if args.no_cache:
        os.environ["VYRE_CACHE_DIR"] = ""
    started = time.perf_counter_ns()
    exe = compile(Path(args.file), program=args.program, engine=args.engine, mode=args.mode)
    inputs = _inputs(exe, args.inputs)
    _check_outputs(exe, args.outputs)
    config = exe.config.with_options(_options(args))
    compiled = time.perf_counter_ns() - started
    if args.plan is not None:
        Path(args.plan).write_text(_drawing(exe, inputs, config), encoding="utf-8")
    explanation = exe.explain(inputs, config=config) if args.explain else None
    if explanation is not None and not args.json:
        print(explanation, end="\n\n")
    if args.check:
        findings = exe.check(inputs, config=config, kinds=args.kinds)
        _report(findings, as_json=args.json)
        return
    results, report = exe.timed(inputs, config=config, trace=args.trace)
    _save(results, args.outputs)
    shown = {name: array for name, array in results.items() if name not in args.outputs}
    times = {"compile": compiled, **_times(report)} if args.time else None
    if args.json:
        print(json.dumps(_as_json(shown, times, explanation), allow_nan=False))
        return
    for name, array in shown.items():
        print(f"{name} = {array}")
    for part, nanoseconds in (times or {}).items():
        print(f"{part}: {nanoseconds / 1e6:.3f} ms")


def _options(args: argparse.Namespace) -> dict[str, Any]:
    """What the command line says about how to run."""
    return {
        "grid": args.grid,
        "workgroup": args.workgroup,
        "timeout": args.timeout,
        "fixpoint_iterations": args.fixpoint,
        "check_interval": args.check_interval,
    }


def _times(report: Report) -> dict[str, int]:
    """The run as a whole, what the engine knows of it, and each segment of several."""
    found = {"run": report.wall}
    for part in ("device", "enqueue", "wait"):
        if getattr(report, part) is not None:
            found[part] = getattr(report, part)
    if len(report.segments) > 1:
        for segment in report.segments:
            found[f"@{segment.name} x {segment.launches}"] = segment.wall
    return found


def _drawing(exe: Executable, inputs: dict[str, object], config: DispatchConfig) -> str:
    plan = exe.plan(exe.bindings.check(inputs), config)
    return plan_drawing(Plan.of(plan.route.launched.op), plan.route.summary)


class _Parser(argparse.ArgumentParser):
    """Says what is wrong as everything else does."""

    @override
    def error(self, message: str) -> NoReturn:
        raise refused(self, message)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="vyre-run",
        description="Run a program of a file.",
        epilog="VALUE is a number, numbers with commas, zeros(SHAPE), ones(SHAPE) or "
        "arange(N); SHAPE is numbers with commas.",
    )
    add = parser.add_argument
    add("file", help="an .mlir file")
    add("--program", metavar="NAME", help="which one, if the file has several")
    add("--engine", default="auto", metavar="E", help=f"auto, {', '.join(backend_names())}")
    add("--mode", default="auto", metavar="M", help="auto, native, split")
    add("--grid", type=_grid, metavar="X,Y,Z", help="workgroups; inferred if left out")
    add("--in", dest="inputs", action=_Named, metavar="NAME=FILE.npy|VALUE")
    add("--out", dest="outputs", action=_Named, metavar="NAME=FILE.npy")
    add("--workgroup", type=_grid, metavar="X,Y,Z", help="instead of what the program says")
    add("--fixpoint", type=int, metavar="N", help="repeat until nothing changes, N times")
    add("--check-interval", type=_interval, default=1, metavar="K|none")
    add("--timeout", type=float, metavar="SECONDS")
    add("--check", action="store_true", help="look for races and other faults")
    add("--kinds", type=_kinds, metavar="KIND,...", help="of faults that are looked for")
    add("--time", action="store_true")
    add("--explain", action="store_true", help="show how the program will run")
    add("--plan", metavar="FILE.svg", help="draw how the program will run")
    add("--trace", metavar="FILE.json", help="write what happened when, for Perfetto")
    add("--no-cache", action="store_true", help="compile, whatever is on disk")
    add("--json", action="store_true", help="print results as JSON")
    return parser


class _Named(argparse.Action):
    """Collects NAME=TEXT into a dictionary."""

    def __init__(self, **options: Any):
        super().__init__(**options, default={})

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        name, equals, text = str(values).partition("=")
        if not equals or not name or not text:
            parser.error(f"argument {option_string}: write NAME=...")
        setattr(namespace, self.dest, {**getattr(namespace, self.dest), name: text})


def _grid(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(number) for number in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not up to three numbers with commas"
        ) from None


def _kinds(text: str) -> list[str]:
    return [kind.strip() for kind in text.split(",")]


def _interval(text: str) -> int | None:
    if text == "none":
        return None
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is neither a number nor none")
    return int(text)


def _inputs(exe: Executable, texts: dict[str, str]) -> dict[str, object]:
    """Values for all arguments: what was given, zeros for the rest."""
    buffers = [binding.buffer for binding in exe.bindings.declared]
    entries = {entry.entry_name.data: entry for entry in (*buffers, *exe.bindings.params)}
    inputs: dict[str, object] = {}
    for name, text in texts.items():
        if name not in entries:
            raise InvalidArgument(
                f"there is no argument '{name}'",
                did_you_mean(name, entries) or f"the arguments are {', '.join(entries)}",
            )
        inputs[name] = input_value(entries[name], text)
    for name, entry in entries.items():
        if name not in inputs:
            inputs[name] = zeros_for(entry)
    return inputs


def _check_outputs(exe: Executable, outputs: dict[str, str]) -> None:
    writable = [binding.name for binding in exe.bindings.written]
    for name in outputs:
        if name not in writable:
            raise InvalidArgument(
                f"there is no output '{name}'",
                did_you_mean(name, writable) or f"the outputs are {', '.join(writable)}",
            )


def _save(results: dict[str, NDArray[Any]], outputs: dict[str, str]) -> None:
    for name, file in outputs.items():
        # Given a name, NumPy would add an ending to it.
        with open(file, "wb") as stream:
            np.save(stream, results[name])


def _as_json(
    results: dict[str, NDArray[Any]], times: dict[str, int] | None, explanation: str | None
) -> dict[str, object]:
    outputs = {
        name: {
            "dtype": str(array.dtype),
            "shape": array.shape,
            "data": _numbers(array.tolist()),
        }
        for name, array in results.items()
    }
    found: dict[str, object] = {"outputs": outputs}
    if times is not None:
        found["seconds"] = {part: time / 1e9 for part, time in times.items()}
    if explanation is not None:
        found["explanation"] = explanation
    return found


def _numbers(data: Any) -> Any:
    """JSON has no infinities and NaNs; they become the strings that `float` reads."""
    if isinstance(data, list):
        return [_numbers(item) for item in cast(list[Any], data)]
    return str(data) if isinstance(data, float) and not isfinite(data) else data


def _report(findings: "list[Finding]", *, as_json: bool) -> None:
    """Print what was found; errors make the exit code 1."""
    has_errors = any(found.severity == "error" for found in findings)
    if as_json:
        rows = [
            {"kind": found.kind, "severity": found.severity, "text": str(found)}
            for found in findings
        ]
        print(json.dumps({"findings": rows}))
    else:
        for finding in findings:
            print(finding, file=sys.stderr)
        if not has_errors:
            print("no errors" if findings else "no findings")
    if has_errors:
        sys.exit(1)
