"""
Compiled code on disk, so that the second start of a program need not compile.

```python
cache = KernelCache.default()
key = key_of(text_of_the_program, options, cpu_features)
code = cache.find(key) if cache else None
if code is None:
    code = compile_it()
    if cache:
        cache.keep(key, code)
```

A cache may be slow or gone, but never wrong and never in the way. Nothing is locked: an
entry is written to a temporary file and renamed, so that other processes and threads see
all of it or nothing. What is truncated, damaged or not ours is a miss. What cannot be read
or written is a miss too, and `KernelCache.problem` says why.

Entries are native code: whoever can write them can run code as this user. So folders are
created for the user alone, and what belongs to others, or others may write, is not used.
"""

import hashlib
import os
import platform
import stat
import struct
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from io import FileIO
from pathlib import Path

import llvmlite
import numpy
import xdsl

import vyre

FOLDER_LIMIT = 32 << 20
"""
Bytes of entries in one of the 16 folders of a cache, so 512 MB in all. Keeping an entry
looks at one folder only, which bounds the whole at a sixteenth of the effort.
"""

_HOUR, _DAY = 3600, 86400
_ENTRY, _TEMPORARY = ".kernel", ".tmp"
_MAGIC, _FORMAT = b"vyrecode", 1
_HEADER = struct.Struct("<8sIQ32s")
"""Magic, format, length of the payload, and the checksum of key and payload."""

_HEX_DIGITS = frozenset("0123456789abcdef")
_SOURCES = ("analysis", "dialects", "lowering", "passes", "runtime", "validation")


class KernelCache:
    """
    A folder with compiled code. It need not exist yet, and may be shared by processes.

    Example: `KernelCache(Path("kernels")).find(key_of("program"))` is None at first.
    """

    def __init__(self, directory: Path):
        self.directory = directory
        self.problem: str | None = None
        """Why something could not be found or kept; None if it could since."""

    @classmethod
    def default(cls) -> "KernelCache | None":
        """
        The user's cache; None if it is turned off, or if there is no place for it.

        Example: with `VYRE_CACHE_DIR=` in the environment this is None.
        """
        directory = default_directory(os.environ, sys.platform)
        return None if directory is None else cls(directory)

    def find(self, key: str) -> bytes | None:
        """
        What was kept under a key of `key_of`, or None.

        Example: `cache.find(key_of("program", "-O3"))`
        """
        path = self._path(key)
        try:
            for folder in (self.directory, path.parent):
                _check_owner(folder, os.stat(folder))
            with FileIO(path, opener=_open_without_waiting) as file:
                status = os.fstat(file.fileno())
                _check_owner(path, status)
                payload = _payload(key, file, status)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:  # ValueError: no path at all
            self.problem = str(error)
            return None
        if payload is None:
            _remove(path)
        elif time.time() - _last_use(status) > _HOUR:
            with suppress(OSError):
                os.utime(path)
        return payload

    def keep(self, key: str, payload: bytes) -> None:
        """
        Keep code under a key of `key_of`, and drop what was not used for long if there is
        too much.

        Example: `cache.keep(key_of("program", "-O3"), b"code")`
        """
        path = self._path(key)
        try:
            if _HEADER.size + len(payload) > FOLDER_LIMIT:
                raise OSError(f"an entry of {len(payload)} bytes is too large to keep")
            for folder in (self.directory, path.parent):
                _make_private(folder)
                _check_owner(folder, os.stat(folder))
            _write(path, _header(key, payload), payload)
            _tidy(path.parent)
        except (OSError, ValueError) as error:
            self.problem = str(error)
        else:
            self.problem = None

    def _path(self, key: str) -> Path:
        if len(key) != 64 or not _HEX_DIGITS.issuperset(key):
            raise ValueError(f"keys come from key_of; {key!r} does not")
        return self.directory / key[0] / (key[1:] + _ENTRY)


def default_directory(environ: Mapping[str, str], system: str) -> Path | None:
    """
    Where the user's cache is, on a system named as in `sys.platform`; None is nowhere.

    Example: `default_directory({"HOME": "/home/ada"}, "linux")` is
    `/home/ada/.cache/vyre`.
    """
    chosen = environ.get("VYRE_CACHE_DIR")
    if chosen is not None:
        return Path(os.path.expanduser(chosen)) if chosen else None
    if system == "win32":
        local = environ.get("LOCALAPPDATA")
        return Path(local, "vyre", "cache") if local else None
    shared = environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(shared):  # the standard says to ignore others
        return Path(shared, "vyre")
    home = environ.get("HOME", "")
    if not os.path.isabs(home):
        return None
    return Path(home, "Library/Caches" if system == "darwin" else ".cache", "vyre")


def key_of(*parts: str | bytes) -> str:
    """
    The key of what is made from these parts by this build of Vyre (`build_stamp`). Other
    parts, or the same text cut at other places, have another key.

    Example: `key_of("ab", "c") != key_of("a", "bc")`
    """
    digest = hashlib.sha256()
    for part in (build_stamp(), *parts):
        is_text = isinstance(part, str)
        data = part.encode("utf-8", "surrogatepass") if is_text else part
        digest.update(struct.pack("<?Q", is_text, len(data)))
        digest.update(data)
    return digest.hexdigest()


