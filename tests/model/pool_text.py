"""
The native texts of the worker pool, read so that the model can execute them.

The model runs the pool's own code. Only what depends on time, on the system or on Python
is replaced: spinning becomes a single look, and what is left are *calls of the model*.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template

from vyre.lowering.llvm import job
from vyre.runtime.cpu import native, pool_words

_FOLDER = Path(native.__file__).parent
_FILES = ("anycores.ll", "pulse.ll", "barrier.ll", "waking.ll", "pool.ll")

REPLACED = """
define i1 @spin(ptr %word, i32 %seen, i64 %patience) {
  %now = load atomic i32, ptr %word acquire, align 8
  %changed = icmp ne i32 %now, %seen
  ret i1 %changed
}

define i1 @wait_awake(ptr %job, i64 %worker, i64 %workers, ptr %word, i32 %seen) {
  %changed = call i1 @spin(ptr %word, i32 %seen, i64 0)
  ret i1 %changed
}

define void @look_if_due(ptr %job, i64 %worker) {
  ret void
}

define void @look(ptr %job) {
  %stop.p = getelementptr i64, ptr %job, i64 $STOP
  %stop = load atomic i64, ptr %stop.p monotonic, align 8
  %running = icmp eq i64 %stop, 0
  br i1 %running, label %clock, label %end

clock:
  %late = call i64 @model.is_late()
  %is_late = icmp ne i64 %late, 0
  br i1 %is_late, label %halt, label %end

halt:
  call void @halt(ptr %job, i64 $STATUS_TIMEOUT)
  br label %end

end:
  ret void
}

define void @enter_native(ptr %job) {
  call void @model.release_python()
  ret void
}

define void @leave_native(ptr %job) {
  call void @model.take_python()
  ret void
}

