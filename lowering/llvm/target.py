"""
`-t vyre-llvm`: programs as the LLVM IR that the CPU engine compiles.

```text
; ModuleID = "scale"
...
define void @"vyre.entry"(ptr %"job", i64 %"worker", i64 %"workers")
```

Each schedule, and each program that none of these launches, is a module of its own, for
grids and buffers of any size: where sizes are known, fewer accesses are tested.
"""

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from vyre.analysis.extents import Setting
from vyre.analysis.foreign import refuse_foreign_in
from vyre.dialects.vyre import ProgramOp, ScheduleOp
from vyre.lowering.llvm.entries import launched_by
from vyre.lowering.llvm.plans import Plan, Unit


@dataclass(frozen=True)
class LlvmTarget(Target):
    """Prints LLVM IR, as it is before LLVM optimises it."""

    name = "vyre-llvm"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        refuse_foreign_in(module)
        for unit in units_in(module):
            print(Plan(unit).source(Setting()).text, file=output)


def units_in(module: ModuleOp) -> list[Unit]:
    """
    What can be run of a module: its schedules, and programs that none of these launches.

    Example: `[unit.sym_name.data for unit in units_in(vyre.parse("scan.mlir"))]`
    """
    found = [op for op in module.walk() if isinstance(op, ProgramOp | ScheduleOp)]
    launched: set[Unit] = set()
    for unit in found:
        if isinstance(unit, ScheduleOp):
            launched.update(launched_by(unit))
    return [unit for unit in found if unit not in launched]
