"""
`vyre-run`: run a program of a file.

Inputs come from `.npy` files or are written on the command line; what is left out is made
of zeros, if its size is known. Outputs are printed as NumPy prints them, or saved.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn, cast

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override
from xdsl.dialects.builtin import DYNAMIC_INDEX

from vyre.diagnostics import VyreError, did_you_mean
from vyre.dialects.vyre import ProgramOp
from vyre.runtime.errors import InvalidArgument
from vyre.runtime.executable import ENGINES, Executable, compile
from vyre.runtime.geometry import programs_of
from vyre.tools.failures import report_failures
from vyre.tools.inputs import input_value, zeros_for


def main() -> None:
    """The `vyre-run` command."""
    sys.exit(report_failures(lambda: run(sys.argv[1:])))


def run(arguments: Sequence[str]) -> None:
    """Run the tool with these command-line arguments."""
    args = _parser().parse_args(arguments)
    started = time.perf_counter()
    exe = compile(Path(args.file), program=args.program, engine=args.engine, mode=args.mode)
    inputs = _inputs(exe, args.inputs)
    _check_outputs(exe, args.outputs)
    compiled = time.perf_counter()
    if args.explain and not args.json:
        print(_explanation(exe, inputs, args.grid))
    if args.check:
        _check(exe, inputs, args)
        return
    results = exe(
        inputs, grid=args.grid, timeout=args.timeout, fixpoint_iterations=args.fixpoint
    )
    finished = time.perf_counter()
    times = {"compile": compiled - started, "run": finished - compiled}
    _save(results, args.outputs)
    shown = {name: array for name, array in results.items() if name not in args.outputs}
    if args.json:
        report: dict[str, object] = {"outputs": _as_json(shown)}
        if args.time:
            report["seconds"] = times
        if args.explain:
            report["explanation"] = _explanation(exe, inputs, args.grid)
        print(json.dumps(report, allow_nan=False))
        return
    for name, array in shown.items():
        print(f"{name} = {array}")
    if args.time:
        for part, seconds in times.items():
            print(f"{part}: {seconds * 1e3:.3f} ms")


class _Parser(argparse.ArgumentParser):
    """Says what is wrong as everything else does."""

    @override
    def error(self, message: str) -> NoReturn:
        raise VyreError(message, f"see `{self.prog} --help`")


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
    add("--engine", default="auto", choices=["auto", *ENGINES])
    add("--mode", default="auto", choices=["auto", "native", "split"])
    add("--grid", type=_grid, metavar="X,Y,Z", help="workgroups; inferred if left out")
    add("--in", dest="inputs", action=_Named, metavar="NAME=FILE.npy|VALUE")
    add("--out", dest="outputs", action=_Named, metavar="NAME=FILE.npy")
    add("--fixpoint", type=int, metavar="N", help="repeat until nothing changes, N times")
    add("--timeout", type=float, metavar="SECONDS")
    add("--check", action="store_true", help="look for races and other faults")
    add("--time", action="store_true")
    add("--explain", action="store_true", help="show how the program will run")
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
    return tuple(int(number) for number in text.split(","))


def _inputs(exe: Executable, texts: dict[str, str]) -> dict[str, object]:
    """Values for all arguments: what was given, zeros for the rest."""
    table = (*exe.interface.buffers, *exe.interface.params)
    entries = {entry.entry_name.data: entry for entry in table}
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
    writable = [b.entry_name.data for b in exe.interface.buffers if b.access.data.writable]
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


def _as_json(results: dict[str, NDArray[Any]]) -> dict[str, object]:
    return {
        name: {
            "dtype": str(array.dtype),
            "shape": array.shape,
            "data": _numbers(array.tolist()),
        }
        for name, array in results.items()
    }


def _numbers(data: Any) -> Any:
    """JSON has no infinities and NaNs; they become the strings that `float` reads."""
    if isinstance(data, list):
        return [_numbers(item) for item in cast(list[Any], data)]
    return str(data) if isinstance(data, float) and not isfinite(data) else data


def _check(exe: Executable, inputs: dict[str, object], args: argparse.Namespace) -> None:
    findings = exe.check(inputs, grid=args.grid, timeout=args.timeout)
    if args.json:
        rows = [{"kind": found.kind, "text": str(found)} for found in findings]
        print(json.dumps({"findings": rows}))
    else:
        for finding in findings:
            print(finding, file=sys.stderr)
        if not findings:
            print("no findings")
    if findings:
        sys.exit(1)


def _route(exe: Executable) -> str:
    if isinstance(exe.program, ProgramOp):
        return "as it is written: a program"
    programs = len(programs_of(exe.program))
    return f"split: a schedule that launches {programs} program{'s' * (programs != 1)}"


def _explanation(exe: Executable, inputs: dict[str, object], grid: object) -> str:
    """What will run where: a line about the route, and a table of the buffers."""
    prepared = exe.prepare(inputs)
    groups = exe.resolve_grid(prepared, grid)
    how = "as given" if grid is not None else "inferred from the buffers"
    lines = [
        f"@{exe.program.sym_name.data} on the reference engine, {_route(exe)}",
        f"grid {groups}, {how}; workgroups of {exe.workgroup}",
        f"{'buffer':<16}{'access':<12}{'type':<20}shape",
    ]
    for buffer in exe.interface.buffers:
        name = buffer.entry_name.data
        shape = list(np.shape(prepared.storage[name]))
        unknown = DYNAMIC_INDEX in buffer.type.get_shape()
        note = "  (from the argument)" if unknown else ""
        row = f"{name:<16}{buffer.access.data!s:<12}{buffer.type!s:<20}{shape}{note}"
        lines.append(row)
    return "\n".join(lines)
