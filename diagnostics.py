"""
Errors as users see them.

Every error that Vyre reports about a program has one form: the place, the cause, the
line of source with a caret, notes about other places, and what can be done about it:

```text
prog.mlir:4:3: error: 'vyre.store': writes the read_only buffer "a"
  vyre.store %v, %a[%i] : memref<?xi32>
  ^~~~~~~~~~
prog.mlir:2:8: note: declared here
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
       ^~~~~~~~~~~
Fix: declare the buffer read_write
```
"""

import difflib
import inspect
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from types import MappingProxyType
from typing import ClassVar, Literal

from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.printer import Printer
from xdsl.utils.exceptions import DiagnosticException, ParseError, VerifyException
from xdsl.utils.lexer import Span

from vyre.dialects.refusal import Note, Refusal, name_of
from vyre.locations import Place, place_of

_WINDOW = 120
"""Columns of a source line that a diagnostic shows."""


@dataclass(frozen=True)
class Segment:
    """Which launch of a split program: segment `index` of `count`, counted from 0."""

    index: int
    count: int
    name: str

    def __str__(self) -> str:
        return f"segment {self.index} of {self.count}, @{self.name}"


@dataclass(frozen=True)
class BatchRow:
    """The place of a dispatch in a batch, counted from 0, and the label of its handle."""

    index: int
    count: int
    label: str | None = None

    def __str__(self) -> str:
        named = "" if self.label is None else f", '{self.label}'"
        return f"row {self.index} of {self.count}{named}"


class VyreError(DiagnosticException):
    """
    Any error that Vyre reports: what is wrong and what can be done. Its text is a
    complete diagnostic.

    Example: `raise VyreError("there is no pass 'cs'", "did you mean 'cse'?")`
    """

    number: ClassVar[int] = 1999
    """The kind of error, the same in all versions."""

    def __init__(self, cause: str, fix: str):
        super().__init__(cause)
        self.cause = cause
        self.fix = fix
        self.segment: Segment | None = None
        self.row: BatchRow | None = None
        self.label: str | None = None
        """That of the dispatch, as the caller gave it."""

    def __str__(self) -> str:
        return "\n".join([f"error: {self.cause}", *self._ending()])

    def _ending(self) -> Iterator[str]:
        if self.segment is not None:
            yield f"note: in {self.segment}"
        if self.row is not None:
            yield f"note: in {self.row}"
        elif self.label is not None:
            yield f"note: in dispatch '{self.label}'"
        yield f"Fix: {self.fix}"


class LocatedError(VyreError):
    """
    An error at an operation of a program.

    `place` is where (None for code that was never in a file), `cause` what is wrong, `fix`
    what can be done, `notes` which other places take part.
    """

    severity: Literal["error", "warning"] = "error"

    def __init__(
        self, at: Operation | None, cause: str, fix: str, notes: Sequence[Note] = ()
    ):
        super().__init__(cause, fix)
        self.at = at
        self.place = None if at is None else place_of(at)
        self.notes = tuple(notes)

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        subject = "" if self.at is None else f"'{name_of(self.at)}': "
        cause = self.cause if self.cause.startswith("'") else subject + self.cause
        yield from _quote(self.place, self.severity, cause, _written_name(self.at))
        if self.place is None and self.at is not None:
            yield f"  {_one_line(self.at)}"
        for at, text in self.notes:
            yield from _quote(place_of(at), "note", text, _written_name(at))
        yield from self._ending()


class InvalidProgram(LocatedError):
    """
    The program breaks a rule.

    Example:

    ```python
    try:
        module = vyre.parse(path)
    except vyre.InvalidProgram as error:
        print(error)
    ```
    """

    number = 1006


class SyntaxFailure(ParseError, InvalidProgram):
    """The text is not in the form of a program; `span` is the offending piece."""

    def __init__(self, span: Span[str], msg: str, fix: str):
        ParseError.__init__(self, span, msg)
        InvalidProgram.__init__(self, None, msg, fix)
        location = span.get_location()
        line = span.input.content.split("\n")[location.line - 1]
        self.place = Place(location.file, location.line, location.col, line)
        self._width = len(span.text.split("\n")[0])

    def __str__(self) -> str:
        head = _quote(self.place, "error", self.cause, "~" * max(1, self._width))
        return "\n".join((*head, f"Fix: {self.fix}"))


