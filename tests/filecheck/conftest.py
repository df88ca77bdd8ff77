"""
FileCheck tests under pytest, in its process: `vyre-opt` and `filecheck` are functions here.

The files are those that `lit` runs, with the substitutions of `lit.cfg`. A RUN line that is
more than a pipeline of known commands is left to `lit`, and so are the files of `WITH_LIT`,
which keep the command line itself honest. `make filecheck` runs all files with `lit`.
"""

import re
import shlex
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from subprocess import CompletedProcess
from types import SimpleNamespace
from typing import Any, cast

import pytest
from command_lines import run_tool
from filecheck.main import main as filecheck
from typing_extensions import override

from vyre.tools import vyre_opt

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
TOOLS = {"vyre-opt": vyre_opt.main, "filecheck": filecheck}
WITH_LIT = (
    "analysis/uniformity/loads.mlir",
    "dialects/vyre/buffers.mlir",
    "dialects/vyre/invalid/access.mlir",
    "dialects/vyre/invalid/unregistered.mlir",
    "lowering/cuda/grid_barrier.mlir",
    "tools/plan_waves.mlir",
    "passes/hoist_grid_sync/variables.mlir",
    "passes/host_plan/host_plan.mlir",
    "passes/prove_inbounds/invalid_sizes.mlir",
    "passes/prove_inbounds/unknown.mlir",
)
"""One file for each form of RUN line."""


def substitutions() -> list[tuple[str, str]]:
    """Reads the substitutions of `lit.cfg`."""
    config: Any = SimpleNamespace(environment={"PATH": ""}, substitutions=[])
    settings = ROOT / "lit.cfg"
    exec(settings.read_text(), {"config": config, "__file__": str(settings)})
    return config.substitutions


SUBSTITUTIONS = substitutions()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.File | None:
    if file_path.suffix != ".mlir":
        return None
    return cast(Any, MlirFile).from_parent(parent, path=file_path)


class MlirFile(pytest.File):
    """A file with RUN lines, which is one test."""

    @override
    def collect(self) -> Generator[pytest.Item]:
        test = cast(Any, MlirTest).from_parent(self, name=self.path.stem)
        test.add_marker("core")
        yield test


class CommandFailed(Exception):
    """Says which command failed, and what it printed."""


class MlirTest(pytest.Item):
    """The RUN lines of a file, in this process or with `lit`."""

    @override
    def runtest(self) -> None:
        text = self.path.read_text()
        lines = [self._expanded(line) for line in re.findall(r"// RUN: (.*)", text)]
        assert lines, f"{self.path} has no RUN line"
        commands = [pipeline(line) for line in lines]
        if self.path.relative_to(HERE).as_posix() in WITH_LIT or None in commands:
            run_lit(self.path)
            return
        for line, parts in zip(lines, commands):
            run_pipeline(line, parts or [])

    def _expanded(self, line: str) -> str:
        for name, command in SUBSTITUTIONS:
            line = line.replace(name, command)
        return line.replace("%s", shlex.quote(str(self.path)))

    @override
    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None
    ) -> str:
        if isinstance(excinfo.value, CommandFailed):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo, style))

    @override
    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, self.path.relative_to(ROOT).as_posix()


def pipeline(line: str) -> list[list[str]] | None:
    """The commands of a RUN line; None if a shell is needed."""
    commands: list[list[str]] = [[]]
    for word in _words(line):
        if word == "|":
            commands.append([])
        else:
            commands[-1].append(word)
    plain = all(command[0] in {*TOOLS, "not", "grep"} for command in commands)
    redirected = any(word in (">", "<", "&&", ";") for word in _words(line))
    return commands if plain and not redirected else None


def _words(line: str) -> list[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|")
    lexer.whitespace_split = True
    return list(lexer)


def run_pipeline(line: str, commands: list[list[str]]) -> None:
    """Runs commands as a shell with `pipefail` would."""
    text = ""
    for command in commands:
        done = run(command, text)
        if done.returncode:
            name = " ".join(command)
            raise CommandFailed(f"{line}\n\n{name}\n{done.stdout}\n{done.stderr}")
        text = done.stdout


def run(command: list[str], stdin: str) -> CompletedProcess[str]:
    name, *args = command
    if name == "not":
        done = run(args, stdin)
        done.returncode = int(not done.returncode)
        return done
    if name == "grep":
        option, pattern = args
        assert option == "-E"
        found = [line for line in stdin.splitlines(True) if re.search(pattern, line)]
        return CompletedProcess[str](command, int(not found), "".join(found), "")
    merged = args[-1:] == ["2>&1"]
    return run_tool(
        TOOLS[name], *args[: -1 if merged else None], stdin=stdin, merged=merged
    )


def run_lit(path: Path) -> None:
    lit = Path(sys.executable).with_name("lit")
    done = subprocess.run([lit, "--verbose", path], capture_output=True, text=True)
    if done.returncode:
        raise CommandFailed(done.stdout + done.stderr)
