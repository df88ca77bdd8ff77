"""What a kernel's PTX consists of."""

import re
from collections import Counter
from collections.abc import Iterator

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
