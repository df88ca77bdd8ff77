"""Nothing in the text of kernels is left open by C++: a sanitizer watches it run."""

import numpy as np
import pytest
from cuda_devices import host_device
from cuda_kernels import check_operations, run_kernel
from scalar_bodies import exact_bodies
from xdsl.dialects.builtin import i32

from vyre.lowering.cuda.kernel import BufferArgument, CudaKernel

SANITIZED = (
    "-std=gnu++17 -O1 -w -fPIC -shared -fvisibility=hidden -fno-strict-aliasing "
    "-fsanitize=signed-integer-overflow,shift,integer-divide-by-zero,float-cast-overflow"
).split()
"""As the harness compiles, but without `-fwrapv`, and with somebody who complains."""


@pytest.fixture(autouse=True)
def sanitizer(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]):
    host_device()
    monkeypatch.setattr("vyre.testing.host_cuda_compiler._FLAGS", SANITIZED)
    yield
    assert "runtime error" not in capfd.readouterr().err


def test_all_operations():
    """With a remark, so that it is no text that others have compiled in their way."""
    bodies = exact_bodies()
    for first in range(0, len(bodies), 150):
        check_operations(bodies[first : first + 150], remark="sanitized")


def test_somebody_complains(capfd: pytest.CaptureFixture[str]):
    """Else these tests would say nothing."""
    source = 'extern "C" __global__ void f(int *a) { a[0] = a[0] + 2147483647; }'
    argument = BufferArgument("a", i32, ())
    kernel = CudaKernel("f", source, (argument,), (), (1, 1, 1), 0, (), None, ())
    run_kernel(kernel, {"a": np.ones(1, np.int32)}, (1, 1, 1), host_device())
    assert "signed integer overflow" in capfd.readouterr().err
