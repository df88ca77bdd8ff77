"""
Reading programs from text.

`SourceParser` is xDSL's parser with what a user expects of an error: every operation
knows its place in the text, every failure is a `SyntaxFailure` with a place, a cause and
a remedy, and nothing in the text can exhaust the stack.
"""

import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from math import prod
from typing import Any, TypeVar

from typing_extensions import override
from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import FileLineColLoc, ModuleOp
from xdsl.ir import (
    AttributeInvT,
    Block,
    BlockArgument,
    Dialect,
    Operation,
    Region,
    SSAValue,
    TypeAttribute,
)
from xdsl.irdl import IRDLOperation
from xdsl.parser import (
    ForwardDeclaredValue,
    Parser,
    ParserState,
    RankedStructure,
    UnresolvedOperand,
)
from xdsl.traits import IsTerminator  # noqa: TID251
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Input, Span, Token
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind, StringLiteral

from vyre.diagnostics import InvalidProgram, SyntaxFailure, did_you_mean, form_hint
from vyre.fork_locks import ForkLock
from vyre.locations import (
    inherit_locations,
    is_unknown,
    location_at,
    source_name,
)

T = TypeVar("T")

MAX_NESTING = 128
"""How deeply regions may be nested in a source text."""

MAX_DENSE_ELEMENTS = 2**20
"""Elements of a dense literal, which xDSL stores one by one even if all are equal."""

_RECURSION_LIMIT = 12_000
"""Python frames that xDSL needs for `MAX_NESTING` levels, several times over."""

_one_at_a_time = ForkLock()


@contextmanager
def deep_recursion() -> Generator[None]:
    """
    Room on Python's stack for programs nested up to `MAX_NESTING`, for one thread at a
    time: the limit is the process's, and so is the function that xDSL replaces while it
    adds terminators that are not written.
    """
    with _one_at_a_time:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
        try:
            yield
        finally:
            sys.setrecursionlimit(limit)


class SourceLexer(MLIRLexer):
    """
    xDSL's lexer, with string literals as MLIR has them: text that is valid UTF-8 is a
    string, also if it is written with escapes. And without the exponential search that
    xDSL's pattern starts when the closing quote is missing.
    """

    _string = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')

    @override
    def _lex_string_literal(self, start_pos: int) -> Token[MLIRTokenKind, str]:
        match = self._string.match(self.input.content, start_pos)
        if match is None:
            raise ParseError(
                Span(start_pos, self.pos, self.input), "the string has no closing quote"
            )
        self.pos = match.end()
        literal = StringLiteral(start_pos, self.pos, self.input)
        try:
            literal.bytes_contents.decode()
        except UnicodeDecodeError:
            return Token(MLIRTokenKind.BYTES_LIT, literal)
        return Token(MLIRTokenKind.STRING_LIT, literal)


