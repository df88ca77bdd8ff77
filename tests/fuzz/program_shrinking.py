"""
Make a program that shows a failure small, so that a person can see why.

Tried again and again: to remove operations, many at once and then one by one, to replace
branches, loops and regions by what is inside, and to replace values by simpler ones. A
change stays if the smaller program is valid and still shows the failure.
"""

import time
from collections.abc import Callable, Iterator

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from vyre.analysis.buffer_sources import is_memref
from vyre.analysis.purity import is_pure
from vyre.dialects.vyre import (
    AsyncWaitOp,
    BufferOp,
    GetOp,
    LoadOp,
    ParamOp,
    ProgramOp,
    RegionOp,
    TokenType,
    YieldOp,
)

Fails = Callable[[ModuleOp], bool]
"""Whether a smaller program is worth going on with."""
Edit = Callable[[Operation], bool]
"""Changes the program at an operation, if it can."""

TERMINATORS = (scf.YieldOp, scf.ConditionOp, YieldOp)


def shrink(module: ModuleOp, fails: Fails, seconds: float) -> ModuleOp:
    """
    The smallest program that is found in this time and still fails.

    Example: `shrink(vyre.parse(text), lambda smaller: "scf.while" in str(smaller), 60)`
    """
    deadline = time.monotonic() + seconds
    module = module.clone()
    remove_unused(module)
    before = weight(module) + 1
    while weight(module) < before and time.monotonic() < deadline:
        before = weight(module)
        for length in (16, 8, 4, 2):
            module = _without_runs(module, length, fails, deadline)
        for edit in (_remove, _open, _bypass, _remove_result, *_constants()):
            module = _everywhere(module, edit, fails, deadline)
    return module


def weight(module: ModuleOp) -> int:
    """What every change makes less of: operations, and operands that are not 0 or 1."""
    total = 0
    for op in module.walk():
        total += 1 if _is_simple(op) else 4
        total += sum(2 for operand in op.operands if not _is_simple(operand.owner))
    return total


def _without_runs(module: ModuleOp, length: int, fails: Fails, deadline: float) -> ModuleOp:
    """Try to remove so many neighbours at once, the last ones first."""
    first = sum(1 for _ in module.walk())
    while first > 0 and time.monotonic() < deadline:
        smaller = module.clone()
        ops = list(smaller.walk())
        first = max(0, min(first, len(ops)) - length)
        run = [op for op in ops[first : first + length] if op.parent is ops[first].parent]
        if sum(_remove(op) for op in reversed(run) if _may_go(op)) > 1:
            remove_unused(smaller)
            if weight(smaller) < weight(module) and fails(smaller):
                module = smaller
    return module


def _may_go(op: Operation) -> bool:
    return not isinstance(op, ModuleOp | ProgramOp | BufferOp | ParamOp)


def _everywhere(module: ModuleOp, edit: Edit, fails: Fails, deadline: float) -> ModuleOp:
    """Try an edit at every operation, first at those with most operations inside."""
    rank, numbers = 0, _by_size(module)
    while rank < len(numbers) and time.monotonic() < deadline:
        smaller = module.clone()
        if edit(list(smaller.walk())[numbers[rank]]):
            remove_unused(smaller)
            if weight(smaller) < weight(module) and fails(smaller):
                module, numbers = smaller, _by_size(smaller)
                continue
        rank += 1
    return module


def _by_size(module: ModuleOp) -> list[int]:
    """The numbers of the operations of programs, the largest and the last first."""
    sizes = {
        number: sum(1 for _ in op.walk())
        for number, op in enumerate(module.walk())
        if not isinstance(op, ModuleOp | ProgramOp)
    }
    return sorted(sizes, key=lambda number: (-sizes[number], -number))


def remove_unused(module: ModuleOp) -> None:
    """Remove what computes values that nobody uses."""
    for op in reversed(list(module.walk())):
        removable = is_pure(op) or isinstance(op, LoadOp | GetOp | BufferOp | ParamOp)
        if removable and op.results and not any(result.uses for result in op.results):
            Rewriter.erase_op(op)


# Edits


def _remove(op: Operation) -> bool:
    """Without the operation; constants stand for its results."""
    if isinstance(op, TERMINATORS):
        return False
    for result in op.results:
        if isinstance(result.type, TokenType):
            for use in list(result.uses):
                if not isinstance(use.operation, AsyncWaitOp):
                    return False
                _forget(use.operation, use.index)
        elif result.uses:
            stand_in = _stand_in(result, op)
            if stand_in is None:
                return False
            result.replace_all_uses_with(stand_in)
    Rewriter.erase_op(op)
    return True


def _forget(wait: AsyncWaitOp, index: int) -> None:
    """Let a wait not wait for one of its copies."""
    others = [token for position, token in enumerate(wait.tokens) if position != index]
    if others:
        wait.operands = others
    else:
        Rewriter.erase_op(wait)


def _stand_in(value: SSAValue, op: Operation) -> SSAValue | None:
    """Something of the value's type: a constant, or a buffer from outside."""
    if is_memref(value):
        return next(
            (operand for operand in op.operands if operand.type == value.type), None
        )
    literal = _literal(value.type, 0)
    if literal is None:
        return None
    constant = arith.ConstantOp(literal)
    Rewriter.insert_op(constant, InsertPoint.before(op))
    return constant.result


