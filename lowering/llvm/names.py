"""
Names in LLVM IR.

Programs and buffers may be called anything. llvmlite writes the name of a module into a
comment as it is, where a new line would begin code, and LLVM reads no further than to a
NUL. So what is no letter, digit, dot, dollar or line is left out. llvmlite keeps names
apart that are the same then.
"""

import re

_STRANGE = re.compile(r"[^A-Za-z0-9_.$-]")


def plain(name: str) -> str:
    """
    A name that LLVM reads as it is written.

    Example: `plain("my buffer")` is `"my_buffer"`.
    """
    return _STRANGE.sub("_", name)
