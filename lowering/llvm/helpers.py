"""
Functions that a program's code calls in many places, or in few.

Where there are few, LLVM may put them there. Where there are many they stay functions: a
program may have hundreds of launches, and LLVM takes long for what is written out as often.
"""

from collections import Counter
from collections.abc import Sequence

from llvmlite import ir

from vyre.lowering.llvm.folding import FoldingBuilder

FEW = 8
"""Calls of a function that LLVM may replace by its code."""


def leave_as_written(function: ir.Function) -> None:
    """
    Let LLVM not optimise a function that does little itself, or runs once in a pass.

    Example: `leave_as_written(function)`
    """
    for attribute in ("noinline", "optnone"):
        function.attributes.add(attribute)


class Helpers:
    """
    The functions of a module that entries call.

    Example: `function, builder = Helpers(module).new("f", VOID, [POINTER], ["job"])`
    """

    def __init__(self, module: ir.Module):
        self._module = module
        self._calls: Counter[ir.Function] = Counter()

    def new(
        self, name: str, result: ir.Type, types: Sequence[ir.Type], names: Sequence[str]
    ) -> tuple[ir.Function, ir.IRBuilder]:
        """A new function, and where its code goes. Names are those of its arguments."""
        signature = ir.FunctionType(result, types)
        function = ir.Function(self._module, signature, self._module.get_unique_name(name))
        function.linkage = "internal"
        for argument, argument_name in zip(function.args, names):
            argument.name = argument_name
        return function, FoldingBuilder(function.append_basic_block("entry"))

    def call(
        self, builder: ir.IRBuilder, function: ir.Function, arguments: Sequence[ir.Value]
    ) -> ir.Value:
        """A call of one of the functions."""
        self._calls[function] += 1
        if self._calls[function] > FEW:
            function.attributes.add("noinline")
        return builder.call(function, arguments)
