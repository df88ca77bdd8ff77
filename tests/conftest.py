"""
Folders of tests are no packages; what tests share is imported by its plain name. Compiled
code goes to a cache that lives as long as the tests run, not to the user's.
"""

import atexit
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

sys.path.extend(str(Path(__file__).parent / name) for name in ("helpers", "fuzz", "model"))

os.environ["VYRE_CACHE_DIR"] = tempfile.mkdtemp(prefix="vyre-tests-")
atexit.register(shutil.rmtree, os.environ["VYRE_CACHE_DIR"], ignore_errors=True)


@pytest.fixture(autouse=True)
def ctrl_c_is_heard() -> Generator[None]:
    """Who runs tests in the background has it ignored, and children inherit that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
