"""
What a call of a small program costs on the CPU engine: `python benchmarks/calls.py`.

The program scales 1,000 numbers in two phases. Prints the time of a bound call, of a plain
call, which makes new arrays for results, and of dispatches of a resident megakernel; then
how much memory a hundred thousand of these have left behind.
"""

import gc
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import vyre

PROGRAM = """
vyre.program @scale [64, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xf32>
  %a = vyre.param "a" : f32
  %i = vyre.invocation_id x
  %n = vyre.length %x, 0 : memref<?xf32>
  %is_there = arith.cmpi ult, %i, %n : index
  scf.if %is_there {
    %v = vyre.load %x[%i] : memref<?xf32>
    %w = arith.mulf %v, %a : f32
    vyre.store %w, %x[%i] : memref<?xf32>
  }
  vyre.barrier grid_sync
  scf.if %is_there {
    %v = vyre.load %x[%i] : memref<?xf32>
    %w = arith.mulf %v, %a : f32
    vyre.store %w, %x[%i] : memref<?xf32>
  }
}
"""


def microseconds(call: Callable[[], object], count: int = 5000) -> float:
    """The time of a call, in the best of some rounds."""
    rounds: list[float] = []
    for _ in range(7):
        start = time.perf_counter()
        for _ in range(count):
            call()
        rounds.append((time.perf_counter() - start) / count * 1e6)
    return min(rounds)


def main() -> None:
    exe = vyre.compile(PROGRAM, engine="cpu")
    array = np.ones(1000, np.float32)
    bound = exe.bind(x=array, a=1.0)
    print(f"bound()       {microseconds(bound):6.2f} us")
    print(f"exe(x=, a=)   {microseconds(lambda: exe(x=array, a=1.0)):6.2f} us")
    measure_megakernel(array)


def measure_megakernel(array: NDArray[np.float32]) -> None:
    """Dispatches on resident buffers."""
    megakernel = vyre.Megakernel(PROGRAM, engine="cpu")
    handles = [megakernel.resident(x=array, a=1.0) for _ in range(8)]
    outputs, storage = {"x": np.zeros_like(array)}, vyre.BatchStorage()

    def into() -> None:
        megakernel.into(handles[0], outputs)

    def many() -> None:
        megakernel.many_with_scratch(handles, storage)

    print(f"into          {microseconds(into):6.2f} us")
    print(f"dispatch      {microseconds(lambda: megakernel.dispatch(handles[0])):6.2f} us")
    print(f"many, a row   {microseconds(many, 1000) / len(handles):6.2f} us")
    microseconds(into, 10)
    gc.collect()
    tracemalloc.start()
    into()
    before, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    for _ in range(100_000):
        into()
    after, peak = tracemalloc.get_traced_memory()
    print(f"memory        {after - before} bytes more, at most {peak - before}")


if __name__ == "__main__":
    main()
