"""
The disk cache of compiled code on a bad day: nothing that happens to the disk reaches the
caller, and code that somebody else may have written is not run.
"""

import errno
import os
import signal
import stat
from pathlib import Path

import pytest
from fresh_processes import outcome
from kernel_caches import CODE, KEY, POSIX, age, entry_of, files_in

from vyre.runtime.kernel_cache import KernelCache, key_of


@pytest.fixture
def cache(tmp_path: Path) -> KernelCache:
    """One in a folder that does not exist yet."""
    return KernelCache(tmp_path / "above" / "cache")


# What the disk does stays here


IMPOSSIBLE = {
    "a file": Path("file"),
    "below a file": Path("file", "below"),
    "a long name": Path("long" * 100),
    "a long path": Path(*["deep" * 20] * 100),
    "no path": Path("not\0a path"),
}


@pytest.mark.parametrize("place", IMPOSSIBLE.values(), ids=IMPOSSIBLE.keys())
def test_an_impossible_place_is_a_problem(place: Path, tmp_path: Path):
    (tmp_path / "file").write_bytes(b"")
    cache = KernelCache(tmp_path / place)
    cache.keep(KEY, CODE)
    assert cache.problem
    cache.problem = None
    assert cache.find(KEY) is None
    assert cache.problem


@POSIX
def test_a_dangling_link_is_a_problem(tmp_path: Path):
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for place in (tmp_path / "link", tmp_path / "link" / "below"):
        cache = KernelCache(place)
        assert cache.find(KEY) is None
        cache.keep(KEY, CODE)
        assert cache.problem
    assert not (tmp_path / "nowhere").exists()


def test_another_process_may_create_the_folders_first(
    cache: KernelCache, monkeypatch: pytest.MonkeyPatch
):
    really = os.mkdir

    def late(path: Path, mode: int) -> None:
        really(path, mode)
        really(path, mode)

    monkeypatch.setattr(os, "mkdir", late)
    cache.keep(KEY, CODE)
    assert cache.find(KEY) == CODE
    assert cache.problem is None


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES, errno.ENOSPC, errno.EDQUOT])
@pytest.mark.parametrize("name", ["mkdir", "open", "replace", "scandir"])
def test_a_disk_that_refuses_is_a_problem_until_it_does_not(
    name: str, number: int, cache: KernelCache, monkeypatch: pytest.MonkeyPatch
):
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as broken:
        broken.setattr(os, name, refuse)
        cache.keep(KEY, CODE)
    assert cache.problem is not None
    assert os.strerror(number) in cache.problem
    assert not list(cache.directory.rglob("*.tmp"))
    cache.keep(KEY, CODE)
    assert cache.find(KEY) == CODE
    assert cache.problem is None


def test_a_disk_that_cannot_be_written_can_be_read(
    cache: KernelCache, monkeypatch: pytest.MonkeyPatch
):
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    cache.keep(KEY, CODE)
    age(entry_of(cache), 7200)
    for name in ("utime", "unlink", "replace", "mkdir"):
        monkeypatch.setattr(os, name, refuse)
    assert cache.find(KEY) == CODE
    assert cache.problem is None
    entry_of(cache).write_bytes(b"damaged, and cannot be removed")
    assert cache.find(KEY) is None


FULL = """
import resource, sys
from pathlib import Path
from vyre.runtime.kernel_cache import KernelCache, key_of

resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
cache = KernelCache(Path(sys.argv[1]))
cache.keep(key_of("large"), bytes(100_000))
assert "large" in cache.problem, cache.problem
assert cache.find(key_of("large")) is None
assert not list(cache.directory.rglob("*.*"))
cache.keep(key_of("small"), bytes(4000))
assert cache.find(key_of("small")) == bytes(4000)
assert cache.problem is None
"""
"""The system stops a write in the middle, as on a full disk."""


@POSIX
def test_a_write_that_ends_in_the_middle_leaves_nothing(tmp_path: Path):
    assert outcome(FULL, str(tmp_path / "cache")) == (0, "")


@pytest.mark.parametrize("renamed", [False, True])
def test_ctrl_c_leaves_no_half_entry(
    renamed: bool, cache: KernelCache, monkeypatch: pytest.MonkeyPatch
):
    really = os.replace

    def interrupted(source: Path, target: Path) -> None:
        if renamed:
            really(source, target)
        signal.raise_signal(signal.SIGINT)

    cache.keep(KEY, b"before")
    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        cache.keep(KEY, CODE)
    assert cache.find(KEY) == (CODE if renamed else b"before")
    assert files_in(cache.directory) == [entry_of(cache)]


# Whom to trust


@POSIX
def test_folders_and_entries_are_for_the_user_alone(cache: KernelCache):
    before = os.umask(0)
    try:
        cache.keep(KEY, CODE)
    finally:
        os.umask(before)
    entry = entry_of(cache)
    for folder in (entry.parent, cache.directory, cache.directory.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(entry.stat().st_mode) == 0o600


@POSIX
@pytest.mark.parametrize("mode", [0o770, 0o720, 0o702, 0o777, 0o1777])
@pytest.mark.parametrize("level", [0, 1])
def test_a_folder_that_others_may_write_is_not_used(
    level: int, mode: int, cache: KernelCache
):
    cache.keep(KEY, CODE)
    folder = [cache.directory, entry_of(cache).parent][level]
    before = entry_of(cache).stat()
    folder.chmod(mode)
    assert cache.find(KEY) is None
    assert cache.problem is not None
    assert f"{folder} may be written by other users" in cache.problem
    cache.keep(KEY, b"other")
    assert "may be written" in cache.problem
    assert entry_of(cache).stat() == before

    folder.chmod(0o755)
    assert cache.find(KEY) == CODE


@POSIX
@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_an_entry_that_others_may_write_is_not_used_but_replaced(
    mode: int, cache: KernelCache
):
    cache.keep(KEY, CODE)
    entry_of(cache).chmod(mode)
    assert cache.find(KEY) is None
    assert cache.problem is not None
    assert "may be written by other users" in cache.problem
    cache.keep(KEY, CODE)
    assert cache.find(KEY) == CODE
    assert cache.problem is None


@POSIX
def test_the_folder_of_another_user_is_not_used(
    cache: KernelCache, monkeypatch: pytest.MonkeyPatch
):
    cache.keep(KEY, CODE)
    somebody = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: somebody)
    assert cache.find(KEY) is None
    assert cache.problem == f"{cache.directory} belongs to another user"
    cache.keep(key_of("another"), CODE)
    assert cache.problem == f"{cache.directory} belongs to another user"
    assert files_in(cache.directory) == [entry_of(cache)]


@POSIX
def test_the_entry_of_another_user_is_not_used(
    cache: KernelCache, monkeypatch: pytest.MonkeyPatch
):
    really = os.fstat

    def of_somebody(file: int) -> os.stat_result:
        status = list(really(file))
        status[stat.ST_UID] += 1
        return os.stat_result(status)

    cache.keep(KEY, CODE)
    with monkeypatch.context() as changed:
        changed.setattr(os, "fstat", of_somebody)
        assert cache.find(KEY) is None
    assert cache.problem == f"{entry_of(cache)} belongs to another user"
    assert cache.find(KEY) == CODE


@POSIX
def test_a_link_to_a_folder_of_the_user_is_used(tmp_path: Path):
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    KernelCache(tmp_path / "link").keep(KEY, CODE)
    assert KernelCache(tmp_path / "real").find(KEY) == CODE
