"""CUDA kernels are nearly as short as hand-written ones."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


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
