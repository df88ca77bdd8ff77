"""
`vyre-prove-inbounds`: mark accesses that never leave their buffers.

Before:

```mlir
%n = vyre.length %a, 0 : memref<?xf32>
%i = vyre.invocation_id x
%inside = arith.cmpi ult, %i, %n : index
scf.if %inside {
  %v = vyre.load %a[%i] : memref<?xf32>
  vyre.store %v, %b[%i] : memref<?xf32>
}
```

After:

```mlir
%n = vyre.length %a, 0 : memref<?xf32>
%i = vyre.invocation_id x
%inside = arith.cmpi ult, %i, %n : index
scf.if %inside {
  %v = vyre.load %a[%i] inbounds : memref<?xf32>
  vyre.store %v, %b[%i] : memref<?xf32>
}
```

Why the meaning stays. `inbounds` promises that an access is inside its buffer whenever a
live invocation executes it, and then engines need not test it; `vyre.analysis.bounds`
says which promises can be kept. Those that are there before are taken away first, whoever
made them. An access that is not proved is tested, which is always right. A pass that moves
an access out of the control flow around it has to take `inbounds` away; best run this one
last.

The proof of a program that is launched by schedules of the module relies on what they
pass: it holds for these launches. With `sizes` and `grid`, proofs hold for dispatches with
buffers and grids of these sizes only:

```
vyre-prove-inbounds{sizes="a=1024,b=16x16" grid=4}
```
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp, UnitAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from vyre.analysis.bounds import inbounds_accesses, launches_of
from vyre.analysis.extents import Setting
from vyre.analysis.geometry import Grid
from vyre.analysis.launches import Launches
from vyre.analysis.walking import operations_in
from vyre.diagnostics import VyreError, did_you_mean, invalid
from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre import (
    AtomicCasOp,
    AtomicOp,
    BufferOp,
    LoadOp,
    StoreOp,
)
from vyre.passes.expand_switches import expand_switches

_ACCESSES = frozenset[type[Operation]]((LoadOp, StoreOp, AtomicOp, AtomicCasOp))


@dataclass(frozen=True)
class ProveInboundsPass(ModulePass):
    """Sets `inbounds` on the accesses for which it is proved, and on no others."""

    name = "vyre-prove-inbounds"

    grid: tuple[int, ...] = ()
    """Workgroups along x, y and z; left out, any grid is possible."""

    sizes: str = ""
    """Sizes of buffers with a `?`, such as `a=1024,b=16x16`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        sizes = dict(_parsed_sizes(self.sizes))
        _check_sizes(sizes, op)
        mark_inbounds(op, Setting(_checked_grid(self.grid), sizes))


def mark_inbounds(module: ModuleOp, setting: Setting) -> Launches:
    """
    Mark the accesses of all programs that are proved for these dispatches, and no others;
    gives what the schedules tell about the programs.

    Example: `mark_inbounds(module, Setting(grid=(4, 1, 1)))`
    """
    expand_switches(module)
    for access in operations_in(module.body):
        if type(access) in _ACCESSES:
            access.properties.pop("inbounds", None)
    launches = launches_of(module, setting)
    for access in inbounds_accesses(module, setting, launches):
        access.inbounds = UnitAttr()
    return launches


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
