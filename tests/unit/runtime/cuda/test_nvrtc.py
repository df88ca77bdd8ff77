"""NVRTC compiles the engine's own kernels, and as it is told. It needs no device."""

import importlib
import sys
from typing import Any

import numpy as np
import pytest
from cuda_devices import fails

from vyre.runtime.cuda.comparing import comparison_text
from vyre.runtime.errors import CompileFailed


@pytest.fixture(scope="module")
def nvrtc() -> Any:
    """Vyre's functions for it."""
    pytest.importorskip("cupy_backends.cuda.libs.nvrtc", reason="CuPy is not installed")
    return importlib.import_module("vyre.runtime.cuda.cupy_nvrtc")


def architectures(nvrtc: Any) -> list[int]:
    return [each for each in (70, 80, 90) if each in nvrtc.architectures()]


@pytest.mark.parametrize("dtype", ["?", "i1", "i2", "i4", "i8", "f2", "f4", "f8"])
def test_comparisons_compile(nvrtc: Any, dtype: str):
    found = architectures(nvrtc)
    assert found
    for architecture in found:
        text = comparison_text(np.dtype(dtype))
        compiled = nvrtc.compile_text(text, f"sm_{architecture}")
        assert compiled.code.startswith(b"\x7fELF")
        assert "warning #" not in compiled.log


ARITHMETIC = """
extern "C" __global__ void k(float *a) { *a = *a * 3.0f + a[1] / *a; }
"""


def test_options_count(nvrtc: Any):
    """Nothing is fused or flushed to zero, unless somebody asks for that."""
    text = nvrtc.compile_text(ARITHMETIC, "compute_80").code.decode()
    assert "fma" not in text
    assert ".ftz" not in text
    assert "div.rn.f32" in text
    text = nvrtc.compile_text(ARITHMETIC, "compute_80", ["--ftz=true"]).code.decode()
    assert "fma.rn.ftz" in text


def test_machine_code_is_a_whole_file(nvrtc: Any):
    """The headers of segments come last; CuPy gives the file without its last byte."""
    for architecture in architectures(nvrtc):
        code = nvrtc.compile_text(ARITHMETIC, f"sm_{architecture}").code
        begin = int.from_bytes(code[32:40], "little")
        size, count = (int.from_bytes(code[k : k + 2], "little") for k in (54, 56))
        assert len(code) == begin + size * count
        assert nvrtc.whole_file(code) == code


def test_text_that_is_wrong(nvrtc: Any):
    with pytest.raises(CompileFailed, match=r"vyre\.cu\(2\): error") as caught:
        nvrtc.compile_text("\nnonsense", "sm_80")
    assert "NVRTC refuses the text for sm_80" in caught.value.cause


def test_versions(nvrtc: Any):
    assert nvrtc.nvrtc_version() >= (12, 0)
    assert 80 in nvrtc.architectures()


def test_without_cupy(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "cupy_backends.cuda.libs", None)
    monkeypatch.delitem(sys.modules, "vyre.runtime.cuda.cupy_nvrtc", raising=False)

    def load() -> object:
        return importlib.import_module("vyre.runtime.cuda.cupy_nvrtc")

    assert "Fix: pip install 'vyre[cuda12]'" in fails(load)
