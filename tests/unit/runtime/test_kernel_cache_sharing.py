"""The disk cache of compiled code, used by many processes and threads at once."""

import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from fresh_processes import Child, outcome
from kernel_caches import KEY, POSIX, files_in, keys_of_one_folder

from vyre.runtime.kernel_cache import KernelCache


@pytest.fixture
def cache(tmp_path: Path) -> KernelCache:
    """One in a folder that does not exist yet."""
    return KernelCache(tmp_path / "above" / "cache")


HAMMER = """
import random, sys
from contextlib import suppress
from pathlib import Path
from vyre.runtime import kernel_cache

directory, seed, *keys = sys.argv[1:]
kernel_cache.FOLDER_LIMIT = 5 * 3100
cache, pick = kernel_cache.KernelCache(Path(directory)), random.Random(int(seed))
hits = 0
for _ in range(400):
    key = pick.choice(keys)
    if pick.random() < 0.1:
        damaged = cache.directory / key[0] / f"{key[1:]}.kernel"
        with suppress(FileNotFoundError), open(damaged, "r+b") as file:
            file.truncate(pick.randrange(3000))
    found = cache.find(key)
    assert found in (None, key[:60].encode() * 50), found
    hits += found is not None
    cache.keep(key, key[:60].encode() * 50)
    assert cache.problem is None, cache.problem
print(hits)
"""
"""Finds, keeps, damages and (five of eight entries fit) drops, as many processes may."""


def test_processes_that_share_entries_never_see_a_wrong_one(cache: KernelCache):
    keys = keys_of_one_folder(8)
    with ExitStack() as stack:
        children = [
            stack.enter_context(Child(HAMMER, str(cache.directory), str(seed), *keys))
            for seed in range(4)
        ]
        for child in children:
            assert child.wait() == (0, "")
            assert int(child.stdout.read())
    assert len(files_in(cache.directory)) in range(1, 6)


ENDLESS = """
import sys
from pathlib import Path
from vyre.runtime.kernel_cache import KernelCache

cache = KernelCache(Path(sys.argv[1]))
while True:
    cache.keep(sys.argv[2], bytes(2_000_000))
    print("kept", flush=True)
"""


def test_a_killed_process_leaves_no_half_entry(cache: KernelCache):
    for rounds in range(1, 6):
        with Child(ENDLESS, str(cache.directory), KEY) as process:
            for _ in range(rounds):
                assert process.stdout.readline() == "kept\n"
            process.kill()
            process.wait()
        assert cache.find(KEY) == bytes(2_000_000)


def test_threads_share_one_cache(cache: KernelCache):
    keys = keys_of_one_folder(4)

    def hammer(seed: int) -> None:
        pick = random.Random(seed)
        for _ in range(100):
            key = pick.choice(keys)
            assert cache.find(key) in (None, key.encode())
            cache.keep(key, key.encode())
            assert cache.problem is None

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(hammer, range(8)))
    assert len(files_in(cache.directory)) == 4


FORKS = """
import os, sys, threading
from pathlib import Path
from vyre.runtime.kernel_cache import KernelCache, key_of

cache, over = KernelCache(Path(sys.argv[1])), threading.Event()

def hammer(name):
    while not over.is_set():
        cache.keep(key_of(name), name.encode())
        assert cache.find(key_of(name)) == name.encode()

threads = [threading.Thread(target=hammer, args=[name]) for name in "abc"]
for thread in threads:
    thread.start()
for _ in range(20):
    child = os.fork()
    if not child:
        cache.keep(key_of("d"), b"d")
        os._exit(0 if cache.find(key_of("d")) == b"d" and not cache.problem else 1)
    assert os.waitpid(child, 0)[1] == 0
over.set()
for thread in threads:
    thread.join()
"""


@POSIX
def test_a_forked_child_can_use_the_cache(tmp_path: Path):
    assert outcome(FORKS, str(tmp_path / "cache")) == (0, "")
