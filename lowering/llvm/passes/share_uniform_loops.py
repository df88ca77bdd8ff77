"""
`vyre-share-uniform-loops`: loops that every invocation goes through alike are left to the
schedule.

Before:

```mlir
vyre.schedule @p {
  ...
  vyre.launch @p.1(%parts, %x)
}
vyre.program @p.1 [64, 1, 1] {
  %parts = vyre.buffer "parts" read_only ...
  %sum = scf.for ... { %part = vyre.load %parts[%g] ... }
  ...
```

After:

```mlir
vyre.schedule @p {
  ...
  %sum = scf.for ... { %part = vyre.load %parts[%g] ... }
  vyre.launch @p.1(%parts, %x, %sum)
}
vyre.program @p.1 [64, 1, 1] {
  %parts = vyre.buffer "parts" read_only ...
  %sum = vyre.param "sum" : f32
  ...
```

Why the meaning stays: the loop's results are the same in all invocations, it has no effects
and always ends, and nothing that the launch runs writes what it reads. So it gives the same
before the launch. Each worker goes through it once, and not once for each invocation.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from vyre.analysis.uniformity import Level, Uniformity, uniformity
from vyre.analysis.walking import launches_in
from vyre.dialects import vyre
from vyre.dialects.vyre.attributes import is_scalar
from vyre.lowering.llvm.passes.slices import harmless_slice, is_harmless, unconditional
from vyre.passes.tables import free_name


@dataclass(frozen=True)
class ShareUniformLoopsPass(ModulePass):
    """Moves loops that are the same for all invocations to schedules."""

    name = "vyre-share-uniform-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for program, launches in launches_in(op).items():
            for loop in _shared_loops(program):
                _move(loop, program, launches)


def _shared_loops(program: vyre.ProgramOp) -> list[scf.ForOp]:
    """The loops of a program that all invocations go through with the same results."""
    ops = unconditional(program.body.block.ops)
    loops = [op for op in ops if isinstance(op, scf.ForOp) and _may_be_shared(op)]
    if not loops:
        return []
    facts = uniformity(program)
    return [loop for loop in loops if _is_uniform(loop, facts)]


def _may_be_shared(loop: scf.ForOp) -> bool:
    """Whether a loop gives numbers, and does nothing else."""
    return (
        bool(loop.results)
        and all(is_scalar(result.type) for result in loop.results)
        and all(map(is_harmless, loop.body.walk()))
        and harmless_slice(loop) is not None
    )


def _is_uniform(loop: scf.ForOp, facts: Uniformity) -> bool:
    return all(
        facts.level(value) is Level.GRID for op in loop.walk() for value in op.results
    )


def _move(loop: scf.ForOp, program: vyre.ProgramOp, launches: list[vyre.LaunchOp]) -> None:
    ops = [*(harmless_slice(loop) or ()), loop]
    table = list(program.launch_table)
    for launch in launches:
        mapping: dict[SSAValue, SSAValue] = {
            entry.results[0]: argument
            for entry, argument in zip(table, launch.arguments, strict=True)
        }
        copies = [op.clone(mapping) for op in ops]
        Rewriter.insert_op(copies, InsertPoint.before(launch.head))
        launch.operands = [*launch.operands, *copies[-1].results]
    for result in loop.results:
        name = free_name(program, result.name_hint or "shared")
        param = vyre.ParamOp(name, result.type)
        last = list(program.table)[-1]
        Rewriter.insert_op(param, InsertPoint.after(last))
        result.replace_all_uses_with(param.value)
    Rewriter.erase_op(loop)
