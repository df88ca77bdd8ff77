"""
Compiled code on disk, so that the second start of a program does not compile.

There are three kinds of entries: that a program can be run at all, which code it runs with
buffers of certain sizes, and the code itself with its layout. So programs with the same
code for many sizes have it once.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise

from vyre.lowering.llvm.layout import Layout
from vyre.lowering.llvm.sources import Source
from vyre.passes.validate_split import is_wanted
from vyre.runtime.cpu.machine import Processor
from vyre.runtime.kernel_cache import KernelCache, key_of
from vyre.runtime.unit import Unit

_FITS = b"fits"


@dataclass(frozen=True)
class Compiled:
    """Object code, in pieces, and the words of its jobs."""

    code: Sequence[bytes]
    layout: Layout

    def as_bytes(self) -> bytes:
        """
        As one entry of the cache: how long the head is, the head with the layout and the
        lengths of all pieces, and the pieces.
        """
        lengths = [len(piece) for piece in self.code]
        head = json.dumps([self.layout.as_data(), lengths]).encode()
        return b"".join([len(head).to_bytes(8, "little"), head, *self.code])

    @staticmethod
    def from_bytes(data: bytes) -> "Compiled":
        """What `as_bytes` gave."""
        start = 8 + int.from_bytes(data[:8], "little")
        layout, lengths = json.loads(data[8:start])
        ends = list(accumulate(lengths, initial=start))
        code = [data[begin:end] for begin, end in pairwise(ends)]
        return Compiled(code, Layout.from_data(layout))


class StoredCode:
    """
    What the cache has of a program; nothing if there is no cache.

    Example: `StoredCode(unit, KernelCache.default()).is_known()`
    """

    def __init__(self, unit: Unit, cache: KernelCache | None):
        self._cache = cache
        self._program = "" if cache is None else unit.digest

    def is_known(self) -> bool:
        """Whether the program was planned before, without being refused."""
        return (self._found(*_plan()) or b"").startswith(_FITS)

    def proof(self) -> str | None:
        """What was proved of the plan then."""
        found = self._found(*_plan()) or b""
        return found.removeprefix(_FITS).decode() or None

    def note_known(self, proof: str | None) -> None:
        """Remember that the program can be run, and what was proved of its plan."""
        self._keep(_FITS + (proof or "").encode(), *_plan())

    def find(self, sizes: str) -> Compiled | None:
        """The code for buffers and a grid of these sizes."""
        key = self._found("sizes", sizes)
        if key is None or self._cache is None:
            return None
        data = self._cache.find(key.decode())
        return None if data is None else Compiled.from_bytes(data)

    def find_code(self, source: Source) -> Compiled | None:
        """The code of a source."""
        if self._cache is None:
            return None
        data = self._cache.find(_code_key(source))
        return None if data is None else Compiled.from_bytes(data)

    def keep_code(self, source: Source, compiled: Compiled) -> None:
        """Remember the code of a source."""
        if self._cache is not None:
            self._cache.keep(_code_key(source), compiled.as_bytes())

    def keep_sizes(self, sizes: str, source: Source) -> None:
        """Remember that the code of a source is right for these sizes."""
        if self._cache is not None:
            self._keep(_code_key(source).encode(), "sizes", sizes)

    def _found(self, *parts: str) -> bytes | None:
        return None if self._cache is None else self._cache.find(self._key(*parts))

    def _keep(self, data: bytes, *parts: str) -> None:
        if self._cache is not None:
            self._cache.keep(self._key(*parts), data)

    def _key(self, *parts: str) -> str:
        return key_of("cpu", _processor(), self._program, *parts)


def _plan() -> tuple[str, str]:
    """Plans that nobody has to prove are not those that were proved."""
    return "plan", "proved" if is_wanted() else "unproved"


def _code_key(source: Source) -> str:
    return key_of("cpu code", _processor(), source.identity)


@cache
def _processor() -> str:
    host = Processor.host()
    return f"{host.triple} {host.name} {host.features}"
