"""
`vyre-expand-switches`: `scf.index_switch` becomes nested `scf.if`.

Before:

```mlir
%r = scf.index_switch %k -> i32
case 2 {
  scf.yield %a : i32
}
case 5 {
  scf.yield %b : i32
}
default {
  scf.yield %c : i32
}
```

After:

```mlir
%two = arith.constant 2 : index
%case2 = arith.cmpi eq, %k, %two : index
%r = scf.if %case2 -> (i32) {
  scf.yield %a : i32
} else {
  %five = arith.constant 5 : index
  %case5 = arith.cmpi eq, %k, %five : index
  %s = scf.if %case5 -> (i32) {
    scf.yield %b : i32
  } else {
    scf.yield %c : i32
  }
  scf.yield %s : i32
}
```

Why the meaning stays. Case values differ, so at most one comparison holds, and then its
region runs; else the default does. Regions move as they are, each once. Conditions are pure
functions of the value that decides, so they are as uniform as it is. With many cases each
`scf.if` halves what is left, so nesting stays flat.

Passes that follow control flow do this first, so that they know one kind of branch only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Block, Operation, Region
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from vyre.analysis.walking import operations_in, units_in
from vyre.dialects.vyre import ProgramOp, ScheduleOp

_Case: TypeAlias = tuple[int | None, Region]
"""A value and what runs for it; the default, which has none, is last."""


@dataclass(frozen=True)
class ExpandSwitchesPass(ModulePass):
    """Replaces each `scf.index_switch` of programs and schedules."""

    name = "vyre-expand-switches"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expand_switches(op)


def expand_switches(module: ModuleOp) -> None:
    """
    Replace the switches in the programs and schedules of a module.

    Example: `expand_switches(module)`
    """
    for unit in units_in(module, ProgramOp, ScheduleOp):
        for op in list(operations_in(unit.body)):
            if type(op) is scf.IndexSwitchOp:
                _expand(op)


def expanded(module: ModuleOp) -> ModuleOp:
    """
    A copy of a module, without switches.

    Example: `expanded(module)`
    """
    copy = module.clone()
    expand_switches(copy)
    return copy


def _expand(op: scf.IndexSwitchOp) -> None:
    default, *regions = [op.detach_region(region) for region in list(op.regions)]
    cases = [*zip(op.cases.get_values(), regions, strict=True), (None, default)]
    block = _chosen(cases, op).block
    given = block.last_op
    assert given is not None
    Rewriter.inline_block(block, InsertPoint.before(op))
    Rewriter.replace_op(op, [], given.operands)
    Rewriter.erase_op(given)


def _chosen(cases: Sequence[_Case], op: scf.IndexSwitchOp) -> Region:
    """A region that runs the right one of some cases, if one of them is right."""
    if len(cases) == 1:
        return cases[0][1]
    middle = len(cases) // 2
    tests = _tests([value for value, _ in cases[:middle]], op)
    true, false = _chosen(cases[:middle], op), _chosen(cases[middle:], op)
    if not op.results and isinstance(false.block.first_op, scf.YieldOp):
        false = Region()
    branch = scf.IfOp(tests[-1].results[0], op.result_types, true, false)
    for old, new in zip(op.results, branch.results, strict=True):
        new.name_hint = old.name_hint
    added = [*tests, branch, scf.YieldOp(*branch.results)]
    for new in added:
        new.location = op.location
    return Region(Block(added))


def _tests(values: Sequence[int | None], op: scf.IndexSwitchOp) -> list[Operation]:
    """Operations of which the last one gives whether the switch has one of the values."""
    tests: list[Operation] = []
    for value in values:
        assert value is not None
        constant = arith.ConstantOp.from_int_and_width(value, IndexType())
        test = arith.CmpiOp(op.arg, constant, "eq")
        test.result.name_hint = f"case{value}" if value >= 0 else f"case_minus{-value}"
        before = tests[-1:]
        tests += [constant, test]
        if before:
            tests.append(arith.OrIOp(before[0], test))
    return tests
