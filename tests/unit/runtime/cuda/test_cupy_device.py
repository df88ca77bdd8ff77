"""The device that works with CuPy: on one that pretends, and what the real one has."""

import inspect
import re
import sys
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from counting_programs import counting
from cuda_devices import fails, host_device
from cuda_fake_cupy import FakeCupy
from cuda_fake_state import OURS

import vyre
from vyre.runtime.errors import DeviceLost, DispatchFailed, OutOfMemory
from vyre.testing import Case, Inapplicable, conformance_cases
from vyre.testing.host_cuda import HostArray


@pytest.fixture(params=[13, 14], ids=["CuPy 13", "CuPy 14"])
def fake(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Generator[FakeCupy]:
    monkeypatch.setenv("VYRE_CACHE_DIR", str(tmp_path))
    made = FakeCupy(host_device(), version=request.param)
    with made.installed():
        yield made


@pytest.fixture
def lazy_fake() -> Generator[FakeCupy]:
    """Nothing is done before it must be."""
    made = FakeCupy(host_device(deferred=True, thread_order="random"))
    with made.installed():
        yield made


def new_device() -> Any:
    from vyre.runtime.cuda.cupy_device import CupyDevice

    return CupyDevice(OURS)


def new_backend(stream: object = None) -> Any:
    from vyre.runtime.cuda.backend import CudaBackend

    return CudaBackend(new_device(), stream)


CASES = [
    case
    for case in conformance_cases()
    if case.name.split(".")[0] in ("memory", "dispatch", "ending")
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_conformance(case: Case, lazy_fake: FakeCupy):
    try:
        case(new_backend())
    except Inapplicable as skipped:
        pytest.skip(str(skipped))


def test_limits(fake: FakeCupy):
    limits = new_device().limits
    assert limits.name == "fake GPU"
    assert limits.max_grid == (2**31 - 1, 65535, 65535)
    assert limits.max_block == (1024, 1024, 64)
    assert (limits.max_threads, limits.multiprocessors) == (1024, 4)
    assert (limits.shared_bytes, limits.cooperative) == (49152, True)


def test_options_of_the_compiler(fake: FakeCupy):
    """CuPy's own way would add options, of which one flushes small numbers to zero."""
    vyre.compile(counting(1), engine=new_backend())
    ((_, options),) = fake.texts
    assert "--fmad=false" in options
    assert "--gpu-architecture=sm_90" in options
    assert not any("ftz=true" in option for option in options)


def test_compiled_kernels_are_kept_on_disk(fake: FakeCupy):
    text = counting(7)
    for _ in range(2):
        exe = vyre.compile(text, engine=new_backend())
        assert exe(a=np.zeros(8, np.int32))["a"][0] == 7
    assert len(fake.texts) == 1


def test_a_gpu_that_is_newer_than_the_compiler(fake: FakeCupy):
    """PTX for the newest that it knows, which the driver compiles."""
    fake.capability = "120"
    vyre.compile(counting(11), engine=new_backend())
    assert "--gpu-architecture=compute_90" in fake.texts[-1][1]
    fake.capability = "61"
    assert "compute capability 6.1, kernels need 7.0" in fails(new_device)


def test_text_that_does_not_compile(fake: FakeCupy):
    device = new_device()
    said = fails(lambda: device.compile("syntax error", "k", ()))
    assert "NVRTC refuses the text for sm_90" in said
    assert "line 1: nonsense" in said


def test_a_cooperative_grid_is_never_made_smaller(fake: FakeCupy):
    device = new_device()
    function = device.compile('extern "C" __global__ void k() {}', "k", ())
    from vyre.runtime.cuda.arguments import PackedArguments

    nothing = PackedArguments([])
    stream = device.new_stream()
    shape: Any = ((64, 1, 1), (32, 1, 1), nothing, stream)
    device.launch(function, *shape, cooperative=True)
    device.synchronize(stream)
    shape = ((65, 1, 1), (32, 1, 1), nothing, stream)
    said = fails(lambda: device.launch(function, *shape, cooperative=True))
    assert "the GPU refuses a cooperative launch: error 720" in said
    assert "Fix: use mode='auto' or 'split'" in said


def test_memory_belongs_to_the_stream_that_uses_it(lazy_fake: FakeCupy):
    """CuPy's pool hands out what was freed to that stream only, behind what it did."""
    device = new_device()
    stream = device.new_stream()
    address = device.allocate(64, stream)
    device.clear(address, 64, stream)
    device.free(address)
    default = lazy_fake.stream(lazy_fake.default)
    lazy_fake.harness.synchronize(default)  # Would give it to others now.
    device.synchronize(stream)
    assert lazy_fake.harness.live_bytes == 0


@pytest.mark.parametrize("place", ["pinned", "within reach", "elsewhere"])
def test_uploads_take_the_data_as_it_is_now(lazy_fake: FakeCupy, place: str):
    """Also from memory that a GPU can read by itself, which it does later."""
    lazy_fake.reads_host_memory = place == "within reach"
    device = new_device()
    stream = device.new_stream()
    address = device.allocate(8, stream)
    data: Any = np.arange(8, dtype=np.uint8)
    if place == "pinned":
        cuda = cast(Any, lazy_fake.modules["cupy.cuda"])
        with device._working():
            data = np.frombuffer(memoryview(cuda.alloc_pinned_memory(8)), np.uint8)
        data[:] = np.arange(8)
    device.upload(address, data, stream)
    data[:] = 99
    found = np.zeros(8, np.uint8)
    device.download(address, found, stream)
    assert found.tolist() == list(range(8))


def test_other_threads_have_a_context(fake: FakeCupy):
    exe = vyre.compile(counting(3), engine=new_backend(), mode="split")
    found: list[int] = []

    def work() -> None:
        found.append(int(exe(a=np.zeros(8, np.int32))["a"][0]))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [3]


def test_the_current_device_stays_the_callers(fake: FakeCupy):
    assert fake.current_device == 0
    vyre.compile(counting(3), engine=new_backend())(a=np.zeros(8, np.int32))
    assert fake.current_device == 0


ERRORS = {
    2: OutOfMemory,
    46: DeviceLost,
    226: DeviceLost,
    214: DeviceLost,
    700: DeviceLost,
    719: DeviceLost,
    1: DispatchFailed,
    98: DispatchFailed,
}


@pytest.mark.parametrize("status", ERRORS)
def test_errors_have_a_type(fake: FakeCupy, status: int):
    exe = vyre.compile(counting(3), engine=new_backend())
    fake.fails_with = status
    with pytest.raises(ERRORS[status], match=f"error {status}"):
        exe(a=np.zeros(8, np.int32))
    fake.fails_with = None
    assert exe(a=np.zeros(8, np.int32))["a"][0] == 3


def test_a_lost_gpu_is_opened_again_when_it_is_back(fake: FakeCupy):
    backend = new_backend()
    fake.fails_with = 700
    with pytest.raises(DeviceLost):
        backend.reopened()
    fake.fails_with = None
    exe = vyre.compile(counting(3), engine=backend.reopened())
    assert exe(a=np.zeros(8, np.int32))["a"][0] == 3


def test_an_error_while_the_host_waits_ends_the_wait(fake: FakeCupy):
    """CuPy's `Event.done` would be false for ever."""
    device = new_device()
    stream = device.new_stream()
    event = device.record(stream)
    fake.fails_with = 700
    with pytest.raises(DeviceLost):
        device.is_done(event)


def test_streams_of_the_caller(fake: FakeCupy):
    class Foreign:
        def __init__(self, number: int):
            self._number = number

        def __cuda_stream__(self) -> tuple[int, int]:
            return 0, self._number

    class Older:
        def __init__(self, number: int):
            self.ptr = number

    own = new_device().new_stream()
    for stream in (Foreign(fake.new_stream()), Older(fake.new_stream()), own):
        exe = vyre.compile(counting(3), engine=new_backend(stream))
        assert exe(a=np.zeros(8, np.int32))["a"][0] == 3
    assert "a int is no stream" in fails(lambda: new_backend(5))

    class Other:
        ptr = 5
        device_id = 0

    said = fails(lambda: new_backend(Other()))
    assert "is one of device 0, the engine works on device 1" in said


class DlpackArray:
    """Has DLPack only, on a device of this number."""

    def __init__(self, array: HostArray, device: int = OURS):
        self._array = array
        self._device = device

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, self._device

    def __dlpack__(self, *, stream: int) -> HostArray:
        return self._array


def test_arrays_of_dlpack(fake: FakeCupy):
    exe = vyre.compile(counting(3), engine=new_backend())
    array = HostArray.of(fake.harness, np.zeros(8, np.int32))
    shown = DlpackArray(array)
    results = exe(a=shown, into={"a": shown})
    assert results["a"] is shown
    assert array.get()[0] == 3
    said = fails(lambda: exe(a=DlpackArray(array, device=0)))
    assert "argument 'a': an array is on device 0, the engine works on device 1" in said


def test_results_are_cupys_arrays(fake: FakeCupy):
    exe = vyre.compile(counting(3), engine=new_backend())
    array = HostArray.of(fake.harness, np.zeros(8, np.int32))
    found: Any = exe(a=array)["a"]
    assert isinstance(found, fake.modules["cupy"].__dict__["ndarray"])
    assert found.get()[0] == 3


def test_no_gpu(fake: FakeCupy):
    from vyre.runtime.cuda.cupy_device import CupyDevice

    said = fails(lambda: CupyDevice(5))
    assert "engine 'cupy' has no GPU: there are 2, and none has number 5" in said
    assert "engine 'cpu' needs no GPU" in said


def test_no_cupy(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    monkeypatch.delitem(sys.modules, "vyre.runtime.cuda.cupy_device", raising=False)
    said = fails(lambda: vyre.compile(counting(1), engine="cupy"))
    assert "engine 'cupy' needs CuPy" in said
    assert "Fix: pip install 'vyre[cuda12]'" in said


def signature_in(documented: str) -> list[str]:
    """The names of parameters in a signature as Cython documents it."""
    inside = re.sub(r"^.*?\((.*?)\).*", r"\1", documented.splitlines()[0])
    return [part.split("=")[0].split()[-1] for part in inside.split(",") if part.strip()]


FUNCTIONS = {
    "runtime": [
        "check_status",
        "deviceGetAttribute",
        "eventQuery",
        "eventRecord",
        "free",
        "getDevice",
        "getDeviceCount",
        "getDeviceProperties",
        "memcpyAsync",
        "memsetAsync",
        "pointerGetAttributes",
        "streamSynchronize",
        "streamWaitEvent",
    ],
    "driver": [
        "launchCooperativeKernel",
        "launchKernel",
        "occupancyMaxActiveBlocksPerMultiprocessor",
    ],
}


def test_the_real_cupy_has_the_same_functions():
    """So what works with the one that pretends can work with the real one."""
    cuda: Any = pytest.importorskip("cupy.cuda")
    fake: dict[str, Any] = dict(FakeCupy(host_device()).modules)
    for part, names in FUNCTIONS.items():
        for name in names:
            real = getattr(getattr(cuda, part), name)
            function = getattr(getattr(fake["cupy.cuda"], part), name)
            parameters = list(inspect.signature(function).parameters)
            assert signature_in(real.__doc__) == parameters, name
    names = ["memcpyHostToDevice", "memcpyDeviceToHost", "memcpyDeviceToDevice"]
    names += ["memoryTypeUnregistered", "memoryTypeDevice", "memoryTypeManaged"]
    constants = cast(dict[str, Any], vars(fake["cupy.cuda"].runtime))
    names += [name for name in constants if "DevAttr" in name]
    for name in names:
        real = getattr(cuda.runtime, name)
        assert real == constants[name], name
    for name in ("Device", "Event", "Graph", "Stream", "ExternalStream"):
        assert inspect.isclass(getattr(cuda, name))
    for name in ("alloc", "alloc_pinned_memory", "get_current_stream", "get_elapsed_time"):
        assert callable(getattr(cuda, name))
    for name in ("begin_capture", "end_capture"):
        assert callable(getattr(cuda.Stream, name))


def test_the_real_nvrtc_has_the_same_functions():
    nvrtc = pytest.importorskip("cupy_backends.cuda.libs.nvrtc")
    fake = FakeCupy(host_device()).modules["cupy_backends.cuda.libs.nvrtc"]
    for name, pretended in vars(fake).items():
        if inspect.ismethod(pretended):
            parameters = list(inspect.signature(pretended).parameters)
            assert signature_in(getattr(nvrtc, name).__doc__) == parameters, name


@pytest.mark.gpu
def test_the_real_cupy_works_on_a_gpu():
    from cuda_devices import gpu_device

    gpu_device()
    cupy = pytest.importorskip("cupy")
    exe = vyre.compile(counting(3), engine="cupy")
    array = cupy.zeros(8, np.int32)
    found: Any = exe(a=array)["a"]
    assert isinstance(found, cupy.ndarray)
    assert found.get()[0] == 3
    assert array.get()[0] == 0
    step = exe.bind(a=array)
    for _ in range(5):
        step()
    assert array.get()[0] == 15
