"""
Single-point changes of Python source: mistakes that tests, or a checker, should notice.

```python
found = mutations("analysis/ranges.py")
outcome = run_mutated(found[0], lambda: work(), limit=60)
```

No file is changed: a process that is forked for one mutation gets the changed text when it
imports the module. Points and their order depend on the text of the file only.
"""

import ast
import os
import pickle
import re
import select
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import unified_diff
from functools import cached_property
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from itertools import pairwise
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, cast

from typing_extensions import override

ROOT = Path(__file__).parents[2]
PACKAGE = "vyre"


@dataclass(frozen=True)
class Mutation:
    """One change of one file: `text` for the bytes from `start` to `end`."""

    path: str
    kind: str
    scope: str
    """The function that holds it, as `Class.method`; empty outside of functions."""
    line: int
    start: int
    end: int
    text: str
    number: int = 1
    """Which one it is of those of the file that read alike."""
    root: Path = ROOT
    package: str = PACKAGE

    @cached_property
    def original(self) -> bytes:
        return (self.root / self.path).read_bytes()

    @cached_property
    def source(self) -> str:
        """The whole file with the change."""
        old = self.original
        return (old[: self.start] + self.text.encode() + old[self.end :]).decode()

    @property
    def module(self) -> str:
        """The name that it is imported by."""
        parts = Path(self.path).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        return ".".join((self.package, *parts) if self.package else parts)

    @property
    def change(self) -> tuple[str, str]:
        """The line that is changed, before and after; of more than one the first."""
        old = self.original
        first = old.rfind(b"\n", 0, self.start) + 1
        rest = old[self.end :].split(b"\n", 1)[0]
        new = old[first : self.start] + self.text.encode() + rest
        return _in_short(old[first : self.end] + rest), _in_short(new)

    @property
    def name(self) -> str:
        """
        What identifies it in lists, also after changes elsewhere in the file.

        Example: `analysis/ranges.py: if a < b: -> if a <= b:`
        """
        before, after = self.change
        again = f"  #{self.number}" if self.number > 1 else ""
        return f"{self.path}: {before} -> {after}{again}"

    @property
    def diff(self) -> str:
        old, new = self.original.decode().splitlines(), self.source.splitlines()
        lines = unified_diff(old, new, self.path, self.path, lineterm="", n=2)
        return "\n".join(lines)


def mutations(
    path: str, *, root: Path = ROOT, package: str = PACKAGE
) -> Sequence[Mutation]:
    """
    All mutations of a file, in the order of its text.

    Example: `[m.name for m in mutations("analysis/purity.py")]`
    """
    text = (root / path).read_bytes()
    unique = {(edit.start, edit.end, edit.text): edit for edit in _Points(text).edits()}
    found: list[Mutation] = []
    alike: Counter[str] = Counter()
    for edit in sorted(unique.values(), key=lambda e: (e.start, e.end, e.text)):
        mutation = Mutation(path, *edit.fields, root=root, package=package)
        alike[mutation.name] += 1
        found.append(replace(mutation, number=alike[mutation.name]))
    return found


def named(name: str) -> Mutation:
    """
    The mutation with this name; a `ValueError` if the file has changed there.

    Example: `named("analysis/ranges.py: if a < b: -> if a <= b:")`
    """
    path = name.partition(": ")[0]
    for mutation in mutations(path) if (ROOT / path).is_file() else ():
        if mutation.name == name:
            return mutation
    raise ValueError(f"no such mutation: {name}")


def _in_short(code: bytes) -> str:
    first, *others = code.decode().strip().split("\n")
    return f"{first.strip()} ..." if others else first


@dataclass(frozen=True)
class _Edit:
    kind: str
    scope: str
    line: int
    start: int
    end: int
    text: str

    @property
    def fields(self) -> tuple[str, str, int, int, int, str]:
        return (self.kind, self.scope, self.line, self.start, self.end, self.text)


_SWAPPED: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Is: ("is", "is not"),
    ast.IsNot: (r"is\s+not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: (r"not\s+in", "in"),
}
_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_OTHER_NAME = {"any": "all", "all": "any", "min": "max", "max": "min"}
_FIXED_ARGUMENTS = frozenset(("isinstance", "getattr", "cast", "map", "filter"))


_UNCHANGED = frozenset(("annotation", "returns", "decorator_list", "exc", "bases"))


