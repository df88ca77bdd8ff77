"""What `pip install` puts on a machine."""

import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOT_PACKAGES = {"tests", "docs", "examples", "benchmarks", "build", "dist"}


def source_packages() -> set[str]:
    """Every folder of the checkout that Python imports as part of `vyre`."""
    folders = [
        init.parent.relative_to(ROOT)
        for init in ROOT.rglob("__init__.py")
        if not init.relative_to(ROOT).parts[0].startswith(".")
        and init.relative_to(ROOT).parts[0] not in NOT_PACKAGES
    ]
    return {".".join(("vyre", *folder.parts)) for folder in folders}


def test_every_package_is_listed():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert set(settings["tool"]["setuptools"]["packages"]) == source_packages()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from a copy of the sources, so that the checkout stays clean."""
    folder = tmp_path_factory.mktemp("wheel")
    ignored = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "tests")
    shutil.copytree(ROOT, folder / "source", ignore=ignored)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    command += ["--no-build-isolation", "--wheel-dir", str(folder), str(folder / "source")]
    subprocess.run(command, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


def test_wheel_has_every_package_and_nothing_outside(wheel: Path):
    with zipfile.ZipFile(wheel) as archive:
        files = [Path(name) for name in archive.namelist()]
    tops = {file.parts[0] for file in files}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"vyre"}

    modules = {file for file in files if file.suffix == ".py"}
    packages = {".".join(file.parent.parts) for file in modules}
    assert packages == source_packages()
    in_checkout = {
        Path("vyre", path.relative_to(ROOT))
        for package in source_packages()
        for path in ROOT.joinpath(*package.split(".")[1:]).glob("*.py")
    }
    assert modules == in_checkout
    assert Path("vyre/py.typed") in files
    shims = {file.name for file in files if file.suffix in (".cpp", ".h")}
    assert shims == {path.name for path in (ROOT / "testing").glob("cuda_shim*")}


def test_wheel_works_without_the_checkout(wheel: Path, tmp_path: Path):
    target = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    program = "vyre.program @p [1, 1, 1] {}"
    # -I keeps the editable install's own finder behind the path that we put first.
    code = f"import sys; sys.path.insert(0, {str(target)!r}); sys.meta_path[:] = [\
        f for f in sys.meta_path if 'editable' not in repr(f)]; import vyre; \
        assert vyre.__file__.startswith({str(target)!r}); print(vyre.parse({program!r}))"
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "vyre.program @p [1, 1, 1]" in done.stdout
