"""
Powers of integers, by repeated squaring.

The number of steps depends on the exponent, so a power is a call of a function with a loop,
one per width and module. LLVM inlines it, and unrolls the loop where the exponent is known.
"""

from llvmlite import ir


def power(builder: ir.IRBuilder, base: ir.Value, exponent: ir.Value) -> ir.Value:
    """
    A wrapping power. A negative exponent gives 1 divided by the power: 0 except for the
    bases 1, -1 and 0, for which it is the -1 of a division by zero.

    Example: `power(builder, base, ir.Constant(base.type, 2))` squares.
    """
    assert isinstance(base.type, ir.IntType)
    if base.type.width == 1:
        # x ** 0 is 1, 0 ** -1 is -1, and -1 ** -1 is -1: the bit is always set.
        return ir.Constant(base.type, 1)
    name = f"vyre.ipowi.i{base.type.width}"
    if name not in builder.module.globals:
        _define(builder.module, name, base.type)
    raised = builder.call(builder.module.get_global(name), [base, exponent])
    return _inverted_if_negative(builder, base, exponent, raised)


def _inverted_if_negative(
    builder: ir.IRBuilder, base: ir.Value, exponent: ir.Value, raised: ir.Value
) -> ir.Value:
    """The power for a negative exponent, too, from that for its magnitude."""
    zero, one, minus_one = (ir.Constant(base.type, value) for value in (0, 1, -1))
    is_unit = builder.or_(
        builder.icmp_signed("==", base, one), builder.icmp_signed("==", base, minus_one)
    )
    inverse = builder.select(is_unit, raised, zero)
    is_zero = builder.icmp_signed("==", base, zero)
    inverse = builder.select(is_zero, minus_one, inverse)
    return builder.select(builder.icmp_signed("<", exponent, zero), inverse, raised)


def _define(module: ir.Module, name: str, type: ir.Type) -> None:
    """
    base ** |exponent|:

    ```text
    result = 1
    while left != 0:
        result = result * factor if left & 1 else result
        factor, left = factor * factor, left >> 1
    ```
    """
    function = ir.Function(module, ir.FunctionType(type, [type, type]), name)
    function.linkage = "internal"
    for attribute in ("alwaysinline", "nounwind", "readnone"):
        function.attributes.add(attribute)
    entry, head, body, end = map(
        function.append_basic_block, ("entry", "head", "body", "end")
    )
    base, exponent = function.args
    zero, one = ir.Constant(type, 0), ir.Constant(type, 1)

    builder = ir.IRBuilder(entry)
    negative = builder.icmp_signed("<", exponent, zero)
    magnitude = builder.select(negative, builder.neg(exponent), exponent)
    builder.branch(head)

    builder.position_at_end(head)
    result, factor, left = (
        builder.phi(type, hint) for hint in ("result", "factor", "left")
    )
    builder.cbranch(builder.icmp_unsigned("!=", left, zero), body, end)

    builder.position_at_end(body)
    is_odd = builder.icmp_unsigned("!=", builder.and_(left, one), zero)
    multiplied = builder.select(is_odd, builder.mul(result, factor), result)
    squared, halved = builder.mul(factor, factor), builder.lshr(left, one)
    builder.branch(head)

    for phi, first, next in (
        (result, one, multiplied),
        (factor, base, squared),
        (left, magnitude, halved),
    ):
        phi.add_incoming(first, entry)
        phi.add_incoming(next, body)

    builder.position_at_end(end)
    builder.ret(result)