def invalid(op: Operation, error: Exception) -> InvalidProgram:
    """
    What to tell the user when the verifier of `op` raised `error`.

    Example: `raise invalid(op, error) from None`
    """
    if isinstance(error, Refusal):
        at = error.at if error.at is not None else op
        owner = at.owner if isinstance(at, SSAValue) else at
        place = owner if isinstance(owner, Operation) else op
        return InvalidProgram(place, error.cause, error.fix, error.notes)
    if isinstance(error, VerifyException):
        cause = " ".join(str(error).split())
    else:
        cause = f"is malformed: {' '.join(str(error).split()) or type(error).__name__}"
    return InvalidProgram(op, cause, form_hint(type(op)))


def form_hint(op_type: type[Operation]) -> str:
    """How an operation is written, from the example in its documentation."""
    example = example_of(op_type)
    if example is None:
        return f"make it follow the rules of '{op_type.name}'"
    return f"write it like `{example}`"


def example_of(op_type: type[Operation]) -> str | None:
    """The line of the documentation's example in which the operation occurs."""
    documentation = inspect.getdoc(op_type) or ""
    for block in re.findall(r"```mlir\n(.*?)```", documentation, re.DOTALL):
        for line in block.splitlines():
            if re.search(rf"{re.escape(op_type.name)}\b", line):
                return line.strip()
    return None


def did_you_mean(
    word: object, known: Iterable[str], others: Mapping[str, str] = MappingProxyType({})
) -> str | None:
    """
    A remedy for a misspelt word, if one of the known words is close to it. `others` are
    words that people use for known ones elsewhere.
    """
    words = {**{each.lower(): each for each in known}, **others}
    close = difflib.get_close_matches(str(word).lower(), words, n=1)
    return f"did you mean '{words[close[0]]}'?" if close else None


def kind_of(value: object) -> str:
    """
    What a value is, where something else was expected.

    Example: `kind_of(3)` is "an int", and `kind_of(None)` is "None".
    """
    if value is None:
        return "None"
    name = type(value).__name__
    if name == "bytes":
        return name
    return f"an {name}" if name[0] in "aeiouAEIOU" or name == "ndarray" else f"a {name}"


def _quote(place: Place | None, kind: str, text: str, underline: str) -> Iterator[str]:
    """`file:line:col: kind: text`, the source line, and a caret under the column."""
    if place is None:
        yield f"{kind}: {text}"
        return
    yield f"{place}: {kind}: {_printable(text)}"
    if place.text is None:
        return
    column = place.column - 1
    start = max(0, column - _WINDOW // 2) if len(place.text) > _WINDOW else 0
    length = min(_underline_length(place.text[column:], underline), _WINDOW // 2)
    yield _printable(place.text[start : start + _WINDOW].rstrip())
    yield re.sub(r"[^\t]", " ", place.text[start:column]) + "^" + "~" * (length - 1)


def _printable(text: str) -> str:
    """Without control characters, which would act on the terminal."""
    return "".join(
        c if c.isprintable() or c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in text
    )


def _underline_length(rest: str, underline: str) -> int:
    """As long as `underline` where the text has it, or is all `~`; else one column."""
    if set(underline) == {"~"}:
        return min(len(underline), max(1, len(rest)))
    return max(1, len(underline)) if rest.startswith(underline) else 1


def _written_name(at: Operation | SSAValue | None) -> str:
    """What stands in the source at the place of `at`, if it stands there at all."""
    node = at.owner if isinstance(at, OpResult) else at
    return name_of(node) if isinstance(node, Operation) else ""


def _one_line(op: Operation) -> str:
    """The operation without its regions, for code that was never in a file."""
    stream = StringIO()
    Printer(stream, print_generic_format=True).print_op(op.clone_without_regions())
    return stream.getvalue().split("\n")[0]
