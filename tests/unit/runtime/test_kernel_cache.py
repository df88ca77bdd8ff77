"""
The disk cache of compiled code: what was kept is found, what is damaged, foreign or too
much is not.
"""

import os
import random
from pathlib import Path

import pytest
from kernel_caches import (
    CODE,
    HEADER,
    KEY,
    POSIX,
    age,
    entry_of,
    files_in,
    keys_of_one_folder,
)

from vyre.runtime import kernel_cache
from vyre.runtime.kernel_cache import KernelCache, key_of


@pytest.fixture
def cache(tmp_path: Path) -> KernelCache:
    """One in a folder that does not exist yet."""
    return KernelCache(tmp_path / "above" / "cache")


# What is kept is found


@pytest.mark.parametrize("payload", [b"", b"x", CODE, bytes(3 << 20)])
def test_what_is_kept_is_found(cache: KernelCache, payload: bytes):
    assert cache.find(KEY) is None
    cache.keep(KEY, payload)
    assert cache.find(KEY) == payload
    assert KernelCache(cache.directory).find(KEY) == payload
    assert cache.find(key_of("another")) is None
    assert cache.problem is None
    assert files_in(cache.directory) == [entry_of(cache)]


def test_looking_creates_nothing(cache: KernelCache):
    assert cache.find(KEY) is None
    assert not cache.directory.parent.exists()
    assert cache.problem is None


def test_a_second_keep_replaces_the_first(cache: KernelCache):
    cache.keep(KEY, b"one")
    cache.keep(KEY, b"another")
    assert cache.find(KEY) == b"another"


@pytest.mark.parametrize("key", ["", "../../etc/passwd", "A" * 64, "0" * 63, "\uff10" * 64])
def test_a_key_is_no_path(cache: KernelCache, key: str):
    with pytest.raises(ValueError, match="key_of"):
        cache.find(key)
    with pytest.raises(ValueError, match="key_of"):
        cache.keep(key, CODE)
    assert not cache.directory.exists()


# Damage is a miss


def test_every_damaged_bit_and_every_length_is_a_miss(cache: KernelCache):
    cache.keep(KEY, CODE)
    entry = entry_of(cache)
    whole = entry.read_bytes()
    assert len(whole) == HEADER + len(CODE)
    flipped = [
        bytes([*whole[:at], whole[at] ^ (1 << bit), *whole[at + 1 :]])
        for at in range(len(whole))
        for bit in range(8)
    ]
    shorter = [whole[:length] for length in range(len(whole))]
    longer = [whole + b"\0", whole + whole, bytes(len(whole))]
    for damaged in [*flipped, *shorter, *longer]:
        entry.write_bytes(damaged)
        assert cache.find(KEY) is None
        assert not entry.exists()
    cache.keep(KEY, CODE)
    assert cache.find(KEY) == CODE


def test_random_damage_is_a_miss(cache: KernelCache):
    pick = random.Random(0)
    payload = pick.randbytes(5000)
    cache.keep(KEY, payload)
    whole = entry_of(cache).read_bytes()
    for _ in range(300):
        begin, end = sorted(pick.choices(range(len(whole) + 1), k=2))
        middle = pick.randbytes(pick.choice([0, 1, end - begin, 600]))
        damaged = whole[:begin] + middle + whole[end:]
        entry_of(cache).write_bytes(damaged)
        assert cache.find(KEY) == (payload if damaged == whole else None)


def test_an_entry_under_the_name_of_another_is_a_miss(cache: KernelCache):
    one, other = keys_of_one_folder(2)
    cache.keep(one, CODE)
    entry_of(cache, one).rename(entry_of(cache, other))
    assert cache.find(other) is None


def test_a_file_too_large_for_an_entry_is_not_read(
    cache: KernelCache, monkeypatch: pytest.MonkeyPatch
):
    cache.keep(KEY, CODE)
    monkeypatch.setattr(kernel_cache, "FOLDER_LIMIT", HEADER + len(CODE) - 1)
    assert cache.find(KEY) is None
    assert not entry_of(cache).exists()


@POSIX
@pytest.mark.parametrize("has_writer", [False, True])
def test_a_pipe_in_place_of_an_entry_is_a_miss_and_nobody_waits(
    has_writer: bool, cache: KernelCache
):
    cache.keep(KEY, CODE)
    entry_of(cache).unlink()
    os.mkfifo(entry_of(cache), 0o600)
    writer = os.open(entry_of(cache), os.O_RDWR) if has_writer else None
    assert cache.find(KEY) is None
    if writer is not None:
        os.close(writer)
    assert not entry_of(cache).exists()
    cache.keep(KEY, CODE)
    assert cache.find(KEY) == CODE


