"""
Folders of tests are no packages; what tests share is imported by its plain name. Compiled
code goes to a cache that lives as long as the tests run, not to the user's.
"""

import atexit
import gc
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
from xdsl.ir import Attribute
from xdsl.utils.diagnostic import Diagnostic

HERE = Path(__file__).parent
BESIDE = ("analysis", "passes", "testing", "runtime/cuda")
"""Where tests have a module that no other test needs."""

SHARED = [
    *(HERE / name for name in ("helpers", "fuzz", "model")),
    *(HERE / "unit" / name for name in BESIDE),
]
sys.path.extend(map(str, SHARED))
# What they assert counts under `python -O`, too.
pytest.register_assert_rewrite(
    *(path.stem for each in SHARED for path in each.glob("*.py"))
)

from costs import Costs  # noqa: E402
from samples import ALL, left_out  # noqa: E402

if "PYTEST_XDIST_WORKER" not in os.environ:  # Workers share the folder of the run.
    os.environ["VYRE_CACHE_DIR"] = tempfile.mkdtemp(prefix="vyre-tests-")
    atexit.register(shutil.rmtree, os.environ["VYRE_CACHE_DIR"], ignore_errors=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--costs", action="store_true", help="processor seconds by file")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--costs"):
        config.pluginmanager.register(Costs())


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if config.pluginmanager.hasplugin("randomly"):
        seed = config.getoption("randomly_seed")
        terminalreporter.line(f"in random order; add --randomly-seed={seed} for the same")


@pytest.fixture(autouse=True)
def leaves_no_trace() -> Generator[None]:
    """
    Restores SIGINT's handler, which who runs tests in the background has ignored, and
    fails a test that leaves behind what other tests would notice.
    """
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    before = shared_state()
    yield
    signal.signal(signal.SIGINT, handler)
    assert shared_state() == before


def shared_state() -> tuple[object, ...]:
    names = {name: text for name, text in os.environ.items() if name[:7] != "PYTEST_"}
    limits = sys.getrecursionlimit(), sys.getswitchinterval()
    xdsl = Attribute.__post_init__, Diagnostic.colored
    return names, os.getcwd(), limits, gc.isenabled(), list(sys.path), xdsl


def pytest_collection_finish() -> None:
    """What is there lives as long as the tests, so the collector need not look at it."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Takes samples of tests that are marked for it, after `-k` and `-m`."""
    out = set[pytest.Item]() if ALL else left_out(items)
    if out:
        config.hook.pytest_deselected(items=sorted(out, key=lambda item: item.nodeid))
        items[:] = [item for item in items if item not in out]
