"""Kernels that are run on the host, in turns that the caller chooses."""

import threading
from collections.abc import Sequence
from ctypes import pointer
from dataclasses import dataclass
from typing import Literal, TypeAlias

from vyre.runtime.cuda.arguments import PackedArguments
from vyre.runtime.cuda.device import Extent
from vyre.runtime.errors import DispatchFailed
from vyre.testing.host_cuda_compiler import HostFunction, Job, Settings, Triple, shim
from vyre.testing.host_cuda_memory import HostMemory

Turns: TypeAlias = Literal["forward", "reversed", "random"]

_NUMBERS: dict[Turns, int] = {"forward": 0, "reversed": 1, "random": 2}

_running = threading.Lock()
"""All kernels of the process use the same fibers."""


@dataclass(frozen=True, eq=False)
class KernelRun:
    """A launch that can run together with others."""

    function: HostFunction
    grid: Extent
    block: Extent
    arguments: PackedArguments
    cooperative: bool

    def job(self) -> Job:
        """As the shim takes it."""
        return Job(
            pointer(self.function.unit),
            self.arguments.address,
            Triple(*self.grid),
            Triple(*self.block),
            self.cooperative,
            self.function.waits,
        )


@dataclass
class Runner:
    """
    Runs kernels, and looks afterwards whether they have written outside of the memory.

    Example: `Runner(memory, "random", "random", seed=1).run([launch])`
    """

    memory: HostMemory
    block_order: Turns
    thread_order: Turns
    seed: int
    patience: float
    """Seconds that kernels may take."""

    def run(self, launches: Sequence[KernelRun]) -> None:
        """Run launches together, until all have ended."""
        self.seed += 1
        settings = Settings(
            _NUMBERS[self.block_order],
            _NUMBERS[self.thread_order],
            self.seed,
            int(self.patience * 1e9),
        )
        jobs = (Job * len(launches))(*(launch.job() for launch in launches))
        with _running:
            cause = shim().vyre_shim_run(jobs, len(launches), settings)
        if cause:
            names = ", ".join(launch.function.name for launch in launches)
            raise DispatchFailed(
                f"in {names}: {cause.decode()}", "look at the kernel's text"
            )
        self.memory.check()
