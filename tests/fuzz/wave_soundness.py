"""
Random megakernels give the same when they are fused as when their waves run one by one.

    python tests/fuzz/wave_soundness.py --count 2000 --seed 0

Each is planned with a random budget and packing, fused, and run with a random grid on the
reference engine, on the CPU engine as often as `--cpu` says, and as CUDA C++ on the host as
often as `--cuda` says. Waves alone run on the reference engine. All buffers are compared
byte by byte. Exits with 1 at the first difference, and prints the seed and the text.
"""

import argparse
import sys
from dataclasses import replace
from random import Random
from typing import get_args

import numpy as np
from numpy.typing import NDArray
from wave_programs import BUFFERS, Megakernel, random_megakernel

import vyre
from vyre.analysis.wave_effects import wave_dependencies
from vyre.dialects.vyre import MegakernelOp
from vyre.passes.fuse_waves import FuseWavesPass
from vyre.passes.plan_megakernel import PlanMegakernelPass
from vyre.passes.verify_ops import verify_ops
from vyre.passes.verify_program import verify_programs
from vyre.runtime.config import DispatchConfig, Order
from vyre.runtime.cuda.backend import CudaBackend
from vyre.testing.host_cuda import HostCudaDevice

Buffers = dict[str, NDArray[np.int32]]
Grid = tuple[int, int, int]

GRIDS: tuple[Grid, ...] = ((1, 1, 1), (2, 1, 1), (5, 1, 1), (2, 3, 1), (1, 2, 2))


def write_dependencies(megakernel: Megakernel, rng: Random) -> None:
    """Give some waves what would be derived for them, and some more, in writing."""
    module = vyre.parse(megakernel.text)
    found = next(op for op in module.walk() if isinstance(op, MegakernelOp))
    edges = wave_dependencies(found)
    waves = megakernel.waves
    for number, wave in enumerate(waves):
        if rng.random() < 0.3:
            before = {earlier for earlier, later in edges if later == number}
            if number and rng.random() < 0.3:
                before.add(rng.randrange(number))
            wave.after = [waves[earlier].name for earlier in sorted(before)]


def one_by_one(megakernel: Megakernel, buffers: Buffers, grid: Grid) -> Buffers:
    """What the waves leave in the buffers if each is a dispatch of its own."""
    module = vyre.parse(megakernel.programs)
    held = dict(buffers)
    for wave in megakernel.waves:
        exe = vyre.compile(module, program=wave.program, engine="reference")
        inputs = {entry: held[name] for entry, name in wave.names.items()}
        arguments = {**inputs, "k": wave.k} if wave.names else {}
        found = exe(arguments, grid=wave.grid or grid)
        held |= {wave.names[entry]: array for entry, array in found.items()}
    return held


def fused(
    megakernel: Megakernel,
    buffers: Buffers,
    plan: PlanMegakernelPass,
    engine: str,
    config: DispatchConfig,
    *,
    by_pass: bool,
) -> Buffers:
    """What one fused program leaves in the buffers."""
    module = vyre.parse(megakernel.text)
    # Without the pass, programs are fused when they are compiled, alike waves once.
    for step in (plan, FuseWavesPass()) if by_pass else (plan,):
        step.apply(vyre.context(), module)
        verify_ops(module)
        verify_programs(module)
    backend = CudaBackend(HostCudaDevice()) if engine == "cuda" else engine
    exe = vyre.compile(module, program="fused", engine=backend)
    params = {f"{w.name}.k": w.k for w in megakernel.waves if not w.is_constant}
    arguments = {**buffers, **params}
    known = {name: arguments[name] for name in exe.bindings.names}
    return {**buffers, **exe(known, config=config)}


def difference(seed: int, engines: tuple[str, ...] = ("reference",)) -> str | None:
    """
    Why a random megakernel is wrong, with its text, or None if it is not.

    Example: `assert difference(7) is None`
    """
    rng = Random(seed)
    megakernel = random_megakernel(rng)
    write_dependencies(megakernel, rng)
    numbers = np.random.default_rng(seed)
    buffers: Buffers = {
        name: numbers.integers(-9, 30, rng.choice((5, 16, 40, 64)), dtype=np.int32)
        for name in BUFFERS
    }
    grid = rng.choice(GRIDS)
    plan = PlanMegakernelPass(
        budget=rng.choice((None, 26, 40, 1000)), packing=rng.choice(("in_order", "best"))
    )
    expected = one_by_one(megakernel, buffers, grid)
    order = rng.choice(get_args(Order))
    for engine in engines:
        config = DispatchConfig(grid=grid, seed=seed)
        if engine == "reference":
            config = replace(config, order=order)
        by_pass = engine != "cpu" or bool(seed % 2)
        found = fused(megakernel, buffers, plan, engine, config, by_pass=by_pass)
        for name in BUFFERS:
            if found[name].tobytes() != expected[name].tobytes():
                return (
                    f'seed {seed}, engine {engine}, {config}, buffer "{name}":\n'
                    f"{found[name]}\ninstead of\n{expected[name]}\n{megakernel.text}"
                )
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cpu", type=int, default=10, help="every n-th also on 'cpu'")
    parser.add_argument("--cuda", type=int, default=50, help="every n-th also on 'cuda'")
    args = parser.parse_args()
    for number in range(args.count):
        every = {"reference": 1, "cpu": args.cpu, "cuda": args.cuda}
        engines = tuple(name for name, n in every.items() if n and number % n == 0)
        found = difference(args.seed + number, engines)
        if found is not None:
            sys.exit(found)
        if number % 100 == 99:
            print(f"{number + 1} megakernels", flush=True)
    print(f"{args.count} megakernels are the same fused and one by one")


if __name__ == "__main__":
    main()
