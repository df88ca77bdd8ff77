"""
Megakernels whose waves differ in literals give the same on the CPU engine, which plans such
waves once, as on the reference engine, which fuses all.

    python tests/fuzz/literal_soundness.py --count 500 --seed 0

Each is compiled twice for one, two and three workers, the second time from caches. All
buffers are compared byte by byte. What one engine refuses the other has to refuse. Exits
with 1 at the first difference, and prints the seed, the buffers and the text.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from random import Random
from typing import Any

import numpy as np
from literal_waves import SIZE, Megakernel, random_literal_waves
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

import vyre
from vyre.diagnostics import InvalidProgram
from vyre.lowering.llvm.passes.launch_instances import instance_params
from vyre.runtime.backend import Backend
from vyre.runtime.cpu.backend import CpuBackend
from vyre.runtime.program_choice import find_unit

Buffers = dict[str, NDArray[np.int64]]

WORKERS = (1, 2, 3)
SECONDS = 60


@cache
def cpu(workers: int) -> CpuBackend:
    """An engine that shares out everything, however short it is."""
    return CpuBackend(workers, 0)


def is_condensed(seed: int) -> bool:
    """Whether waves of a random megakernel stand once for several."""
    module = vyre.parse(random_literal_waves(Random(seed)).text)
    try:
        return bool(instance_params(find_unit(module, None).condensed))
    except InvalidProgram:
        return False


def difference(seed: int) -> str | None:
    """
    Why a random megakernel is wrong, with its text, or None if it is not.

    Example: `assert difference(7) is None`
    """
    megakernel = random_literal_waves(Random(seed))
    try:
        wrong = _difference(megakernel, _buffers(seed))
    except Exception as error:
        error.add_note(f"seed {seed}:\n{megakernel.text}")
        raise
    return None if wrong is None else f"seed {seed}, {wrong}\n{megakernel.text}"


def _difference(megakernel: Megakernel, buffers: Buffers) -> str | None:
    """How an engine differs from the reference engine, if one does."""
    module = vyre.parse(megakernel.text)
    with np.errstate(all="ignore"):
        wanted = _outcome(module, megakernel, buffers, "reference")
    for workers in WORKERS:
        for time in ("first", "second"):
            found = _outcome(module, megakernel, buffers, cpu(workers))
            wrong = _wrong(found, wanted)
            if wrong is not None:
                return (
                    f"{workers} workers, compiled for the {time} time, "
                    f"grid {megakernel.grid}, {dict(megakernel.params)}:\n{wrong}"
                )
    return None


def _buffers(seed: int) -> Buffers:
    """Numbers of all sizes."""
    numbers = np.random.default_rng(seed)
    inputs = {name: numbers.integers(-9, 70, 64) for name in ("x", "y")}
    limits = np.iinfo(np.int64)
    outputs = {
        name: numbers.integers(limits.min, limits.max, SIZE)
        for name in ("out", "more", "sums")
    }
    return {**inputs, **outputs}


def _outcome(
    module: ModuleOp, megakernel: Megakernel, buffers: Buffers, engine: str | Backend
) -> Mapping[str, NDArray[Any]] | str:
    """What a megakernel leaves in its buffers, or why it is refused."""
    try:
        exe = vyre.compile(module, engine=engine)
    except InvalidProgram as refusal:
        return str(refusal)
    arguments = {**buffers, **megakernel.params}
    known = {name: arguments[name] for name in exe.bindings.names}
    return exe(known, grid=megakernel.grid, timeout=SECONDS)


def _wrong(
    found: Mapping[str, NDArray[Any]] | str, wanted: Mapping[str, NDArray[Any]] | str
) -> str | None:
    """How one outcome differs from another, if it does."""
    if isinstance(found, str) or isinstance(wanted, str):
        is_same = isinstance(found, str) and found == wanted
        return None if is_same else f"{found}\ninstead of\n{wanted}"
    if list(found) != list(wanted):
        return f"results {list(found)} instead of {list(wanted)}"
    differing = [name for name in wanted if found[name].tobytes() != wanted[name].tobytes()]
    lines = [_elements(name, found[name], wanted[name]) for name in differing]
    return "\n".join(lines) or None


def _elements(name: str, found: NDArray[Any], wanted: NDArray[Any]) -> str:
    """The elements of a buffer that differ."""
    places = np.flatnonzero(found != wanted)
    return f'buffer "{name}" at {places}:\n{found[places]}\ninstead of\n{wanted[places]}'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    seeds = range(args.seed, args.seed + args.count)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["VYRE_CACHE_DIR"] = folder
        for number, seed in enumerate(seeds, 1):
            found = difference(seed)
            if found is not None:
                sys.exit(found)
            if number % 100 == 0:
                print(f"{number} megakernels with literals", flush=True)
    condensed = sum(map(is_condensed, seeds))
    print(
        f"{args.count} megakernels are the same on the CPU, {condensed} of them condensed"
    )


if __name__ == "__main__":
    main()
