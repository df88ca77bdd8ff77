"""What a kernel's PTX consists of, and what `ptxas` makes of it if it is there."""

import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CLASSES = ("integer", "float", "memory", "control")

_MEMORY = {"ld", "ldu", "st", "atom", "red", "cp", "prefetch"}
_CONTROL = {"bra", "ret", "exit", "call", "bar", "barrier", "membar", "fence", "nanosleep"}
_FLOATS = {"f16", "f32", "f64"}


def instruction_counts(ptx: str) -> Counter[str]:
    """
    How many instructions of each class the one kernel of a text has. What is neither float,
    memory nor control counts as integer: addresses, comparisons, moves, predicates.

    Example: `instruction_counts(ptx)["memory"]`
    """
    return Counter(map(_class, _opcodes(ptx)))


def _class(opcode: str) -> str:
    name, *modifiers = opcode.split(".")
    if name in _MEMORY:
        return "memory"
    if name in _CONTROL:
        return "control"
    return "float" if _FLOATS.intersection(modifiers) else "integer"


def _opcodes(ptx: str) -> Iterator[str]:
    body = ptx[ptx.index("{", ptx.index(".entry")) :]
    for line in body.splitlines():
        text = re.sub(r"//.*|[{}]|^\s*\$?\w+:", " ", line)
        for statement in text.split(";"):
            words = statement.split()
            if words and words[0].startswith("@"):
                words = words[1:]
            if words and not words[0].startswith("."):
                yield words[0]


@dataclass(frozen=True)
class Registers:
    """What a thread of a kernel needs."""

    used: int
    spilled_bytes: int


def registers(ptx: str, architecture: int) -> Registers | None:
    """
    What `ptxas` says, if it is on the path.

    Example: `registers(ptx, 80)`
    """
    assembler = shutil.which("ptxas")
    if assembler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "kernel.ptx"
        source.write_text(ptx)
        command = [assembler, "-v", f"-arch=sm_{architecture}", str(source)]
        command += ["-o", str(Path(folder) / "kernel.cubin")]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    spills = re.findall(r"(\d+) bytes spill (?:stores|loads)", said)
    used = re.search(r"Used (\d+) registers", said)
    assert used
    return Registers(int(used[1]), sum(map(int, spills)))
