"""Pieces of assembly syntax that the declarative format lacks."""

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Region
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    RegionVariable,
    TypeDirective,
    VariadicOperandVariable,
    irdl_custom_directive,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer


@irdl_custom_directive
class Body(CustomDirective):
    """
    A single-block region.

    Print: `{ ... }`; the block is there even when it is empty.
    Parse: the same; `{}` gives one empty block.
    """

    body: RegionVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.body.set(state, _parse_body(parser))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        printer.print_region(
            self.body.get(op), print_entry_block_args=False, print_empty_block=False
        )


@irdl_custom_directive
class YieldingBody(CustomDirective):
    """
    A single-block region that ends with `vyre.yield`.

    Print: `{ ... }` without the terminator when it yields nothing.
    Parse: the same; a missing terminator is added.
    """

    body: RegionVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        from vyre.dialects.vyre.structure import YieldOp

        region = _parse_body(parser)
        last_block = region.blocks.last
        assert last_block is not None
        if not isinstance(last_block.last_op, YieldOp):
            last_block.add_op(YieldOp())
        self.body.set(state, region)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        body = self.body.get(op)
        terminator = body.block.last_op
        says_something = op.results or (terminator is not None and terminator.attributes)
        printer.print_region(
            body,
            print_entry_block_args=False,
            print_block_terminators=bool(says_something),
        )


def _parse_body(parser: Parser) -> Region:
    region = parser.parse_region()
    if region.blocks.first is None:
        region.add_block(Block())
    return region


@irdl_custom_directive
class Provenance(CustomDirective):
    """
    Who made a region, and from what, as far as known.

    Print: `"generator" from "source"`, either of them or nothing.
    Parse: the same. (An optional `$generator` would take a following `{` for its own.)
    """

    generator: AttributeVariable
    source: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        generator = parser.parse_optional_str_literal()
        if generator is not None:
            self.generator.set(state, StringAttr(generator))
        if parser.parse_optional_keyword("from") is not None:
            self.source.set(state, StringAttr(parser.parse_str_literal()))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        self.generator.print(printer, state, op)
        if self.source.get(op) is not None:
            state.print_whitespace(printer)
            printer.print_string("from")
            self.source.print(printer, state, op)


@irdl_custom_directive
class ResultTypes(CustomDirective):
    """
    The types of an op's results, if it has any.

    Print: nothing, or `-> (i32, f32)`.
    Parse: the same.
    """

    results: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        if parser.parse_optional_punctuation("->") is None:
            self.results.set(state, ())
            return
        types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        self.results.set(state, types)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        types = self.results.get(op)
        if not types:
            return
        state.print_whitespace(printer)
        printer.print_string("-> ")
        with printer.in_parens():
            printer.print_list(types, printer.print_attribute)


@irdl_custom_directive
class Arguments(CustomDirective):
    """
    Operands in parentheses whose types are those of their definitions.

    Print: `(%a, %n)`.
    Parse: the same; each operand must be defined above.
    """

    arguments: VariadicOperandVariable
    types: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        operands = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_unresolved_operand
        )
        self.arguments.set(state, operands)
        self.types.set(state, [_defined(parser, operand) for operand in operands])

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        with printer.in_parens():
            printer.print_list(self.arguments.get(op), printer.print_operand)
        state.should_emit_space = True
        state.last_was_punctuation = False


def _defined(parser: Parser, operand: UnresolvedOperand):
    """The type of an operand that the text above defines."""
    values = parser.ssa_values.get(operand.operand_name, ())
    if operand.index >= len(values):
        parser.raise_error(
            f"{operand.span.text} is not defined above this operation", operand.span
        )
    return values[operand.index].type
