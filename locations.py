"""
Where an operation stands in the text that the user wrote.

`vyre.parse` gives every operation and block argument a file, line and column. Rewrites
make new operations without one; `inherit_locations` gives these the location of the code
they serve, so that an error found after any number of passes still points at the user's
line.
"""

import linecache
from typing import NamedTuple

from xdsl.dialects.builtin import (
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    ModuleOp,
    NameLoc,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from vyre.analysis.walking import operations_of

_TEXT = "_vyre_source_text"


class Place(NamedTuple):
    """A position in a source file, and the line of text there if it is at hand."""

    file: str
    line: int
    column: int
    text: str | None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


def source_name(name: str, lines: list[str]) -> StringAttr:
    """
    The file name for locations in the given text. The text rides on it, so that
    diagnostics can quote sources that are in no file, and it is freed with the program.
    """
    attr = StringAttr(name)
    object.__setattr__(attr, _TEXT, lines)
    return attr


def location_at(file: StringAttr, line: int, column: int) -> FileLineColLoc:
    """A location in a file made by `source_name`; lines and columns count from 1."""
    return FileLineColLoc(file, IntAttr(line), IntAttr(column))


def is_unknown(location: LocationAttr) -> bool:
    """Whether nothing is known about where the operation comes from."""
    return type(location) is UnknownLoc


def place_of(at: Operation | SSAValue) -> Place | None:
    """
    Where `at`, or the nearest operation around it with a location, stands in the source.

    Example: `str(place_of(op))` is `"reach.mlir:7:12"`.
    """
    node = at if isinstance(at, Operation | BlockArgument) else at.owner
    if isinstance(node, Block):
        node = node.parent_op()
    while node is not None:
        place = _place(node.location)
        if place is not None:
            return place
        node = (
            node.block.parent_op() if isinstance(node, BlockArgument) else node.parent_op()
        )
    return None


def _place(location: Attribute) -> Place | None:
    match location:
        case FileLineColLoc():
            return _file_place(location)
        case NameLoc():
            return _place(location.location)
        case CallSiteLoc():
            return _place(location.callee)
        case FusedLoc():
            parts = location.locations
            places = map(_place, getattr(parts, "data", ()))
            return next((place for place in places if place is not None), None)
        case _:
            return None


def _file_place(location: FileLineColLoc) -> Place:
    file, line = location.filename.data, location.line.data
    lines: list[str] | None = getattr(location.filename, _TEXT, None)
    if lines is not None:
        text = lines[line - 1] if 0 < line <= len(lines) else None
    else:
        text = linecache.getline(file, line).rstrip("\n") or None
    return Place(file, line, location.column.data, text)


def inherit_locations(module: ModuleOp) -> None:
    """
    Give every operation without a location the one of the code it serves: the first use
    of its results, or else the operation before it, or else the one around it.

    Uses come after definitions, so a walk from the end sees a use before the definition
    and one walk in each direction settles every operation.
    """
    ops = list(operations_of(module))
    for op in reversed(ops):
        if is_unknown(op.location):
            _inherit_from_first_use(op)
    for op in ops:
        if is_unknown(op.location):
            neighbour = op.prev_op or op.parent_op()
            if neighbour is not None:
                op.location = neighbour.location


def _inherit_from_first_use(op: Operation) -> None:
    for result in op.results:
        use = result.first_use
        if use is not None and not is_unknown(use.operation.location):
            op.location = use.operation.location
            return
