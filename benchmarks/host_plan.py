"""
How long `vyre-host-plan` takes on a large program, against xDSL parsing its text:
`make bench-host-plan`.

The program is generated: phases between grid barriers, some of them in uniform loops and
branches, with loads, arithmetic, divergent branches, stores, and values that later phases
use. Prints the processor seconds of xDSL's parser and of the plan, and how both grow with
twice the operations.
"""

import argparse
import gc
import json
import random
import time
from collections.abc import Callable
from typing import TypeVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

import vyre
from vyre.dialects.vyre import BarrierOp, LaunchOp, ScratchOp
from vyre.passes.host_plan import HostPlanPass
from vyre.source import deep_recursion

T = TypeVar("T")

HEADER = """vyre.program @large [64, 1, 1] {
%a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
%b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
%c = vyre.buffer "c" read_only binding 2 : memref<?xi32>
%trips = vyre.param "trips" : index
%zero = arith.constant 0 : index
%one = arith.constant 1 : index
%flag = vyre.param "flag" : i1
%x = vyre.invocation_id x
%start = arith.index_cast %x : index to i32
"""


class Writer:
    """Writes a program with about so many operations and just so many grid barriers."""

    def __init__(self, operations: int, barriers: int, seed: int = 0):
        self.rng = random.Random(seed)
        self.lines = [HEADER]
        self.count = 0
        self.values = ["%start"]
        self.per_phase = max(4, operations // (barriers + 1))
        written = 0
        while written < barriers:
            written += self.stretch(barriers - written)
        self.phase()
        self.lines.append("}")

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def value(self) -> str:
        """Mostly a recent value, now and then an old one, which crosses barriers."""
        if self.rng.random() < 0.03:
            return self.rng.choice(self.values)
        return self.rng.choice(self.values[-12:])

    def stretch(self, left: int) -> int:
        """A phase and a barrier, or a loop or branch with one or two; how many."""
        kind = self.rng.random()
        if kind < 0.1 and left >= 2:
            return self.loop()
        if kind < 0.15:
            return self.branch()
        self.phase()
        self.lines.append("vyre.barrier grid_sync")
        return 1

    def loop(self) -> int:
        result, carried, counter = self.name(), self.name(), self.name()
        self.lines.append(
            f"{result} = scf.for {counter} = %zero to %trips step %one "
            f"iter_args({carried} = {self.value()}) -> (i32) {{"
        )
        outer = list(self.values)
        self.values.append(carried)
        for _ in range(2):
            self.phase()
            self.lines.append("vyre.barrier grid_sync")
        self.lines.append(f"scf.yield {self.values[-1]} : i32\n}}")
        self.values = [*outer, result]
        return 2

    def branch(self) -> int:
        outer = list(self.values)
        self.lines.append("scf.if %flag {")
        self.phase()
        self.lines.append("vyre.barrier grid_sync\n}")
        self.values = outer
        return 1

    def phase(self) -> None:
        end = self.count + self.per_phase
        while self.count < end:
            kind = self.rng.random()
            if kind < 0.05:
                at, result = self.name(), self.name()
                buffer = self.rng.choice("abc")
                self.lines.append(f"{at} = arith.index_cast {self.value()} : i32 to index")
                self.lines.append(f"{result} = vyre.load %{buffer}[{at}] : memref<?xi32>")
                self.values.append(result)
            elif kind < 0.07:
                self.lines.append(f"vyre.store {self.value()}, %a[%x] : memref<?xi32>")
                self.count += 1
            elif kind < 0.08:
                condition = self.name()
                self.lines.append(
                    f"{condition} = arith.cmpi slt, {self.value()}, {self.value()} : i32"
                )
                self.lines.append(
                    f"scf.if {condition} {{\n"
                    f"vyre.store {self.value()}, %b[%x] : memref<?xi32>\n}}"
                )
                self.count += 2
            else:
                result = self.name()
                operation = self.rng.choice(("addi", "xori", "muli", "subi", "andi"))
                self.lines.append(
                    f"{result} = arith.{operation} {self.value()}, {self.value()} : i32"
                )
                self.values.append(result)
        self.lines.append(f"vyre.store {self.values[-1]}, %a[%x] : memref<?xi32>")

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def timed(action: Callable[[], T]) -> tuple[float, T]:
    """Processor seconds, which other processes do not change, and the result."""
    gc.collect()
    started = time.process_time()
    result = action()
    return time.process_time() - started, result


def measure(operations: int, barriers: int) -> dict[str, float]:
    text = Writer(operations, barriers).text

    def parse() -> ModuleOp:
        return Parser(vyre.context(), text).parse_module()

    with deep_recursion():
        parsing, module = timed(parse)
        size = sum(1 for _ in module.walk())
        found = sum(isinstance(op, BarrierOp) for op in module.walk())
        planning, _ = timed(lambda: HostPlanPass().apply(vyre.context(), module))
    return {
        "operations": size,
        "barriers": found,
        "parse": round(parsing, 2),
        "plan": round(planning, 2),
        "ratio": round(planning / parsing, 3),
        "launches": sum(isinstance(op, LaunchOp) for op in module.walk()),
        "scratch": sum(isinstance(op, ScratchOp) for op in module.walk()),
    }


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--operations", type=int, default=100_000)
    arguments.add_argument("--barriers", type=int, default=300)
    arguments.add_argument("--json", action="store_true")
    args = arguments.parse_args()
    rows = [measure(args.operations * times, args.barriers) for times in (1, 2)]
    growth = {part: round(rows[1][part] / rows[0][part], 2) for part in ("parse", "plan")}
    if args.json:
        print(json.dumps({"rows": rows, "growth": growth}))
        return
    for row in rows:
        print(", ".join(f"{key} {value}" for key, value in row.items()))
    print(f"twice the operations: parse x {growth['parse']}, plan x {growth['plan']}")


if __name__ == "__main__":
    main()
