"""What programs contain that is hard to split, and what became of it."""

from collections.abc import Iterator

from xdsl.dialects import scf
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from vyre.analysis.uniformity import Uniformity, uniformity
from vyre.dialects.vyre import (
    AsyncLoadOp,
    AsyncStoreOp,
    AsyncWaitOp,
    BarrierOp,
    BufferOp,
    CellType,
    LaunchOp,
    ProgramOp,
    ReadBackOp,
    RegionOp,
    ReturnOp,
    ScratchOp,
    TokenType,
    TrapOp,
)
from vyre.dialects.vyre.attributes import Access


def features(module: ModuleOp) -> set[str]:
    """What the programs of a module have, each named once."""
    found: set[str] = set()
    for program in module.ops:
        if isinstance(program, ProgramOp):
            facts = uniformity(program)
            for op in program.body.walk():
                found.update(_features(op, facts))
            found.update(_crossings(program))
    return found


def _features(op: Operation, facts: Uniformity) -> Iterator[str]:
    match op:
        case BarrierOp() if op.is_grid_sync:
            yield from _places(op)
        case ReturnOp() | TrapOp():
            name = "return" if isinstance(op, ReturnOp) else "trap"
            yield f"{name} in {facts.control(op)} control"
            if any(isinstance(parent, scf.ForOp | scf.WhileOp) for parent in _parents(op)):
                yield f"{name} in a loop"
            if any(isinstance(parent, RegionOp) for parent in _parents(op)):
                yield f"{name} in a region"
        case scf.ForOp() | scf.WhileOp():
            yield from _loop_features(op)
        case AsyncLoadOp() | AsyncStoreOp():
            yield op.name
        case scf.IndexSwitchOp():
            held = any(map(_is_grid_barrier, op.walk()))
            yield "switch with a grid barrier" if held else "switch"
        case _:
            if op.dialect_name() == "vyre":
                yield op.name


def _places(barrier: BarrierOp) -> Iterator[str]:
    """What a grid barrier stands in."""
    parents = list(_parents(barrier))
    yield f"grid barrier at depth {sum(_is_control(parent) for parent in parents)}"
    inner: Operation = barrier
    for parent in parents:
        match parent:
            case scf.ForOp():
                yield "grid barrier in a for"
            case scf.WhileOp():
                is_before = inner.parent is parent.before_region.block
                yield f"grid barrier {'before' if is_before else 'after'} a condition"
            case scf.IfOp() | scf.IndexSwitchOp():
                arms = [any(map(_is_grid_barrier, r.walk())) for r in parent.regions]
                yield f"grid barrier in {'both arms' if all(arms) else 'one arm'}"
            case RegionOp():
                yield "grid barrier in a region"
            case _:
                pass
        inner = parent


def _is_grid_barrier(op: Operation) -> bool:
    return isinstance(op, BarrierOp) and op.is_grid_sync


def _is_control(op: Operation) -> bool:
    return isinstance(op, scf.IfOp | scf.IndexSwitchOp | scf.ForOp | scf.WhileOp)


def _parents(op: Operation) -> Iterator[Operation]:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, ProgramOp):
        yield parent
        parent = parent.parent_op()


def _loop_features(op: scf.ForOp | scf.WhileOp) -> Iterator[str]:
    body = op.body.block if isinstance(op, scf.ForOp) else op.after_region.block
    has_barrier = any(map(_is_grid_barrier, op.walk()))
    handed = body.last_op.operands if body.last_op is not None else ()
    for position, value in enumerate(handed):
        if not isinstance(value, BlockArgument) or value.owner is not body:
            continue
        skipped = 1 if isinstance(op, scf.ForOp) else 0
        moved = value.index != position + skipped
        if has_barrier:
            what = "memref" if isinstance(value.type, MemRefType) else "value"
            yield f"carried {what} {'swapped' if moved else 'kept'} around a grid barrier"


def _crossings(program: ProgramOp) -> Iterator[str]:
    """Types of values that are defined before a grid barrier and used after it."""
    passed: dict[Block, list[int]] = {}
    numbers = {op: number for number, op in enumerate(program.body.walk())}
    for op, number in numbers.items():
        if _is_grid_barrier(op):
            for parent in (op, *_parents(op)):
                assert parent.parent is not None
                passed.setdefault(parent.parent, []).append(number)
    for op, number in numbers.items():
        for operand in op.operands:
            start = _definition(operand, numbers)
            block = (
                operand.owner if isinstance(operand.owner, Block) else operand.owner.parent
            )
            assert block is not None
            if any(start < barrier < number for barrier in passed.get(block, ())):
                yield from _crossing(operand, op)


def _definition(value: SSAValue, numbers: dict[Operation, int]) -> int:
    if isinstance(value, OpResult):
        return numbers[value.op]
    assert isinstance(value, BlockArgument)
    parent = value.block.parent_op()
    assert parent is not None
    return numbers.get(parent, -1)


def _crossing(value: SSAValue, user: Operation) -> Iterator[str]:
    if isinstance(value.type, CellType):
        yield "variable used across a grid barrier"
    elif isinstance(value.type, TokenType):
        if isinstance(user, AsyncWaitOp):
            yield "copy waited for after a grid barrier"
    elif not isinstance(value.type, MemRefType):
        yield f"{value.type} used across a grid barrier"
    elif isinstance(value.owner, BufferOp) and value.owner.access.data is Access.WORKGROUP:
        yield "workgroup memory used after a grid barrier"


def split_features(module: ModuleOp) -> set[str]:
    """What a split module has: launches, scratch by scope and values that are read back."""
    found: set[str] = set()
    launches = 0
    for op in module.walk():
        match op:
            case LaunchOp():
                launches += 1
                found.add("launch" + ("" if op.parent_op() is None else _where(op)))
            case ScratchOp():
                found.add(f"scratch {op.scope.data}")
            case ReadBackOp():
                found.add("read_back")
            case _:
                pass
    found.add(f"{min(launches, 8)}{'+' if launches >= 8 else ''} launches")
    return found


def _where(op: Operation) -> str:
    parent = op.parent_op()
    return f" in {parent.name}" if parent is not None and _is_control(parent) else ""
