"""The `vyre-run` command."""

import json
import subprocess
import sys
from pathlib import Path
from subprocess import CompletedProcess

import numpy as np
import pytest
from command_lines import run_tool

from vyre.tools import vyre_run

TOOL = Path(sys.executable).with_name("vyre-run")
PROGRAM = """
vyre.program @add [4, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xf32>
  %b = vyre.buffer "b" read_write binding 1 : memref<4xf32>
  %n = vyre.param "n" : f32
  %x = vyre.invocation_id x
  %v = vyre.load %a[%x] : memref<?xf32>
  %w = vyre.load %b[%x] : memref<4xf32>
  %s = arith.addf %v, %w : f32
  %t = arith.addf %s, %n : f32
  vyre.store %t, %b[%x] : memref<4xf32>
}
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "add.mlir"
    path.write_text(PROGRAM)
    return path


def run(*args: str | Path) -> CompletedProcess[str]:
    return run_tool(vyre_run.main, *args)


def command(*args: str | Path) -> CompletedProcess[str]:
    return subprocess.run([TOOL, *args], capture_output=True, text=True)


def fails(*args: str | Path) -> str:
    done = run(*args)
    assert done.returncode == 1
    assert done.stderr.count("error: ") == 1
    assert "\nFix: " in done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


def test_prints_results_like_numpy(program: Path):
    done = run(program, "--in", "a=1,2,3,4", "--in", "n=0.5")
    assert done.stdout == "b = [1.5 2.5 3.5 4.5]\n", done.stderr


def test_is_a_command(program: Path):
    done = command(program, "--in", "a=1,2,3,4", "--in", "n=0.5")
    assert done.stdout == "b = [1.5 2.5 3.5 4.5]\n", done.stderr


def test_fills_buffers_of_known_size(program: Path):
    done = run(program, "--in", "a=zeros(4)", "--in", "b=7")
    assert done.stdout == "b = [7. 7. 7. 7.]\n", done.stderr


def test_files_in_and_out(program: Path, tmp_path: Path):
    np.save(tmp_path / "a.npy", np.arange(4, dtype=np.float32))
    out = tmp_path / "b.npy"
    done = run(program, "--in", f"a={tmp_path / 'a.npy'}", "--out", f"b={out}")
    assert (done.stdout, done.returncode) == ("", 0), done.stderr
    np.testing.assert_array_equal(np.load(out), [0, 1, 2, 3])


def test_json(program: Path):
    found = json.loads(run(program, "--in", "a=arange(4)", "--json", "--time").stdout)
    assert found["outputs"]["b"] == {"dtype": "float32", "shape": [4], "data": [0, 1, 2, 3]}
    assert set(found["seconds"]) == {"compile", "run", "device", "enqueue", "wait"}


def test_no_cache(program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    cache = tmp_path / "cache"
    monkeypatch.setenv("VYRE_CACHE_DIR", str(cache))
    ask = program, "--engine", "cpu", "--in", "a=1,2,3,4"
    without = run(*ask, "--no-cache")
    assert without.stdout == "b = [1. 2. 3. 4.]\n", without.stderr
    assert not cache.exists()
    # The engine of this process has chosen its cache already.
    assert command(*ask).stdout == without.stdout
    assert list(cache.rglob("*.kernel"))


def test_time_and_explain(program: Path):
    text = run(program, "--in", "a=ones(4)", "--time", "--explain", "--grid", "2").stdout
    assert "@add on engine 'cpu'\nnative: there is no grid barrier" in text
    assert "grid (2, 1, 1), workgroups of (4, 1, 1)" in text
    assert "\na       input             memref<?xf32>  16\n" in text
    assert "\nrun: " in text


def test_split(program: Path):
    text = program.read_text().rstrip().removesuffix("}")
    program.write_text(f"{text}\n  vyre.barrier grid_sync\n}}\n")
    done = run(program, "--in", "a=1,1,1,1", "--mode", "split", "--explain")
    assert "\nsplit: as asked for\n" in done.stdout
    assert "nothing crosses" in done.stdout
    assert done.stdout.endswith("b = [1. 1. 1. 1.]\n")


def test_plan_and_trace(program: Path, tmp_path: Path):
    """Files beside the results: a picture, and what happened when."""
    plan, trace = tmp_path / "plan.svg", tmp_path / "trace.json"
    run(program, "--in", "a=ones(4)", "--plan", str(plan), "--trace", str(trace))
    assert "there is no grid barrier" in plan.read_text()
    names = [event["name"] for event in json.loads(trace.read_text())["traceEvents"]]
    assert names.count("@add") == 2  # The dispatch, and its only launch.


def test_workgroup_and_check_interval(program: Path):
    done = run(program, "--in", "a=ones(4)", "--workgroup", "2", "--explain")
    assert "grid (2, 1, 1), workgroups of (2, 1, 1)" in done.stdout
    done = run(program, "--in", "a=ones(4)", "--fixpoint", "3", "--check-interval", "none")
    assert done.stdout == "b = [3. 3. 3. 3.]\n"
    assert "check_interval is 0" in fails(
        program, "--in", "a=ones(4)", "--check-interval", "0"
    )


def test_fixpoint(program: Path):
    done = run(program, "--in", "a=1,1,1,1", "--fixpoint", "3")
    assert done.stdout == "b = [3. 3. 3. 3.]\n"


def test_check(program: Path):
    assert run(program, "--in", "a=ones(4)", "--check").stdout == "no findings\n"
    done = run(program, "--in", "a=ones(3)", "--check")
    assert (done.returncode, done.stdout) == (0, "no errors\n")
    text = "warning: 'vyre.load': invocation (3, 0, 0) accesses \"a\" outside its bounds"
    assert text in done.stderr
    only = run(program, "--in", "a=ones(3)", "--check", "--kinds", "race,never written")
    assert (only.returncode, only.stdout, only.stderr) == (0, "no findings\n", "")
    assert "did you mean 'race'?" in fails(
        program, "--in", "a=ones(3)", "--check", "--kinds", "races"
    )


def test_mistakes_have_one_diagnostic(program: Path, tmp_path: Path):
    assert "the size of 'a' is not known" in fails(program)
    assert "no argument 'aa'" in fails(program, "--in", "aa=1")
    assert "cannot read '1,x' for 'a'" in fails(program, "--in", "a=1,x")
    assert "there is no output 'a'" in fails(
        program, "--in", "a=zeros(4)", "--out", "a=f.npy"
    )
    assert "cannot open 'no.npy'" in fails(program, "--in", "a=no.npy")
    assert "there is no file" in fails("nowhere.mlir")
    assert "no program 'x'" in fails(program, "--program", "x")
    assert "expected float32" in fails(program, "--in", f"a={_integers(tmp_path)}")
    broken = tmp_path / "broken.npy"
    broken.write_text("not an array")
    assert "is not an array file" in fails(program, "--in", f"a={broken}")


def _integers(folder: Path) -> Path:
    path = folder / "integers.npy"
    np.save(path, np.arange(4))
    return path


def test_endless_programs_time_out(tmp_path: Path):
    path = tmp_path / "endless.mlir"
    path.write_text("""
