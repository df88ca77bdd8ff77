"""
Buffers of a program on a device, and runs of the program on them.

This is the one mechanism behind every kind of dispatch: a call makes a session for one run
and reads the results, a bound or resident program keeps its session for many.
"""

import threading
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vyre.runtime import telemetry
from vyre.runtime.arguments import span_of, zeros
from vyre.runtime.backend import Buffer, Prepared
from vyre.runtime.binding import Arguments, Binding, Role
from vyre.runtime.config import DispatchConfig
from vyre.runtime.deadline import Deadline
from vyre.runtime.device import Device
from vyre.runtime.device_array import AnyArray, DeviceArray, is_device_buffer
from vyre.runtime.device_buffer import ALIGNMENT, DeviceBuffer, empty_device_buffer
from vyre.runtime.errors import InvalidArgument, labelled
from vyre.runtime.geometry import Geometry
from vyre.runtime.passes import Work
from vyre.runtime.route import Route
from vyre.runtime.trace import Trace

if TYPE_CHECKING:
    from vyre.runtime.executable import Executable

Array = NDArray[Any]


@dataclass(frozen=True)
class DispatchPlan:
    """How a dispatch will run."""

    config: DispatchConfig
    geometry: Geometry
    route: Route


class Session:
    """
    The buffers of checked arguments on a device.

    `homes` are arrays of the host by name that may be worked on in place: what the caller
    passed for buffers that are only read, and where results are to be for the others. They
    hold what the buffers start with.
    """

    def __init__(
        self,
        exe: "Executable",
        arguments: Arguments,
        config: DispatchConfig,
        trace: Trace | None = None,
    ):
        self.started = time.perf_counter_ns()
        self.deadline = Deadline(config.timeout)
        self.exe = exe
        self.arguments = arguments
        self.plan = exe.plan(arguments, config)
        self.device = Device(exe.backend, trace)
        self.buffers: dict[str, Buffer] = {}
        self.in_place: set[str] = set()
        self.lock = threading.RLock()
        self._kept: dict[object, Buffer] = {}

    def open(self, homes: Mapping[str, AnyArray]) -> None:
        """Lay out all buffers, those with a home in place if the engine can."""
        for binding in self.exe.bindings.declared:
            home = homes.get(binding.name)
            _check_alignment(binding, home)
            buffer = None
            if home is not None and self._may_adopt(binding, home):
                buffer = self.device.adopted(binding.name, home, binding.dtype)
            if buffer is None:
                shape = self.arguments.shape(binding)
                buffer = self.device.buffer(
                    binding.name, shape, binding.dtype, binding.alignment
                )
            else:
                self.in_place.add(binding.name)
            self.buffers[binding.name] = buffer

    def _may_adopt(self, binding: Binding, home: AnyArray) -> bool:
        aligned = home.size == 0 or span_of(home)[0] % binding.alignment == 0
        is_there = isinstance(home, DeviceArray) or self.exe.backend.capabilities.in_place
        return is_there and aligned

    def new_home(self, binding: Binding) -> AnyArray:
        """An array for a result, where it shall be: zeros, or of any contents there."""
        shape, dtype = self.arguments.shape(binding), self.arguments.dtype(binding)
        if self.arguments.result_is_on_device(binding):
            return self._new_device_array(binding, shape, dtype)
        return zeros(binding.name, shape, dtype, binding.alignment)

    def _new_device_array(
        self, binding: Binding, shape: tuple[int, ...], dtype: np.dtype[Any]
    ) -> DeviceArray:
        """Makes an array of the kind that was passed for a buffer, or for all others."""
        if self.arguments.result_is_device_buffer(binding):
            backend = self.device.backend
            return empty_device_buffer(backend, binding.name, shape, dtype).on(backend)
        return self.device.new_array(binding.name, shape, dtype)

    def new_result(self, binding: Binding, home: AnyArray) -> AnyArray:
        """What the caller gets of a home: all of it, or an array for the range."""
        if not isinstance(home, DeviceArray):
            return binding.result_of(home)
        if binding.result_range is None:
            return home
        shape = binding.result_shape(home.shape)
        return self._new_device_array(binding, shape, home.dtype)

    def shared(self, name: str) -> DeviceBuffer:
        """Returns a buffer as a value, which keeps its memory alive from now on."""
        dtype = self.arguments.dtype(self.exe.bindings.by_name[name])
        return DeviceBuffer(self.device.share(replace(self.buffers[name], dtype=dtype)))

    def homes_in_place(self, homes: Mapping[str, AnyArray]) -> dict[str, AnyArray]:
        """Those that may be worked on in place: not what is kept for the next dispatch."""
        return {n: a for n, a in homes.items() if not self.is_kept(n)}

    @cached_property
    def keeps(self) -> bool:
        """Whether there are persistent buffers that belong to the program."""
        return any(self.is_kept(name) for name in self.exe.bindings.by_name)

    def is_kept(self, name: str) -> bool:
        """Whether a buffer is persistent, and the caller passed nothing for it."""
        binding = self.exe.bindings.by_name[name]
        return binding.role is Role.PERSISTENT and name not in self.arguments.arrays

    def fill(self, binding: Binding, home: AnyArray | None = None) -> None:
        """Let a buffer start with what was passed, what was kept, or zeros."""
        buffer = self.buffers[binding.name]
        given = self.arguments.given(binding)
        kept = self.exe.kept.get(binding.name)
        if given is not None:
            telemetry.add(input_bytes=given.nbytes)
        if home is not None and binding.name in self.in_place:
            if binding.is_written and given is not home:
                self._fill_home(buffer, home, given)
        elif given is not None:
            self.device.store(buffer, given)
        elif binding.role is Role.PERSISTENT and kept is not None:
            self.device.copy(kept, buffer)
        else:
            self.device.clear(buffer)

    def _fill_home(self, buffer: Buffer, home: AnyArray, given: AnyArray | None) -> None:
        if not isinstance(home, DeviceArray):
            # Bits count: the dtypes may differ in what they call them.
            home[...] = given.view(home.dtype) if isinstance(given, np.ndarray) else 0
        elif given is None:
            self.device.clear(buffer)
        else:
            self.device.store(buffer, given)

    @contextmanager
    def dispatching(self, plan: DispatchPlan | None = None) -> Generator[None]:
        """A dispatch, from its first transfer to its last: it is counted and traced."""
        plan = plan or self.plan
        name = plan.config.label or f"@{self.exe.unit.name}"
        telemetry.add(dispatches=1, **plan.route.counts)
        with (
            labelled(plan.config.label),
            telemetry.counting_failures(),
            self.device.span("dispatch", name, route=plan.route.form),
        ):
            yield

    def work(
        self,
        plan: DispatchPlan | None = None,
        scalars: Mapping[str, np.generic] | None = None,
        deadline: Deadline | None = None,
        *,
        timed: bool = False,
        may_be_kept: bool = False,
    ) -> Work:
        """What a run does; parameters may be others than at first."""
        plan = plan or self.plan
        return Work(
            self.device,
            plan.route,
            self.buffers,
            {**self.arguments.scalars, **(scalars or {})},
            plan.geometry,
            plan.config,
            deadline or self.deadline,
            timed,
            [binding.name for binding in self.exe.bindings.written],
            self._kept,
            may_be_kept,
        )

    def prepared(self, zeros: Sequence[str]) -> Prepared:
        """
        All passes as a dispatch that can be made again and again, on an engine that makes
        the whole; the buffers that are named are zeros when it starts.
        """
        return self.device.prepared(self.work().whole(), zeros)

    def fetch(self, binding: Binding, home: AnyArray, result: AnyArray) -> None:
        """Bring a result home, if it is not there already, and to the caller."""
        buffer = self.buffers[binding.name]
        if binding.name not in self.in_place:
            self.device.fetch(buffer, home)
        if result is home:
            return
        if isinstance(home, DeviceArray) or isinstance(result, DeviceArray):
            begin, _ = binding.result_bounds(home.shape)
            self.device.fetch(buffer, result, begin * binding.dtype.itemsize)
        elif not np.may_share_memory(home, result):
            result[...] = binding.result_of(home).view(result.dtype)

    def load_persistent(self) -> None:
        """Let persistent buffers hold what the last dispatch of the program has left."""
        if self.keeps:
            for binding in self.exe.bindings.declared:
                if self.is_kept(binding.name):
                    self.fill(binding)

    def keep_persistent(self) -> None:
        """What persistent buffers hold now is what the next dispatch starts with."""
        for name, buffer in self.buffers.items():
            if self.is_kept(name):
                self.exe.keep(buffer)


def _check_alignment(binding: Binding, home: AnyArray | None) -> None:
    """Refuses a device buffer that would have to be copied."""
    if is_device_buffer(home) and binding.alignment > ALIGNMENT:
        raise InvalidArgument(
            f"argument '{binding.name}' is a device buffer aligned to {ALIGNMENT} bytes,"
            f" the program wants {binding.alignment}",
            "pass a NumPy array",
        )
