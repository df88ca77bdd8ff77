"""
How fast the reference engine is: `make bench-reference`.

The oracle needs no speed of its own, but tests need it to be fast enough. Times are given
beside NumPy doing the same arithmetic in the same run, and the start of `vyre-run` beside
that of Python with NumPy.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import vyre

INVOCATIONS = 1_000_000

CHAIN = """
vyre.program @chain [256, 1, 1] {{
  %x = vyre.buffer "x" read_write binding 0 : memref<?xf32>
  %i = vyre.invocation_id x
  %c = arith.constant 1.5 : f32
  %v0 = vyre.load %x[%i] : memref<?xf32>
  {chain}
  vyre.store %v16, %x[%i] : memref<?xf32>
}}
"""
DIVERGENT = """
vyre.program @tickets [256, 1, 1] {
  %count = vyre.buffer "count" read_write binding 0 : memref<1xi32>
  %out = vyre.buffer "out" read_write binding 1 : memref<?xi32>
  %i = vyre.invocation_id x
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %mask = arith.constant 31 : i32
  %i32 = arith.index_cast %i : index to i32
  %hash = arith.muli %i32, %mask : i32
  %trips = arith.andi %hash, %mask : i32
  %r:2 = scf.while (%k = %zero, %sum = %zero) : (i32, i32) -> (i32, i32) {
    %go = arith.cmpi slt, %k, %trips : i32
    scf.condition(%go) %k, %sum : i32, i32
  } do {
  ^trip(%k: i32, %sum: i32):
    %ticket = vyre.atomic add %one, %count[%c0] : memref<1xi32>
    %more = arith.xori %sum, %ticket : i32
    %next = arith.addi %k, %one : i32
    scf.yield %next, %more : i32, i32
  }
  vyre.store %r#1, %out[%i] : memref<?xi32>
}
"""
PHASES = """
vyre.program @phases [100, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xf32>
  %y = vyre.buffer "y" read_write binding 1 : memref<?xf32>
  %i = vyre.invocation_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rounds = arith.constant 150 : index
  %n = vyre.length %x, 0 : memref<?xf32>
  %half = arith.constant 0.5 : f32
  %next = arith.addi %i, %c1 : index
  %right = arith.remui %next, %n : index
  scf.for %k = %c0 to %rounds step %c1 {
    %a = vyre.load %x[%i] : memref<?xf32>
    %b = vyre.load %x[%right] : memref<?xf32>
    %s = arith.addf %a, %b : f32
    %h = arith.mulf %s, %half : f32
    vyre.store %h, %y[%i] : memref<?xf32>
    vyre.barrier grid_sync
    %w = vyre.load %y[%i] : memref<?xf32>
    vyre.store %w, %x[%i] : memref<?xf32>
    vyre.barrier grid_sync
  }
}
"""


def seconds(work: Callable[[], object], rounds: int = 3) -> float:
    times: list[float] = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def chain() -> tuple[float, float]:
    names = ("addf", "mulf")
    steps = [f"%v{k + 1} = arith.{names[k % 2]} %v{k}, %c : f32" for k in range(16)]
    exe = vyre.compile(CHAIN.format(chain="\n  ".join(steps)))
    x = np.ones(INVOCATIONS, np.float32)

    def plain() -> None:
        value = x
        for k in range(16):
            value = value * np.float32(1.5) if k % 2 else value + np.float32(1.5)

    return seconds(lambda: exe(x=x)), seconds(plain)


def divergent() -> float:
    exe = vyre.compile(DIVERGENT)
    zeros = np.zeros(INVOCATIONS, np.int32)
    return seconds(lambda: exe(count=zeros[:1].copy(), out=zeros))


def phases() -> float:
    exe = vyre.compile(PHASES)
    x = np.ones(1000, np.float32)
    return seconds(lambda: exe(x=x, y=x.copy()))


def startup() -> tuple[float, float]:
    """`vyre-run` on a small program, and Python with NumPy alone."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "phases.mlir")
        path.write_text(PHASES)
        tool = [sys.executable, "-c", "from vyre.tools.vyre_run import main; main()"]
        command = [*tool, str(path), "--in", "x=ones(100)", "--in", "y=ones(100)"]
        alone = [sys.executable, "-c", "import numpy"]
        return _process(command), _process(alone)


def _process(command: list[str]) -> float:
    def run() -> None:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    return statistics.median(seconds(run, rounds=1) for _ in range(9))


def main() -> None:
    ours, plain = chain()
    print(f"20 operations, 10^6 invocations  {ours:7.3f} s  ({ours / plain:.1f} x NumPy)")
    print(f"divergent while with tickets     {divergent():7.3f} s  (10^6 invocations)")
    print(f"300 phases of 1,000 invocations  {phases():7.3f} s")
    tool, alone = startup()
    print(f"vyre-run, small program          {tool - alone:7.3f} s  beyond NumPy's start")


if __name__ == "__main__":
    main()