def _literal(type: Attribute, number: int) -> IntegerAttr | FloatAttr | None:
    match type:
        case IntegerType() | IndexType():
            return IntegerAttr(number, type)
        case Float16Type() | Float32Type() | Float64Type():
            return FloatAttr(float(number), type)
        case _:
            return None


def _open(op: Operation) -> bool:
    """What is inside, once, in place of a branch, loop or region."""
    match op:
        case RegionOp():
            _inline(op, op.body.block, ())
        case scf.IfOp() if op.false_region.blocks and not _busy(op.true_region.block):
            _inline(op, op.false_region.block, ())
        case scf.IfOp():
            _inline(op, op.true_region.block, ())
        case scf.ForOp():
            _inline(op, op.body.block, (op.lb, *op.iter_args))
        case scf.WhileOp():
            return _open_while(op)
        case _:
            return False
    return True


def _busy(block: Block) -> bool:
    return not isinstance(block.first_op, TERMINATORS)


def _inline(op: Operation, block: Block, arguments: tuple[SSAValue, ...]) -> None:
    terminator = block.last_op
    given: list[SSAValue] = []
    if isinstance(terminator, scf.YieldOp | YieldOp):
        given = list(terminator.operands)
        Rewriter.erase_op(terminator)
    Rewriter.inline_block(block, InsertPoint.before(op), arguments)
    Rewriter.replace_op(op, [], given)


def _open_while(op: scf.WhileOp) -> bool:
    """The code before the condition, and after it, once; results are as for one trip."""
    before, after = op.before_region.block, op.after_region.block
    condition, end = before.last_op, after.last_op
    if not isinstance(condition, scf.ConditionOp) or end is None:
        return False
    passed = list(condition.args)
    Rewriter.erase_op(condition)
    Rewriter.erase_op(end)
    Rewriter.inline_block(before, InsertPoint.before(op), op.arguments)
    Rewriter.inline_block(after, InsertPoint.before(op), passed)
    Rewriter.replace_op(op, [], passed)
    return True


def _bypass(op: Operation) -> bool:
    """One of its operands in place of what the operation computes."""
    if len(op.results) != 1 or not is_pure(op):
        return False
    alike = [operand for operand in op.operands if operand.type == op.results[0].type]
    if not alike:
        return False
    op.results[0].replace_all_uses_with(alike[0])
    return True


def _constants() -> Iterator[Edit]:
    """Edits that make one operand a constant."""
    for position in range(4):
        for number in (0, 1):
            yield lambda op, p=position, n=number: _make_constant(op, p, n)


def _make_constant(op: Operation, position: int, number: int) -> bool:
    if position >= len(op.operands):
        return False
    operand = op.operands[position]
    literal = _literal(operand.type, number)
    if literal is None or _is_simple(operand.owner):
        return False
    constant = arith.ConstantOp(literal)
    Rewriter.insert_op(constant, InsertPoint.before(op))
    op.operands[position] = constant.result
    return True


def _is_simple(owner: Operation | Block) -> bool:
    """Whether it is the constant 0 or 1."""
    if not isinstance(owner, arith.ConstantOp):
        return False
    value = owner.value
    if isinstance(value, IntegerAttr):
        return value.value.data in (0, 1, -1)
    return isinstance(value, FloatAttr) and value.value.data in (0.0, 1.0)


def _remove_result(op: Operation) -> bool:
    """Without the first result that nobody uses, of a branch, loop or region."""
    unused = [r.index for r in op.results if not r.uses]
    if not unused:
        return False
    gone = unused[0]
    match op:
        case scf.IfOp() | RegionOp():
            blocks = [block for region in op.regions for block in region.blocks]
        case scf.ForOp():
            block = op.body.block
            argument = block.args[gone + 1]
            blocks = [block]
            if not _drop_argument(op, block, argument.index, 3 + gone):
                return False
        case _:
            return False
    for block in blocks:
        end = block.last_op
        if isinstance(end, scf.YieldOp | YieldOp):
            end.operands = [x for i, x in enumerate(end.operands) if i != gone]
    _rebuild(op, gone)
    return True


def _drop_argument(op: scf.ForOp, block: Block, index: int, operand: int) -> bool:
    argument = block.args[index]
    start = op.operands[operand]
    argument.replace_all_uses_with(start)
    block.erase_arg(argument)
    op.operands = [x for i, x in enumerate(op.operands) if i != operand]
    return True


def _rebuild(op: Operation, gone: int) -> None:
    kept = [r for r in op.results if r.index != gone]
    regions = [op.detach_region(region) for region in list(op.regions)]
    smaller = type(op).create(
        operands=list(op.operands),
        result_types=[r.type for r in kept],
        properties=op.properties,
        attributes=op.attributes,
        regions=regions,
    )
    results: list[SSAValue | None] = list(smaller.results)
    results.insert(gone, None)
    Rewriter.replace_op(op, smaller, results)
