"""Programs, the regions in them, and how an invocation ends."""

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IndexType,
    IntegerType,
    StringAttr,
    SymbolNameConstraint,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSetConstraint,
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    lazy_traits_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import (
    HasParent,
    IsolatedFromAbove,
    IsTerminator,  # noqa: TID251
    NoTerminator,
    Pure,
    RecursiveMemoryEffect,
    SingleBlockImplicitTerminator,
    SymbolOpInterface,
)

from vyre.dialects.refusal import Note, Refusal
from vyre.dialects.vyre.attributes import Access
from vyre.dialects.vyre.buffers import BufferOp, ParamOp
from vyre.dialects.vyre.directives import (
    Body,
    Provenance,
    ResultTypes,
    YieldingBody,
)
from vyre.dialects.vyre.effects import ChangesInvocations
from vyre.dialects.vyre.placement import EndsInvocation, InModule, Inside
from vyre.dialects.vyre.table import (
    verify_grid_from,
    verify_no_block_arguments,
    verify_table,
)


@irdl_op_definition
class ProgramOp(IRDLOperation):
    """
    A GPU program: what each invocation of the grid executes. `[x, y, z]` is the size of a
    workgroup; how many workgroups there are is decided when the program is dispatched.

    The `vyre.buffer`s and `vyre.param`s in the body are the program's table, its
    interface, in the order in which they are declared. `grid_from` names the dimensions of
    buffers from which the grid is inferred, if indices of accesses do not tell. It is
    `{}` if one workgroup is enough, and `"caller"` if the grid is not inferred.

    Example:

    ```mlir
    vyre.program @scale [256, 1, 1] {
      %x = vyre.buffer "x" read_write binding 0 : memref<?xf32>
      %a = vyre.param "a" : f32
      %i = vyre.invocation_id x
      %old = vyre.load %x[%i] : memref<?xf32>
      %new = arith.mulf %old, %a : f32
      vyre.store %new, %x[%i] : memref<?xf32>
    }
    ```
    """

    name = "vyre.program"

    sym_name = prop_def(SymbolNameConstraint())
    workgroup_size = prop_def(DenseArrayBase[IntegerType].constr(i64))
    grid_from = opt_prop_def()
    body = region_def("single_block")

    traits = traits_def(
        IsolatedFromAbove(), NoTerminator(), InModule(), SymbolOpInterface()
    )
    custom_directives = (Body,)
    assembly_format = (
        "$sym_name $workgroup_size (`grid_from` $grid_from^)? "
        "attr-dict-with-keyword custom<Body>($body)"
    )

    def __init__(
        self,
        name: str,
        workgroup_size: Sequence[int],
        body: Region | Sequence[Operation] | Sequence[Block],
    ):
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "workgroup_size": DenseArrayBase.from_list(i64, workgroup_size),
            },
            regions=[body],
        )

    @property
    def workgroup(self) -> tuple[int, ...]:
        """Invocations per workgroup along x, y and z."""
        return self.workgroup_size.get_values()

    @property
    def table(self) -> Iterator[BufferOp | ParamOp]:
        """Buffers and parameters in declaration order."""
        return (
            op for op in self.body.block.ops if type(op) is BufferOp or type(op) is ParamOp
        )

    @property
    def launch_table(self) -> Iterator[BufferOp | ParamOp]:
        """What a launch passes: the table without workgroup buffers."""
        return (
            entry
            for entry in self.table
            if isinstance(entry, ParamOp) or entry.access.data is not Access.WORKGROUP
        )

    def verify_(self) -> None:
        if len(self.workgroup) != 3 or min(self.workgroup) < 1:
            raise Refusal(
                f"workgroup size {list(self.workgroup)} is not three axes of at least 1",
                fix="write three positive sizes, such as [256, 1, 1]",
            )
        verify_no_block_arguments(self, self.body.block)
        verify_table(self.table)
        verify_grid_from(self.grid_from, self.table)


@irdl_op_definition
class YieldOp(IRDLOperation):
    """
    Ends a `vyre.region` and gives its results. It is not written when there are none.

    Example:

    ```mlir
    vyre.yield %sum : f32
    ```
    """

    name = "vyre.yield"

    values = var_operand_def()

    traits = lazy_traits_def(lambda: (HasParent(RegionOp), IsTerminator(), Pure()))
    assembly_format = "attr-dict ($values^ `:` type($values))?"

    def __init__(self, *values: SSAValue | Operation):
        super().__init__(operands=[values])


