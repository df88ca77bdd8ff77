"""
Mistakes as new users make them, and the whole text of the answer. It names the argument or
operation, what it got, what it wanted, and one thing that can be done.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import vyre
from vyre.interpreter.backend import ReferenceBackend
from vyre.runtime.launch_geometry import LaunchGeometry
from vyre.tools.failures import report_failures
from vyre.tools.vyre_opt import VyreOptMain
from vyre.tools.vyre_run import run

PROGRAM = """
vyre.program @blur [4, 1, 1] {
  %x = vyre.buffer "x" read_only binding 0 : memref<?xf32>
  %m = vyre.buffer "m" read_write binding 1 : memref<?x4xi32>
  %y = vyre.buffer "y" read_write binding 2 output : memref<?xf32>
  %n = vyre.param "n" : index
  %a = vyre.param "a" : f32
  %b = vyre.param "b" : i1
  %i = vyre.invocation_id x
  %v = vyre.load %x[%i] : memref<?xf32>
  vyre.store %v, %y[%i] : memref<?xf32>
}
"""

# Everything is `Any` here: a type checker would find most of these mistakes.
make: Any = vyre
X = np.ones(8, np.float32)
Y = np.zeros(8, np.float32)
M = np.zeros((2, 4), np.int32)
GIVEN: dict[str, Any] = {"x": X, "y": Y, "m": M, "n": 1, "a": 1.0, "b": True}


class Case(SimpleNamespace):
    """What mistakes are made with."""

    exe: Any
    mega: Any

    def call(self, **changes: Any) -> object:
        return self.exe(**(GIVEN | changes))

    def check(self, **changes: Any) -> object:
        return self.exe.check(**(GIVEN | changes))

    def without(self, *names: str) -> object:
        return self.exe({n: v for n, v in GIVEN.items() if n not in names})

    def into(self, into: Any) -> object:
        return self.exe(GIVEN, into=into)

    def bound(self) -> Any:
        return self.exe.bind(GIVEN)

    def held(self) -> Any:
        return self.exe.resident(GIVEN)

    def other(self) -> Any:
        return vyre.Megakernel(PROGRAM, engine="reference").resident(GIVEN)

    def handle(self) -> Any:
        return self.mega.resident(GIVEN)

    def closed(self, held: Any) -> Any:
        held.close()
        return held


@pytest.fixture(scope="module")
def case() -> Case:
    mega = vyre.Megakernel(PROGRAM, engine="reference")
    return Case(exe=vyre.compile(PROGRAM, engine="reference"), mega=mega)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path) -> Iterator[None]:
    """With a program, a folder, and a file of bytes."""
    before = Path.cwd()
    os.chdir(tmp_path)
    Path("blur.mlir").write_text(PROGRAM)
    Path("folder.mlir").mkdir()
    Path("bytes.mlir").write_bytes(b"\xff\xfe")
    yield
    os.chdir(before)


Mistake = Callable[[Case], object]

MISTAKES: list[tuple[Mistake, str, str]] = [
    (
        lambda _: make.compile("blurr.mlir"),
        "there is no file 'blurr.mlir'",
        "did you mean 'blur.mlir'?",
    ),
    (
        lambda _: make.compile("folder.mlir"),
        "cannot read 'folder.mlir': Is a directory",
        "pass the path of a file",
    ),
    (
        lambda _: make.compile("bytes.mlir"),
        "bytes.mlir:1: byte 0 is not UTF-8 text",
        "save the file as UTF-8",
    ),
    (
        lambda _: make.compile("vyre.program @blur"),
        "there is no file 'vyre.program @blur'",
        "pass the path of a file, or text with the braces of a program",
    ),
    (
        lambda _: make.compile(None),
        "the program is None, neither text nor a module",
        "pass the path of a file, the text of a program, or its module",
    ),
    (
        lambda _: make.compile(b"vyre"),
        "the program is bytes, neither text nor a module",
        "pass the path of a file, the text of a program, or its module",
    ),
    (
        lambda c: make.compile(c.exe),
        "the program is an Executable, neither text nor a module",
        "pass the path of a file, the text of a program, or its module",
    ),
    (
        lambda _: make.parse("nope.mlir"),
        "there is no file 'nope.mlir'",
        "pass the path of a file, or text with the braces of a program",
    ),
    (
        lambda _: make.parse(X),
        "the program is an ndarray, neither text nor a module",
        "pass the path of a file, the text of a program, or its module",
    ),
    (
        lambda _: make.compile(PROGRAM, program="blurr"),
        "there is no program 'blurr'",
        "did you mean 'blur'?",
    ),
    (
        lambda _: make.compile(PROGRAM, program="reach"),
        "there is no program 'reach'",
        "the module has blur",
    ),
    (
        lambda _: make.compile(PROGRAM, program=0),
        "there is no program '0'",
        "the module has blur",
    ),
    (
        lambda _: make.compile("builtin.module {}"),
        "the module has 0 programs",
        "write a 'vyre.program'",
    ),
    (
        lambda _: make.compile(PROGRAM, engine="gpu"),
        "there is no engine 'gpu'",
        "did you mean 'cupy'?",
    ),
    (
        lambda _: make.compile(PROGRAM, engine="CPU"),
        "there is no engine 'CPU'",
        "did you mean 'cpu'?",
    ),
    (
        lambda _: make.compile(PROGRAM, engine="numpy"),
        "there is no engine 'numpy'",
        "did you mean 'reference'?",
    ),
    (
        lambda _: make.compile(PROGRAM, engine="opencl"),
        "there is no engine 'opencl'",
        "the engines are cpu, cupy, reference",
    ),
    (
        lambda _: make.compile(PROGRAM, engine=None),
        "the engine is None, not a name",
        "pass 'auto' or one of cpu, cupy, reference",
    ),
    (
        lambda _: make.compile(PROGRAM, engine=ReferenceBackend),
        "the engine is the class ReferenceBackend",
        "pass `ReferenceBackend()`",
    ),
    (
        lambda _: make.compile(PROGRAM, mode="splitt"),
        "there is no mode 'splitt'",
        "did you mean 'split'?",
    ),
    (
        lambda _: make.compile(PROGRAM, mode="fast"),
        "there is no mode 'fast'",
        "use auto, native, split",
    ),
    (
        lambda c: c.exe(X),
        "the first argument is an ndarray, not a dictionary",
        "pass arguments by name",
    ),
    (lambda c: c.without("x"), "argument 'x' is missing", "pass x by name"),
    (lambda c: c.without("x", "n"), "argument 'x' is missing", "pass x, n by name"),
    (lambda c: c.call(gird=2), "there is no argument 'gird'", "did you mean 'grid'?"),
    (lambda c: c.call(Grid=2), "there is no argument 'Grid'", "did you mean 'grid'?"),
    (lambda c: c.call(blocks=2), "there is no argument 'blocks'", "did you mean 'grid'?"),
    (
        lambda c: c.call(threads=64),
        "there is no argument 'threads'",
        "did you mean 'workgroup'?",
    ),
    (
        lambda c: c.call(iterations=3),
        "there is no argument 'iterations'",
        "did you mean 'fixpoint_iterations'?",
    ),
    (
        lambda c: c.call(time_out=3),
        "there is no argument 'time_out'",
        "did you mean 'timeout'?",
    ),
    (
        lambda c: c.call(engine="cpu"),
        "there is no argument 'engine'",
        "pass it to `vyre.compile`",
    ),
    (lambda c: c.call(xx=X), "there is no argument 'xx'", "did you mean 'x'?"),
    (
        lambda c: c.call(result=X),
        "there is no argument 'result'",
        "the arguments are x, m, y, n, a, b",
    ),
    (
        lambda c: c.exe({"x": X}, **GIVEN),
        "argument 'x' is given twice",
        "pass it in the dictionary or by name",
    ),
    (
        lambda c: c.call(x=X.reshape(2, 4)),
        "argument 'x' has shape (2, 4), expected (n,) for any n",
        "pass `.reshape(-1)` of it, if elements are to follow each other",
    ),
    (
        lambda c: c.call(m=M.reshape(8)),
        "argument 'm' has shape (8,), expected (n, 4) for any n",
        "pass an array of that shape",
    ),
    (
        lambda c: c.call(m=np.zeros((2, 5), np.int32)),
        "argument 'm' has shape (2, 5), expected (n, 4) for any n",
        "pass an array of that shape",
    ),
    (
        lambda c: c.call(x=[1.0, 2.0]),
        "argument 'x' is a list, not an array",
        "pass an array, such as `np.array(values)`",
    ),
    (
        lambda c: c.call(x=1.0),
        "argument 'x' is a float, not an array",
        "pass an array, such as `np.array(values)`",
    ),
    (
        lambda c: c.call(x=None),
        "argument 'x' is None, not an array",
        "pass an array, such as `np.array(values)`",
    ),
    (
        lambda c: c.call(x=X.astype(np.float64)),
        "argument 'x' has dtype float64, expected float32 for f32",
        "convert it with `.astype(np.float32)`",
    ),
    (
        lambda c: c.call(x=np.array(["a"])),
        "argument 'x' has dtype <U1, expected float32 for f32",
        "pass an array of np.float32",
    ),
    (
        lambda c: c.call(m=M.astype(np.int64)),
        "argument 'm' has dtype int64, expected int32 or uint32 for i32",
        "convert it with `.astype(np.int32)`",
    ),
    (
        lambda c: c.call(x=np.ones(16, np.float32)[::2]),
        "argument 'x' is strided, not contiguous in row-major order",
        "pass `np.ascontiguousarray(...)` of it",
    ),
    (
        lambda c: c.call(x=Y),
        "arguments 'x' and 'y' overlap, and one is written",
        "pass a copy of one of them",
    ),
    (
        lambda c: c.call(x=np.ma.masked_array(X)),
        "argument 'x' is a masked array",
        "pass its `.filled()` data",
    ),
    (
        lambda c: c.call(n=1.5),
        "argument 'n' is 1.5, expected a number for index",
        "pass one whole number, from -2**63 to 2**64 - 1",
    ),
    (
        lambda c: c.call(n=np.arange(3)),
        "argument 'n' is array([0, 1, 2]), expected a number for index",
        "pass one whole number, from -2**63 to 2**64 - 1",
    ),
    (
        lambda c: c.call(n="8"),
        "argument 'n' is '8', expected a number for index",
        "pass one whole number, from -2**63 to 2**64 - 1",
    ),
    (
        lambda c: c.call(a=1e300),
        "argument 'a' is 1e+300, expected a number for f32",
        "pass one number, no larger than 3.403e+38",
    ),
    (
        lambda c: c.call(b=2),
        "argument 'b' is 2, expected a number for i1",
        "pass True or False",
    ),
    (
        lambda c: c.call(grid=0),
        "the grid is 0",
        "pass one to three positive numbers of workgroups",
    ),
    (
        lambda c: c.call(grid="4"),
        "the grid is '4'",
        "pass one to three positive numbers of workgroups",
    ),
    (
        lambda c: c.call(grid=True),
        "the grid is True",
        "pass one to three positive numbers of workgroups",
    ),
    (
        lambda c: c.call(grid=(1, 1, 1, 1)),
        "the grid is (1, 1, 1, 1)",
        "pass one to three positive numbers of workgroups",
    ),
    (
        lambda c: c.call(grid=2**40),
        "the grid has 4398046511104 invocations, more than 2**40",
        "use a smaller grid, with a loop in the program",
    ),
    (
        lambda c: c.call(workgroup=(4, 0)),
        "the workgroup is (4, 0)",
        "pass one to three positive numbers of invocations",
    ),
    (
        lambda c: c.call(workgroup=(2, 2)),
        "the grid is missing, and workgroups of [2, 2, 1] are not one-dimensional",
        "pass grid=4 for x, y or grid=2 for m, counted in workgroups of (2, 2, 1)",
    ),
    (
        lambda c: c.call(timeout=0),
        "the timeout is 0",
        "pass a positive number of seconds, or leave it out",
    ),
    (
        lambda c: c.call(timeout="1s"),
        "the timeout is '1s'",
        "pass a positive number of seconds, or leave it out",
    ),
    (
        lambda c: c.call(fixpoint_iterations=0),
        "fixpoint_iterations is 0",
        "pass a number from 1 to 2^64 - 1, or None",
    ),
    (
        lambda c: c.call(check_interval=0.5),
        "check_interval is 0.5",
        "pass a number from 1 to 2^64 - 1, or None",
    ),
    (lambda c: c.call(mode="Split"), "there is no mode 'Split'", "did you mean 'split'?"),
    (lambda c: c.call(order="rand"), "there is no order 'rand'", "did you mean 'random'?"),
    (lambda c: c.call(seed="now"), "the seed is 'now'", "pass a whole number"),
    (lambda c: c.call(label=5), "the label is 5", "pass text"),
    (
        lambda c: c.call(max_output_bytes=1e9),
        "max_output_bytes is 1000000000.0",
        "pass a whole number of bytes",
    ),
    (
        lambda c: c.call(max_output_bytes=3),
        "the results have 64 bytes, max_output_bytes is 3",
        "raise the limit, or ask for less with an output range",
    ),
    (
        lambda c: c.call(config={"grid": 2}),
        "'config' is a dict, not a DispatchConfig",
        (
            "make one, or pass options by name; an argument of the program that is called "
            "'config' goes in a dictionary"
        ),
    ),
    (lambda c: c.call(trace=5), "the trace is an int", "pass a Trace, or a path"),
    (
        lambda c: c.call(trace="no/folder.json"),
        "the trace cannot be written to 'no/folder.json': No such file or directory",
        "pass a path that can be written",
    ),
    (
        lambda c: c.into([Y]),
        "'into' is a list",
        "pass a dictionary of arrays by the names of results",
    ),
    (
        lambda c: c.into({"yy": Y}),
        "there is no result 'yy' to be put into an array",
        "did you mean 'y'?",
    ),
    (
        lambda c: c.into({"x": X}),
        "there is no result 'x' to be put into an array",
        "the results are m, y",
    ),
    (
        lambda c: c.into({"y": np.zeros(7, np.float32)}),
        "argument 'y' has shape (7,), expected (8,)",
        "pass an array of that shape",
    ),
    (
        lambda c: c.check(kinds=["races"]),
        "there is no kind of finding 'races'",
        "did you mean 'race'?",
    ),
    (
        lambda c: c.check(kinds=5),
        "the kinds of findings are an int",
        "pass some of race, divergent barrier, order, never written, outside",
    ),
    (
        lambda _: make.DispatchConfig(mode="splt"),
        "there is no mode 'splt'",
        "did you mean 'split'?",
    ),
    (
        lambda c: c.exe.bind(GIVEN | {"y": Y.astype(np.float64)}),
        "argument 'y' has dtype float64, expected float32 for f32",
        "convert it with `.astype(np.float32)`",
    ),
    (
        lambda c: c.exe.bind(GIVEN | {"m": np.asfortranarray(M)}),
        "argument 'm' is strided, not contiguous in row-major order",
        "pass `np.ascontiguousarray(...)` of it",
    ),
    (
        lambda c: c.bound()(x=X),
        "buffer 'x' is held already",
        "pass parameters and options only, or hold another one",
    ),
    (
        lambda c: c.bound()(into={"y": Y}),
        "there is no argument 'into'",
        "pass it to a call of the executable, or bind these arrays",
    ),
    (lambda c: c.closed(c.bound())(), "the memory was freed", "run it before it is closed"),
    (lambda c: c.held().read("z"), "there is no buffer 'z'", "the buffers are x, m, y"),
    (
        lambda c: c.held().read("y", 5, 3),
        "'y' has 8 elements, and 5 to 3 is no range of them",
        "pass whole numbers with 0 <= start <= stop <= 8",
    ),
    (
        lambda c: c.held().write("y", Y, 4),
        "'y' has 8 elements, and 4 to 12 is no range of them",
        "pass whole numbers with 0 <= start <= stop <= 8",
    ),
    (
        lambda c: c.held().write("y", [1.0]),
        "argument 'y' is a list, not an array",
        "pass an array, such as `np.array(values)`",
    ),
    (lambda c: c.held().run(grdi=2), "there is no argument 'grdi'", "did you mean 'grid'?"),
    (
        lambda _: make.Megakernel("blurr.mlir"),
        "there is no file 'blurr.mlir'",
        "did you mean 'blur.mlir'?",
    ),
    (
        lambda _: make.Megakernel(PROGRAM, budget="1k"),
        "the budget is '1k'",
        "pass a number of bytes",
    ),
    (
        lambda _: make.Megakernel(PROGRAM, budget=100),
        "there is a budget, but no 'vyre.megakernel' whose waves could be planned",
        "leave the budget out, or write the program as waves",
    ),
    (
        lambda _: make.Megakernel(PROGRAM, packing="bst"),
        "there is no packing 'bst'",
        "did you mean 'best'?",
    ),
    (
        lambda _: make.Megakernel(PROGRAM, reads="y"),
        "'reads' is the text 'y'",
        "pass ['y']",
    ),
    (
        lambda _: make.Megakernel(PROGRAM, reads=["x"]),
        "the program writes no buffer 'x' that could be read back",
        "it writes m, y",
    ),
    (
        lambda _: make.Megakernel(PROGRAM, config={"grid": 2}),
        "'config' is a dict, not a DispatchConfig",
        (
            "make one, or pass options by name; an argument of the program that is called "
            "'config' goes in a dictionary"
        ),
    ),
    (
        lambda c: c.mega.dispatch(GIVEN),
        "'handle' is a dict",
        "pass what `resident` gave",
    ),
    (
        lambda c: c.mega.dispatch(c.other()),
        "the handle is not one of this megakernel",
        "make it by `resident` of the megakernel that runs it",
    ),
    (
        lambda c: c.mega.dispatch(c.closed(c.handle())),
        "the memory was freed",
        "run it before it is closed",
    ),
    (
        lambda c: c.mega.many(c.handle()),
        "'handles' is a Handle",
        "pass a list of handles",
    ),
    (
        lambda c: c.mega.many([c.handle()] * 2),
        (
            "a handle is in the batch twice, and results are read when all rows have "
            "ended: those of the first time would be lost"
        ),
        "run it again in another batch",
    ),
    (
        lambda c: c.mega.many_into([c.handle()], []),
        "there are 1 handles, and outputs for 0",
        "pass a dictionary of arrays for each handle",
    ),
    (
        lambda c: c.mega.into(c.handle(), {"z": Y}),
        "there is no result 'z' to be put into an array",
        "the results are m, y",
    ),
    (
        lambda c: c.mega.many_with_scratch([c.handle()], None),
        "'storage' is None",
        "pass a vyre.BatchStorage()",
    ),
    (
        lambda _: LaunchGeometry(100, 64),
        "100 slots are not whole workgroups of 64",
        "take a positive multiple of the width",
    ),
]


@pytest.mark.parametrize("number", range(len(MISTAKES)))
def test_the_answer_to_a_mistake(case: Case, number: int):
    mistake, cause, fix = MISTAKES[number]
    with pytest.raises(vyre.VyreError) as caught:
        mistake(case)
    assert str(caught.value) == f"error: {cause}\nFix: {fix}"


COMMANDS: list[tuple[str, str, str]] = [
    (
        "run nope.mlir",
        "there is no file 'nope.mlir'",
        "pass the path of a file, or text with the braces of a program",
    ),
    ("run blurr.mlir", "there is no file 'blurr.mlir'", "did you mean 'blur.mlir'?"),
    (
        "run folder.mlir",
        "cannot read 'folder.mlir': Is a directory",
        "pass the path of a file",
    ),
    ("run", "the following arguments are required: file", "see `vyre-run --help`"),
    (
        "run blur.mlir --gird 2",
        "unrecognized arguments: --gird 2",
        "did you mean '--grid'?",
    ),
    ("run blur.mlir --engine gpu", "there is no engine 'gpu'", "did you mean 'cupy'?"),
    ("run blur.mlir --mode splitt", "there is no mode 'splitt'", "did you mean 'split'?"),
    (
        "run blur.mlir --grid 4x4",
        "argument --grid: '4x4' is not up to three numbers with commas",
        "see `vyre-run --help`",
    ),
    (
        "run blur.mlir --grid 0 --in x=ones(8) --in y=ones(8) --in m=ones(2,4)",
        "the grid is (0,)",
        "pass one to three positive numbers of workgroups",
    ),
    ("run blur.mlir --in xx=1", "there is no argument 'xx'", "did you mean 'x'?"),
    ("run blur.mlir --in x", "argument --in: write NAME=...", "see `vyre-run --help`"),
    (
        "run blur.mlir --in x=nope.npy",
        "cannot open 'nope.npy': No such file or directory",
        "check path and free space",
    ),
    (
        "run blur.mlir --in x=range(4)",
        "cannot read 'range(4)' for 'x'",
        (
            "write a number, numbers with commas, zeros(SHAPE), ones(SHAPE), arange(N), or "
            "the name of an .npy file"
        ),
    ),
    (
        "run blur.mlir --in n=1.5",
        "cannot read '1.5' for 'n'",
        (
            "write a number, numbers with commas, zeros(SHAPE), ones(SHAPE), arange(N), or "
            "the name of an .npy file"
        ),
    ),
    (
        "run blur.mlir --in x=ones(8) --in y=ones(8) --in m=ones(2,4) --out x=x.npy",
        "there is no output 'x'",
        "the outputs are m, y",
    ),
    (
        "run blur.mlir --check-interval never",
        "argument --check-interval: 'never' is neither a number nor none",
        "see `vyre-run --help`",
    ),
    ("run blur.mlir --program reach", "there is no program 'reach'", "the module has blur"),
    (
        "run blur.mlir",
        "the size of 'x' is not known",
        "pass it, for example with `--in 'x=zeros(1000)'`",
    ),
    (
        "opt nope.mlir",
        "cannot open 'nope.mlir': No such file or directory",
        "check path and free space",
    ),
    (
        "opt blur.mlir -p vyre-hostplan",
        "there is no pass 'vyre-hostplan'",
        "did you mean 'vyre-host-plan'?",
    ),
    (
        "opt blur.mlir -p vyre-prove-inbounds{gird=4}",
        'Provided arguments ["gird"] not found in expected arguments ["grid", "sizes", '
        '"invocations"]',
        "did you mean 'grid'?",
    ),
    (
        "opt blur.mlir --passes=cse -t mlri",
        (
            "argument -t/--target: invalid choice: 'mlri' (choose from vyre-cuda, "
            "vyre-explain, vyre-llvm, vyre-plan, vyre-plan-svg, arm-asm, csl, llvm, mlir, "
            "mps, riscv-asm, wat, wgsl, x86-asm)"
        ),
        "did you mean 'mlir'?",
    ),
    (
        "opt blur.mlir --emit llvm",
        "unrecognized arguments: --emit llvm",
        "see `vyre-opt --help`",
    ),
]


@pytest.mark.parametrize("number", range(len(COMMANDS)))
def test_the_answer_to_a_command(number: int, capsys: pytest.CaptureFixture[str]):
    command, cause, fix = COMMANDS[number]
    tool, *words = command.split()
    start = {"run": lambda: run(words), "opt": lambda: VyreOptMain(words).run()}[tool]
    assert report_failures(start) == 1
    assert capsys.readouterr().err == f"error: {cause}\nFix: {fix}\n"
