"""Where the disk cache of compiled code is, and what its keys depend on."""

import os
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from kernel_caches import CODE, KEY, POSIX

import vyre
from vyre.runtime import kernel_cache
from vyre.runtime.kernel_cache import (
    KernelCache,
    build_stamp,
    default_directory,
    key_of,
    source_stamp,
)

# Where it is

HOME = {"HOME": "/home/ada"}


@pytest.mark.parametrize(
    ("environ", "system", "expected"),
    [
        (HOME, "linux", "/home/ada/.cache/vyre"),
        (HOME, "darwin", "/home/ada/Library/Caches/vyre"),
        (HOME | {"XDG_CACHE_HOME": "/fast"}, "linux", "/fast/vyre"),
        (HOME | {"XDG_CACHE_HOME": "/fast"}, "darwin", "/fast/vyre"),
        (HOME | {"XDG_CACHE_HOME": ""}, "linux", "/home/ada/.cache/vyre"),
        (HOME | {"XDG_CACHE_HOME": "relative"}, "linux", "/home/ada/.cache/vyre"),
        (HOME | {"VYRE_CACHE_DIR": "/x", "XDG_CACHE_HOME": "/fast"}, "linux", "/x"),
        ({"VYRE_CACHE_DIR": "/x"}, "win32", "/x"),
        ({"VYRE_CACHE_DIR": "/x"}, "linux", "/x"),
        ({"LOCALAPPDATA": "/local"} | HOME, "win32", "/local/vyre/cache"),
        (HOME | {"VYRE_CACHE_DIR": ""}, "linux", None),
        ({"LOCALAPPDATA": "/local", "VYRE_CACHE_DIR": ""}, "win32", None),
        (HOME, "win32", None),
        ({}, "linux", None),
        ({}, "darwin", None),
        ({"HOME": ""}, "linux", None),
    ],
)
def test_where_the_default_is(environ: dict[str, str], system: str, expected: str | None):
    assert default_directory(environ, system) == (expected and Path(expected))


def test_the_default_looks_at_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("VYRE_CACHE_DIR", str(tmp_path / "cache"))
    cache = KernelCache.default()
    assert cache is not None
    cache.keep(KEY, CODE)
    assert KernelCache(tmp_path / "cache").find(KEY) == CODE

    monkeypatch.setenv("VYRE_CACHE_DIR", "")
    assert KernelCache.default() is None


@POSIX
def test_a_tilde_is_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("VYRE_CACHE_DIR", "~/mine")
    cache = KernelCache.default()
    assert cache is not None
    assert cache.directory == tmp_path / "mine"


# What keys contain


def test_keys_of_different_parts_differ():
    parts: list[tuple[str | bytes, ...]] = [
        (),
        ("",),
        ("", ""),
        (b"",),
        ("ab", "c"),
        ("a", "bc"),
        ("abc",),
        (b"abc",),
        ("c", "ab"),
        ("\udcff",),
        ("a\0b",),
        ("a", "b"),
    ]
    keys = [key_of(*some) for some in parts]
    assert len(set(keys)) == len(parts)
    assert all(len(key) == 64 and set(key) <= set("0123456789abcdef") for key in keys)
    assert keys == [key_of(*some) for some in parts]


def test_keys_contain_the_build(monkeypatch: pytest.MonkeyPatch):
    before = key_of("program")
    monkeypatch.setattr(kernel_cache, "build_stamp", lambda: "another build")
    assert key_of("program") != before


def test_the_stamp_names_what_code_depends_on():
    stamp = build_stamp()
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    for part in (f"vyre {vyre.__version__}", python, "xdsl", "llvmlite", sys.platform):
        assert part in stamp
    assert f"numpy {numpy.__version__}" in stamp


def test_processes_agree_on_keys():
    """Python's hashes of strings are others in every process."""
    script = "from vyre.runtime.kernel_cache import key_of; print(key_of('a', b'b'))"
    found = subprocess.check_output([sys.executable, "-c", script], text=True)
    assert found.strip() == key_of("a", b"b")


SOURCES = [
    "__init__.py",
    "reading.py",
    "analysis/facts.py",
    "dialects/vyre/ops.py",
    "lowering/llvm/control.py",
    "lowering/llvm/barrier.ll",
    "passes/rules/rule.py",
    "runtime/compiled.pyc",
]


@pytest.fixture
def package(tmp_path: Path) -> Path:
    root = tmp_path / "package"
    for name in [*SOURCES, "passes/__pycache__/old.pyc", "tests/test.py", "runtime/a.md"]:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("one")
    return root


@pytest.mark.parametrize("name", SOURCES)
def test_an_edited_source_changes_the_stamp(name: str, package: Path):
    file, stamps = package / name, [source_stamp(package)]
    assert source_stamp(package) == stamps[0]
    times = file.stat()
    file.write_text("two")
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns + 100))
    stamps.append(source_stamp(package))
    file.write_text("three")
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    stamps.append(source_stamp(package))
    file.with_name("new.py").write_text("")
    stamps.append(source_stamp(package))
    file.unlink()
    stamps.append(source_stamp(package))
    assert len(set(stamps)) == len(stamps)


@pytest.mark.parametrize("name", ["passes/__pycache__/old.pyc", "tests/test.py", "a.md"])
def test_other_files_do_not_change_the_stamp(name: str, package: Path):
    before = source_stamp(package)
    (package / name).write_text("changed")
    assert source_stamp(package) == before


def test_a_copy_elsewhere_has_another_stamp(package: Path):
    before = source_stamp(package)
    assert source_stamp(package.rename(package.with_name("moved"))) != before


@POSIX
def test_the_lock_of_an_editor_hides_no_source(package: Path):
    before = source_stamp(package)
    for folder in {(package / name).parent for name in SOURCES}:
        (folder / ".#lock.py").symlink_to(package / "nowhere")
    assert source_stamp(package) == before
    for name in SOURCES:
        (package / name).write_text("changed")
        changed = source_stamp(package)
        assert changed != before
        before = changed


def test_without_sources_no_two_builds_are_the_same(tmp_path: Path):
    assert source_stamp(tmp_path / "a.zip") != source_stamp(tmp_path / "a.zip")
