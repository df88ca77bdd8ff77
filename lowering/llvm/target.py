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
from vyre.analysis.walking import launches_in, units_in
from vyre.dialects.vyre import ProgramOp, ScheduleOp
from vyre.lowering.llvm.sources import Translation


@dataclass(frozen=True)
class LlvmTarget(Target):
    """Prints LLVM IR, as it is before LLVM optimises it."""

    name = "vyre-llvm"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        refuse_foreign_in(module)
        for unit in runnable_in(module):
            print(Translation(unit).source(Setting()).text, file=output)


def runnable_in(module: ModuleOp) -> list[ProgramOp | ScheduleOp]:
    """What can be run of a module: schedules, and programs that none of them launches."""
    launched = launches_in(module)
    return [op for op in units_in(module, ProgramOp, ScheduleOp) if op not in launched]
