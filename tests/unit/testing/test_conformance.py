"""The conformance suite: right engines pass it, and it finds what is wrong with others."""

import importlib.util
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from samples import ALL
from strict_backend import StrictBackend
from typing_extensions import override
from wrong_backends import MISTAKES

from vyre.analysis.features import Feature
from vyre.dialects.vyre import ProgramOp
from vyre.interpreter.backend import ReferenceBackend
from vyre.interpreter.engine import Dispatch
from vyre.runtime.backend import Backend, Capabilities, Kernel, Launch
from vyre.runtime.deadline import Deadline
from vyre.runtime.geometry import Geometry
from vyre.runtime.host_memory import ClosureBackend
from vyre.testing import (
    RecordingBackend,
    WrappedBackend,
    check_backend,
    conformance,
    conformance_cases,
)
from vyre.testing import case as case_of_suite
from vyre.testing.__main__ import main

ROOT = Path(__file__).parents[3]
Arguments = Mapping[str, NDArray[Any] | np.generic]


def toy_backend() -> Backend:
    """The engine that the handbook shows."""
    place = importlib.util.spec_from_file_location(
        "toy_backend", ROOT / "docs" / "toy_backend.py"
    )
    assert place is not None
    assert place.loader is not None
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module.ToyBackend()


def closure_backend() -> Backend:
    def launcher(program: ProgramOp, arguments: Arguments, geometry: Geometry) -> None:
        # A function is not told the deadline, so it must have one of its own.
        Dispatch(geometry.groups, deadline=Deadline(2)).run(program, arguments)

    return ClosureBackend(launcher)


def strict_backend() -> Backend:
    return StrictBackend(ReferenceBackend())


def recording_backend() -> Backend:
    return RecordingBackend(ReferenceBackend())


class Modest(ReferenceBackend):
    """Lacks all that can be lacking, and has little room."""

    name = "modest"
    capabilities = Capabilities(
        lacks=frozenset(Feature),
        max_workgroup=(16, 4, 4),
        max_workgroup_invocations=16,
        max_buffer_bytes=1 << 16,
    )


class Fitting(ReferenceBackend):
    """Has grid barriers for a few workgroups only."""

    name = "fitting"

    @override
    def resident_groups(self, kernel: Kernel, geometry: Geometry) -> int | None:
        return 5


class Lazy(WrappedBackend):
    """Launches nothing until somebody wants to know, or changes memory."""

    name = "lazy"

    def __init__(self) -> None:
        super().__init__(ReferenceBackend())
        self._of_thread = threading.local()

    @override
    def launch(self, launch: Launch) -> None:
        self._waiting.append(launch)

    @override
    def noted(self, call: str) -> None:
        waiting = self._waiting
        if call == "free":
            waiting.clear()  # The dispatch has failed, or nothing is waiting.
        while waiting:
            self.inner.launch(waiting.pop(0))

    @property
    def _waiting(self) -> list[Launch]:
        if not hasattr(self._of_thread, "waiting"):
            self._of_thread.waiting = list[Launch]()
        return self._of_thread.waiting


RIGHT = [
    ReferenceBackend,
    toy_backend,
    closure_backend,
    recording_backend,
    Modest,
    Fitting,
    Lazy,
    strict_backend,
]


@pytest.mark.parametrize("make", RIGHT)
def test_right_engines_pass(make: Callable[[], Backend]):
    """All compute with the reference engine, so what they compute is looked at once."""
    cases = conformance_cases()
    if not ALL and make is not ReferenceBackend:  # Each case on half of the engines.
        kinds = ("memory.", "launch.", "dispatch.", "ending.")
        cases = [case for case in cases if case.name.startswith(kinds)]
        cases = cases[RIGHT.index(make) % 2 :: 2]
    report = check_backend(make, cases)
    assert report.ok, str(report)
    assert len(report.passed) > len(cases) / 2


def test_what_an_engine_lacks_is_skipped():
    causes = {
        "scalars.floats[f64]": "it has no 64-bit floats",
        "ending.trap": "it has no traps",
        "dispatch.fitting_grids": "it has no grid barriers",
        "memory.adopt": "it does not work in place",
        "groups.barriers": "64 invocations of a workgroup along x are more than the 16",
    }
    cases = [case for case in conformance_cases() if case.name in causes]
    for outcome in check_backend(Modest, cases).outcomes:
        assert outcome.status == "skipped"
        assert outcome.cause.startswith(causes[outcome.case.name])


def test_the_engine_of_the_handbook_is_short():
    text = (ROOT / "docs" / "toy_backend.py").read_text()
    assert len(text.splitlines()) < 60


def test_every_case_is_named_once():
    names = [str(case) for case in conformance_cases()]
    assert len(set(names)) == len(names)


def test_the_example_for_test_files_works(tmp_path: Path):
    documented = re.search(r"```python\n(.*?)```", conformance.__doc__ or "", re.DOTALL)
    assert documented is not None
    text = documented[1].replace("my_package", "toy_backend")
    text = text.replace("MyBackend", "ToyBackend")
    (tmp_path / "test_mine.py").write_text(text)
    (tmp_path / "toy_backend.py").write_text((ROOT / "docs/toy_backend.py").read_text())
    command = [sys.executable, "-m", "pytest", "-q", "-k", "finish or fitting_grids"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert "1 passed, 1 skipped" in done.stdout, done.stdout


def test_command_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    cases = [case for case in conformance_cases() if case.name.startswith("memory.")]
    monkeypatch.setattr(conformance, "conformance_cases", lambda: cases)
    assert main(["reference"]) == 0
    assert capsys.readouterr().out.endswith("0 failed, 0 skipped\n")
    assert main(["wrong_backends:IgnoresOffsets"]) == 1
    table = capsys.readouterr().out.splitlines()
    (row,) = [line for line in table if line.startswith("memory.ranges ")]
    assert re.search(r"  failed   the memory\[0\] is np.uint8\(\d+\), expected", row)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nonsense", "there is no engine 'nonsense'"),
        ("nowhere.at.all:Backend", "there is no 'nowhere.at.all:Backend'"),
        ("pathlib:Path", "'pathlib:Path' makes no engine"),
    ],
)
def test_command_line_without_an_engine(
    name: str, said: str, capsys: pytest.CaptureFixture[str]
):
    assert main([name]) == 1
    error = capsys.readouterr().err
    assert said in error
    assert "Fix: " in error


@pytest.mark.parametrize(("make", "name"), MISTAKES)
def test_mistakes_are_found(
    make: Callable[[], Backend], name: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(case_of_suite, "PATIENCE", 1.0)
    (case,) = [case for case in conformance_cases() if case.name == name]
    (outcome,) = check_backend(make, [case]).outcomes
    assert outcome.status == "failed"
    assert outcome.cause
