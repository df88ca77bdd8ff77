"""
What Vyre costs at the start of a tool: `make bench-startup`.

Runs, in turn, `xdsl-opt` with Vyre's plugin hidden, `xdsl-opt` with it, and `vyre-opt`, on
an empty module and on an example, and prints medians and the ratio to plain xDSL.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 15
EXAMPLE = Path(__file__).parents[1] / "examples" / "reachability.mlir"

HIDDEN = """
import importlib.metadata as metadata
everything = metadata.entry_points
metadata.entry_points = lambda **kw: [e for e in everything(**kw) if e.name != "vyre"]
"""
TOOLS = {
    "xdsl-opt without Vyre": HIDDEN + "from xdsl.tools.xdsl_opt import main; main()",
    "xdsl-opt with Vyre": HIDDEN.replace('"vyre"', '"nothing"')
    + "from xdsl.tools.xdsl_opt import main; main()",
    "vyre-opt": "from vyre.tools.vyre_opt import main; main()",
}


def seconds(code: str, path: Path) -> float:
    start = time.perf_counter()
    command = [sys.executable, "-c", code, str(path)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def measure(path: Path, names: list[str]) -> None:
    times: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(ROUNDS):
        for name in names:
            times[name].append(seconds(TOOLS[name], path))
    base = statistics.median(times[names[0]])
    print(f"{path.name}, median of {ROUNDS}:")
    for name in names:
        median = statistics.median(times[name])
        print(f"  {name:<24}{median * 1e3:7.1f} ms  {median / base:5.2f}")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder, "empty.mlir")
        empty.write_text("builtin.module {}\n")
        measure(empty, list(TOOLS))
    measure(EXAMPLE, ["xdsl-opt with Vyre", "vyre-opt"])


if __name__ == "__main__":
    main()
