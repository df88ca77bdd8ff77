"""
What a call of a small program costs on the CPU engine: `python benchmarks/calls.py`.

The program scales 1,000 numbers in two phases. Prints the time of a bound call, and of a
plain call, which makes new arrays for results.
"""

import time
from collections.abc import Callable

import numpy as np

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


if __name__ == "__main__":
    main()
