"""The CUDA engine as a backend: programs as CUDA C++ on a GPU."""

from collections.abc import Sequence
from math import prod
from typing import Any
from weakref import WeakSet

import numpy as np
from typing_extensions import override

from vyre.dialects.vyre import ProgramOp, ScheduleOp
from vyre.lowering.cuda.passes.cuda_pipeline import CudaPipelinePass
from vyre.passes.pipeline import Pipeline
from vyre.runtime.backend import (
    Backend,
    Buffer,
    Bytes,
    Capabilities,
    Prepared,
    Repeatable,
    Whole,
)
from vyre.runtime.cuda.arrays import device_array, wait_for_owner
from vyre.runtime.cuda.comparing import FLAG_BYTES, comparison
from vyre.runtime.cuda.device import CudaDevice
from vyre.runtime.cuda.engine import CudaEngine
from vyre.runtime.cuda.memory import CudaMemory
from vyre.runtime.cuda.prepared import PreparedDispatch, Together
from vyre.runtime.cuda.unit import CudaUnit
from vyre.runtime.cuda.watchdog import watchdog_of
from vyre.runtime.device_array import AnyArray, DeviceArray
from vyre.runtime.errors import OutOfMemory
from vyre.runtime.geometry import Geometry
from vyre.runtime.unit import Unit

_ALIGNMENT = 256
"""Addresses that a device gives are multiples of it."""


class CudaBackend(Backend):
    """
    Runs programs on a GPU. Without a `device` that is CuPy's current one. All work goes to
    one stream, the caller's `stream` or one of its own; for dispatches that run at the same
    time, make an engine for each. `watchdog` is how often a workgroup looks for the others
    at a grid barrier before it gives up, which raises `DivergentBarrier`. Without it, it is
    what the environment variable VYRE_CUDA_WATCHDOG says; 0 waits for ever.

    Example: `vyre.compile(file, engine=CudaBackend(stream=cupy.cuda.Stream()))`
    """

    name = "cupy"

    def __init__(
        self,
        device: CudaDevice | None = None,
        stream: object = None,
        *,
        watchdog: int | None = None,
    ):
        if device is None:
            from vyre.runtime.cuda.cupy_device import CupyDevice

            device = CupyDevice()
        limits = device.limits
        self.device = device
        self.capabilities = Capabilities(
            grid_sync=limits.cooperative,
            whole=True,
            max_groups=limits.max_grid,
            max_workgroup=limits.max_block,
            max_workgroup_invocations=limits.max_threads,
        )
        self._engine = CudaEngine(device, stream, watchdog_of(watchdog))
        self._units: WeakSet[CudaUnit] = WeakSet()

    @override
    def allocate(self, size: int, alignment: int) -> CudaMemory:
        slack = max(0, alignment - _ALIGNMENT)
        address = self._allocated(size + slack)
        return CudaMemory(address + -address % alignment, address)

    def _allocated(self, size: int) -> int:
        try:
            return self.device.allocate(size, self._engine.stream)
        except OutOfMemory:
            for unit in list(self._units):
                unit.drop_idle()
        return self.device.allocate(size, self._engine.stream)

    @override
    def free(self, memory: CudaMemory) -> None:
        assert memory.allocated is not None
        self.device.free(memory.allocated)

    @override
    def upload(self, memory: CudaMemory, offset: int, data: Bytes) -> None:
        self.device.upload(memory.address + offset, data, self._engine.stream)

    @override
    def download(self, memory: CudaMemory, offset: int, data: Bytes) -> None:
        self.device.download(memory.address + offset, data, self._engine.stream)

    @override
    def clear(self, memory: CudaMemory, size: int) -> None:
        self.device.clear(memory.address, size, self._engine.stream)

    @override
    def copy(self, source: CudaMemory, target: CudaMemory, size: int) -> None:
        self.device.copy(source.address, target.address, size, self._engine.stream)

    @override
    def equal(self, one: Buffer, other: Buffer) -> bool:
        device, stream = self.device, self._engine.stream
        flag = self._allocated(FLAG_BYTES)
        try:
            device.clear(flag, FLAG_BYTES, stream)
            step = comparison(device, self._engine.loader, one, other, flag)
            step.enqueue(device, stream)
            found = np.zeros(FLAG_BYTES, np.uint8)
            device.download(flag, found, stream)
        finally:
            device.free(flag)
        return not found.any()

    @override
    def finish(self) -> None:
        self.device.synchronize(self._engine.stream)

    @override
    def device_array(self, value: object) -> DeviceArray | None:
        return device_array(self._engine, value)

    @override
    def new_device_array(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> DeviceArray:
        made = self.device.new_array(shape, dtype, self._engine.stream)
        found = device_array(self._engine, made)
        assert found is not None
        return found

    @override
    def adopt(self, array: AnyArray) -> CudaMemory | None:
        if not isinstance(array, DeviceArray):
            return None
        wait_for_owner(self._engine, array.exporter)
        return CudaMemory(array.address, owner=array.exporter)

    @override
    def part(self, memory: CudaMemory, offset: int) -> CudaMemory:
        return CudaMemory(memory.address + offset, owner=memory.owner)

    @override
    def pipeline(
        self, unit: Unit, *, is_split: bool
    ) -> tuple[ProgramOp | ScheduleOp, Pipeline]:
        return unit.op, CudaPipelinePass(mode="split" if is_split else "native")

    @override
    def compile_whole(self, unit: Unit) -> CudaUnit:
        made = CudaUnit(unit.op, self._engine)
        self._units.add(made)
        return made

    @override
    def sources(self, kernel: CudaUnit) -> dict[str, str]:
        return kernel.sources()

    @override
    def resident_groups(self, kernel: CudaUnit, geometry: Geometry) -> int:
        program = kernel.unit
        assert isinstance(program, ProgramOp)
        loaded = kernel.kernel(program, geometry)
        each = self.device.blocks_per_multiprocessor(
            loaded.function.handle, prod(geometry.size)
        )
        return each * self.device.limits.multiprocessors

    @override
    def prepare(self, whole: Whole, zeros: Sequence[str] = ()) -> Prepared:
        return PreparedDispatch(self._engine, whole, zeros)

    @override
    def together(self, batch: Sequence[Prepared]) -> Repeatable:
        mine = [each for each in batch if isinstance(each, PreparedDispatch)]
        return Together(mine) if len(mine) == len(batch) else super().together(batch)

    @override
    def reopened(self) -> "CudaBackend":
        return CudaBackend(self.device.reopened(), watchdog=self._engine.watchdog or 0)