define i1 @start_thread(ptr %pool, i64 %worker) {
  %slot = call ptr @slot_of(ptr %pool, i64 %worker)
  %pool.p = getelementptr i64, ptr %slot, i64 $SLOT_POOL
  store ptr %pool, ptr %pool.p
  %worker.p = getelementptr i64, ptr %slot, i64 $SLOT_WORKER
  store i64 %worker, ptr %worker.p
  store atomic i32 0, ptr %slot monotonic, align 8
  %alive = getelementptr i64, ptr %pool, i64 $ALIVE
  %ignored = atomicrmw add ptr %alive, i64 1 monotonic
  call void @model.start(ptr %slot)
  ret i1 true
}
"""


@dataclass(frozen=True)
class Instruction:
    """What it does, where its result goes, and what it needs: registers or numbers."""

    name: str
    result: str
    operands: tuple[str | int, ...]
    detail: str = ""
    """A relation, an operation, an order of memory, or the name of a function."""
    bits: int = 64
    targets: tuple[str, ...] = ()


@dataclass(frozen=True)
class Function:
    """Its parameters, its instructions in a row, and where its blocks begin."""

    name: str
    parameters: tuple[str, ...]
    code: tuple[Instruction, ...]
    blocks: Mapping[str, int]
    live: tuple[frozenset[str], ...]
    """Registers that are needed at each instruction or later."""


Functions = Mapping[str, Function]


def constants() -> dict[str, int]:
    """What `$NAME` is in the texts."""
    words = {**vars(job), **vars(pool_words)}
    numbers = {name: value for name, value in words.items() if name.isupper()}
    return {**numbers, **_TIMES}


_TIMES = dict.fromkeys(
    ("SPIN_TICKS", "SHORT_JOB", "LONG_WAIT", "LOOK_TICKS", "NAP", "SIGNALS_EVERY"), 1
) | {"CLOCK": 0, "FEW": 4, "SIG_SETMASK": 0}


def pool_text(changes: Mapping[str, str] = {}) -> str:
    """
    The pool's own texts, with some of their text changed: each piece occurs once.

    Example: `pool_text({"seq_cst, align 8\\n  br label %check": "..."})`
    """
    text = "\n".join((_FOLDER / name).read_text("utf-8") for name in _FILES)
    for old, new in changes.items():
        assert text.count(old) == 1, f"{text.count(old)} times in the pool: {old}"
        text = text.replace(old, new)
    return text


def read(*texts: str) -> dict[str, Function]:
    """
    The functions of texts; those that come later replace others of the same name.

    Example: `read(pool_text(), REPLACED)["meet"]`
    """
    bodies: dict[str, tuple[str, str]] = {}
    for text in texts:
        filled = re.sub(r";.*", "", Template(text).safe_substitute(constants()))
        for match in re.finditer(
            r"^define .*?@([\w.]+)(.*?)\{\n(.*?)^\}", filled, re.M | re.S
        ):
            bodies[match[1]] = match[2], match[3]
    return {
        name: _function(name, *parts)
        for name, parts in bodies.items()
        if name not in _UNUSED
    }


_DEFINITION = re.compile(r"^define .*?@([\w.]+)(.*?)\{\n(.*?)^\}", re.M | re.S)
_UNUSED = ("nanoseconds", "look_for_signals")
"""By what is left when others are replaced."""


def _function(name: str, head: str, body: str) -> Function:
    parameters = tuple(re.findall(r"(%[\w.]+)", head))
    code: list[Instruction] = []
    blocks: dict[str, int] = {}
    if not re.match(r"\s*[\w.]+:\n", body):
        body = "entry:\n" + body
    for line in _lines(body):
        if line.endswith(":"):
            blocks[f"%{line[:-1]}"] = len(code)
        else:
            code.append(_instruction(line))
    blocks = {**blocks, "%0": 0}
    return Function(name, parameters, tuple(code), blocks, _live(code, blocks))


def _lines(body: str) -> Iterator[str]:
    """One instruction each; some are written in several lines."""
    open = ""
    for line in body.splitlines():
        open = f"{open} {line.strip()}".strip()
        if (
            open
            and open.count("(") == open.count(")")
            and open.count("[") == open.count("]")
        ):
            yield open
            open = ""


_ORDER = r"(?: (?P<detail>monotonic|acquire|release|acq_rel|seq_cst))?(?:, align 8)?"
_TYPE = r"(?P<type>\w+)"
_FORMS = {
    "load": rf"load (?:atomic )?{_TYPE}, ptr (?P<a>\S+?){_ORDER}",
    "store": rf"store (?:atomic )?{_TYPE} (?P<a>\S+), ptr (?P<b>\S+?){_ORDER}",
    "rmw": rf"atomicrmw (?P<detail>\w+) ptr (?P<a>\S+), {_TYPE} (?P<b>\S+) \w+",
    "cmpxchg": rf"cmpxchg ptr (?P<a>\S+), {_TYPE} (?P<b>\S+), \w+ (?P<c>\S+) \w+ \w+",
    "extract": r"extractvalue \{ \w+, i1 \} (?P<a>\S+), (?P<b>\d)",
    "place": r"getelementptr i64, ptr (?P<a>\S+), i64 (?P<b>\S+)",
    "compare": rf"icmp (?P<detail>\w+) {_TYPE} (?P<a>\S+), (?P<b>\S+)",
    "compute": rf"(?P<detail>add|sub|mul|shl|lshr|and|or) {_TYPE} (?P<a>\S+), (?P<b>\S+)",
    "convert": rf"(?P<detail>zext|sext|trunc) \w+ (?P<a>\S+) to {_TYPE}",
    "select": r"select i1 (?P<a>\S+), \w+ (?P<b>\S+), \w+ (?P<c>\S+)",
    "phi": r"phi \w+ (?P<list>.*)",
    "switch": r"switch \w+ (?P<a>\S+), label (?P<to>\S+) \[(?P<list>.*)\]",
    "branch": r"br i1 (?P<a>\S+), label (?P<to>\S+), label (?P<else>\S+)",
    "jump": r"br label (?P<to>\S+)",
    "call": r"call \w+ (?P<callee>[@%][\w.]+)\((?P<list>.*)\)",
    "return": r"ret (?:void|\w+ (?P<a>\S+))",
}


def _instruction(line: str) -> Instruction:
    result, _, rest = line.rpartition(" = ")
    for name, form in _FORMS.items():
        match = re.fullmatch(form, rest)
        if match:
            return _made(name, result, match.groupdict())
    raise ValueError(f"the model does not know: {line}")


def _made(name: str, result: str, parts: dict[str, str | None]) -> Instruction:
    operands = [text for key in "abc" if (text := parts.get(key))]
    targets = [text for key in ("to", "else") if (text := parts.get(key))]
    detail, text = parts.get("detail") or "", parts.get("list") or ""
    match name:
        case "phi":
            ways = re.findall(r"\[ (\S+), (\S+) \]", text)
        case "switch":
            ways = re.findall(r"\w+ (\S+), label (\S+)", text)
        case _:
            ways: list[tuple[str, str]] = []
    operands += [value for value, _ in ways]
    targets += [target for _, target in ways]
    if callee := parts.get("callee"):
        operands += [each.split()[-1] for each in text.split(",") if each]
        is_pointer = callee.startswith("%")
        operands += [callee] if is_pointer else []
        detail = "" if is_pointer else callee[1:]
    bits = _bits(parts.get("type") or "i64")
    return Instruction(name, result, _values(operands), detail, bits, tuple(targets))


_WORDS = {"null": 0, "false": 0, "true": 1}


def _values(texts: Iterable[str]) -> tuple[str | int, ...]:
    return tuple(
        text if text.startswith("%") else _WORDS[text] if text in _WORDS else int(text)
        for text in texts
    )


def _bits(type: str) -> int:
    return 64 if type == "ptr" else int(type[1:])


def _live(code: list[Instruction], blocks: Mapping[str, int]) -> tuple[frozenset[str], ...]:
    """What is needed at each instruction or later, computed until nothing is added."""
    live = [frozenset[str]()] * (len(code) + 1)
    changed = True
    while changed:
        changed = False
        for number in reversed(range(len(code))):
            instruction = code[number]
            after = [blocks[target] for target in instruction.targets]
            if instruction.name == "phi" or not (
                instruction.targets or instruction.name == "return"
            ):
                after = [number + 1]
            needed = frozenset[str]().union(*(live[each] for each in after))
            used = {each for each in instruction.operands if isinstance(each, str)}
            found = (needed - {instruction.result}) | used
            if found != live[number]:
                live[number], changed = found, True
    return tuple(live[:-1])
