"""
The binding plan: which buffers and parameters a program has, what each is for, and in
which order they come. Arrays are checked against the plan before anything runs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Attribute

from vyre.diagnostics import did_you_mean
from vyre.dialects.vyre import BufferOp, ParamOp, ProgramOp, ScheduleOp
from vyre.dialects.vyre.attributes import Access, MemoryKind
from vyre.runtime.arguments import Array, as_array, as_scalar, check_overlaps
from vyre.runtime.config import ELSEWHERE, OPTIONS, OTHER_WORDS, TAKEN
from vyre.runtime.device_array import (
    AnyArray,
    DeviceArray,
    Importer,
    is_device_buffer,
    none_is_there,
)
from vyre.runtime.errors import InvalidArgument
from vyre.runtime.scalars import dtype_of


class Role(Enum):
    """
    What a buffer is for. Inputs come from the caller; outputs start as zeros, and an array
    passed for one only says how large it is; a persistent buffer is kept from one dispatch
    to the next unless the caller passes one.
    """

    INPUT = "input"
    UNIFORM = "uniform"
    INPUT_OUTPUT = "input and output"
    OUTPUT = "output"
    PERSISTENT = "persistent"


@dataclass(frozen=True, eq=False)
class Binding:
    """One buffer of a program, as the runtime sees it."""

    buffer: BufferOp
    role: Role

    @cached_property
    def name(self) -> str:
        return self.buffer.entry_name.data

    @cached_property
    def element(self) -> Attribute:
        """The type of an element."""
        return self.buffer.type.element_type

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        return dtype_of(self.element)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The declared shape, with `DYNAMIC_INDEX` for what the arguments decide."""
        return tuple(self.buffer.type.get_shape())

    @cached_property
    def has_size(self) -> bool:
        return DYNAMIC_INDEX not in self.shape

    def size_of(self, shape: tuple[int, ...]) -> int:
        """How many bytes the buffer has in this shape."""
        return prod(shape) * self.dtype.itemsize

    @cached_property
    def alignment(self) -> int:
        """Addresses are multiples of this many bytes."""
        hint = self.buffer.align
        return max(self.dtype.itemsize, 1 if hint is None else hint.value.data)

    @cached_property
    def is_written(self) -> bool:
        return self.buffer.access.data.writable

    @property
    def starts_as_zeros(self) -> bool:
        return self.role is Role.OUTPUT

    @property
    def may_be_left_out(self) -> bool:
        return self.has_size and self.role in (Role.OUTPUT, Role.PERSISTENT)

    @cached_property
    def result_range(self) -> slice | None:
        """The elements that are the result, if they are not all."""
        if self.buffer.output_range is None:
            return None
        begin, end = self.buffer.output_range.get_values()
        return slice(begin // self.dtype.itemsize, end // self.dtype.itemsize)

    def result_of(self, array: Array) -> Array:
        """The part of the buffer that callers get."""
        if self.result_range is None:
            return array
        return array.reshape(-1)[self.result_range]

    def result_bounds(self, shape: tuple[int, ...]) -> tuple[int, int]:
        """The first element that callers get, and the one after the last."""
        begin, end, _ = (self.result_range or slice(None)).indices(prod(shape))
        return begin, end

    def result_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of what callers get."""
        begin, end = self.result_bounds(shape)
        return shape if self.result_range is None else (end - begin,)


@dataclass(frozen=True)
class BindingPlan:
    """
    The interface of a program or schedule.

    Example: `[binding.name for binding in BindingPlan.of(program).written]`
    """

    declared: tuple[Binding, ...]
    """All buffers but workgroup memory, in declaration order."""
    params: tuple[ParamOp, ...]

    @staticmethod
    def of(program: ProgramOp | ScheduleOp) -> "BindingPlan":
        return BindingPlan.of_table(list(program.table))

    @staticmethod
    def of_table(table: Sequence[BufferOp | ParamOp]) -> "BindingPlan":
        """The interface that these declarations are."""
        buffers = (entry for entry in table if isinstance(entry, BufferOp))
        found = tuple(
            Binding(buffer, role_of(buffer))
            for buffer in buffers
            if buffer.access.data is not Access.WORKGROUP
        )
        return BindingPlan(found, tuple(e for e in table if isinstance(e, ParamOp)))

    @cached_property
    def written(self) -> tuple[Binding, ...]:
        """What a dispatch gives back: every buffer that the program may write."""
        return tuple(binding for binding in self.declared if binding.is_written)

    @cached_property
    def by_name(self) -> dict[str, Binding]:
        return {binding.name: binding for binding in self.declared}

    @cached_property
    def names(self) -> list[str]:
        """Buffers and parameters, in declaration order of each."""
        return [*self.by_name, *(param.entry_name.data for param in self.params)]

    @cached_property
    def param_types(self) -> list[tuple[str, Attribute]]:
        """The parameters in declaration order, by name."""
        return [(param.entry_name.data, param.value.type) for param in self.params]

    def check(
        self, given: Mapping[str, object], imported: Importer = none_is_there
    ) -> "Arguments":
        """
        The arguments as arrays and numbers of the right types. Unknown, missing, misshapen,
        mistyped, strided and overlapping ones are refused. Those that can be `imported` are
        in the engine's memory.
        """
        self.check_known(given)
        self._check_complete(given)
        arrays = {
            binding.name: as_array(
                binding.name,
                given[binding.name],
                binding.element,
                binding.shape,
                imported,
            )
            for binding in self.declared
            if binding.name in given
        }
        check_overlaps(
            (name, array, self.by_name[name].is_written) for name, array in arrays.items()
        )
        return Arguments(self, arrays, self.scalars(given))

    def scalars(self, given: Mapping[str, object]) -> dict[str, np.generic]:
        """The parameters among the arguments."""
        types = self.param_types
        return {n: as_scalar(n, given[n], type) for n, type in types if n in given}

    def check_known(self, given: Mapping[str, object]) -> None:
        """Refuse names that the program does not have."""
        for name in given:
            if name not in self.names:
                known = (*self.names, *OPTIONS)
                raise InvalidArgument(
                    f"there is no argument '{name}'",
                    ELSEWHERE.get(name)
                    or did_you_mean(name, known, OTHER_WORDS)
                    or f"the arguments are {', '.join(self.names) or 'none'}",
                )

    def _check_complete(self, given: Mapping[str, object]) -> None:
        needed = [binding.name for binding in self.declared if not binding.may_be_left_out]
        needed += [param.entry_name.data for param in self.params]
        missing = [name for name in needed if name not in given]
        if missing:
            how = "in a dictionary" if TAKEN.intersection(missing) else "by name"
            raise InvalidArgument(
                f"argument '{missing[0]}' is missing", f"pass {', '.join(missing)} {how}"
            )


@dataclass(frozen=True)
class Arguments:
    """Arguments that were checked: the caller's arrays, not copied, and numbers."""

    plan: BindingPlan
    arrays: dict[str, AnyArray]
    scalars: dict[str, np.generic]

    @cached_property
    def are_on_device(self) -> bool:
        """Whether there are arrays, and all of them are in the engine's memory."""
        kinds = {isinstance(array, DeviceArray) for array in self.arrays.values()}
        return kinds == {True}

    def result_is_on_device(self, binding: Binding) -> bool:
        """
        Whether a result goes to the engine's memory: if what was passed for it is there; if
        nothing was passed for it, if all that was passed is.
        """
        array = self.arrays.get(binding.name)
        return self.are_on_device if array is None else isinstance(array, DeviceArray)

    def result_is_device_buffer(self, binding: Binding) -> bool:
        """Whether a result on the device is a device buffer, as what was passed is."""
        array = self.arrays.get(binding.name)
        passed = self.arrays.values() if array is None else [array]
        return all(map(is_device_buffer, passed))

    def shape(self, binding: Binding) -> tuple[int, ...]:
        array = self.arrays.get(binding.name)
        return binding.shape if array is None else array.shape

    def dtype(self, binding: Binding) -> np.dtype[Any]:
        """The dtype given, signed or not, or the usual one."""
        array = self.arrays.get(binding.name)
        return binding.dtype if array is None else array.dtype

    def given(self, binding: Binding) -> AnyArray | None:
        """What the buffer starts with; None if it starts as zeros or is kept."""
        array = self.arrays.get(binding.name)
        return None if array is None or binding.starts_as_zeros else array

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each buffer, by name."""
        return {binding.name: self.shape(binding) for binding in self.plan.declared}

    def storage(self) -> dict[str, Array | np.generic]:
        """
        Everything by name as engines on the host see it; what the program may write is a
        copy.
        """
        found: dict[str, Array | np.generic] = dict(self.scalars)
        for binding in self.plan.declared:
            given = self.given(binding)
            if given is None:
                found[binding.name] = np.zeros(self.shape(binding), binding.dtype)
            else:
                array = given.to_host() if isinstance(given, DeviceArray) else given
                stored = array.view(binding.dtype)
                found[binding.name] = stored.copy() if binding.is_written else stored
        return found


def role_of(buffer: BufferOp) -> Role:
    """What a buffer is for; the first that holds."""
    if buffer.memory_kind is MemoryKind.PERSISTENT:
        return Role.PERSISTENT
    if buffer.output is not None:
        return Role.OUTPUT
    match buffer.access.data:
        case Access.READ_ONLY:
            return Role.INPUT
        case Access.UNIFORM:
            return Role.UNIFORM
        case Access.WRITE_ONLY:
            return Role.OUTPUT
        case _:
            return Role.INPUT_OUTPUT
