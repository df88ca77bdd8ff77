"""Vyre inside xDSL's own tools."""

import subprocess
import sys
from pathlib import Path

from xdsl.universe import Universe

EXAMPLE = Path(__file__).parents[2] / "examples" / "reachability.mlir"


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_xdsl_opt_knows_dialect_and_passes():
    tool = Path(sys.executable).with_name("xdsl-opt")
    done = run(tool, EXAMPLE, "-p", "vyre-verify-program,canonicalize")
    assert done.returncode == 0, done.stderr
    assert "vyre.barrier grid_sync" in done.stdout


def test_every_dialect_and_pass_can_be_loaded():
    multiverse = Universe.get_multiverse()
    assert multiverse.all_dialects["vyre"]().name == "vyre"
    ours = {name: get for name, get in multiverse.all_passes.items() if "vyre-" in name}
    assert ours
    for name, get_pass in ours.items():
        assert get_pass().name == name


def test_the_plugin_imports_nothing_early():
    """xDSL loads every plugin at every start, so ours must cost next to nothing."""
    code = (
        "import sys, xdsl.universe; before = set(sys.modules);"
        "import vyre.universe; print(*sorted(set(sys.modules) - before))"
    )
    imported = run(sys.executable, "-c", code).stdout.split()
    early = ("dialects", "lowering", "passes", "tools", "tools.plan", "universe")
    assert set(imported) == {"vyre", *(f"vyre.{name}" for name in early)}


def test_the_package_exports_what_it_promises():
    import vyre

    for name in vyre.__all__:
        assert getattr(vyre, name) is not None
