"""CUDA kernels are nearly as short as hand-written ones."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[4]


def test_instruction_counts():
    """At most 1.15 times as many instructions, for sizes that are known."""
    command = [sys.executable, "-m", "benchmarks.cuda_quality", "--json"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    found = json.loads(run.stdout)
    ratios = {
        (each["name"], each["architecture"]): each["ratio"]
        for each in found
        if each["has_known_size"]
    }
    assert len(ratios) == 12
    assert {key: ratio for key, ratio in ratios.items() if ratio > 1.15} == {}
    assert run.returncode == 0


def test_registers_of_examples():
    """They are printed for each kernel: one that waits for the grid, and its segments."""
    command = [sys.executable, "-c", PRINT_FIGURES]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found = json.loads(run.stdout)
    names = ["scan_kernel", "scan_0_kernel", "scan_1_kernel", "scan_2_kernel"]
    assert [each["kernel"] for each in found] == names
    assert [each["is_cooperative"] for each in found] == [True, False, False, False]
    for each in found:
        assert {"80", "90"} <= each["needs"].keys()
        assert all(0 < used <= 255 for used, _ in each["needs"].values())


PRINT_FIGURES = """
import json
from dataclasses import asdict
from benchmarks.cuda_registers import FOLDER, figures
print(json.dumps([asdict(each) for each in figures(FOLDER / "scan.mlir")]))
"""
