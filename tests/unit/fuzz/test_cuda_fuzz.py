"""Random programs as CUDA kernels: NVRTC accepts them, and they are right."""

import pytest
from cuda_devices import host_device
from cuda_soundness import examine
from grid_programs import generate
from nvrtc_texts import require_nvrtc

SEED = 2026


@pytest.mark.few(8)
@pytest.mark.parametrize("number", range(100))
def test_kernels_are_compiled(number: int):
    """In both modes, for all devices, without a warning."""
    require_nvrtc(80)
    outcome = examine(generate(SEED, number), runs=False)
    assert not outcome.failures
    assert outcome.kernels >= 4


@pytest.mark.few(2)
@pytest.mark.parametrize("number", range(80, 92))
def test_kernels_give_the_bytes_of_the_reference(number: int):
    """With blocks and threads in a random order; NVRTC compiles them for all devices."""
    require_nvrtc(80)
    host_device()
    outcome = examine(generate(SEED, number))
    assert not outcome.failures
    assert outcome.runs
