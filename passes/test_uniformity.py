"""Shows what `vyre.analysis.uniformity` finds, for FileCheck tests."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from vyre.analysis.uniformity import Uniformity, uniformity
from vyre.dialects.vyre import ProgramOp


@dataclass(frozen=True)
class TestUniformityPass(ModulePass):
    """
    `vyre-test-uniformity` writes the level of each operation's results as `uniform`, and
    of its regions' arguments and control as `uniform_args` and `control`.

    ```mlir
    %i = vyre.invocation_id x
    ```

    becomes

    ```mlir
    %i = vyre.invocation_id x {uniform = ["divergent"]}
    ```
    """

    name = "vyre-test-uniformity"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for program in op.walk():
            if isinstance(program, ProgramOp):
                facts = uniformity(program)
                for inner in program.body.walk():
                    _annotate(inner, facts)


def _annotate(op: Operation, facts: Uniformity) -> None:
    if op.results:
        levels = [str(facts.level(result)) for result in op.results]
        op.attributes["uniform"] = _strings(levels)
    blocks = [block for region in op.regions for block in region.blocks]
    if blocks:
        op.attributes["control"] = _strings([_control(block, facts) for block in blocks])
    arguments = [argument for block in blocks for argument in block.args]
    if arguments:
        levels = [str(facts.level(argument)) for argument in arguments]
        op.attributes["uniform_args"] = _strings(levels)


def _control(block: Block, facts: Uniformity) -> str:
    first = block.first_op
    return "grid" if first is None else str(facts.control(first))


def _strings(texts: list[str]) -> ArrayAttr[StringAttr]:
    return ArrayAttr([StringAttr(text) for text in texts])