class SourceParser(Parser):
    """
    Parses a module and remembers where each operation and block argument stands.

    Example: `SourceParser(ctx, text, "reach.mlir").parse_module()`
    """

    def __init__(self, ctx: Context, text: str, name: str):
        super().__init__(ctx, "", name)
        try:
            self._parser_state = ParserState(SourceLexer(Input(text, name)))
        except ParseError as error:
            span = Span(error.span.start, error.span.end, Input(text, name))
            raise SyntaxFailure(span, error.msg, "correct the text at the caret") from None
        lines = text.split("\n")
        self._file = source_name(name, lines)
        self._line_starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
        self._open_ops: list[Span] = []
        self._first_uses: dict[str, Span] = {}
        self._depth = 0

    @override
    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        try:
            with deep_recursion():
                module = super().parse_module(allow_implicit_module)
        except RecursionError:
            # Where exactly depends on the frames above us, so the operation is named.
            raise SyntaxFailure(
                self._open_ops[-1] if self._open_ops else self._current_token.span,
                "the text is nested too deeply",
                f"nest regions at most {MAX_NESTING} deep, attributes and types far less",
            ) from None
        except ParseError as error:
            raise self._explained(error) from None
        except Exception as error:
            # xDSL lets through whatever the construction of an attribute raises.
            failure = ParseError(self._current_token.span, _text_of(error))
            raise self._explained(failure) from None
        self._refuse_own_values(module)
        if is_unknown(module.location):
            module.location = location_at(self._file, 1, 1)
        inherit_locations(module)  # For terminators that are not written.
        return module

    @override
    def parse_operation(self) -> Operation:
        depth = len(self._open_ops)
        try:
            op = super().parse_operation()
        except (ParseError, RecursionError):
            raise
        except Exception as error:
            # The innermost open operation is the one whose text is at fault.
            self.raise_error(_text_of(error), self._open_ops[-1])
        start = self._open_ops[depth]
        del self._open_ops[depth:]
        if is_unknown(op.location):
            op.location = self._location(start)
        return op

    @override
    def _parse_op_result_list(self) -> list[tuple[Span, int]]:
        self._open_ops.append(self._current_token.span)
        results = super()._parse_op_result_list()
        self._open_ops[-1] = self._current_token.span
        return results

    @override
    def parse_optional_region(
        self, arguments: Iterable[Parser.Argument] | None = None
    ) -> Region | None:
        if self._current_token.kind != MLIRTokenKind.L_BRACE:
            return None
        if self._depth == MAX_NESTING:
            self.raise_error(f"regions are nested more than {MAX_NESTING} deep")
        self._depth += 1
        region = super().parse_optional_region(arguments)
        self._depth -= 1
        if region is not None and self._open_ops[-1].text in ("scf.if", "scf.index_switch"):
            _yield_at_the_end(region)
        return region

    @override
    def parse_comma_separated_list(
        self, delimiter: Parser.Delimiter, parse: Callable[[], T], context_msg: str = ""
    ) -> list[T]:
        # MLIR leaves out the empty list of `scf.while`; xDSL insists on it.
        left_out = (
            self._current_token.kind is MLIRTokenKind.COLON
            and delimiter is Parser.Delimiter.PAREN
            and bool(self._open_ops)
            and self._open_ops[-1].text == "scf.while"
        )
        if left_out:
            return []
        return super().parse_comma_separated_list(delimiter, parse, context_msg)

    @override
    def resolve_operand(
        self, operand: UnresolvedOperand, type: AttributeInvT
    ) -> SSAValue[AttributeInvT]:
        if operand.operand_name not in self.ssa_values:
            self._first_uses.setdefault(operand.operand_name, operand.span)
        return super().resolve_operand(operand, type)

    @override
    def _register_ssa_definition(
        self, name: str, values: Sequence[SSAValue], span: Span
    ) -> None:
        super()._register_ssa_definition(name, values, span)
        for value in values:
            if isinstance(value, BlockArgument) and is_unknown(value.location):
                value.location = self._location(span)

    @override
    def _parse_optional_integer_or_float_type(self) -> TypeAttribute | None:
        width = self._builtin_integer_type_regex.match(self._current_token.text)
        if width is not None and len(width[1]) > 8:
            self.raise_error("an integer type has at most 16777215 bits")
        return super()._parse_optional_integer_or_float_type()

    @override
    def _parse_dense_literal_type(self) -> RankedStructure[Any]:
        type = super()._parse_dense_literal_type()
        if prod(type.get_shape()) > MAX_DENSE_ELEMENTS:
            self.raise_error(f"a literal has at most {MAX_DENSE_ELEMENTS} elements")
        return type

    def _refuse_own_values(self, module: ModuleOp) -> None:
        """An operand that only the operation's own region defines stays unresolved."""
        for op in module.walk():
            if any(isinstance(operand, ForwardDeclaredValue) for operand in op.operands):
                raise InvalidProgram(
                    op,
                    "uses a value that is defined only inside the operation itself",
                    "define the value above the operation",
                )

    def _location(self, span: Span) -> FileLineColLoc:
        # A table of line starts: xDSL's own counts lines from the top for each span.
        line = bisect_right(self._line_starts, span.start)
        return location_at(self._file, line, span.start - self._line_starts[line - 1] + 1)

    def _explained(self, error: ParseError) -> SyntaxFailure:
        """The same error at the most telling place, with a remedy."""
        undefined = next(iter(self.forward_ssa_references), None)
        if undefined is not None and error.msg.startswith("values used but not defined"):
            return SyntaxFailure(
                self._first_uses[undefined],
                f"%{undefined} is used but never defined",
                did_you_mean(f"%{undefined}", [f"%{name}" for name in self.ssa_values])
                or "define it above, or correct the name",
            )
        message = " ".join(error.msg.split())
        span = self._span_of(error)
        if message.endswith("is not registered") and self._open_ops:
            span = self._open_ops[-1]
        elif self._fell_out_of_its_line(error):
            span = self._open_ops[-1]
            message = f"the operation ends too early: {message}"
        elif message == "in block definition":
            message = "expected an operation or `}`"
        if error.span.start >= len(self.lexer.input):
            message = f"the text ends too early: {message}"
        return SyntaxFailure(span, message, self._remedy(error))

    def _span_of(self, error: ParseError) -> Span[str]:
        return Span(error.span.start, error.span.end, self.lexer.input)

    def _fell_out_of_its_line(self, error: ParseError) -> bool:
        """Whether an operation without regions was looked for in the next line."""
        if not self._open_ops or error.span.start >= len(self.lexer.input):
            return False
        op_type = self.ctx.get_optional_op(self._open_ops[-1].text)
        has_regions = (
            op_type is None
            or not issubclass(op_type, IRDLOperation)
            or bool(op_type.get_irdl_definition().regions)
        )
        return not has_regions and not self._on_line_of_open_op(error)

    def _on_line_of_open_op(self, error: ParseError) -> bool:
        opened = self._location(self._open_ops[-1]).line.data
        return opened == error.span.get_location().line

    def _remedy(self, error: ParseError) -> str:
        if not self._open_ops:
            return "a file holds operations, such as `vyre.program @name [64, 1, 1] {}`"
        opened = self._open_ops[-1]
        name = opened.text.strip('"')
        if "Operation" in error.msg and error.msg.endswith("is not registered"):
            return self._unregistered_remedy(name)
        op_type = self.ctx.get_optional_op(name)
        if op_type is None:
            return "correct the text at the caret"
        if "is not defined above" in error.msg:
            return "declare it above, or correct the name"
        if self._on_line_of_open_op(error) or self._fell_out_of_its_line(error):
            return form_hint(op_type)
        return f"correct the text at the caret, inside the '{op_type.name}' above it"

    def _unregistered_remedy(self, name: str) -> str:
        dialect_name = name.partition(".")[0]
        dialect = self.ctx.get_optional_dialect(dialect_name)
        if dialect is None:
            return (
                did_you_mean(dialect_name, self.ctx.registered_dialect_names)
                or "lower it first, or register its dialect; `vyre-opt` also takes "
                "--allow-unregistered-dialect"
            )
        return did_you_mean(name, _operation_names(dialect)) or (
            f"use an operation that the '{dialect_name}' dialect has"
        )


def _yield_at_the_end(region: Region) -> None:
    """
    Add what may be left out: xDSL does so for no switch, and takes an operation that no
    dialect defines for the terminator of an if.
    """
    block = region.blocks.last
    if block is None:
        region.add_block(block := Block())
    if block.last_op is None or not block.last_op.has_trait(
        IsTerminator, value_if_unregistered=False
    ):
        block.add_op(scf.YieldOp())


def _text_of(error: Exception) -> str:
    """What a user can make of an exception that xDSL or Python raised."""
    text = " ".join(str(error).split())
    if isinstance(error, VerifyException):
        return text
    return f"cannot be read: {text}" if text else f"cannot be read: {type(error).__name__}"


def _operation_names(dialect: Dialect) -> Iterator[str]:
    return (op.name for op in dialect.operations)
