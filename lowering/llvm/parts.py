"""
The text of a program in two parts, which LLVM can make into code at the same time.

LLVM takes longer for the code of a program than Python does for all the rest, and goes
through a module on one core. But phases are called as functions and stay so: nothing is
optimised across their calls. So phases can be anywhere:

```llvm
define internal void @"launch.p.0"(...)    ; the first part, which declares the phase
define internal void @"phase.p.0"(...)     ; the second one, where it is `hidden`
```

What phases call themselves is in each part that needs it, once more if both do. That keeps
the meaning: all of it are functions that nobody asks for the address of, and constants.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

PHASE = "phase."
"""How names of phases begin."""

_FUNCTION = re.compile(r'^define [^\n]*?@"(?P<name>[^"]+)"(?:[^\n]*\n)+?}$\n?', re.M)
_NAME = re.compile(r'@"([^"]+)"')
_VARIABLE = re.compile(r'^@"[^"]+" = (?!internal constant )', re.M)

_PHASE_WEIGHT = 3
"""Phases are loops that are vectorised and unrolled: LLVM takes longer for a line."""


def parts_of(text: str) -> list[str]:
    """
    Texts that can be compiled apart, and linked do what the whole does: two, or one if
    there is nothing to share out. The whole is as llvmlite prints it.

    Example: `parts_of(source.text)`
    """
    common = _FUNCTION.sub("", text)
    if _VARIABLE.search(common):
        return [text]
    functions = {match["name"]: match[0] for match in _FUNCTION.finditer(text)}
    whole = _Functions(functions)
    first, second = whole.shared_out()
    if not second.names:
        return [text]
    return [
        whole.text(part.names, other.names, common)
        for part, other in ((first, second), (second, first))
    ]


@dataclass
class _Part:
    """Functions that are compiled together."""

    names: dict[str, None] = field(default_factory=dict[str, None])
    weight: int = 0


class _Functions:
    """The functions of a module, by name."""

    def __init__(self, texts: Mapping[str, str]):
        self._texts = texts
        self._called = {
            name: [other for other in dict.fromkeys(_NAME.findall(text)) if other in texts]
            for name, text in texts.items()
        }
        self._movable = {
            other
            for name, called in self._called.items()
            if not name.startswith(PHASE)
            for other in called
            if other.startswith(PHASE)
        }

    def shared_out(self) -> tuple[_Part, _Part]:
        """
        All functions: in the first part those that others can call and what they need, and
        phases wherever there is less.
        """
        first, second = _Part(), _Part()
        visible = (name for name, text in self._texts.items() if not _is_internal(text))
        self._add(first, visible)
        phases = [name for name in self._texts if name in self._movable]
        for phase in sorted(phases, key=lambda name: -self._weight(self._needed([name]))):
            self._add(min(first, second, key=lambda part: part.weight), [phase])
        return first, second

    def text(self, names: Iterable[str], others: Iterable[str], common: str) -> str:
        """A part, where phases of others are declared."""
        own = dict.fromkeys(names)
        called = {other for name in own for other in self._called[name]}
        elsewhere = [name for name in others if name in called and name not in own]
        return "\n".join(
            [
                common,
                *(_declaration(self._texts[name]) for name in elsewhere),
                *(self._definition(name) for name in own),
            ]
        )

    def _definition(self, name: str) -> str:
        text = self._texts[name]
        return _visible(text) if name in self._movable else text

    def _add(self, part: _Part, names: Iterable[str]) -> None:
        new = [name for name in self._needed(names) if name not in part.names]
        part.names.update(dict.fromkeys(new))
        part.weight += self._weight(new)

    def _needed(self, names: Iterable[str]) -> list[str]:
        """Functions, and what they call but for phases that can be elsewhere."""
        found = dict.fromkeys(names)
        waiting = list(found)
        while waiting:
            for called in self._called[waiting.pop()]:
                if called not in found and called not in self._movable:
                    found[called] = None
                    waiting.append(called)
        return list(found)

    def _weight(self, names: Iterable[str]) -> int:
        """How long LLVM takes for functions, more or less."""
        return sum(
            self._texts[name].count("\n") * (_PHASE_WEIGHT if name.startswith(PHASE) else 1)
            for name in names
        )


def _is_internal(text: str) -> bool:
    return text.startswith("define internal ")


def _visible(text: str) -> str:
    return text.replace("define internal ", "define hidden ", 1)


def _declaration(text: str) -> str:
    head = text.partition("\n")[0]
    return head.replace("define internal ", "declare hidden ", 1)
