"""
How long it takes to the first result of each example on the CPU engine, with an empty cache
and on a second start: `make bench-first-results`.

Every start is a process of its own. The time of a first start is from the parsed module to
the result, that of a second one from the file to the result; imports are not counted.
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
import vyre
import vyre.runtime.cpu.backend
path = Path(sys.argv[2])
example = example_of(path, fault_size(path))
opened = time.perf_counter()
module = vyre.parse(path)
parsed = time.perf_counter()
exe = vyre.compile(module, engine="cpu")
results = exe(example.inputs, grid=example.grid(3))
done = time.perf_counter()
example.verify(results)
print(json.dumps([done - opened, done - parsed]))
"""


def started(path: Path, cache: str) -> tuple[float, float]:
    """Milliseconds to the result, from the file and from the parsed module."""
    command = [sys.executable, "-c", START, str(ROOT / "tests" / "helpers"), str(path)]
    answer = subprocess.run(
        command, check=True, capture_output=True, env={"VYRE_CACHE_DIR": cache}
    )
    from_file, from_module = json.loads(answer.stdout)
    return from_file * 1e3, from_module * 1e3


def main() -> None:
    print("milliseconds to the first result, without imports")
    print(f"{'':<24}{'parsed module':>15}{'second start':>15}")
    for path in EXAMPLES:
        with tempfile.TemporaryDirectory() as cache:
            first = started(path, cache)[1]
            again = [started(path, cache)[0] for _ in range(SECOND_STARTS)]
        print(f"{path.stem:<24}{first:>15.0f}{statistics.median(again):>15.1f}")


if __name__ == "__main__":
    main()
