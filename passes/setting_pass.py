"""
Options of passes that rely on what is known about dispatches.

```
vyre-prove-inbounds{sizes="a=1024,b=16x16" grid=4}
```
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp
from xdsl.passes import ModulePass

from vyre.analysis.extents import Setting
from vyre.analysis.geometry import MAX_INVOCATIONS, Grid
from vyre.diagnostics import VyreError, did_you_mean, invalid
from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre import BufferOp


@dataclass(frozen=True)
class SettingPass(ModulePass):
    """A pass whose result holds for certain dispatches only."""

    grid: tuple[int, ...] = ()
    """Workgroups along x, y and z; left out, any grid is possible."""

    sizes: str = ""
    """Sizes of buffers with a `?`, such as `a=1024,b=16x16`."""

    invocations: int = MAX_INVOCATIONS
    """The largest grid."""

    def setting(self, module: ModuleOp) -> Setting:
        """Returns what the options say, if it can be true of the module."""
        sizes = dict(_parsed_sizes(self.sizes))
        _check_sizes(sizes, module)
        return Setting(_checked_grid(self.grid), sizes, most_invocations=self.invocations)


def options_of(setting: Setting) -> dict[str, Any]:
    """
    Returns the options that say what a setting says about grids and buffers.

    Example: `ProveInboundsPass(**options_of(Setting((4, 1, 1), {"a": (1024,)})))`
    """
    sizes = [f"{name}={'x'.join(map(str, size))}" for name, size in setting.sizes.items()]
    return {
        "grid": setting.grid or (),
        "sizes": ",".join(sizes),
        "invocations": setting.most_invocations,
    }


def _checked_grid(grid: tuple[int, ...]) -> Grid | None:
    if not grid:
        return None
    if len(grid) > 3 or min(grid) < 1:
        raise VyreError(
            f"the grid is {','.join(map(str, grid))}",
            "write one to three positive numbers of workgroups",
        )
    x, y, z = (*grid, 1, 1)[:3]
    return x, y, z


def _parsed_sizes(text: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    for item in text.split(",") if text else ():
        name, _, sizes = item.rpartition("=")
        if not name or not re.fullmatch(r"\d+(x\d+)*", sizes):
            raise VyreError(
                f"'{item}' does not give the sizes of a buffer",
                'write sizes="a=1024,b=16x16"',
            )
        yield name, tuple(int(size) for size in sizes.split("x"))


def _check_sizes(sizes: dict[str, tuple[int, ...]], module: ModuleOp) -> None:
    """That every name is a buffer's, and all buffers of that name can have the sizes."""
    buffers = [op for op in module.walk() if isinstance(op, BufferOp)]
    names = list(dict.fromkeys(buffer.entry_name.data for buffer in buffers))
    for name in sizes:
        if name not in names:
            raise VyreError(
                f"there is no buffer '{name}'",
                did_you_mean(name, names) or f"the buffers are {', '.join(names)}",
            )
    for buffer in buffers:
        given = sizes.get(buffer.entry_name.data)
        shape = buffer.type.get_shape()
        if given is not None and not _is_instance(given, shape):
            text = "x".join(map(str, given))
            raise invalid(
                buffer,
                Refusal(
                    f"the size {text} is given for a {buffer.type}",
                    fix="give a size for each dimension, and none but the type's",
                ),
            )


def _is_instance(given: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    return len(given) == len(shape) and all(
        declared in (DYNAMIC_INDEX, size) for size, declared in zip(given, shape)
    )