vyre.program @p [1, 1, 1] {
  %go = arith.constant true
  scf.while () : () -> () {
    scf.condition(%go)
  } do {
    scf.yield
  }
}
""")
    assert "took longer than 0.2 s" in fails(path, "--timeout", "0.2")


def test_odd_inputs_are_no_bugs(program: Path, tmp_path: Path):
    zip_file = tmp_path / "zip.npy"
    zip_file.write_bytes(b"PK\3\4 nonsense")
    for text in (f"a={zip_file}", "a=zeros(99999999999999)", "a=arange(1,2,0)"):
        assert "this is a bug" not in fails(program, "--in", text)
    assert "see `vyre-run --help`" in fails(program, "--grid", "x")
    assert "write NAME=" in fails(program, "--out", "b=")


def test_json_has_no_nan(program: Path):
    found = json.loads(run(program, "--in", "a=nan,inf,-inf,1", "--json").stdout)
    assert found["outputs"]["b"]["data"] == ["nan", "inf", "-inf", 1]


def test_json_findings(program: Path):
    done = run(program, "--in", "a=ones(3)", "--check", "--json")
    assert done.returncode == 0
    (row,) = json.loads(done.stdout)["findings"]
    assert (row["kind"], row["severity"]) == ("outside", "warning")
    assert ": warning: " in row["text"]


def test_outputs_go_where_they_are_told(program: Path):
    text = fails(program, "--in", "a=ones(4)", "--out", "b=/dev/full")
    assert "No space left" in text
