"""
All rules for a module, once.

A module that was parsed is valid, and so it is when it is compiled, unless somebody has
changed it in between. To see that it says the same takes a fraction of the time that the
rules take (`vyre.analysis.digest`). Rules look at nothing that the digest leaves out but
places in the source, which only say where an error is.
"""

from weakref import WeakKeyDictionary

from xdsl.dialects.builtin import ModuleOp

from vyre.analysis.digest import digest
from vyre.passes.verify_ops import verify_ops
from vyre.passes.verify_program import verify_programs
from vyre.source import deep_recursion

_valid: WeakKeyDictionary[ModuleOp, str] = WeakKeyDictionary()
"""What valid modules said when they were checked."""


def verify_module(module: ModuleOp) -> str:
    """
    Check each operation, and then each program, unless that was done and nothing changed;
    gives the digest of the module as it is now.

    Raises `InvalidProgram` at the first broken rule.

    Example: `verify_module(vyre.parse("reach.mlir"))` does next to nothing.
    """
    with deep_recursion():
        said = _valid.get(module)
        if said is not None and said == digest([module]):
            return said
        verify_ops(module)
        verify_programs(module)
        says = _valid[module] = digest([module])
        return says
