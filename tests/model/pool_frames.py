"""What instructions of the pool's text do in the call that they are part of."""

from typing import NamedTuple

from pool_text import Function, Instruction

Registers = tuple[tuple[str, int], ...]


class Frame(NamedTuple):
    """A call: where it is, where the result of what it calls goes, and its registers."""

    function: str
    at: int
    registers: Registers


def call_of(function: Function, arguments: tuple[int, ...]) -> Frame:
    registers = zip(function.parameters, arguments, strict=True)
    return Frame(function.name, 0, tuple(sorted(registers)))


def operands_of(frame: Frame, instruction: Instruction) -> list[int]:
    registers = dict(frame.registers)
    return [
        registers.get(each, 0) if isinstance(each, str) else each
        for each in instruction.operands
    ]


def drains(instruction: Instruction) -> bool:
    """Whether it comes after all stores before it."""
    is_ordered = instruction.name == "store" and instruction.detail == "seq_cst"
    return is_ordered or instruction.name in ("rmw", "cmpxchg")


def target_of(instruction: Instruction, values: list[int]) -> str:
    match instruction.name:
        case "jump":
            return instruction.targets[0]
        case "branch":
            return instruction.targets[0 if values[0] else 1]
        case _:
            value, *numbers = values
            if value in numbers:
                return instruction.targets[1 + numbers.index(value)]
            return instruction.targets[0]


def jumped(function: Function, frame: Frame, target: str) -> Frame:
    """At the beginning of a block, with its phis."""
    source = max(start for start in function.blocks.values() if start <= frame.at)
    registers, at = dict(frame.registers), function.blocks[target]
    found: dict[str, int] = {}
    while function.code[at].name == "phi":
        phi = function.code[at]
        for block, operand in zip(phi.targets, phi.operands, strict=True):
            if function.blocks[block] == source:
                value = registers.get(operand, 0) if isinstance(operand, str) else operand
                found[phi.result] = value
        at += 1
    registers |= found
    kept = ((name, registers[name]) for name in function.live[at] if name in registers)
    return Frame(frame.function, at, tuple(sorted(kept)))


def computed(instruction: Instruction, values: list[int]) -> int:
    mask = (1 << 64) - 1
    match instruction.name:
        case "extract":
            return values[0] & 1 if values[1] else values[0] >> 1
        case "place":
            return values[0] + 8 * values[1]
        case "compare":
            return int(_compared(instruction.detail, *values))
        case "compute":
            return _combined(instruction.detail, *values) & mask
        case "select":
            return values[1] if values[0] else values[2]
        case _:
            return values[0]


def _compared(relation: str, left: int, right: int) -> bool:
    match relation[-2:]:
        case "eq":
            return left == right
        case "ne":
            return left != right
        case "lt":
            return left < right
        case "le":
            return left <= right
        case "gt":
            return left > right
        case _:
            return left >= right


def _combined(operation: str, left: int, right: int) -> int:
    match operation:
        case "add":
            return left + right
        case "sub":
            return left - right
        case "mul":
            return left * right
        case "shl":
            return left << right
        case "lshr":
            return left >> right
        case "and":
            return left & right
        case _:
            return left | right
