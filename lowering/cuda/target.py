"""
`-t vyre-cuda`: programs as the CUDA C++ that the CUDA engine compiles.

```c++
extern "C" __global__ void __launch_bounds__(256)
scale_kernel(
    float *__restrict__ x,
    const unsigned long long x_size,
    const float a) {
```

Programs with grid barriers are split first, and each segment is a kernel of its own. With
`-t vyre-cuda{mode=native}` they are not: then workgroups wait for each other. Kernels are
for buffers of any size, and for grids of up to 2^31 - 1 invocations; for larger ones, ids
have 64 bits.
"""

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from vyre.analysis.extents import Setting
from vyre.analysis.foreign import refuse_foreign_in
from vyre.analysis.spine import needs_cut
from vyre.diagnostics import VyreError
from vyre.dialects.vyre import ProgramOp
from vyre.lowering.cuda.programs import cuda_kernel
from vyre.passes.host_plan import HostPlanPass
from vyre.passes.prove_inbounds import mark_inbounds

_USUAL = Setting(most_invocations=2**31 - 1)


@dataclass(frozen=True)
class CudaTarget(Target):
    """Prints kernels, each a translation unit of its own."""

    name = "vyre-cuda"

    mode: str = "split"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        refuse_foreign_in(module)
        if self.mode not in ("split", "native"):
            raise VyreError(f"there is no mode '{self.mode}'", "write split or native")
        sources: list[str] = []
        for part in self._parts(ctx, module):
            mark_inbounds(part, _USUAL)
            programs = [op for op in part.walk() if isinstance(op, ProgramOp)]
            sources += [cuda_kernel(each, setting=_USUAL).source for each in programs]
        output.write("\n".join(sources))

    def _parts(self, ctx: Context, module: ModuleOp) -> list[ModuleOp]:
        """Each program with what it becomes; those of schedules stay together."""
        copy = module.clone()
        if self.mode == "native":
            return [copy]
        cut = [op for op in copy.walk() if isinstance(op, ProgramOp) and needs_cut(op)]
        parts: list[ModuleOp] = []
        for program in cut:
            program.detach()
            parts.append(ModuleOp([program]))
            HostPlanPass().apply(ctx, parts[-1])
        return [*parts, copy]
