"""
Generated text before and after a change: run this file with `write DIR`, then, after the
change, with `write OTHER` and `compare DIR OTHER`.

Writes the host plan, LLVM IR (for all sizes, and for those of the benchmarks) and CUDA C++
(native and split) of all examples and benchmark programs. Texts are equal, equal up to
names, or different; the first difference is shown.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

import vyre
from vyre.analysis.extents import Setting
from vyre.lowering.llvm.plans import Plan
from vyre.passes.host_plan import HostPlanPass
from vyre.runtime.cuda.backend import CudaBackend
from vyre.testing.host_cuda import HostCudaDevice

ROOT = Path(__file__).parents[2]
FOLDERS = ("examples", "benchmarks/programs", "benchmarks/cuda")

TOKEN = re.compile(r'[%@]?"(?:[^"\\]|\\.)*"|[%@!$]?[A-Za-z_][\w.]*|[%@!$]\d+|\d[\w.]*|\S')

FUNCTION = re.compile(r"define |extern \"C\"|\s*vyre\.(program|schedule)")
"""Names mean something else in each function."""


def generated_texts() -> Iterator[tuple[str, str]]:
    """Yields names of files and texts."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).glob("*.mlir")):
            name = f"{path.parent.name}-{path.stem}"
            yield from _texts_of(name, path.read_text())
    sys.path.insert(0, str(ROOT))
    from benchmarks.workloads.catalogue import CASES

    for name, make in CASES.items():
        case = make("small")
        groups = (*case.grid, 1, 1)[:3]
        sizes = {name: array.shape for name, array in case.arrays.items()}
        unit = vyre.compile(case.program, engine="reference").unit
        setting = Setting((groups[0], groups[1], groups[2]), sizes)
        yield f"sized-{name}.ll", Plan(unit.op).source(setting).text


def _texts_of(name: str, text: str) -> Iterator[tuple[str, str]]:
    unit = vyre.compile(text, engine="reference").unit
    module = ModuleOp([unit.op.clone()])
    HostPlanPass().apply(Context(), module)
    yield f"{name}.plan.mlir", str(module)
    for found in vyre.compile(text, engine="cpu").sources.values():
        yield f"{name}.ll", found
    for mode in ("native", "split"):
        exe = vyre.compile(text, engine=CudaBackend(HostCudaDevice()), mode=mode)
        yield f"{name}.{mode}.cu", "\n".join(exe.sources.values())


def same_up_to_names(one: str, other: str) -> bool:
    """
    Returns whether texts are equal when identifiers are exchanged one for one.

    Example: `same_up_to_names("%a = add %b", "%x = add %y")` is true.
    """
    return first_difference(one, other) is None


def first_difference(one: str, other: str) -> int | None:
    """Returns the first line in which texts differ by more than names, if there is one."""
    forth: dict[str, str] = {}
    back: dict[str, str] = {}
    lines, others = one.splitlines(), other.splitlines()
    for number, (line, its) in enumerate(zip(lines, others), 1):
        if FUNCTION.match(line):
            forth.clear()
            back.clear()
        tokens, their = TOKEN.findall(line), TOKEN.findall(its)
        if len(tokens) != len(their):
            return number
        for token, its_token in zip(tokens, their):
            if not _is_name(token) and token != its_token:
                return number
            if (forth.setdefault(token, its_token), back.setdefault(its_token, token)) != (
                its_token,
                token,
            ):
                return number
    return None if len(lines) == len(others) else min(len(lines), len(others)) + 1


def _is_name(token: str) -> bool:
    return token[0] in '"%@!$_' or token[0].isalpha()


def write(folder: Path) -> None:
    """Writes all texts to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in generated_texts():
        (folder / name).write_text(text)


def compare(one: Path, other: Path) -> int:
    """Prints how texts of two folders differ; returns how many do by more than names."""
    counts: Counter[str] = Counter()
    names = sorted({path.name for folder in (one, other) for path in folder.iterdir()})
    for name in names:
        if not (one / name).exists() or not (other / name).exists():
            counts["different"] += 1
            print(f"{name}: only in one folder")
            continue
        before, after = (one / name).read_text(), (other / name).read_text()
        line = first_difference(before, after)
        if before == after:
            counts["equal"] += 1
        elif line is None:
            counts["equal up to names"] += 1
        else:
            counts["different"] += 1
            print(f"{name}:{line}:")
            for sign, text in (("-", before), ("+", after)):
                print(sign, *text.splitlines()[line - 1 : line])
    print(", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())))
    return counts["different"]


def main(command: str, *folders: str) -> int:
    paths = [Path(folder) for folder in folders]
    if command == "write":
        write(*paths)
        return 0
    return compare(*paths) > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
