"""The processor that code is made for, and the way from IR to code that can be called."""

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, partial

import llvmlite.binding as llvm

from vyre.lowering.llvm.masks import HAS_MASKS, answer
from vyre.lowering.llvm.parts import parts_of
from vyre.runtime.cpu.ahead import Ahead
from vyre.runtime.cpu.llvm_threads import (
    background,
    emitted,
    optimise,
    using_llvm,
)

OPTIMISATION = 3
"""With 2 some compile in half the time, but bitonic sort takes 1.5 times as long."""

LONG_BLOCK = 4096
"""Instructions between two branches from which on a text is not optimised: some of LLVM's
passes, vectorisation and scheduling among them, take time by the square of their number."""

_LABEL = re.compile(r"^(?:define|[^ \n]+:)", re.MULTILINE)

_X86_TUNING = ",+prefer-no-gather,+prefer-no-scatter"
"""One element after the other is faster: bitonic sort takes 0.6 of the time."""

_names = itertools.count()


@dataclass(frozen=True)
class Processor:
    """
    A kind of processor, as LLVM names it.

    Example: `Processor.host().name` is `"znver4"`.
    """

    triple: str
    name: str
    features: str

    @staticmethod
    @cache
    def host() -> "Processor":
        """The one that this process runs on."""
        with using_llvm():
            _initialise()
            triple = llvm.get_process_triple()
            features = llvm.get_host_cpu_features().flatten()
            if triple.startswith("x86_64"):
                features += _X86_TUNING
            return Processor(triple, llvm.get_host_cpu_name(), features)

    def machine(self, level: int = OPTIMISATION) -> llvm.TargetMachine:
        """A code generator for the processor."""
        _initialise()
        return llvm.Target.from_triple(self.triple).create_target_machine(
            cpu=self.name,
            features=self.features,
            opt=level,
            reloc="pic",
            codemodel="small",
        )


@cache
def _initialise() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def optimised(text: str, processor: Processor) -> llvm.ModuleRef:
    """
    The module of an IR text, verified and optimised.

    Example: `str(optimised(text, Processor.host()))`
    """
    level = level_for(text)
    with using_llvm():
        return _optimised(text, processor, processor.machine(level), level)


def level_for(text: str) -> int:
    """
    How much LLVM may optimise an IR text.

    Example: `level_for(text)` is 3, unless there is a block of thousands of instructions.
    """
    if text.count("\n") < LONG_BLOCK:
        return OPTIMISATION
    longest = max(block.count("\n") for block in _LABEL.split(text))
    return OPTIMISATION if longest < LONG_BLOCK else 0


def _optimised(
    text: str, processor: Processor, machine: llvm.TargetMachine, level: int
) -> llvm.ModuleRef:
    context = llvm.create_context()
    module = llvm.parse_assembly(text, context)
    module.triple = processor.triple
    module.data_layout = str(machine.target_data)
    if HAS_MASKS in text:
        module.link_in(llvm.parse_assembly(answer(processor.features), context))
    module.verify()
    optimise(module, machine, level)
    return module


def object_code(text: str, processor: Processor) -> list[bytes]:
    """
    The object code of an IR text, in as many pieces as it has parts. One part is compiled
    by another thread, if there can be one, at the same time.

    Example: `object_code(text, Processor.host())`
    """
    first, *others = parts_of(text)
    with using_llvm():
        _initialise()
        rest = [Ahead(partial(_object_code_beside, part, processor)) for part in others]
        return [_object_code(first, processor), *(each.result() for each in rest)]


def _object_code_beside(text: str, processor: Processor) -> bytes:
    with background("part"):
        return _object_code(text, processor)


def _object_code(text: str, processor: Processor) -> bytes:
    level = level_for(text)
    machine = processor.machine(level)
    return emitted(_optimised(text, processor, machine, level), machine)


class Linked:
    """
    Object code that can be called; the code lives as long as this does.

    Example: `Linked(code, "entry").address`
    """

    def __init__(self, code: Iterable[bytes], symbol: str):
        with using_llvm():
            library = llvm.JITLibraryBuilder().add_current_process()
            for piece in code:
                library.add_object_img(piece)
            library.export_symbol(symbol)
            self._library = library.link(_jit(), f"vyre{next(_names)}")
        self.address: int = self._library[symbol]


@cache
def _jit() -> llvm.LLJIT:
    # The other linker aborts the process if parts of the code are 2 GB from each other.
    return llvm.create_lljit_compiler(Processor.host().machine(), use_jit_link=True)
