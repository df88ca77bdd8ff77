"""Runs kernels natively, without any engine: one thread, one call per launch."""

import ctypes
from collections.abc import Mapping
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numpy.typing import NDArray

from vyre.dialects.vyre import BufferOp, ProgramOp
from vyre.lowering.llvm.kernels import emit_kernel, workgroup_layout
from vyre.runtime.geometry import Geometry

NO_TRAP = 2**64 - 1


class TrapSeen(Exception):
    """An invocation trapped; the argument is its number."""


class NativeLauncher:
    """
    A function for `vyre.compile(..., engine=...)`.

    Example: `vyre.compile(file, engine=NativeLauncher())`
    """

    def __init__(self, optimise: bool = True, *, stopped: bool = False):
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        target = llvm.Target.from_default_triple()
        features = llvm.get_host_cpu_features().flatten()
        self._machine = target.create_target_machine(
            cpu=llvm.get_host_cpu_name(), features=features, opt=2
        )
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), self._machine)
        self._optimise = optimise
        self._stopped = stopped
        self._functions: dict[ProgramOp, Any] = {}

    def __call__(
        self,
        program: ProgramOp,
        arguments: Mapping[str, NDArray[Any] | np.generic],
        geometry: Geometry,
    ) -> None:
        if program not in self._functions:
            self._functions[program] = self._compiled(program)
        stop = np.full(1, self._stopped, np.uint64)
        traps = np.full(1, NO_TRAP, np.uint64)
        memory = np.full(workgroup_layout(program)[1] + 1, 0xFF, np.uint8)
        words = [*geometry.groups, stop.ctypes.data, traps.ctypes.data, memory.ctypes.data]
        for entry in program.launch_table:
            value = arguments[entry.entry_name.data]
            if isinstance(entry, BufferOp):
                assert isinstance(value, np.ndarray)
                words += [value.ctypes.data, *value.shape]
            else:
                bits = np.asarray(value).tobytes().ljust(8, b"\0")
                words.append(int.from_bytes(bits, "little"))
        table = np.array(words, np.uint64)
        self._functions[program](table.ctypes.data, 0, geometry.group_count)
        if traps[0] != NO_TRAP:
            raise TrapSeen(int(traps[0]))

    def _compiled(self, program: ProgramOp) -> Any:
        module = ir.Module(program.sym_name.data)
        name = f"kernel{len(self._functions)}"
        emit_kernel(module, program).name = name
        parsed = llvm.parse_assembly(str(module))
        parsed.verify()
        if self._optimise:
            options = llvm.create_pipeline_tuning_options(speed_level=3)
            builder = llvm.create_pass_builder(self._machine, options)
            builder.getModulePassManager().run(parsed, builder)
        self._engine.add_module(parsed)
        self._engine.finalize_object()
        address = self._engine.get_function_address(name)
        words = ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64
        return ctypes.CFUNCTYPE(None, *words)(address)
