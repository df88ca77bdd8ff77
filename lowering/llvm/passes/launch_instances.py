"""
`vyre-launch-instances`: programs with regions that are to be executed several times are
launched that often.

Before:

```mlir
vyre.schedule @m {
  %x = vyre.buffer "x" ...
  %n = vyre.param "a.n" : i32
  vyre.launch @m.0(%x, %n)
}
vyre.program @m.0 [64, 1, 1] {
  ...
  vyre.region "a" from "fill" attributes {
    vyre.instances = {"a.n" = [7 : i32, 9 : i32]}
  } { ... }
}
```

After:

```mlir
vyre.schedule @m {
  %x = vyre.buffer "x" ...
  %n = arith.constant 7 : i32
  %n_1 = arith.constant 9 : i32
  vyre.launch @m.0(%x, %n)
  vyre.launch @m.0(%x, %n_1) concurrent
}
```

That is what instances mean: see `vyre.lowering.llvm.condensing`. Regions with instances are
outlined before, so that each is all that its program executes.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, UnitAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from vyre.analysis.walking import launches_in, units_in
from vyre.dialects import vyre
from vyre.dialects.refusal import Refusal
from vyre.lowering.llvm.passes.outline_regions import executed
from vyre.passes.fuse_waves import Literal
from vyre.passes.rules.reserved import INSTANCES
from vyre.passes.tables import drop_unused


def instance_params(unit: vyre.ProgramOp | vyre.ScheduleOp) -> set[str]:
    """
    The parameters that regions have instances for; callers do not pass them.

    Example: `instance_params(program)` is `{"a.n"}`.
    """
    return {name for op in unit.body.block.ops for name in _columns(op)}


@dataclass(frozen=True)
class LaunchInstancesPass(ModulePass):
    """Launches programs once for each instance of their region."""

    name = "vyre-launch-instances"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        launches = launches_in(op)
        params = {name for program in launches for name in instance_params(program)}
        if not params:
            return
        for program, found in launches.items():
            drop_unused(program, found)
            for region in program.body.block.ops:
                columns = _columns(region)
                if columns:
                    _require_alone(region, program)
                    del region.attributes[INSTANCES]
                    for launch in found:
                        _launch_each(launch, columns)
        for schedule in units_in(op, vyre.ScheduleOp):
            _drop_params(schedule, params)


def _require_alone(region: Operation, program: vyre.ProgramOp) -> None:
    """A launch for each instance would also repeat what stands beside the region."""
    if executed(program) != [region]:
        raise Refusal(
            "a region with instances stands beside other operations",
            fix=f"outline regions first, or remove the attribute '{INSTANCES}'",
            at=region,
        )


def _drop_params(schedule: vyre.ScheduleOp, params: Collection[str]) -> None:
    """Remove parameters that nothing uses any more."""
    for entry in list(schedule.table):
        if entry.entry_name.data in params:
            Rewriter.erase_op(entry)


def _columns(op: Operation) -> dict[str, Sequence[Attribute]]:
    """The values of each parameter."""
    columns = op.attributes.get(INSTANCES)
    if not isinstance(columns, DictionaryAttr):
        return {}
    return {
        name: cast(ArrayAttr[Attribute], values).data
        for name, values in columns.data.items()
    }


def _launch_each(launch: vyre.LaunchOp, columns: Mapping[str, Sequence[Attribute]]) -> None:
    """Launch a program for each instance; all run together with the first."""
    arguments = list(launch.arguments)
    passed = {
        place: columns[name]
        for place, argument in enumerate(arguments)
        for name in _param_names(argument)
        if name in columns
    }
    values = dict.fromkeys(value for column in passed.values() for value in column)
    literals = {value: _constant(cast(Literal, value)) for value in values}
    Rewriter.insert_op(list(literals.values()), InsertPoint.before(launch.head))
    count = len(next(iter(columns.values())))
    given = [
        [literals[value].results[0] for value in passed[place]]
        if place in passed
        else [argument] * count
        for place, argument in enumerate(arguments)
    ]
    first, *others = ([column[number] for column in given] for number in range(count))
    launch.operands = first
    properties = {"segment": launch.segment, "concurrent": UnitAttr()}
    joining = [
        vyre.LaunchOp.create(operands=each, properties=properties, location=launch.location)
        for each in others
    ]
    Rewriter.insert_op(joining, InsertPoint.after(launch))


def _constant(literal: Literal) -> arith.ConstantOp:
    """An operation for a literal; there are so many that xDSL's checks would take long."""
    return arith.ConstantOp.create(
        result_types=[literal.type], properties={"value": literal}
    )


def _param_names(argument: SSAValue) -> list[str]:
    """What an argument is called, if it is a parameter of the schedule."""
    entry = argument.owner
    return [entry.entry_name.data] if isinstance(entry, vyre.ParamOp) else []
