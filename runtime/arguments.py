"""
What callers pass: arrays and numbers by name, checked before anything runs.

Every refusal names the argument. Arrays that the program writes are copied, so that the
caller's stay as they are; arrays that it only reads are used in place.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Attribute

from vyre.diagnostics import did_you_mean
from vyre.dialects.vyre import BufferOp, ParamOp, ProgramOp, ScheduleOp
from vyre.dialects.vyre.attributes import Access, MemoryKind, byte_width, is_scalar
from vyre.runtime.errors import InvalidArgument
from vyre.runtime.scalars import dtype_of

Array = NDArray[Any]


@dataclass(frozen=True)
class Interface:
    """
    The arguments and results of a program or schedule, in declaration order.

    Example: `Interface.of(program).prepare({"x": array, "n": 5})`
    """

    buffers: tuple[BufferOp, ...]
    params: tuple[ParamOp, ...]

    @staticmethod
    def of(program: ProgramOp | ScheduleOp) -> "Interface":
        table = list(program.table)
        return Interface(
            tuple(
                entry
                for entry in table
                if isinstance(entry, BufferOp) and entry.access.data is not Access.WORKGROUP
            ),
            tuple(entry for entry in table if isinstance(entry, ParamOp)),
        )

    @property
    def names(self) -> list[str]:
        return [entry.entry_name.data for entry in (*self.buffers, *self.params)]

    def prepare(self, given: Mapping[str, object]) -> "Prepared":
        """Check the arguments and lay out storage that the program may write to."""
        self._check_names(given)
        storage: dict[str, Array | np.generic] = {}
        dtypes: dict[str, np.dtype[Any]] = {}
        passed: dict[str, Array] = {}
        for buffer in self.buffers:
            name = buffer.entry_name.data
            if name in given:
                array = _as_array(buffer, given[name])
                passed[name] = array
                dtypes[name] = array.dtype
                stored = array.view(dtype_of(buffer.type.element_type))
                storage[name] = np.zeros_like(stored) if starts_as_zeros(buffer) else stored
            else:
                storage[name] = _new_output(buffer)
        _check_overlaps(self.buffers, passed)
        for buffer in self.buffers:
            name = buffer.entry_name.data
            if buffer.access.data.writable and not starts_as_zeros(buffer):
                storage[name] = np.array(storage[name], copy=True)
        for param in self.params:
            name = param.entry_name.data
            storage[name] = _as_scalar(name, given[name], param.value.type)
        return Prepared(self, storage, dtypes)

    def _check_names(self, given: Mapping[str, object]) -> None:
        for name in given:
            if name not in self.names:
                raise InvalidArgument(
                    f"there is no argument '{name}'",
                    did_you_mean(str(name), self.names)
                    or f"the arguments are {', '.join(self.names) or 'none'}",
                )
        needed = [b.entry_name.data for b in self.buffers if not _may_be_left_out(b)]
        needed += [param.entry_name.data for param in self.params]
        missing = [name for name in needed if name not in given]
        if missing:
            raise InvalidArgument(
                f"argument '{missing[0]}' is missing",
                f"pass {', '.join(missing)} by name",
            )


@dataclass(frozen=True)
class Prepared:
    """Arguments that are ready to run on, and how to give results back."""

    interface: Interface
    storage: dict[str, Array | np.generic]
    dtypes: dict[str, np.dtype[Any]]

    def results(self) -> dict[str, Array]:
        """Every buffer that the program may write, by name, in the dtypes given."""
        found: dict[str, Array] = {}
        for buffer in self.interface.buffers:
            if not buffer.access.data.writable:
                continue
            name = buffer.entry_name.data
            array = np.asarray(self.storage[name])
            array = array.view(self.dtypes.get(name, array.dtype))
            found[name] = _in_range(buffer, array)
        return found

    def element_counts(self) -> dict[BufferOp, int]:
        """How many elements each buffer has."""
        return {
            buffer: np.size(self.storage[buffer.entry_name.data])
            for buffer in self.interface.buffers
        }


def starts_as_zeros(buffer: BufferOp) -> bool:
    """Whether the runtime makes the buffer; an array passed for it only gives its size."""
    return buffer.output is not None or buffer.access.data is Access.WRITE_ONLY


def _may_be_left_out(buffer: BufferOp) -> bool:
    has_size = DYNAMIC_INDEX not in buffer.type.get_shape()
    is_kept = buffer.memory_kind is MemoryKind.PERSISTENT
    return has_size and (starts_as_zeros(buffer) or is_kept)


def _new_output(buffer: BufferOp) -> Array:
    return np.zeros(buffer.type.get_shape(), dtype_of(buffer.type.element_type))


def _as_array(buffer: BufferOp, value: object) -> Array:
    """The argument as a NumPy array of the right dtype and shape, without a copy."""
    name = buffer.entry_name.data
    if hasattr(value, "__cuda_array_interface__") and not isinstance(value, np.ndarray):
        raise InvalidArgument(
            f"argument '{name}' is in a GPU's memory, this engine works on the host",
            "copy it to the host, for example with `.get()`",
        )
    array: Array
    if isinstance(value, np.ma.MaskedArray):
        raise InvalidArgument(
            f"argument '{name}' is a masked array", "pass its `.filled()` data"
        )
    if isinstance(value, np.ndarray):
        array = np.asarray(cast(Array, value))
    elif hasattr(value, "__dlpack__"):
        array = _from_dlpack(name, value)
    else:
        raise InvalidArgument(
            f"argument '{name}' is a {type(value).__name__}, not an array",
            "pass a NumPy array, or anything that supports DLPack",
        )
    _check_dtype(name, array, buffer.type.element_type)
    _check_shape(name, array, buffer.type.get_shape())
    if not array.flags.c_contiguous or not array.flags.aligned:
        raise InvalidArgument(
            f"argument '{name}' is strided, not contiguous in row-major order",
            "pass `np.ascontiguousarray(...)` of it",
        )
    return array


def _from_dlpack(name: str, value: object) -> Array:
    try:
        return np.from_dlpack(cast(Any, value))
    except Exception as error:
        raise InvalidArgument(
            f"argument '{name}' cannot be imported by DLPack: {error}",
            "pass a NumPy array",
        ) from None


def accepted_dtypes(type: Attribute) -> list[np.dtype[Any]]:
    """The dtypes that an element type stands for: integers may be signed or unsigned."""
    dtype = dtype_of(type)
    if dtype.kind == "i":
        return [dtype, np.dtype(f"u{dtype.itemsize}")]
    return [dtype]


def _check_dtype(name: str, array: Array, type: Attribute) -> None:
    accepted = accepted_dtypes(type)
    if array.dtype not in accepted:
        names = " or ".join(str(dtype) for dtype in accepted)
        raise InvalidArgument(
            f"argument '{name}' has dtype {array.dtype}, expected {names} for {type}",
            f"convert it with `.astype(np.{accepted[0].name})`",
        )


def _check_shape(name: str, array: Array, shape: tuple[int, ...]) -> None:
    fits = array.ndim == len(shape) and all(
        wanted in (DYNAMIC_INDEX, found) for wanted, found in zip(shape, array.shape)
    )
    if not fits:
        wanted = ", ".join("?" if s == DYNAMIC_INDEX else str(s) for s in shape)
        raise InvalidArgument(
            f"argument '{name}' has shape {array.shape}, expected ({wanted})",
            "pass an array of that shape",
        )


def _check_overlaps(buffers: Iterable[BufferOp], passed: Mapping[str, Array]) -> None:
    """Two arguments that share memory would not, once one of them is copied."""
    shown = [buffer for buffer in buffers if buffer.entry_name.data in passed]
    for one, other in combinations(shown, 2):
        if not (one.access.data.writable or other.access.data.writable):
            continue
        names = one.entry_name.data, other.entry_name.data
        if np.may_share_memory(passed[names[0]], passed[names[1]]):
            raise InvalidArgument(
                f"arguments '{names[0]}' and '{names[1]}' overlap, and one is written",
                "pass a copy of one of them",
            )


def _as_scalar(name: str, value: object, type: Attribute) -> Any:
    """A number of the parameter's type, if it can be represented."""
    dtype = dtype_of(type)
    if isinstance(value, np.ndarray | np.generic) and np.ndim(cast(Any, value)) == 0:
        value = cast(Any, value).item()
    wrong = InvalidArgument(
        f"argument '{name}' is {value!r}, expected a number for {type}",
        f"pass a value that {type} can hold",
    )
    match dtype.kind:
        case "f" if isinstance(value, int | float):
            with np.errstate(over="ignore"):
                number = dtype.type(_as_float(value))
            if np.isinf(number) and not (isinstance(value, float) and np.isinf(value)):
                raise wrong
            return number
        case "b" if isinstance(value, int) and value in (0, 1):
            return dtype.type(value)
        case "i" if isinstance(value, int):
            bits = 8 * dtype.itemsize
            if -(2 ** (bits - 1)) <= value < 2**bits:
                return np.array(value & (2**bits - 1), f"u{dtype.itemsize}").view(dtype)[()]
            raise wrong
        case _:
            raise wrong


def _as_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf")


def _in_range(buffer: BufferOp, array: Array) -> Array:
    """Only the bytes of the output range, if there is one."""
    if buffer.output_range is None:
        return array
    element = buffer.type.element_type
    assert is_scalar(element)
    begin, end = (byte // byte_width(element) for byte in buffer.output_range.get_values())
    return array.reshape(-1)[begin:end]
