"""From a program to its kernel: the text, and what a launch passes to it."""

from collections.abc import Iterable
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from vyre.analysis.bounds import number_ranges
from vyre.analysis.buffer_sources import buffer_sources
from vyre.analysis.extents import Setting
from vyre.analysis.spine import needs_cut
from vyre.analysis.walking import units_in
from vyre.dialects import vyre
from vyre.lowering.cuda.folding import folded_values
from vyre.lowering.cuda.grid_barrier import grid_barrier_text
from vyre.lowering.cuda.ids import SUBGROUP_SIZE, Ids
from vyre.lowering.cuda.invocations import InvocationCode
from vyre.lowering.cuda.kernel import CudaKernel, Extra
from vyre.lowering.cuda.names import Names, kernel_name
from vyre.lowering.cuda.needs import needs
from vyre.lowering.cuda.numbers import Numbers
from vyre.lowering.cuda.passes.cuda_pipeline import COUNTED_IN_32_BITS, CudaPipelinePass
from vyre.lowering.cuda.pointers import Pointers
from vyre.lowering.cuda.scalar_code import ScalarCode
from vyre.lowering.cuda.signature import Signature, declare_shared_memory
from vyre.passes.setting_pass import options_of
from vyre.source import deep_recursion

ANY = Setting()
"""Nothing is known."""

USUAL = Setting(most_invocations=COUNTED_IN_32_BITS)
"""What is known about nearly all launches."""


def prepared(
    units: Iterable[vyre.ProgramOp | vyre.ScheduleOp], setting: Setting
) -> dict[str, vyre.ProgramOp]:
    """
    Copies of programs, by name, in the form in which they become kernels. Schedules among
    them are all that launch them.

    Example: `cuda_kernel(prepared([program], USUAL)["scale"], setting=USUAL)`
    """
    module = ModuleOp([unit.clone() for unit in units])
    with deep_recursion():
        CudaPipelinePass(mode="native", **options_of(setting)).apply(Context(), module)
    return {op.sym_name.data: op for op in units_in(module, vyre.ProgramOp)}


def cuda_kernel(
    program: vyre.ProgramOp,
    *,
    is_guarded: bool = False,
    setting: Setting = ANY,
    watchdog: int | None = None,
) -> CudaKernel:
    """
    A program of `vyre-cuda-pipeline` as a kernel: a segment, or with grid barriers a whole
    program, to be launched cooperatively. A guarded kernel does nothing if a byte of the
    device is zero. `setting` says what is known about launches: fewer than 2^31
    invocations, for one, are counted in 32 bits. With a `watchdog` workgroups look so many
    times for others at a grid barrier,
    and then give up.

    Example: `print(cuda_kernel(program).source)`
    """
    with deep_recursion():
        return _Kernel(program, is_guarded, setting, watchdog).emit()


def _has_full_subgroups(program: vyre.ProgramOp) -> bool:
    """Whether all lanes of all subgroups are there, from the beginning to the end."""
    ends = any(isinstance(op, vyre.ReturnOp | vyre.TrapOp) for op in program.body.walk())
    return prod(program.workgroup) % SUBGROUP_SIZE == 0 and not ends


class _Kernel:
    """One kernel while it is written."""

    def __init__(
        self,
        program: vyre.ProgramOp,
        is_guarded: bool,
        setting: Setting,
        watchdog: int | None,
    ):
        self._program = program
        self._is_guarded = is_guarded
        self._watchdog = watchdog
        self._sizes = setting.sizes
        self._has_traps = any(isinstance(op, vyre.TrapOp) for op in program.body.walk())
        # Everyone must come to each grid barrier: those who trap go on.
        traps_end = not needs_cut(program)
        numbers = Numbers(number_ranges(program, setting, traps_end=traps_end))
        self._scalars = ScalarCode(numbers=numbers)
        self._code = InvocationCode(
            Names(),
            self._scalars,
            needs(program),
            folded_values(program),
            Ids(program.workgroup, numbers),
            buffer_sources(program),
            has_traps=self._has_traps,
            traps_end=traps_end,
            has_full_subgroups=_has_full_subgroups(program),
            has_watchdog=watchdog is not None,
        )

    def emit(self) -> CudaKernel:
        program, code = self._program, self._code
        signature = Signature(program, code, Pointers(program), self._sizes)
        with code.writer.indented():
            if self._is_guarded:
                code.writer.line("if (*vyre_guard == 0) return;")
            shared_bytes = declare_shared_memory(program, code)
            signature.define_values(program)
            code.block(program.body.block)
        extras = tuple(extra for extra in Extra if self._takes(extra))
        name = kernel_name(program.sym_name.data)
        head = _head(name, prod(program.workgroup), signature.parameters(extras))
        body = code.writer.text().rstrip()
        texts = [*self._scalars.library.texts()]
        if code.meetings:
            texts.append(
                grid_barrier_text(has_traps=self._has_traps, watchdog=self._watchdog)
            )
        texts.append(f"{head}\n{body}\n}}\n" if body else f"{head}\n}}\n")
        x, y, z = program.workgroup
        return CudaKernel(
            name,
            "\n".join(texts),
            tuple(signature.arguments),
            extras,
            (x, y, z),
            shared_bytes,
            tuple(code.meetings),
            self._watchdog,
            tuple(code.traps),
        )

    def _takes(self, extra: Extra) -> bool:
        match extra:
            case Extra.GUARD:
                return self._is_guarded
            case Extra.TRAP:
                return self._has_traps
            case Extra.STOP:
                return bool(self._code.meetings) or self._code.has_polls
            case Extra.GRID:
                return bool(self._code.meetings)


def _head(name: str, threads: int, parameters: list[str]) -> str:
    start = f'extern "C" __global__ void __launch_bounds__({threads})\n{name}('
    if not parameters:
        return f"{start}) {{"
    lines = ",\n    ".join(parameters)
    return f"{start}\n    {lines}) {{"
