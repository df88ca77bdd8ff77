"""The command line: what goes in, what comes out, and how it fails."""

import subprocess
import sys
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from command_lines import run_tool

from vyre.tools import vyre_opt

pytestmark = pytest.mark.core

TOOL = Path(sys.executable).with_name("vyre-opt")
PROGRAM = "vyre.program @p [1, 1, 1] {\n}\n"
INVALID = "vyre.program @p [1, 1, 1] {\n  vyre.barrier relaxed\n}\n"


def run(*args: str | Path, stdin: str = "") -> CompletedProcess[str]:
    return run_tool(vyre_opt.main, *args, stdin=stdin)


def fails(done: CompletedProcess[str]) -> str:
    """The diagnostic of a run that must fail with exactly one."""
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert done.stderr.count("error: ") == 1
    assert done.stderr.strip().splitlines()[-1].startswith("Fix: ")
    return done.stderr


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "p.mlir"
    path.write_text(PROGRAM)
    return path


@pytest.mark.parametrize("args", [[], ["-"]])
def test_reads_standard_input(args: list[str]):
    assert "vyre.program @p" in run(*args, stdin=PROGRAM).stdout


def test_names_standard_input_in_errors():
    assert fails(run(stdin=INVALID)).startswith("<stdin>:2:3: error: ")


def test_writes_to_a_file(program: Path, tmp_path: Path):
    run(program, "-o", tmp_path / "out.mlir")
    assert "vyre.program @p" in (tmp_path / "out.mlir").read_text()


def test_missing_file():
    assert "cannot open 'nowhere.mlir'" in fails(run("nowhere.mlir"))


def test_unwritable_output(program: Path, tmp_path: Path):
    assert "cannot open" in fails(run(program, "-o", tmp_path / "no" / "out.mlir"))


def test_unknown_extension(tmp_path: Path):
    path = tmp_path / "p.txt"
    path.write_text(PROGRAM)
    assert "-f mlir" in fails(run(path))
    assert run(path, "-f", "mlir").returncode == 0


def test_unknown_pass(program: Path):
    assert "did you mean 'canonicalize'?" in fails(run(program, "-p", "canonicaliz"))


@pytest.mark.parametrize("passes", ["cse{", "cse{a=1}", "cse,,dce", "{}"])
def test_malformed_pipelines(program: Path, passes: str):
    fails(run(program, "-p", passes))


def test_chunks_are_numbered_as_in_the_file():
    text = f"{PROGRAM}// -----\n{INVALID}"
    assert "<stdin>:5:3: error: " in fails(run("--split-input-file", stdin=text))


def test_diagnostics_can_be_printed_and_passed_over():
    text = f"{INVALID}// -----\n{PROGRAM}"
    done = run("--split-input-file", "--verify-diagnostics", stdin=text)
    assert done.returncode == 0
    assert "<stdin>:2:3: error: " in done.stdout
    assert "vyre.program @p" in done.stdout
    assert done.stdout.count("vyre.barrier relaxed") == 1


def test_verification_can_be_switched_off():
    done = run("--disable-verify", stdin=INVALID)
    assert "vyre.barrier relaxed" in done.stdout


def test_a_pass_that_breaks_down_is_named(program: Path):
    # This pass of xDSL's looks for a tool that is not there.
    text = fails(run(program, "-p", 'mlir-opt{executable="no-such-tool"}'))
    assert "pass 'mlir-opt'" in text


def test_whole_program_rules_apply_without_any_pass():
    text = """\
vyre.program @p [1, 1, 1] {
  %b = arith.addi %a, %a : index
  %a = vyre.invocation_id x
}
"""
    assert "uses %a, which is not defined" in fails(run(stdin=text))


def test_a_reader_that_leaves_early_is_no_failure(tmp_path: Path):
    path = tmp_path / "long.mlir"
    lines = "  %c = arith.constant 0 : i32\n".replace("%c", "%c{}")
    body = "".join(lines.format(number) for number in range(5000))
    path.write_text(f"vyre.program @p [1, 1, 1] {{\n{body}}}\n")
    done = subprocess.run(
        f"'{TOOL}' '{path}' | head -1", shell=True, capture_output=True, text=True
    )
    assert done.stdout == "builtin.module {\n"
    assert done.stderr == ""


def test_version():
    assert run("--version").stdout.startswith("vyre-opt")
