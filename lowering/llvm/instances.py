"""
Programs that are to be run several times with other literals are launched that often.

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

After, where the second launch does not wait for the first:

```mlir
vyre.schedule @m {
  %x = vyre.buffer "x" ...
  %n = arith.constant 7 : i32
  %n_1 = arith.constant 9 : i32
  vyre.launch @m.0(%x, %n)
  vyre.launch @m.0(%x, %n_1)
}
```

That is what instances mean: see `vyre.lowering.llvm.condensing`. Regions with instances are
outlined before, so that each is all that its program executes.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from vyre.dialects import vyre
from vyre.dialects.refusal import Refusal
from vyre.lowering.llvm.launching import Launching
from vyre.lowering.llvm.outlining import executed
from vyre.passes.fuse_waves import Literal
from vyre.passes.rules.reserved import INSTANCES


def instance_params(unit: vyre.ProgramOp | vyre.ScheduleOp) -> set[str]:
    """
    The parameters that regions have instances for; callers do not pass them.

    Example: `instance_params(program)` is `{"a.n"}`.
    """
    return {name for op in unit.body.block.ops for name in _columns(op)}


def launch_instances(
    programs: Sequence[vyre.ProgramOp], launching: Launching, params: Collection[str]
) -> None:
    """
    Launch programs for each of their instances, with literals for the parameters.

    Example: `launch_instances(programs, launching, instance_params(program))`
    """
    if not params:
        return
    for program in programs:
        _drop_unused(program, launching)
        for op in program.body.block.ops:
            columns = _columns(op)
            if columns:
                _require_alone(op, program)
                for launch in list(launching.by_program[program.sym_name.data]):
                    _launch_each(launch, columns, launching)


def _require_alone(region: Operation, program: vyre.ProgramOp) -> None:
    """A launch for each instance would also repeat what stands beside the region."""
    if executed(program) != [region]:
        raise Refusal(
            "a region with instances stands beside other operations",
            fix=f"outline regions first, or remove the attribute '{INSTANCES}'",
            at=region,
        )


def drop_params(schedule: vyre.ScheduleOp, params: Collection[str]) -> None:
    """
    Remove parameters that nothing uses any more.

    Example: `drop_params(schedule, instance_params(program))`
    """
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


def _drop_unused(program: vyre.ProgramOp, launching: Launching) -> None:
    """Let launches pass what a program uses: it may have had regions that are gone."""
    table = list(program.launch_table)
    used = [entry.results[0].first_use is not None for entry in table]
    for launch in launching.by_program[program.sym_name.data]:
        launch.operands = [a for a, is_used in zip(launch.arguments, used) if is_used]
    for entry, is_used in zip(table, used):
        if not is_used:
            Rewriter.erase_op(entry)


def _launch_each(
    launch: vyre.LaunchOp,
    columns: Mapping[str, Sequence[Attribute]],
    launching: Launching,
) -> None:
    """Launch a program for each instance; all run together with the first."""
    head = launching.head(launch)
    arguments = list(launch.arguments)
    passed = {
        place: columns[name]
        for place, argument in enumerate(arguments)
        for name in _param_names(argument)
        if name in columns
    }
    values = dict.fromkeys(value for column in passed.values() for value in column)
    literals = {value: _constant(cast(Literal, value)) for value in values}
    Rewriter.insert_op(list(literals.values()), InsertPoint.before(head))
    count = len(next(iter(columns.values())))
    given = [
        [literals[value].results[0] for value in passed[place]]
        if place in passed
        else [argument] * count
        for place, argument in enumerate(arguments)
    ]
    first, *others = ([column[number] for column in given] for number in range(count))
    launch.operands = first
    joining = [
        vyre.LaunchOp.create(
            operands=each, properties=launch.properties, location=launch.location
        )
        for each in others
    ]
    Rewriter.insert_op(joining, InsertPoint.after(launch))
    launching.by_program[launch.segment.string_value()] += joining
    launching.heads.update(dict.fromkeys(joining, head))


def _constant(literal: Literal) -> arith.ConstantOp:
    """An operation for a literal; there are so many that xDSL's checks would take long."""
    return arith.ConstantOp.create(
        result_types=[literal.type], properties={"value": literal}
    )


def _param_names(argument: SSAValue) -> list[str]:
    """What an argument is called, if it is a parameter of the schedule."""
    entry = argument.owner
    return [entry.entry_name.data] if isinstance(entry, vyre.ParamOp) else []
