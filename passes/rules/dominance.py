"""
Every value is defined before it is used, on every path.

Within a block, the definition comes first. Across nested regions, a use sees what is
defined above the operation that contains it. Across the blocks of one region, the
definition's block dominates the use's block; a block that nothing branches to is never
executed and may use anything.

One walk: values become visible as their definitions are passed and are hidden again when
their region is left. Only regions with several blocks need a dominator tree.
"""

from collections.abc import Iterator

from xdsl.ir import Block, Operation, Region, SSAValue

from vyre.dialects.refusal import Note, Refusal
from vyre.dialects.vyre import ProgramOp, ScheduleOp


def verify_dominance(program: ProgramOp | ScheduleOp) -> None:
    """Refuse a use that its definition does not dominate."""
    _Scope().enter(program.body)


class _Scope:
    """The values visible at the point that the walk has reached."""

    def __init__(self) -> None:
        self.visible: set[SSAValue] = set()

    def enter(self, region: Region) -> None:
        first = region.blocks.first
        if first is None:
            return
        if first is region.blocks.last:
            added = self._define_block(first)
            self.visible.difference_update(added)
            return
        children, unreachable = _dominator_tree(region)
        self._enter_tree(first, children)
        for block in unreachable:
            self._check_nested_only(block)

    def _enter_tree(self, root: Block, children: dict[Block, list[Block]]) -> None:
        """Preorder with an explicit stack: a tree may be as deep as it has blocks."""
        pending: list[Block | list[SSAValue]] = [root]
        while pending:
            step = pending.pop()
            if isinstance(step, list):
                self.visible.difference_update(step)
                continue
            pending.append(self._define_block(step))
            pending.extend(reversed(children.get(step, [])))

    def _define_block(self, block: Block) -> list[SSAValue]:
        """Check the block's operations in order; returns what became visible."""
        added: list[SSAValue] = list(block.args)
        self.visible.update(block.args)
        for op in block.ops:
            for operand in op.operands:
                if operand not in self.visible:
                    _refuse(op, operand)
            for region in op.regions:
                self.enter(region)
            self.visible.update(op.results)
            added.extend(op.results)
        return added

    def _check_nested_only(self, block: Block) -> None:
        """
        In a block that is never executed any value of the region is fine; what is nested
        in its operations still obeys the rule among itself.
        """
        region = block.parent
        assert region is not None
        anything = _values_of(region) - self.visible
        self.visible |= anything
        for op in block.ops:
            for nested in op.regions:
                self.enter(nested)
        self.visible -= anything


def _values_of(region: Region) -> set[SSAValue]:
    values: set[SSAValue] = set()
    for block in region.blocks:
        values.update(block.args)
        for op in block.ops:
            values.update(op.results)
    return values


def _dominator_tree(region: Region) -> tuple[dict[Block, list[Block]], list[Block]]:
    """
    Children of each reachable block in the dominator tree, and the unreachable blocks.

    The iterative algorithm of Cooper, Harvey and Kennedy: near-linear on the shapes that
    compilers emit.
    """
    entry = region.blocks.first
    assert entry is not None
    order = _reverse_postorder(entry)
    number = {block: index for index, block in enumerate(order)}
    predecessors: list[list[int]] = [[] for _ in order]
    for block in order:
        for successor in _successors(block):
            predecessors[number[successor]].append(number[block])

    idom = [0] * len(order)
    known = [True] + [False] * (len(order) - 1)
    changed = True
    while changed:
        changed = False
        for node in range(1, len(order)):
            dominator = -1
            for candidate in predecessors[node]:
                if known[candidate]:
                    dominator = (
                        candidate
                        if dominator < 0
                        else _common_dominator(idom, candidate, dominator)
                    )
            if not known[node] or idom[node] != dominator:
                idom[node], known[node], changed = dominator, True, True

    children: dict[Block, list[Block]] = {}
    for node in range(1, len(order)):
        children.setdefault(order[idom[node]], []).append(order[node])
    return children, [block for block in region.blocks if block not in number]


def _common_dominator(idom: list[int], left: int, right: int) -> int:
    while left != right:
        if left > right:
            left = idom[left]
        else:
            right = idom[right]
    return left


def _reverse_postorder(entry: Block) -> list[Block]:
    seen = {entry}
    postorder: list[Block] = []
    stack: list[tuple[Block, Iterator[Block]]] = [(entry, iter(_successors(entry)))]
    while stack:
        block, successors = stack[-1]
        following = next((s for s in successors if s not in seen), None)
        if following is None:
            postorder.append(block)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(_successors(following))))
    return postorder[::-1]


def _successors(block: Block) -> tuple[Block, ...]:
    last = block.last_op
    return () if last is None else tuple(last.successors)


def _refuse(op: Operation, operand: SSAValue) -> None:
    name = f"%{operand.name_hint}" if operand.name_hint else "a value"
    raise Refusal(
        f"uses {name}, which is not defined on every path to here",
        fix="move the definition above the use, or the use below the definition; "
        "a value leaves a region only as a result of the operation around it",
        at=op,
        notes=[Note(operand, "defined here")],
    )
