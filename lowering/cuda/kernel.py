"""A program as CUDA C++: its text, and what a launch passes to it."""

from dataclasses import dataclass
from enum import Enum

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Operation

from vyre.dialects.vyre import TrapOp
from vyre.dialects.vyre.attributes import ScratchScope


class Extra(Enum):
    """What kernels take after the program's arguments, in this order, if they need it."""

    GUARD = "vyre_guard"
    """`const unsigned char *`: the kernel does nothing if the byte there is zero."""
    TRAP = "vyre_trap"
    """`unsigned long long *`: a lock, the smallest invocation that trapped, its value."""
    STOP = "vyre_stop"
    """`const volatile unsigned int *`: not zero if everyone shall leave."""
    GRID = "vyre_grid"
    """`unsigned int *`: the words of the grid barrier, zeros before the launch."""


@dataclass(frozen=True)
class BufferArgument:
    """
    A buffer: `element *name`, then a `long long` for each dimension whose size the program
    does not say, in order.
    """

    name: str
    element: Attribute
    dynamic: tuple[int, ...]
    """The positions of the dimensions that are passed."""


@dataclass(frozen=True)
class ValueArgument:
    """A parameter as it is stored: `index` as 64 bits, `i1` as a byte, `f16` as 16."""

    name: str
    type: Attribute


@dataclass(frozen=True)
class ScratchArgument:
    """
    Scratch of the program itself, zeros before the launch: `element *name` and no sizes. A
    leading `?` stands for the number of invocations or workgroups of the grid.
    """

    scope: ScratchScope
    type: MemRefType


Argument = BufferArgument | ValueArgument | ScratchArgument


@dataclass(frozen=True)
class CudaKernel:
    """
    A translation unit with one `extern "C" __global__` function, and how to launch it.

    Example: `print(cuda_kernel(program).source)`
    """

    name: str
    """Of the function."""
    source: str
    arguments: tuple[Argument, ...]
    """The program's table without workgroup buffers, then its scratch, as declared."""
    extras: tuple[Extra, ...]
    workgroup: tuple[int, int, int]
    shared_bytes: int
    """Of workgroup memory."""
    meetings: tuple[Operation, ...]
    """Where workgroups wait for each other, by the number, from 1, of their barrier."""
    watchdog: int | None
    """How often a workgroup looks for the others before it gives up; None for ever."""
    traps: tuple[TrapOp, ...]
    """By the number that the trap record holds."""

    @property
    def is_cooperative(self) -> bool:
        """Whether workgroups wait for each other."""
        return bool(self.meetings)