def test_a_folder_in_place_of_an_entry_is_a_problem(cache: KernelCache):
    (entry_of(cache) / "inside").mkdir(parents=True, mode=0o700)
    for folder in (cache.directory, entry_of(cache).parent, entry_of(cache)):
        folder.chmod(0o700)
    assert cache.find(KEY) is None
    assert cache.problem is not None
    cache.keep(KEY, CODE)
    assert "directory" in cache.problem
    assert files_in(cache.directory) == []


# How much is kept


@pytest.fixture
def full(cache: KernelCache, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Keys of four entries, of which three fit; the first three are kept."""
    monkeypatch.setattr(kernel_cache, "FOLDER_LIMIT", 3 * (HEADER + len(CODE)))
    keys = keys_of_one_folder(4)
    for hours, key in zip((30, 20, 10), keys):
        cache.keep(key, CODE)
        age(entry_of(cache, key), hours * 3600)
    return keys


def kept(cache: KernelCache, keys: list[str]) -> list[bool]:
    return [entry_of(cache, key).exists() for key in keys]


def test_the_least_recently_used_entry_goes_first(cache: KernelCache, full: list[str]):
    assert cache.find(full[0]) == CODE
    cache.keep(full[3], CODE)
    assert kept(cache, full) == [True, False, True, True]
    assert cache.problem is None


def test_as_many_go_as_must(cache: KernelCache, full: list[str]):
    cache.keep(full[3], CODE + b"x")
    assert kept(cache, full) == [False, False, True, True]


def test_nothing_goes_while_there_is_room(cache: KernelCache, full: list[str]):
    cache.keep(full[2], CODE)
    assert kept(cache, full) == [True, True, True, False]


def test_a_wrong_clock_protects_nothing(cache: KernelCache, full: list[str]):
    age(entry_of(cache, full[2]), -10 * 86400)
    cache.keep(full[3], CODE)
    assert kept(cache, full) == [True, True, False, True]


def test_what_can_never_fit_is_not_kept(cache: KernelCache, full: list[str]):
    cache.keep(full[3], bytes(3 * (HEADER + len(CODE)) - HEADER + 1))
    assert cache.problem is not None
    assert "too large" in cache.problem
    assert kept(cache, full) == [True, True, True, False]


def test_files_of_others_do_not_count_and_stay(cache: KernelCache, full: list[str]):
    foreign = entry_of(cache, full[0]).with_name("notes.txt")
    foreign.write_bytes(bytes(10_000))
    age(foreign, 10 * 86400)
    cache.keep(full[3], CODE)
    assert foreign.exists()
    assert kept(cache, full) == [False, True, True, True]


@pytest.mark.parametrize(
    ("seconds", "touched"), [(7200, True), (600, False), (-10 * 86400, True)]
)
def test_finding_counts_as_use_once_an_hour(
    seconds: int, touched: bool, cache: KernelCache
):
    cache.keep(KEY, CODE)
    age(entry_of(cache), seconds)
    before = entry_of(cache).stat().st_mtime_ns
    assert cache.find(KEY) == CODE
    assert (entry_of(cache).stat().st_mtime_ns != before) is touched


@pytest.mark.parametrize(
    ("seconds", "stays"), [(4000, False), (3000, True), (-10 * 86400, False)]
)
def test_temporary_files_go_after_an_hour(seconds: int, stays: bool, cache: KernelCache):
    cache.keep(KEY, CODE)
    left = entry_of(cache).with_name("0123.tmp")
    left.write_bytes(b"half")
    age(left, seconds)
    cache.keep(KEY, CODE)
    assert left.exists() is stays
    assert cache.find(KEY) == CODE


def test_temporary_files_count(cache: KernelCache, monkeypatch: pytest.MonkeyPatch):
    """But only entries go if there is too much: writers of the others may be alive."""
    monkeypatch.setattr(kernel_cache, "FOLDER_LIMIT", 4 * (HEADER + len(CODE)))
    first, *others = keys_of_one_folder(3)
    cache.keep(first, CODE)
    age(entry_of(cache, first), 300)
    left = [entry_of(cache, first).with_name(f"{number}.tmp") for number in range(2)]
    for number, file in enumerate(left):
        file.write_bytes(bytes(HEADER + len(CODE)))
        age(file, 100 + 100 * number)
    for key in others:
        cache.keep(key, CODE)
    assert not entry_of(cache, first).exists()
    assert all(cache.find(key) == CODE for key in others)
    cache.keep(first, CODE)
    assert all(file.exists() for file in left)
    assert cache.find(first) == CODE
    assert sum(cache.find(key) is None for key in others) == 1
