"""The CUDA engine keeps to the contract of engines: in one launch, and split."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest
from cuda_devices import gpu_device, host_device

from vyre.runtime.backend import Backend
from vyre.runtime.cuda.backend import CudaBackend
from vyre.runtime.cuda.device import CudaDevice
from vyre.testing import Case, Inapplicable, conformance_cases
from vyre.testing.host_cuda import PRETENDED


@cache
def cooperative() -> CudaDevice:
    return host_device()


@cache
def splitting() -> CudaDevice:
    """Grid barriers are never native, and turns are taken at random, as late as can be."""
    return host_device(
        limits=replace(PRETENDED, cooperative=False),
        block_order="random",
        thread_order="random",
        deferred=True,
    )


@cache
def backwards() -> CudaDevice:
    return host_device(block_order="reversed", thread_order="reversed")


DEVICES = [
    pytest.param(cooperative, id="native"),
    pytest.param(backwards, id="native backwards"),
    pytest.param(splitting, id="split at random"),
    pytest.param(cache(gpu_device), id="gpu", marks=pytest.mark.gpu),
]


def backend_on(make_device: Callable[[], CudaDevice]) -> Backend:
    return CudaBackend(make_device())


@pytest.mark.covering(1)
@pytest.mark.parametrize("make_device", DEVICES)
@pytest.mark.parametrize("case", conformance_cases(), ids=str)
def test_conformance(case: Case, make_device: Callable[[], CudaDevice]):
    try:
        case(backend_on(make_device))
    except Inapplicable as skipped:
        pytest.skip(str(skipped))


def test_few_cases_are_about_what_the_engine_lacks():
    skipped: list[str] = []
    for case in conformance_cases():
        if case.name.startswith("memory.") or "fitting" in case.name:
            try:
                case(backend_on(cooperative))
            except Inapplicable:
                skipped.append(case.name)
    assert skipped == ["memory.adopt", "memory.adopt_awkward_arrays"]
