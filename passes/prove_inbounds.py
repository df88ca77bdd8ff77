"""
`vyre-prove-inbounds`: mark accesses that never leave their buffers.

Before:

```mlir
%n = vyre.length %a, 0 : memref<?xf32>
%i = vyre.invocation_id x
%inside = arith.cmpi ult, %i, %n : index
scf.if %inside {
  %v = vyre.load %a[%i] : memref<?xf32>
  vyre.store %v, %b[%i] : memref<?xf32>
}
```

After:

```mlir
%n = vyre.length %a, 0 : memref<?xf32>
%i = vyre.invocation_id x
%inside = arith.cmpi ult, %i, %n : index
scf.if %inside {
  %v = vyre.load %a[%i] inbounds : memref<?xf32>
  vyre.store %v, %b[%i] : memref<?xf32>
}
```

Why the meaning stays. `inbounds` promises that an access is inside its buffer whenever a
live invocation executes it, and then engines need not test it; `vyre.analysis.bounds`
says which promises can be kept. Those that are there before are taken away first, whoever
made them. An access that is not proved is tested, which is always right. A pass that moves
an access out of the control flow around it has to take `inbounds` away; best run this one
last.

The proof of a program that is launched by schedules of the module relies on what they
pass: it holds for these launches. With `sizes` and `grid`, proofs hold for dispatches with
buffers and grids of these sizes only:

```
vyre-prove-inbounds{sizes="a=1024,b=16x16" grid=4}
```
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Operation

from vyre.analysis.bounds import inbounds_accesses, launches_of
from vyre.analysis.extents import Setting
from vyre.analysis.geometry import Grid
from vyre.analysis.ranges import Range
from vyre.analysis.walking import operations_in, units_in
from vyre.dialects.vyre import AtomicCasOp, AtomicOp, LoadOp, StoreOp, WorkgroupsOp
from vyre.dialects.vyre.host import programs_in
from vyre.passes.expand_switches import expand_switches
from vyre.passes.setting_pass import SettingPass

_ACCESSES = frozenset[type[Operation]]((LoadOp, StoreOp, AtomicOp, AtomicCasOp))


@dataclass(frozen=True)
class ProveInboundsPass(SettingPass):
    """Sets `inbounds` on the accesses for which it is proved, and on no others."""

    name = "vyre-prove-inbounds"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        mark_inbounds(op, self.setting(op))


def mark_inbounds(module: ModuleOp, setting: Setting) -> None:
    """
    Mark the accesses of all programs that are proved for these dispatches, and no others.

    Example: `mark_inbounds(module, Setting(grid=(4, 1, 1)))`
    """
    expand_switches(module)
    for access in operations_in(module.body):
        if type(access) in _ACCESSES:
            access.properties.pop("inbounds", None)
    _mark(module, setting)


def _mark(module: ModuleOp | WorkgroupsOp, setting: Setting) -> None:
    launches = launches_of(module, setting)
    for access in inbounds_accesses(module, setting, launches):
        access.inbounds = UnitAttr()
    for workgroups in units_in(module, WorkgroupsOp):
        assert workgroups.parent is not None
        program = programs_in(workgroups.parent)[workgroups.program.string_value()]
        sizes, params = launches.setting(program)
        ids = _ids(workgroups, setting.grid)
        _mark(workgroups, Setting((1, 1, 1), sizes, params | ids))


def _ids(workgroups: WorkgroupsOp, grid: Grid | None) -> dict[str, Range]:
    """What the ids of a workgroup and the numbers of workgroups can be."""
    if grid is None:
        return {}
    ranges = [Range(0, count - 1) for count in grid]
    ranges += [Range(count, count) for count in grid]
    names = (entry.entry_name.data for entry in workgroups.ids)
    return dict(zip(names, ranges, strict=True))
