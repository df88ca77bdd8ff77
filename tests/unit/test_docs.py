"""The handbook says what the code does."""

import inspect
import os
import re
import runpy
import shlex
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from command_lines import run_tool
from xdsl.ir import Operation

import vyre
from vyre.diagnostics import example_of
from vyre.dialects.vyre import Vyre
from vyre.tools import vyre_opt, vyre_run

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("script", ["architecture_page", "dialect_page", "pictures"])
def test_what_is_generated_is_fresh(script: str):
    path = ROOT / "docs" / f"{script}.py"
    done = run_tool(partial(runpy.run_path, str(path), run_name="__main__"))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("op", list(Vyre.operations), ids=lambda op: op.name)
def test_every_operation_has_an_example(op: type[Operation]):
    assert example_of(op) is not None


@pytest.mark.parametrize("page", ["README.md", "docs/megakernels.md", "docs/tools.md"])
def test_programs_in_the_handbook_are_valid(page: str):
    for text in re.findall(r"```mlir\n(.*?)```", (ROOT / page).read_text(), re.DOTALL):
        vyre.parse(text)


def output_of(command: str) -> str:
    """What a command prints; only a pipeline needs a shell."""
    if "|" not in command:
        tool, *args = shlex.split(command.replace("\\\n", " "))
        done = run_tool({"vyre-opt": vyre_opt.main, "vyre-run": vyre_run.main}[tool], *args)
    else:
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        done = subprocess.run(
            command,
            shell=True,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
        )
    return (done.stdout + done.stderr).rstrip()


def test_what_commands_print_in_the_page_about_megakernels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "megakernels.md").read_text()
    program = re.findall(r"```mlir\n(.*?)```", page, re.DOTALL)[0]
    (tmp_path / "waves.mlir").write_text(program)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    blocks = re.findall(r"```console\n\$ ((?:\\\n|[^\n])*)\n(.*?)```", page, re.DOTALL)
    shown = {command: text for command, text in blocks if not text.startswith("$")}
    assert len(shown) >= 7
    for command, text in shown.items():
        assert output_of(command) == text.rstrip(), command


def test_resident_megakernels_of_the_handbook_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    page = (ROOT / "docs" / "megakernels.md").read_text()
    [program] = re.findall(r"```mlir\n(.*?)```", page, re.DOTALL)
    code = re.findall(r"```python\n(.*?)```", page, re.DOTALL)[-1]
    (tmp_path / "waves.mlir").write_text(program)
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    assert capsys.readouterr().out == "1\n[2.5 2.5 2.5 2.5 2.5 2.5 2.5 2.5]\n"


def test_the_engine_in_the_handbook_is_the_one_that_is_tested():
    source = (ROOT / "docs" / "toy_backend.py").read_text()
    assert len(source.splitlines()) < 60
    page = (ROOT / "docs" / "runtime.md").read_text()
    assert source[source.index("from itertools") :].rstrip() in page


def test_diagnostic_in_the_handbook_is_real():
    page = (ROOT / "docs" / "tools.md").read_text()
    shown = page[page.index("bad.mlir:5:3") : page.index("```\n\nWith `--verify")]
    program = """\
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %one = arith.constant 1 : i32
  vyre.store %one, %a[%i] : memref<?xi32>
}
"""
    with pytest.raises(vyre.InvalidProgram) as raised:
        vyre.parse(program, name="bad.mlir")
    assert str(raised.value) == shown.strip()


def test_docstring_examples_use_the_syntax():
    """Each whole program in a docstring parses; fragments are covered by FileCheck."""
    programs = [
        text
        for op in Vyre.operations
        for text in re.findall(r"```mlir\n(.*?)```", inspect.getdoc(op) or "", re.DOTALL)
        if text.startswith("vyre.program")
    ]
    assert programs
    for text in programs:
        vyre.parse(text)