def _changed_children(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a node that run, without messages and `strict=True`."""
    match node:
        case ast.JoinedStr() | ast.Assert() | ast.Import() | ast.ImportFrom():
            return
        case ast.If(ast.Name("TYPE_CHECKING")) | ast.keyword("strict"):
            return
        case _:
            pass
    for name in node._fields:
        if name not in _UNCHANGED:
            value: object = getattr(node, name)
            children = cast("list[object]", value) if isinstance(value, list) else [value]
            yield from (child for child in children if isinstance(child, ast.AST))


class _Points:
    """The syntax tree of a file, and where it can be changed."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        lines = text.splitlines(keepends=True)
        self._starts = [sum(map(len, lines[:n])) for n in range(len(lines) + 1)]
        self._scope: list[str] = []

    def edits(self) -> Iterator[_Edit]:
        return self._inside(ast.parse(self._text))

    def _inside(self, node: ast.AST) -> Iterator[_Edit]:
        """The edits of a node and of all in it; not of types, texts and messages."""
        named = isinstance(node, ast.FunctionDef | ast.ClassDef)
        if named:
            self._scope.append(node.name)
        for change in _CHANGES:
            yield from change(self, node)
        for child in _changed_children(node):
            yield from self._inside(child)
        if named:
            self._scope.pop()

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self._starts[node.lineno - 1] + node.col_offset
        return start, self._starts[node.end_lineno - 1] + node.end_col_offset

    def _source(self, node: ast.expr | ast.stmt) -> str:
        start, end = self._span(node)
        return self._text[start:end].decode()

    def _edit(self, kind: str, span: tuple[int, int], text: str) -> _Edit:
        line = self._text.count(b"\n", 0, span[0]) + 1
        return _Edit(kind, ".".join(self._scope), line, *span, text)

    def conditions(self, node: ast.AST) -> Iterator[_Edit]:
        """Conditions that are negated."""
        found: list[ast.expr] = []
        match node:
            case ast.If() | ast.While() | ast.IfExp():
                found = [node.test]
            case ast.comprehension():
                found = node.ifs
            case ast.match_case() if node.guard is not None:
                found = [node.guard]
            case ast.UnaryOp(ast.Not()):
                found = [node]
            case _:
                pass
        for condition in found:
            if isinstance(condition, ast.UnaryOp) and isinstance(condition.op, ast.Not):
                text = f"({self._source(condition.operand)})"
            elif isinstance(condition, ast.Compare) and len(condition.ops) == 1:
                continue  # `comparisons` has its opposite.
            else:
                text = f"not ({self._source(condition)})"
            yield self._edit("negate", self._span(condition), text)

    def comparisons(self, node: ast.AST) -> Iterator[_Edit]:
        """Comparisons that become their neighbours and opposites."""
        if not isinstance(node, ast.Compare):
            return
        sides = [node.left, *node.comparators]
        for (left, right), op in zip(pairwise(sides), node.ops, strict=True):
            pattern, other = _SWAPPED[type(op)]
            start, end = self._span(left)[1], self._span(right)[0]
            between = self._text[start:end].decode()
            place = re.search(pattern, between)
            assert place is not None
            span = (start + place.start(), start + place.end())
            yield self._edit("compare", span, other)
            if pattern in _OPPOSITE:
                yield self._edit("compare", span, _OPPOSITE[pattern])

    def connectives(self, node: ast.AST) -> Iterator[_Edit]:
        """`and` that becomes `or`, and operands that are left out."""
        if not isinstance(node, ast.BoolOp):
            return
        is_and = isinstance(node.op, ast.And)
        mine, other, neutral = ("and", "or", True) if is_and else ("or", "and", False)
        operands = [f"({self._source(value)})" for value in node.values]
        text = f" {other} ".join(operands)
        yield self._edit(f"{mine} to {other}", self._span(node), f"({text})")
        for operand in node.values:
            yield self._edit("drop", self._span(operand), str(neutral))

    def constants(self, node: ast.AST) -> Iterator[_Edit]:
        """Numbers one off, and truth values that are turned round."""
        if not isinstance(node, ast.Constant):
            return
        if isinstance(node.value, bool):
            yield self._edit("constant", self._span(node), str(not node.value))
        elif isinstance(node.value, int):
            for value in (node.value + 1, node.value - 1):
                text = str(value) if value >= 0 else f"({value})"
                yield self._edit("constant", self._span(node), text)

    def calls(self, node: ast.AST) -> Iterator[_Edit]:
        """`any` for `all`, `min` for `max`, and arguments that are exchanged."""
        if not isinstance(node, ast.Call):
            return
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in _OTHER_NAME:
            yield self._edit("call", self._span(node.func), _OTHER_NAME[name])
        is_fixed = name in _FIXED_ARGUMENTS or name in _OTHER_NAME
        yield from self._exchanged([] if is_fixed else node.args)

    def differences(self, node: ast.AST) -> Iterator[_Edit]:
        """Operands that are exchanged where their order counts."""
        orders = (ast.Sub, ast.FloorDiv, ast.Mod, ast.LShift, ast.RShift, ast.Div)
        if isinstance(node, ast.BinOp) and isinstance(node.op, orders):
            yield from self._exchanged([node.left, node.right])

    def _exchanged(self, arguments: Sequence[ast.expr]) -> Iterator[_Edit]:
        for a, b in pairwise(arguments):
            if isinstance(a, ast.Starred) or isinstance(b, ast.Starred):
                continue
            first, second = self._source(a), self._source(b)
            if first != second:
                start, end = self._span(a)[0], self._span(b)[1]
                between = self._text[self._span(a)[1] : self._span(b)[0]].decode()
                yield self._edit("exchange", (start, end), second + between + first)

    def statements(self, node: ast.AST) -> Iterator[_Edit]:
        """Statements that are left out; not those that only give a name a value."""
        if not isinstance(node, ast.stmt) or self._source(node).startswith("elif"):
            return
        match node:
            case ast.Expr(ast.Constant()) | ast.If(ast.Name("TYPE_CHECKING")):
                return
            case ast.Expr() | ast.AugAssign() | ast.Delete() | ast.Raise() | ast.For():
                pass
            case ast.Continue() | ast.Break() | ast.Return(None):
                pass
            case ast.If(orelse=[]):
                pass
            case ast.Assign() if not any(isinstance(t, ast.Name) for t in node.targets):
                if any(isinstance(target, ast.Tuple) for target in node.targets):
                    return
            case _:
                return
        yield self._edit("drop", self._span(node), "pass")

    def returns(self, node: ast.AST) -> Iterator[_Edit]:
        """Functions without a result that end early, and predicates that are constant."""
        if not isinstance(node, ast.FunctionDef):
            return
        is_documented = ast.get_docstring(node) is not None
        body = node.body[1:] if is_documented else node.body
        result = "" if node.returns is None else ast.unparse(node.returns)
        if result == "bool":
            values = ("return True", "return False")
            body = body[:1]
        elif result == "None" or result.startswith(("Iterator", "Generator")):
            values = ("return",)
        else:
            return
        for statement in body:
            start, _ = self._span(statement)
            indent = " " * statement.col_offset
            for value in values:
                yield self._edit("return", (start, start), f"{value}\n{indent}")


_CHANGES = (
    _Points.conditions,
    _Points.comparisons,
    _Points.connectives,
    _Points.constants,
    _Points.calls,
    _Points.differences,
    _Points.statements,
    _Points.returns,
)


class _Loader(SourceFileLoader):
    """Gives a module another text than its file has."""

    def __init__(self, fullname: str, path: str, source: str) -> None:
        super().__init__(fullname, path)
        self._source = source

    @override
    def get_code(self, fullname: str) -> CodeType:
        return compile(self._source, self.path, "exec", dont_inherit=True)


class _Finder(MetaPathFinder):
    """Finds the modules whose text is replaced."""

    def __init__(self, source_of: Callable[[str], tuple[Path, str] | None]) -> None:
        self._source_of = source_of

    @override
    def find_spec(
        self, fullname: str, path: object, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        found = self._source_of(fullname)
        if found is None:
            return None
        file, source = found
        loader = _Loader(fullname, str(file), source)
        return spec_from_file_location(fullname, file, loader=loader)


def replace_sources(source_of: Callable[[str], tuple[Path, str] | None]) -> None:
    """
    Let modules be imported from other texts, for the rest of this process.

    Example: `replace_sources({"vyre.x": (path, "x = 1")}.get)`
    """
    sys.meta_path.insert(0, _Finder(source_of))


def install(mutation: Mutation) -> None:
    """Let the module be imported with the mutation, for the rest of this process."""
    if mutation.module in sys.modules:
        raise RuntimeError(f"{mutation.module} is imported already")
    file = mutation.root / mutation.path
    replace_sources({mutation.module: (file, mutation.source)}.get)


@dataclass(frozen=True)
class Outcome:
    """How a process ended: with a result, an exception's text, or neither in time."""

    result: Any = None
    error: str | None = None
    timed_out: bool = False


def run_mutated(
    mutation: Mutation | None, work: Callable[[], object], limit: float
) -> Outcome:
    """
    Run something in a forked process with a mutation, and give back what it returned.

    This process may have imported all but the module and its users. The result is pickled.
    After `limit` seconds the process is killed, with all that it has started.

    Example: `run_mutated(mutation, lambda: pytest.main(["-x"]), limit=60).result`
    """
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _run_child(mutation, work, writing)
    os.close(writing)
    try:
        written = _read(reading, time.monotonic() + limit)
    finally:
        os.close(reading)
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    if written is None:
        return Outcome(timed_out=True)
    if not written:
        return Outcome(error=f"ended with status {status}")
    result, error = pickle.loads(written)
    return Outcome(result, error)


def _run_child(mutation: Mutation | None, work: Callable[[], object], pipe: int) -> None:
    result, error = None, None
    try:
        os.setpgid(0, 0)
        if mutation is not None:
            install(mutation)
        result = work()
    except BaseException as failure:
        error = f"{type(failure).__name__}: {failure}"
    try:
        with os.fdopen(pipe, "wb") as file:
            pickle.dump((result, error), file)
    finally:
        os._exit(0)


def _read(pipe: int, deadline: float) -> bytes | None:
    """All that is written until the other side is closed; None if that takes too long."""
    written = b""
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([pipe], [], [], left)[0]:
            return None
        part = os.read(pipe, 1 << 16)
        if not part:
            return written
        written += part
