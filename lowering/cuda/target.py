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

from vyre.analysis.foreign import refuse_foreign_in
from vyre.analysis.walking import units_in
from vyre.diagnostics import VyreError
from vyre.dialects.vyre import ProgramOp
from vyre.lowering.cuda.passes.cuda_pipeline import MODES, CudaPipelinePass
from vyre.lowering.cuda.programs import USUAL, cuda_kernel


@dataclass(frozen=True)
class CudaTarget(Target):
    """Prints kernels, each a translation unit of its own."""

    name = "vyre-cuda"

    mode: str = "split"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        refuse_foreign_in(module)
        if self.mode not in MODES:
            raise VyreError(f"there is no mode '{self.mode}'", "write split or native")
        copy = module.clone()
        CudaPipelinePass(mode=self.mode).apply(ctx, copy)
        programs = units_in(copy, ProgramOp)
        output.write("\n".join(cuda_kernel(op, setting=USUAL).source for op in programs))