APART = "vyre.apart"
"""An attribute of regions that have no element in common."""


@irdl_op_definition
class RegionOp(IRDLOperation):
    """
    A named part of a program, executed where it stands. The name says which generator
    made it and `from` which region of the generator's own input it comes from; both are
    provenance, shown in generated code and diagnostics, and never change the meaning.

    Regions with the same number as attribute `vyre.apart` promise that none of them writes
    an element of a buffer, other than workgroup memory, which another one accesses.

    Example:

    ```mlir
    %sum = vyre.region "row_sum" from "blas.gemv" -> (f32) {
      %a = vyre.load %x[%i] : memref<?xf32>
      %b = arith.addf %a, %a : f32
      vyre.yield %b : f32
    }
    ```
    """

    name = "vyre.region"

    generator = opt_prop_def(StringAttr)
    source = opt_prop_def(StringAttr)
    outputs = var_result_def()
    body = region_def("single_block")

    traits = traits_def(
        Inside("vyre.program"),
        SingleBlockImplicitTerminator(YieldOp),
        RecursiveMemoryEffect(),
    )
    custom_directives = (Provenance, ResultTypes, YieldingBody)
    assembly_format = (
        "custom<Provenance>($generator, $source) custom<ResultTypes>(type($outputs)) "
        "attr-dict-with-keyword custom<YieldingBody>($body)"
    )

    def __init__(
        self,
        generator: str | None,
        result_types: Sequence[Attribute],
        body: Region | Sequence[Operation] | Sequence[Block],
        *,
        source: str | None = None,
    ):
        super().__init__(
            properties={
                "generator": None if generator is None else StringAttr(generator),
                "source": None if source is None else StringAttr(source),
            },
            result_types=[result_types],
            regions=[body],
        )

    def verify_(self) -> None:
        if self.body.block.args:
            raise Refusal(
                "a region has no block arguments",
                fix="use the values around the region directly",
            )
        terminator = self.body.block.last_op
        assert isinstance(terminator, YieldOp)
        expected, found = self.outputs.types, terminator.values.types
        if expected != found:
            raise Refusal(
                f"has results {_type_list(expected)} but yields {_type_list(found)}",
                fix="yield one value of the right type for each result",
                notes=[Note(terminator, "yielded here")] if terminator.values else (),
            )


def _type_list(types: Sequence[Attribute]) -> str:
    return f"({', '.join(str(type) for type in types)})"


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """
    Ends the invocation, not only the region or loop it stands in. Barriers do not wait
    for invocations that have ended. It is the last op of its block, apart from the
    block's terminator.

    Example:

    ```mlir
    scf.if %outside {
      vyre.return
    }
    ```
    """

    name = "vyre.return"

    traits = traits_def(Inside("vyre.program"), EndsInvocation(), ChangesInvocations())
    assembly_format = "attr-dict"


@irdl_op_definition
class TrapOp(IRDLOperation):
    """
    Ends the invocation and makes the dispatch fail with the given tag and, if given, the
    value of `at`. The dispatch stops at the next grid barrier or at its end; contents of
    buffers are then unspecified. If several invocations trap, the one with the smallest
    linear id is reported. It is the last op of its block, apart from the terminator.

    With `invocation` it is reported as an invocation of that number, below 2**44, and with
    `wave` as one of that wave. `vyre-fuse-waves` writes both.

    Example:

    ```mlir
    scf.if %negative {
      vyre.trap "negative weight" at %edge : index
    }
    ```
    """

    name = "vyre.trap"

    tag = prop_def(StringAttr)
    value = opt_operand_def(AttrSetConstraint.get(i32, i64, IndexType()))
    invocation = opt_operand_def(IndexType())
    wave = opt_prop_def(StringAttr)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Inside("vyre.program"), EndsInvocation(), ChangesInvocations())
    assembly_format = (
        "$tag (`at` $value^ `:` type($value))? (`invocation` $invocation^)? "
        "(`wave` $wave^)? attr-dict"
    )

    def __init__(
        self,
        tag: str,
        value: SSAValue | Operation | None = None,
        *,
        invocation: SSAValue | None = None,
        wave: StringAttr | None = None,
    ):
        super().__init__(
            operands=[value, invocation],
            properties={"tag": StringAttr(tag), "wave": wave},
        )
