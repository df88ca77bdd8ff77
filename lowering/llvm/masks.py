"""
A question that generated code asks about the processor, and that is answered before LLVM
optimises it: whether a part of a vector can be stored at no cost.

AVX-512 and SVE can do that. AVX2 can too, but on some processors, as Zen 3, it takes longer
than to store the elements one by one.
"""

from llvmlite import ir

HAS_MASKS = "vyre.has_masks"

_FEATURES = {"+avx512vl", "+sve"}


def has_masks(builder: ir.IRBuilder) -> ir.Value:
    """
    Ask it.

    Example: `builder.select(has_masks(builder), many, few)`
    """
    module = builder.module
    function = module.globals.get(HAS_MASKS)
    if function is None:
        function = ir.Function(module, ir.FunctionType(ir.IntType(1), []), HAS_MASKS)
    return builder.call(function, [])


def answer(features: str) -> str:
    """
    The answer, as a module to be linked, for a processor with these features of LLVM.

    Example: `answer("+avx2,-avx512vl")`
    """
    truth = "false" if _FEATURES.isdisjoint(features.split(",")) else "true"
    signature = f"available_externally i1 @{HAS_MASKS}() alwaysinline"
    return f"define {signature} {{ ret i1 {truth} }}"
