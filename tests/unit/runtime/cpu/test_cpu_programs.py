"""
Programs give the same bytes on the CPU engine as on the reference engine, with any number
of workers: examples, the conformance suite, and random programs.

`tests/fuzz/split_soundness.py` does this with more random programs.
"""

import importlib
import os
import signal
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from cpu_runs import CPUS, WORKERS, Everywhere
from returning_programs import Writer
from worked_examples import EXAMPLES, case_of, example_of, fault_size

import vyre
from vyre.runtime.backend import Whole, is_buffer
from vyre.runtime.cpu.backend import CpuBackend
from vyre.runtime.cpu.jobs import Job
from vyre.runtime.cpu.machine import Processor, object_code
from vyre.runtime.deadline import Deadline
from vyre.runtime.program_choice import find_unit
from vyre.testing import conformance_cases
from vyre.testing.case import Case

generator: Any = importlib.import_module("grid_programs")
native: Any = importlib.import_module("native_runs")
runs: Any = importlib.import_module("split_runs")


@pytest.mark.covering(1)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("workers", WORKERS)
def test_examples(path: Path, workers: int):
    exe = vyre.compile(path, engine=CPUS[workers])
    for size in dict.fromkeys((case_of(path).SIZES[0], fault_size(path))):
        example = example_of(path, size)
        untouched = {name: np.copy(value) for name, value in example.inputs.items()}
        grid = example.grid(1 + (workers + size) % 7)
        example.verify(exe(example.inputs, grid=grid, timeout=60))
        for name, value in untouched.items():
            np.testing.assert_array_equal(example.inputs[name], value)


@pytest.mark.parametrize("case", conformance_cases(), ids=str)
def test_conformance(case: Case):
    case(CPUS[3])


@pytest.mark.few(2)
@pytest.mark.parametrize("number", range(6))
def test_random_programs(number: int):
    program = generator.generate(11, number)
    everywhere = Everywhere(program.text, modes=("native",))
    split = Everywhere(program.text, [Random(number).choice(WORKERS)], ["split"])
    everywhere.cpus |= split.cpus
    launch = program.launches[-1]
    grid = None if launch.is_inferred else launch.grid
    everywhere.check(program.arguments(launch), grid, traps_alike=False)


@pytest.mark.few(2)
@pytest.mark.parametrize("seed", range(4))
def test_random_programs_that_return(seed: int):
    """Between barriers of the grid and of workgroups, and with traps."""
    everywhere = Everywhere(
        Writer(seed, traps=seed % 2 == 1).program(), (1, 3), modes=("native",)
    )
    for groups in (1, 3):
        count = 40 * groups
        rng = np.random.default_rng(seed)
        given: dict[str, Any] = {
            "out": rng.integers(0, 9, (count, 4)).astype(np.int32),
            "end": np.zeros((count, 3), np.int32),
            "mail": np.zeros(count, np.int32),
            "total": np.zeros(2, np.int32),
            "numbers": rng.integers(-9, 9, count).astype(np.int32),
            "n": int(rng.integers(0, 9)),
        }
        everywhere.check(given, groups, traps_alike=False)


# How the fuzzer runs native code


def test_the_fuzzer_survives_native_code_that_does_not():
    def crash() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    error = native.apart(crash)
    assert isinstance(error, ChildProcessError)


def test_the_fuzzer_hears_of_other_results():
    def differ() -> None:
        raise runs.Failure("different", "3 workers", "out")

    error = native.apart(differ)
    assert isinstance(error, runs.Failure)
    assert error.signature == runs.Failure("different", "3 workers", "out").signature
    assert native.apart(lambda: None) is None


@pytest.mark.few(1)
@pytest.mark.parametrize("split", [True, False])
def test_the_fuzzer_runs_native_code(split: bool, monkeypatch: pytest.MonkeyPatch):
    """Else its silence would mean nothing."""
    program = generator.generate(11, 0)
    options = runs.Options(split=split, native=True)
    assert runs.examine(program, options).failure is None

    def forgets(self: CpuBackend, whole: Whole, zeros: Any = ()) -> Job:
        job = prepare(self, whole, zeros)
        run = job.run

        def forgetting(deadline: Deadline) -> tuple[int, int]:
            counts = run(deadline)
            for value in whole.arguments:
                if is_buffer(value):
                    value.memory[:] = 0
            return counts

        monkeypatch.setattr(job, "run", forgetting)
        return job

    prepare = CpuBackend.prepare
    monkeypatch.setattr(CpuBackend, "prepare", forgets)
    failure = runs.examine(program, options).failure
    assert failure is not None
    assert failure.kind == "different"


def test_the_fuzzer_compiles_nothing_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Not for other numbers of workers, nor for a split program that is the same code."""
    texts: list[str] = []

    def noting(text: str, processor: Processor) -> list[bytes]:
        texts.append(text)
        return object_code(text, processor)

    noting.__name__ = object_code.__name__
    monkeypatch.setattr(native, "object_code", noting)
    program = generator.generate(11, 0)
    unit = find_unit(vyre.parse(program.text), "p")
    with native.compiled_once(str(tmp_path)):
        for workers, mode in native.ways(Random(0)):
            exe = native.executable(unit, workers, mode)
            for launch in program.launches:
                runs.results_in_place(exe, program, launch)
    assert texts
    assert len(texts) == len(set(texts))


class Noting(CpuBackend):
    """Notes whether each dispatch is timed."""

    def __init__(self) -> None:
        super().__init__(1)
        self.timed: list[bool] = []

    def prepare(self, whole: Whole, zeros: Any = ()) -> Job:
        self.timed.append(whole.timed)
        return super().prepare(whole, zeros)


def test_a_launch_is_timed_if_it_shall_be():
    engine = Noting()
    text = """
    vyre.program @p [4, 1, 1] {
      %out = vyre.buffer "out" read_write binding 0 : memref<?xi32>
      %x = vyre.invocation_id x
      %v = arith.index_cast %x : index to i32
      vyre.store %v, %out[%x] : memref<?xi32>
    }"""
    exe, out = vyre.compile(text, engine=engine), np.zeros(4, np.int32)
    exe(out=out, grid=1)
    exe.timed(out=out, grid=1)
    assert engine.timed == [False, True]