@cache
def build_stamp() -> str:
    """
    What compiled code depends on besides the program, its options and the CPU: versions,
    the machine, and Vyre's own source. A Python that runs without its assertions
    (`python -O`) does not vouch for one that has them.

    Example: `build_stamp()` begins with `vyre 0.1.0, cpython 3.11`.
    """
    python = f"{sys.implementation.name} {sys.version_info.major}.{sys.version_info.minor}"
    python += " -O" if sys.flags.optimize else ""
    machine = f"{sys.platform} {platform.machine()} {struct.calcsize('P') * 8} bits"
    return (
        f"vyre {vyre.__version__}, {python}, xdsl {_xdsl_version()}, "
        f"llvmlite {llvmlite.__version__}, numpy {numpy.__version__}, {machine}, "
        f"source {_SOURCE_STAMP}"
    )


def source_stamp(package: Path) -> str:
    """
    Something that is different once a source file of the package has been edited, added or
    removed. It is made from sizes and times, because reading the files takes too long.

    Example: `source_stamp(Path(vyre.__file__).parent)`
    """
    files = list(_files_in(package))
    for folder in _SOURCES:
        for place, folders, _ in os.walk(package / folder):
            folders[:] = [name for name in folders if name != "__pycache__"]
            files += _files_in(Path(place))
    # Without files (perhaps a zip archive) nobody can tell, so no other process matches.
    facts = sorted(files) or [os.urandom(16).hex()]
    return hashlib.sha256(os.fsencode("\0".join(facts))).hexdigest()


def _files_in(folder: Path) -> Iterator[str]:
    """The source files directly in a folder, each with its size and time."""
    with suppress(OSError), os.scandir(folder) as found:
        for file in found:
            if file.name.endswith((".py", ".pyc", ".ll")):
                with suppress(FileNotFoundError):  # editors lock files by dangling links
                    status = file.stat()
                    yield f"{file.path}\0{status.st_size}\0{status.st_mtime_ns}"


# At import, because an edit from now on is not what this process runs.
_SOURCE_STAMP = source_stamp(Path(__file__).parents[1])


def _xdsl_version() -> str:
    """`xdsl.__version__` opens metadata, which takes longer than the rest of the stamp."""
    names: list[str] = []
    with suppress(OSError):
        names = os.listdir(Path(xdsl.__file__).parents[1])
    installed = sorted(name for name in names if name.startswith("xdsl-"))
    return " ".join(installed) or str(xdsl.__version__)


def _header(key: str, payload: bytes) -> bytes:
    """The key is part of the checksum, so that a file under a wrong name is a miss."""
    checksum = hashlib.sha256(key.encode())
    checksum.update(payload)
    return _HEADER.pack(_MAGIC, _FORMAT, len(payload), checksum.digest())


def _payload(key: str, file: FileIO, status: os.stat_result) -> bytes | None:
    """What an open entry holds; None if it is no entry, or not a whole one."""
    if not stat.S_ISREG(status.st_mode) or status.st_size > FOLDER_LIMIT:
        return None
    header, payload = file.read(_HEADER.size), file.readall()
    return payload if header == _header(key, payload) else None


def _open_without_waiting(path: str, flags: int) -> int:
    """Somebody's named pipe in place of an entry would wait for a writer."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, mode=0o600)


def _make_private(folder: Path) -> None:
    """Create a folder and those above it, which others cannot enter."""
    if folder.is_dir():
        return
    for part in (*reversed(folder.parents), folder):
        if not part.is_dir():
            with suppress(FileExistsError):  # another process was faster
                part.mkdir(mode=0o700)


def _check_owner(path: Path, status: os.stat_result) -> None:
    if sys.platform == "win32":
        return  # its modes say nothing, and profiles are private
    if status.st_uid != os.geteuid():
        raise PermissionError(f"{path} belongs to another user")
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(f"{path} may be written by other users")


def _write(path: Path, header: bytes, payload: bytes) -> None:
    """All or nothing, also if Ctrl-C comes in between."""
    temporary = path.with_name(os.urandom(16).hex() + _TEMPORARY)
    try:
        with open(temporary, "xb", opener=_open_private) as file:
            file.write(header)
            file.write(payload)
        os.replace(temporary, path)
    except BaseException:
        _remove(temporary)
        raise


def _tidy(folder: Path) -> None:
    """
    Remove what is too much, least recently used first, and temporary files that a process
    left when it was killed. Younger ones count as well, but their writers may be alive.
    """
    entries: list[tuple[float, int, str]] = []
    excess = -FOLDER_LIMIT
    with os.scandir(folder) as found:
        for file in found:
            # Other processes remove files as well.
            with suppress(FileNotFoundError):
                status = file.stat(follow_symlinks=False)
                age = time.time() - _last_use(status)
                if file.name.endswith(_TEMPORARY) and age > _HOUR:
                    _remove(Path(file.path))
                    continue
                if file.name.endswith((_ENTRY, _TEMPORARY)):
                    excess += status.st_size
                if file.name.endswith(_ENTRY):
                    entries.append((_last_use(status), status.st_size, file.path))
    for _, size, path in sorted(entries):
        if excess <= 0:
            return
        _remove(Path(path))
        excess -= size


def _last_use(status: os.stat_result) -> float:
    """A time in the future, from a clock that was wrong, must not protect a file."""
    return status.st_mtime if status.st_mtime < time.time() + _DAY else 0.0


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()
