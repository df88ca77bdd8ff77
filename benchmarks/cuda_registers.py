"""
What the kernels of all examples need: `python -m benchmarks.cuda_registers`.

Prints, for each kernel of each program in `examples/`, whole and split, how many registers
a thread has and how many bytes it spills to memory, by the assembler in NVRTC. Kernels that
wait for the whole grid may spill a little where they call the barrier. No device needed.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import vyre
from vyre.analysis.walking import units_in
from vyre.dialects.vyre import ProgramOp
from vyre.lowering.cuda.kernel import CudaKernel
from vyre.lowering.cuda.passes.cuda_pipeline import MODES, CudaPipelinePass
from vyre.lowering.cuda.programs import USUAL, cuda_kernel
from vyre.testing.nvrtc import architectures, machine_code

FOLDER = Path(__file__).parents[1] / "examples"
ARCHITECTURES = (70, 80, 90)


@dataclass(frozen=True)
class Figures:
    """What one kernel needs; pairs are registers and spilled bytes, by architecture."""

    example: str
    kernel: str
    is_cooperative: bool
    needs: dict[int, tuple[int, int]]


def kernels(path: Path) -> list[CudaKernel]:
    """
    All kernels of a file: whole programs, then the segments of those that can be split.

    Example: `[kernel.name for kernel in kernels(Path("examples/jacobi.mlir"))]`
    """
    found: dict[tuple[str, str], CudaKernel] = {}
    for mode in MODES:
        module = vyre.parse(path)
        CudaPipelinePass(mode=mode).apply(vyre.context(), module)
        for program in units_in(module, ProgramOp):
            kernel = cuda_kernel(program, setting=USUAL)
            found[kernel.name, kernel.source] = kernel
    return list(found.values())


def figures(path: Path) -> Iterator[Figures]:
    """What the kernels of a file need."""
    targets = [each for each in ARCHITECTURES if each in architectures()]
    for kernel in kernels(path):
        made = {each: machine_code(kernel.source, each) for each in targets}
        needs = {each: (m.registers, m.spilled_bytes) for each, m in made.items()}
        yield Figures(path.stem, kernel.name, kernel.is_cooperative, needs)


def table(found: list[Figures]) -> Iterator[str]:
    """A line for each kernel."""
    targets = list(found[0].needs)
    heads = "".join(f"{f'sm_{each}':>8}{'spills':>8}" for each in targets)
    yield f"{'example':<22}{'kernel':<31}{'waits for':<9}{heads}"
    for each in found:
        cells = "".join(f"{r:>8}{s:>8}" for r, s in each.needs.values())
        waits = "grid" if each.is_cooperative else ""
        yield f"{each.example:<22}{each.kernel:<31}{waits:<9}{cells}"


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--json", action="store_true")
    options = arguments.parse_args()
    found = [each for path in sorted(FOLDER.glob("*.mlir")) for each in figures(path)]
    if options.json:
        print(json.dumps([asdict(each) for each in found]))
    else:
        print("\n".join(table(found)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
