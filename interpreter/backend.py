"""The reference engine as a backend."""

from typing_extensions import override
from xdsl.ir import SSAValue

from vyre.interpreter.device import FOREIGN
from vyre.interpreter.engine import Dispatch
from vyre.interpreter.frames import Value
from vyre.interpreter.memory import Memory
from vyre.runtime.backend import Capabilities, Launch, is_buffer
from vyre.runtime.host_memory import HostBackend, as_array


class ReferenceBackend(HostBackend):
    """
    Interprets programs with NumPy, also with grid barriers; slow, and right.

    Example: `vyre.compile(file, engine="reference")`
    """

    name = "reference"
    capabilities = Capabilities(
        grid_sync=True, in_place=True, orders=True, lasting=True, operations=FOREIGN
    )

    @override
    def launch(self, launch: Launch) -> None:
        dispatch = Dispatch(
            launch.geometry.groups,
            order=launch.order,
            seed=launch.seed + launch.number,
            deadline=launch.deadline,
        )
        entries: dict[SSAValue, Value] = {}
        for entry, value in zip(launch.program.launch_table, launch.arguments, strict=True):
            if is_buffer(value):
                value = Memory.of(entry.entry_name.data, as_array(value))
            entries[entry.results[0]] = value
        dispatch.run_program(launch.program, entries)
