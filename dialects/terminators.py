"""Which operations only end their block."""

from xdsl.ir import Operation

_NAMES = frozenset(("scf.condition", "scf.yield", "vyre.yield"))


def is_terminator(op: Operation) -> bool:
    """
    Whether the operation ends its block and does nothing but pass values on.

    xDSL's trait is no answer: every operation that no dialect defines has it when asked,
    and those of other dialects may do more.

    Example: `is_terminator(block.last_op)`
    """
    return op.name in _NAMES
