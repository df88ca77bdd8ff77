"""What the page about the CUDA engine shows is so."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cuda_devices import host_device

from vyre.runtime import backends
from vyre.runtime.cuda.backend import CudaBackend

ROOT = Path(__file__).parents[4]
PAGE = (ROOT / "docs/cuda.md").read_text(encoding="utf-8")


def test_the_example_runs(monkeypatch: pytest.MonkeyPatch):
    """On the host, with NumPy's arrays."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    monkeypatch.setattr(backends, "_made", {"cupy": CudaBackend(host_device())})
    monkeypatch.chdir(ROOT)
    names: dict[str, Any] = {}
    exec(code.replace("import cupy, vyre", "import numpy as cupy, vyre"), names)
    assert np.array_equal(names["results"]["keys"], np.arange(1, 4097))
    assert names["keys"][0] == 4096


def test_files_that_are_named_are_there():
    for name in re.findall(r"`([\w/]+\.py)`", PAGE):
        folders = ("", "lowering/cuda/", "runtime/cuda/")
        assert any((ROOT / folder / name).is_file() for folder in folders), name
