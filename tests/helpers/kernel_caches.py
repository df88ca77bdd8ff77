"""What tests of the disk cache of compiled code share."""

import os
import time
from pathlib import Path

import pytest

from vyre.runtime.kernel_cache import KernelCache, key_of

HEADER = 52
"""Bytes of an entry before its payload."""

CODE = bytes(range(40))
KEY = key_of("program", "options")
POSIX = pytest.mark.skipif(os.name == "nt", reason="modes, pipes and fork are of POSIX")


def keys_of_one_folder(count: int) -> list[str]:
    """Entries of one folder compete for its room."""
    keys = (key_of(str(number)) for number in range(count * 100))
    return [key for key in keys if key[0] == "0"][:count]


def entry_of(cache: KernelCache, key: str = KEY) -> Path:
    """The file in which an entry is."""
    return cache.directory / key[0] / f"{key[1:]}.kernel"


def files_in(directory: Path) -> list[Path]:
    return sorted(path for path in directory.rglob("*") if not path.is_dir())


def age(path: Path, seconds: float) -> None:
    """As if it had last been used so many seconds ago."""
    then = time.time() - seconds
    os.utime(path, (then, then))
