"""
Generated text before and after a change: run this file with `write DIR`, then, after the
change, with `write OTHER` and `compare DIR OTHER`.

Writes the host plan, LLVM IR (for all sizes, and for those of the benchmarks) and CUDA C++
(native and split) of all examples and benchmark programs. With `write-cuda` it writes CUDA
C++ only: also what `-t vyre-cuda` prints, kernels of large grids, and the programs of all
tests, with some random ones. Texts are equal, equal up to names, or different; the first
difference is shown.
"""

import ast
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from io import StringIO
from pathlib import Path

from typing_extensions import override
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

import vyre
from vyre.analysis.extents import Setting
from vyre.analysis.walking import units_in
from vyre.diagnostics import VyreError
from vyre.dialects.vyre import ProgramOp, ScheduleOp
from vyre.lowering.cuda.programs import ANY, cuda_kernel, prepared
from vyre.lowering.cuda.target import CudaTarget
from vyre.lowering.llvm.sources import Translation
from vyre.passes.host_plan import HostPlanPass
from vyre.runtime.config import Mode
from vyre.runtime.cuda.backend import CudaBackend
from vyre.testing.host_cuda import HostCudaDevice
from vyre.testing.host_cuda_compiler import HostFunction, compiled

ROOT = Path(__file__).parents[2]
FOLDERS = ("examples", "benchmarks/programs", "benchmarks/cuda")

TOKEN = re.compile(r'[%@]?"(?:[^"\\]|\\.)*"|[%@!$]?[A-Za-z_][\w.]*|[%@!$]\d+|\d[\w.]*|\S')

RANDOM = 200
"""Random programs."""

FUNCTION = re.compile(r"define |extern \"C\"|\s*vyre\.(program|schedule)")
"""Names mean something else in each function."""


MODES: tuple[Mode, ...] = ("native", "split")


NOTHING = 'extern "C" __global__ void __launch_bounds__(1)\nnothing() {}\n'


class TextDevice(HostCudaDevice):
    """Compiles one kernel, whatever the text."""

    @override
    def compile(self, source: str, name: str, options: Sequence[str]) -> HostFunction:
        return compiled(NOTHING, "nothing", ())


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
        yield f"sized-{name}.ll", Translation(unit.op).source(setting).text


def _texts_of(name: str, text: str) -> Iterator[tuple[str, str]]:
    unit = vyre.compile(text, engine="reference").unit
    module = ModuleOp([unit.op.clone()])
    HostPlanPass().apply(Context(), module)
    yield f"{name}.plan.mlir", str(module)
    for found in vyre.compile(text, engine="cpu").sources.values():
        yield f"{name}.ll", found
    for mode in MODES:
        yield f"{name}.{mode}.cu", kernels(text, None, mode)


def kernels(source: str | ModuleOp, program: str | None, mode: Mode) -> str:
    """Returns what the CUDA engine compiles."""
    engine = CudaBackend(TextDevice())
    exe = vyre.compile(source, program=program, engine=engine, mode=mode)
    return "\n".join(exe.sources.values())


def printed(module: ModuleOp, mode: Mode) -> str:
    """Returns what `-t vyre-cuda` prints."""
    output = StringIO()
    CudaTarget(mode=mode).emit(Context(), module, output)
    return output.getvalue()


def large(program: ProgramOp) -> str:
    """Returns the text of a program for grids of any size."""
    found = prepared([program], ANY)[program.sym_name.data]
    return cuda_kernel(found, is_guarded=True).source


def cuda_texts() -> Iterator[tuple[str, str]]:
    """Yields names of files and texts; what goes wrong is a text, too."""
    makers: dict[str, Callable[[], str]] = {}
    for name, text in programs():
        try:
            module = vyre.parse(text)
        except VyreError:
            continue
        for mode in MODES:
            makers[f"{name}.{mode}.printed.cu"] = partial(printed, module, mode)
            for unit in units_in(module, ProgramOp, ScheduleOp):
                makers[f"{name}.{unit.sym_name.data}.{mode}.cu"] = partial(
                    kernels, module, unit.sym_name.data, mode
                )
        for unit in units_in(module, ProgramOp):
            makers[f"{name}.{unit.sym_name.data}.large.cu"] = partial(large, unit)
        for file, make in makers.items():
            try:
                yield file, make()
            except Exception as error:
                yield file, f"{type(error).__name__}: {error}"
        makers.clear()


def programs() -> Iterator[tuple[str, str]]:
    """Yields what may be modules: of files, of strings in tests, and random ones."""
    for folder in (*FOLDERS, "tests/filecheck"):
        for path in sorted((ROOT / folder).rglob("*.mlir")):
            for number, text in enumerate(path.read_text().split("// -----")):
                yield f"{path.parent.name}-{path.stem}-{number}", text
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for number, node in enumerate(ast.walk(ast.parse(path.read_text()))):
            if isinstance(node, ast.Constant) and "vyre.program" in str(node.value):
                yield f"{path.stem}-{number}", str(node.value)
    sys.path.insert(0, str(ROOT / "tests" / "fuzz"))
    from grid_programs import generate

    for number in range(RANDOM):
        yield f"random-{number}", generate(0, number).text


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


def write(texts: Iterator[tuple[str, str]], folder: Path) -> None:
    """Writes texts to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts:
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
    if command.startswith("write"):
        write(cuda_texts() if command == "write-cuda" else generated_texts(), *paths)
        return 0
    return compare(*paths) > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
