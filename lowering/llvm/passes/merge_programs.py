"""
`vyre-merge-programs`: programs that are the same but for names and literals become one.

Before:

```mlir
vyre.schedule @p {
  ...
  vyre.launch @p.0(%x, %y)
  vyre.launch @p.1(%y, %z)
}
vyre.program @p.0 [64, 1, 1] {
  ...
  %a = arith.constant 0.5 : f32
  %m = arith.mulf %a, %v : f32
  ...
vyre.program @p.1 [64, 1, 1] {
  ...
  %a = arith.constant 0.75 : f32
  %m = arith.mulf %a, %v : f32
  ...
```

After:

```mlir
vyre.schedule @p {
  ...
  %a = arith.constant 0.5 : f32
  vyre.launch @p.0(%a, %x, %y)
  %a_1 = arith.constant 0.75 : f32
  vyre.launch @p.0(%a_1, %y, %z) as "p.1"
}
vyre.program @p.0 [64, 1, 1] {
  %a = vyre.param "a" : f32
  ...
  %m = arith.mulf %a, %v : f32
  ...
```

Why the meaning stays: the programs have the same operations on the same things, see
`vyre.lowering.llvm.forms`. A launch passes to the one that is left what the other would
have used in the same places: buffers that are declared with the same type, access and
storage, parameters of the same type, and literals. Names mean something to callers only,
and those see the schedule. Traps are the same if they also stand in the same place.

A program that was fused of hundreds of phases, of few kinds, so costs the compiler little
more than these few.
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from vyre.analysis.walking import launches_in
from vyre.dialects import vyre
from vyre.lowering.llvm.forms import Entry, Form, form_of
from vyre.passes.tables import free_name


@dataclass(frozen=True)
class _Member:
    """One of several programs that are the same."""

    program: vyre.ProgramOp
    launches: Sequence[vyre.LaunchOp]
    form: Form


@dataclass(frozen=True)
class MergeProgramsPass(ModulePass):
    """Lets launches of programs that are the same run the first of them."""

    name = "vyre-merge-programs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        same: defaultdict[Hashable, list[_Member]] = defaultdict(list)
        for program, launches in launches_in(op).items():
            form = form_of(program.body.block.ops)
            attributes = tuple(sorted(program.attributes.items()))
            key = program.workgroup, attributes, form.key
            same[key].append(_Member(program, launches, form))
        for members in same.values():
            if len(members) > 1:
                _merge(members)


def _merge(members: Sequence[_Member]) -> None:
    kept, *others = members
    places = [
        place
        for place, literal in enumerate(kept.form.literals)
        if any(literal.value != each.form.literals[place].value for each in others)
    ]
    table = _used_table(kept)
    for member in members:
        _redirect(member, kept, table, places)
    for entry in list(kept.program.table):
        if entry.results[0].first_use is None:
            Rewriter.erase_op(entry)
    for place in reversed(places):
        _make_parameter(kept.form.literals[place], kept.program)
    for member in others:
        Rewriter.erase_op(member.program)


def _used_table(member: _Member) -> list[int]:
    """The launch table without what is not used, by places in the form."""
    places = {entry: place for place, entry in enumerate(member.form.entries)}
    return [places[entry] for entry in member.program.launch_table if entry in places]


def _redirect(
    member: _Member, kept: _Member, table: Sequence[int], literals: Sequence[int]
) -> None:
    """Let the launches of a program run the one that is kept."""
    declared = list(member.program.launch_table)
    for launch in member.launches:
        given: dict[Entry, SSAValue] = dict(zip(declared, launch.arguments, strict=True))
        passed = [given[member.form.entries[place]] for place in table]
        copies = [member.form.literals[place].clone() for place in literals]
        Rewriter.insert_op(copies, InsertPoint.before(launch.head))
        launch.operands = [*(copy.result for copy in copies), *passed]
        if member is not kept:
            if launch.concurrent is None:
                launch.reported_as = StringAttr(launch.label)
            launch.segment = SymbolRefAttr(kept.program.sym_name.data)


def _make_parameter(literal: arith.ConstantOp, program: vyre.ProgramOp) -> None:
    """Let a literal be the first thing that launches pass."""
    name = free_name(program, literal.result.name_hint or "literal")
    param = vyre.ParamOp(name, literal.result.type)
    param.location = literal.location
    Rewriter.insert_op(param, InsertPoint.at_start(program.body.block))
    literal.result.replace_all_uses_with(param.value)
    Rewriter.erase_op(literal)
