"""
Pieces of C++ text, with what one must know to put them together: their type, how strongly
they bind, and which variables that change they read.
"""

from dataclasses import dataclass, field, replace
from enum import IntEnum

from vyre.lowering.cuda.types import BOOL, CType


class Level(IntEnum):
    """How strongly an expression holds together, as C++ has it."""

    CHOICE = 0
    OR = 1
    AND = 2
    BIT_OR = 3
    BIT_XOR = 4
    BIT_AND = 5
    EQUALITY = 6
    RELATION = 7
    SHIFT = 8
    SUM = 9
    PRODUCT = 10
    UNARY = 11
    ATOM = 12


_LEVELS = {
    "||": Level.OR,
    "&&": Level.AND,
    "|": Level.BIT_OR,
    "^": Level.BIT_XOR,
    "&": Level.BIT_AND,
    "==": Level.EQUALITY,
    "!=": Level.EQUALITY,
    "<": Level.RELATION,
    "<=": Level.RELATION,
    ">": Level.RELATION,
    ">=": Level.RELATION,
    "<<": Level.SHIFT,
    ">>": Level.SHIFT,
    "+": Level.SUM,
    "-": Level.SUM,
    "*": Level.PRODUCT,
    "/": Level.PRODUCT,
    "%": Level.PRODUCT,
}

_RARE = (Level.BIT_OR, Level.BIT_XOR, Level.BIT_AND, Level.SHIFT)
"""Operators that few remember the binding of: compilers warn, and readers stumble."""

_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Expression:
    """
    C++ text that gives a value.

    Example: `binary(x, "+", y, x.type).text` is `x + y`.
    """

    text: str
    type: CType
    level: Level = Level.ATOM
    reads: frozenset[str] = field(default=_NONE)
    """Variables in it whose value may change."""
    number: int | None = None
    """The number that it stands for, if it is an integer literal."""
    is_literal: bool = False
    opposite: str | None = None
    """Of a condition: text for its contrary, of the same level, if there is one."""

    @property
    def is_simple(self) -> bool:
        """Whether it may be written twice: a name or a literal."""
        if self.is_literal:
            return True
        return self.level is Level.ATOM and "(" not in self.text and "[" not in self.text

    def inside(self, level: Level) -> str:
        """The text as an operand of something that holds together this strongly."""
        return f"({self.text})" if self._needs_parentheses(level) else self.text

    def _needs_parentheses(self, level: Level) -> bool:
        if self.level < level:
            return True
        if self.level >= Level.UNARY or self.level is level:
            return False
        return (
            self.level in _RARE
            or (level in _RARE)
            or (self.level is Level.AND and level is Level.OR)
            or (Level.EQUALITY <= self.level <= Level.RELATION and level >= Level.EQUALITY)
        )


def name(text: str, type: CType, *, changes: bool = False) -> Expression:
    """A variable."""
    return Expression(text, type, reads=frozenset((text,)) if changes else _NONE)


def binary(left: Expression, operator: str, right: Expression, type: CType) -> Expression:
    """
    Two expressions with an operator between them; the result has the type given.

    Example: `binary(i, "<", n, BOOL)`
    """
    level = _LEVELS[operator]
    text = f"{left.inside(level)} {operator} {_right(right, level)}"
    return Expression(text, type, level, left.reads | right.reads)


def _right(operand: Expression, level: Level) -> str:
    is_same = operand.level is level
    return f"({operand.text})" if is_same else operand.inside(level)


def unary(operator: str, operand: Expression, type: CType) -> Expression:
    """An operator before an expression. Example: `unary("!", condition, BOOL)`"""
    inner = operand.inside(Level.UNARY)
    # `--x` would be something else.
    inner = f"({inner})" if inner[0] == operator else inner
    return Expression(f"{operator}{inner}", type, Level.UNARY, operand.reads)


def call(function: str, operands: "list[Expression]", type: CType) -> Expression:
    """A call of a function. Example: `call("sqrtf", [x], FLOAT)`"""
    text = f"{function}({', '.join(operand.text for operand in operands)})"
    return Expression(text, type, reads=_all_reads(operands))


def choice(
    condition: Expression, first: Expression, second: Expression, type: CType
) -> Expression:
    """One of two values. Example: `choice(is_inside, element, zero, FLOAT)`"""
    above = Level(Level.CHOICE + 1)
    text = f"{condition.inside(above)} ? {first.inside(above)} : {second.inside(above)}"
    reads = _all_reads([condition, first, second])
    return Expression(text, type, Level.CHOICE, reads)


def element(pointer: str, index: Expression, type: CType, *, changes: bool) -> Expression:
    """An element of an array. Example: `element("x", i, FLOAT, changes=False)`"""
    reads = index.reads | ({pointer} if changes else _NONE)
    return Expression(f"{pointer}[{index.text}]", type, reads=reads)


def cast(operand: Expression, type: CType) -> Expression:
    """The value converted to a type, written down."""
    text = f"({type.name}){operand.inside(Level.UNARY)}"
    return Expression(text, type, Level.UNARY, operand.reads)


def comparison(left: Expression, operator: str, right: Expression) -> Expression:
    """
    How two values compare. Of floats only `==` and `!=` have a contrary.

    Example: `comparison(i, "<", n)`
    """
    found = binary(left, operator, right, BOOL)
    contrary = _CONTRARY[operator]
    if left.type.is_float and operator not in ("==", "!="):
        return found
    return replace(found, opposite=binary(left, contrary, right, BOOL).text)


_CONTRARY = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def negation(condition: Expression) -> Expression:
    """
    Whether a condition does not hold.

    Example: of `i == n` it is `i != n`.
    """
    if condition.opposite is not None:
        text, opposite = condition.opposite, condition.text
        return replace(condition, text=text, opposite=opposite)
    found = unary("!", condition, BOOL)
    is_atom = condition.level is Level.ATOM
    return replace(found, opposite=condition.text) if is_atom else found


def conjunction(conditions: "list[Expression]") -> Expression:
    """Whether all conditions hold. There is at least one."""
    found = conditions[0]
    for condition in conditions[1:]:
        found = binary(found, "&&", condition, BOOL)
    return found


def _all_reads(operands: "list[Expression]") -> frozenset[str]:
    return _NONE.union(*(operand.reads for operand in operands))
