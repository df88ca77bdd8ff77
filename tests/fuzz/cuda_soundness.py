"""
Do CUDA kernels compute what the reference engine does? `make fuzz-cuda N=1000 SEED=0`

For random programs with grid barriers, both as one cooperative kernel and split, the text
of all kernels must be accepted by NVRTC without a warning, and give the reference's bytes
when it runs on the host, with blocks and threads in a random order.
"""

import argparse
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from zlib import crc32

from grid_programs import GridProgram, generate
from split_runs import results

import vyre
from vyre.analysis.walking import units_in
from vyre.diagnostics import VyreError
from vyre.dialects.vyre import ProgramOp
from vyre.lowering.cuda.passes.cuda_pipeline import MODES, CudaMode, CudaPipelinePass
from vyre.lowering.cuda.programs import USUAL, cuda_kernel
from vyre.runtime.cuda.backend import CudaBackend
from vyre.runtime.executable import Executable
from vyre.testing.host_cuda import HostCudaDevice
from vyre.testing.host_cuda_runner import Turns
from vyre.testing.nvrtc import architectures, machine_code

ARCHITECTURES = (70, 80, 90)


@dataclass
class Outcome:
    """How many kernels were compiled and runs compared, and what was wrong."""

    kernels: int = 0
    runs: int = 0
    failures: list[str] = field(default_factory=list[str])

    def __add__(self, other: "Outcome") -> "Outcome":
        return Outcome(
            self.kernels + other.kernels,
            self.runs + other.runs,
            self.failures + other.failures,
        )


def on_harness(program: GridProgram, mode: CudaMode, turns: Turns) -> Executable:
    """A program on the harness, all of whose grids fit at once."""
    seed = crc32(program.text.encode())
    device = HostCudaDevice(
        block_order=turns, thread_order=turns, seed=seed, blocks_at_once=1 << 20
    )
    return vyre.compile(program.text, engine=CudaBackend(device), mode=mode)


def compiled(program: GridProgram, mode: CudaMode, chosen: tuple[int, ...]) -> int:
    """Compile all kernels for architectures; gives how often that was done."""
    module = vyre.parse(program.text)
    CudaPipelinePass(mode=mode).apply(vyre.context(), module)
    found = [number for number in chosen if number in architectures()]
    programs = units_in(module, ProgramOp)
    texts = [cuda_kernel(op, setting=USUAL).source for op in programs]
    with ThreadPoolExecutor() as pool:  # NVRTC does not hold Python up.
        for architecture in found:
            list(pool.map(machine_code, texts, [architecture] * len(texts)))
    return len(texts) * len(found)


def examine(
    program: GridProgram, chosen: tuple[int, ...] = ARCHITECTURES, *, runs: bool = True
) -> Outcome:
    """
    Compile a program's kernels in both modes, and run them.

    Example: `examine(generate(0, 7)).failures`
    """
    outcome = Outcome()
    reference = vyre.compile(program.text, engine="reference")
    for mode in MODES:
        try:
            outcome.kernels += compiled(program, mode, chosen)
            if not runs:
                continue
            exe = on_harness(program, mode, "random")
            for launch in program.launches:
                expected = results(reference, program, launch)
                if results(exe, program, launch) != expected:
                    outcome.failures.append(f"{mode}: other results on {launch.grid}")
                outcome.runs += 1
        except VyreError as error:
            outcome.failures.append(f"{mode}: {error}")
    return outcome


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first program")
    args = parser.parse_args()
    total, start = Outcome(), time.perf_counter()
    for number in range(args.first, args.first + args.count):
        outcome = examine(generate(args.seed, number))
        for failure in outcome.failures:
            print(f"program {number}: {failure}", flush=True)
        total += outcome
    seconds = time.perf_counter() - start
    print(
        f"{args.count} programs in {seconds:.0f} s: {total.kernels} kernels compiled, "
        f"{total.runs} runs, {len(total.failures)} failures"
    )
    raise SystemExit(bool(total.failures))


if __name__ == "__main__":
    main()
