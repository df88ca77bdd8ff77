"""
How long it takes to the first result of each example on the CPU engine, with an empty cache
and on a second start: `make bench-first-results`.

Every start is a process of its own. Times are from the parsed module to the result; what
Python imports is imported before.
"""

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.mlir"))
SECOND_STARTS = 5

START = """
import json, sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from worked_examples import example_of, fault_size
import importlib.metadata, email.message, csv, numpy.ma, vyre, vyre.runtime.cpu.backend
import vyre.runtime.executable, vyre.runtime.waves
path = Path(sys.argv[2])
example = example_of(path, fault_size(path))
module = vyre.parse(path)
start = time.perf_counter()
exe = vyre.compile(module, engine="cpu")
results = exe(
    example.inputs, grid=example.grid(3), fixpoint_iterations=example.passes
)
end = time.perf_counter()
example.verify(results)
print(json.dumps(end - start))
"""


def started(path: Path, cache: str) -> float:
    """Milliseconds to the result."""
    command = [sys.executable, "-c", START, str(ROOT / "tests" / "helpers"), str(path)]
    answer = subprocess.run(
        command, check=True, capture_output=True, env={"VYRE_CACHE_DIR": cache}
    )
    return json.loads(answer.stdout) * 1e3


def main() -> None:
    print(f"milliseconds{'':<12}{'first start':>15}{'second start':>15}")
    for path in EXAMPLES:
        with tempfile.TemporaryDirectory() as cache:
            first = started(path, cache)
            again = [started(path, cache) for _ in range(SECOND_STARTS)]
        print(f"{path.stem:<24}{first:>15.0f}{statistics.median(again):>15.1f}")


if __name__ == "__main__":
    main()
