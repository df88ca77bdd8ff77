"""
`vyre-forward-grid-values`: values that are kept once for the grid become values of the
schedule.

Before:

```mlir
vyre.schedule @p {
  %kept = vyre.scratch single : memref<1xf64>
  %go_kept = vyre.scratch single : memref<1xi1>
  ...
  vyre.launch @p.1(%kept, %go_kept, %sum, %limit)
  %go = vyre.read_back %go_kept[0] : memref<1xi1>
  ...
  vyre.launch @p.2(%kept, %x)
}
vyre.program @p.1 [64, 1, 1] {
  ...
  vyre.store %sum, %kept[%zero] : memref<1xf64>
  %go = arith.cmpf ogt, %sum, %limit : f64
  vyre.store %go, %go_kept[%zero] : memref<1xi1>
}
vyre.program @p.2 [64, 1, 1] {
  ...
  %sum = vyre.load %kept[%zero] : memref<1xf64>
```

After:

```mlir
vyre.schedule @p {
  ...
  %go = arith.cmpf ogt, %sum, %limit : f64
  vyre.launch @p.1()                                     // does nothing any more
  ...
  vyre.launch @p.2(%x, %sum)
}
```

Why the meaning stays. Scratch is known to nobody but the launches of its schedule. Where
all they do with an element is to load it, or to store it in every invocation, what it holds
is decided by the schedule's own path: zero at first, and after a launch that stores, what
that launch stores. This is computed from literals, parameters, sizes and other such
elements by `arith`, which is exact, so each worker finds the same bytes, those that an
invocation would have stored. No program may both load and store the same element, so all of
its loads give what was there before the launch. Control flow passes the values on, as it
does with variables (see `vyre-promote-lets`).

That saves more than loads and stores: nobody has to wait until the others can see the
element, and no cache line travels.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from math import prod

from typing_extensions import TypeIs
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from vyre.analysis.integer_ops import literal_of
from vyre.analysis.purity import PURE_OPS
from vyre.analysis.walking import launches_in, operations_in, units_in
from vyre.dialects import vyre
from vyre.dialects.vyre.attributes import ScratchScope
from vyre.lowering.llvm.passes.slices import harmless_slice, unconditional
from vyre.passes.dead_code import remove_dead_code
from vyre.passes.placing import constant
from vyre.passes.promote_lets import promote
from vyre.passes.tables import free_name


@dataclass(frozen=True)
class ForwardGridValuesPass(ModulePass):
    """Lets schedules keep the values that their launches keep once for the grid."""

    name = "vyre-forward-grid-values"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        launched: dict[Operation, _Launched] = {
            found[0]: _Launched(found[0], program)
            for program, found in launches_in(op).items()
            if len(found) == 1
        }
        for schedule in units_in(op, vyre.ScheduleOp):
            _forward(schedule, launched)


@dataclass
class _Launched:
    """A launch, its program, and what that does with elements of scratch."""

    launch: vyre.LaunchOp
    program: vyre.ProgramOp
    loads: dict[vyre.LoadOp, vyre.ScratchOp] = field(
        default_factory=dict[vyre.LoadOp, vyre.ScratchOp]
    )
    stores: dict[vyre.StoreOp, vyre.ScratchOp] = field(
        default_factory=dict[vyre.StoreOp, vyre.ScratchOp]
    )


def _forward(schedule: vyre.ScheduleOp, launched: Mapping[Operation, _Launched]) -> None:
    """Replace elements of scratch by values, given what is launched in one place only."""
    scratch = [op for op in schedule.body.block.ops if _is_element(op)]
    if not scratch:
        return
    kept = {op for op in scratch if _is_loaded_and_stored_only(op, launched)}
    uses = list(launched.values())
    while unknown := {cell for each in uses for cell in _unknown(each, kept)}:
        kept -= unknown
    if not kept:
        return
    cells = {op: _variable(op) for op in scratch if op in kept}
    for each in uses:
        _rewrite(each, cells)
    _replace_read_backs(schedule, cells)
    for op in cells:
        Rewriter.erase_op(op)
    promote(schedule, cells.values())


def _is_element(op: Operation) -> TypeIs[vyre.ScratchOp]:
    return (
        isinstance(op, vyre.ScratchOp)
        and op.scope.data is ScratchScope.SINGLE
        and prod(op.memref.type.get_shape()) == 1
    )


def _is_loaded_and_stored_only(
    scratch: vyre.ScratchOp, launched: Mapping[Operation, _Launched]
) -> bool:
    """
    Whether launches do nothing but to load or store the element, and not both; notes what
    they do.
    """
    for use in scratch.memref.uses:
        if isinstance(use.operation, vyre.ReadBackOp):
            continue
        each = launched.get(use.operation)
        if each is None:
            return False
        entry = list(each.program.launch_table)[use.index]
        for inner in entry.results[0].uses:
            match inner.operation:
                case vyre.LoadOp() as load if _is_at_zero(load):
                    each.loads[load] = scratch
                case vyre.StoreOp() as store if _is_at_zero(store):
                    each.stores[store] = scratch
                case _:
                    return False
    return all(_is_loaded_or_stored_once(each, scratch) for each in launched.values())


def _is_loaded_or_stored_once(each: _Launched, scratch: vyre.ScratchOp) -> bool:
    stores = list(each.stores.values()).count(scratch)
    return stores == 0 or (stores == 1 and scratch not in each.loads.values())


def _is_at_zero(op: vyre.LoadOp | vyre.StoreOp) -> bool:
    return all(literal_of(index) == 0 for index in op.indices)


def _unknown(each: _Launched, kept: Collection[Operation]) -> list[Operation]:
    """Elements that the program stores in a way that the schedule could not."""
    stores = [(store, cell) for store, cell in each.stores.items() if cell in kept]
    if not stores:
        return []
    always = set(unconditional(each.program.body.block.ops))
    ends = (vyre.ReturnOp, vyre.TrapOp)
    may_end = any(isinstance(op, ends) for op in operations_in(each.program.body))

    def is_known(op: Operation) -> bool:
        if isinstance(op, vyre.LoadOp):
            return each.loads.get(op) in kept
        is_size = isinstance(
            op, vyre.LengthOp | vyre.WorkgroupCountOp | vyre.WorkgroupSizeOp
        )
        return is_size or (type(op) in PURE_OPS and op.dialect_name() == "arith")

    def is_computed(store: vyre.StoreOp) -> bool:
        needed = harmless_slice(store)
        return store in always and needed is not None and all(map(is_known, needed))

    return [cell for store, cell in stores if may_end or not is_computed(store)]


def _variable(scratch: vyre.ScratchOp) -> vyre.LetOp:
    """A variable of the schedule that starts as the scratch does."""
    zero = constant(0, scratch.memref.type.element_type)
    variable = vyre.LetOp(scratch.memref.name_hint or "kept", zero)
    Rewriter.insert_op([zero, variable], InsertPoint.before(scratch))
    return variable


def _rewrite(each: _Launched, cells: Mapping[vyre.ScratchOp, vyre.LetOp]) -> None:
    """Pass a launch what its program loads, and compute what it stores."""
    launch, program = each.launch, each.program
    known: dict[SSAValue, SSAValue] = {
        entry.results[0]: argument
        for entry, argument in zip(program.launch_table, launch.arguments, strict=True)
    }
    for load, cell in each.loads.items():
        if cell in cells:
            held = vyre.GetOp(cells[cell].cell)
            Rewriter.insert_op(held, InsertPoint.before(launch.head))
            known[load.value] = held.value
    for store, cell in each.stores.items():
        if cell in cells:
            value = _computed(store, known, launch)
            assign = vyre.AssignOp(value, cells[cell].cell)
            Rewriter.insert_op(assign, InsertPoint.after(launch.head.together[-1]))
            Rewriter.erase_op(store)
    for load, cell in each.loads.items():
        if cell in cells:
            _pass(known[load.value], load, each)
    _drop_elements(launch, program, cells)
    remove_dead_code(program.body.block, keeps_whiles=True)


def _computed(
    store: vyre.StoreOp, known: dict[SSAValue, SSAValue], launch: vyre.LaunchOp
) -> SSAValue:
    """What a store stores, computed ahead of the launch."""
    for op in harmless_slice(store) or ():
        if not isinstance(op, vyre.LoadOp):
            Rewriter.insert_op(op.clone(known), InsertPoint.before(launch.head))
    return known[store.value]


def _pass(value: SSAValue, load: vyre.LoadOp, each: _Launched) -> None:
    """Give a program the value that it loads as a parameter."""
    name = free_name(each.program, load.value.name_hint or "kept")
    param = vyre.ParamOp(name, value.type)
    last = list(each.program.table)[-1]
    Rewriter.insert_op(param, InsertPoint.after(last))
    load.value.replace_all_uses_with(param.value)
    Rewriter.erase_op(load)
    each.launch.operands = [*each.launch.operands, value]


def _drop_elements(
    launch: vyre.LaunchOp,
    program: vyre.ProgramOp,
    cells: Mapping[vyre.ScratchOp, vyre.LetOp],
) -> None:
    """A launch passes no elements that the schedule keeps."""
    pairs = list(zip(program.launch_table, launch.arguments, strict=True))
    gone = [entry for entry, argument in pairs if argument.owner in cells]
    launch.operands = [argument for entry, argument in pairs if entry not in gone]
    for entry in gone:
        Rewriter.erase_op(entry)


def _replace_read_backs(
    schedule: vyre.ScheduleOp, cells: Mapping[vyre.ScratchOp, vyre.LetOp]
) -> None:
    for op in list(schedule.walk()):
        if isinstance(op, vyre.ReadBackOp):
            owner = op.source.owner
            if isinstance(owner, vyre.ScratchOp) and owner in cells:
                Rewriter.replace_op(op, vyre.GetOp(cells[owner].cell))
