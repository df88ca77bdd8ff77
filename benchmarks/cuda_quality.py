"""
Vyre's CUDA kernels beside hand-written ones: `python -m benchmarks.cuda_quality`.

Six programs and six kernels in `benchmarks/cuda/` do the same in the same way. Both become
PTX with the same options. Programs do so twice: for launches of a known size, in which all
accesses are proved in bounds, and for any size, in which those are tested that no guard
makes safe. Prints how many instructions each has, by class, how many times as many the
program's kernel has, and what registers and spills the machine code needs. No device
needed.

Ends with an error if a ratio for known sizes is larger than promised.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import vyre
from benchmarks.ptx import CLASSES, instruction_counts
from vyre.analysis.extents import Setting
from vyre.analysis.walking import units_in
from vyre.dialects.vyre import ProgramOp
from vyre.lowering.cuda.passes.cuda_pipeline import CudaPipelinePass
from vyre.lowering.cuda.programs import cuda_kernel
from vyre.passes.setting_pass import options_of
from vyre.testing.nvrtc import architectures, machine_code, ptx

MOST = 1.15
"""A program's kernel has at most so many times the instructions of the hand-written one."""

FOLDER = Path(__file__).parent / "cuda"
N = 1_000_000
SIDE = 2048
KERNELS = {
    "saxpy": Setting((3907, 1, 1), {"x": (N,), "y": (N,)}),
    "jacobi_step": Setting((64, 256, 1), {"old": (SIDE, SIDE), "new": (SIDE, SIDE)}),
    "scan_block": Setting(
        (3907, 1, 1), {"numbers": (N,), "sums": (N,), "group_sums": (3907,)}
    ),
    "histogram": Setting((432, 1, 1), {"values": (N,)}),
    "dot": Setting((432, 1, 1), {"x": (N,), "y": (N,), "parts": (432,)}),
    "matmul_tile": Setting(
        (128, 128, 1), {"a": (SIDE, SIDE), "b": (SIDE, SIDE), "c": (SIDE, SIDE)}
    ),
}
"""How each is launched: the grid, and the sizes of buffers."""

ANY_SIZE = Setting(most_invocations=2**31 - 1)


@dataclass(frozen=True)
class Kernel:
    """One kernel: its instructions as PTX, by class, and what its machine code needs."""

    instructions: dict[str, int]
    registers: int
    spilled_bytes: int

    @property
    def total(self) -> int:
        """All instructions."""
        return sum(self.instructions.values())


@dataclass(frozen=True)
class Comparison:
    """A program's kernel and the hand-written one."""

    name: str
    architecture: int
    has_known_size: bool
    program: Kernel
    hand: Kernel

    @property
    def ratio(self) -> float:
        """How many times as many instructions the program's kernel has."""
        return self.program.total / self.hand.total


def program_source(name: str, *, has_known_size: bool = True) -> str:
    """
    The CUDA C++ that becomes of a program.

    Example: `print(program_source("dot"))`
    """
    module = vyre.parse(FOLDER / f"{name}.mlir")
    setting = KERNELS[name] if has_known_size else ANY_SIZE
    CudaPipelinePass(mode="native", **options_of(setting)).apply(vyre.context(), module)
    program = units_in(module, ProgramOp)[0]
    return cuda_kernel(program, setting=setting).source


def compare(name: str, architecture: int, *, has_known_size: bool = True) -> Comparison:
    """
    Both kernels of a name.

    Example: `compare("saxpy", 80).ratio`
    """
    program = program_source(name, has_known_size=has_known_size)
    hand = (FOLDER / f"{name}.cu").read_text()
    kernels = (_compiled(source, architecture) for source in (program, hand))
    return Comparison(name, architecture, has_known_size, *kernels)


def _compiled(source: str, architecture: int) -> Kernel:
    counts = instruction_counts(ptx(source, architecture))
    made = machine_code(source, architecture)
    instructions = {each: counts[each] for each in CLASSES}
    return Kernel(instructions, made.registers, made.spilled_bytes)


def table(found: list[Comparison]) -> Iterator[str]:
    """A line for each comparison: the program's figure and the hand-written kernel's."""
    heads = ("all", *CLASSES, "registers", "spills")
    start = f"{'kernel':<12} {'sm':>3} {'size':>6} {'ratio':>6}"
    yield start + "".join(f"{head:>11}" for head in heads)
    for each in found:
        pairs = [(each.program.total, each.hand.total)]
        pairs += [
            (each.program.instructions[c], each.hand.instructions[c]) for c in CLASSES
        ]
        pairs.append((each.program.registers, each.hand.registers))
        pairs.append((each.program.spilled_bytes, each.hand.spilled_bytes))
        cells = "".join(f"{f'{mine} / {theirs}':>11}" for mine, theirs in pairs)
        size = "known" if each.has_known_size else "any"
        start = f"{each.name:<12} {each.architecture:>3} {size:>6} {each.ratio:>6.2f}"
        yield start + cells


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--json", action="store_true")
    options = arguments.parse_args()
    targets = [each for each in (80, 90) if each in architectures()]
    found = [
        compare(name, each, has_known_size=is_known)
        for is_known in (True, False)
        for each in targets
        for name in KERNELS
    ]
    if options.json:
        print(json.dumps([asdict(each) | {"ratio": each.ratio} for each in found]))
    else:
        print("\n".join(table(found)))
    promised = [each for each in found if each.has_known_size]
    return 0 if all(each.ratio <= MOST for each in promised) else 1


if __name__ == "__main__":
    sys.exit(main())
